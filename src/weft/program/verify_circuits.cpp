#include <set>
#include <string>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "weft/program/verify_checks.hpp"

namespace weft::program {
namespace {

class Circuits {
 public:
  Circuits(const Expansion& e, Order& order, std::size_t most, std::vector<PlacedFault>& out)
      : e_(e), order_(order), most_(most), out_(out) {
    for (const std::string& name : e.program->up) {
      states_[name].up = true;
      fabrics_.insert(name.substr(0, name.find(':')));
    }
    for (const Task& task : e.program->tasks) {
      if (reconfigures(task)) fabrics_.insert(task.circuits);
    }
  }

  void check() {
    if (fabrics_.empty()) return;
    for (InstanceId k = 0; k < e_.instances.size() && out_.size() < most_; ++k) {
      const Instance& i = e_.instances[k];
      const Task& task = e_.task(i);
      if (i.count == 0) continue;
      const bool circuit =
          task.via.find(':') != std::string::npos && fabrics_.contains(task.via.substr(0, task.via.find(':')));
      if (task.kind == Kind::move && circuit) {
        for (std::uint32_t m = i.first; m < i.first + i.count && out_.size() < most_; ++m) use(k, m, task.via);
      }
      if (!reconfigures(task)) continue;
      for (const std::string& name : task.drop) drop(k, task.circuits + ":" + name);
      for (const std::string& name : task.raise) raise(k, task.circuits + ":" + name);
    }
  }

 private:
  struct State {
    bool up = false;
    InstanceId by = kNone;  ///< the reconfigure that raised it
    std::vector<std::pair<InstanceId, std::uint32_t>> users;
  };
  static bool reconfigures(const Task& task) {
    return task.kind == Kind::control && task.control == Control::reconfigure;
  }

  void fault(InstanceId i, std::uint32_t member, std::string what) {
    out_.push_back({member, {member_text(e_, i, member), std::move(what), e_.task(e_.instances[i]).line}});
  }
  bool after_raise(const State& state, InstanceId k, std::uint32_t m) {
    return state.by == kNone || order_.ordered(state.by, e_.instances[state.by].first, k, m, true);
  }
  const std::string& raiser(const State& state) const { return e_.task(e_.instances[state.by]).name; }

  void use(InstanceId k, std::uint32_t m, const std::string& name) {
    State& state = states_[name];
    if (!state.up) {
      fault(k, m, fmt::format("circuit {} is not up", name));
    } else if (!after_raise(state, k, m)) {
      fault(k, m, fmt::format("no edge orders it after {}, which raises circuit {}", raiser(state), name));
    }
    state.users.emplace_back(k, m);
  }

  void drop(InstanceId k, const std::string& name) {
    State& state = states_[name];
    const std::uint32_t m = e_.instances[k].first;
    if (!state.up) fault(k, m, fmt::format("drops circuit {}, which is not up", name));
    for (const auto& [user, member] : state.users) {
      if (out_.size() < most_ && !order_.ordered(user, member, k, m, true)) {
        fault(k, m,
              fmt::format("drops circuit {} and no edge orders it after {}, which uses it", name,
                          member_text(e_, user, member)));
      }
    }
    if (!after_raise(state, k, m)) {
      fault(k, m, fmt::format("drops circuit {} and no edge orders it after {}, which raises it", name, raiser(state)));
    }
    state = {false, k, {}};  // raised again only by one that is ordered after this
  }

  void raise(InstanceId k, const std::string& name) {
    State& state = states_[name];
    const std::uint32_t m = e_.instances[k].first;
    if (state.up) fault(k, m, fmt::format("raises circuit {}, which is up", name));
    if (state.by != k && !after_raise(state, k, m)) {
      fault(k, m, fmt::format("raises circuit {} and no edge orders it after {}, which drops it", name, raiser(state)));
    }
    state = {true, k, {}};
  }

  const Expansion& e_;
  Order& order_;
  std::size_t most_;
  std::vector<PlacedFault>& out_;
  absl::flat_hash_map<std::string, State> states_;
  std::set<std::string> fabrics_;
};

}  // namespace

void check_circuits(const Expansion& e, Order& order, std::size_t most, std::vector<PlacedFault>& out) {
  Circuits(e, order, most, out).check();
}

}  // namespace weft::program
