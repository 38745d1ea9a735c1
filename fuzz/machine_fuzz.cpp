// Any bytes as a machine file: either a machine whose routes are paths, or an input Error; never anything else.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/machine/machine.hpp"

namespace {

/// Numbers of five digits and more make large machines, which are slow and show nothing new.
bool asks_for_a_large_machine(const std::string& text) {
  int digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits >= 5) return true;
  }
  return std::count(text.begin(), text.end(), ':') > 4000;
}

void check_routes(const weft::machine::Machine& m) {
  std::vector<weft::machine::LinkId> links;
  const std::uint32_t last = m.sites() - 1;
  for (const auto& [a, b] : {std::pair{0U, last}, std::pair{last, 0U}, std::pair{last / 2, last / 3}}) {
    if (!m.route(a, b, "", links)) continue;
    weft::machine::NodeId at = a;
    for (const auto l : links) {
      if (m.links()[l].from != at) std::abort();
      at = m.links()[l].to;
      (void)m.link_name(l);
    }
    if (at != b) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (asks_for_a_large_machine(text)) return 0;
  try {
    const auto m = weft::machine::parse(text, "fuzz.yaml");
    if (m->sites() < 100000) check_routes(*m);
    (void)m->bisection();
    (void)m->diameter_hops();
  } catch (const weft::Error& e) {
    if (e.kind() != weft::ErrorKind::input && e.kind() != weft::ErrorKind::limit) std::abort();
  }
  return 0;
}
