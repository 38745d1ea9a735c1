// ring: each end has a link to the next and one to the last; the shorter way, ties upwards.
#include "weft/core/registry.hpp"
#include "weft/machine/grid.hpp"

namespace weft::machine {
namespace {

const Registry<FabricKind>::Entry kRing{
    "ring",
    "each end joined to the next, both ways round",
    {[](FabricInput& i) { return std::make_unique<Grid>(i, Grid::Wrap::all, true); }},
    {{"link", "class of every link"}}};

}  // namespace
}  // namespace weft::machine
