#include "weft/simulate/memory_check.hpp"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "weft/program/verify_lifetimes.hpp"

namespace weft::simulate {
namespace {

using program::Lifetimes;

class Sweep {
 public:
  Sweep(const program::Timeline& timeline, const Fold& fold, const Lifetimes& lives)
      : timeline_(timeline), fold_(fold), lives_(lives) {
    span_of_.assign(fold.representative.size(), program::kNone);
    for (std::uint32_t k = 0; k < timeline.spans.size(); ++k) span_of_[fold.orbit[timeline.spans[k].member]] = k;
  }

  /// The fullest moment of one place and the bytes there.
  std::pair<Tick, double> fullest(const Lifetimes::Place& place) {
    events_.clear();
    for (const Lifetimes::Row& row : lives_.rows_of(place)) life(row);
    std::ranges::sort(events_, {}, [](const Event& e) { return std::tuple(e.tick, e.order, e.bytes); });
    double now = place.always, most = place.always;
    Tick when = 0;
    for (const Event& event : events_) {
      now += event.order == Order::birth ? event.bytes : -event.bytes;
      if (now > most + kForgiven) std::tie(most, when) = std::pair(now, event.tick);
    }
    return {when, most};
  }

 private:
  /// Within a tick ends go before starts, except of what starts and ends there.
  enum class Order : std::uint8_t { death, birth, death_at_birth };
  struct Event {
    Tick tick;
    Order order;
    double bytes;
  };
  const program::Span& span(std::uint32_t member) const { return timeline_.spans.at(span_of_[fold_.orbit[member]]); }

  void life(const Lifetimes::Row& row) {
    const Tick start = span(row.first).start;
    events_.push_back({start, Order::birth, row.bytes});
    if (row.to_end) return;
    Tick end = start;
    for (const std::uint32_t user : lives_.users_of(row)) end = std::max(end, span(user).end);
    events_.push_back({end, end > start ? Order::death : Order::death_at_birth, row.bytes});
  }

  static constexpr double kForgiven = 1e-6;  ///< bytes lost in sums of fractions
  const program::Timeline& timeline_;
  const Fold& fold_;
  const Lifetimes& lives_;
  std::vector<std::uint32_t> span_of_;  ///< by orbit of members
  std::vector<Event> events_;
};

}  // namespace

std::vector<MemoryPeak> memory_peaks(const program::Expansion& expansion, const machine::Machine& machine,
                                     const program::Timeline& timeline, const Fold& fold) {
  const Lifetimes lives = program::lifetimes_of(expansion, machine);
  Sweep sweep(timeline, fold, lives);
  std::vector<MemoryPeak> peaks;
  for (const Lifetimes::Place& place : lives.places) {
    if (!place.crowded()) continue;
    const auto [tick, bytes] = sweep.fullest(place);
    const std::string& tier = machine.site_class(place.site).tiers[place.tier].name;
    peaks.push_back({place.site, tier, tick, program::whole_bytes(bytes), place.capacity});
  }
  return peaks;
}

std::vector<MemoryPeak> memory_overflows(const program::Expansion& expansion, const machine::Machine& machine,
                                         const program::Timeline& timeline, const Fold& fold) {
  std::vector<MemoryPeak> peaks = memory_peaks(expansion, machine, timeline, fold);
  std::erase_if(peaks, [](const MemoryPeak& p) { return p.missing() == 0; });
  std::ranges::stable_sort(peaks, std::greater<>(), &MemoryPeak::missing);
  return peaks;
}

std::string text(const MemoryPeak& peak, const machine::Machine& machine, const TickClock& clock) {
  const std::string what = fmt::format("{} of {} overflows at {}: {} lie there, it holds {}", peak.tier,
                                       machine.site_name(peak.site), format_short(clock.seconds(peak.tick)),
                                       format_short(Bytes(peak.bytes)), format_short(Bytes(peak.capacity)));
  return fmt::format("{}; {} B are missing", what, peak.missing());
}

}  // namespace weft::simulate
