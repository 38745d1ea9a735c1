// full-mesh: a link from every end to every other. Link of a -> b: a (n-1) + b - (b > a).
#include "weft/core/error.hpp"
#include "weft/core/registry.hpp"
#include "weft/machine/fabric.hpp"

namespace weft::machine {
namespace {

constexpr std::uint32_t kMostEnds = 4096;

class FullMesh final : public Fabric {
 public:
  explicit FullMesh(FabricInput& input) {
    cls_ = input.link_class(input.reader, "link", input.name);
    relays_ = input.reader.optional<bool>("relay", false);
  }
  void prepare(std::uint32_t ends) override {
    if (ends > kMostEnds) {
      throw input_error("a full mesh of " + std::to_string(ends) + " ends has more than 16 million links", {},
                        "a switch or an exchange has two links an end");
    }
  }
  std::uint32_t own_nodes(std::uint32_t) const override { return 0; }
  void build(Graph& graph, std::span<const NodeId> ends, const FabricInstance&) const override {
    for (const NodeId a : ends) {
      for (const NodeId b : ends) {
        if (a != b) graph.link(a, b, cls_);
      }
    }
  }
  bool route(const FabricInstance& self, std::uint32_t a, std::uint32_t b, std::vector<LinkId>& out) const override {
    out.push_back(self.first_link + a * (self.ends - 1) + b - (b > a ? 1 : 0));
    return true;
  }
  std::string node_name(std::uint32_t) const override { return {}; }
  double bisection(std::uint32_t n, std::span<const LinkClass> classes) const override {
    const std::uint32_t half = n / 2;  // links from one half to the other
    return classes[cls_].bandwidth.value() * static_cast<double>(half) * static_cast<double>(n - half);
  }
  int diameter(std::uint32_t ends) const override { return ends > 1 ? 1 : 0; }
  bool exchangeable() const override { return !relays_; }
  bool relays() const override { return relays_; }

 private:
  ClassId cls_ = 0;
  bool relays_ = false;
};

const Registry<FabricKind>::Entry kFullMesh{
    "full-mesh",
    "a direct link between every two ends",
    {[](FabricInput& i) { return std::make_unique<FullMesh>(i); }},
    {{"link", "class of every link"}, {"relay", "may an end pass messages on round a failed link", "false"}}};

}  // namespace
}  // namespace weft::machine
