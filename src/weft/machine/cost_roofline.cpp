// roofline: time = floor + max(flops / (peak x compute_efficiency), bytes / (bandwidth x memory_efficiency)).
// `sequential: true` adds the two instead of taking the larger (cores that load, then compute).
#include <algorithm>
#include <string>

#include "weft/core/registry.hpp"
#include "weft/machine/cost.hpp"

namespace weft::machine {

double SiteFigures::peak(DType type) const {
  const auto i = static_cast<std::size_t>(type);
  return std::max(matrix[i], vector[i]);
}

double compute_seconds(const CostRequest& request, double efficiency) {
  if (request.work.flops <= 0) return 0;
  const auto type = static_cast<std::size_t>(request.kernel.dtype);
  const double matrix = request.site.matrix[type] > 0 ? request.site.matrix[type] : request.site.vector[type];
  const double vector = request.site.vector[type] > 0 ? request.site.vector[type] : request.site.matrix[type];
  if (matrix <= 0) {
    throw input_error("the machine gives no rate for " + std::string(name(request.kernel.dtype)) + " (kernel '" +
                          request.kernel.op + "')",
                      {}, "add it under `rates` of the component, or choose another number type");
  }
  const double other = request.work.flops - request.work.matrix_flops;
  return (request.work.matrix_flops / matrix + other / vector) / (efficiency * request.scale.compute);
}

double memory_seconds(const CostRequest& request, double efficiency) {
  if (request.site.memory <= 0) return 0;
  const double bytes = request.work.read_bytes + request.work.written_bytes;
  return bytes / (request.site.memory * efficiency * request.scale.memory);
}

double read_efficiency(ObjectReader& reader, std::string_view key) {
  const double value = reader.number(key);
  if (reader.has(key) && !(value > 0 && value <= 1)) {
    reader.fault_at(key, "an efficiency of " + std::to_string(value), "a share of the peak: more than 0, at most 1");
    return 1;
  }
  return value;
}

namespace {

class Roofline final : public CostModel {
 public:
  explicit Roofline(ObjectReader& r)
      : compute_(read_efficiency(r, "compute_efficiency")),
        memory_(read_efficiency(r, "memory_efficiency")),
        floor_(r.required<Seconds>("floor").value()),
        sequential_(r.optional<bool>("sequential", false)) {
    if (floor_ > 1000) r.fault_at("floor", "a time above 1000 s", "is the unit right?");
  }

  KernelCost cost(const CostRequest& request) const override {
    const double compute = compute_seconds(request, compute_);
    const double memory = memory_seconds(request, memory_);
    const double floor = floor_ / request.scale.floor;
    const double busy = sequential_ ? compute + memory : std::max(compute, memory);
    return {Seconds(floor + busy), Seconds(compute), Seconds(memory), Seconds(floor)};
  }

 private:
  double compute_, memory_, floor_;
  bool sequential_;
};

const Registry<CostModelKind>::Entry kRoofline{"roofline",
                                               "floor + the longer of compute and memory at fixed efficiencies",
                                               {[](ObjectReader& r) { return std::make_shared<Roofline>(r); }},
                                               {{"compute_efficiency", "share of the peak rate"},
                                                {"memory_efficiency", "share of the memory's bandwidth"},
                                                {"floor", "shortest time of a kernel"},
                                                {"sequential", "add compute and memory", "false"}}};

}  // namespace
}  // namespace weft::machine
