#include <algorithm>

#include "weft/program/expand.hpp"
#include "weft/program/expand_chunk.hpp"

namespace weft::program {
namespace {

struct Amount {
  std::int64_t cells = 0, bytes = 0;
};

Amount amount(const Program& p, const std::vector<ChunkRef>& chunks, const std::int64_t* env, SiteId site) {
  Amount sum;
  ChunkEvaluator evaluator(p);
  FlatBoxes boxes;
  for (const ChunkRef& chunk : chunks) {
    boxes.bounds.clear();
    evaluator.append(chunk, env, site, boxes);
    const std::int64_t cells = volume_of(boxes);
    sum.cells += cells;
    sum.bytes += evaluator.tensor_of(chunk.buffer).bytes(cells).value();
  }
  return sum;
}

}  // namespace

machine::Kernel kernel_of(const Expansion& e, const Instance& i, const Member& m) {
  const Task& task = e.task(i);
  machine::Kernel kernel{task.kernel.op, {}, task.kernel.dtype};
  std::vector<std::int64_t> env(std::max<std::size_t>(e.program->vars.size(), 1));
  e.environment(i, m, env.data());
  for (const KernelDim& dim : task.kernel.dims) kernel.dims.emplace_back(dim.name, dim.value.eval(env.data()));
  const auto derive = [&](const char* name, auto value) {
    if (std::ranges::find(kernel.dims, name, &machine::Dim::first) == kernel.dims.end())
      kernel.dims.emplace_back(name, value());
  };
  const auto written = [&] {
    const Amount w = amount(*e.program, task.writes, env.data(), m.src),
                 a = amount(*e.program, task.adds, env.data(), m.src);
    return Amount{w.cells + a.cells, w.bytes + a.bytes};
  };
  if (kernel.op == "add") derive("n", [&] { return written().cells; });
  if (kernel.op == "copy") derive("bytes", [&] { return written().bytes; });
  if (kernel.op == "elementwise") {
    derive("read", [&] { return amount(*e.program, task.reads, env.data(), m.src).bytes; });
    derive("written", [&] { return written().bytes; });
  }
  return kernel;
}

}  // namespace weft::program
