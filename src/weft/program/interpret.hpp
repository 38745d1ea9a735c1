// Interpret: runs a Program on real numbers, in list order, without any machine or time.
//
// Understands move, multicast, reduce, add, copy, and every compute whose output has an einsum meaning; other kernels have no
// numbers and are refused by name. Meant for small cases: the independent witness beside verify's fingerprints.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "weft/program/expand.hpp"

namespace weft::program {

/// A dense array in row-major order over the tensor's shape; cells never written are NaN.
using Array = std::vector<double>;

struct Interpretation {
  /// Contents of (buffer name, site) at the end.
  std::map<std::pair<std::string, SiteId>, Array> memory;
};

/// `initial(tensor name, site, cell)` gives the starting number of each cell placed by a start; a replicated tensor asks with
/// each site, so a caller that wants equal copies ignores the site.
Interpretation interpret(const Expansion& expansion,
                         const std::function<double(const std::string&, SiteId, std::int64_t)>& initial);

}  // namespace weft::program
