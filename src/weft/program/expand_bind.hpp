// Which members an edge binds, by the rules of program.hpp, with the tables of instances kept between edges.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "weft/program/expand.hpp"

namespace weft::program {

/// True when the task is a set: it has indices or a table.
bool is_set(const Task& task);
/// True when an edge between the two binds every member, whatever the edge says.
bool binds_all(const Task& a, const Task& b);

/// Sites where a member reads (its sources) and where it leaves data (its destinations).
std::span<const SiteId> sources_of(const Expansion& e, const Task& task, const Member& m);
std::span<const SiteId> destinations_of(const Expansion& e, const Task& task, const Member& m);

/// Looks up the members of earlier instances that a member waits for. Tables are built once an instance and kept;
/// `forget_before` frees those of instances that no later edge reaches.
class Binding {
 public:
  Binding(const Expansion& expansion, std::uint32_t sites);
  /// Calls visit(a) for each member of edge.on that member b (of instance `bi`) waits for; with `all`, every member.
  template <class Visit>
  void each(InstanceId bi, std::uint32_t b, const InstanceEdge& edge, Visit&& visit);
  /// True when b waits for a over this edge.
  bool bound(InstanceId bi, std::uint32_t b, const InstanceEdge& edge, std::uint32_t a) const;
  void forget(InstanceId instance);

 private:
  const MembersBySite& table(InstanceId instance, MembersBySite::End end);
  template <class Visit>
  void through(const MembersBySite& table, std::span<const SiteId> sites, Visit&& visit);

  const Expansion& e_;
  std::uint32_t sites_;
  std::vector<std::unique_ptr<MembersBySite>> any_, arriving_;
  std::vector<std::uint32_t> found_;
};

template <class Visit>
void Binding::through(const MembersBySite& table, std::span<const SiteId> sites, Visit&& visit) {
  if (sites.size() == 1) {
    for (std::uint32_t a : table.at(sites[0])) visit(a);
    return;
  }
  found_.clear();
  for (SiteId s : sites) {
    const auto here = table.at(s);
    found_.insert(found_.end(), here.begin(), here.end());
  }
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  const std::vector<std::uint32_t> mine = found_;  // visit may come back here
  for (std::uint32_t a : mine) visit(a);
}

template <class Visit>
void Binding::each(InstanceId bi, std::uint32_t b, const InstanceEdge& edge, Visit&& visit) {
  const Instance& on = e_.instances[edge.on];
  if (edge.all) {
    for (std::uint32_t a = on.first; a < on.first + on.count; ++a) visit(a);
    return;
  }
  const Member& m = e_.members[b];
  const Task& task = e_.task(e_.instances[bi]);
  if (edge.kind == Edge::Kind::streams) {
    through(table(edge.on, MembersBySite::End::destination), sources_of(e_, task, m), visit);
    return;
  }
  const MembersBySite& any = table(edge.on, MembersBySite::End::any);
  if (m.list == kNone && m.src == m.dst) {
    for (std::uint32_t a : any.at(m.src)) visit(a);
  } else if (m.list == kNone) {
    for (std::uint32_t a : any.at(m.src)) visit(a);
    for (std::uint32_t a : any.at(m.dst)) {
      const Member& other = e_.members[a];
      if (other.list != kNone) {
        const auto here = any.at(m.src);
        if (std::binary_search(here.begin(), here.end(), a)) continue;
      } else if (other.src == m.src || other.dst == m.src) {
        continue;
      }
      visit(a);
    }
  } else {
    std::vector<SiteId> sites;
    e_.sites_of(m, sites);
    through(any, sites, visit);
  }
}

}  // namespace weft::program
