// What a kernel costs at a site of one class. A model is one file which registers itself (Registry<CostModelKind>); the
// machine file chooses one for each kernel operation and gives its figures.
//
// Contract of every model: the three parts are >= 0 and time >= each part; time falls or stays when a scale rises.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "weft/core/node.hpp"
#include "weft/machine/kernel.hpp"
#include "weft/machine/machine.hpp"

namespace weft::machine {

inline constexpr std::size_t kDTypes = 10;

/// Peaks of a site class: operations a second by number type (0: not supported), and its first memory tier.
struct SiteFigures {
  std::array<double, kDTypes> matrix{}, vector{};
  double memory = 0;  ///< bytes a second of the first tier; 0: never a limit
  double peak(DType type) const;
};

struct CostRequest {
  const Kernel& kernel;
  KernelWork work;
  const SiteFigures& site;
  KernelScale scale;
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  virtual KernelCost cost(const CostRequest& request) const = 0;
};

struct CostModelKind {
  std::function<std::shared_ptr<const CostModel>(ObjectReader&)> make;
};

/// Seconds of `flops` at the site's rate for the kernel's type; throws an input Error where it has none.
double compute_seconds(const CostRequest& request, double efficiency);
/// Seconds of the work's least traffic.
double memory_seconds(const CostRequest& request, double efficiency);

/// A share in (0, 1]; a fault otherwise.
double read_efficiency(ObjectReader& reader, std::string_view key);

}  // namespace weft::machine
