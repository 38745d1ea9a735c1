#include "weft/collective/collective.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "weft/program/expand.hpp"
#include "weft/program/verify.hpp"

namespace weft::collective {
namespace {

struct Written {
  std::shared_ptr<const machine::Machine> machine;
  program::Program program;
  program::Expansion expansion;

  Written(const std::string& operation, const std::string& algorithm, std::int64_t n, Bytes size)
      : machine(machine::load("dgx-h100")),
        program(write({operation, algorithm, n, size, machine.get(), {}})),
        expansion(program::expand(program, machine->sites())) {}
  Written(const Written&) = delete;

  /// Bytes that each pair of sites exchanges.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> bytes() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sum;
    for (const program::Instance& i : expansion.instances) {
      if (expansion.task(i).kind != program::Kind::move) continue;
      for (const program::Member& m : expansion.of(i)) sum[{m.src, m.dst}] += m.bytes;
    }
    return sum;
  }
};

// Law: a ring sends 2 (n-1)/n S (all-reduce) or (n-1)/n S over each of its n hops, and nothing elsewhere.
TEST(Ring, BytesOfEachHop) {
  for (const std::int64_t n : {2, 3, 5, 8}) {
    const Bytes size(n * 1000);
    const struct {
      const char* operation;
      std::int64_t factor;
    } rows[] = {{"all-reduce", 2}, {"reduce-scatter", 1}, {"all-gather", 1}};
    for (const auto& row : rows) {
      const auto sum = Written(row.operation, "ring", n, size).bytes();
      EXPECT_EQ(sum.size(), static_cast<std::size_t>(n));
      for (const auto& [pair, bytes] : sum) {
        EXPECT_EQ(pair.second, (pair.first + 1) % n);
        EXPECT_EQ(bytes, row.factor * (n - 1) * 1000) << row.operation << " over " << n;
      }
    }
  }
}

// Law: all-to-all sends S/n between every pair, whatever the order.
TEST(AllToAll, EveryPairExchangesItsPiece) {
  for (const char* algorithm : {"pairwise", "spread-out"}) {
    for (const std::int64_t n : {2, 5, 8}) {
      const auto sum = Written("all-to-all", algorithm, n, Bytes(n * 64)).bytes();
      EXPECT_EQ(sum.size(), static_cast<std::size_t>(n * (n - 1)));
      for (const auto& [pair, bytes] : sum) EXPECT_EQ(bytes, 64);
    }
  }
}

// In each round of pairwise every rank sends once and receives once.
TEST(Pairwise, RoundsAreMatchings) {
  const Written w("all-to-all", "pairwise", 7, Bytes(700));
  EXPECT_EQ(w.expansion.instances.size(), 7U) << "a launch and six rounds";
  for (const program::Instance& i : w.expansion.instances) {
    if (w.expansion.task(i).kind != program::Kind::move) continue;
    std::map<std::uint32_t, int> in, out;
    for (const program::Member& m : w.expansion.of(i)) ++out[m.src], ++in[m.dst];
    EXPECT_EQ(in.size(), 7U);
    EXPECT_EQ(out.size(), 7U);
  }
}

TEST(Collective, SizesThatDoNotDivideRoundUpOnceAMessage) {
  const auto sum = Written("all-reduce", "ring", 3, Bytes(100)).bytes();
  for (const auto& [pair, bytes] : sum) EXPECT_EQ(bytes, 4 * 34);
  for (const auto& [pair, bytes] : Written("all-to-all", "pairwise", 8, Bytes(3)).bytes()) EXPECT_EQ(bytes, 1);
}

TEST(Collective, OneRankHasNothingToDo) {
  for (const auto* item : Registry<Writer>::instance().sorted()) {
    for (const std::string& operation : item->payload.operations) {
      EXPECT_EQ(Written(operation, item->name, 1, Bytes(64)).expansion.members.size(), 0U)
          << item->name << " " << operation;
    }
  }
}

// Every algorithm does every operation that it names, on every number of ranks.
TEST(Collective, EveryAlgorithmIsProved) {
  for (const auto* item : Registry<Writer>::instance().sorted()) {
    for (const std::string& operation : item->payload.operations) {
      for (const std::int64_t n : {1, 2, 3, 4, 7, 8}) {
        const Written w(operation, item->name, n, Bytes(1000));
        const program::Verdict v = program::verify(w.expansion, *w.machine);
        EXPECT_TRUE(v.verified) << item->name << " " << operation << " over " << n << ": "
                                << (v.faults.empty() ? "" : v.faults.front().task + ": " + v.faults.front().what);
      }
    }
  }
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(WEFT_SOURCE_DIR) + "/" + path).rdbuf();
  return text.str();
}

// Is the algorithm that the documentation shows the one that is built?
TEST(Collective, TheDocumentedFileIsTheRealOne) {
  const std::string source = text_of("src/weft/collective/spread_out.cpp");
  ASSERT_FALSE(source.empty());
  EXPECT_NE(text_of("docs/adding-a-collective.md").find(source), std::string::npos);
}

std::string refusal(const Request& request) {
  try {
    write(request);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
}

TEST(Collective, WrongRequestsAreRefusedWithARemedy) {
  const auto machine = machine::load("dgx-h100");
  const machine::Machine* const m = machine.get();
  const auto says = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(refusal({"all-redcue", "ring", 8, Bytes(64), m, {}}), "all-reduce"));
  EXPECT_TRUE(says(refusal({"all-reduce", "rang", 8, Bytes(64), m, {}}), "ring"));
  EXPECT_TRUE(says(refusal({"all-reduce", "pairwise", 8, Bytes(64), m, {}}), "cannot do all-reduce"));
  EXPECT_TRUE(says(refusal({"all-reduce", "ring", 9, Bytes(64), m, {}}), "9 ranks on a machine with 8 sites"));
  EXPECT_TRUE(says(refusal({"all-reduce", "ring", 8, Bytes(0), m, {}}), "no bytes"));
  EXPECT_TRUE(says(refusal({"all-reduce", "ring", 8, Bytes(64), m, {{"grian", "4 KiB"}}}), "grain"));
  EXPECT_TRUE(says(refusal({"all-reduce", "ring", 8, Bytes(64), m, {{"grain", "4"}}}), "algorithm.grain"));
}

}  // namespace
}  // namespace weft::collective
