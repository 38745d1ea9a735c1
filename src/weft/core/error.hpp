// Errors by blame: what the user typed, what a file says, what does not fit, or a fault of ours.
#pragma once

#include <exception>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

enum class ErrorKind {
  usage,         // a wrong command line
  input,         // a wrong file
  check_failed,  // a check or a reproduction outside its tolerance
  infeasible,    // it cannot fit or cannot be reached; the message says by how much
  limit,         // a limit of time or memory was reached
  internal,      // a fault of this program
  interrupted,   // Ctrl-C
};

// Process exit code: usage and input 2, check_failed 1, infeasible 3, limit 4, internal 70, interrupted 130.
int exit_code(ErrorKind kind);

struct Location {
  std::string file;
  int line = 0;  // from 1; 0 is unknown
  int column = 0;
};

struct Diagnostic {
  ErrorKind kind = ErrorKind::input;
  std::string message;
  Location where = {};
  std::string field = {};    // dotted key path, e.g. "fabric.links.0.bandwidth"
  std::string hint = {};     // what would be right
  std::string excerpt = {};  // the source line, for a caret under `where.column`
};

// One or more diagnostics, thrown together so that a user sees all faults of a file at once.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic diagnostic);
  explicit Error(std::vector<Diagnostic> diagnostics);  // must not be empty

  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  [[nodiscard]] ErrorKind kind() const { return diagnostics_.front().kind; }
  [[nodiscard]] int exit_code() const { return weft::exit_code(kind()); }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }  // the printed form

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

// "file:line:col: error: [field] message", then the source line with a caret, then "hint: ...".
std::string to_text(const Diagnostic& diagnostic);
std::string to_text(const std::vector<Diagnostic>& diagnostics);

Error usage_error(std::string message, std::string hint = {});
Error input_error(std::string message, Location where = {}, std::string hint = {});
Error check_error(std::string message, std::string hint = {});
Error infeasible_error(std::string message, std::string hint = {});
Error limit_error(std::string message, std::string hint = {});

// Throws an Error of kind internal which names the place in our source.
[[noreturn]] void internal_error(std::string_view message,
                                 std::source_location where = std::source_location::current());

}  // namespace weft
