// What a value is, for verify: a fingerprint modulo 2^61 - 1, or, where a failure is to be explained, an exact set.
//
// A value belongs to a cell of a tensor, its coordinates are understood. Laws that both algebras keep:
//   add is commutative and associative, 0 is nothing
//   einsum(e, box, v) is additive over disjoint boxes of the contracted axes and to nothing else
//   opaque(op, out, {(tensor, v)}) does not depend on the order of its inputs
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "weft/program/expand.hpp"

namespace weft::program {

using Value = std::uint64_t;
struct Interval {
  std::int64_t lo = 0, hi = 0;
  bool operator==(const Interval&) const = default;
};
struct Input {
  TensorId tensor = 0;
  Value value = 0;
};

class Algebra {
 public:
  virtual ~Algebra() = default;
  virtual Value own(TensorId tensor) = 0;                        ///< the tensor's value
  virtual Value contribution(TensorId tensor, SiteId site) = 0;  ///< a rank's own part of a sum
  virtual Value add(Value a, Value b) = 0;
  virtual Value einsum(std::uint32_t equation, std::span<const Interval> contracted,
                       std::span<const Value> operands) = 0;
  virtual Value opaque(const std::string& op, TensorId out, std::span<const Input> inputs) = 0;
  virtual bool same(Value a, Value b) const = 0;
  /// Several values read as one input: their set.
  virtual Value together(std::vector<Value> values) = 0;
};

class Fingerprints final : public Algebra {
 public:
  bool same(Value a, Value b) const override { return a == b; }
  Value own(TensorId tensor) override;
  Value contribution(TensorId tensor, SiteId site) override;
  Value add(Value a, Value b) override;
  Value einsum(std::uint32_t equation, std::span<const Interval> contracted, std::span<const Value> operands) override;
  Value opaque(const std::string& op, TensorId out, std::span<const Input> inputs) override;
  Value together(std::vector<Value> values) override;
};

/// Values are handles of multisets of named terms.
class ExactSets final : public Algebra {
 public:
  struct Term {
    enum class Kind : std::uint8_t { own, contribution, einsum, opaque } kind = Kind::own;
    TensorId tensor = 0;
    SiteId site = 0;
    std::uint32_t equation = 0;
    std::vector<Interval> box;
    std::uint64_t of = 0;  ///< what it was made from
    std::string op;
  };
  ExactSets();
  bool same(Value a, Value b) const override { return sets_[a] == sets_[b]; }
  Value own(TensorId tensor) override;
  Value contribution(TensorId tensor, SiteId site) override;
  Value add(Value a, Value b) override;
  Value einsum(std::uint32_t equation, std::span<const Interval> contracted, std::span<const Value> operands) override;
  Value opaque(const std::string& op, TensorId out, std::span<const Input> inputs) override;
  Value together(std::vector<Value> values) override;
  using Set = std::map<std::uint64_t, int>;  ///< term -> how often
  const Set& set(Value value) const { return sets_[value]; }
  const Term& term(std::uint64_t key) const { return terms_.at(key); }
  std::size_t size() const { return held_; }  ///< terms in all sets, to stop in time

 private:
  Value hold(Set set);
  Value single(std::uint64_t key, const Term& term);
  std::vector<Set> sets_;
  absl::flat_hash_map<std::uint64_t, Term> terms_;
  absl::flat_hash_map<std::uint64_t, Value> known_;
  std::size_t held_ = 0;
};

}  // namespace weft::program
