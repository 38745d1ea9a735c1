#include "weft/simulate/graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "weft/core/error.hpp"
#include "weft/program/goals.hpp"
#include "weft/simulate/graph_edges.hpp"
#include "weft/simulate/graph_rows.hpp"

namespace weft::simulate {
namespace {

using machine::LinkClass;
using machine::Machine;
using machine::SiteId;
using program::Expansion;
using program::Instance;
using program::Member;

double ticks_per_byte(const LinkClass& c, double ticks_per_second) {
  if (c.framing.payload.value() > 0)
    return c.framing.time.value() * ticks_per_second / static_cast<double>(c.framing.payload.value());
  return ticks_per_second / c.bandwidth.value();
}

class GraphBuilder {
 public:
  GraphBuilder(const Expansion& e, const Machine& m, const Fold& f, const Options& o, bool software)
      : e_(e), m_(m), f_(f), rows_(o), software_(software), link_resource_(f.link_orbit_size.size(), kNone) {
    g_.clock = m.ticks();
    g_.site_orbits = static_cast<std::uint32_t>(f.site_orbit_size.size());
    g_.overlaps = m.overlaps();
    for (const program::Goal& goal : e.program->goals) {
      if (goal.kind != program::GoalKind::place && goal.kind != program::GoalKind::deliver)
        operation_ = program::operation_size(*e.program, goal);
    }
  }

  Graph build() {
    const std::size_t n = f_.representative.size();
    g_.nodes.reserve(n);
    g_.first_use.assign(1, 0);
    std::uint32_t instance = 0;
    for (std::uint32_t orbit = 0; orbit < n; ++orbit) {
      const std::uint32_t member = f_.representative[orbit];
      while (member >= e_.instances[instance].first + e_.instances[instance].count) ++instance;
      add_node(instance, member, f_.size[orbit]);
    }
    connect(e_, m_, f_, g_);
    g_.rows = rows_.take();
    return std::move(g_);
  }

 private:
  void add_node(std::uint32_t instance, std::uint32_t member, std::uint32_t of) {
    const Instance& i = e_.instances[instance];
    const Member& m = e_.members[member];
    Node n;
    n.instance = instance;
    n.member = member;
    n.bytes = m.bytes;
    uses_.clear();
    alone_ = 0;
    frame_ = {};
    const program::Task& task = e_.task(i);
    switch (task.kind) {
      case program::Kind::compute:
        compute(i, m, n);
        break;
      case program::Kind::move:
        move(task, m, of, n);
        break;
      case program::Kind::control:
        control(task, m, n);
        break;
    }
    g_.weight.push_back(task.kind == program::Kind::move && weighted_ ? task.weight : 1);
    g_.frames.push_back(frame_);
    g_.alone.push_back(alone_);
    g_.of.push_back(of);
    g_.uses.insert(g_.uses.end(), uses_.begin(), uses_.end());
    g_.first_use.push_back(static_cast<std::uint32_t>(g_.uses.size()));
    g_.nodes.push_back(n);
  }

  void compute(const Instance& i, const Member& m, Node& n) {
    const machine::SiteClass& site = m_.site_class(m.src);
    const std::string compute_row = site.name + " compute";
    const std::string memory_row = site.name + " " + (site.tiers.empty() ? "memory" : site.tiers.front().name);
    const std::string floor_row = site.name + " kernel floor";
    const machine::KernelScale scale{rows_.factor(compute_row), rows_.factor(memory_row), rows_.factor(floor_row)};
    const machine::KernelCost cost = m_.kernel_cost(m.src, program::kernel_of(e_, i, m), scale);
    n.kind = Node::Kind::compute;
    n.site = f_.site_orbit[m.src];
    n.duration = g_.clock.ceil(cost.time);
    const std::string* row = &compute_row;
    if (cost.memory > cost.compute) row = &memory_row;
    if (cost.floor > std::max(cost.memory, cost.compute)) row = &floor_row;
    n.charge = rows_.row(*row);
    if (sites_seen_.insert({n.charge, n.site}).second) rows_.all()[n.charge].members += f_.site_orbit_size[n.site];
  }

  void control(const program::Task& task, const Member& m, Node& n) {
    n.kind = Node::Kind::control;
    Seconds cost{0};
    std::string row;
    if (task.control == program::Control::barrier) {
      const std::size_t sites = m.list == program::kNone ? 1 : e_.lists[m.list].size();
      cost = m_.barrier_time(static_cast<std::uint32_t>(sites));
      row = "barrier";
    } else if (task.control == program::Control::reconfigure) {
      cost = m_.reconfigure_time();
      row = "reconfigure";
    } else {
      n.kind = Node::Kind::launch;
      n.site = f_.site_orbit[m.src];
      cost = m_.launch_time();
      row = "launch";
    }
    n.charge = rows_.row(row);
    n.duration = g_.clock.ceil(Seconds(cost.value() / rows_.factor(row)));
  }

  void move(const program::Task& task, const Member& m, std::uint32_t of, Node& n) {
    n.kind = Node::Kind::move;
    n.lane = m.lane;
    n.site = f_.site_orbit[m.src];
    n.to = f_.site_orbit[m.dst];
    weighted_ = true;
    pick_transport(task, m, n);
    collect_route(task, m);
    Tick latency = 0;
    n.first_hop = static_cast<std::uint32_t>(g_.hops.size());
    for (machine::LinkId link : links_) {
      const LinkClass& c = m_.link_class(link);
      if (m.lane >= 0) g_.hops.push_back({f_.link_orbit[link], latency});
      latency += g_.clock.ceil(Seconds(c.latency.value() / rows_.factor(c.name)));
      use_link(link, c, of);
    }
    n.hops = static_cast<std::uint32_t>(g_.hops.size()) - n.first_hop;
    n.latency = branch_latency_ > 0 ? branch_latency_ : latency;
    use_ports(task, m, of);
    if (limit_ > 0) use(resource_for_limit(n.software), 1 / limit_, 1 / limit_);
    n.work = frame_.whole(static_cast<double>(m.bytes));
  }

  void pick_transport(const program::Task& task, const Member& m, Node& n) {
    limit_ = 0;
    efficiency_ = 1;
    if (!software_ || m.src == m.dst) return;
    const machine::Transport* t = m_.transport(task.transport, m_.fabric_between(m.src, m.dst), Bytes(m.bytes),
                                               operation_.value() > 0 ? operation_ : Bytes(m.bytes));
    if (t == nullptr) return;
    const std::string row = "transport " + t->name;
    const double factor = rows_.factor(row);
    n.software = rows_.row(row);
    n.start_cost = g_.clock.ceil(Seconds(t->start.value() / factor));
    n.grain_cost = g_.clock.ceil(Seconds(t->grain_start.value() / factor));
    efficiency_ = t->efficiency;
    limit_ = t->rate_limit.value() * factor / g_.clock.ticks_per_second;
  }

  /// Links of the route, in order; for a multicast or a reduction the union of the routes.
  void collect_route(const program::Task& task, const Member& m) {
    links_.clear();
    branch_latency_ = 0;
    if (m.list == program::kNone) {
      route(task, m.src, m.dst, links_);
      return;
    }
    std::vector<machine::LinkId> way;
    const SiteId hub = task.cast == program::Cast::reduce ? m.dst : m.src;
    for (SiteId s : e_.lists[m.list]) {
      if (s == hub) continue;
      way.clear();
      task.cast == program::Cast::reduce ? route(task, s, hub, way) : route(task, hub, s, way);
      Tick latency = 0;
      for (machine::LinkId l : way) latency += g_.clock.ceil(m_.link_class(l).latency);
      branch_latency_ = std::max(branch_latency_, latency);
      links_.insert(links_.end(), way.begin(), way.end());
    }
    std::sort(links_.begin(), links_.end());
    links_.erase(std::unique(links_.begin(), links_.end()), links_.end());
  }

  void route(const program::Task& task, SiteId a, SiteId b, std::vector<machine::LinkId>& out) {
    if (a == b) return;
    if (!m_.route(a, b, task.via, out)) {
      throw infeasible_error(task.name + ": there is no way from " + m_.site_name(a) + " to " + m_.site_name(b) +
                             (task.via.empty() ? "" : " via " + task.via));
    }
  }

  void use_link(machine::LinkId link, const LinkClass& c, std::uint32_t of) {
    const std::uint32_t orbit = f_.link_orbit[link];
    if (link_resource_[orbit] == kNone) link_resource_[orbit] = new_resource(c.name, f_.link_orbit_size[orbit]);
    const double per_byte = ticks_per_byte(c, g_.clock.ticks_per_second) / (efficiency_ * rows_.factor(c.name));
    if (c.framing.payload.value() > 0 && per_byte > alone_) frame_.payload = c.framing.payload.value();
    if (!c.honours_weights) weighted_ = false;
    use(link_resource_[orbit], per_byte, per_byte * of / f_.link_orbit_size[orbit]);
  }

  void use_ports(const program::Task& task, const Member& m, std::uint32_t of) {
    const auto port = [&](SiteId s, program::BufferId buffer) {
      const machine::SiteClass& site = m_.site_class(s);
      if (site.tiers.empty()) return;
      const std::string& wanted = e_.program->buffers[buffer].tier;
      std::size_t k = 0;
      while (k < site.tiers.size() && !wanted.empty() && site.tiers[k].name != wanted) ++k;
      if (k == site.tiers.size() || site.tiers[k].bandwidth.value() <= 0) return;
      const std::string row = site.name + " " + site.tiers[k].name + " port";
      const double per_byte = g_.clock.ticks_per_second / (site.tiers[k].bandwidth.value() * rows_.factor(row));
      const std::uint32_t orbit = f_.site_orbit[s];
      use(port_for(orbit, k, row), per_byte, per_byte * of / f_.site_orbit_size[orbit]);
    };
    if (m.list == program::kNone) {
      port(m.src, task.what.buffer);
      port(m.dst, task.into);
      return;
    }
    const bool reduce = task.cast == program::Cast::reduce;
    for (SiteId s : e_.lists[m.list]) port(s, reduce ? task.what.buffer : task.into);
    port(reduce ? m.dst : m.src, reduce ? task.into : task.what.buffer);
  }

  void use(std::uint32_t resource, double lone, double per_byte) {
    alone_ = std::max(alone_, lone);
    for (MaxMin::Use& u : uses_) {
      if (u.resource == resource) {
        u.per_byte += per_byte;
        return;
      }
    }
    uses_.push_back({resource, per_byte});
  }

  std::uint32_t new_resource(const std::string& row, std::uint32_t members) {
    g_.resource_row.push_back(rows_.row(row));
    rows_.all()[g_.resource_row.back()].members += members;
    return static_cast<std::uint32_t>(g_.resource_row.size() - 1);
  }
  std::uint32_t port_for(std::uint32_t site_orbit, std::size_t tier, const std::string& row) {
    const auto [it, fresh] = ports_.try_emplace({site_orbit, tier}, 0);
    if (fresh) it->second = new_resource(row, f_.site_orbit_size[site_orbit]);
    return it->second;
  }
  std::uint32_t resource_for_limit(std::uint32_t software_row) {
    g_.resource_row.push_back(software_row);
    return static_cast<std::uint32_t>(g_.resource_row.size() - 1);
  }

  const Expansion& e_;
  const Machine& m_;
  const Fold& f_;
  Rows rows_;
  bool software_;
  Graph g_;
  Bytes operation_{0};
  std::vector<std::uint32_t> link_resource_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> ports_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> sites_seen_;  ///< (row, site orbit) counted among a row's members
  // of the node being added
  std::vector<machine::LinkId> links_;
  std::vector<MaxMin::Use> uses_;
  FrameRule frame_;
  double alone_ = 0, limit_ = 0, efficiency_ = 1;
  Tick branch_latency_ = 0;
  bool weighted_ = true;
};

}  // namespace

double FrameRule::whole(double bytes) const {
  if (payload == 0) return bytes;
  return std::ceil(bytes / static_cast<double>(payload) - 1e-9) * static_cast<double>(payload);
}

Graph build_graph(const Expansion& expansion, const Machine& machine, const Fold& fold, const Options& options,
                  bool software) {
  return GraphBuilder(expansion, machine, fold, options, software).build();
}

}  // namespace weft::simulate
