// switch: every end has a port each way to one non-blocking hub.
#include "weft/core/registry.hpp"
#include "weft/machine/fabric_hub.hpp"

namespace weft::machine {
namespace {

const Registry<FabricKind>::Entry kSwitch{"switch",
                                          "one non-blocking hub with a port each way per end",
                                          {[](FabricInput& i) { return std::make_unique<HubFabric>(i); }},
                                          {{"link", "class of every port"},
                                           {"hub", "name of the hub", "NAME-hub"},
                                           {"except", "ports of another class", "none"}}};

}  // namespace
}  // namespace weft::machine
