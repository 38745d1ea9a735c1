// Demand: how many rows a mixture of experts sends where, before any machine is known.
//
// Expected table `uniform`: every token picks k distinct experts of E, all sets equally likely, and rank r of ep holds the E/ep
// consecutive experts from r E/ep on. A set of c experts is hit by a token with probability
//     hit(c) = 1 - C(E-c, k) / C(E, k)
// so a rank sends T hit(E/ep) rows to each rank (a row that two experts of one rank want goes once), T hit(c) rows to a node that
// holds c experts, and computes (T ep) k / ep = T k pairs of a token and an expert. These are means, hence fractions; bytes are
// rounded up once, per message.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/units.hpp"

namespace weft::model {

/// Probability that k distinct experts of `experts`, drawn evenly, include at least one of a given `set` of them.
double hit_probability(std::int64_t experts, std::int64_t top_k, std::int64_t set);

struct Demand {
  std::int64_t experts = 0, top_k = 0, ranks = 1;
  double tokens = 0;  ///< of each rank

  std::int64_t experts_per_rank() const { return experts / ranks; }
  /// Rows from one rank to one rank (its own included).
  double rows_per_pair() const;
  /// Rows from one rank to a group of `members` ranks, each token counted once.
  double rows_to_group(std::int64_t members) const;
  /// (token, expert) pairs that one rank computes.
  double expert_rows() const { return tokens * static_cast<double>(top_k); }
  /// Rows that arrive at one rank from all ranks (tokens counted once a rank).
  double rows_received() const { return rows_per_pair() * static_cast<double>(ranks); }
  /// Mean number of a rank's experts that get any row.
  double active_experts() const;
  /// Mean number of distinct ranks that a token goes to.
  double ranks_per_token() const;
};

/// The table named `uniform`. Throws a usage Error where the experts do not divide over the ranks.
Demand uniform_demand(std::int64_t experts, std::int64_t top_k, std::int64_t ranks, double tokens);

/// By the name given to --routing. Only `uniform` has an expected table; others are refused with what is known.
Demand expected_demand(const std::string& routing, std::int64_t experts, std::int64_t top_k, std::int64_t ranks,
                       double tokens);

/// rows x bytes of a row, rounded up; a value within a billionth of a whole number is that number.
Bytes row_bytes(double rows, Bytes row);

}  // namespace weft::model
