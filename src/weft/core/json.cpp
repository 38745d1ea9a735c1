#include "weft/core/json.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "weft/core/error.hpp"
#include "weft/core/node.hpp"

namespace weft {
namespace {

using nlohmann::ordered_json;

Json from_number(const Node& node) {
  const std::string& text = node.text();
  const char* const last = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto [end, status] = std::from_chars(text.data(), last, whole); status == std::errc() && end == last) {
    return whole;
  }
  std::uint64_t large = 0;
  if (const auto [end, status] = std::from_chars(text.data(), last, large); status == std::errc() && end == last) {
    return large;
  }
  double value = 0;
  if (const auto [end, status] = std::from_chars(text.data(), last, value); status == std::errc() && end == last) {
    return value;
  }
  throw Error(node.diagnostic(fmt::format("'{}' is out of range", text)));
}

Json from_node(const Node& node) {
  switch (node.kind()) {
    case Node::Kind::null:
      return {};
    case Node::Kind::scalar:
      if (node.is_quoted()) return node.text();
      if (node.text() == "true" || node.text() == "false") return node.text() == "true";
      return from_number(node);
    case Node::Kind::sequence: {
      Json result = Json::array();
      for (const Node& item : node.items()) result.push(from_node(item));
      return result;
    }
    case Node::Kind::map: {
      Json result = Json::object();
      for (std::size_t i = 0; i < node.items().size(); ++i) result.set(node.keys()[i], from_node(node.items()[i]));
      return result;
    }
  }
  return {};
}

template <class T, class Variant>
const T& get(const Variant& value, std::string_view wanted) {
  const T* found = std::get_if<T>(&value);
  if (found == nullptr) throw input_error(fmt::format("expected {} in this JSON value", wanted));
  return *found;
}

ordered_json convert(const Json& value);

ordered_json convert_members(const Json::Object& members) {
  ordered_json::object_t object;
  object.reserve(members.size());
  for (const auto& [key, member] : members) object.emplace_back(key, convert(member));
  return object;
}

ordered_json convert_number(const Json& value) {
  return value.visit_number([](auto number) { return ordered_json(number); });
}

ordered_json convert(const Json& value) {
  if (value.is_object()) return convert_members(value.members());
  if (value.is_string()) return value.string();
  if (value.is_bool()) return value.boolean();
  if (value.is_null()) return nullptr;
  if (value.is_number()) return convert_number(value);
  ordered_json::array_t array;
  array.reserve(value.size());
  for (const Json& item : value.items()) array.push_back(convert(item));
  return array;
}

}  // namespace

Json::Json(double value) : value_(value) {
  if (!std::isfinite(value)) internal_error("a number which is not finite cannot be written as JSON");
}

bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) || std::holds_alternative<std::uint64_t>(value_) ||
         std::holds_alternative<double>(value_);
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object{};
  Object* const object = std::get_if<Object>(&value_);
  if (object == nullptr) internal_error("a key was set on a JSON value which is not an object");
  for (auto& [name, member] : *object) {
    if (name == key) return member;
  }
  return object->emplace_back(std::string(key), Json()).second;
}

Json& Json::set(std::string_view key, Json value) {
  (*this)[key] = std::move(value);
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = Array{};
  Array* const array = std::get_if<Array>(&value_);
  if (array == nullptr) internal_error("an item was pushed to a JSON value which is not an array");
  array->push_back(std::move(value));
  return *this;
}

bool Json::boolean() const {
  return get<bool>(value_, "true or false");
}
const std::string& Json::string() const {
  return get<std::string>(value_, "a string");
}
const Json::Array& Json::items() const {
  return get<Array>(value_, "an array");
}
const Json::Object& Json::members() const {
  return get<Object>(value_, "an object");
}

double Json::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  if (const auto* large = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*large);
  return get<double>(value_, "a number");
}

std::int64_t Json::integer() const {
  if (const auto* large = std::get_if<std::uint64_t>(&value_); large != nullptr && *large <= INT64_MAX) {
    return static_cast<std::int64_t>(*large);
  }
  return get<std::int64_t>(value_, "a whole number");
}

const Json* Json::find(std::string_view key) const {
  const Object* const object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  for (const auto& [name, member] : *object) {
    if (name == key) return &member;
  }
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* found = find(key);
  if (found == nullptr) throw input_error(fmt::format("there is no '{}' in this JSON object", key));
  return *found;
}

const Json& Json::at(std::size_t index) const {
  if (index >= items().size()) throw input_error(fmt::format("there is no item {} in this JSON array", index));
  return items()[index];
}

std::size_t Json::size() const {
  if (const Object* const object = std::get_if<Object>(&value_)) return object->size();
  if (const Array* const array = std::get_if<Array>(&value_)) return array->size();
  return 0;
}

std::string Json::dump(int indent) const {
  return convert(*this).dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

Json Json::parse(std::string_view text, std::string_view filename) {
  std::string name(filename);
  if (!name.ends_with(".json")) name += ".json";
  return from_node(parse_text(std::string(text), std::move(name)).root());
}

}  // namespace weft
