#include "weft/core/error.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr std::size_t excerpt_width = 96;

std::string_view label(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return "error";
    case ErrorKind::check_failed:
      return "check failed";
    case ErrorKind::infeasible:
      return "infeasible";
    case ErrorKind::limit:
      return "limit reached";
    case ErrorKind::internal:
      return "internal error";
    case ErrorKind::interrupted:
      return "interrupted";
  }
  return "error";
}

std::string position(const Location& where) {
  if (where.file.empty()) return {};
  if (where.line <= 0) return where.file + ": ";
  if (where.column <= 0) return fmt::format("{}:{}: ", where.file, where.line);
  return fmt::format("{}:{}:{}: ", where.file, where.line, where.column);
}

// The source line with a caret below. Of a very long line, the part around the caret. Tabs count as one column and are
// shown as a space so that the caret stays in place.
std::string caret(const Diagnostic& diagnostic) {
  if (diagnostic.excerpt.empty() || diagnostic.where.column <= 0) return {};
  std::string line = diagnostic.excerpt;
  std::replace(line.begin(), line.end(), '\t', ' ');
  std::size_t at = std::min(static_cast<std::size_t>(diagnostic.where.column - 1), line.size());
  if (line.size() > excerpt_width) {
    const std::size_t from = at > excerpt_width / 2 ? at - excerpt_width / 2 : 0;
    line = line.substr(from, excerpt_width);
    at -= from;
  }
  // The column counts bytes; the caret must be moved by characters.
  const auto shown = std::count_if(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(at),
                                   [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return fmt::format("\n    {}\n    {}^", line, std::string(static_cast<std::size_t>(shown), ' '));
}

Error simple(ErrorKind kind, std::string message, std::string hint, Location where = {}) {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.where = std::move(where);
  return Error(std::move(diagnostic));
}

}  // namespace

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return 2;
    case ErrorKind::check_failed:
      return 1;
    case ErrorKind::infeasible:
      return 3;
    case ErrorKind::limit:
      return 4;
    case ErrorKind::internal:
      return 70;
    case ErrorKind::interrupted:
      return 130;
  }
  return 70;
}

Error::Error(Diagnostic diagnostic) : Error(std::vector<Diagnostic>{std::move(diagnostic)}) {}

Error::Error(std::vector<Diagnostic> diagnostics) : diagnostics_(std::move(diagnostics)) {
  if (diagnostics_.empty()) diagnostics_.push_back({ErrorKind::internal, "an error without a message"});
  text_ = to_text(diagnostics_);
}

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = fmt::format("{}{}: ", position(diagnostic.where), label(diagnostic.kind));
  if (!diagnostic.field.empty()) text += diagnostic.field + ": ";
  text += diagnostic.message + caret(diagnostic);
  if (!diagnostic.hint.empty()) text += "\n  hint: " + diagnostic.hint;
  return text;
}

std::string to_text(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!text.empty()) text += '\n';
    text += to_text(diagnostic);
  }
  return text;
}

Error usage_error(std::string message, std::string hint) {
  return simple(ErrorKind::usage, std::move(message), std::move(hint));
}
Error input_error(std::string message, Location where, std::string hint) {
  return simple(ErrorKind::input, std::move(message), std::move(hint), std::move(where));
}
Error check_error(std::string message, std::string hint) {
  return simple(ErrorKind::check_failed, std::move(message), std::move(hint));
}
Error infeasible_error(std::string message, std::string hint) {
  return simple(ErrorKind::infeasible, std::move(message), std::move(hint));
}
Error limit_error(std::string message, std::string hint) {
  return simple(ErrorKind::limit, std::move(message), std::move(hint));
}

void internal_error(std::string_view message, std::source_location where) {
  std::string file = where.file_name();
  const auto root = file.rfind("src/weft/");
  if (root != std::string::npos) file.erase(0, root);
  throw simple(ErrorKind::internal, fmt::format("{} (in {})", message, where.function_name()),
               "this is a fault of weft, not of your input; please report it with the command line and the version",
               {file, static_cast<int>(where.line()), 0});
}

}  // namespace weft
