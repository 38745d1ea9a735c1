// Layouts: reading, what must divide, what must fit.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "weft/compile/compile.hpp"

namespace weft::compile {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30U;    ///< of batch and seq
constexpr std::int64_t kBeyond = std::int64_t{1} << 56U;  ///< elements that no memory holds; larger counts stop here

/// Product of counts, not above kBeyond: what is refused for its size must not wrap round to something small.
std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t all = 1;
  for (const std::int64_t f : factors) {
    if (__builtin_mul_overflow(all, f, &all) || all > kBeyond) return kBeyond;
  }
  return all;
}

std::int64_t degree(std::string_view text, std::string_view whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 1'000'000) {
    throw usage_error(fmt::format("'{}' in layout '{}' is not a degree", text, whole),
                      "a whole number from 1, as in tp=8,ep=16,pp=1,dp=2");
  }
  return value;
}

void must_divide(std::int64_t what, std::int64_t by, std::string_view name, std::string_view degree_name) {
  if (what % by == 0) return;
  throw usage_error(fmt::format("layout: {} {} do not divide by {}={}", what, name, degree_name, by),
                    fmt::format("choose {} among the divisors of {}", degree_name, what));
}

void check_supported(const StepRequest& r) {
  if (r.phase != "decode") {
    throw usage_error(fmt::format("phase '{}' is not compiled yet", r.phase), "decode is");
  }
  if (r.layout.pp != 1) {
    throw usage_error(fmt::format("layout: pp={} is not compiled yet", r.layout.pp), "tp, ep and dp are; set pp=1");
  }
  const model::Layer& first = r.model.layers.front();
  for (const model::Layer& layer : r.model.layers) {
    if (layer.feed_forward == first.feed_forward && layer.intermediate == first.intermediate) continue;
    throw usage_error(fmt::format("{} has layers of different kinds, which are not compiled yet", r.model.name),
                      "models whose layers are all dense, or all with experts, are");
  }
  if (r.batch < 1 || r.seq < 1)
    throw usage_error(fmt::format("batch {} and seq {} must be at least 1", r.batch, r.seq));
  if (r.batch > kMost || r.seq > kMost)
    throw usage_error(fmt::format("batch {} and seq {}: at most {} each is computed", r.batch, r.seq, kMost));
  if (r.model.max_position > 0 && r.seq > r.model.max_position) {
    throw usage_error(
        fmt::format("seq {} is beyond the {} positions of {}", r.seq, r.model.max_position, r.model.name));
  }
}

void check_division(const StepRequest& r) {
  const model::Model& m = r.model;
  const Layout& l = r.layout;
  must_divide(m.heads, l.tp, "attention heads", "tp");
  if (m.kv_heads % l.tp != 0 && l.tp % m.kv_heads != 0) {
    throw usage_error(
        fmt::format("layout: {} KV heads neither divide by tp={} nor are repeated a whole number of times", m.kv_heads,
                    l.tp),
        "choose tp as a divisor or a multiple of the KV heads");
  }
  must_divide(m.hidden, l.tp, "hidden columns", "tp");
  must_divide(m.vocab, l.tp, "vocabulary entries", "tp");
  for (const model::Layer& layer : m.layers) must_divide(layer.intermediate, l.tp, "feed-forward columns", "tp");
  if (m.is_moe()) {
    must_divide(m.experts, l.ep, "experts", "ep");
  } else if (l.ep != 1) {
    throw usage_error(fmt::format("layout: ep={} on {}, which has no experts", l.ep, m.name),
                      "use dp for replicas of a dense model");
  }
  if (r.batch % l.groups() != 0) {
    throw usage_error(
        fmt::format("layout: a batch of {} sequences does not divide over ep x dp = {} groups", r.batch, l.groups()),
        fmt::format("choose a multiple of {}", l.groups()));
  }
}

std::string in_gib(Bytes bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes.value()) / (1024.0 * 1024 * 1024));
}

Bytes bytes_of(std::int64_t elements, machine::DType type) {
  return Bytes((elements * machine::bits(type) + 7) / 8);
}

}  // namespace

Layout parse_layout(std::string_view text) {
  Layout layout;
  std::vector<std::string_view> seen;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    std::int64_t* const slot = name == "tp"   ? &layout.tp
                               : name == "ep" ? &layout.ep
                               : name == "pp" ? &layout.pp
                               : name == "dp" ? &layout.dp
                                              : nullptr;
    if (slot == nullptr || equals == std::string_view::npos) {
      throw usage_error(fmt::format("'{}' in layout '{}' is not a degree", part, text),
                        "write it as tp=8,ep=16,pp=1,dp=2");
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      throw usage_error(fmt::format("layout '{}' gives {} twice", text, name), "each degree once");
    seen.push_back(name);
    *slot = degree(part.substr(equals + 1), text);
  }
  return layout;
}

std::string to_string(const Layout& l) {
  return fmt::format("tp={},ep={},pp={},dp={}", l.tp, l.ep, l.pp, l.dp);
}

MemoryEstimate memory_estimate(const StepRequest& r) {
  const model::Model& m = r.model;
  const Layout& l = r.layout;
  const std::int64_t tp = l.tp, b = r.batch / l.groups();
  const std::int64_t kv = (m.kv_heads + tp - 1) / tp, q = m.heads / tp;
  std::int64_t weights = (m.vocab / tp) * m.hidden * 2 + m.hidden, widest = 0;
  for (const model::Layer& layer : m.layers) {
    weights += m.hidden * (q + 2 * kv) * m.head_dim + q * m.head_dim * m.hidden + 2 * m.hidden +
               (m.qk_norm ? 2 * m.head_dim : 0);
    const std::int64_t ffn = 3 * m.hidden * (layer.intermediate / tp);
    const bool moe = layer.feed_forward == model::FeedForward::moe;
    weights += moe ? ffn * (m.experts / l.ep) + m.hidden * m.experts : ffn;
    widest = std::max(widest, product({b, moe ? m.top_k : 1, 3 * layer.intermediate / tp + m.hidden}));
  }
  MemoryEstimate e;
  e.weights = bytes_of(weights, r.dtype);
  e.kv_cache = bytes_of(product({2, b, r.seq, kv, m.head_dim, m.layer_count()}), r.dtype);
  e.activations = bytes_of(std::max(widest, product({b, m.vocab / tp})) + product({2, b, m.hidden}), r.dtype);
  return e;
}

void check_step(const StepRequest& r, const machine::Machine& machine) {
  check_supported(r);
  check_division(r);
  if (r.layout.ranks() > machine.sites()) {
    throw usage_error(fmt::format("layout: {} needs {} ranks, '{}' has {} sites", to_string(r.layout), r.layout.ranks(),
                                  machine.name(), machine.sites()),
                      "choose smaller degrees, or join machines as in dgx-h100*4");
  }
  const MemoryEstimate e = memory_estimate(r);
  for (machine::SiteId s = 0; s < static_cast<machine::SiteId>(r.layout.ranks()); ++s) {
    const machine::SiteClass& site = machine.site_class(s);
    if (site.tiers.empty() || e.total() <= site.tiers.front().capacity) continue;
    const machine::MemoryTier& tier = site.tiers.front();
    throw infeasible_error(
        fmt::format("{} does not fit: {} needs {} ({} weights, {} KV cache, {} activations) and has "
                    "{} of {}: {} bytes are missing",
                    r.model.name, machine.site_name(s), in_gib(e.total()), in_gib(e.weights), in_gib(e.kv_cache),
                    in_gib(e.activations), in_gib(tier.capacity), tier.name, (e.total() - tier.capacity).value()),
        "more tp or ep, a smaller batch or seq, or a smaller --dtype");
  }
}

std::vector<std::uint32_t> nodes_of(const machine::Machine& machine, std::int64_t ranks) {
  std::vector<std::uint32_t> node(static_cast<std::size_t>(ranks), 0);
  machine::SiteId first = 0;
  for (machine::SiteId s = 1; s < static_cast<machine::SiteId>(ranks); ++s) {
    const bool alone = s == first + 1;  // the first two of a node show what joins it
    const bool same = alone ? machine.fabric_between(first, s) == machine.fabric_between(0, 1)
                            : machine.fabric_between(first, s) == machine.fabric_between(first, first + 1);
    node[s] = node[s - 1] + (same ? 0 : 1);
    if (!same) first = s;
  }
  return node;
}

}  // namespace weft::compile
