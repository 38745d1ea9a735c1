// Wrong machine files: each is refused with its place and what would be right.
#include <gtest/gtest.h>

#include <cstdlib>

#include "weft/machine/testing.hpp"

namespace weft::machine {
namespace {

using namespace testing;

struct Wrong {
  std::string text;
  const char* expected;
  ErrorKind kind = ErrorKind::input;
};

void expect_refused(const std::vector<Wrong>& cases) {
  for (const Wrong& w : cases) {
    SCOPED_TRACE(w.text.substr(0, 400));
    try {
      (void)parse(w.text, "t.yaml");
      ADD_FAILURE() << "accepted; expected: " << w.expected;
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), w.kind);
      EXPECT_NE(std::string(e.what()).find(w.expected), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("t.yaml"), std::string::npos) << e.what();
    }
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(WrongMachines, BrokenText) {
  for (const std::string& text :
       {std::string(), std::string("\0\1\2", 3), std::string("{"), std::string(5000, '['),
        std::string("[[") + std::string(10000, '['), std::string("weft: machine/1\nname: a\nname: b\n"),
        std::string("weft: machine/1\nname: a\nlatency: 5\n"), std::string("- 1\n- 2\n"), std::string("7"),
        std::string("weft: machine/1\nname: bad\nnode:\n  bandwidth: 12.5 GBs\n"),
        std::string("weft: machine/1\nname: [a]\nmachine: 4\nexecution: x\n")}) {
    try {
      (void)parse(text, "t.yaml");
      ADD_FAILURE() << "accepted: " << text.substr(0, 60);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::input) << e.what();
      EXPECT_FALSE(e.diagnostics().front().where.file.empty());
    }
  }
}

TEST(WrongMachines, ValuesAndKeys) {
  const std::string good = over_leaves("kind: switch, " + kLink, 4);
  ASSERT_EQ(fault(good), "accepted");
  expect_refused({
      {replaced(good, "machine/1", "machine/2"), "not a machine file"},
      {replaced(good, "kind: switch", "kind: swich"), "did you mean 'switch'"},
      {replaced(good, "bandwidth: 1 GB/s", "bandwidth: 0 GB/s"), "a link of no bandwidth"},
      {replaced(good, "bandwidth: 1 GB/s", "bandwidth: 1"), "bandwidth"},
      {replaced(good, "bandwidth: 1 GB/s", "bandwidth: 1 GBs"), "bandwidth"},
      {replaced(good, "bandwidth: 1 GB/s", "bandwidth: -1 GB/s"), "bandwidth"},
      {replaced(good, "latency: 10 ns, ", ""), "latency"},
      {replaced(good, "latency: 10 ns, source: made up", "latency: 10 ns"), "source"},
      {replaced(good, "latency: 10 ns", "latency: 10 ns, latancy: 1 ns"), "latancy"},
      {replaced(good, "latency: 10 ns", "latency: 10 ns, latency: 1 ns"), "latency"},
      {replaced(good, "latency: 10 ns", "latency: 2 cycles"), "latency"},
      {replaced(good, "count: 4", "count: 0"), "a count of 0"},
      {replaced(good, "count: 4", "count: -2"), "a count of -2"},
      {replaced(good, "count: 4, ", ""), "how many children"},
      {replaced(good, "count: 4", "count: 400000000"), "more than 2 million", ErrorKind::limit},
      {replaced(good, "bandwidth: 1 TB/s", "bandwidth: 0 B/s"), "a memory of no bandwidth"},
      {replaced(good, "f32: 1 TFLOP/s", "f32: 0 FLOP/s"), "a rate of zero"},
      {replaced(good, "f32: 1 TFLOP/s", "f33: 1 TFLOP/s"), "f33"},
      {replaced(good, "any: ", "gem: "), "did you mean 'gemm'"},
      {replaced(good, "model: roofline", "model: rooflin"), "did you mean 'roofline'"},
      {replaced(good, "compute_efficiency: 1", "compute_efficiency: 1.2"), "efficiency of 1.2"},
      {replaced(good, "launch: 0 s, ", ""), "launch"},
      {replaced(good, "overlap: true", "overlap: yes"), "overlap"},
      {good + "sources: {unused: nobody}\n", "no figure names the source 'unused'"},
      {good + "transports: [{name: t, start: 1 us, efficiency: 2, source: x}]\n", "efficiency"},
      {good + "transports: [{name: t, start: 1 us, efficiency: 1, smallest: 2 KB, largest: 1 KB, source: x}]\n",
       "serves no size"},
      {good + "transports: [{name: t, start: 1 us, efficiency: 1, source: x}, {name: t, start: 2 us, efficiency: 1, "
              "source: x}]\n",
       "given twice"},
      {good + "transports: [{name: t, start: 2000 s, efficiency: 1, source: x}]\n", "above 1000 s"},
      {good + "colours: {count: 0, source: x}\n", "no colour"},
      {good + "colours: {count: -4, source: x}\n", "no colour"},
      {replaced(good, "latency: 10 ns", "latency: 1001 s"), "above 1000 s"},
      {replaced(good, "launch: 0 s", "launch: 1e9 s"), "above 1000 s"},
      {replaced(good, "barrier: 0 s", "barrier: 1e9 s"), "above 1000 s"},
      {replaced(good, "floor: 0 s", "floor: 1e9 s"), "above 1000 s"},
      {replaced(good, "bandwidth: 1 GB/s", "bandwidth: 0.5 B/s"), "less than 1 B/s"},
      {replaced(good, "bandwidth: 1 TB/s", "bandwidth: 0.5 B/s"), "less than 1 B/s"},
      {good + "failed: [\"pe[9] -> net-hub\"]\n", "no place 'pe[9]'"},
      {good + "failed: [\"pe[0] -> pe[1]\"]\n", "there is no link"},
      {good + "failed: [\"pe[0]\"]\n", "is no link"},
      {good + "clock: {frequency: 0 Hz, source: x}\n", "stands still"},
      {good + "clock: {frequency: 1 GHz, source: x}\na.b: 2 cycles\n", "a.b"},
  });
}

TEST(WrongMachines, ShapesAndLevels) {
  const std::string mesh = over_leaves("kind: mesh, shape: [2, 3], " + kLink, 6);
  const std::string links =
      "kind: links, relay: true, classes: {wire: {bandwidth: 1 GB/s, latency: 1 ns, source: x}}, links: ";
  expect_refused({
      {replaced(mesh, "count: 6", "count: 5"), "shape of 6 ends but joins 5"},
      {replaced(mesh, "[2, 3]", "[2, 0]"), "an extent of 0"},
      {replaced(mesh, "[2, 3]", "[]"), "shape"},
      {replaced(mesh, "[2, 3]", "[9000, 9000]"), "shape of 81000000 ends but joins 6"},
      {replaced(replaced(mesh, "[2, 3]", "[9000, 9000]"), "count: 6, ", ""), "more than 2 million", ErrorKind::limit},
      {replaced(mesh, "shape: [2, 3], ", ""), "shape"},
      {over_leaves("kind: switch, except: [{ends: [7], " + kLink + "}], " + kLink, 4), "names end 7 of 4"},
      {over_leaves("kind: full-mesh, " + kLink, 40000), "more than"},
      {over_leaves(links + "[{from: 0, to: 5, class: wire}]", 3), "names child 5 of 3"},
      {over_leaves(links + "[{from: 0, to: hub, class: wire}]", 3), "unknown place 'hub'"},
      {over_leaves(links + "[{from: 0, to: 0, class: wire}]", 3), "from a place to itself"},
      {over_leaves(links + "[{from: 0, to: 1, class: wier}]", 3), "wire"},
      {over_leaves(links + "[{from: 0, to: 1, class: wire}, {from: 1, to: 0, class: wire}]", 3), "joined in this"},
      {over_leaves(links + "[{from: 0, to: 1, class: wire, circuit: a}, {from: 0, to: 1, class: wire, circuit: a}]", 3),
       "circuit 'a' joins"},
      {over_leaves(links + "[{from: 0, to: 1, class: wire, circuit: a}, {from: 1, to: 2, class: wire}]", 3),
       "a class of their own"},
      {nested("kind: switch, " + kLink, 2, "kind: switch, " + kLink, 2), "ends"},
      {nested("kind: ring, ends: hubs, " + kLink, 3, "kind: ring, " + kLink, 3), "have no hub"},
      {nested("kind: switch, ends: nics, share: 3, nic_link: {bandwidth: 1 GB/s, latency: 1 ns, source: x}, " + kLink,
              2, "kind: switch, " + kLink, 4),
       "cannot share NICs"},
      {kHead + "machine: " + kLeaf + "\n", "a machine of one leaf"},
  });
}

TEST(WrongMachines, SaysLineAndColumn) {
  try {
    (void)parse(replaced(over_leaves("kind: switch, " + kLink, 4), "1 GB/s", "0 GB/s"), "t.yaml");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.diagnostics().front().where.line, 6);
    EXPECT_GT(e.diagnostics().front().where.column, 20);
  }
}

TEST(WrongMachines, KernelsWithoutACost) {
  const auto m = parse(over_leaves("kind: switch, " + kLink, 2), "t.yaml");
  EXPECT_THROW((void)m->kernel_cost(0, {"gemm", {{"m", 1}, {"n", 1}, {"k", 1}}, DType::bf16}), Error);
  EXPECT_NO_THROW((void)m->kernel_cost(0, {"gemm", {{"m", 1}, {"n", 1}, {"k", 1}}, DType::f32}));
}

}  // namespace
}  // namespace weft::machine
