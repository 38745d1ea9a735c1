// Dense identifiers: names are resolved once, then everything indexes vectors.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "weft/core/random.hpp"

namespace weft {

template <class Tag>
struct Id {
  std::uint32_t v = std::numeric_limits<std::uint32_t>::max();

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t value) : v(value) {}
  constexpr explicit Id(std::size_t value) : v(static_cast<std::uint32_t>(value)) {}
  constexpr explicit Id(int value) : v(static_cast<std::uint32_t>(value)) {}

  static constexpr Id invalid() { return Id(); }
  [[nodiscard]] constexpr bool valid() const { return v != std::numeric_limits<std::uint32_t>::max(); }
  [[nodiscard]] constexpr std::size_t index() const { return v; }
  constexpr auto operator<=>(const Id&) const = default;

  template <class Hash>  // for absl containers
  friend Hash AbslHashValue(Hash hash, Id id) {
    return Hash::combine(std::move(hash), id.v);
  }
};

// Half open [begin, end); iterates over its integers.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;  // one past the end

  struct Iterator {
    std::int64_t at;
    constexpr std::int64_t operator*() const { return at; }
    constexpr Iterator& operator++() {
      ++at;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;
  };

  [[nodiscard]] constexpr std::int64_t size() const { return last > first ? last - first : 0; }
  [[nodiscard]] constexpr bool empty() const { return size() == 0; }
  [[nodiscard]] constexpr bool contains(std::int64_t x) const { return x >= first && x < last; }
  [[nodiscard]] constexpr bool overlaps(Range other) const {
    return !empty() && !other.empty() && first < other.last && other.first < last;
  }
  [[nodiscard]] constexpr Iterator begin() const { return {first}; }
  [[nodiscard]] constexpr Iterator end() const { return {empty() ? first : last}; }
  constexpr bool operator==(const Range&) const = default;
};

}  // namespace weft

template <class Tag>
struct std::hash<weft::Id<Tag>> {
  std::size_t operator()(weft::Id<Tag> id) const noexcept { return weft::mix64(id.v); }
};
