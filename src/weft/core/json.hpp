// An ordered JSON value for output. Keys keep the order of insertion, doubles print in a short form that reads back
// exactly, and NaN or infinity is refused: a result without a number must say so in words.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "weft/core/units.hpp"

namespace weft {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  Json(Integer value) {
    if constexpr (std::is_unsigned_v<Integer>) {
      value_ = static_cast<std::uint64_t>(value);
    } else {
      value_ = static_cast<std::int64_t>(value);
    }
  }
  Json(double value);  // internal error when not finite
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  template <class Tag, class Rep>
  Json(Quantity<Tag, Rep> quantity) : Json(quantity.value()) {}  // in the base unit: s, B, B/s, FLOP, J, W, Hz
  template <class T>
    requires std::constructible_from<Json, const T&>
  Json(const std::vector<T>& values) : value_(Array(values.begin(), values.end())) {}

  static Json object() { return Json(Object{}); }
  static Json array() { return Json(Array{}); }

  // Object building. set() replaces the value of an existing key in place and returns *this for chaining;
  // operator[] inserts null when the key is new. A null value becomes an object (or, for push, an array) at first use.
  Json& set(std::string_view key, Json value);
  Json& operator[](std::string_view key);
  Json& push(Json value);

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(value_); }
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(value_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(value_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(value_); }

  // Reading; a wrong type or a missing key is an input Error.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] const std::string& string() const;
  [[nodiscard]] const Array& items() const;
  [[nodiscard]] const Object& members() const;
  [[nodiscard]] const Json* find(std::string_view key) const;  // nullptr when absent or not an object
  [[nodiscard]] const Json& at(std::string_view key) const;
  [[nodiscard]] const Json& at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const;

  template <class F>  // f(std::int64_t), f(std::uint64_t) or f(double), as stored
  auto visit_number(F f) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value_)) return f(*whole);
    if (const auto* large = std::get_if<std::uint64_t>(&value_)) return f(*large);
    return f(number());
  }

  // indent < 0: one line. Invalid UTF-8 in strings is replaced by U+FFFD.
  [[nodiscard]] std::string dump(int indent = 2) const;
  static Json parse(std::string_view text, std::string_view filename = "json");  // throws an input Error

  bool operator==(const Json&) const = default;

 private:
  explicit Json(Array value) : value_(std::move(value)) {}
  explicit Json(Object value) : value_(std::move(value)) {}

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

}  // namespace weft
