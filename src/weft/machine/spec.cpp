// What the command line changes in a machine: copies, shape, `--set` words.
#include "weft/machine/spec.hpp"

#include <algorithm>
#include <set>
#include <type_traits>

#include "weft/core/error.hpp"

namespace weft::machine {
namespace {

constexpr std::uint64_t kMostSites = 2'000'000;

template <class Component, class Visit>
void each_component(Component& c, const Visit& visit) {
  visit(c);
  for (const ChildSpec& child : c.children) each_component(*child.component, visit);
}

template <class Q>
Q value_of(const std::string& path, const std::string& text) {
  auto value = parse_quantity<Q>(text);
  if (!value) throw usage_error("--set " + path + "=" + text + ": " + value.error());
  if constexpr (std::is_same_v<Q, Seconds>) {
    if (value->value() > 1000) throw usage_error("--set " + path + "=" + text + ": a time above 1000 s");
  }
  return *value;
}

std::uint64_t leaves_of(const ComponentSpec& root, const LeafSpec* wanted) {
  if (root.leaf) return root.leaf.get() == wanted ? 1 : 0;
  std::uint64_t total = 0;
  for (const ChildSpec& child : root.children) total += child_count(root, child) * leaves_of(*child.component, wanted);
  return total;
}

/// How many sites of the whole machine have a tier of this name.
std::uint64_t sites_with(MachineSpec& spec, const std::string& tier) {
  std::uint64_t sites = 0;
  each_component(*spec.root, [&](ComponentSpec& c) {
    if (!c.leaf) return;
    const auto& tiers = c.leaf->cls.tiers;
    const bool has = std::any_of(tiers.begin(), tiers.end(), [&](const MemoryTier& t) { return t.name == tier; });
    if (has) sites += leaves_of(*spec.root, c.leaf.get());
  });
  return sites;
}

bool set_tier(MachineSpec& spec, const std::string& path, const std::string& tier, bool bandwidth,
              const std::string& value) {
  const std::uint64_t sites = sites_with(spec, tier);
  if (sites == 0) return false;
  const double share = bandwidth
                           ? value_of<BytesPerSecond>(path, value).value() / static_cast<double>(sites)
                           : static_cast<double>(value_of<Bytes>(path, value).value()) / static_cast<double>(sites);
  if (!(share > 0)) throw usage_error("--set " + path + "=" + value + ": more than zero is wanted");
  each_component(*spec.root, [&](ComponentSpec& c) {
    if (!c.leaf) return;
    for (MemoryTier& t : c.leaf->cls.tiers) {
      if (t.name != tier) continue;
      (bandwidth ? (void)(t.bandwidth = BytesPerSecond(share)) : (void)(t.capacity = Bytes(share)));
      t.source = "--set " + path + "=" + value;
    }
    c.leaf->figures.memory = c.leaf->cls.tiers.front().bandwidth.value();
  });
  return true;
}

bool set_link(MachineSpec& spec, const std::string& path, const std::string& name, bool bandwidth,
              const std::string& value) {
  bool found = false;
  for (LinkClass& c : spec.classes) {
    if (c.name != name) continue;
    found = true;
    c.source = "--set " + path + "=" + value;
    if (!bandwidth) {
      c.latency = value_of<Seconds>(path, value);
      continue;
    }
    const auto rate = value_of<BytesPerSecond>(path, value);
    if (!(rate.value() >= 1)) throw usage_error("--set " + path + "=" + value + ": at least 1 B/s is wanted");
    if (c.framing.payload.value() > 0) c.framing.time = c.framing.time * (c.bandwidth / rate);
    c.bandwidth = rate;
  }
  return found;
}

}  // namespace

std::uint64_t child_count(const ComponentSpec& parent, const ChildSpec& child) {
  if (child.count > 0) return static_cast<std::uint64_t>(child.count);
  const FabricSpec& f = parent.fabrics.front();
  const std::uint64_t wanted = f.fabric->wanted_ends();
  if (wanted == 0 || parent.children.size() != 1 || f.ends == Ends::nics) {
    throw Error(
        child.node->diagnostic("how many children? `count` may be left out only for the one kind of child of a "
                               "fabric with a shape",
                               "count: 8"));
  }
  return f.ends == Ends::leaves ? wanted / std::max<std::uint64_t>(1, leaves(*child.component)) : wanted;
}

std::uint64_t leaves(const ComponentSpec& component) {
  if (component.leaf) return 1;
  std::uint64_t total = 0;
  for (const ChildSpec& child : component.children) {
    const std::uint64_t each = leaves(*child.component), count = child_count(component, child);
    if (count > kMostSites || each * count > kMostSites || total + each * count > kMostSites) {
      Diagnostic d = child.node->diagnostic("more than 2 million sites", "a smaller count, shape or number of copies");
      d.kind = ErrorKind::limit;
      throw Error(std::move(d));
    }
    total += each * count;
  }
  return total;
}

std::uint64_t children(const ComponentSpec& parent) {
  std::uint64_t total = 0;
  for (const ChildSpec& child : parent.children) total += child_count(parent, child);
  return total;
}

void scale_out(MachineSpec& spec, std::int64_t copies) {
  if (copies < 1) throw usage_error("'*" + std::to_string(copies) + "' joins no machines", "a whole number from 1");
  if (copies == 1) return;
  if (!spec.scale_out) {
    throw usage_error("machine '" + spec.name + "' names no scale-out fabric, so it cannot be joined with '*'",
                      "add `scale_out:` to its file");
  }
  auto cluster = std::make_unique<ComponentSpec>();
  cluster->name = "cluster";
  cluster->level = false;
  cluster->node = spec.scale_out->node;
  cluster->fabrics.push_back(std::move(*spec.scale_out));
  spec.scale_out.reset();
  cluster->children.push_back({copies, std::move(spec.root), cluster->node});
  spec.root = std::move(cluster);
  spec.name += "*" + std::to_string(copies);
}

void reshape(MachineSpec& spec, const std::vector<std::int64_t>& shape) {
  ComponentSpec* c = spec.root.get();
  while (c != nullptr && !c->leaf) {
    for (FabricSpec& f : c->fabrics) {
      if (!f.shaped) continue;
      f.fabric->reshape(shape);
      if (c->children.size() == 1 && f.ends != Ends::nics) c->children.front().count = 0;
      return;
    }
    c = c->children.front().component.get();
  }
  throw usage_error("machine '" + spec.name + "' has no shape to set", "--shape is for meshes and tori");
}

bool set_short(MachineSpec& spec, const std::string& path, const std::string& value) {
  if (path == "colours") {
    const bool digits =
        !value.empty() && value.size() < 7 && value.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || std::stoi(value) < 1) throw usage_error("--set colours=" + value, "a whole number from 1");
    if (!spec.colours) throw usage_error("--set colours: machine '" + spec.name + "' has no colours");
    spec.colours = std::stoi(value);
    return true;
  }
  if (path == "circuit.reconfiguration") {
    if (std::none_of(spec.classes.begin(), spec.classes.end(), [](const LinkClass& c) { return c.circuit; })) {
      throw usage_error("--set circuit.reconfiguration: machine '" + spec.name + "' has no circuits");
    }
    spec.reconfiguration = value_of<Seconds>(path, value);
    return true;
  }
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || path.find('.') != dot) return false;
  const std::string what = path.substr(0, dot), figure = path.substr(dot + 1);
  if (figure == "bandwidth" || figure == "capacity") {
    if (set_tier(spec, path, what, figure == "bandwidth", value)) return true;
  }
  return (figure == "bandwidth" || figure == "latency") && set_link(spec, path, what, figure == "bandwidth", value);
}

std::vector<std::string> short_words(const MachineSpec& spec) {
  std::set<std::string> words;
  if (spec.colours) words.insert("colours");
  for (const LinkClass& c : spec.classes) {
    if (c.circuit) words.insert("circuit.reconfiguration");
    words.insert(c.name + ".bandwidth");
    words.insert(c.name + ".latency");
  }
  each_component(*spec.root, [&](const ComponentSpec& c) {
    if (!c.leaf) return;
    for (const MemoryTier& t : c.leaf->cls.tiers) words.insert({t.name + ".bandwidth", t.name + ".capacity"});
  });
  return {words.begin(), words.end()};
}

}  // namespace weft::machine
