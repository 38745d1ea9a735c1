#include "weft/program/verify_lifetimes.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <absl/container/flat_hash_set.h>

#include "weft/program/verify_algebra.hpp"
#include "weft/program/verify_walk.hpp"

namespace weft::program {
namespace {

/// A cell, or several with the same life, before they are sorted.
struct Life {
  std::uint32_t place = 0;
  bool to_end = false;
  std::uint32_t first = 0;
  std::vector<std::uint32_t> users;
  double bytes = 0;
  auto key() const { return std::tie(place, first, to_end, users, bytes); }
  bool same(const Life& o) const {
    return place == o.place && first == o.first && to_end == o.to_end && users == o.users;
  }
};

class Collector {
 public:
  Collector(const Expansion& e, const machine::Machine& m, const Walk& walk, const std::vector<Cells>& cells)
      : p_(*e.program), e_(e), m_(m), walk_(walk), cells_(cells) {
    for (const machine::SiteClass& c : m.site_classes()) tiers_ = std::max(tiers_, c.tiers.size());
    for (const Buffer& b : p_.buffers) {
      const Tensor& t = p_.tensors[b.tensor];
      const auto volume = static_cast<double>(std::max<std::int64_t>(t.volume(), 1));
      const auto bits = static_cast<double>(machine::bits(t.dtype));
      cell_bytes_.push_back(t.total ? static_cast<double>(t.total->value()) / volume : bits / 8);
    }
  }

  Lifetimes collect() {
    sums();
    if (std::ranges::any_of(out_.places, &Lifetimes::Place::crowded)) {
      required();
      lives();
      rows();
    }
    return std::move(out_);
  }

 private:
  double bytes(BufferId buffer, std::uint64_t cell) const {
    return cell_bytes_[buffer] * static_cast<double>(cells_[p_.buffers[buffer].tensor].volume_of_cell(cell));
  }
  /// site * tiers + tier; kNone where the site has no such tier (check_form says so).
  std::uint64_t slot(BufferId buffer, SiteId site) const {
    const std::string& name = p_.buffers[buffer].tier;
    const auto& tiers = m_.site_class(site).tiers;
    std::size_t tier = 0;
    while (!name.empty() && tier < tiers.size() && tiers[tier].name != name) ++tier;
    return tier < tiers.size() ? site * tiers_ + tier : kNowhere;
  }

  void sums() {
    struct Sum {
      double start = 0, written = 0;
    };
    std::vector<Sum> of(m_.sites() * tiers_);
    walk_.each_cell([&](BufferId buffer, SiteId site, std::uint64_t cell, bool start) {
      const std::uint64_t at = slot(buffer, site);
      if (at != kNowhere) (start ? of[at].start : of[at].written) += bytes(buffer, cell);
    });
    place_at_.assign(of.size(), kNone);
    for (std::size_t k = 0; k < of.size(); ++k) {
      if (of[k].start + of[k].written <= 0) continue;
      const auto site = static_cast<SiteId>(k / tiers_);
      const auto tier = static_cast<std::uint32_t>(k % tiers_);
      place_at_[k] = static_cast<std::uint32_t>(out_.places.size());
      const std::int64_t capacity = m_.site_class(site).tiers[tier].capacity.value();
      out_.places.push_back({site, tier, of[k].start, of[k].start + of[k].written, capacity, 0, 0});
    }
  }

  std::uint32_t crowded_place(BufferId buffer, SiteId site) const {
    const std::uint64_t at = slot(buffer, site);
    const std::uint32_t place = at == kNowhere ? kNone : place_at_[at];
    return place != kNone && out_.places[place].crowded() ? place : kNone;
  }

  std::uint64_t key(BufferId buffer, SiteId site, std::uint64_t cell) const {
    return ((std::uint64_t{buffer} * m_.sites() + site) << 32) | cell;
  }

  void required() {
    std::vector<std::int64_t> flat;
    for (const Goal& goal : p_.goals) {
      for_each_requirement(p_, goal, e_.environments.data(), [&](const Requirement& need) {
        if (crowded_place(need.buffer, need.site) == kNone) return;
        for (const Box& box : need.boxes) {
          flat.clear();
          for (std::size_t k = 0; k < box.lo.size(); ++k) flat.insert(flat.end(), {box.lo[k], box.hi[k]});
          cells_[p_.buffers[need.buffer].tensor].runs(flat, [&](std::uint64_t a, std::uint64_t b) {
            for (std::uint64_t cell = a; cell < b; ++cell) goal_.insert(key(need.buffer, need.site, cell));
          });
        }
      });
    }
  }

  void lives() {
    walk_.each_life([&](BufferId buffer, SiteId site, std::uint64_t cell, std::uint32_t first,
                        std::span<const std::uint32_t> users) {
      const std::uint32_t place = crowded_place(buffer, site);
      if (place == kNone) return;
      Life life{
          place, goal_.contains(key(buffer, site, cell)), first, {users.begin(), users.end()}, bytes(buffer, cell)};
      std::ranges::sort(life.users);
      lives_.push_back(std::move(life));
    });
    std::ranges::sort(lives_, [](const Life& a, const Life& b) { return a.key() < b.key(); });
  }

  void rows() {
    for (std::size_t k = 0; k < lives_.size(); ++k) {
      const Life& life = lives_[k];
      if (k > 0 && life.same(lives_[k - 1])) {
        out_.rows.back().bytes += life.bytes;
        continue;
      }
      Lifetimes::Place& place = out_.places[life.place];
      if (place.count++ == 0) place.from = static_cast<std::uint32_t>(out_.rows.size());
      const auto from = static_cast<std::uint32_t>(out_.users.size());
      out_.users.insert(out_.users.end(), life.users.begin(), life.users.end());
      out_.rows.push_back({life.first, from, static_cast<std::uint32_t>(life.users.size()), life.to_end, life.bytes});
    }
  }

  static constexpr std::uint64_t kNowhere = ~0ull;
  const Program& p_;
  const Expansion& e_;
  const machine::Machine& m_;
  const Walk& walk_;
  const std::vector<Cells>& cells_;
  std::size_t tiers_ = 1;
  std::vector<double> cell_bytes_;       ///< of one index box of volume 1, by buffer
  std::vector<std::uint32_t> place_at_;  ///< by slot
  absl::flat_hash_set<std::uint64_t> goal_;
  std::vector<Life> lives_;
  Lifetimes out_;
};

}  // namespace

std::int64_t whole_bytes(double bytes) {
  return static_cast<std::int64_t>(std::ceil(bytes - 1e-6));
}

Lifetimes lifetimes_of(const Expansion& e, const machine::Machine& m, const Walk& walk,
                       const std::vector<Cells>& cells) {
  return Collector(e, m, walk, cells).collect();
}

Lifetimes lifetimes_of(const Expansion& e, const machine::Machine& m) {
  const std::vector<Cells> cells = cut_cells(e);
  Fingerprints fingerprints;
  Walk walk(e, cells, fingerprints, m.sites());
  walk.keep_readers();
  walk.run(nullptr, 1);
  return lifetimes_of(e, m, walk, cells);
}

}  // namespace weft::program
