// Memory, proved for any timing. Three answers for each place (a tier at a site), rows as in verify_lifetimes.hpp:
//
//   fits     the sum of everything fits, or later rows can take the bytes of earlier ones: bytes fall free for a row
//   when every
//            last user of the row that had them is ordered strictly (its end before the start) before this one's first
//            writer. At any time a byte has then one owner at most, so the bytes handed out, taken over ones counted
//            once, are never exceeded. Rows take what is free in list order, the oldest first: a bound, not the least
//            one.
//   refused  at the start of some task, rows that are alive together in any timing exceed the capacity: those whose
//   first
//            writer is this task or begins before it by edges, and of whose last users one is this task or ends after
//            it by edges, or that the goal requires; or all that the goal requires, at the end. The fullest moment is
//            named.
//   open     neither is shown, or the search grew too long: memory_proved is false and the engine's Timeline decides.
#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "weft/program/verify_checks.hpp"
#include "weft/program/verify_lifetimes.hpp"

namespace weft::program {
namespace {

constexpr std::uint64_t kMostSteps = 20'000'000;  ///< of the search for orders, over all places
constexpr std::size_t kMostPairs = 4'000'000;     ///< rows times moments looked at in one place

class Proof {
 public:
  Proof(const Expansion& e, Order& order, const Lifetimes& lives)
      : e_(e), order_(order), lives_(lives), until_(order.steps() + kMostSteps) {}

  struct Fullest {
    double bytes = 0;
    std::uint32_t member = kNone;  ///< at its start; kNone: at the end of the step
  };

  /// An upper bound of what is alive together, in any timing.
  double handed_out(const Lifetimes::Place& place) {
    std::vector<Owned> owned;
    double all = place.always;
    for (const Lifetimes::Row& row : lives_.rows_of(place)) {
      double need = row.bytes;
      for (Owned& o : owned) {
        if (need <= 0) break;
        if (exhausted()) return place.sum;
        if (!free_for(*o.by, row)) continue;
        const double taken = std::min(need, o.bytes);
        need -= taken;
        o.bytes -= taken;
      }
      all += need;
      std::erase_if(owned, [](const Owned& o) { return o.bytes <= 0; });
      if (!row.to_end) owned.push_back({&row, row.bytes});
    }
    return all;
  }

  /// A lower bound, in any timing, and when.
  Fullest together(const Lifetimes::Place& place) {
    const auto rows = lives_.rows_of(place);
    std::vector<std::uint32_t> moments;
    for (const Lifetimes::Row& row : rows) {
      moments.push_back(row.first);
      const auto users = lives_.users_of(row);
      moments.insert(moments.end(), users.begin(), users.end());
    }
    std::ranges::sort(moments);
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
    Fullest fullest{place.always, kNone};
    for (const Lifetimes::Row& row : rows) fullest.bytes += row.to_end ? row.bytes : 0;
    if (moments.size() * rows.size() > kMostPairs) return fullest;
    for (const std::uint32_t at : moments) {
      double bytes = place.always;
      for (const Lifetimes::Row& row : rows) {
        if (exhausted()) return fullest;
        if (alive(row, at)) bytes += row.bytes;
      }
      if (bytes > fullest.bytes) fullest = {bytes, at};
    }
    return fullest;
  }

 private:
  struct Owned {
    const Lifetimes::Row* by;
    double bytes;
  };
  bool exhausted() const { return order_.steps() > until_; }
  bool before(std::uint32_t a, std::uint32_t b, bool strict) {
    return order_.ordered(instance_of(e_, a), a, instance_of(e_, b), b, strict);
  }

  bool free_for(const Lifetimes::Row& earlier, const Lifetimes::Row& row) {
    return std::ranges::all_of(lives_.users_of(earlier),
                               [&](std::uint32_t user) { return before(user, row.first, true); });
  }
  bool alive(const Lifetimes::Row& row, std::uint32_t at) {
    if (row.first > at || (row.first != at && !before(row.first, at, false))) return false;
    return row.to_end || std::ranges::any_of(lives_.users_of(row),
                                             [&](std::uint32_t user) { return user == at || before(at, user, false); });
  }

  const Expansion& e_;
  Order& order_;
  const Lifetimes& lives_;
  std::uint64_t until_;
};

class MemoryCheck {
 public:
  MemoryCheck(const Expansion& e, const machine::Machine& m, Order& order, const Lifetimes& lives)
      : e_(e), m_(m), lives_(lives), proof_(e, order, lives) {}

  void run(Verdict& verdict, std::vector<PlacedFault>& out) {
    for (const Lifetimes::Place& place : lives_.places) look(place, verdict);
    if (over_ > 0) out.push_back(std::move(fault_));
    for (auto& [name, row] : rows_) verdict.memory.push_back(row);
  }

 private:
  const machine::MemoryTier& tier(const Lifetimes::Place& place) const {
    return m_.site_class(place.site).tiers[place.tier];
  }

  void look(const Lifetimes::Place& place, Verdict& verdict) {
    std::int64_t used = whole_bytes(place.sum);
    if (place.crowded() && used > place.capacity) {
      used = whole_bytes(proof_.handed_out(place));
      if (used > place.capacity) {
        verdict.memory_proved = false;
        must_fit(place);
      }
    }
    MemoryUse& row = rows_[tier(place).name];
    if (row.tier.empty() || used > row.used_bytes) row = {place.site, tier(place).name, used, place.capacity};
  }

  void must_fit(const Lifetimes::Place& place) {
    const Proof::Fullest fullest = proof_.together(place);
    const std::int64_t over = whole_bytes(fullest.bytes) - place.capacity;
    if (over <= over_) return;
    over_ = over;
    const std::string where = fmt::format("{} of {} overflows", tier(place).name, m_.site_name(place.site));
    const std::string holds = fmt::format("it holds {}", format_short(Bytes(place.capacity)));
    const auto says = [&](const std::string& when, double bytes, const char* how) {
      return fmt::format("{} {}: {} {}, {}; {} B are missing", where, when, format_short(Bytes(whole_bytes(bytes))),
                         how, holds, whole_bytes(bytes) - place.capacity);
    };
    if (whole_bytes(place.always) > place.capacity) {
      fault_ = {0, {"memory", says("before the first task", place.always, "start there"), 0}};
    } else if (fullest.member == kNone) {
      fault_ = {~0ull, {"memory", says("at the end", fullest.bytes, "start there or are required there"), 0}};
    } else {
      const InstanceId instance = instance_of(e_, fullest.member);
      const std::string when = fmt::format("when {} starts", member_text(e_, instance, fullest.member));
      fault_ = {fullest.member,
                {"memory", says(when, fullest.bytes, "must lie there together"), e_.task(e_.instances[instance]).line}};
    }
  }

  const Expansion& e_;
  const machine::Machine& m_;
  const Lifetimes& lives_;
  Proof proof_;
  std::map<std::string, MemoryUse> rows_;
  std::int64_t over_ = 0;  ///< largest overflow found
  PlacedFault fault_;
};

}  // namespace

void check_memory(const Expansion& e, const machine::Machine& m, Order& order, const Lifetimes& lives, Verdict& verdict,
                  std::vector<PlacedFault>& out) {
  MemoryCheck(e, m, order, lives).run(verdict, out);
}

}  // namespace weft::program
