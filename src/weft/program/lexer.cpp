#include "weft/program/lexer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace weft::program {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}
bool letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool word_char(char c) {
  return letter(c) || digit(c);
}
bool label_char(char c) {
  return word_char(c) || std::string_view(".:/+@%-").find(c) != std::string_view::npos;
}
bool printable(char c) {
  return c >= ' ' && c <= '~';
}

// End of the name that begins at `at`, or `at` itself.
const char* name_end(const char* at, const char* end, bool joined) {
  if (at == end || !letter(*at)) return at;
  ++at;
  while (at != end) {
    const bool join = joined && (*at == '-' || *at == '.') && at + 1 != end && word_char(at[1]);
    if (!word_char(*at) && !join) break;
    ++at;
  }
  return at;
}

int hex(char c) {
  if (digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool plain_name(std::string_view text) {
  return !text.empty() && name_end(text.data(), text.data() + text.size(), true) == text.data() + text.size();
}

bool plain_variable(std::string_view text) {
  return !text.empty() && name_end(text.data(), text.data() + text.size(), false) == text.data() + text.size();
}

bool plain_label(std::string_view text) {
  for (const char c : text) {
    if (!label_char(c)) return false;
  }
  return !text.empty();
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (printable(c)) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + '"';
}

Lexer::Lexer(std::string_view text, std::string_view file)
    : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()), file_(file) {}

void Lexer::skip() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  if (at_ != end_ && *at_ == '#') {
    while (at_ != end_ && *at_ != '\n') ++at_;
  }
}

bool Lexer::at_end() {
  for (skip(); at_ != end_; skip()) {
    if (*at_ == '\n') {
      line_start_ = at_ + 1;
      ++line_;
    } else if (*at_ != ';') {
      return false;
    }
    ++at_;
  }
  return true;
}

bool Lexer::at_statement_end() {
  skip();
  return at_ == end_ || *at_ == '\n' || *at_ == ';';
}

void Lexer::end_statement() {
  if (!at_statement_end()) fail_here("the end of the statement");
}

void Lexer::drop_line() {
  while (at_ != end_ && *at_ != '\n') ++at_;
}

bool Lexer::take(char sign) {
  skip();
  if (at_ == end_ || *at_ != sign) return false;
  ++at_;
  return true;
}

bool Lexer::looking_at(std::string_view signs) {
  skip();
  return std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(signs);
}

bool Lexer::take(std::string_view signs) {
  if (!looking_at(signs)) return false;
  at_ += signs.size();
  return true;
}

void Lexer::expect(char sign, std::string_view where) {
  if (!take(sign)) fail_here(fmt::format("'{}' {}", sign, where));
}

bool Lexer::take_joined(char sign) {
  if (end_ - at_ < 2 || *at_ != sign || !digit(at_[1])) return false;
  ++at_;
  return true;
}

bool Lexer::take_keyword(std::string_view keyword) {
  if (!peek_name().is(keyword)) return false;
  at_ += keyword.size();
  return true;
}

Word Lexer::peek_name() {
  skip();
  const char* mark = at_;
  Word word;
  if (at_ != end_ && *at_ == '"') {
    word = quoted_word();
  } else if (const char* stop = name_end(at_, end_, true); stop != at_) {
    word = {{at_, static_cast<std::size_t>(stop - at_)}, false, at_};
  }
  at_ = mark;
  return word;
}

Word Lexer::name(std::string_view what) {
  skip();
  if (at_ != end_ && *at_ == '"') return quoted_word();
  const char* stop = name_end(at_, end_, true);
  if (stop == at_) fail_here(std::string(what));
  const Word word{{at_, static_cast<std::size_t>(stop - at_)}, false, at_};
  at_ = stop;
  return word;
}

Word Lexer::peek_variable() {
  skip();
  const char* mark = at_;
  Word word;
  if (at_ != end_ && (*at_ == '"' || letter(*at_))) word = variable("an index");
  at_ = mark;
  return word;
}

Word Lexer::variable(std::string_view what) {
  skip();
  if (at_ != end_ && *at_ == '"') return quoted_word();
  const char* stop = name_end(at_, end_, false);
  if (stop == at_) fail_here(std::string(what));
  const Word word{{at_, static_cast<std::size_t>(stop - at_)}, false, at_};
  at_ = stop;
  return word;
}

Word Lexer::label(std::string_view what) {
  skip();
  if (at_ != end_ && *at_ == '"') return quoted_word();
  const char* stop = at_;
  while (stop != end_ && label_char(*stop)) ++stop;
  if (stop == at_) fail_here(std::string(what));
  const Word word{{at_, static_cast<std::size_t>(stop - at_)}, false, at_};
  at_ = stop;
  return word;
}

Word Lexer::quoted_word() {
  const char* begin = at_++;
  std::string text;
  while (at_ != end_ && *at_ != '"' && *at_ != '\n') text += *at_ == '\\' ? escape() : *at_++;
  if (at_ == end_ || *at_ != '"') fail(begin, "the quotes are not closed", "a quoted name ends on its line");
  ++at_;
  return {arena_.emplace_back(std::move(text)), true, begin};
}

char Lexer::escape() {
  const char* begin = at_++;
  if (at_ != end_ && (*at_ == '"' || *at_ == '\\')) return *at_++;
  if (end_ - at_ >= 3 && *at_ == 'x' && hex(at_[1]) >= 0 && hex(at_[2]) >= 0) {
    const int value = hex(at_[1]) * 16 + hex(at_[2]);
    at_ += 3;
    return static_cast<char>(value);
  }
  fail(begin, "unknown escape in quotes", R"(allowed: \" \\ \xhh with two hexadecimal digits (lower case))");
}

bool Lexer::at_digit() {
  skip();
  return at_ != end_ && digit(*at_);
}

std::int64_t Lexer::natural(std::string_view what) {
  if (!at_digit()) fail_here(std::string(what));
  std::int64_t value = 0;
  const char* begin = at_;
  for (; at_ != end_ && digit(*at_); ++at_) {
    if (value > (std::int64_t{1} << 59) / 10) fail(begin, "the number is too large");
    value = value * 10 + (*at_ - '0');
  }
  return value;
}

std::int64_t Lexer::integer(std::string_view what) {
  skip();
  const bool negative = at_ != end_ && *at_ == '-';
  if (negative) ++at_;
  const std::int64_t value = natural(what);
  return negative ? -value : value;
}

std::string_view Lexer::quantity() {
  if (!at_digit()) fail_here("a size with a unit, e.g. 4 B or 1 MB");
  const char* begin = at_;
  while (at_ != end_ && (digit(*at_) || *at_ == '.')) ++at_;
  const char* number_end = at_;
  skip();
  const char* unit_end = name_end(at_, end_, false);
  at_ = unit_end != at_ ? unit_end : number_end;
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

double Lexer::real(std::string_view what) {
  skip();
  double value = 0;
  const auto [stop, code] = std::from_chars(at_, end_, value);
  if (code != std::errc() || !std::isfinite(value)) fail_here(std::string(what));
  at_ = stop;
  return value;
}

std::string_view Lexer::rest_of_statement() {
  skip();
  const char* begin = at_;
  while (at_ != end_ && *at_ != '\n' && *at_ != ';' && *at_ != '#') ++at_;
  const char* stop = at_;
  while (stop != begin && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) --stop;
  return {begin, static_cast<std::size_t>(stop - begin)};
}

const char* Lexer::here() {
  skip();
  return at_;
}

Diagnostic Lexer::diagnostic(const Spot& where, std::string message, std::string hint) const {
  const char* stop = where.line_start;
  while (stop != end_ && *stop != '\n' && *stop != '\r') ++stop;
  std::string line(where.line_start, stop);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = c == '\t' ? ' ' : '?';
  }
  Diagnostic out;
  out.message = std::move(message);
  out.where = {file_, where.line, static_cast<int>(where.at - where.line_start) + 1};
  out.hint = std::move(hint);
  out.excerpt = std::move(line);
  return out;
}

void Lexer::fail(const char* at, std::string message, std::string hint) const {
  throw TextFailure{diagnostic(spot(at), std::move(message), std::move(hint))};
}

void Lexer::fail_here(std::string expected) {
  skip();
  std::string found = "the end of the line";
  if (at_ == end_) {
    found = "the end of the text";
  } else if (const char* stop = name_end(at_, end_, true); stop != at_) {
    found = fmt::format("'{}'", std::string(at_, std::min<std::ptrdiff_t>(stop - at_, 40) + at_));
  } else if (printable(*at_)) {
    found = fmt::format("'{}'", *at_);
  } else if (*at_ != '\n') {
    found = fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(*at_));
  }
  fail(at_, fmt::format("expected {}, found {}", expected, found));
}

}  // namespace weft::program
