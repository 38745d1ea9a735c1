// Lifetimes: which bytes lie in which memory from when to when, by tasks and not by time.
//
// A cell that tasks write lives from the start of its first writer to the end of its last user: the last writer and
// those that read it since (earlier ones are ordered before these, or verify has refused the Program). What starts
// somewhere lies there for the whole step, what the program's goal requires there to its end. A block's goal holds
// nothing: who needs it later reads it. Only places (a tier at a site) where the sum of everything exceeds the capacity
// are looked at more closely: most have room.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/verify_cells.hpp"

namespace weft::program {

class Walk;

struct Lifetimes {
  /// Cells with the same first writer and the same last users.
  struct Row {
    std::uint32_t first = 0;            ///< member that starts it
    std::uint32_t from = 0, count = 0;  ///< its last users: into `users`
    bool to_end = false;                ///< the goal requires it
    double bytes = 0;
  };
  struct Place {
    SiteId site = 0;
    std::uint32_t tier = 0;
    double always = 0;                  ///< bytes that start there
    double sum = 0;                     ///< and everything ever written
    std::int64_t capacity = 0;          ///< 0: unlimited
    std::uint32_t from = 0, count = 0;  ///< its rows, by first writer; none where the sum fits
    bool crowded() const { return capacity > 0 && sum > static_cast<double>(capacity); }
  };
  std::vector<Place> places;  ///< those that hold anything, by site and tier
  std::vector<Row> rows;
  std::vector<std::uint32_t> users;

  std::span<const Row> rows_of(const Place& place) const { return {rows.data() + place.from, place.count}; }
  std::span<const std::uint32_t> users_of(const Row& row) const { return {users.data() + row.from, row.count}; }
};

/// Of a walk that has ended without a fault and kept its readers.
Lifetimes lifetimes_of(const Expansion& e, const machine::Machine& m, const Walk& walk,
                       const std::vector<Cells>& cells);
/// The same from the beginning, without checking anything: of a Program that is verified.
Lifetimes lifetimes_of(const Expansion& e, const machine::Machine& m);

/// Bytes rounded up, forgiving what a sum of fractions has lost.
std::int64_t whole_bytes(double bytes);

}  // namespace weft::program
