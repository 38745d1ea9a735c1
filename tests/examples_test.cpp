// Do the example Programs give their answers in every engine? Each is a text on a small machine, with the answer beside it.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/reduce_trees.hpp"
#include "weft/program/interpret.hpp"
#include "weft/program/text.hpp"
#include "weft/program/verify.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft {
namespace {

std::string source(const std::string& path) {
  return std::string(WEFT_SOURCE_DIR) + "/tests/" + path;
}

program::Program read(const std::string& name) {
  const std::string path = source("programs/" + name);
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return program::parse(text.str(), path);
}

/// Verified, bounded from both sides, and this long; in ticks of the machine or in seconds.
void expect_answer(const program::Program& p, const machine::Machine& m, double seconds, double tolerance = 0) {
  const program::Expansion e = program::expand(p, m.sites());
  const program::Verdict verdict = program::verify(e, m);
  ASSERT_TRUE(verdict.verified) << verdict.faults.front().task << ": " << verdict.faults.front().what;
  const program::Timeline t = simulate::flow(e, m);
  const double end = t.clock.seconds(t.end).value();
  EXPECT_NEAR(end, seconds, std::max(tolerance, 1e-9 * seconds));
  EXPECT_LE(simulate::goal_bound(p, m).time.value(), end * (1 + 1e-12));
  EXPECT_LE(simulate::program_bound(e, m).time.value(), end * (1 + 1e-12));
  simulate::Options whole;
  whole.fold = false;
  EXPECT_EQ(simulate::flow(e, m, whole).end, t.end) << "folded and expanded answers differ";
  EXPECT_TRUE(program::same(program::parse(program::print(p), "printed"), p)) << "the text does not say all";
}

double cycles(const machine::Machine& m, double n) {
  return n / m.clock()->value();
}

std::shared_ptr<const machine::Machine> row(std::int64_t pes) {
  machine::LoadOptions o;
  o.shape = {pes};
  return machine::load("wse2", o);
}

TEST(Examples, ChainReduceOfFourElementsEndsAfter81Cycles) {
  const auto m = row(4);
  expect_answer(read("chain_reduce.weft"), *m, cycles(*m, 81));
}

TEST(Examples, ComputeShiftTakes268Cycles) {
  const auto m = machine::load(source("machines/shift-cores.yaml"));
  expect_answer(read("compute_shift.weft"), *m, cycles(*m, 268));
}

TEST(Examples, MoeDispatchStartsItsExpertsAfter161Microseconds) {
  const auto m = machine::load(source("machines/two-nodes.yaml"));
  expect_answer(read("moe_dispatch.weft"), *m, 161.25e-6);
}

TEST(Examples, ACircuitMovesIn45Microseconds) {
  const auto m = machine::load(source("machines/racks.yaml"));
  expect_answer(read("circuits.weft"), *m, 45e-6);
}

TEST(Examples, ReduceTreesOf32ElementsAndOf64Wavelets) {
  const auto m = row(32);
  expect_answer(test::reduce_tree(test::chain(32), 64), *m, cycles(*m, 249));
  expect_answer(test::reduce_tree(test::star(32), 64), *m, cycles(*m, 1989));
  expect_answer(test::reduce_tree(test::two_phase(32, 5), 64), *m, cycles(*m, 198));
  expect_answer(test::reduce_tree(test::binary_tree(32), 64), *m, cycles(*m, 325));
}

TEST(Examples, FarChildFirstDeadlocksTwoPhaseAndIsRefused) {
  const auto m = row(32);
  const program::Program p = test::reduce_tree(test::two_phase(32, 5), 64, test::ChildOrder::farthest_first);
  const program::Verdict verdict = program::verify(p, *m);
  ASSERT_FALSE(verdict.verified);
  EXPECT_NE(verdict.faults.front().what.find("wait"), std::string::npos) << verdict.faults.front().what;
}

TEST(Examples, ChainReduceAddsRealNumbers) {
  const program::Program p = read("chain_reduce.weft");
  const auto result = program::interpret(
      program::expand(p, 4),
      [](const std::string&, program::SiteId s, std::int64_t cell) { return 100.0 * s + static_cast<double>(cell); });
  const program::Array& x = result.memory.at({"x", 0});
  for (std::size_t cell = 0; cell < 64; ++cell) EXPECT_DOUBLE_EQ(x[cell], 600.0 + 4.0 * static_cast<double>(cell));
}

TEST(Examples, ComputeShiftMultipliesMatrices) {
  const program::Program p = read("compute_shift.weft");
  const auto value = [](const std::string& name, std::int64_t cell) {
    return name == "A" ? static_cast<double>(cell % 7) - 3 : static_cast<double>(cell % 5) - 2;
  };
  const auto result = program::interpret(program::expand(p, 8), [&](const std::string& name, program::SiteId,
                                                                    std::int64_t cell) { return value(name, cell); });
  for (std::int64_t row_of_o = 0; row_of_o < 8; ++row_of_o) {
    const program::Array& o = result.memory.at({"O", static_cast<program::SiteId>(row_of_o)});
    for (std::int64_t n = 0; n < 8; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < 16; ++k) sum += value("A", row_of_o * 16 + k) * value("B", k * 8 + n);
      EXPECT_DOUBLE_EQ(o[static_cast<std::size_t>(row_of_o * 8 + n)], sum);
    }
  }
}

}  // namespace
}  // namespace weft
