// What every Machine has: service times, names of links, the choice of a transport.
#include "weft/machine/machine.hpp"

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"

namespace weft::machine {

Seconds LinkClass::service_time(Bytes bytes) const {
  if (bytes.value() <= 0) return Seconds(0);
  if (framing.payload.value() <= 0) return bytes / bandwidth;
  const std::int64_t payload = framing.payload.value();
  const std::int64_t frames = (bytes.value() - 1) / payload + 1;
  return framing.time * frames;
}

std::string Machine::link_name(LinkId link) const {
  return node_name(links_[link].from) + " -> " + node_name(links_[link].to);
}

namespace {

bool serves(const Transport& t, Bytes message, Bytes operation) {
  return message >= t.smallest && message <= t.largest && operation >= t.operation_smallest &&
         operation <= t.operation_largest;
}

}  // namespace

const Transport* Machine::transport(std::string_view name, std::string_view fabric, Bytes message,
                                    Bytes operation) const {
  const Transport* nearest_size = nullptr;
  bool known = name.empty();
  for (const Transport& t : transports_) {
    if (!name.empty() && t.name != name) continue;
    known = true;
    if (!t.fabric.empty() && t.fabric != fabric) continue;
    if (serves(t, message, operation)) return &t;
    if (nearest_size == nullptr) nearest_size = &t;
  }
  if (name.empty()) return nullptr;
  if (known && nearest_size != nullptr) return nearest_size;
  std::vector<std::string> names;
  for (const Transport& t : transports_) names.push_back(t.name);
  if (known) {
    throw input_error("transport '" + std::string(name) + "' of machine '" + name_ + "' does not serve the fabric '" +
                      std::string(fabric) + "'");
  }
  throw input_error("machine '" + name_ + "' has no transport '" + std::string(name) + "'", {},
                    did_you_mean(name, names));
}

}  // namespace weft::machine
