#include "weft/core/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "weft/core/suggest.hpp"

namespace weft {
namespace {

// A unit is factor * 10^exponent base units. Keeping the power of ten apart lets a number be shifted in decimal, so
// that "5 ns" is exactly the double nearest to 5e-9 and prints as "5 ns" again.
struct Unit {
  std::string_view name;
  int exponent = 0;
  double factor = 1;
  bool printed = true;  // false for spellings which are only read
};

constexpr double kibi = 1024.0;
constexpr double mebi = kibi * kibi;
constexpr double gibi = mebi * kibi;
constexpr double tebi = gibi * kibi;
constexpr double pebi = tebi * kibi;
constexpr double bit = 0.125;

template <class Q>
constexpr std::array<Unit, 0> units_of{};

template <>
constexpr std::array units_of<Bytes> = {Unit{"B"},
                                        Unit{"KB", 3},
                                        Unit{"kB", 3, 1, false},
                                        Unit{"MB", 6},
                                        Unit{"GB", 9},
                                        Unit{"TB", 12},
                                        Unit{"PB", 15},
                                        Unit{"KiB", 0, kibi},
                                        Unit{"MiB", 0, mebi},
                                        Unit{"GiB", 0, gibi},
                                        Unit{"TiB", 0, tebi},
                                        Unit{"PiB", 0, pebi}};
template <>
constexpr std::array units_of<Seconds> = {
    Unit{"s"},      Unit{"ms", -3},  Unit{"us", -6},  Unit{"\u00b5s", -6, 1, false}, Unit{"\u03bcs", -6, 1, false},
    Unit{"ns", -9}, Unit{"ps", -12}, Unit{"fs", -15}, Unit{"min", 0, 60, false},     Unit{"h", 0, 3600, false}};
template <>
constexpr std::array units_of<Hertz> = {Unit{"Hz"}, Unit{"kHz", 3}, Unit{"MHz", 6}, Unit{"GHz", 9}, Unit{"THz", 12}};
template <>
constexpr std::array units_of<BytesPerSecond> = {Unit{"B/s"},
                                                 Unit{"KB/s", 3},
                                                 Unit{"kB/s", 3, 1, false},
                                                 Unit{"MB/s", 6},
                                                 Unit{"GB/s", 9},
                                                 Unit{"TB/s", 12},
                                                 Unit{"PB/s", 15},
                                                 Unit{"KiB/s", 0, kibi, false},
                                                 Unit{"MiB/s", 0, mebi, false},
                                                 Unit{"GiB/s", 0, gibi, false},
                                                 Unit{"TiB/s", 0, tebi, false},
                                                 Unit{"b/s", 0, bit, false},
                                                 Unit{"kb/s", 3, bit, false},
                                                 Unit{"Kb/s", 3, bit, false},
                                                 Unit{"Mb/s", 6, bit, false},
                                                 Unit{"Gb/s", 9, bit, false},
                                                 Unit{"Tb/s", 12, bit, false},
                                                 Unit{"Pb/s", 15, bit, false},
                                                 Unit{"Gbit/s", 9, bit, false},
                                                 Unit{"Tbit/s", 12, bit, false},
                                                 Unit{"Gbps", 9, bit, false},
                                                 Unit{"Tbps", 12, bit, false}};
template <>
constexpr std::array units_of<Flops> = {Unit{"FLOP"},      Unit{"kFLOP", 3},  Unit{"MFLOP", 6},  Unit{"GFLOP", 9},
                                        Unit{"TFLOP", 12}, Unit{"PFLOP", 15}, Unit{"EFLOP", 18}, Unit{"ZFLOP", 21}};
template <>
constexpr std::array units_of<FlopsPerSecond> = {Unit{"FLOP/s"},
                                                 Unit{"kFLOP/s", 3},
                                                 Unit{"MFLOP/s", 6},
                                                 Unit{"GFLOP/s", 9},
                                                 Unit{"TFLOP/s", 12},
                                                 Unit{"PFLOP/s", 15},
                                                 Unit{"EFLOP/s", 18},
                                                 Unit{"FLOPS", 0, 1, false},
                                                 Unit{"MFLOPS", 6, 1, false},
                                                 Unit{"GFLOPS", 9, 1, false},
                                                 Unit{"TFLOPS", 12, 1, false},
                                                 Unit{"PFLOPS", 15, 1, false},
                                                 Unit{"EFLOPS", 18, 1, false}};
template <>
constexpr std::array units_of<Joules> = {Unit{"J"},       Unit{"mJ", -3},  Unit{"uJ", -6}, Unit{"nJ", -9},
                                         Unit{"pJ", -12}, Unit{"fJ", -15}, Unit{"kJ", 3},  Unit{"MJ", 6}};
template <>
constexpr std::array units_of<JoulesPerBit> = {
    Unit{"J/bit"},       Unit{"uJ/bit", -6},         Unit{"nJ/bit", -9},         Unit{"pJ/bit", -12},
    Unit{"fJ/bit", -15}, Unit{"nJ/b", -9, 1, false}, Unit{"pJ/b", -12, 1, false}};
template <>
constexpr std::array units_of<Watts> = {Unit{"W"}, Unit{"mW", -3}, Unit{"uW", -6}, Unit{"kW", 3}, Unit{"MW", 6}};

// ---- reading ----

struct Split {
  std::string_view mantissa;
  int exponent = 0;
  std::string_view unit;
};

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::size_t digits_end(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

// The exponent part "e-5" at `at`, if one stands there; moves `at` past it.
std::optional<int> read_exponent(std::string_view text, std::size_t& at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return 0;
  std::size_t from = at + 1;
  const bool negative = from < text.size() && text[from] == '-';
  if (from < text.size() && (text[from] == '+' || text[from] == '-')) ++from;
  const std::size_t to = digits_end(text, from);
  if (to == from) return 0;  // "5 e" or "5 exa": belongs to the unit
  int value = 0;
  const auto [end, status] = std::from_chars(text.data() + from, text.data() + to, value);
  if (status != std::errc() || value > 100000) return std::nullopt;
  at = to;
  return negative ? -value : value;
}

std::string examples(std::string_view number, std::span<const Unit> units) {
  std::string text;
  for (std::size_t i = 0, listed = 0; i < units.size() && listed < 4; ++i) {
    if (!units[i].printed) continue;
    text += fmt::format("{}{} {}", listed == 0 ? "" : ", ", number, units[i].name);
    ++listed;
  }
  return text;
}

tl::expected<Split, std::string> split(std::string_view whole, std::span<const Unit> units) {
  const std::string_view text = trim(whole);
  if (text.empty()) return tl::unexpected("nothing where a quantity is needed; write e.g. " + examples("5", units));
  if (text.front() == '-') return tl::unexpected(fmt::format("{} is negative", text));
  std::size_t at = digits_end(text, 0);
  std::size_t digits = at;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = digits_end(text, at + 1);
    digits = at + end - (at + 1);
    at = end;
  }
  if (digits == 0)
    return tl::unexpected(fmt::format("'{}' does not begin with a number; write e.g. {}", text, examples("5", units)));
  Split result;
  result.mantissa = text.substr(0, at);
  const auto exponent = read_exponent(text, at);
  if (!exponent) return tl::unexpected(fmt::format("{} is out of range", text));
  result.exponent = *exponent;
  result.unit = trim(text.substr(at));
  if (result.unit.empty()) {
    return tl::unexpected(fmt::format("{} has no unit; write e.g. {}", text, examples(text, units)));
  }
  return result;
}

tl::expected<Unit, std::string> find_unit(std::string_view name, std::span<const Unit> units) {
  std::vector<std::string> names;
  for (const Unit& unit : units) {
    if (unit.name == name) return unit;
    names.emplace_back(unit.name);
  }
  const std::string close = nearest(name, names);
  if (!close.empty()) return tl::unexpected(fmt::format("{}: did you mean {}?", name, close));
  std::string allowed;
  for (const Unit& unit : units) {
    if (unit.printed) allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", unit.name);
  }
  return tl::unexpected(fmt::format("{} is not a unit here (allowed: {})", name, allowed));
}

tl::expected<double, std::string> scale(const Split& number, const Unit& unit, std::string_view text, double /*rep*/) {
  const std::string shifted = fmt::format("{}e{}", number.mantissa, number.exponent + unit.exponent);
  double value = 0;
  const auto [end, status] = std::from_chars(shifted.data(), shifted.data() + shifted.size(), value);
  value *= unit.factor;
  if (status != std::errc() || !std::isfinite(value)) return tl::unexpected(fmt::format("{} is out of range", text));
  return value;
}

tl::expected<std::int64_t, std::string> scale(const Split& number, const Unit& unit, std::string_view text,
                                              std::int64_t /*rep*/) {
  const std::string shifted = fmt::format("{}e{}", number.mantissa, number.exponent + unit.exponent);
  const long double value = std::strtold(shifted.c_str(), nullptr) * static_cast<long double>(unit.factor);
  if (!(value < 0x1p63L)) return tl::unexpected(fmt::format("{} is out of range", text));
  if (value != std::floor(value)) return tl::unexpected(fmt::format("{} is not a whole number of bytes", text));
  return static_cast<std::int64_t>(value);
}

// ---- printing ----

struct Decimal {
  bool negative = false;
  std::string digits;  // without leading or trailing zeros
  int exponent = 0;    // of the first digit: d.ddd * 10^exponent
};

Decimal decimal(double value) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value), std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  Decimal result;
  result.negative = std::signbit(value);
  const auto e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c != '.') result.digits += c;
  }
  result.exponent = std::atoi(std::string(text.substr(e + 1)).c_str());
  return result;
}

Decimal decimal(std::int64_t value) {
  Decimal result;
  result.negative = value < 0;
  result.digits = fmt::format("{}", value);
  if (result.negative) result.digits.erase(0, 1);
  result.exponent = static_cast<int>(result.digits.size()) - 1;
  while (result.digits.size() > 1 && result.digits.back() == '0') result.digits.pop_back();
  return result;
}

std::string render(const Decimal& number, int shift) {
  const int point = number.exponent - shift;  // place of the first digit
  const int count = static_cast<int>(number.digits.size());
  std::string text = number.digits;
  if (point < -4 || point > 18) {
    if (count > 1) text.insert(1, ".");
    text += fmt::format("e{}", point);
  } else if (point < 0) {
    text = "0." + std::string(static_cast<std::size_t>(-point - 1), '0') + text;
  } else if (point + 1 < count) {
    text.insert(static_cast<std::size_t>(point) + 1, ".");
  } else {
    text.append(static_cast<std::size_t>(point + 1 - count), '0');
  }
  return number.negative ? "-" + text : text;
}

template <class Rep>
std::string number_in(Rep value, const Unit& unit) {
  if (unit.factor == 1.0) return render(decimal(value), unit.exponent);
  return render(decimal(static_cast<double>(value) / unit.factor), unit.exponent);
}

template <class Q>
bool reads_back(std::string_view number, const Unit& unit, Q quantity) {
  const auto again = parse_quantity<Q>(fmt::format("{} {}", number, unit.name));
  return again && *again == quantity;
}

struct Printed {
  std::string number;
  std::string_view unit;
};

// The shortest number wins; between equals, one that does not begin with "0.".
template <class Q>
Printed shortest(Q quantity) {
  const auto& units = units_of<Q>;
  Printed best{number_in(quantity.value(), units.front()), units.front().name};
  if (quantity.value() == 0 || quantity.value() < 0) return best;
  const auto cost = [](const std::string& number) { return 2 * number.size() + (number.starts_with("0.") ? 1U : 0U); };
  for (const Unit& unit : units) {
    if (!unit.printed) continue;
    std::string number = number_in(quantity.value(), unit);
    if (cost(number) < cost(best.number) && reads_back(number, unit, quantity)) best = {std::move(number), unit.name};
  }
  return best;
}

constexpr std::size_t short_enough = 5;  // "62.5", "1.234": as good as four digits, and exact

}  // namespace

template <class Q>
tl::expected<Q, std::string> parse_quantity(std::string_view text) {
  const auto number = split(text, units_of<Q>);
  if (!number) return tl::unexpected(number.error());
  const auto unit = find_unit(number->unit, units_of<Q>);
  if (!unit) return tl::unexpected(unit.error());
  const auto value = scale(*number, *unit, trim(text), typename Q::Rep{});
  if (!value) return tl::unexpected(value.error());
  return Q(*value);
}

template <class Q>
  requires is_quantity<Q>
std::string to_string(Q quantity) {
  const Printed text = shortest(quantity);
  return fmt::format("{} {}", text.number, text.unit);
}

template <class Q>
  requires is_quantity<Q>
std::string format_short(Q quantity) {
  const Printed exact = shortest(quantity);
  if (exact.number.size() <= short_enough) return fmt::format("{} {}", exact.number, exact.unit);
  const auto value = static_cast<double>(quantity.value());
  const Unit* best = &units_of<Q>.front();
  double best_scale = 0;
  for (const Unit& unit : units_of<Q>) {
    const bool decimal_size = std::is_same_v<Q, Bytes> && unit.exponent != 0;
    if (!unit.printed || decimal_size) continue;
    const double unit_scale = unit.factor * std::pow(10.0, unit.exponent);
    const bool fits = std::fabs(value) >= unit_scale * (1 - 1e-12);
    if (fits ? unit_scale > best_scale
             : (best_scale == 0 && unit_scale < best->factor * std::pow(10.0, best->exponent))) {
      best = &unit;
      if (fits) best_scale = unit_scale;
    }
  }
  return fmt::format("{:.4g} {}", value / (best->factor * std::pow(10.0, best->exponent)), best->name);
}

#define WEFT_INSTANTIATE(Q)                                                  \
  template tl::expected<Q, std::string> parse_quantity<Q>(std::string_view); \
  template std::string to_string<Q>(Q);                                      \
  template std::string format_short<Q>(Q);
WEFT_INSTANTIATE(Bytes)
WEFT_INSTANTIATE(Seconds)
WEFT_INSTANTIATE(Hertz)
WEFT_INSTANTIATE(BytesPerSecond)
WEFT_INSTANTIATE(Flops)
WEFT_INSTANTIATE(FlopsPerSecond)
WEFT_INSTANTIATE(Joules)
WEFT_INSTANTIATE(JoulesPerBit)
WEFT_INSTANTIATE(Watts)
#undef WEFT_INSTANTIATE

}  // namespace weft
