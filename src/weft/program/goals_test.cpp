// Goals of the standard operations as a text writes them: who takes part, and what must lie where.
#include "weft/program/goals.hpp"

#include <gtest/gtest.h>

#include "support/flat_machine.hpp"
#include "weft/program/text.hpp"
#include "weft/program/verify.hpp"

namespace weft::test {
namespace {

using namespace weft::program;

Program with_goal(const std::string& goal, const std::string& tasks) {
  return parse("weft program/1\nname g\nsites gpu 4\ntensor x 4 f32\nstart x at gpu[1]\n" + goal + "\n" + tasks + "\n",
               "g.weft");
}

std::string verdict(const Program& p) {
  const Verdict v = verify(p, hub(4, 1e9, 0));
  return v.verified ? "verified" : v.faults[0].task + ": " + v.faults[0].what;
}

std::vector<SiteId> ranks(const Program& p) {
  const std::vector<std::int64_t> env(std::max<std::size_t>(p.vars.size(), 1), 0);
  return ranks_of(p, p.goals.at(0), env.data());
}

TEST(Goals, SendRecvNamesBothItsEnds) {
  const std::string move = "m move x gpu[1] -> gpu[3]";
  const Program both = with_goal("goal send-recv x from gpu[1] to gpu[3]", move);
  EXPECT_EQ(ranks(both), (std::vector<SiteId>{1, 3}));
  EXPECT_EQ(verdict(both), "verified");
  EXPECT_EQ(verdict(with_goal("goal send-recv x from gpu[1] to gpu[2]", move)),
            "goal: x[0..3] at gpu[2] is required, and nothing arrives there");
  EXPECT_EQ(verdict(with_goal("goal send-recv x over gpu[1] to gpu[3]", move)), "verified");
  const Program text = parse(print(both), "again.weft");
  EXPECT_EQ(ranks(text), (std::vector<SiteId>{1, 3}));
}

TEST(Goals, SendRecvOverTwoRanksGoesFromTheFirstToTheSecond) {
  const Program p = with_goal("goal send-recv x over gpu[1..2]", "m move x gpu[1] -> gpu[2]");
  EXPECT_EQ(ranks(p), (std::vector<SiteId>{1, 2}));
  EXPECT_EQ(verdict(p), "verified");
}

TEST(Goals, AreRefusedWhereTheyDoNotSayWhoTakesPart) {
  Program p = with_goal("goal all-reduce x over gpu[*]", "m move x gpu[1] -> gpu[2]");
  p.goals[0].ranks = {};
  EXPECT_EQ(verdict(p), "goal: line 6: it does not say who takes part; 'over' and the ranks");
  p.goals[0].kind = GoalKind::send_recv;
  p.goals[0].place.push_back({{}, {}, {0, {}}, 0});
  EXPECT_EQ(verdict(p), "goal: line 6: it says one end and not the other; 'from' and 'to'");
}

}  // namespace
}  // namespace weft::test
