// links: given one by one, between ends (by index) and further nodes (by name). Fewest links first; ties by the order in
// the file, so that routes are the same everywhere. Circuits are links that carry a name ("0-1"): no route of its own uses
// them, only a move `via FABRIC:NAME`.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "weft/core/error.hpp"
#include "weft/core/registry.hpp"
#include "weft/core/suggest.hpp"
#include "weft/machine/fabric.hpp"

namespace weft::machine {
namespace {

constexpr std::uint32_t kTableNodes = 1024;  // beyond this a route is searched when asked for

class GivenLinks final : public Fabric {
 public:
  explicit GivenLinks(FabricInput& input);
  std::uint32_t own_nodes(std::uint32_t) const override { return static_cast<std::uint32_t>(nodes_.size()); }
  void prepare(std::uint32_t ends) override;
  void build(Graph& graph, std::span<const NodeId> ends, const FabricInstance& self) const override;
  bool route(const FabricInstance& self, std::uint32_t a, std::uint32_t b, std::vector<LinkId>& out) const override;
  bool circuit(const FabricInstance& self, std::string_view name, std::uint32_t a, std::uint32_t b,
               std::vector<LinkId>& out) const override;
  std::vector<std::string> circuits() const override;
  std::string node_name(std::uint32_t i) const override { return nodes_[i]; }
  double bisection(std::uint32_t ends, std::span<const LinkClass> classes) const override;
  int diameter(std::uint32_t ends) const override;
  std::vector<std::vector<std::uint32_t>> rotations(std::uint32_t) const override { return {}; }
  bool relays() const override { return relay_; }

 private:
  struct Given {
    std::int64_t from = 0, to = 0;  ///< end, or -1 - index into nodes_
    ClassId cls = 0;
    std::string circuit;
  };
  struct Half {
    std::uint32_t link, to;
  };
  std::int64_t place(ObjectReader& r, std::string_view key);
  bool add(const Given& given);
  void check_circuits(FabricInput& input) const;
  std::uint32_t local(std::int64_t place) const {
    return place >= 0 ? static_cast<std::uint32_t>(place) : ends_ + static_cast<std::uint32_t>(-1 - place);
  }
  /// Link by which each node is left on the way to `goal`; kNone where there is no way.
  std::vector<std::uint32_t> towards(std::uint32_t goal) const;

  std::vector<std::string> nodes_;
  std::vector<Given> links_;
  std::set<std::tuple<std::int64_t, std::int64_t, std::string>> known_;  ///< from, to, circuit
  bool relay_ = false;
  std::uint32_t ends_ = 0;
  std::vector<std::vector<Half>> out_, in_;
  std::vector<std::uint32_t> next_;  ///< [goal * nodes + node], while nodes <= kTableNodes
};

GivenLinks::GivenLinks(FabricInput& input) {
  nodes_ = input.reader.values_or<std::string>("nodes");
  relay_ = input.reader.boolean("relay");
  std::vector<std::string> names;
  std::vector<ClassId> classes;
  ObjectReader all = input.reader.object("classes");
  if (all.self().is_map()) {
    for (const std::string& name : all.self().keys()) {
      names.push_back(name);
      classes.push_back(input.link_class(all, name, name));
    }
  }
  for (ObjectReader& r : input.reader.list("links")) {
    Given given;
    given.from = place(r, "from");
    given.to = place(r, "to");
    const std::string cls = r.choice("class", names);
    const auto at = std::find(names.begin(), names.end(), cls);
    if (at != names.end()) given.cls = classes[static_cast<std::size_t>(at - names.begin())];
    given.circuit = r.optional<std::string>("circuit", "");
    if (!given.circuit.empty() && given.cls < input.classes.size()) input.classes[given.cls].circuit = true;
    const bool both = r.optional<bool>("both", true);
    if (given.from == given.to) r.fault_at("to", "a link from a place to itself");
    bool fresh = add(given);
    std::swap(given.from, given.to);
    if (both) fresh = add(given) && fresh;
    if (!fresh) {
      r.fault_at("to",
                 given.circuit.empty() ? "these two places are joined in this direction already"
                                       : "circuit '" + given.circuit + "' joins these two places already",
                 "one entry makes a link each way (`both: false`: one way only); parallel cables are one link of their "
                 "bandwidths' sum");
    }
  }
  check_circuits(input);
}

/// A class is of circuits or of links; an engine asks the class.
void GivenLinks::check_circuits(FabricInput& input) const {
  for (const Given& given : links_) {
    if (given.cls < input.classes.size() && input.classes[given.cls].circuit && given.circuit.empty()) {
      input.reader.fault_at("links",
                            "class '" + input.classes[given.cls].name + "' is used with and without a circuit's name",
                            "give circuits a class of their own");
      break;
    }
  }
}

/// False where the list has such a link already: routes take the first, so that a second would count in sums but carry
/// nothing.
bool GivenLinks::add(const Given& given) {
  links_.push_back(given);
  return known_.emplace(given.from, given.to, given.circuit).second || given.from == given.to;
}

std::int64_t GivenLinks::place(ObjectReader& r, std::string_view key) {
  const std::string text = r.string(key);
  const auto at = std::find(nodes_.begin(), nodes_.end(), text);
  if (at != nodes_.end()) return -1 - (at - nodes_.begin());
  const bool digits = !text.empty() && text.size() < 8 && text.find_first_not_of("0123456789") == std::string::npos;
  if (digits) return std::stoll(text);
  if (r.has(key)) r.fault_at(key, "unknown place '" + text + "'", "a child's number from 0, or a name under `nodes`");
  return 0;
}

void GivenLinks::prepare(std::uint32_t ends) {
  ends_ = ends;
  const std::size_t nodes = ends + nodes_.size();
  out_.assign(nodes, {});
  in_.assign(nodes, {});
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const Given& g = links_[i];
    for (const std::int64_t p : {g.from, g.to}) {
      if (p >= static_cast<std::int64_t>(ends)) {
        throw input_error("a link names child " + std::to_string(p) + " of " + std::to_string(ends), {},
                          "children count from 0");
      }
    }
    if (!g.circuit.empty()) continue;
    out_[local(g.from)].push_back({i, local(g.to)});
    in_[local(g.to)].push_back({i, local(g.from)});
  }
  next_.clear();
  if (nodes > kTableNodes) return;
  for (std::uint32_t goal = 0; goal < nodes; ++goal) {
    const auto column = towards(goal);
    next_.insert(next_.end(), column.begin(), column.end());
  }
}

std::vector<std::uint32_t> GivenLinks::towards(std::uint32_t goal) const {
  std::vector<std::uint32_t> by(out_.size(), kNone), far(out_.size(), kNone), queue{goal};
  far[goal] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t v = queue[head];
    if (v != goal && v < ends_ && !relay_) continue;
    for (const Half& h : in_[v]) {
      if (far[h.to] == kNone) {
        far[h.to] = far[v] + 1;
        queue.push_back(h.to);
      }
      if (far[h.to] == far[v] + 1) by[h.to] = std::min(by[h.to], h.link);
    }
  }
  return by;
}

void GivenLinks::build(Graph& graph, std::span<const NodeId> ends, const FabricInstance& self) const {
  const auto node = [&](std::int64_t place) {
    return place >= 0 ? ends[static_cast<std::size_t>(place)] : self.first_node + static_cast<NodeId>(-1 - place);
  };
  for (const Given& g : links_) graph.link(node(g.from), node(g.to), g.cls);
}

bool GivenLinks::route(const FabricInstance& self, std::uint32_t a, std::uint32_t b, std::vector<LinkId>& out) const {
  const std::size_t nodes = out_.size();
  const std::vector<std::uint32_t> searched = next_.empty() ? towards(b) : std::vector<std::uint32_t>{};
  const std::uint32_t* next = next_.empty() ? searched.data() : next_.data() + b * nodes;
  while (a != b) {
    const std::uint32_t link = next[a];
    if (link == kNone) return false;
    out.push_back(self.first_link + link);
    a = local(links_[link].to);
  }
  return true;
}

bool GivenLinks::circuit(const FabricInstance& self, std::string_view name, std::uint32_t a, std::uint32_t b,
                         std::vector<LinkId>& out) const {
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const Given& g = links_[i];
    if (g.circuit == name && g.from == static_cast<std::int64_t>(a) && g.to == static_cast<std::int64_t>(b)) {
      out.push_back(self.first_link + i);
      return true;
    }
  }
  return false;
}

std::vector<std::string> GivenLinks::circuits() const {
  std::vector<std::string> names;
  for (const Given& g : links_) {
    const bool known = std::find(names.begin(), names.end(), g.circuit) != names.end();
    if (!g.circuit.empty() && !known) names.push_back(g.circuit);
  }
  return names;
}

// Links that cross from the first half of the children to the rest, further nodes counted with the side that cuts less:
// an upper bound of the true bisection, exact where children are joined directly.
double GivenLinks::bisection(std::uint32_t ends, std::span<const LinkClass> classes) const {
  const std::size_t free = std::min<std::size_t>(nodes_.size(), 12);
  double least = -1;
  for (std::size_t sides = 0; sides < (std::size_t{1} << free); ++sides) {
    const auto left = [&](std::int64_t p) {
      return p >= 0 ? p < static_cast<std::int64_t>(ends / 2)
                    : (sides >> std::min<std::size_t>(63, static_cast<std::size_t>(-1 - p)) & 1U) != 0;
    };
    double cut = 0;
    for (const Given& g : links_) {
      if (g.circuit.empty() && left(g.from) && !left(g.to)) cut += classes[g.cls].bandwidth.value();
    }
    if (least < 0 || cut < least) least = cut;
  }
  return std::max(0.0, least);
}

int GivenLinks::diameter(std::uint32_t ends) const {
  int longest = 0;
  std::vector<LinkId> links;
  for (std::uint32_t b = 0; b < ends && ends <= kTableNodes; ++b) {
    for (std::uint32_t a = 0; a < ends; ++a) {
      links.clear();
      if (a != b && route({ends, 0, 0}, a, b, links)) longest = std::max(longest, static_cast<int>(links.size()));
    }
  }
  return longest;
}

const Registry<FabricKind>::Entry kLinks{"links",
                                         "links given one by one, shortest path",
                                         {[](FabricInput& i) { return std::make_unique<GivenLinks>(i); }},
                                         {{"classes", "link classes by name"},
                                          {"nodes", "names of switches", "none"},
                                          {"links", "from, to, class, both (default true), circuit (its name)"},
                                          {"relay", "may a child pass messages on"}}};

}  // namespace
}  // namespace weft::machine
