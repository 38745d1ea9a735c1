// The rows of a Timeline's resource table, and the what-if factor of each, found by name.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "weft/program/timeline.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::simulate {

class Rows {
 public:
  explicit Rows(const Options& options) {
    for (const Speedup& s : options.faster) factor_[s.resource] = s.factor;
  }
  /// Index of the named row, made at first use.
  std::uint32_t row(const std::string& name) {
    const auto [it, fresh] = index_.try_emplace(name, static_cast<std::uint32_t>(rows_.size()));
    if (fresh) rows_.push_back({name, 0, 0});
    return it->second;
  }
  double factor(const std::string& name) const {
    const auto it = factor_.find(name);
    return it == factor_.end() ? 1 : it->second;
  }
  std::vector<program::Resource> take() { return std::move(rows_); }
  std::vector<program::Resource>& all() { return rows_; }

 private:
  std::map<std::string, std::uint32_t> index_;
  std::map<std::string, double> factor_;
  std::vector<program::Resource> rows_;
};

}  // namespace weft::simulate
