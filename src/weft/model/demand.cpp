#include "weft/model/demand.hpp"

#include <cmath>

#include <fmt/format.h>

#include "weft/core/error.hpp"

namespace weft::model {

double hit_probability(std::int64_t experts, std::int64_t top_k, std::int64_t set) {
  double miss = 1;  // C(E-c, k) / C(E, k), factor by factor
  for (std::int64_t i = 0; i < top_k; ++i) {
    const std::int64_t left = experts - set - i;
    if (left <= 0) return 1;
    miss *= static_cast<double>(left) / static_cast<double>(experts - i);
  }
  return 1 - miss;
}

double Demand::rows_per_pair() const {
  return rows_to_group(1);
}

double Demand::rows_to_group(std::int64_t members) const {
  return tokens * hit_probability(experts, top_k, members * experts_per_rank());
}

double Demand::ranks_per_token() const {
  return static_cast<double>(ranks) * hit_probability(experts, top_k, experts_per_rank());
}

double Demand::active_experts() const {
  const double share = static_cast<double>(top_k) / static_cast<double>(experts);
  const double all_tokens = tokens * static_cast<double>(ranks);
  return static_cast<double>(experts_per_rank()) * (1 - std::pow(1 - share, all_tokens));
}

Demand uniform_demand(std::int64_t experts, std::int64_t top_k, std::int64_t ranks, double tokens) {
  if (ranks < 1 || experts % ranks != 0) {
    throw usage_error(fmt::format("{} experts do not divide over ep={}", experts, ranks),
                      "ep must divide the number of experts");
  }
  return {experts, top_k, ranks, tokens};
}

Demand expected_demand(const std::string& routing, std::int64_t experts, std::int64_t top_k, std::int64_t ranks,
                       double tokens) {
  if (routing != "uniform") {
    throw usage_error(fmt::format("routing '{}' has no expected table", routing),
                      "a step is compiled for --routing uniform");
  }
  return uniform_demand(experts, top_k, ranks, tokens);
}

Bytes row_bytes(double rows, Bytes row) {
  const double exact = rows * static_cast<double>(row.value());
  const double nearest = std::round(exact);
  return Bytes(
      static_cast<std::int64_t>(std::fabs(exact - nearest) <= 1e-9 * std::fmax(1, exact) ? nearest : std::ceil(exact)));
}

}  // namespace weft::model
