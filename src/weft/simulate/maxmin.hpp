// Weighted max-min fair sharing, recomputed only where something changed.
//
// Resources r have one unit of time a tick. An active user u with weight w_u has one rate x_u (bytes a tick) and draws a_ur
// ticks a byte on each resource of its fixed list. The allocation is the unique x with
//   sum_u a_ur x_u <= 1 for each r,   and for each u a resource r on its list that is full and where x_u / w_u is largest.
// Found by progressive filling: raise all x_u = level * w_u together, freeze the users of each resource as it fills.
//
// Change. Activation and departure mark their resources. Only users whose bottleneck was marked can be the first to change, so
// solve() refills those against the rates of all others, and then looks at the resources that they touch: a user there whose
// own bottleneck is no longer full, or no longer gives it the largest share, or whose share is larger than that of a resource
// now full, joins in, and the filling is repeated. When nobody joins, every user has a full resource where its share is largest:
// the definition, and the allocation is unique. Where the change spreads over many rounds the whole connected part is refilled.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace weft::simulate {

class MaxMin {
 public:
  struct Use {
    std::uint32_t resource = 0;
    double per_byte = 0;  ///< ticks of the resource a byte; > 0
  };
  /// Uses of user u: uses[first[u] .. first[u+1]). Every user needs at least one. Copies nothing: the spans must stay.
  MaxMin(std::uint32_t resources, std::span<const std::uint32_t> first, std::span<const Use> uses,
         std::span<const double> weights);

  void activate(std::uint32_t user);
  void deactivate(std::uint32_t user);
  bool active(std::uint32_t user) const { return active_[user]; }
  double rate(std::uint32_t user) const { return rate_[user]; }
  /// Resource that bounds the user's rate.
  std::uint32_t bottleneck(std::uint32_t user) const { return bottleneck_[user]; }

  /// Refills; calls changed(user) for every active user whose rate is not what it was, in the order of their numbers.
  template <class F>
  void solve(F&& changed) {
    if (dirty_.empty()) return;
    refill();
    for (std::uint32_t u : changed_) changed(u);
  }

 private:
  void mark(std::uint32_t user);
  void refill();
  void refill_alone(std::uint32_t user);
  void begin_local();
  void join(std::uint32_t user);
  void collect_part();
  void gather_resources();
  void fill();
  bool find_joiners();
  void finish();
  bool settled(std::uint32_t resource);
  double share(std::uint32_t user) const { return rate_[user] / weight_[user]; }
  void freeze(std::uint32_t user, std::uint32_t resource, double level);
  double level(std::uint32_t resource) const;

  std::span<const std::uint32_t> first_;
  std::span<const Use> uses_;
  std::span<const double> weight_;
  std::vector<std::vector<std::uint32_t>> users_;  ///< active uses (indices into uses_) of each resource
  std::vector<std::uint32_t> position_;            ///< of each use in its resource's list
  std::vector<std::uint32_t> owner_;               ///< user of each use
  std::vector<char> active_, marked_, seen_resource_, in_part_;
  std::vector<double> rate_;
  std::vector<std::uint32_t> bottleneck_;
  std::vector<std::uint32_t> dirty_, part_resources_, part_users_, changed_, joiners_;
  std::vector<double> left_, demand_, old_;  ///< per resource while filling: time left, sum of w a of users not frozen
  std::vector<std::uint32_t> open_;          ///< per resource: users not frozen
  std::vector<char> frozen_;
};

}  // namespace weft::simulate
