#include "weft/core/node.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "weft/core/node_builder.hpp"
#include "weft/core/suggest.hpp"

namespace weft {
namespace {

constexpr std::size_t longest_excerpt = 4000;

// Length of the UTF-8 sequence at `at`, 0 when it is not one or is a control character no text file has.
std::size_t text_unit(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80U) return (first >= 0x20U || first == '\t' || first == '\n' || first == '\r') ? 1 : 0;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

void require_text(const SourceText& source) {
  int line = 1;
  for (std::size_t at = 0; at < source.text.size();) {
    const std::size_t length = text_unit(source.text, at);
    if (length == 0) throw input_error("not a text file: it holds binary data", {source.name, line, 0});
    if (source.text[at] == '\n') ++line;
    at += length;
  }
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.' || c == '[') {
      parts.emplace_back();
    } else if (c != ']') {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::string> member_names(const Node& node) {
  if (node.is_map()) return node.keys();
  std::vector<std::string> names;
  names.reserve(node.items().size());
  for (std::size_t i = 0; i < node.items().size(); ++i) names.push_back(fmt::format("{}", i));
  return names;
}

tl::expected<std::string, std::string> plain_scalar(const Node& node, std::string_view wanted) {
  if (!node.is_scalar()) return tl::unexpected(fmt::format("expected {}, found {}", wanted, node.kind_name()));
  if (node.is_quoted()) return tl::unexpected(fmt::format("expected {}, found the text \"{}\"", wanted, node.text()));
  return node.text();
}

}  // namespace

std::string_view Node::kind_name() const {
  switch (kind_) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return "a single value";
    case Kind::sequence:
      return "a list";
    case Kind::map:
      return "a mapping";
  }
  return "nothing";
}

const Node* Node::find(std::string_view key) const {
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  return found == keys_.end() ? nullptr : &items_[static_cast<std::size_t>(found - keys_.begin())];
}

Location Node::where() const {
  return {source_ ? source_->name : "", position_.line, position_.column};
}

Diagnostic Node::diagnostic_at(Position position, std::string field, std::string message, std::string hint) const {
  Diagnostic result;
  result.message = std::move(message);
  result.where = {source_ ? source_->name : "", position.line, position.column};
  result.field = std::move(field);
  result.hint = std::move(hint);
  if (source_) result.excerpt = source_line(*source_, position.line);
  return result;
}

Diagnostic Node::diagnostic(std::string message, std::string hint) const {
  return diagnostic_at(position_, path_, std::move(message), std::move(hint));
}

Diagnostic Node::key_diagnostic(std::size_t member, std::string message, std::string hint) const {
  return diagnostic_at(key_positions_.at(member), path_, std::move(message), std::move(hint));
}

void Document::set(std::string_view path, std::string value) {
  Node* node = &root_;
  for (const std::string& part : split_path(path)) {
    const std::vector<std::string> names = member_names(*node);
    const auto found = std::find(names.begin(), names.end(), part);
    if (found == names.end()) {
      throw usage_error(fmt::format("--set {}: there is no '{}' in {}", path, part,
                                    node->path_.empty() ? "the file" : "'" + node->path_ + "'"),
                        did_you_mean(part, names, 30));
    }
    node = &node->items_[static_cast<std::size_t>(found - names.begin())];
  }
  if (!node->is_scalar() && !node->is_null()) {
    throw usage_error(fmt::format("--set {}: this is {}, not a single value", path, node->kind_name()),
                      did_you_mean("", member_names(*node), 30));
  }
  node->kind_ = value == "null" ? Node::Kind::null : Node::Kind::scalar;
  node->quoted_ = false;
  node->source_ = make_source(fmt::format("--set {}", path), value);
  node->position_ = {1, 1};
  node->text_ = std::move(value);
}

std::shared_ptr<const SourceText> make_source(std::string name, std::string text) {
  auto source = std::make_shared<SourceText>();
  source->name = std::move(name);
  source->text = std::move(text);
  source->line_starts.push_back(0);
  for (std::size_t i = 0; i < source->text.size(); ++i) {
    if (source->text[i] == '\n') source->line_starts.push_back(i + 1);
  }
  return source;
}

std::string source_line(const SourceText& source, int line) {
  if (line <= 0 || static_cast<std::size_t>(line) > source.line_starts.size()) return {};
  const std::size_t from = source.line_starts[static_cast<std::size_t>(line) - 1];
  const std::size_t to = std::min(source.text.find_first_of("\r\n", from), source.text.size());
  return to - from > longest_excerpt ? std::string() : source.text.substr(from, to - from);
}

Document parse_text(std::string text, std::string filename) {
  const bool is_json = filename.ends_with(".json");
  const auto source = make_source(std::move(filename), std::move(text));
  require_text(*source);
  if (source->text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw input_error("the file is empty", {source->name, 0, 0});
  }
  return Document(is_json ? parse_json(source) : parse_yaml(source));
}

Document parse_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw input_error("there is no such file", {path.string(), 0, 0});
  if (std::filesystem::is_directory(path, ignored)) {
    throw input_error("this is a folder, not a file", {path.string(), 0, 0});
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) throw input_error("cannot be read", {path.string(), 0, 0});
  return parse_text(std::move(text), path.string());
}

tl::expected<std::string, std::string> read_string(const Node& node) {
  if (node.is_scalar()) return node.text();
  return tl::unexpected(fmt::format("expected a single value, found {}", node.kind_name()));
}

tl::expected<bool, std::string> read_bool(const Node& node) {
  const auto text = plain_scalar(node, "true or false");
  if (!text) return tl::unexpected(text.error());
  if (*text == "true") return true;
  if (*text == "false") return false;
  return tl::unexpected(fmt::format("expected true or false, found '{}'", *text));
}

tl::expected<double, std::string> read_double(const Node& node) {
  const auto text = plain_scalar(node, "a number");
  if (!text) return tl::unexpected(text.error());
  double value = 0;
  const auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (status == std::errc::result_out_of_range) return tl::unexpected(fmt::format("{} is out of range", *text));
  if (status != std::errc() || end != text->data() + text->size() || !std::isfinite(value)) {
    return tl::unexpected(fmt::format("expected a number, found '{}'", *text));
  }
  return value;
}

tl::expected<std::int64_t, std::string> read_integer(const Node& node, std::int64_t lowest, std::int64_t highest) {
  const auto text = plain_scalar(node, "a whole number");
  if (!text) return tl::unexpected(text.error());
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), value);
  const std::string_view digits = text->starts_with('-') ? std::string_view(*text).substr(1) : std::string_view(*text);
  const bool padded = digits.size() > 1 && digits.front() == '0';  // YAML 1.1 would read 010 as eight
  if (status == std::errc::invalid_argument || end != text->data() + text->size() || padded) {
    return tl::unexpected(fmt::format("expected a whole number, found '{}'", *text));
  }
  if (status != std::errc() || value < lowest || value > highest) {
    return tl::unexpected(fmt::format("{} is not between {} and {}", *text, lowest, highest));
  }
  return value;
}

}  // namespace weft
