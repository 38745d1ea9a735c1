// The flow engine: events on integer ticks, rates in between.
//
// Every node runs grain by grain (a node without streams has one grain). A grain of a
//   compute  needs its inputs and the grain before, holds its site for its share of the kernel, and then ends;
//   move     needs its inputs; its slot (the time in which it draws on its route) starts when the slot before it has ended;
//            it arrives the latency behind its gate after the slot's end, and then ends.
// An end waits for finite windows: grain i of A for grain i-w of its follower to be taken. A slot's end waits for the grain that
// is a full route ahead of it to have arrived (a stopped move keeps at most latency x rate in its route).
//
// Gate: the link at which a move's head last waited for its lane, or its source if it never did. Slots are timed at the
// gate; `offset` is the latency from the source to it, so a grain leaves the source `offset` earlier, up to the grains that the
// route holds before the gate. A node that waits in a lane lets that many grains leave its source.
//
// Where the machine does not overlap, a site computes only while no slot of a move is under way there, and a slot starts only
// while neither of its ends computes.
//
// Order within a tick: events by (time, type, sequence), then the nodes they touched, then idle sites, then rates. All of
// it by number, so the result depends on nothing else.
#pragma once
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "weft/simulate/cuts.hpp"
#include "weft/simulate/graph.hpp"
#include "weft/simulate/lanes.hpp"
#include "weft/simulate/maxmin.hpp"

namespace weft::simulate {

class FlowEngine {
 public:
  explicit FlowEngine(const Graph& graph);
  program::Timeline run();

 private:
  enum class Type : std::uint8_t { work_end, arrival, handover, slot_end, wake };
  struct Event {
    Tick time;
    std::uint64_t order;  ///< type, then sequence
    std::uint32_t node;
    std::uint32_t tag;  ///< slot_end: version; handover: hop
    bool operator>(const Event& o) const { return time != o.time ? time > o.time : order > o.order; }
  };
  struct State {
    std::uint32_t waits = 0;  ///< `after` edges not yet satisfied
    std::uint32_t grains = 1;
    std::uint32_t avail = 0;    ///< grains whose inputs are there
    std::uint32_t done = 0;     ///< work (compute) or slot (move) ended
    std::uint32_t arrived = 0;  ///< move: reached the destination
    std::uint32_t ended = 0;    ///< and let go by the windows
    std::uint32_t taken = 0;    ///< as followers count it
    std::uint32_t version = 0;
    std::uint32_t released = 0;  ///< hops left behind
    bool ready = false, served = false, busy = false, held = false, starving = false, poked = false, finished = false;
    Tick ready_at = 0;
    Tick offset = 0;        ///< move: latency from source to gate
    double clock = 0;       ///< move: earliest start of the next slot, at the gate
    double gate_time = -1;  ///< latest handover, in the source's time
    Tick gate_before = 0;
    double left = 0, since = 0, rate = 0;  ///< the slot under way: bytes, time of `left`, bytes a tick
    std::deque<Tick> avail_at;             ///< move with a lane and streams: times of grains done..avail
  };
  struct Site {
    struct Waiting {
      Tick ready;
      std::uint32_t number, node;
      bool operator>(const Waiting& o) const { return ready != o.ready ? ready > o.ready : number > o.number; }
    };
    std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue;
    std::uint32_t running = kNone, last = kNone;
    std::uint32_t moving = 0;  ///< slots under way at this site; counted where compute and moves exclude each other
    std::vector<std::uint32_t> waiting_moves;
    bool dirty = false;
  };

  // flow_engine.cpp: the loop
  void push(Tick time, Type type, std::uint32_t node, std::uint32_t tag = 0);
  void poke(std::uint32_t node);
  void handle(const Event& event);
  void drain();
  void advance(std::uint32_t node);
  void update_avail(std::uint32_t node);
  void become_ready(std::uint32_t node, std::uint32_t from);
  void try_end(std::uint32_t node);
  bool window_open(std::uint32_t node) const;
  void after_end(std::uint32_t node);
  void update_taken(std::uint32_t node);
  void finish(std::uint32_t node);
  void settle_rates();
  void account();
  [[noreturn]] void stuck() const;
  // flow_compute.cpp
  void advance_compute(std::uint32_t node);
  void enqueue(std::uint32_t site, std::uint32_t node);
  void dispatch(std::uint32_t site);
  void work_ended(std::uint32_t node);
  // flow_move.cpp
  void advance_move(std::uint32_t node);
  bool serve(std::uint32_t node);
  void start_slot(std::uint32_t node);
  void begin(std::uint32_t node, double from);
  void predict(std::uint32_t node);
  void slot_ended(std::uint32_t node);
  bool route_has_room(std::uint32_t node) const;
  void complete_slot(std::uint32_t node, double at);
  bool sites_compute(std::uint32_t node);
  void count_moving(std::uint32_t node, bool begins);
  void leave_links(std::uint32_t node, double at);
  void leave(std::uint32_t node, std::uint32_t hop, double at);
  double grain_bytes(std::uint32_t node, std::uint32_t k) const;
  double grain_ticks(std::uint32_t node) const;
  std::uint32_t held_by_route(std::uint32_t node, Tick latency) const;
  std::uint32_t gone(std::uint32_t node);
  static Tick up(double t);

  const Graph& g_;
  Cuts cuts_;
  Lanes lanes_;
  MaxMin rates_;
  Tick now_ = 0;
  std::uint64_t sequence_ = 0, events_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> queue_;
  std::vector<State> state_;
  std::vector<program::Span> spans_;
  std::vector<Site> sites_, hosts_;
  std::vector<std::uint32_t> dirty_sites_, dirty_hosts_, maybe_idle_;
  std::deque<std::uint32_t> pokes_;
  std::vector<std::uint32_t> stream_done_, stream_taken_;  ///< of each stream: grains ended by `from`, taken by `to`
  std::vector<Lanes::Handover> handovers_;
  std::vector<double> row_busy_;
};

}  // namespace weft::simulate
