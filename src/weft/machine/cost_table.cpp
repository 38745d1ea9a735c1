// table: measured points over one dimension of the kernel, the others as they were measured. Between two points the time
// is interpolated on logarithms; beyond them it grows with the work (points above) or stays (points below).
#include <algorithm>
#include <cmath>

#include "weft/core/registry.hpp"
#include "weft/machine/cost.hpp"

namespace weft::machine {
namespace {

class MeasuredTable final : public CostModel {
 public:
  explicit MeasuredTable(ObjectReader& r) : dim_(r.string("dimension")) {
    for (ObjectReader& p : r.list("points")) {
      const auto at = static_cast<double>(p.required<std::int64_t>("at"));
      const double time = p.required<Seconds>("time").value();
      if (p.has("at") && !(at > 0)) p.fault_at("at", "not above zero");
      if (p.has("time") && !(time > 0)) p.fault_at("time", "not above zero");
      if (!points_.empty() && at <= points_.back().first) p.fault_at("at", "points must ascend");
      points_.emplace_back(at, time);
    }
    if (points_.empty() && r.has("points")) r.fault_at("points", "no point");
  }

  KernelCost cost(const CostRequest& request) const override {
    const auto x = static_cast<double>(request.kernel.dim(dim_, 0));
    if (!(x > 0)) {
      throw input_error("kernel '" + request.kernel.op + "' lacks the dimension '" + dim_ + "' that its table is over");
    }
    const double time = at(x) / request.scale.compute;
    return {Seconds(time), Seconds(time), Seconds(0), Seconds(0)};
  }

 private:
  double at(double x) const {
    if (x <= points_.front().first) return points_.front().second;
    if (x >= points_.back().first) return points_.back().second * x / points_.back().first;
    const auto above = std::upper_bound(points_.begin(), points_.end(), x,
                                        [](double v, const std::pair<double, double>& p) { return v < p.first; });
    const auto& [x1, t1] = *above;
    const auto& [x0, t0] = *(above - 1);
    return t0 * std::pow(t1 / t0, std::log(x / x0) / std::log(x1 / x0));
  }

  std::string dim_;
  std::vector<std::pair<double, double>> points_;
};

const Registry<CostModelKind>::Entry kTable{"table",
                                            "measured points over one dimension, interpolated",
                                            {[](ObjectReader& r) { return std::make_shared<MeasuredTable>(r); }},
                                            {{"dimension", "name of the dimension"}, {"points", "at, time"}}};

}  // namespace
}  // namespace weft::machine
