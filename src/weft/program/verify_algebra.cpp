#include "weft/program/verify_algebra.hpp"

#include <algorithm>

#include "weft/core/random.hpp"

namespace weft::program {
namespace {

constexpr std::uint64_t kPrime = (1ull << 61) - 1;
constexpr std::uint64_t kOwn = 0x4f776e, kPart = 0x506172, kAxis = 0x417869, kSum = 0x53756d, kSet = 0x536574;
__extension__ using Wide = unsigned __int128;

std::uint64_t field(std::uint64_t x) {
  const std::uint64_t v = mix64(x) % kPrime;
  return v == 0 ? 1 : v;
}
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % kPrime);
}
std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
  return a >= b ? a - b : a + kPrime - b;
}

std::uint64_t inputs_key(const std::string& op, TensorId out, std::span<const Input> inputs) {
  std::uint64_t sum = 0;
  for (const Input& in : inputs) sum += mix64(hash_combine(in.tensor, in.value));
  return hash_combine(hash_combine(hash_string(op), out), sum);
}

std::uint64_t operands_key(std::uint32_t equation, std::span<const Value> operands) {
  std::uint64_t key = hash_combine(kSum, equation);
  for (Value v : operands) key = hash_combine(key, v);
  return key;
}

}  // namespace

Value Fingerprints::own(TensorId tensor) {
  return field(hash_combine(kOwn, tensor));
}
Value Fingerprints::contribution(TensorId tensor, SiteId site) {
  return field(hash_combine(hash_combine(kPart, tensor), site));
}
Value Fingerprints::add(Value a, Value b) {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

Value Fingerprints::einsum(std::uint32_t equation, std::span<const Interval> contracted,
                           std::span<const Value> operands) {
  std::uint64_t value = field(operands_key(equation, operands));
  for (std::size_t axis = 0; axis < contracted.size(); ++axis) {
    const auto h = [&](std::int64_t at) {
      return field(hash_combine(hash_combine(kAxis + axis, equation), static_cast<std::uint64_t>(at)));
    };
    value = times(value, minus(h(contracted[axis].hi), h(contracted[axis].lo)));
  }
  return value;
}

Value Fingerprints::opaque(const std::string& op, TensorId out, std::span<const Input> inputs) {
  return field(inputs_key(op, out, inputs));
}

Value Fingerprints::together(std::vector<Value> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() == 1) return values[0];
  std::uint64_t key = kSet;
  for (Value v : values) key = hash_combine(key, v);
  return field(key);
}

ExactSets::ExactSets() {
  sets_.emplace_back();
}

Value ExactSets::hold(Set set) {
  held_ += set.size();
  sets_.push_back(std::move(set));
  return sets_.size() - 1;
}

Value ExactSets::single(std::uint64_t key, const Term& term) {
  const auto [at, fresh] = known_.try_emplace(key, 0);
  if (!fresh) return at->second;
  terms_.emplace(key, term);
  const Value value = hold({{key, 1}});
  known_[key] = value;
  return value;
}

Value ExactSets::own(TensorId tensor) {
  return single(hash_combine(kOwn, tensor), {Term::Kind::own, tensor, 0, 0, {}, 0, {}});
}
Value ExactSets::contribution(TensorId tensor, SiteId site) {
  return single(hash_combine(hash_combine(kPart, tensor), site),
                {Term::Kind::contribution, tensor, site, 0, {}, 0, {}});
}

Value ExactSets::add(Value a, Value b) {
  if (a == 0) return b;
  if (b == 0) return a;
  Set sum = sets_[a];
  for (const auto& [key, times_in] : sets_[b]) sum[key] += times_in;
  return hold(std::move(sum));
}

Value ExactSets::einsum(std::uint32_t equation, std::span<const Interval> contracted, std::span<const Value> operands) {
  Term term{Term::Kind::einsum, 0, 0, equation, {contracted.begin(), contracted.end()}, 0, {}};
  std::uint64_t made = equation;
  for (Value v : operands) {
    for (const auto& [key, count] : sets_[v])
      made = hash_combine(made, hash_combine(key, static_cast<std::uint64_t>(count)));
    made = mix64(made + 1);
  }
  term.of = made;
  std::uint64_t key = hash_combine(kSum, made);
  for (const Interval& i : contracted)
    key = hash_combine(hash_combine(key, static_cast<std::uint64_t>(i.lo)), static_cast<std::uint64_t>(i.hi));
  return single(key, term);
}

Value ExactSets::opaque(const std::string& op, TensorId out, std::span<const Input> inputs) {
  std::uint64_t sum = 0;
  for (const Input& in : inputs) {
    std::uint64_t made = in.tensor;
    for (const auto& [key, count] : sets_[in.value])
      made = hash_combine(made, hash_combine(key, static_cast<std::uint64_t>(count)));
    sum += mix64(made);
  }
  const std::uint64_t key = hash_combine(hash_combine(hash_string(op), out), sum);
  return single(key, {Term::Kind::opaque, out, 0, 0, {}, sum, op});
}

Value ExactSets::together(std::vector<Value> values) {
  std::vector<Set> distinct;
  for (Value v : values) {
    if (std::ranges::find(distinct, sets_[v]) == distinct.end()) distinct.push_back(sets_[v]);
  }
  if (distinct.size() == 1) return values[0];
  std::uint64_t sum = kSet;
  for (const Set& set : distinct) {
    std::uint64_t made = 0;
    for (const auto& [key, count] : set)
      made = hash_combine(made, hash_combine(key, static_cast<std::uint64_t>(count)));
    sum += mix64(made);
  }
  return single(sum, {Term::Kind::opaque, 0, 0, 0, {}, sum, "several values"});
}

}  // namespace weft::program
