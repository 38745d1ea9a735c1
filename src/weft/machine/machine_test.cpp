// The shipped machines, the machines of the examples, and what the command line changes.
#include <gtest/gtest.h>

#include "weft/core/data_dir.hpp"
#include "weft/machine/testing.hpp"

namespace weft::machine {
namespace {

using namespace testing;

std::string example(const std::string& name) {
  return std::string(WEFT_SOURCE_DIR) + "/tests/machines/" + name + ".yaml";
}

TEST(ShippedMachines, LoadAndEveryFigureHasASource) {
  for (const std::string& name : data_names("machines")) {
    SCOPED_TRACE(name);
    const auto m = load(name);
    EXPECT_EQ(m->name(), name);
    EXPECT_FALSE(m->about().empty());
    EXPECT_FALSE(m->figures().empty());
    for (const SourcedFigure& f : m->figures()) EXPECT_GT(f.source.size(), 3U) << f.what;
    for (const LinkClass& c : m->link_classes()) EXPECT_FALSE(c.source.empty()) << c.name;
  }
}

TEST(DgxH100, JoinsByInfiniband) {
  const auto one = load("dgx-h100"), four = load("dgx-h100*4");
  EXPECT_EQ(one->sites(), 8U);
  EXPECT_NEAR(one->peak(0, DType::bf16).value(), 989.4e12, 1e9);
  EXPECT_EQ(four->sites(), 32U);
  ASSERT_EQ(four->levels().size(), 2U);
  EXPECT_EQ(four->levels()[0].count, 4);
  EXPECT_EQ(four->levels()[1].count, 32);
  EXPECT_EQ(four->fabric_between(0, 7), "nvlink");
  EXPECT_EQ(four->fabric_between(0, 8), "infiniband");
  EXPECT_EQ(four->site_name(26), "node[3].gpu[2]");
  EXPECT_DOUBLE_EQ(four->link_class(route(*four, 0, 8)[0]).bandwidth.value(), 50e9);
  EXPECT_DOUBLE_EQ(four->bisection().value(), 16 * 50e9);
  EXPECT_EQ(load("dgx-h100*1")->name(), "dgx-h100");
}

TEST(DgxH100, TransportsGoByFabricAndSize) {
  const auto m = load("dgx-h100*2");
  EXPECT_EQ(m->transport("", "nvlink", Bytes(100), Bytes(800))->name, "nccl-ll");
  EXPECT_EQ(m->transport("", "nvlink", Bytes(100000), Bytes(800000))->name, "nccl-ll128");
  EXPECT_EQ(m->transport("", "nvlink", Bytes(10000000), Bytes(80000000))->name, "nccl-simple");
  EXPECT_EQ(m->transport("", "infiniband", Bytes(10000000), Bytes(80000000))->fabric, "infiniband");
  EXPECT_EQ(m->transport("rdma", "infiniband", Bytes(1), Bytes(1))->name, "rdma");
  EXPECT_EQ(m->transport("", "somewhere", Bytes(1), Bytes(1)), nullptr);
  EXPECT_THROW(m->transport("rdna", "infiniband", Bytes(1), Bytes(1)), Error);
  EXPECT_THROW(m->transport("rdma", "nvlink", Bytes(1), Bytes(1)), Error);
}

TEST(Wse2, AWaveletOverHHopsTakesHAndFourCycles) {
  LoadOptions row;
  row.shape = {512};
  const auto m = load("wse2", row);
  ASSERT_EQ(m->sites(), 512U);
  EXPECT_EQ(m->site_name(3), "pe[3]");
  for (const SiteId h : {1U, 2U, 100U, 511U}) {
    const auto links = route(*m, 0, h);
    double slot = 0;
    for (const LinkId l : links) slot = std::max(slot, m->link_class(l).service_time(Bytes(4)).value());
    EXPECT_EQ(m->ticks().ceil(Seconds(latency(*m, links) + slot)), static_cast<Tick>(h) + 4);
  }
  EXPECT_EQ(m->ticks().ceil(m->kernel_cost(0, {"add", {{"n", 64}}, DType::f32}).time), 64);
  EXPECT_EQ(m->colours(), 24);
  EXPECT_EQ(m->site_class(0).tiers[0].capacity.value(), 49152);
}

TEST(Wse2, TheWholeWafer) {
  const auto m = load("wse2");
  EXPECT_EQ(m->sites(), 745500U);
  std::size_t shown = 0;
  for (const Link& l : m->links()) shown += m->link_classes()[l.cls].injection ? 0U : 1U;
  EXPECT_EQ(shown, 2U * (750 * 993 + 749 * 994));
  EXPECT_EQ(m->diameter_hops(), 749 + 993);
  EXPECT_EQ(m->site_name(745499), "pe[749][993]");
  EXPECT_EQ(route(*m, 0, 745499).size(), 749U + 993 + 2);
}

TEST(Examples, ShiftCores) {
  const auto m = load(example("shift-cores"));
  const auto links = route(*m, 3, 2);
  EXPECT_EQ(m->ticks().ceil(Seconds(latency(*m, links))), 2);
  EXPECT_EQ(m->ticks().ceil(m->link_class(links[0]).service_time(Bytes(32))), 8);
  EXPECT_EQ(m->ticks().ceil(m->kernel_cost(0, {"matmul", {{"m", 1}, {"k", 16}, {"n", 1}}, DType::f16}).time), 16);
  EXPECT_EQ(m->ticks().ceil(m->barrier_time(8)), 10);
  EXPECT_FALSE(m->overlaps());
}

TEST(Examples, TwoNodes) {
  const auto m = load(example("two-nodes"));
  EXPECT_EQ(m->fabric_between(0, 2), "infiniband");
  EXPECT_DOUBLE_EQ(m->link_class(route(*m, 0, 2)[0]).service_time(Bytes(8'000'000)).value(), 160e-6);
  EXPECT_DOUBLE_EQ(m->link_class(route(*m, 0, 1)[0]).service_time(Bytes(500'000)).value(), 1.25e-6);
}

TEST(Examples, CircuitsAreTakenOnlyByName) {
  const auto m = load(example("racks"));
  const auto circuit = route(*m, 0, 2, "ocs:0-2"), spine = route(*m, 0, 2, "spine"), own = route(*m, 0, 2);
  ASSERT_EQ(circuit.size(), 1U);
  EXPECT_TRUE(m->link_class(circuit[0]).circuit);
  EXPECT_TRUE(is_path(*m, 2, 0, route(*m, 2, 0, "ocs:0-2")));
  EXPECT_TRUE(route(*m, 0, 2, "ocs:0-1").empty());
  EXPECT_TRUE(route(*m, 0, 2, "ocs").empty());
  EXPECT_EQ(spine.size(), 2U);
  EXPECT_EQ(own, spine);
  EXPECT_EQ(m->fabric_between(0, 2), "spine");
  EXPECT_DOUBLE_EQ(m->reconfigure_time().value(), 25e-6);
}

TEST(CommandLine, SetSpeaksOfTheWholeMachine) {
  LoadOptions o;
  o.set = {{"hbm.bandwidth", "16 TB/s"}, {"nvlink.bandwidth", "900 GB/s"}};
  const auto m = load("dgx-h100*2", o);
  EXPECT_DOUBLE_EQ(m->site_class(0).tiers[0].bandwidth.value(), 1e12);
  EXPECT_DOUBLE_EQ(m->link_class(route(*m, 0, 1)[0]).bandwidth.value(), 900e9);
  const Kernel copy{"copy", {{"bytes", 1000000000}}, DType::u8};
  EXPECT_GT(m->kernel_cost(0, copy).time, load("dgx-h100")->kernel_cost(0, copy).time);
  LoadOptions w;
  w.set = {{"colours", "8"}, {"hop.latency", "2 cycles"}};
  w.shape = {8};
  const auto wafer = load("wse2", w);
  EXPECT_EQ(wafer->colours(), 8);
  EXPECT_EQ(wafer->ticks().ceil(Seconds(latency(*wafer, route(*wafer, 0, 1)))), 5);
  LoadOptions r;
  r.set = {{"circuit.reconfiguration", "1 ms"}};
  EXPECT_DOUBLE_EQ(load(example("racks"), r)->reconfigure_time().value(), 1e-3);
  LoadOptions p;
  p.set = {{"execution.launch", "7 us"}};
  EXPECT_DOUBLE_EQ(load("dgx-h100", p)->launch_time().value(), 7e-6);
}

TEST(CommandLine, Refuses) {
  const auto message = [](const std::string& what, const LoadOptions& o) {
    try {
      (void)load(what, o);
      return std::string("accepted");
    } catch (const Error& e) {
      EXPECT_EQ(e.exit_code(), 2);
      return std::string(e.what());
    }
  };
  const auto set = [](const char* path, const char* value) {
    LoadOptions o;
    o.set = {{path, value}};
    return o;
  };
  LoadOptions shape;
  shape.shape = {4, 4};
  EXPECT_NE(message("dgx-h10", {}).find("dgx-h100"), std::string::npos);
  EXPECT_NE(message("dgx-h100*0", {}).find("joins no machines"), std::string::npos);
  EXPECT_NE(message("dgx-h100*x", {}).find("how many copies"), std::string::npos);
  EXPECT_NE(message("wse2*2", {}).find("no scale-out fabric"), std::string::npos);
  EXPECT_NE(message("dgx-h100", shape).find("no shape"), std::string::npos);
  EXPECT_NE(message("dgx-h100", set("hbm.bandwidth", "16")).find("hbm.bandwidth"), std::string::npos);
  EXPECT_NE(message("dgx-h100", set("hbm.bandwidth", "0 B/s")).find("more than zero"), std::string::npos);
  EXPECT_NE(message("dgx-h100", set("execution.lunch", "1 us")).find("launch"), std::string::npos);
  EXPECT_NE(message("dgx-h100", set("colours", "4")).find("no colours"), std::string::npos);
  shape.shape = {1, 2, 3};
  EXPECT_NE(message("wse2", shape).find("3 extents"), std::string::npos);
}

TEST(LinkClasses, WholeFrames) {
  LinkClass c;
  c.bandwidth = BytesPerSecond(12e9);
  c.framing = {Bytes(12), Seconds(1e-9)};
  EXPECT_DOUBLE_EQ(c.service_time(Bytes(4096)).value(), 342e-9);
  EXPECT_DOUBLE_EQ(c.service_time(Bytes(12)).value(), 1e-9);
  EXPECT_DOUBLE_EQ(c.service_time(Bytes(13)).value(), 2e-9);
  EXPECT_DOUBLE_EQ(c.service_time(Bytes(0)).value(), 0);
}

}  // namespace
}  // namespace weft::machine
