// The reader of config.json: any bytes give a Model or an Error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "weft/core/error.hpp"
#include "weft/model/model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const char* const file = (data[0] & 1U) != 0 ? "config.json" : "config.yaml";
  try {
    const weft::model::Model model =
        weft::model::parse(std::string(reinterpret_cast<const char*>(data) + 1, size - 1), file);
    if (model.parameters() <= 0 || model.active_parameters() > model.parameters()) __builtin_trap();
  } catch (const weft::Error& error) {
    if (error.kind() == weft::ErrorKind::internal) __builtin_trap();
  }
  return 0;
}
