// The walk back from the last end.
#include <algorithm>

#include "weft/explain/explain.hpp"
#include "weft/program/goals.hpp"

namespace weft::explain {
namespace {

using program::Cause;
using program::Span;
using program::Timeline;

class Walk {
 public:
  Walk(const Timeline& timeline, const program::Expansion& expansion, const machine::Machine& machine)
      : t_(timeline), e_(expansion), m_(machine) {
    for (const program::Goal& goal : expansion.program->goals) {
      if (goal.kind == program::GoalKind::place || goal.kind == program::GoalKind::deliver) continue;
      operation_ = program::operation_size(*expansion.program, goal);
    }
  }

  std::vector<Step> run() {
    if (t_.spans.empty()) return {};
    std::uint32_t at = last();
    Tick time = t_.end;
    while (time > 0) {
      const Span& span = t_.spans[at];
      const std::uint32_t before = predecessor(span);
      const Tick handed = before == program::kNone ? 0 : std::min(time, t_.spans[before].end);
      charge(at, span, handed, time);
      time = handed;
      if (before == program::kNone) break;
      if (visit(before)) {
        push(at, 0, time, "wait in a cycle of streams", false);
        break;
      }
      at = before;
    }
    return std::move(path_);
  }

 private:
  std::uint32_t last() const {
    const auto later = [](const Span& a, const Span& b) { return a.end < b.end; };
    return static_cast<std::uint32_t>(std::max_element(t_.spans.begin(), t_.spans.end(), later) - t_.spans.begin());
  }

  std::uint32_t predecessor(const Span& span) const {
    const bool is_span = span.waited.kind == Cause::Kind::task || span.waited.kind == Cause::Kind::compute ||
                         span.waited.kind == Cause::Kind::lane || span.waited.kind == Cause::Kind::window;
    return is_span && span.waited.what < t_.spans.size() ? span.waited.what : program::kNone;
  }

  bool visit(std::uint32_t span) {
    seen_.resize(t_.spans.size(), 0);
    const bool before = seen_[span] != 0;
    seen_[span] = 1;
    return before;
  }

  void push(std::uint32_t span, Tick from, Tick to, std::string what, bool resource) {
    if (to > from) path_.push_back({span, from, to, std::move(what), resource});
  }

  /// [from, to] of one span, latest part first: latency, service, start, wait.
  void charge(std::uint32_t at, const Span& span, Tick from, Tick to) {
    const bool move = is_move(span);
    const Tick latency = move ? std::min(latency_of(span), span.end - span.start) : 0;
    const Tick service_end = std::clamp(span.end - latency, from, to);
    push(at, service_end, to, "latency", false);
    const Tick service_from = std::clamp(span.start, from, service_end);
    if (span.resource != program::kNone) {
      push(at, service_from, service_end, t_.resources[span.resource].name, true);
    } else {
      push(at, service_from, service_end, move ? "latency" : "wait for other tasks", false);
    }
    const Tick start_from = std::max(from, service_from - (move ? start_of(span) : 0));
    push(at, start_from, service_from, "start", false);
    push(at, from, start_from, "wait for " + reason(span), false);
  }

  bool is_move(const Span& span) const {
    if (span.member >= e_.members.size()) return false;
    return e_.task(e_.instances[span.instance]).kind == program::Kind::move;
  }

  std::string reason(const Span& span) const {
    switch (span.waited.kind) {
      case Cause::Kind::compute:
        return "compute";
      case Cause::Kind::link:
        return "a link";
      case Cause::Kind::port:
        return "a memory port";
      case Cause::Kind::transport:
        return "a transport";
      case Cause::Kind::lane:
        return "a lane";
      case Cause::Kind::window:
        return "a window";
      case Cause::Kind::launch:
        return "a launch";
      case Cause::Kind::barrier:
        return "a barrier";
      case Cause::Kind::start:
      case Cause::Kind::task:
        break;
    }
    return "its turn";
  }

  program::SiteId far_end(const program::Member& m) const {
    return m.list == program::kNone ? m.dst : e_.lists[m.list].back();
  }

  Tick latency_of(const Span& span) {
    const program::Member& m = e_.members[span.member];
    const program::Task& task = e_.task(e_.instances[span.instance]);
    links_.clear();
    if (!m_.route(m.src, far_end(m), task.via, links_)) return 0;
    Tick sum = 0;
    for (const machine::LinkId link : links_) sum += t_.clock.ceil(m_.link_class(link).latency);
    return sum;
  }

  Tick start_of(const Span& span) const {
    const program::Member& m = e_.members[span.member];
    const program::Task& task = e_.task(e_.instances[span.instance]);
    const machine::Transport* transport =
        m_.transport(task.transport, m_.fabric_between(m.src, far_end(m)), Bytes(m.bytes),
                     operation_ > Bytes(0) ? operation_ : Bytes(m.bytes));
    return transport == nullptr ? 0 : t_.clock.ceil(transport->start);
  }

  const Timeline& t_;
  const program::Expansion& e_;
  const machine::Machine& m_;
  Bytes operation_{0};  ///< what the table of transports is asked with
  std::vector<Step> path_;
  std::vector<char> seen_;
  std::vector<machine::LinkId> links_;
};

}  // namespace

std::vector<Step> critical_path(const Timeline& timeline, const program::Expansion& expansion,
                                const machine::Machine& machine) {
  return Walk(timeline, expansion, machine).run();
}

}  // namespace weft::explain
