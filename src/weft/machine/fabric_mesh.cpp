// mesh: a grid without wrap-around, dimension order X then Y; with `ramp-up` and `ramp-down` each end has a router.
#include "weft/core/registry.hpp"
#include "weft/machine/grid.hpp"

namespace weft::machine {
namespace {

const Registry<FabricKind>::Entry kMesh{
    "mesh",
    "a grid without wrap-around, dimension order",
    {[](FabricInput& i) { return std::make_unique<Grid>(i, Grid::Wrap::none, false); }, true},
    {{"shape", "extents, rows first"},
     {"link", "class of the links between neighbours"},
     {"ramp-up", "class from an end to its router", "the end is its own router"},
     {"ramp-down", "class from a router to its end", "the end is its own router"}}};

}  // namespace
}  // namespace weft::machine
