// Hubs: `switch` and `exchange`. Every end has a port each way to one hub; links are up, down, up, down by end.
// Unequal ports are listed under `except`.
#pragma once
#include "weft/machine/fabric.hpp"

namespace weft::machine {

class HubFabric final : public Fabric {
 public:
  explicit HubFabric(FabricInput& input);
  std::uint32_t own_nodes(std::uint32_t) const override { return 1; }
  void build(Graph& graph, std::span<const NodeId> ends, const FabricInstance& self) const override;
  bool route(const FabricInstance& self, std::uint32_t a, std::uint32_t b, std::vector<LinkId>& out) const override {
    out.push_back(self.first_link + 2 * a);
    out.push_back(self.first_link + 2 * b + 1);
    return true;
  }
  NodeId hub(const FabricInstance& self) const override { return self.first_node; }
  void up(const FabricInstance& self, std::uint32_t a, std::vector<LinkId>& out) const override {
    out.push_back(self.first_link + 2 * a);
  }
  void down(const FabricInstance& self, std::uint32_t a, std::vector<LinkId>& out) const override {
    out.push_back(self.first_link + 2 * a + 1);
  }
  std::string node_name(std::uint32_t) const override { return hub_name_; }
  double bisection(std::uint32_t ends, std::span<const LinkClass> classes) const override;
  int diameter(std::uint32_t ends) const override { return ends > 1 ? 2 : 0; }
  bool exchangeable() const override { return true; }

 private:
  struct Exception {
    std::vector<std::uint32_t> ends;
    ClassId cls = 0;
  };
  ClassId class_of(std::uint32_t end) const;
  ClassId port_ = 0;
  std::string hub_name_;
  std::vector<Exception> except_;
};

}  // namespace weft::machine
