// tiles: matrix products on a device of many matrix cores; see tiles.hpp for the mathematics. Several `fits` may stand in
// the list, each for the number types that it names; a type that none names uses the first.
//
// grouped-gemm is priced as `groups` products of the mean number of rows each, all in one launch.
#include <algorithm>
#include <cmath>

#include "weft/core/registry.hpp"
#include "weft/machine/kernel_ops.hpp"
#include "weft/machine/tiles.hpp"

namespace weft::machine {
namespace {

double positive(ObjectReader& r, std::string_view key) {
  const double value = r.number(key);
  if (r.has(key) && !(value > 0 && value < 1e15)) r.fault_at(key, "not a number above zero");
  return value > 0 ? value : 1;
}

double not_negative(ObjectReader& r, std::string_view key) {
  const double value = r.number(key);
  if (r.has(key) && !(value >= 0 && value < 1e15)) r.fault_at(key, "a negative number");
  return value >= 0 ? value : 0;
}

class Tiles final : public CostModel {
 public:
  explicit Tiles(ObjectReader& r) {
    TileFit shared;
    shared.cores = positive(r, "cores");
    shared.most_splits = r.integer("most_splits");
    if (shared.most_splits < 1 || shared.most_splits > 64) r.fault_at("most_splits", "not within 1 .. 64");
    for (const std::string& text : r.values<std::string>("tiles")) shared.tiles.push_back(tile(r, text));
    for (ObjectReader& f : r.list("fits")) fits_.push_back(read(f, shared));
    if (fits_.empty() && r.has("fits")) r.fault_at("fits", "no fit");
    if (shared.tiles.empty() && r.has("tiles")) r.fault_at("tiles", "no tile", "e.g. [128x128]");
  }

  KernelCost cost(const CostRequest& request) const override {
    const TileFit& fit = fit_for(request.kernel.dtype);
    const auto type = static_cast<std::size_t>(request.kernel.dtype);
    const double peak = request.site.matrix[type] > 0 ? request.site.matrix[type] : request.site.vector[type];
    if (!(peak > 0)) (void)compute_seconds(request, 1);  // says what is missing
    Product x;
    const Kernel& kernel = request.kernel;
    x.n = static_cast<double>(kernel.dim("n"));
    x.k = static_cast<double>(kernel.dim("k"));
    x.batch = static_cast<double>(kernel.dim("batch"));
    x.m = static_cast<double>(kernel.dim("m"));
    if (kernel.op == "grouped-gemm") {
      x.batch = std::max(1.0, std::min(x.m, static_cast<double>(kernel.dim("groups"))));
      x.m = std::ceil(x.m / x.batch);
    }
    x.traffic = request.work.read_bytes + request.work.written_bytes;
    x.peak = peak;
    x.faster = request.scale.compute;
    x.bandwidth = request.site.memory * request.scale.memory;
    const double floor = fit.floor / request.scale.floor;
    const bool empty = request.work.flops <= 0;
    const ProductTime t = empty ? ProductTime{} : product_time(fit, x);
    return {Seconds(floor + t.time), Seconds(t.compute), Seconds(t.memory), Seconds(floor)};
  }

 private:
  static TileFit::Tile tile(ObjectReader& r, const std::string& text) {
    const std::size_t cross = text.find('x');
    const auto number = [&](const std::string& part) {
      const bool digits = !part.empty() && part.size() < 6 && part.find_first_not_of("0123456789") == std::string::npos;
      return digits ? std::stod(part) : 0.0;
    };
    const double m = cross == std::string::npos ? 0 : number(text.substr(0, cross));
    const double n = cross == std::string::npos ? 0 : number(text.substr(cross + 1));
    if (m < 1 || n < 1) r.fault_at("tiles", "'" + text + "' is no tile", "ROWSxCOLUMNS, e.g. 128x256");
    return {std::max(1.0, m), std::max(1.0, n)};
  }

  TileFit read(ObjectReader& f, TileFit fit) {
    for (const std::string& name : f.values<std::string>("types")) {
      const auto type = find_dtype(name);
      if (!type) f.fault_at("types", "unknown number type '" + name + "'");
      if (type) fit_of_[static_cast<std::size_t>(*type)] = fits_.size();
    }
    fit.core_efficiency = read_efficiency(f, "core_efficiency");
    fit.tile_overhead = not_negative(f, "tile_overhead");
    fit.k_overhead = not_negative(f, "k_overhead");
    fit.memory_efficiency = read_efficiency(f, "memory_efficiency");
    fit.blocks_to_fill = positive(f, "blocks_to_fill");
    fit.overlap_power = positive(f, "overlap_power");
    fit.power_drop = not_negative(f, "power_drop");
    fit.power_time = f.required<Seconds>("power_time").value();
    fit.floor = f.required<Seconds>("floor").value();
    fit.conversion = f.has("conversion") ? positive(f, "conversion") : 0;
    if (fit.floor > 1000) f.fault_at("floor", "a time above 1000 s", "is the unit right?");
    if (f.has("power_time") && !(fit.power_time > 0)) f.fault_at("power_time", "no time");
    return fit;
  }

  const TileFit& fit_for(DType type) const { return fits_[fit_of_[static_cast<std::size_t>(type)]]; }

  std::vector<TileFit> fits_;
  std::array<std::size_t, kDTypes> fit_of_{};
};

const Registry<CostModelKind>::Entry kTiles{
    "tiles",
    "matrix products: tile and wave quantisation, memory filled by blocks in flight, power limit, launch floor",
    {[](ObjectReader& r) { return std::make_shared<Tiles>(r); }},
    {{"cores", "matrix cores of the device"},
     {"tiles", "output tiles that the library offers"},
     {"most_splits", "parts that k may be cut into"},
     {"fits", "parameters of tiles.hpp by number type"}}};

}  // namespace
}  // namespace weft::machine
