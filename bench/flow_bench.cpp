// Flow engine: simulated flows a second against their number, folded and not.
#include <benchmark/benchmark.h>

#include "../tests/support/flat_machine.hpp"
#include "weft/core/random.hpp"
#include "weft/program/builder.hpp"
#include "weft/simulate/fold.hpp"
#include "weft/simulate/simulate.hpp"

namespace {

using namespace weft;           // NOLINT(google-build-using-namespace)
using namespace weft::program;  // NOLINT(google-build-using-namespace)

Program all_to_all(std::int64_t n) {
  Builder b("all-to-all");
  const auto s = b.space("s", {n});
  const auto x = b.tensor("x", {n, n}, Bytes{n * n * 4096});
  const auto i = b.var("i"), j = b.var("j");
  b.move("m")
      .over(i, 0, n)
      .over(j, 0, n)
      .what(b.chunk(x, {one(var(i)), one(var(j))}))
      .from(s, {one(var(i))})
      .to(s, {one(var(j))});
  return b.take();
}

/// n hosts on one switch, n * 16 flows of random ends and sizes: nothing to fold, every end changes somebody's rate.
Program random_flows(std::int64_t n) {
  Builder b("random");
  const auto s = b.space("s", {n});
  const auto x = b.tensor("x", {n, 1 << 20, 1}, Bytes{n << 20});
  std::vector<Table::Row> rows;
  for (std::uint64_t f = 0; f < static_cast<std::uint64_t>(n) * 16; ++f) {
    const auto from = static_cast<std::uint32_t>(random_below(1, 1, f, static_cast<std::uint64_t>(n)));
    const auto to = static_cast<std::uint32_t>((from + 1 + random_below(1, 2, f, static_cast<std::uint64_t>(n - 1))) %
                                               static_cast<std::uint64_t>(n));
    rows.push_back({from, to, from, 0, static_cast<std::int64_t>(1 + random_below(1, 3, f, 1 << 20))});
  }
  const auto d = b.table("d", s, rows);
  b.move("m").what(b.chunk(x)).from(s, {all()}).to(s, {all()}).by(d);
  return b.take();
}

void run(benchmark::State& state, const Program& p, bool fold) {
  const auto n = static_cast<std::uint32_t>(state.range(0));
  const auto m = test::hub(n, 25e9, 1e-6, 1e12);
  const Expansion e = expand(p, n);
  simulate::Options o;
  o.fold = fold;
  std::uint64_t flows = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulate::flow(e, m, o).end);
    flows += e.members.size();
  }
  state.counters["flows"] = static_cast<double>(e.members.size());
  state.counters["flows/s"] = benchmark::Counter(static_cast<double>(flows), benchmark::Counter::kIsRate);
}

void BM_AllToAllFolded(benchmark::State& state) {
  run(state, all_to_all(state.range(0)), true);
}
void BM_AllToAllExpanded(benchmark::State& state) {
  run(state, all_to_all(state.range(0)), false);
}
void BM_RandomFlows(benchmark::State& state) {
  run(state, random_flows(state.range(0)), false);
}

BENCHMARK(BM_AllToAllFolded)->RangeMultiplier(4)->Range(16, 1024)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_AllToAllExpanded)->RangeMultiplier(4)->Range(16, 256)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RandomFlows)->RangeMultiplier(4)->Range(16, 1024)->Unit(benchmark::kMillisecond);

}  // namespace
