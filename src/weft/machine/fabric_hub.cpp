#include "weft/machine/fabric_hub.hpp"

#include <algorithm>

#include "weft/core/error.hpp"

namespace weft::machine {

std::vector<std::uint32_t> rotate_by_one(std::uint32_t n) {
  std::vector<std::uint32_t> image(n);
  for (std::uint32_t i = 0; i < n; ++i) image[i] = (i + 1) % n;
  return image;
}

std::vector<std::vector<std::uint32_t>> Fabric::rotations(std::uint32_t ends) const {
  return {rotate_by_one(ends)};
}

HubFabric::HubFabric(FabricInput& input) {
  port_ = input.link_class(input.reader, "link", input.name);
  hub_name_ = input.reader.optional<std::string>("hub", input.name + "-hub");
  for (ObjectReader& e : input.reader.list_or_empty("except")) {
    Exception exception;
    exception.ends = e.values<std::uint32_t>("ends");
    exception.cls = input.link_class(e, "link", input.name + "-except");
    except_.push_back(std::move(exception));
  }
}

ClassId HubFabric::class_of(std::uint32_t end) const {
  for (const Exception& e : except_) {
    if (std::find(e.ends.begin(), e.ends.end(), end) != e.ends.end()) return e.cls;
  }
  return port_;
}

void HubFabric::build(Graph& graph, std::span<const NodeId> ends, const FabricInstance& self) const {
  for (const Exception& e : except_) {
    for (const std::uint32_t end : e.ends) {
      if (end >= ends.size()) {
        throw input_error("`except` names end " + std::to_string(end) + " of " + std::to_string(ends.size()));
      }
    }
  }
  for (std::uint32_t i = 0; i < ends.size(); ++i) {
    graph.link(ends[i], self.first_node, class_of(i));
    graph.link(self.first_node, ends[i], class_of(i));
  }
}

double HubFabric::bisection(std::uint32_t ends, std::span<const LinkClass> classes) const {
  std::vector<double> ports(ends);
  for (std::uint32_t i = 0; i < ends; ++i) ports[i] = classes[class_of(i)].bandwidth.value();
  std::sort(ports.begin(), ports.end());
  double slowest_half = 0;
  for (std::uint32_t i = 0; i < ends / 2; ++i) slowest_half += ports[i];
  return slowest_half;
}

}  // namespace weft::machine
