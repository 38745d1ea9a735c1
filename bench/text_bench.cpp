// Reading and printing a Program of 100,000 lines.
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "weft/program/text.hpp"

namespace {

std::string lines(int count) {
  std::string text = "weft program/1\nsites pe 64\ntensor x 64 f32\nbuffer in of x\nm0 move x pe[1] -> in pe[0]\n";
  for (int k = 1; k < count; ++k) {
    text += fmt::format("m{} move x pe[{}] -> in pe[{}] lane {} streams m{} by 4 B window 1\n", k, k % 64, (k + 1) % 64,
                        k % 3, k - 1);
  }
  return text;
}

void parse_100k_lines(benchmark::State& state) {
  const std::string text = lines(100000);
  for (auto _ : state) benchmark::DoNotOptimize(weft::program::parse(text, "bench"));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(parse_100k_lines)->Unit(benchmark::kMillisecond);

void print_100k_lines(benchmark::State& state) {
  const weft::program::Program program = weft::program::parse(lines(100000), "bench");
  for (auto _ : state) benchmark::DoNotOptimize(weft::program::print(program));
}
BENCHMARK(print_100k_lines)->Unit(benchmark::kMillisecond);

}  // namespace
