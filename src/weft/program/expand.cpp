// The walk over bodies, repeats and calls. Every round of a body has the same number of instances, so the instance that an
// edge names is found by arithmetic: position = base of the call + sum over levels of (round * size of body + offset).
#include "weft/program/expand.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/expand_bind.hpp"
#include "weft/program/expand_members.hpp"

namespace weft::program {
namespace {

constexpr std::uint64_t kMostInstances = 1ull << 31;
constexpr double kMostPlanned = 1.5e8;  ///< 32 B each
constexpr std::size_t kDeepestCalls = 64;

/// Where an item stands in its scope: the repeats around it, and its offset in each of their bodies.
struct Path {
  std::uint32_t scope = kNone;
  std::vector<std::uint32_t> repeats;
  std::vector<std::uint64_t> offsets;  ///< repeats.size() + 1
};

/// Sizes of all bodies and paths of all tasks and calls. Scope 0 is the program, scope k + 1 its block k.
class Layout {
 public:
  explicit Layout(const Program& p)
      : task(p.tasks.size()),
        call(p.calls.size()),
        repeat_size(p.repeats.size()),
        p_(p),
        block_size_(p.blocks.size()),
        state_(p.blocks.size(), 0) {
    for (std::uint32_t b = 0; b < p.blocks.size(); ++b) block_size(b);
    Path path{0, {}, {}};
    total = lay(p.body, path);
  }
  std::uint64_t block_size(std::uint32_t block) {
    if (state_[block] == 2) return block_size_[block];
    if (state_[block] == 1) form_fault(p_.blocks[block].name, 0, "the block calls itself");
    state_[block] = 1;
    Path path{block + 1, {}, {}};
    block_size_[block] = lay(p_.blocks[block].body, path);
    state_[block] = 2;
    return block_size_[block];
  }

  std::vector<Path> task, call;
  std::vector<std::uint64_t> repeat_size;
  std::uint64_t total = 0;

 private:
  std::uint64_t lay(const std::vector<Item>& body, Path& path) {
    std::uint64_t at = 0;
    for (const Item& item : body) {
      path.offsets.push_back(at);
      if (item.kind == Item::Kind::task) {
        task[item.index] = path;
        at += 1;
      } else if (item.kind == Item::Kind::call) {
        call[item.index] = path;
        at += block_size(p_.calls[item.index].block);
      } else {
        const Repeat& repeat = p_.repeats[item.index];
        path.repeats.push_back(item.index);
        repeat_size[item.index] = lay(repeat.body, path);
        path.repeats.pop_back();
        const auto rounds = static_cast<std::uint64_t>(std::max<std::int64_t>(repeat.rounds, 0));
        if (rounds > kMostInstances) throw limit_error("a repeat has more than 2^31 rounds");
        at += repeat_size[item.index] * rounds;
      }
      path.offsets.pop_back();
      if (at > kMostInstances) throw limit_error("the program expands to more than 2^31 tasks");
    }
    return at;
  }

  const Program& p_;
  std::vector<std::uint64_t> block_size_;
  std::vector<std::uint8_t> state_;
};

/// One call being expanded (or the program itself).
struct Frame {
  std::uint64_t base = 0;
  std::vector<std::int64_t> rounds;  ///< of the repeats entered, outermost first
  std::vector<InstanceEdge> edges;   ///< for tasks without an edge inside
  std::vector<InstanceId> first;     ///< tasks that took them
  std::uint32_t ordinal = kNone;
};

class Expander {
 public:
  Expander(const Program& p, std::uint32_t sites, Expansion& out)
      : p_(p), e_(out), layout_(p), members_(out), env_(p.vars.size(), 0), mark_(sites, 0) {
    e_.instances.reserve(layout_.total);
    waited_.reserve(layout_.total);
  }
  void run() {
    frames_.push_back({});
    environment();  // row 0: nothing set, for the program's own goals
    body(p_.body);
  }

 private:
  void body(const std::vector<Item>& items) {
    for (const Item& item : items) {
      if (item.kind == Item::Kind::task) task(item.index);
      if (item.kind == Item::Kind::call) call(item.index);
      if (item.kind == Item::Kind::repeat) repeat(p_.repeats[item.index]);
    }
  }

  void repeat(const Repeat& r) {
    frames_.back().rounds.push_back(0);
    for (std::int64_t round = 0; round < r.rounds; ++round) {
      frames_.back().rounds.back() = round;
      env_[r.var] = round;
      body(r.body);
    }
    frames_.back().rounds.pop_back();
    env_[r.var] = 0;
  }

  void task(TaskId id) {
    const Task& t = p_.tasks[id];
    Instance i;
    i.task = id;
    i.environment = environment();
    i.call = frames_.back().ordinal;
    i.first = static_cast<std::uint32_t>(e_.members.size());
    members_.append(id, env_.data());
    i.count = static_cast<std::uint32_t>(e_.members.size()) - i.first;
    i.first_edge = static_cast<std::uint32_t>(e_.edges.size());
    const auto self = static_cast<InstanceId>(e_.instances.size());
    e_.instances.push_back(i);
    waited_.push_back(0);
    for (const Edge& edge : t.edges) {
      const std::size_t from = e_.edges.size();
      resolve(edge, t.name, t.line, layout_.task[id], self, e_.edges);
      finish_edges(from);
      check_binds(t, edge, from);
    }
    if (e_.edges.size() == i.first_edge) inherit(self);
    e_.instances.back().edges = static_cast<std::uint32_t>(e_.edges.size()) - i.first_edge;
  }

  /// A task without an edge inside its block waits for what the call waits for.
  void inherit(InstanceId self) {
    Frame& frame = frames_.back();
    frame.first.push_back(self);
    const std::size_t from = e_.edges.size();
    e_.edges.insert(e_.edges.end(), frame.edges.begin(), frame.edges.end());
    finish_edges(from);
  }

  void finish_edges(std::size_t from) {
    for (std::size_t k = from; k < e_.edges.size(); ++k) {
      InstanceEdge& edge = e_.edges[k];
      edge.all = edge.all || binds_all(e_.task(e_.instances[edge.on]), e_.task(e_.instances.back()));
      waited_[edge.on] = 1;
    }
  }

  void call(std::uint32_t id) {
    const Call& c = p_.calls[id];
    const Block& block = p_.blocks[c.block];
    if (frames_.size() > kDeepestCalls) form_fault(c.name, c.line, "calls are nested too deeply");
    if (c.arguments.size() != block.parameters.size()) {
      form_fault(c.name, c.line,
                 fmt::format("block {} has {} parameters, the call gives {}", block.name, block.parameters.size(),
                             c.arguments.size()));
    }
    Frame frame;
    frame.base = e_.instances.size();
    frame.ordinal = calls_++;
    for (const Edge& edge : c.edges)
      resolve(edge, c.name, c.line, layout_.call[id], static_cast<InstanceId>(frame.base), frame.edges);
    const bool own = !frame.edges.empty();
    if (!own) frame.edges = frames_.back().edges;
    const std::vector<std::int64_t> saved = env_;
    std::vector<std::int64_t> values;
    for (const IndexExpr& argument : c.arguments) values.push_back(argument.eval(env_.data()));
    for (std::size_t k = 0; k < values.size(); ++k) env_[block.parameters[k]] = values[k];
    frames_.push_back(std::move(frame));
    body(block.body);
    frame = std::move(frames_.back());
    frames_.pop_back();
    if (own) check_call_binds(c, frame);
    if (!own) frames_.back().first.insert(frames_.back().first.end(), frame.first.begin(), frame.first.end());
    finish(id, frame);
    env_ = saved;
  }

  void finish(std::uint32_t id, const Frame& frame) {
    std::vector<InstanceId>& last = last_[{id, frame.base}];
    for (std::uint64_t k = frame.base; k < e_.instances.size(); ++k) {
      if (waited_[k] == 0) last.push_back(static_cast<InstanceId>(k));
    }
    e_.call_ends.push_back({p_.calls[id].block, static_cast<InstanceId>(e_.instances.size()), environment()});
  }

  /// Appends the instances that an edge names. `self` is the number of the task (or of the call's first task) that has it.
  void resolve(const Edge& edge, const std::string& name, int line, const Path& mine, InstanceId self,
               std::vector<InstanceEdge>& out) {
    const int at = edge.line > 0 ? edge.line : line;
    const std::size_t known = edge.call ? layout_.call.size() : layout_.task.size();
    if (edge.on >= known) form_fault(name, at, "an edge names an unknown task");
    const Path& path = edge.call ? layout_.call[edge.on] : layout_.task[edge.on];
    const std::string& target = edge.call ? p_.calls[edge.on].name : p_.tasks[edge.on].name;
    if (path.scope != mine.scope)
      form_fault(name, at, fmt::format("its edge names {}, which stands in another block", target));
    const std::optional<std::uint64_t> position = locate(edge, name, at, target, mine, path);
    if (!position) return;
    InstanceEdge bound{0, edge.kind, edge.all, edge.grain, edge.window};
    if (!edge.call) {
      if (*position >= self) {
        form_fault(name, at, fmt::format("its edge names {}, which comes later in the list", target),
                   "edges point back: write the task it waits for first, or say `of i-1`");
      }
      bound.on = static_cast<InstanceId>(*position);
      out.push_back(bound);
      return;
    }
    const auto last = last_.find({edge.on, *position});
    if (last == last_.end()) {
      form_fault(name, at, fmt::format("its edge names the call {}, which comes later in the list", target),
                 "edges point back: write the call it waits for first, or say `of i-1`");
    }
    for (InstanceId on : last->second) {
      bound.on = on;
      out.push_back(bound);
    }
  }

  /// Position of what an edge names; nothing where `of i-k` reaches before the first round.
  std::optional<std::uint64_t> locate(const Edge& edge, const std::string& name, int line, const std::string& target,
                                      const Path& mine, const Path& path) {
    std::size_t common = 0;
    while (common < std::min(mine.repeats.size(), path.repeats.size()) && mine.repeats[common] == path.repeats[common])
      ++common;
    if (edge.back != 0 && common == 0)
      form_fault(name, line, fmt::format("its edge names an earlier round of {}, and no repeat holds both", target));
    std::uint64_t position = frames_.back().base + path.offsets[0];
    for (std::size_t level = 0; level < path.repeats.size(); ++level) {
      std::int64_t round = p_.repeats[path.repeats[level]].rounds - 1;
      if (level < common) round = frames_.back().rounds[level];
      if (level + 1 == common) round -= edge.back;
      if (round < 0) {
        if (level < common) return std::nullopt;
        form_fault(name, line, fmt::format("its edge binds nothing: {} is repeated 0 times", target));
      }
      position +=
          static_cast<std::uint64_t>(round) * layout_.repeat_size[path.repeats[level]] + path.offsets[level + 1];
    }
    return position;
  }

  void check_binds(const Task& t, const Edge& written, std::size_t from) {
    const Instance& mine = e_.instances.back();
    for (std::size_t k = from; k < e_.edges.size(); ++k) {
      const InstanceEdge& edge = e_.edges[k];
      const Instance& on = e_.instances[edge.on];
      if (edge.all || on.count == 0 || mine.count == 0 || meets(on, mine, edge.kind)) return;
    }
    if (from == e_.edges.size()) return;
    const std::string& target = written.call ? p_.calls[written.on].name : p_.tasks[written.on].name;
    form_fault(t.name, written.line > 0 ? written.line : t.line,
               fmt::format("its edge to {} binds nothing: no member of the two shares a site", target),
               "`after all` waits for every member");
  }

  /// True when some member of `to` is bound to one of `from`.
  bool meets(const Instance& from, const Instance& to, Edge::Kind kind) {
    const Task &a = e_.task(from), &b = e_.task(to);
    ++epoch_;
    const auto mark = [&](std::span<const SiteId> sites) {
      for (SiteId s : sites) mark_[s] = epoch_;
    };
    const auto hit = [&](std::span<const SiteId> sites) {
      return std::ranges::any_of(sites, [&](SiteId s) { return mark_[s] == epoch_; });
    };
    for (const Member& m : e_.of(from)) {
      if (kind == Edge::Kind::after) mark(sources_of(e_, a, m));
      mark(destinations_of(e_, a, m));
    }
    for (const Member& m : e_.of(to)) {
      if (hit(sources_of(e_, b, m)) || (kind == Edge::Kind::after && hit(destinations_of(e_, b, m)))) return true;
    }
    return false;
  }

  void check_call_binds(const Call& c, const Frame& frame) {
    for (const InstanceEdge& edge : frame.edges) {
      for (InstanceId first : frame.first) {
        const Instance& to = e_.instances[first];
        const Instance& from = e_.instances[edge.on];
        if (edge.all || binds_all(e_.task(from), e_.task(to)) || meets(from, to, edge.kind)) return;
      }
    }
    if (!frame.first.empty()) {
      form_fault(c.name, c.line,
                 "its edges bind nothing: no first task of the block shares a site with what it waits for");
    }
  }

  std::uint32_t environment() {
    if (e_.environments.empty() || last_env_ != env_) {
      last_row_ = static_cast<std::uint32_t>(e_.environments.size());
      e_.environments.insert(e_.environments.end(), env_.begin(), env_.end());
      if (env_.empty()) e_.environments.push_back(0);
      last_env_ = env_;
    }
    return last_row_;
  }

  const Program& p_;
  Expansion& e_;
  Layout layout_;
  MemberWriter members_;
  std::vector<std::int64_t> env_, last_env_;
  std::uint32_t last_row_ = 0, calls_ = 0, epoch_ = 0;
  std::vector<Frame> frames_;
  std::vector<std::uint8_t> waited_;
  std::vector<std::uint32_t> mark_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<InstanceId>> last_;
};

void check_spaces(const Program& p, std::uint32_t sites) {
  for (const Space& space : p.spaces) {
    if (!space.listed.empty() && static_cast<std::int64_t>(space.listed.size()) != space.size()) {
      form_fault(space.name, 0, fmt::format("{} sites are listed for a box of {}", space.listed.size(), space.size()));
    }
    std::vector<std::uint32_t> sorted = space.listed;
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
      form_fault(space.name, 0, fmt::format("site {} is listed twice", *twice));
    }
    std::int64_t most = static_cast<std::int64_t>(space.first) + space.size();
    for (std::uint32_t s : space.listed) most = std::max<std::int64_t>(most, std::int64_t{s} + 1);
    if (most > static_cast<std::int64_t>(sites)) {
      throw infeasible_error(
          fmt::format("the program's sites {} reach to site {}, and the machine has {}", space.name, most - 1, sites),
          "choose a larger machine, or a program for fewer sites");
    }
  }
}

/// At most so many members; a double, for what nobody can expand.
double members_bound(const Program& p, const std::vector<Item>& body) {
  double n = 0;
  for (const Item& item : body) {
    if (item.kind == Item::Kind::call) {
      n += members_bound(p, p.blocks[p.calls[item.index].block].body);
    } else if (item.kind == Item::Kind::repeat) {
      const Repeat& repeat = p.repeats[item.index];
      n += static_cast<double>(std::max<std::int64_t>(repeat.rounds, 0)) * members_bound(p, repeat.body);
    } else {
      const Task& t = p.tasks[item.index];
      double more = 1;
      for (const SetIndex& index : t.over) more *= static_cast<double>(std::max<std::int64_t>(index.hi - index.lo, 0));
      n += t.table != kNone ? static_cast<double>(p.tables[t.table].rows.size()) : more;
    }
  }
  return n;
}

}  // namespace

Expansion expand(const Program& program, std::uint32_t sites) {
  check_spaces(program, sites);
  const double bound = members_bound(program, program.body);
  if (bound > kMostPlanned) {
    throw limit_error(fmt::format("the program expands to some {:.3g} plain tasks, and {:.0f} million can be held",
                                  bound, kMostPlanned / 1e6),
                      "a smaller shape, fewer ranks or fewer rounds");
  }
  Expansion e;
  e.program = &program;
  Expander expander(program, sites, e);
  // Room for all at once, so that a million-move program does not hold two copies while it grows.
  e.members.reserve(static_cast<std::size_t>(std::min(bound, 7e7)));
  expander.run();
  return e;
}

}  // namespace weft::program
