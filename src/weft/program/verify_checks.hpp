// The parts of verify that do not follow values: form, deadlock, circuits and memory.
#pragma once
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/verify.hpp"
#include "weft/program/verify_cells.hpp"
#include "weft/program/verify_lifetimes.hpp"
#include "weft/program/verify_order.hpp"
#include "weft/program/verify_walk.hpp"

namespace weft::program {

/// Links of a move's route or tree, each once.
void links_of(const Expansion& e, const machine::Machine& m, const Task& task, const Member& member,
              std::vector<machine::LinkId>& out);

/// Every member of every round: tiers at both ends, a way (for the first 50,000 pairs of sites, then one a task and
/// round), a transport that exists and serves the fabric between the ends, circuits that exist, no more lanes at a
/// router than it tells apart. One fault a task. Shapes, sites and negative lanes are the expansion's to refuse.
void check_form(const Expansion& e, const machine::Machine& m, std::size_t most, std::vector<PlacedFault>& out);

/// A cycle among starts and ends of tasks (verify.hpp). Only where a finite window or a lane used by several moves could close
/// one: edges alone point back and cannot.
void check_deadlock(const Expansion& e, const machine::Machine& m, std::vector<PlacedFault>& out);

/// Every move over a circuit is ordered after the reconfigure that raises it and before the one that drops it.
void check_circuits(const Expansion& e, Order& order, std::size_t most, std::vector<PlacedFault>& out);

/// Fills memory and memory_proved; a fault where what must be alive together does not fit (verify_memory.cpp).
void check_memory(const Expansion& e, const machine::Machine& m, Order& order, const Lifetimes& lives, Verdict& verdict,
                  std::vector<PlacedFault>& out);

}  // namespace weft::program
