#include "weft/machine/tiles.hpp"

#include <algorithm>
#include <cmath>

namespace weft::machine {
namespace {

double combine(double a, double b, double p) {
  const double larger = std::max(a, b), smaller = std::min(a, b);
  if (smaller <= 0) return larger;
  return larger * std::pow(1 + std::pow(smaller / larger, p), 1 / p);
}

ProductTime with(const TileFit& fit, const Product& x, const TileFit::Tile& tile, double splits) {
  const double blocks = std::ceil(x.m / tile.m) * std::ceil(x.n / tile.n) * x.batch * splits;
  const double waves = std::ceil(blocks / fit.cores);
  const double efficiency = fit.core_efficiency / (1 + fit.tile_overhead * (1 / tile.m + 1 / tile.n));
  const double each = 2 * tile.m * tile.n * (x.k / splits + fit.k_overhead) / (x.peak / fit.cores * efficiency);
  ProductTime t;
  t.compute = waves * each;
  t.compute *= (1 + fit.power_drop * t.compute / (t.compute + fit.power_time)) / x.faster;
  const double partial = splits > 1 ? 8 * splits * x.m * x.n * x.batch : 0;
  const double filled = std::min(1.0, blocks / fit.blocks_to_fill);
  if (x.bandwidth > 0) t.memory = (x.traffic + partial) / (x.bandwidth * fit.memory_efficiency * filled);
  t.time = combine(t.compute, t.memory, fit.overlap_power);
  return t;
}

}  // namespace

ProductTime product_time(const TileFit& fit, const Product& product) {
  ProductTime best;
  bool first = true;
  for (const TileFit::Tile& tile : fit.tiles) {
    for (std::int64_t s = 1; s <= fit.most_splits; s = s < 4 ? s + 1 : s * 2) {
      const ProductTime t = with(fit, product, tile, static_cast<double>(s));
      if (first || t.time < best.time) best = t;
      first = false;
    }
  }
  if (fit.conversion > 0) {
    const double convert = product.m * product.k * product.batch / fit.conversion;
    best.memory += convert;
    best.time += convert;
  }
  return best;
}

}  // namespace weft::machine
