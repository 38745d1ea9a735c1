// Small machines for tests: a fabric over made-up leaves, everything else at its plainest.
#pragma once
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/machine/machine.hpp"

namespace weft::machine::testing {

inline const std::string kHead =
    "weft: machine/1\nname: t\nexecution: {launch: 0 s, barrier: 0 s, overlap: true, source: made up}\n";
inline const std::string kLeaf =
    "{name: pe, memory: [{name: sram, capacity: 1 MB, bandwidth: 1 TB/s, source: made up}], rates: {vector: {f32: 1 "
    "TFLOP/s, "
    "source: made up}}, kernels: {any: {model: roofline, compute_efficiency: 1, memory_efficiency: 1, floor: 0 s, "
    "source: made up}}}";
inline const std::string kLink = "link: {bandwidth: 1 GB/s, latency: 10 ns, source: made up}";

/// `fabric`: its keys in flow style, e.g. "kind: ring".
inline std::string over_leaves(const std::string& fabric, int count, const std::string& more = {}) {
  std::string text = kHead + "machine:\n  name: box\n  fabric: {name: net, " + fabric + "}\n  children:\n    - {";
  if (count > 0) text += "count: " + std::to_string(count) + ", ";
  return text + "component: " + kLeaf + "}\n" + more;
}

/// Two levels: `outer` joins `outer_count` nodes, each `inner` over `inner_count` leaves.
inline std::string nested(const std::string& outer, int outer_count, const std::string& inner, int inner_count,
                          const std::string& more = {}) {
  return kHead + "machine:\n  name: cluster\n  fabric: {name: out, " + outer +
         "}\n  children:\n    - count: " + std::to_string(outer_count) +
         "\n      component:\n        name: node\n        fabric: {name: in, " + inner +
         "}\n        children: [{count: " + std::to_string(inner_count) + ", component: " + kLeaf + "}]\n" + more;
}

inline std::vector<LinkId> route(const Machine& m, SiteId a, SiteId b, std::string_view via = {}) {
  std::vector<LinkId> links;
  return m.route(a, b, via, links) ? links : std::vector<LinkId>{};
}

inline double latency(const Machine& m, const std::vector<LinkId>& links) {
  double sum = 0;
  for (const LinkId l : links) sum += m.link_class(l).latency.value();
  return sum;
}

/// From a to b without a gap?
inline bool is_path(const Machine& m, SiteId a, SiteId b, const std::vector<LinkId>& links) {
  NodeId at = a;
  for (const LinkId l : links) {
    if (m.links()[l].from != at) return false;
    at = m.links()[l].to;
  }
  return at == b && !links.empty();
}

/// The printed fault of `text`, or "accepted".
inline std::string fault(const std::string& text, const LoadOptions& options = {}) {
  try {
    (void)parse(text, "t.yaml", options);
    return "accepted";
  } catch (const Error& e) {
    return e.what();
  }
}

inline std::string file(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace weft::machine::testing
