// Whatever the bytes: a tree, or an input error. Never a crash, an internal error or another exception.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "weft/core/error.hpp"
#include "weft/core/json.hpp"
#include "weft/core/node.hpp"

namespace {

void read(const std::string& text, const char* name) {
  try {
    const weft::Document document = weft::parse_text(text, name);
    weft::ObjectReader reader(document.root());
    reader.integer("count");
    reader.required<weft::Bytes>("size");
    reader.values<double>("values");
    for (weft::ObjectReader& link : reader.list("links")) link.boolean("on");
    reader.finish();
  } catch (const weft::Error& error) {
    if (error.kind() != weft::ErrorKind::input) std::abort();
  }
}

void json_reads_back(const std::string& text) {
  try {
    const std::string once = weft::Json::parse(text).dump();
    if (weft::Json::parse(once).dump() != once) std::abort();
  } catch (const weft::Error& error) {
    if (error.kind() != weft::ErrorKind::input) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  read(text, "fuzz.yaml");
  read(text, "fuzz.json");
  json_reads_back(text);
  return 0;
}
