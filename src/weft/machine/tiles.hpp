// Time of a matrix product on a device of many matrix cores (SMs), from the mechanisms that decide it.
//
// m x n x k (times batch) is cut into output tiles of tm x tn, and k into s parts (split-k). With S cores of peak P/S each,
//   waves    W = ceil(ceil(m/tm) ceil(n/tn) batch s / S)                      tile and wave quantisation
//   core     c(tm, tn) = E / (1 + q (1/tm + 1/tn))                            smaller tiles load more for each product
//   compute  C = W 2 tm tn (k/s + k0) / (P/S c)                               k0: filling and draining the pipeline
//   memory   M = (traffic + 8 s m n [s > 1]) / (B u min(1, blocks / b))       b: blocks in flight that fill the memory
//   time     F + (C^p + M^p)^(1/p)
// for the best of the tiles and s that a library would offer. Long products run into the power limit: C grows by the
// factor 1 + d C / (C + D). Inputs that must first be converted (16 to 8 bit) cost m k elements at a rate of their own.
#pragma once
#include <cstdint>
#include <vector>

#include "weft/machine/cost.hpp"

namespace weft::machine {

struct TileFit {
  double cores = 1;  ///< S
  struct Tile {
    double m = 0, n = 0;
  };
  std::vector<Tile> tiles;
  double core_efficiency = 1;    ///< E
  double tile_overhead = 0;      ///< q, elements
  double k_overhead = 0;         ///< k0, elements
  double memory_efficiency = 1;  ///< u
  double blocks_to_fill = 1;     ///< b
  double overlap_power = 4;      ///< p
  double power_drop = 0;         ///< d
  double power_time = 1;         ///< D, seconds
  double floor = 0;              ///< F, seconds
  double conversion = 0;         ///< elements a second; 0: none needed
  std::int64_t most_splits = 1;
};

struct Product {
  double m = 0, n = 0, k = 0, batch = 1;
  double traffic = 0;  ///< bytes
  double peak = 0;     ///< operations a second of the device
  double faster = 1;   ///< what-if on compute alone; the power limit stays as it is
  double bandwidth = 0;
};

/// Parts of the best choice; floor is scaled by the caller.
struct ProductTime {
  double compute = 0, memory = 0, time = 0;
};
ProductTime product_time(const TileFit& fit, const Product& product);

}  // namespace weft::machine
