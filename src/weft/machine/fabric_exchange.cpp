// exchange: the all-to-all network inside a chip of many cores (bulk-synchronous: programs put barriers between steps).
// In the graph it is a hub like a switch; its ports are what limits it.
#include "weft/core/registry.hpp"
#include "weft/machine/fabric_hub.hpp"

namespace weft::machine {
namespace {

const Registry<FabricKind>::Entry kExchange{"exchange",
                                            "all-to-all exchange of a many-core chip, limited by its ports",
                                            {[](FabricInput& i) { return std::make_unique<HubFabric>(i); }},
                                            {{"link", "class of every port"},
                                             {"hub", "name of the exchange", "NAME-hub"},
                                             {"except", "ports of another class", "none"}}};

}  // namespace
}  // namespace weft::machine
