// Machine file (docs/machines.md) -> MachineSpec.
#include <algorithm>

#include "weft/core/error.hpp"
#include "weft/core/registry.hpp"
#include "weft/machine/kernel_ops.hpp"
#include "weft/machine/spec.hpp"

namespace weft::machine {
namespace {

constexpr double kLongest = 1000;  ///< seconds; of any time in a file

class Reader {
 public:
  explicit Reader(const Document& document) : top_(document.root()) {}
  MachineSpec read();

 private:
  std::string source(ObjectReader& r, const std::string& what, std::initializer_list<std::string_view> keys);
  Seconds time(ObjectReader& r, std::string_view key, bool required);
  void execution();
  void sources();
  void transports();
  std::unique_ptr<ComponentSpec> component(ObjectReader r, int depth);
  FabricSpec fabric(ObjectReader r, bool of_leaves);
  std::unique_ptr<LeafSpec> leaf(ObjectReader& r, const std::string& name);
  void rates(ObjectReader& r, std::string_view key, std::array<double, kDTypes>& into, const std::string& leaf);
  void kernels(ObjectReader& r, LeafSpec& leaf);

  ObjectReader top_;
  MachineSpec spec_;
};

std::string value_text(ObjectReader& r, std::string_view key) {
  const Node* node = r.node(key);
  return node != nullptr && node->is_scalar() ? node->text() : std::string();
}

/// A required `source` beside figures; records each of the figures present.
std::string Reader::source(ObjectReader& r, const std::string& what, std::initializer_list<std::string_view> keys) {
  std::string text = r.string("source");
  for (const std::string_view key : keys) {
    if (r.has(key)) spec_.figures.push_back({what + " " + std::string(key), value_text(r, key), text});
  }
  return text;
}

MachineSpec Reader::read() {
  const std::string format = top_.string("weft");
  if (top_.has("weft") && format != "machine/1") {
    top_.fault_at("weft", "format '" + format + "' is not a machine file", "weft: machine/1");
  }
  spec_.name = top_.string("name");
  spec_.about = top_.optional<std::string>("about", "");
  if (auto clock = top_.maybe_object("clock")) {
    spec_.clock = clock->required<Hertz>("frequency");
    spec_.ticks_per_cycle = static_cast<double>(clock->optional<std::uint32_t>("ticks_per_cycle", 1));
    if (spec_.clock->value() <= 0 && clock->has("frequency")) clock->fault_at("frequency", "a clock that stands still");
    if (spec_.ticks_per_cycle < 1) clock->fault_at("ticks_per_cycle", "no tick in a cycle", "a whole number from 1");
    source(*clock, "clock", {"frequency"});
  }
  execution();
  transports();
  spec_.root = component(top_.object("machine"), 0);
  if (auto out = top_.maybe_object("scale_out")) {
    spec_.scale_out = std::make_unique<FabricSpec>(fabric(*out, false));
  }
  spec_.failed = top_.values_or<std::string>("failed");
  spec_.failed_node = top_.node("failed");
  sources();
  top_.finish();
  return std::move(spec_);
}

void resolve_leaves(ComponentSpec* c, const std::function<void(std::string&)>& resolve) {
  if (c == nullptr) return;
  for (ChildSpec& child : c->children) resolve_leaves(child.component.get(), resolve);
  if (!c->leaf) return;
  resolve(c->leaf->cls.source);
  for (MemoryTier& tier : c->leaf->cls.tiers) resolve(tier.source);
}

/// `sources:` gives long names of sources once; a `source` that is one of its keys stands for its text.
void Reader::sources() {
  auto r = top_.maybe_object("sources");
  if (!r || !r->self().is_map()) return;
  std::map<std::string, std::pair<std::string, bool>> texts;
  for (const std::string& key : r->self().keys()) texts[key] = {r->string(key), false};
  const std::function<void(std::string&)> resolve = [&](std::string& source) {
    const auto found = texts.find(source);
    if (found == texts.end()) return;
    found->second.second = true;
    source = found->second.first;
  };
  for (LinkClass& c : spec_.classes) resolve(c.source);
  for (Transport& t : spec_.transports) resolve(t.source);
  for (SourcedFigure& f : spec_.figures) resolve(f.source);
  resolve_leaves(spec_.root.get(), resolve);
  for (const auto& [key, text] : texts) {
    if (!text.second) r->fault_at(key, "no figure names the source '" + key + "'", "leave it out");
  }
}

/// A time that engines can count; left out where it is not required, it is zero.
Seconds Reader::time(ObjectReader& r, std::string_view key, bool required) {
  const auto t = required ? r.required<Seconds>(key) : r.optional<Seconds>(key, Seconds(0));
  if (t.value() > kLongest) r.fault_at(key, "a time above 1000 s", "is the unit right? launches take microseconds");
  return t;
}

void Reader::execution() {
  ObjectReader r = top_.object("execution");
  spec_.launch = time(r, "launch", true);
  spec_.barrier = time(r, "barrier", true);
  spec_.barrier_per_doubling = time(r, "barrier_per_doubling", false);
  spec_.overlap = r.boolean("overlap");
  source(r, "execution", {"launch", "barrier", "barrier_per_doubling", "overlap"});
  if (auto circuit = top_.maybe_object("circuit")) {
    spec_.reconfiguration = time(*circuit, "reconfiguration", true);
    source(*circuit, "circuit", {"reconfiguration"});
  }
  if (auto colours = top_.maybe_object("colours")) {
    spec_.colours = colours->required<int>("count");
    if (colours->has("count") && *spec_.colours < 1) colours->fault_at("count", "no colour", "a whole number from 1");
    source(*colours, "colours", {"count"});
  }
}

/// The first row that serves is taken, so that a second one alike would never be.
bool same_row(const Transport& a, const Transport& b) {
  return a.name == b.name && a.fabric == b.fabric && a.smallest == b.smallest && a.largest == b.largest &&
         a.operation_smallest == b.operation_smallest && a.operation_largest == b.operation_largest;
}

void Reader::transports() {
  for (ObjectReader& r : top_.list_or_empty("transports")) {
    Transport t;
    t.name = r.string("name");
    t.fabric = r.optional<std::string>("fabric", "");
    t.start = time(r, "start", true);
    t.grain_start = time(r, "grain_start", false);
    t.rate_limit = r.optional<BytesPerSecond>("rate_limit", BytesPerSecond(0));
    t.efficiency = read_efficiency(r, "efficiency");
    t.grain = r.optional<Bytes>("grain", Bytes(0));
    t.slots = r.optional<int>("slots", 0);
    t.sms = r.optional<int>("sms", 0);
    t.smallest = r.optional<Bytes>("smallest", t.smallest);
    t.largest = r.optional<Bytes>("largest", t.largest);
    t.operation_smallest = r.optional<Bytes>("operation_smallest", t.operation_smallest);
    t.operation_largest = r.optional<Bytes>("operation_largest", t.operation_largest);
    if (t.smallest > t.largest) r.fault_at("largest", "serves no size: smallest is above largest");
    if (t.slots < 0) r.fault_at("slots", "a negative count");
    if (t.sms < 0) r.fault_at("sms", "a negative count");
    t.source = source(r, "transport " + t.name + (t.fabric.empty() ? "" : " on " + t.fabric),
                      {"start", "grain_start", "rate_limit", "efficiency", "grain", "slots", "sms"});
    const auto same = [&](const Transport& o) { return same_row(t, o); };
    if (std::any_of(spec_.transports.begin(), spec_.transports.end(), same))
      r.fault_at("name", "transport '" + t.name + "' is given twice for the same fabric and sizes", "one row for each");
    spec_.transports.push_back(std::move(t));
  }
}

std::unique_ptr<ComponentSpec> Reader::component(ObjectReader r, int depth) {
  auto c = std::make_unique<ComponentSpec>();
  c->name = r.string("name");
  c->node = &r.self();
  if (depth > 16) {
    r.fault("components are nested deeper than 16 levels");
    return c;
  }
  if (!r.has("children")) {
    c->leaf = leaf(r, c->name);
    return c;
  }
  bool of_leaves = true;
  for (ObjectReader& child : r.list("children")) {
    ChildSpec spec;
    spec.node = &child.self();
    if (child.has("count")) {
      spec.count = child.integer("count");
      if (spec.count < 1) child.fault_at("count", "a count of " + std::to_string(spec.count), "a whole number from 1");
    }
    spec.component = component(child.object("component"), depth + 1);
    of_leaves = of_leaves && spec.component->leaf != nullptr;
    c->children.push_back(std::move(spec));
  }
  if (c->children.empty() && r.has("children")) r.fault_at("children", "no children");
  if (r.has("fabrics")) {
    for (ObjectReader& f : r.list("fabrics")) c->fabrics.push_back(fabric(f, of_leaves));
  } else {
    c->fabrics.push_back(fabric(r.object("fabric"), of_leaves));
  }
  return c;
}

FabricSpec Reader::fabric(ObjectReader r, bool of_leaves) {
  FabricSpec f;
  f.node = &r.self();
  f.name = r.string("name");
  const auto& kinds = Registry<FabricKind>::instance();
  const std::string kind = r.choice("kind", kinds.names());
  const std::string ends =
      of_leaves ? r.choice("ends", {"leaves", "nics", "hubs"}, "leaves") : r.choice("ends", {"leaves", "nics", "hubs"});
  f.ends = ends == "nics" ? Ends::nics : ends == "hubs" ? Ends::hubs : Ends::leaves;
  FabricInput input{r, spec_.classes, spec_.figures, f.name};
  if (f.ends == Ends::nics) {
    f.share = r.required<std::uint32_t>("share");
    if (r.has("share") && f.share < 1) r.fault_at("share", "a NIC for no leaf", "leaves to a NIC, from 1");
    f.nic_link = input.link_class(r, "nic_link", f.name + "-nic");
  }
  const auto* item = kinds.try_find(kind);
  if (item == nullptr) return f;
  f.shaped = item->payload.shaped;
  f.fabric = item->payload.make(input);
  return f;
}

void Reader::rates(ObjectReader& r, std::string_view key, std::array<double, kDTypes>& into, const std::string& leaf) {
  auto map = r.maybe_object(key);
  if (!map || !map->self().is_map()) return;
  const std::string text = map->string("source");
  for (const std::string& type : map->self().keys()) {
    const auto known = find_dtype(type);
    if (!known) continue;
    const auto rate = map->required<FlopsPerSecond>(type);
    if (!(rate.value() > 0)) map->fault_at(type, "a rate of zero", "leave the type out instead");
    into[static_cast<std::size_t>(*known)] = rate.value();
    spec_.figures.push_back({leaf + " " + std::string(key) + " " + type, value_text(*map, type), text});
  }
}

void Reader::kernels(ObjectReader& r, LeafSpec& leaf) {
  ObjectReader all = r.object("kernels");
  if (!all.self().is_map() || !r.has("kernels")) return;
  const auto& ops = Registry<KernelOp>::instance();
  const auto& models = Registry<CostModelKind>::instance();
  for (const std::string& op : all.self().keys()) {
    if (op != "any" && ops.try_find(op) == nullptr) {
      std::vector<std::string> names = ops.names();
      names.emplace_back("any");
      all.fault_at(op, "unknown kernel '" + op + "'", did_you_mean(op, names));
      all.ignore(op);
      continue;
    }
    ObjectReader one = all.object(op);
    const std::string model = one.choice("model", models.names());
    const auto* item = models.try_find(model);
    if (item == nullptr) continue;
    leaf.models[op] = item->payload.make(one);
    const std::string text = one.string("source");
    if (!one.self().is_map()) continue;
    for (const std::string& key : one.self().keys()) {
      const Node* node = one.self().find(key);
      if (key == "source" || key == "model" || node == nullptr || !node->is_scalar()) continue;
      spec_.figures.push_back({leaf.cls.name + " " + op + " " + key, node->text(), text});
    }
  }
}

std::unique_ptr<LeafSpec> Reader::leaf(ObjectReader& r, const std::string& name) {
  auto leaf = std::make_unique<LeafSpec>();
  leaf->cls.name = name;
  for (ObjectReader& m : r.list("memory")) {
    MemoryTier tier;
    tier.name = m.string("name");
    tier.capacity = m.required<Bytes>("capacity");
    tier.bandwidth = m.required<BytesPerSecond>("bandwidth");
    if (m.has("bandwidth") && !(tier.bandwidth.value() > 0)) {
      m.fault_at("bandwidth", "a memory of no bandwidth", "more than 0 B/s");
    } else if (m.has("bandwidth") && tier.bandwidth.value() < 1) {
      m.fault_at("bandwidth", "a memory of less than 1 B/s", "is the unit right?");
    }
    tier.source = source(m, name + " " + tier.name, {"capacity", "bandwidth"});
    leaf->cls.tiers.push_back(std::move(tier));
  }
  if (leaf->cls.tiers.empty() && r.has("memory")) r.fault_at("memory", "no memory tier", "at least one");
  ObjectReader rate = r.object("rates");
  rates(rate, "matrix", leaf->figures.matrix, name);
  rates(rate, "vector", leaf->figures.vector, name);
  kernels(r, *leaf);
  leaf->cls.source = r.optional<std::string>("source", "");
  if (!leaf->cls.tiers.empty()) leaf->figures.memory = leaf->cls.tiers.front().bandwidth.value();
  return leaf;
}

}  // namespace

ClassId FabricInput::link_class(ObjectReader& from, std::string_view key, std::string fallback) {
  ObjectReader r = from.object(key);
  LinkClass c;
  c.name = r.optional<std::string>("name", std::move(fallback));
  c.bandwidth = r.required<BytesPerSecond>("bandwidth");
  if (r.has("bandwidth") && !(c.bandwidth.value() > 0)) {
    r.fault_at("bandwidth", "a link of no bandwidth", "more than 0 B/s");
  } else if (r.has("bandwidth") && c.bandwidth.value() < 1) {
    r.fault_at("bandwidth", "a link of less than 1 B/s", "is the unit right?");
  }
  c.latency = r.required<Seconds>("latency");
  if (c.latency.value() > kLongest) r.fault_at("latency", "a time above 1000 s", "is the unit right?");
  c.energy = r.optional<JoulesPerBit>("energy", JoulesPerBit(0));
  if (auto frame = r.maybe_object("frame")) {
    c.framing.payload = frame->required<Bytes>("payload");
    c.framing.time = frame->required<Seconds>("time");
    if (frame->has("payload") && c.framing.payload.value() < 1) frame->fault_at("payload", "a frame without payload");
    if (frame->has("time") && !(c.framing.time.value() > 0)) frame->fault_at("time", "a frame that takes no time");
  }
  c.injection = r.optional<bool>("injection", false);
  c.multicast = r.optional<bool>("multicast", false);
  c.reduces = r.optional<bool>("reduces", false);
  c.honours_weights = r.optional<bool>("honours_weights", true);
  c.source = r.string("source");
  for (const std::string_view figure : {"bandwidth", "latency", "energy"}) {
    if (r.has(figure)) figures.push_back({c.name + " " + std::string(figure), value_text(r, figure), c.source});
  }
  if (classes.size() >= 60000) throw input_error("more than 60000 link classes");
  const auto same = std::find_if(classes.begin(), classes.end(), [&](const LinkClass& o) { return o.name == c.name; });
  if (same != classes.end()) c.name += "-" + std::to_string(classes.size());
  classes.push_back(std::move(c));
  return static_cast<ClassId>(classes.size() - 1);
}

MachineSpec read_machine(const Document& document) {
  return Reader(document).read();
}

}  // namespace weft::machine
