// Characters of the Program's text: a cursor over the text that hands out words, numbers and signs.
//
// No token is stored and none is copied: words are views into the text (quoted ones with escapes into an arena), so a table of
// a million rows costs a scan. What a character means depends on where it stands (`j-1` is a difference in an index and could be
// part of a name elsewhere), so the reader asks for what it expects.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "weft/core/error.hpp"

namespace weft::program {

/// A name, an option or a keyword. Quoted words are never keywords.
struct Word {
  std::string_view text;
  bool quoted = false;
  const char* at = nullptr;  ///< where it begins in the text
  bool is(std::string_view keyword) const { return !quoted && text == keyword; }
  explicit operator bool() const { return at != nullptr; }
};

/// A place in the text that outlives the cursor's stay on its line.
struct Spot {
  const char* at = nullptr;
  const char* line_start = nullptr;
  int line = 0;
};

/// What the cursor throws for text it cannot read; the reader collects them.
struct TextFailure {
  Diagnostic diagnostic;
};

/// A word that needs no quotes: [A-Za-z_] and then letters, digits, `_`, and `-` or `.` before one of these.
bool plain_name(std::string_view text);
/// A variable that needs no quotes: a plain name without `-` and `.`.
bool plain_variable(std::string_view text);
/// A route, tag or circuit that needs no quotes: letters, digits and `_.:/+@%-`, not empty.
bool plain_label(std::string_view text);
/// In double quotes, with escapes for quotes, backslashes and characters that are not printable.
std::string in_quotes(std::string_view text);

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view file);

  // Between statements.
  bool at_end();            ///< skips blanks, line ends and `;` first
  bool at_statement_end();  ///< skips blanks and a comment first
  void end_statement();     ///< fails when anything is left
  void drop_line();         ///< after a failure

  // Inside a statement; blanks before are skipped.
  bool take(char sign);
  bool take(std::string_view signs);
  bool looking_at(std::string_view signs);
  void expect(char sign, std::string_view where);
  void skip_one() { ++at_; }    ///< not at the end
  bool take_joined(char sign);  ///< only directly after what was read last, before a digit
  bool take_keyword(std::string_view keyword);
  Word peek_name();                  ///< without a name here: a Word that is false
  Word name(std::string_view what);  ///< e.g. name("a buffer's name")
  Word peek_variable();
  Word variable(std::string_view what);
  Word label(std::string_view what);
  bool at_digit();
  std::int64_t integer(std::string_view what);  ///< with a sign
  std::int64_t natural(std::string_view what);  ///< without
  std::string_view quantity();                  ///< a number and its unit, as written
  double real(std::string_view what);
  std::string_view rest_of_statement();

  const char* here();  ///< position of the next thing
  const char* mark() const { return at_; }
  void back_to(const char* mark) { at_ = mark; }  ///< on the same line
  int line() const { return line_; }
  Spot spot(const char* at) const { return {at, line_start_, line_}; }  ///< `at` on the current line
  Diagnostic diagnostic(const Spot& where, std::string message, std::string hint) const;

  [[noreturn]] void fail(const char* at, std::string message, std::string hint = {}) const;
  [[noreturn]] void fail_here(std::string expected);  ///< "expected ..., found ..."

 private:
  void skip();
  Word quoted_word();
  char escape();

  const char* at_;
  const char* end_;
  const char* line_start_;
  int line_ = 1;
  std::string file_;
  std::deque<std::string> arena_;
};

}  // namespace weft::program
