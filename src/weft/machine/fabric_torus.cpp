// torus: a grid that wraps round in every dimension, dimension order, the shorter way, ties upwards.
#include "weft/core/registry.hpp"
#include "weft/machine/grid.hpp"

namespace weft::machine {
namespace {

const Registry<FabricKind>::Entry kTorus{
    "torus",
    "a grid that wraps round, dimension order, the shorter way",
    {[](FabricInput& i) { return std::make_unique<Grid>(i, Grid::Wrap::all, false); }, true},
    {{"shape", "extents, rows first"},
     {"link", "class of the links between neighbours"},
     {"ramp-up", "class from an end to its router", "the end is its own router"},
     {"ramp-down", "class from a router to its end", "the end is its own router"}}};

}  // namespace
}  // namespace weft::machine
