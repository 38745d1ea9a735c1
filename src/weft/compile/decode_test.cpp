#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "weft/compile/compile.hpp"
#include "weft/model/demand.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/verify.hpp"

namespace weft::compile {
namespace {

using program::Kind;
using program::Program;

struct Case {
  const char* model;
  const char* machine;
  const char* layout;
};

const Case kCases[] = {
    {"llama2-7b", "dgx-h100", "tp=1"},           {"llama2-7b", "dgx-h100", "tp=2"},
    {"llama2-7b", "dgx-h100", "tp=8"},           {"llama2-7b", "dgx-h100", "tp=4,dp=2"},
    {"llama3.1-8b", "dgx-h100*2", "tp=16"},      {"mixtral-8x7b", "dgx-h100", "tp=8,ep=1"},
    {"mixtral-8x7b", "dgx-h100", "tp=1,ep=8"},   {"mixtral-8x7b", "dgx-h100", "tp=2,ep=4"},
    {"mixtral-8x7b", "dgx-h100*2", "tp=4,ep=4"}, {"mixtral-8x7b", "dgx-h100*2", "tp=2,ep=4,dp=2"},
    {"mixtral-8x7b", "dgx-h100*4", "tp=8,ep=4"}, {"mixtral-8x7b", "dgx-h100*4", "tp=4,ep=8"},
};

StepRequest request(const Case& c, std::int64_t layers) {
  StepRequest r;
  r.model = model::load(c.model, {{"num_hidden_layers", std::to_string(layers)}});
  r.batch = 64;
  r.seq = 1024;
  r.layout = parse_layout(c.layout);
  return r;
}

std::string first_fault(const program::Verdict& v) {
  return v.faults.empty() ? "no fault" : v.faults.front().task + ": " + v.faults.front().what;
}

void remove(std::vector<program::Item>& body, std::uint32_t task) {
  std::erase_if(body, [&](const program::Item& i) { return i.kind == program::Item::Kind::task && i.index == task; });
}

/// The program as if the task had never been written: its edges are gone as well, so that only data can tell.
Program without(Program p, std::uint32_t task) {
  remove(p.body, task);
  for (program::Repeat& repeat : p.repeats) remove(repeat.body, task);
  for (program::Task& t : p.tasks) std::erase_if(t.edges, [&](const program::Edge& e) { return e.on == task; });
  return p;
}

// Is the whole step proved, logits of every sequence included, on every kind of layout?
TEST(Decode, EveryLayoutIsProved) {
  for (const Case& c : kCases) {
    const auto machine = machine::load(c.machine);
    const program::Verdict v = program::verify(compile_step(request(c, 4), *machine), *machine);
    EXPECT_TRUE(v.verified) << c.model << " " << c.layout << ": " << first_fault(v);
    EXPECT_TRUE(v.memory_proved) << c.model << " " << c.layout;
  }
}

// Must fail: without any one of its tasks a step is refused.
TEST(Decode, NoTaskCanBeLeftOut) {
  for (const Case& c : {kCases[3], kCases[5], kCases[6], kCases[7], kCases[11]}) {
    const auto machine = machine::load(c.machine);
    const Program whole = compile_step(request(c, 2), *machine);
    for (std::uint32_t t = 0; t < whole.tasks.size(); ++t) {
      const program::Verdict v = program::verify(without(whole, t), *machine);
      EXPECT_FALSE(v.verified) << c.layout << " without " << whole.tasks[t].name;
    }
  }
}

// Must fail: without any one row of its tables, too.
TEST(Decode, NoRowOfATableCanBeLeftOut) {
  for (const Case& c : {kCases[6], kCases[11]}) {
    const auto machine = machine::load(c.machine);
    Program whole = compile_step(request(c, 2), *machine);
    for (program::Table& table : whole.tables) {
      for (const std::size_t k : {std::size_t{0}, table.rows.size() / 2, table.rows.size() - 1}) {
        const program::Table::Row row = table.rows[k];
        table.rows.erase(table.rows.begin() + static_cast<std::ptrdiff_t>(k));
        EXPECT_FALSE(program::verify(whole, *machine).verified) << c.layout << " " << table.name << " row " << k;
        table.rows.insert(table.rows.begin() + static_cast<std::ptrdiff_t>(k), row);
      }
    }
  }
}

// Must fail: without any one edge it is a race (or an edge too many was written).
TEST(Decode, RacesAreFoundWhereAnEdgeIsMissing) {
  const auto machine = machine::load("dgx-h100");
  const Program whole = compile_step(request(kCases[7], 2), *machine);
  for (std::uint32_t t = 0; t < whole.tasks.size(); ++t) {
    Program p = whole;
    if (p.tasks[t].edges.empty()) continue;
    p.tasks[t].edges.clear();
    EXPECT_FALSE(program::verify(p, *machine).verified) << whole.tasks[t].name << " without its edges";
  }
}

// Law: products that the meaning states are those that the kernels do, so that a bound from it holds at any batch: the
// iteration boxes of a layer's einsums have as many cells as its matrix kernels have multiply-adds.
TEST(Decode, MeaningStatesNoMoreWorkThanTheKernelsDo) {
  const auto machine = machine::load("dgx-h100");
  for (const Case& c : {kCases[2], kCases[5], kCases[7]}) {
    const Program p = compile_step(request(c, 2), *machine);
    const auto& layer =
        p.meaning.back().kind == program::MeaningItem::Kind::repeat ? p.meaning.back() : *std::prev(p.meaning.end(), 2);
    double stated = 0, done = 0;
    for (const program::MeaningItem& item : layer.body) {
      if (item.kind != program::MeaningItem::Kind::statement || !item.statement.einsum) continue;
      std::map<std::string, double> axes;
      const auto collect = [&](const program::Meaning::Operand& o) {
        for (std::size_t k = 0; k < o.axes.size(); ++k) {
          if (!o.axes[k].empty()) axes[o.axes[k]] = static_cast<double>(p.tensors[o.tensor].shape[k]);
        }
      };
      collect(item.statement.out);
      for (const auto& in : item.statement.in) collect(in);
      double cells = 1;
      for (const auto& [name, size] : axes) cells *= size;
      stated += cells;
    }
    const program::Expansion e = program::expand(p, machine->sites());
    std::set<std::string> seen;
    for (const program::Instance& i : e.instances) {
      if (e.task(i).kind != Kind::compute || e.task(i).name == "head" || !seen.insert(e.task(i).name).second) continue;
      if (e.task(i).kernel.op != "gemm" && e.task(i).kernel.op != "grouped-gemm") continue;
      for (const program::Member& m : e.of(i)) {
        const machine::Kernel k = program::kernel_of(e, i, m);
        done += static_cast<double>(k.dim("m") * k.dim("n") * k.dim("k")) /
                (e.task(i).name == "router" ? static_cast<double>(request(c, 2).layout.tp) : 1);
      }
    }
    EXPECT_DOUBLE_EQ(stated, done) << c.layout;
  }
}

/// Bytes that enter each site through the given task in one round.
std::map<std::uint32_t, std::int64_t> arriving(const program::Expansion& e, const std::string& name) {
  std::map<std::uint32_t, std::int64_t> sum;
  for (const program::Instance& i : e.instances) {
    if (e.task(i).name != name) continue;
    for (const program::Member& m : e.of(i)) sum[m.dst] += m.bytes;
    return sum;
  }
  return sum;
}

// Law: one expert a rank and top-2 of 8: each rank gets 8 sequences x 2/8 rows of 8 KiB from each of the 7 others.
TEST(Decode, DispatchBytesAreTheExpectedDemand) {
  const auto machine = machine::load("dgx-h100");
  const Program p = compile_step(request(kCases[6], 2), *machine);
  const program::Expansion e = program::expand(p, machine->sites());
  for (const char* name : {"dispatch", "combine"}) {
    const auto in = arriving(e, name);
    EXPECT_EQ(in.size(), 8U);
    for (const auto& [site, bytes] : in) EXPECT_EQ(bytes, 7 * 2 * 8192) << name;
  }
}

// Over nodes the NIC carries a row once a node; NVLink carries what each GPU of the node needs.
TEST(Decode, RowsCrossTheNicOnceANode) {
  const auto machine = machine::load("dgx-h100*4");
  const Program p = compile_step(request(kCases[11], 2), *machine);  // tp=4, ep=8: four nodes of two ranks
  const program::Expansion e = program::expand(p, machine->sites());
  const model::Demand d = model::uniform_demand(8, 2, 8, 8);
  const Bytes row(8192), node = model::row_bytes(d.rows_to_group(2), row),
                         rank = model::row_bytes(d.rows_per_pair(), row);
  for (const auto& [site, bytes] : arriving(e, "dispatch-nodes")) EXPECT_EQ(bytes, 3 * node.value());
  for (const auto& [site, bytes] : arriving(e, "dispatch-onward")) EXPECT_EQ(bytes, 3 * rank.value());
  for (const auto& [site, bytes] : arriving(e, "dispatch-local")) EXPECT_EQ(bytes, rank.value());
  for (const auto& [site, bytes] : arriving(e, "combine-home")) EXPECT_EQ(bytes, 3 * node.value());
  EXPECT_LT(node.value(), 2 * rank.value());
  for (const program::Instance& i : e.instances) {
    const bool outside = e.task(i).name == "dispatch-nodes" || e.task(i).name == "combine-home";
    if (e.task(i).kind != Kind::move) continue;
    for (const program::Member& m : e.of(i)) EXPECT_EQ(m.src / 8 != m.dst / 8, outside) << e.task(i).name;
  }
}

// Law: the weights that a step's kernels read are the model's, once, whatever the layout; those of attention are
// replicated.
TEST(Decode, KernelsOfALayerHaveTheirOwnShapes) {
  const auto machine = machine::load("dgx-h100");
  const Program p = compile_step(request(kCases[7], 2), *machine);  // tp=2, ep=4
  const program::Expansion e = program::expand(p, machine->sites());
  std::map<std::string, machine::Kernel> kernels;
  for (const program::Instance& i : e.instances) {
    if (e.task(i).kind == Kind::compute) kernels.emplace(e.task(i).name, program::kernel_of(e, i, e.of(i).front()));
  }
  const auto dims = [&](const std::string& name) {
    std::string text;
    for (const auto& [dim, value] : kernels.at(name).dims) text += fmt::format("{}={} ", dim, value);
    return text;
  };
  EXPECT_EQ(dims("qkv"), "m=16 n=3072 k=4096 ");
  EXPECT_EQ(dims("attention"), "sequences=16 heads=16 kv_heads=4 head_dim=128 context=1024 ");
  EXPECT_EQ(dims("output"), "m=16 n=4096 k=2048 ");
  EXPECT_EQ(dims("router"), "m=16 n=8 k=4096 ");
  EXPECT_EQ(dims("gate-up"), "groups=2 m=32 n=14336 k=4096 ");
  EXPECT_EQ(dims("down"), "groups=2 m=32 n=4096 k=7168 ");
  EXPECT_EQ(dims("head"), "m=16 n=16000 k=4096 ");
}

}  // namespace
}  // namespace weft::compile
