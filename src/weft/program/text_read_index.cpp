// Index expressions, boxes, sites and chunks of the Program's text.
//
// sum := product (('+' | '-') product)*, product := ['-'] atom ('*' atom)*, atom := integer | variable | '(' sum ')', and after an
// atom `^ integer` and then `% integer`. Everything is linear, so of two factors one is constant, and what has an exclusive or
// or a modulo stands alone.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "weft/core/suggest.hpp"
#include "weft/program/text_buffers.hpp"
#include "weft/program/text_reader.hpp"

namespace weft::program {
namespace {

constexpr int deepest_brackets = 100;
constexpr std::int64_t largest = std::int64_t{1} << 60;

template <class T>
std::vector<std::string> names_of(const std::vector<T>& things) {
  std::vector<std::string> out;
  for (const T& thing : things) out.push_back(thing.name);
  return out;
}

}  // namespace

VarId TextReader::variable(const Word& word) {
  const auto found = vars_.find(word.text);
  if (found != vars_.end()) return found->second;
  const auto id = static_cast<VarId>(p_.vars.size());
  vars_.emplace(std::string(word.text), id);
  p_.vars.emplace_back(word.text);
  return id;
}

std::int64_t TextReader::checked(std::int64_t v, const char* at) const {
  if (v > largest || v < -largest) lex_.fail(at, "the number is too large");
  return v;
}

void TextReader::require_linear(const Value& v) {
  if (v.e.flip == 0 && v.e.mod == 0) return;
  lex_.fail(v.at, "'^' and '%' come last in an index expression", "put the whole before them in brackets: (j+1)%8");
}

void TextReader::add(Value& a, const Value& b, std::int64_t sign) {
  require_linear(a);
  require_linear(b);
  a.e.base = checked(a.e.base + sign * b.e.base, b.at);
  for (const IndexExpr::Term& term : b.e.terms) {
    const auto same = std::ranges::find(a.e.terms, term.var, &IndexExpr::Term::var);
    if (same == a.e.terms.end()) {
      a.e.terms.push_back({term.var, sign * term.coef});
    } else {
      same->coef = checked(same->coef + sign * term.coef, b.at);
      if (same->coef == 0) a.e.terms.erase(same);
    }
  }
}

void TextReader::scale(Value& a, std::int64_t k, const char* at) {
  require_linear(a);
  const auto times = [&](std::int64_t v) {
    std::int64_t out = 0;
    if (__builtin_mul_overflow(v, k, &out)) lex_.fail(at, "the number is too large");
    return checked(out, at);
  };
  a.e.base = times(a.e.base);
  for (IndexExpr::Term& term : a.e.terms) term.coef = times(term.coef);
  if (k == 0) a.e.terms.clear();
}

TextReader::Value TextReader::sum(int depth) {
  Value v = product(depth);
  while (true) {
    if (lex_.looking_at("+") && !lex_.looking_at("+:") && !lex_.looking_at("+=")) {
      lex_.take('+');
      add(v, product(depth), 1);
    } else if (lex_.looking_at("-") && !lex_.looking_at("->")) {
      lex_.take('-');
      add(v, product(depth), -1);
    } else {
      return v;
    }
  }
}

TextReader::Value TextReader::product(int depth) {
  const char* at = lex_.here();
  const bool negative = lex_.take('-');
  Value v = atom(depth);
  while (lex_.take('*')) {
    const Value w = atom(depth);
    if (!v.e.terms.empty() && !w.e.terms.empty()) lex_.fail(w.at, "two indices are multiplied", "indices are linear");
    require_linear(v);
    require_linear(w);
    if (w.e.terms.empty()) {
      scale(v, w.e.base, w.at);
    } else {
      const std::int64_t k = v.e.base;
      v = w;
      scale(v, k, w.at);
    }
  }
  if (negative) scale(v, -1, at);
  v.at = at;
  return v;
}

TextReader::Value TextReader::atom(int depth) {
  if (depth > deepest_brackets)
    lex_.fail(lex_.here(), fmt::format("brackets are nested more than {} deep", deepest_brackets));
  Value v;
  v.at = lex_.here();
  if (lex_.take('(')) {
    v = sum(depth + 1);
    lex_.expect(')', "to close the bracket");
  } else if (lex_.at_digit()) {
    v.e.base = lex_.natural("a number");
  } else {
    const Word word = lex_.variable("an index");
    v.e.terms.push_back({variable(word), 1});
    uses_.emplace_back(v.e.terms[0].var, word.at);
  }
  postfix(v);
  return v;
}

void TextReader::postfix(Value& v) {
  while (true) {
    const char* at = lex_.here();
    if (lex_.take('^')) {
      require_linear(v);
      v.e.flip = lex_.integer("the bits to flip");
    } else if (lex_.take('%')) {
      if (v.e.mod != 0) lex_.fail(at, "a second modulo");
      v.e.mod = lex_.integer("the modulo");
      if (v.e.mod <= 0) lex_.fail(at, "the modulo must be positive");
    } else {
      return;
    }
  }
}

AxisRange TextReader::axis(bool* star) {
  AxisRange out;
  if (lex_.take(':')) return out;
  if (lex_.take('*')) {
    if (star != nullptr) *star = true;
    return out;
  }
  out.all = false;
  const char* at = lex_.here();
  out.lo = index();
  if (lex_.take("..")) {
    const IndexExpr hi = index();
    if (!out.lo.constant() || !hi.constant() || out.lo.flip != 0 || out.lo.mod != 0 || hi.flip != 0 || hi.mod != 0) {
      lex_.fail(at, "the ends of a..b are plain numbers", "a range that moves is written lo+:count");
    }
    if (hi.base < out.lo.base) lex_.fail(at, "the range ends before it begins");
    out.count = hi.base - out.lo.base + 1;
  } else if (lex_.take("+:")) {
    out.count = lex_.natural("the number of entries");
  }
  return out;
}

TextReader::Site TextReader::site(std::string_view what) {
  Site out;
  const Word word = lex_.name(what);
  out.at = word.at;
  out.ref.space = space_named(word);
  const std::size_t rank = p_.spaces[out.ref.space].shape.size();
  const char* at = lex_.here();
  if (!lex_.looking_at("[")) return out;
  while (lex_.take('[')) {  // gpu[n,g] and gpu[n][g] are the same
    do {
      bool star = false;
      out.ref.axes.push_back(axis(&star));
      out.star.push_back(star);
    } while (lex_.take(','));
    lex_.expect(']', "to close the index");
  }
  if (out.ref.axes.size() == 1 && out.ref.axes[0].all) {
    out.ref.axes.resize(rank);
    out.star.resize(rank, out.star[0]);
  }
  if (out.ref.axes.size() != rank) {
    lex_.fail(at, fmt::format("'{}' has {} axes, and {} are given", word.text, rank, out.ref.axes.size()));
  }
  return out;
}

ChunkRef TextReader::chunk() {
  ChunkRef out;
  const Word word = lex_.name("a buffer or tensor");
  out.buffer = buffer(word);
  const char* at = lex_.here();
  if (lex_.take('[')) {
    do {
      out.box.push_back(axis());
    } while (lex_.take(','));
    lex_.expect(']', "to close the box");
    const std::size_t rank = tensor_of(out.buffer).shape.size();
    if (out.box.size() != rank) {
      lex_.fail(at, fmt::format("'{}' has {} axes, and {} are given", word.text, rank, out.box.size()));
    }
  }
  if (lex_.take_keyword("from")) {
    out.by = ChunkRef::By::table_from;
    out.table = table_named();
  } else if (lex_.take_keyword("to")) {
    out.by = ChunkRef::By::table_to;
    out.table = table_named();
  }
  return out;
}

// `over j 0..7 k 0..3`, or nothing.
std::vector<SetIndex> TextReader::over() {
  std::vector<SetIndex> out;
  if (!lex_.take_keyword("over")) return out;
  do {
    const Word word = lex_.variable("an index");
    const VarId var = variable(word);
    if (std::ranges::find(out, var, &SetIndex::var) != out.end()) {
      lex_.fail(word.at, fmt::format("'{}' has two ranges", word.text));
    }
    const std::int64_t lo = lex_.integer("the first value of the index");
    if (!lex_.take("..")) lex_.fail_here("'..' and the last value");
    const char* at = lex_.here();
    const std::int64_t last = lex_.integer("the last value of the index");
    if (last < lo - 1) lex_.fail(at, "the range ends before it begins");
    out.push_back({var, lo, last + 1});
    const Word next = lex_.peek_variable();
    if (!next || clause_word(next)) return out;
  } while (true);
}

void TextReader::require_bound(const std::vector<SetIndex>& over, const std::vector<VarId>& bound) {
  for (const auto& [var, at] : uses_) {
    if (std::ranges::find(bound, var) != bound.end()) continue;
    if (std::ranges::find(over, var, &SetIndex::var) != over.end()) continue;
    lex_.fail(
        at, fmt::format("the index '{}' has no range here", p_.vars[var]),
        fmt::format("write 'over {} 0..7', or let it stand alone in a site: gpu[{}]", p_.vars[var], p_.vars[var]));
  }
  uses_.clear();
}

std::uint32_t TextReader::find(const Names& names, const Word& word, std::string_view what,
                               const std::vector<std::string>& candidates) {
  const auto found = names.find(word.text);
  if (found != names.end()) return found->second;
  lex_.fail(word.at, fmt::format("unknown {} '{}'", what, word.text), did_you_mean(word.text, candidates));
}

SpaceId TextReader::space_named(const Word& word) {
  const auto found = spaces_.find(word.text);
  return found != spaces_.end() ? found->second : find(spaces_, word, "site space", names_of(p_.spaces));
}

BufferId TextReader::buffer(const Word& word) {
  const auto found = buffers_.find(word.text);
  if (found != buffers_.end()) return found->second;
  std::vector<std::string> candidates = names_of(p_.buffers);
  for (const Buffer& each : later_) candidates.push_back(each.name);
  return find(buffers_, word, "buffer", candidates);
}

TensorId TextReader::tensor_named() {
  const Word word = lex_.name("a tensor");
  const auto found = buffers_.find(word.text);
  if (found != buffers_.end() && found->second < kLaterBuffer) return found->second;
  lex_.fail(word.at, fmt::format("unknown tensor '{}'", word.text), did_you_mean(word.text, names_of(p_.tensors)));
}

TableId TextReader::table_named() {
  const Word word = lex_.name("a table");
  const auto found = tables_.find(word.text);
  return found != tables_.end() ? found->second : find(tables_, word, "table", names_of(p_.tables));
}

const Tensor& TextReader::tensor_of(BufferId buffer) const {
  const Buffer& b = buffer >= kLaterBuffer ? later_[buffer - kLaterBuffer] : p_.buffers[buffer];
  return p_.tensors[b.tensor];
}

}  // namespace weft::program
