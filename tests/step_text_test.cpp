// Does the text of a whole step say all, and does every move in it matter? A line taken out must be noticed.
#include <gtest/gtest.h>

#include <sstream>

#include "weft/compile/compile.hpp"
#include "weft/core/error.hpp"
#include "weft/program/text.hpp"
#include "weft/program/verify.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft {
namespace {

struct Case {
  const char* model;
  const char* machine;
  const char* layout;
  std::int64_t batch;
};

program::Program step(const Case& c, const machine::Machine& m) {
  compile::StepRequest r;
  r.model = model::load(c.model, {{"num_hidden_layers", "2"}});
  r.batch = c.batch;
  r.seq = 256;
  r.layout = compile::parse_layout(c.layout);
  return compile::compile_step(r, m);
}

const Case kCases[] = {{"mixtral-8x7b", "dgx-h100", "tp=1,ep=8", 16},   {"mixtral-8x7b", "dgx-h100", "tp=2,ep=4", 16},
                       {"mixtral-8x7b", "dgx-h100*2", "tp=2,ep=8", 16}, {"mixtral-8x7b", "dgx-h100*2", "ep=8,dp=2", 32},
                       {"llama3.1-8b", "dgx-h100", "tp=4,dp=2", 16},    {"qwen3-30b-a3b", "dgx-h100*2", "ep=16", 32}};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool accepted(const std::string& text, const machine::Machine& m) {
  try {
    return program::verify(program::parse(text, "mutant"), m, {.need_goal = true}).verified;
  } catch (const Error& e) {
    EXPECT_NE(e.kind(), ErrorKind::internal) << e.what();
    return false;
  }
}

TEST(StepText, ReadsBackToTheSameProgramAndTheSameTime) {
  for (const Case& c : kCases) {
    const auto m = machine::load(c.machine);
    const program::Program p = step(c, *m);
    const program::Program q = program::parse(program::print(p), "printed");
    EXPECT_TRUE(program::same(p, q)) << c.layout;
    const Tick written = simulate::flow(program::expand(p, m->sites()), *m).end;
    EXPECT_EQ(simulate::flow(program::expand(q, m->sites()), *m).end, written) << c.layout;
  }
}

TEST(StepText, NoMoveCanBeTakenOut) {
  for (const Case& c : kCases) {
    const auto m = machine::load(c.machine);
    const std::vector<std::string> lines = lines_of(program::print(step(c, *m)));
    std::size_t moves = 0;
    for (std::size_t out = 0; out < lines.size(); ++out) {
      if (lines[out].find(" move ") == std::string::npos) continue;
      ++moves;
      std::string text;
      for (std::size_t k = 0; k < lines.size(); ++k) {
        if (k != out) text += lines[k] + "\n";
      }
      EXPECT_FALSE(accepted(text, *m)) << c.layout << " without line " << out + 1 << ": " << lines[out];
    }
    EXPECT_GT(moves, 0u);
  }
}

TEST(StepText, BothBoundsAreBelowTheTime) {
  for (const Case& c : kCases) {
    const auto m = machine::load(c.machine);
    const program::Program p = step(c, *m);
    const program::Expansion e = program::expand(p, m->sites());
    const program::Timeline t = simulate::flow(e, *m);
    const double end = t.clock.seconds(t.end).value();
    EXPECT_LE(simulate::goal_bound(p, *m).time.value(), end) << c.layout;
    EXPECT_LE(simulate::program_bound(e, *m).time.value(), end * (1 + 1e-12)) << c.layout;
    EXPECT_GT(simulate::goal_bound(p, *m).time.value(), 0) << c.layout;
  }
}

}  // namespace
}  // namespace weft
