// Edges of the graph: the binding rules of program.hpp, seen through a fold.
#pragma once
#include "weft/simulate/graph.hpp"

namespace weft::simulate {

/// Fills in nodes of kind join, `after` edges and streams of a graph that has its member nodes (node id = orbit).
void connect(const program::Expansion& expansion, const machine::Machine& machine, const Fold& fold, Graph& graph);

}  // namespace weft::simulate
