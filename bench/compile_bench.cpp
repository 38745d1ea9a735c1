// How long it takes to write Programs: collectives and a step's layers.
#include <benchmark/benchmark.h>

#include "weft/collective/collective.hpp"
#include "weft/compile/compile.hpp"

namespace {

void collective(benchmark::State& state, const char* operation, const char* algorithm) {
  const auto machine = weft::machine::load("dgx-h100*128");
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        weft::collective::write({operation, algorithm, state.range(0), weft::Bytes(1 << 26), machine.get(), {}}));
  }
}
BENCHMARK_CAPTURE(collective, ring, "all-reduce", "ring")->Arg(8)->Arg(1024);
BENCHMARK_CAPTURE(collective, pairwise, "all-to-all", "pairwise")->Arg(8)->Arg(1024);

void step(benchmark::State& state, const char* machine_name, const char* layout) {
  const auto machine = weft::machine::load(machine_name);
  weft::compile::StepRequest request;
  request.model = weft::model::load("mixtral-8x7b");
  request.batch = 64;
  request.seq = 2048;
  request.layout = weft::compile::parse_layout(layout);
  for (auto _ : state) benchmark::DoNotOptimize(weft::compile::compile_step(request, *machine));
}
BENCHMARK_CAPTURE(step, one_node, "dgx-h100", "tp=1,ep=8");
BENCHMARK_CAPTURE(step, two_nodes, "dgx-h100*2", "tp=2,ep=8");

}  // namespace
