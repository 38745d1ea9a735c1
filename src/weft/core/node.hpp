// A typed reader over YAML and JSON files which keeps positions, so that every complaint names file, line and column.
//
//   Document document = parse_file("machine.yaml");
//   ObjectReader r(document.root());
//   const auto name = r.string("name");
//   const auto size = r.required<Bytes>("memory");
//   const auto efficiency = r.optional<double>("efficiency", 1.0);
//   for (ObjectReader& link : r.list("links")) use(link.required<BytesPerSecond>("bandwidth"));
//   r.finish();  // throws one Error with every fault found: missing, mistyped and unknown keys
//
// Scalars stay text until asked for, so YAML's traps (010 octal, "no" as false) do not exist: integers are decimal and
// booleans are "true" or "false".
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "weft/core/error.hpp"
#include "weft/core/units.hpp"

namespace weft {

struct SourceText {
  std::string name;
  std::string text;
  std::vector<std::size_t> line_starts;
};

class Node {
 public:
  enum class Kind { null, scalar, sequence, map };

  Node() = default;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is_null() const { return kind_ == Kind::null; }
  [[nodiscard]] bool is_scalar() const { return kind_ == Kind::scalar; }
  [[nodiscard]] bool is_sequence() const { return kind_ == Kind::sequence; }
  [[nodiscard]] bool is_map() const { return kind_ == Kind::map; }
  [[nodiscard]] bool is_quoted() const { return quoted_; }
  [[nodiscard]] std::string_view kind_name() const;  // "nothing", "a value", "a list", "a mapping"

  [[nodiscard]] const std::string& text() const { return text_; }               // of a scalar
  [[nodiscard]] const std::vector<Node>& items() const { return items_; }       // of a sequence, or values of a map
  [[nodiscard]] const std::vector<std::string>& keys() const { return keys_; }  // of a map, in the file's order
  [[nodiscard]] const Node* find(std::string_view key) const;                   // nullptr when absent

  [[nodiscard]] Location where() const;
  [[nodiscard]] const std::string& path() const { return path_; }  // "fabric.links.0.bandwidth", "" at the root
  // A diagnostic at this node with field, source line and caret filled in.
  [[nodiscard]] Diagnostic diagnostic(std::string message, std::string hint = {}) const;
  [[nodiscard]] Diagnostic key_diagnostic(std::size_t member, std::string message, std::string hint = {}) const;

 private:
  friend class NodeBuilder;
  friend class Document;

  struct Position {
    int line = 0;
    int column = 0;
  };
  [[nodiscard]] Diagnostic diagnostic_at(Position position, std::string field, std::string message,
                                         std::string hint) const;

  Kind kind_ = Kind::null;
  bool quoted_ = false;
  Position position_;
  std::string text_;
  std::string path_;
  std::vector<std::string> keys_;
  std::vector<Position> key_positions_;
  std::vector<Node> items_;
  std::shared_ptr<const SourceText> source_;
};

class Document {
 public:
  Document() = default;
  explicit Document(Node root) : root_(std::move(root)) {}

  [[nodiscard]] const Node& root() const { return root_; }
  // Replaces a scalar by dotted path ("fabric.links.0.bandwidth"), as --set PATH=VALUE does. Throws a usage Error with
  // the nearest key when the path does not exist or does not lead to a single value.
  void set(std::string_view path, std::string value);

 private:
  Node root_;
};

// Both throw an input Error. A name ending in .json must hold strictly valid JSON; anything else is read as YAML.
// Depth is limited to 200 levels; binary data, empty files and duplicate keys are errors.
Document parse_file(const std::filesystem::path& path);
Document parse_text(std::string text, std::string filename);

// How a scalar becomes a T. Specialise for your own types (enumerations, for instance).
template <class T, class = void>
struct ScalarReader;

tl::expected<std::string, std::string> read_string(const Node& node);
tl::expected<bool, std::string> read_bool(const Node& node);
tl::expected<double, std::string> read_double(const Node& node);
tl::expected<std::int64_t, std::string> read_integer(const Node& node, std::int64_t lowest, std::int64_t highest);

template <>
struct ScalarReader<std::string> {
  static auto read(const Node& node) { return read_string(node); }
};
template <>
struct ScalarReader<bool> {
  static auto read(const Node& node) { return read_bool(node); }
};
template <>
struct ScalarReader<double> {
  static auto read(const Node& node) { return read_double(node); }
};
template <class T>
struct ScalarReader<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static tl::expected<T, std::string> read(const Node& node);
};
template <class Q>
struct ScalarReader<Q, std::enable_if_t<is_quantity<Q>>> {
  static tl::expected<Q, std::string> read(const Node& node);
};

class ObjectReader {
 public:
  enum class Keys { strict, lenient };  // lenient permits unknown keys, for files which are not ours

  explicit ObjectReader(const Node& node, Keys keys = Keys::strict);

  // A missing or wrong value is recorded and T{} returned; finish() throws. null counts as missing.
  template <class T>
  T required(std::string_view key);
  template <class T>
  T optional(std::string_view key, T fallback);
  template <class T>
  std::optional<T> maybe(std::string_view key);
  template <class T>
  std::vector<T> values(std::string_view key);  // a required list of scalars; values_or gives {} when absent
  template <class T>
  std::vector<T> values_or(std::string_view key);

  std::string string(std::string_view key) { return required<std::string>(key); }
  std::int64_t integer(std::string_view key) { return required<std::int64_t>(key); }
  double number(std::string_view key) { return required<double>(key); }
  bool boolean(std::string_view key) { return required<bool>(key); }
  // A required string out of `allowed`; otherwise an error with the nearest one. The fallback form allows absence.
  std::string choice(std::string_view key, const std::vector<std::string>& allowed);
  std::string choice(std::string_view key, const std::vector<std::string>& allowed, std::string fallback);

  // Nested readers share this reader's faults, so one finish() at the top reports everything.
  ObjectReader object(std::string_view key);                       // required
  std::optional<ObjectReader> maybe_object(std::string_view key);  // absent or null: nullopt
  std::vector<ObjectReader> list(std::string_view key);            // required list of mappings
  std::vector<ObjectReader> list_or_empty(std::string_view key);   // the same, absent gives {}

  [[nodiscard]] bool has(std::string_view key) const;  // present and not null
  const Node* node(std::string_view key);              // raw access, marks the key as known; nullptr when absent
  [[nodiscard]] const Node& self() const { return *node_; }
  void ignore(std::string_view key);  // known, read elsewhere

  void fault_at(std::string_view key, std::string message, std::string hint = {});  // at the value of `key`
  void fault(std::string message, std::string hint = {});                           // at the object itself
  [[nodiscard]] bool ok() const;  // no faults so far, unknown keys aside

  // At the top reader: throws one Error with all faults, unknown keys of all nested readers included. At a nested
  // reader: does nothing, the top one reports.
  void finish();

 private:
  struct Shared;
  struct Visit;
  ObjectReader(std::shared_ptr<Shared> shared, const Node& node, Keys keys);

  const Node* want(std::string_view key);  // present and not null, or a recorded fault
  const Node* look(std::string_view key);  // present and not null, or nullptr
  const std::vector<Node>& sequence(const Node* node);
  template <class T>
  T convert(const Node& node, T fallback);
  template <class T>
  std::vector<T> convert_all(const Node* node);
  void record(Diagnostic diagnostic);

  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Visit> visit_;
  const Node* node_;
  bool top_ = false;
  bool dead_ = false;  // stands for a missing object; says nothing more
};

// ---- templates ----

template <class T>
tl::expected<T, std::string> ScalarReader<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>::read(
    const Node& node) {
  constexpr std::int64_t lowest = std::is_unsigned_v<T> ? 0 : static_cast<std::int64_t>(std::numeric_limits<T>::min());
  constexpr std::int64_t highest = sizeof(T) >= sizeof(std::int64_t)
                                       ? std::numeric_limits<std::int64_t>::max()
                                       : static_cast<std::int64_t>(std::numeric_limits<T>::max());
  auto value = read_integer(node, lowest, highest);
  if (!value) return tl::unexpected(value.error());
  return static_cast<T>(*value);
}

template <class Q>
tl::expected<Q, std::string> ScalarReader<Q, std::enable_if_t<is_quantity<Q>>>::read(const Node& node) {
  auto text = read_string(node);
  if (!text) return tl::unexpected(text.error());
  return parse_quantity<Q>(*text);
}

template <class T>
T ObjectReader::convert(const Node& node, T fallback) {
  auto value = ScalarReader<T>::read(node);
  if (value) return *std::move(value);
  record(node.diagnostic(value.error()));
  return fallback;
}

template <class T>
T ObjectReader::required(std::string_view key) {
  const Node* found = want(key);
  return found != nullptr ? convert<T>(*found, T{}) : T{};
}

template <class T>
T ObjectReader::optional(std::string_view key, T fallback) {
  const Node* found = look(key);
  return found != nullptr ? convert<T>(*found, std::move(fallback)) : fallback;
}

template <class T>
std::optional<T> ObjectReader::maybe(std::string_view key) {
  const Node* found = look(key);
  if (found == nullptr) return std::nullopt;
  return convert<T>(*found, T{});
}

template <class T>
std::vector<T> ObjectReader::convert_all(const Node* node) {
  std::vector<T> result;
  for (const Node& item : sequence(node)) result.push_back(convert<T>(item, T{}));
  return result;
}

template <class T>
std::vector<T> ObjectReader::values(std::string_view key) {
  return convert_all<T>(want(key));
}

template <class T>
std::vector<T> ObjectReader::values_or(std::string_view key) {
  return convert_all<T>(look(key));
}

}  // namespace weft
