// Strong types for physical quantities, one parser and one printer for all of them.
//
// A quantity never converts to or from a naked number by itself. Text always carries a unit: "12.5 GB/s", "624 KiB",
// "100 ns". KB is 1000 bytes and KiB is 1024; b is a bit and B is a byte. Bandwidth is stored in bytes per second.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <tl/expected.hpp>

namespace weft {

template <class Tag, class RepT>
class Quantity {
 public:
  using Rep = RepT;

  constexpr Quantity() = default;
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr explicit Quantity(Number value) : value_(static_cast<Rep>(value)) {}

  [[nodiscard]] constexpr Rep value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }

  // Scaling an integer quantity by a fraction truncates towards zero; by an integer it is exact.
  template <class Number>
    requires std::is_arithmetic_v<Number>
  friend constexpr Quantity operator*(Quantity a, Number factor) {
    return Quantity(scaled(a.value_, factor));
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  friend constexpr Quantity operator*(Number factor, Quantity a) {
    return a * factor;
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  friend constexpr Quantity operator/(Quantity a, Number divisor) {
    if constexpr (std::is_integral_v<Rep> && std::is_integral_v<Number>) {
      return Quantity(a.value_ / static_cast<Rep>(divisor));
    } else {
      return Quantity(static_cast<double>(a.value_) / static_cast<double>(divisor));
    }
  }
  friend constexpr double operator/(Quantity a, Quantity b) {
    return static_cast<double>(a.value_) / static_cast<double>(b.value_);
  }

 private:
  template <class Number>
  static constexpr auto scaled(Rep value, Number factor) {
    if constexpr (std::is_integral_v<Rep> && std::is_integral_v<Number>) {
      return value * static_cast<Rep>(factor);
    } else {
      return static_cast<double>(value) * static_cast<double>(factor);
    }
  }

  Rep value_{};
};

using Bytes = Quantity<struct BytesTag, std::int64_t>;
using Seconds = Quantity<struct SecondsTag, double>;
using Hertz = Quantity<struct HertzTag, double>;
using BytesPerSecond = Quantity<struct BytesPerSecondTag, double>;
using Flops = Quantity<struct FlopsTag, double>;
using FlopsPerSecond = Quantity<struct FlopsPerSecondTag, double>;
using Joules = Quantity<struct JoulesTag, double>;
using JoulesPerBit = Quantity<struct JoulesPerBitTag, double>;
using Watts = Quantity<struct WattsTag, double>;

constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
  return Seconds(static_cast<double>(size.value()) / rate.value());
}
constexpr BytesPerSecond operator/(Bytes size, Seconds time) {
  return BytesPerSecond(static_cast<double>(size.value()) / time.value());
}
constexpr Seconds operator/(Flops work, FlopsPerSecond rate) {
  return Seconds(work.value() / rate.value());
}
constexpr FlopsPerSecond operator/(Flops work, Seconds time) {
  return FlopsPerSecond(work.value() / time.value());
}
constexpr Flops operator*(FlopsPerSecond rate, Seconds time) {
  return Flops(rate.value() * time.value());
}
constexpr Joules operator*(Watts power, Seconds time) {
  return Joules(power.value() * time.value());
}
constexpr Watts operator/(Joules energy, Seconds time) {
  return Watts(energy.value() / time.value());
}
constexpr Joules operator*(JoulesPerBit cost, Bytes size) {
  return Joules(cost.value() * 8.0 * static_cast<double>(size.value()));
}
constexpr Seconds period(Hertz frequency) {
  return Seconds(1.0 / frequency.value());
}

template <class Q>
inline constexpr bool is_quantity = false;
template <class Tag, class Rep>
inline constexpr bool is_quantity<Quantity<Tag, Rep>> = true;

// Reads "12.5 GB/s". The error says what is wrong and what would be right; it has no position (the caller knows it).
// Negative numbers, NaN, infinity, overflow, a missing unit and trailing text are errors.
// Instantiated for the nine quantities above.
template <class Q>
tl::expected<Q, std::string> parse_quantity(std::string_view text);

// Shortest human form that parses back to exactly the same value: "624 KiB", "12.5 GB/s", "100 ns".
template <class Q>
  requires is_quantity<Q>
std::string to_string(Q quantity);

// Four significant digits, for people: "1.234 ms", "62.5 MiB".
template <class Q>
  requires is_quantity<Q>
std::string format_short(Q quantity);

}  // namespace weft
