#include "weft/simulate/fold.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "weft/core/random.hpp"

namespace weft::simulate {
namespace {

using machine::SiteId;
using machine::Symmetry;
using program::Expansion;
using program::Instance;
using program::Member;

/// Union-find whose roots are the smallest elements.
class Orbits {
 public:
  explicit Orbits(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }
  /// Dense numbers in the order of the roots; fills sizes.
  std::vector<std::uint32_t> number(std::vector<std::uint32_t>& size, std::vector<std::uint32_t>* roots = nullptr) {
    std::vector<std::uint32_t> id(parent_.size());
    for (std::uint32_t x = 0; x < parent_.size(); ++x) {
      const std::uint32_t r = find(x);
      if (r == x) {
        id[x] = static_cast<std::uint32_t>(size.size());
        size.push_back(0);
        if (roots != nullptr) roots->push_back(x);
      } else {
        id[x] = id[r];
      }
      ++size[id[x]];
    }
    return id;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// What an engine can see of a member apart from where it is: bytes, lane, kernel.
std::uint64_t look(const Expansion& e, const Instance& i, const Member& m, bool kernel_varies) {
  std::uint64_t h = mix64(static_cast<std::uint64_t>(m.bytes) * 3 + static_cast<std::uint64_t>(m.lane + 1));
  if (kernel_varies) {
    for (const auto& [name, value] : program::kernel_of(e, i, m).dims) h = mix64(h ^ static_cast<std::uint64_t>(value));
  }
  return h;
}

bool kernel_varies(const program::Task& task) {
  if (task.kind != program::Kind::compute) return false;
  return std::any_of(task.kernel.dims.begin(), task.kernel.dims.end(),
                     [](const auto& d) { return !d.value.constant(); });
}

/// Image of a member's place as a key. The sites of a list are a set, so their hashes add; beside it stands the one source of a
/// multicast or the one destination of a reduction.
class Place {
 public:
  Place(const Expansion& e, const program::Task& task, const std::vector<std::uint32_t>* image) : e_(e), image_(image) {
    if (task.kind == program::Kind::move && task.cast == program::Cast::multicast) hub_ = &Member::src;
    if (task.kind == program::Kind::move && task.cast == program::Cast::reduce) hub_ = &Member::dst;
  }
  std::uint64_t operator()(const Member& m) const {
    if (m.list != program::kNone) {
      std::uint64_t sum = 0;
      for (machine::SiteId s : e_.lists[m.list]) sum += mix64(at(s) + 0x9e37u);
      return mix64(sum) ^ (hub_ == nullptr ? 0 : mix64(at(m.*hub_)));
    }
    return (static_cast<std::uint64_t>(at(m.src)) << 32) | at(m.dst);
  }
  bool moved(const Member& m) const {
    if (image_ == nullptr) return false;
    if (m.list != program::kNone) return true;
    return at(m.src) != m.src || at(m.dst) != m.dst;
  }

 private:
  std::uint32_t at(std::uint32_t s) const { return image_ != nullptr && s != program::kNone ? (*image_)[s] : s; }
  const Expansion& e_;
  const std::vector<std::uint32_t>* image_;
  SiteId Member::* hub_ = nullptr;
};

/// Members of one instance by (place, look): an open-addressing table that keeps equal keys in member order.
class MemberIndex {
 public:
  void build(const Expansion& e, const Instance& i, bool varies) {
    const Place here(e, e.task(i), nullptr);
    std::size_t slots = 4;
    while (slots < 2 * std::size_t{i.count}) slots *= 2;
    slot_.assign(slots, program::kNone);
    key_.resize(i.count);
    next_.assign(i.count, program::kNone);
    for (std::uint32_t k = i.count; k-- > 0;) {  // backwards, so that chains are in member order
      const Member& m = e.members[i.first + k];
      key_[k] = mix64(here(m)) ^ look(e, i, m, varies);
      std::size_t s = probe(key_[k]);
      next_[k] = slot_[s];
      slot_[s] = k;
    }
  }
  /// The rank-th member with this key, kNone if there is none.
  std::uint32_t find(std::uint64_t key, std::uint32_t rank) const {
    std::uint32_t k = slot_[probe(key)];
    while (rank-- > 0 && k != program::kNone) k = next_[k];
    return k;
  }
  /// How many members before k have the same key.
  std::uint32_t rank(std::uint32_t k) const {
    std::uint32_t r = 0;
    for (std::uint32_t x = slot_[probe(key_[k])]; x != k; x = next_[x]) ++r;
    return r;
  }

 private:
  std::size_t probe(std::uint64_t key) const {
    const std::size_t mask = slot_.size() - 1;
    std::size_t s = key & mask;
    while (slot_[s] != program::kNone && key_[slot_[s]] != key) s = (s + 1) & mask;
    return s;
  }
  std::vector<std::uint32_t> slot_, next_;
  std::vector<std::uint64_t> key_;
};

/// Sum over members of a hash of place and look: equal for an instance and its image if the map is a symmetry.
bool hashes_agree(const Expansion& e, const Instance& i, const Symmetry& s, bool varies) {
  const Place here(e, e.task(i), nullptr), there(e, e.task(i), &s.sites);
  std::uint64_t balance = 0;
  for (const Member& m : e.of(i)) {
    if (!there.moved(m)) continue;
    const std::uint64_t l = look(e, i, m, varies);
    balance += mix64(mix64(here(m)) ^ l) - mix64(mix64(there(m)) ^ l);
  }
  return balance == 0;
}

bool accepts(const Expansion& e, const Symmetry& s) {
  for (const Instance& i : e.instances) {
    if (e.task(i).kind == program::Kind::control && e.task(i).control == program::Control::reconfigure) return false;
    if (!e.task(i).via.empty()) return false;  // a stated route names links that the map may move
    if (!hashes_agree(e, i, s, kernel_varies(e.task(i)))) return false;
  }
  return true;
}

void join_members(const Expansion& e, std::span<const Symmetry* const> accepted, Orbits& orbits) {
  MemberIndex index;
  for (const Instance& i : e.instances) {
    if (i.count < 2) continue;
    const bool varies = kernel_varies(e.task(i));
    index.build(e, i, varies);
    for (const Symmetry* s : accepted) {
      const Place there(e, e.task(i), &s->sites);
      for (std::uint32_t k = 0; k < i.count; ++k) {
        const Member& m = e.members[i.first + k];
        if (!there.moved(m)) continue;
        const std::uint32_t image = index.find(mix64(there(m)) ^ look(e, i, m, varies), index.rank(k));
        if (image != program::kNone) orbits.join(i.first + k, i.first + image);
      }
    }
  }
}

std::vector<std::uint32_t> orbits_of(std::size_t n, std::span<const Symmetry* const> accepted,
                                     std::vector<std::uint32_t> Symmetry::* image, std::vector<std::uint32_t>& size) {
  Orbits orbits(n);
  for (const Symmetry* s : accepted) {
    for (std::uint32_t x = 0; x < n; ++x) orbits.join(x, (s->*image)[x]);
  }
  return orbits.number(size);
}

/// A route must map onto the route of the image, or the machine breaks ties unevenly and the symmetry is of no use.
bool routes_follow(const Expansion& e, const machine::Machine& machine, const Fold& f, const Symmetry& s) {
  std::vector<machine::LinkId> a, b;
  for (std::uint32_t r : f.representative) {
    const Member& m = e.members[r];
    if (m.src == m.dst || m.list != program::kNone || m.dst == program::kNone) continue;
    a.clear();
    b.clear();
    if (!machine.route(m.src, m.dst, "", a) || !machine.route(s.sites[m.src], s.sites[m.dst], "", b)) return false;
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (f.link_orbit[a[k]] != f.link_orbit[b[k]]) return false;
    }
  }
  return true;
}

Fold build(const Expansion& e, const machine::Machine& machine, std::span<const Symmetry* const> accepted) {
  Fold f;
  Orbits members(e.members.size());
  if (!accepted.empty()) join_members(e, accepted, members);
  f.orbit = members.number(f.size, &f.representative);
  f.site_orbit = orbits_of(machine.sites(), accepted, &Symmetry::sites, f.site_orbit_size);
  f.link_orbit = orbits_of(machine.links().size(), accepted, &Symmetry::links, f.link_orbit_size);
  f.symmetries = static_cast<std::uint32_t>(accepted.size());
  return f;
}

}  // namespace

Fold fold(const Expansion& expansion, const machine::Machine& machine, bool enabled) {
  std::vector<const Symmetry*> accepted;
  if (enabled) {
    for (const Symmetry& s : machine.symmetries()) {
      if (accepts(expansion, s)) accepted.push_back(&s);
    }
  }
  Fold f = build(expansion, machine, accepted);
  const auto bad = std::remove_if(accepted.begin(), accepted.end(),
                                  [&](const Symmetry* s) { return !routes_follow(expansion, machine, f, *s); });
  if (bad == accepted.end()) return f;
  accepted.erase(bad, accepted.end());
  return build(expansion, machine, accepted);
}

}  // namespace weft::simulate
