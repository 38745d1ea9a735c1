// Any bytes are either refused with positions or read, and what is read prints to a text that reads back as the same Program.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "weft/core/error.hpp"
#include "weft/program/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  weft::program::Program program;
  try {
    program = weft::program::parse(text, "fuzz");
  } catch (const weft::Error& error) {
    if (error.kind() != weft::ErrorKind::input && error.kind() != weft::ErrorKind::check_failed) std::abort();
    return 0;
  }
  const std::string printed = weft::program::print(program);
  if (!weft::program::same(weft::program::parse(printed, "printed"), program)) std::abort();
  return 0;
}
