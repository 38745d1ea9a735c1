// Values of options, by their kinds.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "weft/cli/verb.hpp"

namespace weft::cli {
namespace {

std::int64_t whole(std::string_view text, std::string_view name, std::int64_t lowest) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool read = fault == std::errc() && end == text.data() + text.size();
  if (!read || value < lowest) {
    throw usage_error(
        fmt::format("--{} '{}' is {}", name, text, read ? fmt::format("below {}", lowest) : "not a whole number"),
        fmt::format("a whole number from {} on, such as --{} {}", lowest, name, std::max<std::int64_t>(lowest, 8)));
  }
  return value;
}

/// Numbers stand as numbers among the inputs.
Json said(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 15 && text.find_first_not_of("0123456789") == std::string::npos;
  if (digits) return std::stoll(text);
  return text;
}

}  // namespace

const std::string& Arguments::positional(std::string_view name) const {
  static const std::string none;
  const auto found = positionals.find(name);
  return found == positionals.end() ? none : found->second;
}

std::string Arguments::text(std::string_view name) const {
  if (const auto found = options.find(name); found != options.end()) return found->second.back();
  const auto fallback = fallbacks_.find(name);
  return fallback == fallbacks_.end() ? std::string() : fallback->second;
}

std::int64_t Arguments::integer(std::string_view name, std::int64_t lowest, std::int64_t otherwise) const {
  const std::string said = text(name);
  if (said.empty() && !given(name)) return otherwise;
  return whole(said, name, lowest);
}

Bytes Arguments::bytes(std::string_view name) const {
  const std::string said = text(name);
  if (said.empty()) throw usage_error(fmt::format("--{} is missing", name), fmt::format("--{} 64MiB", name));
  const auto parsed = parse_quantity<Bytes>(said);
  if (!parsed) throw usage_error(fmt::format("--{}: {}", name, parsed.error()), fmt::format("--{} 64MiB", name));
  return *parsed;
}

std::vector<std::int64_t> Arguments::shape(std::string_view name) const {
  std::vector<std::int64_t> result;
  const std::string said = text(name);
  if (said.empty() && !given(name)) return result;
  std::string_view rest = said;
  while (true) {
    const std::size_t x = rest.find('x');
    result.push_back(whole(rest.substr(0, x), name, 1));
    if (x == std::string_view::npos) return result;
    rest.remove_prefix(x + 1);
  }
}

std::vector<std::pair<std::string, std::string>> Arguments::pairs(std::string_view name) const {
  std::vector<std::pair<std::string, std::string>> result;
  const auto found = options.find(name);
  if (found == options.end()) return result;
  for (const std::string& said : found->second) {
    const std::size_t equals = said.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw usage_error(fmt::format("--{} '{}' is no PATH=VALUE", name, said),
                        fmt::format("--{} hbm.bandwidth='3 TB/s'", name));
    }
    const std::string path = said.substr(0, equals);
    const auto same = [&](const auto& pair) { return pair.first == path; };
    if (std::any_of(result.begin(), result.end(), same)) {
      throw usage_error(fmt::format("--{} {} is given twice", name, path), "one value for each");
    }
    result.emplace_back(path, said.substr(equals + 1));
  }
  return result;
}

Json Arguments::inputs() const {
  Json inputs = Json::object();
  const auto key = [](std::string name) {
    for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
  };
  for (const auto& [name, value] : positionals) inputs.set(key(name), value);
  for (const auto& [name, value] : fallbacks_) inputs.set(key(name), said(value));
  for (const auto& [name, values] : options) {
    if (name == "threads" || name == "out" || name == "json" || name == "quiet" || name == "program") continue;
    if (values.size() == 1) {
      inputs.set(key(name), said(values.front()));
    } else {
      inputs.set(key(name), values);
    }
  }
  return inputs;
}

}  // namespace weft::cli
