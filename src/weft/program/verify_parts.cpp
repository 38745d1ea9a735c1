#include "weft/program/verify_parts.hpp"

#include <algorithm>
#include <cmath>

namespace weft::program {
namespace {

bool equal(const Part& a, const Part& b) {
  return std::fabs(a.lo - b.lo) < 1e-9 && std::fabs(a.hi - b.hi) < 1e-9;
}

Part nested(const std::vector<Part>& parts) {
  Part all;
  for (const Part& p : parts) {
    const double width = all.hi - all.lo;
    all = {all.lo + width * p.lo, all.lo + width * p.hi};
  }
  return all;
}

bool contains(const std::vector<Part>& parts, const Part& wanted) {
  return std::ranges::any_of(parts, [&](const Part& p) { return equal(p, wanted); });
}

/// Each of `some` is one of `all`, used once.
bool among(const std::vector<Part>& some, std::vector<Part> all) {
  for (const Part& p : some) {
    const auto found = std::ranges::find_if(all, [&](const Part& q) { return equal(p, q); });
    if (found == all.end()) return false;
    all.erase(found);
  }
  return true;
}

}  // namespace

bool parts_of(std::span<const std::int64_t> box, std::span<const std::int64_t> whole, std::vector<Part>& out) {
  out.clear();
  for (std::size_t k = 0; k < box.size(); k += 2) {
    const std::int64_t lo = std::max(box[k], whole[k]), hi = std::min(box[k + 1], whole[k + 1]);
    if (lo >= hi) return false;
    if (lo == whole[k] && hi == whole[k + 1]) continue;
    const auto length = static_cast<double>(whole[k + 1] - whole[k]);
    out.push_back({static_cast<double>(lo - whole[k]) / length, static_cast<double>(hi - whole[k]) / length});
  }
  return true;
}

bool parts_correspond(const std::vector<Part>& input, const std::vector<Part>& output) {
  if (among(input, output)) return true;
  if (contains(output, nested(input))) return true;
  return input.size() == 1 && equal(input.front(), nested(output));
}

}  // namespace weft::program
