// Expansion and verification of large Programs: members a second, and what they hold in memory.
#include <benchmark/benchmark.h>

#include "weft/machine/machine.hpp"
#include "weft/program/builder.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/verify.hpp"

namespace {

using namespace weft;
using namespace weft::program;

/// Sites on one hub; a port each way.
class Hub final : public machine::Machine {
 public:
  explicit Hub(std::uint32_t n) {
    name_ = "hub";
    sites_ = n;
    nodes_ = n + 1;
    link_classes_.emplace_back();
    for (std::uint32_t k = 0; k < n; ++k) {
      links_.push_back({k, n, 0});
      links_.push_back({n, k, 0});
    }
    site_classes_.push_back({"core", {{"memory", Bytes(std::int64_t{1} << 40), BytesPerSecond(0), ""}}, ""});
    site_class_of_.assign(n, 0);
  }
  bool route(machine::SiteId src, machine::SiteId dst, std::string_view,
             std::vector<machine::LinkId>& out) const override {
    out.insert(out.end(), {2 * src, 2 * dst + 1});
    return true;
  }
  std::string_view fabric_between(machine::SiteId, machine::SiteId) const override { return "hub"; }
  std::string site_name(machine::SiteId s) const override { return "core[" + std::to_string(s) + "]"; }
  std::string node_name(machine::NodeId n) const override { return "node[" + std::to_string(n) + "]"; }
  machine::KernelCost kernel_cost(machine::SiteId, const machine::Kernel&, const machine::KernelScale&) const override {
    return {};
  }
  FlopsPerSecond peak(machine::SiteId, machine::DType) const override { return FlopsPerSecond(1); }
  Seconds barrier_time(std::uint32_t) const override { return Seconds(0); }
  Seconds launch_time() const override { return Seconds(0); }
  Seconds reconfigure_time() const override { return Seconds(0); }
  bool overlaps() const override { return true; }
  BytesPerSecond bisection() const override { return BytesPerSecond(0); }
  int diameter_hops() const override { return 2; }
};

Program pairs(std::int64_t n) {
  Builder b("pairwise all-to-all");
  const SpaceId gpu = b.space("gpu", {n});
  const TensorId x = b.tensor("x", {n, n}, Bytes(n * n * 1024));
  const Lin i = var(b.var("i"));
  b.start(Builder::chunk(x, {one(i), all()}), Builder::at(gpu, {one(i)}), {{b.var("i"), 0, n}});
  b.goal(GoalKind::all_to_all, x, Builder::at(gpu, {all()}));
  b.repeat(n - 1, "s", [&](VarId s) {
    const Lin to = mod(i + var(s) + 1, n);
    b.move("m")
        .what(Builder::chunk(x, {one(i), one(to)}))
        .from(gpu, {one(i)})
        .to(gpu, {one(to)})
        .over(b.var("i"), 0, n)
        .after("m", 1);
  });
  return b.take();
}

/// Chain reduce of 64 words: a move and an add a site, joined by streams.
Program chain(std::int64_t n) {
  Builder b("chain");
  const SpaceId pe = b.space("pe", {n});
  const TensorId x = b.tensor("x", {64}, machine::DType::f32);
  const BufferId in = b.buffer("in", x);
  b.start(Builder::chunk(x), Builder::at(pe, {all()}));
  b.goal(GoalKind::reduce, x, Builder::at(pe, {all()}), Builder::at(pe, {one(0)}));
  std::string last;
  for (std::int64_t k = n - 1; k > 0; --k) {
    const std::string m = "m" + std::to_string(k), a = "a" + std::to_string(k);
    {
      auto t = b.move(m);
      t.what(Builder::chunk(x)).into(in).from(pe, {one(k)}).to(pe, {one(k - 1)}).lane(k % 2);
      if (!last.empty()) t.streams(last, Bytes(4), 1);
    }
    b.compute(a, "add", machine::DType::f32)
        .reads(Builder::chunk(in))
        .adds(Builder::chunk(x))
        .at(pe, {one(k - 1)})
        .streams(m, Bytes(4), 1);
    last = a;
  }
  return b.take();
}

void count(benchmark::State& state, const Expansion& e) {
  const auto members = static_cast<double>(e.members.size());
  state.counters["members"] = members;
  state.counters["members_per_s"] = benchmark::Counter(members, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["MB"] =
      static_cast<double>(e.members.capacity() * sizeof(Member) + e.instances.capacity() * sizeof(Instance) +
                          e.edges.capacity() * sizeof(InstanceEdge)) /
      1e6;
}

void ExpandAllToAll(benchmark::State& state) {
  const Program p = pairs(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(expand(p, static_cast<std::uint32_t>(state.range(0))));
  count(state, expand(p, static_cast<std::uint32_t>(state.range(0))));
}
BENCHMARK(ExpandAllToAll)->Arg(128)->Arg(1024)->Unit(benchmark::kMillisecond);

void verify_program(benchmark::State& state, const Program& p) {
  const Hub m(static_cast<std::uint32_t>(state.range(0)));
  const Expansion e = expand(p, m.sites());
  for (auto _ : state) {
    if (!verify(e, m).verified) state.SkipWithError("refused");
  }
  count(state, e);
}

void VerifyAllToAll(benchmark::State& state) {
  verify_program(state, pairs(state.range(0)));
}
BENCHMARK(VerifyAllToAll)->Arg(128)->Arg(1024)->Unit(benchmark::kMillisecond);

void VerifyChain(benchmark::State& state) {
  verify_program(state, chain(state.range(0)));
}
BENCHMARK(VerifyChain)->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
