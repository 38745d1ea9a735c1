// Whatever the text: a value which prints and reads back exactly, or a message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "weft/core/units.hpp"

namespace {

template <class Q>
void check(const std::string& text) {
  const auto value = weft::parse_quantity<Q>(text);
  if (!value) {
    if (value.error().empty()) std::abort();
    return;
  }
  if (weft::parse_quantity<Q>(weft::to_string(*value)) != *value) std::abort();
  if (weft::format_short(*value).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  check<weft::Bytes>(text);
  check<weft::Seconds>(text);
  check<weft::Hertz>(text);
  check<weft::BytesPerSecond>(text);
  check<weft::Flops>(text);
  check<weft::FlopsPerSecond>(text);
  check<weft::Joules>(text);
  check<weft::JoulesPerBit>(text);
  check<weft::Watts>(text);
  return 0;
}
