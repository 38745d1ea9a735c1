// One command from words to an exit code: parse, run, print. All errors end here.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "weft/cli/verb.hpp"
#include "weft/core/text.hpp"
#include "weft/core/version.hpp"

namespace weft::cli {
namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::input:
      return "input";
    case ErrorKind::check_failed:
      return "check_failed";
    case ErrorKind::infeasible:
      return "infeasible";
    case ErrorKind::limit:
      return "limit";
    case ErrorKind::internal:
      return "internal";
    case ErrorKind::interrupted:
      return "interrupted";
  }
  return "internal";
}

Json json_of(const std::vector<Diagnostic>& all) {
  const Diagnostic& d = all.front();
  Json error = Json::object();
  error.set("kind", kind_name(d.kind)).set("message", d.message);
  if (!d.where.file.empty()) error.set("file", d.where.file);
  if (d.where.line > 0) error.set("line", d.where.line);
  if (d.where.column > 0) error.set("column", d.where.column);
  if (!d.field.empty()) error.set("field", d.field);
  if (!d.hint.empty()) error.set("hint", d.hint);
  if (all.size() > 1) {
    Json others = Json::array();
    for (std::size_t i = 1; i < all.size(); ++i) others.push(json_of({all[i]}).at("error"));
    error.set("more", others);
  }
  Json whole = Json::object();
  whole.set("error", error);
  return whole;
}

/// Long lines are broken; source lines with their caret, which stand four columns in, are not.
std::string for_terminal(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const bool excerpt = line.starts_with("    ");
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    result += excerpt || display_width(line) <= text_width ? std::string(line) : wrap(line, text_width, indent);
    result += '\n';
  }
  return result;
}

int report(const Error& error, bool json) {
  const std::string text = json ? json_of(error.diagnostics()).dump() + "\n" : for_terminal(error.what());
  const bool told = std::fwrite(text.data(), 1, text.size(), json ? stdout : stderr) == text.size();
  if (json && (!told || std::fflush(stdout) != 0)) fmt::print(stderr, "{}", for_terminal(error.what()));
  if (error.kind() == ErrorKind::internal) {
    fmt::print(stderr, "This is a bug in weft {}. Please report it with this message and the command that you gave.\n",
               version_full());
  }
  return error.exit_code();
}

Json envelope(const Arguments& arguments, const Outcome& outcome) {
  std::vector<std::string> warnings = outcome.warnings;
  warnings.insert(warnings.end(), outcome.notes.begin(), outcome.notes.end());
  Json whole = Json::object();
  whole.set("weft", version()).set("command", arguments.verb).set("inputs", arguments.inputs());
  whole.set("assumptions", outcome.assumptions).set("warnings", Json(warnings)).set("result", outcome.result);
  return whole;
}

void write(const std::string& text, const std::string& file, bool quiet) {
  if (file.empty()) {
    const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!whole || std::fflush(stdout) != 0)
      throw usage_error(fmt::format("standard output cannot be written: {}", std::strerror(errno)), "--out FILE");
    return;
  }
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw usage_error(fmt::format("--out '{}' cannot be written", file), "a file in a folder that exists");
  if (!quiet) fmt::print(stderr, "wrote {}\n", file);
}

/// Result and Program each need a place of their own.
void check_outputs(const Arguments& arguments, bool json) {
  namespace fs = std::filesystem;
  const std::string out = arguments.text("out"), program = arguments.text("program");
  if (program.empty()) return;
  std::error_code ignored;
  const auto same = [&](const std::string& a, const std::string& b) {
    return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored) || fs::equivalent(a, b, ignored);
  };
  if (!out.empty() && same(out, program))
    throw usage_error(fmt::format("--out and --program both write '{}'", out), "two files");
  const bool standard = program == "/dev/stdout" || program == "/dev/fd/1" || program == "/proc/self/fd/1";
  if (json && out.empty() && standard)
    throw usage_error("--program to standard output, where --json puts its one object", "--program FILE");
}

int answer(const std::vector<std::string>& words, bool json);

/// Text as it is, or as the one object that --json promises.
void write_words(const std::string& command, const std::string& key, const std::string& value, const std::string& text,
                 bool json) {
  Json whole = Json::object();
  whole.set("weft", version()).set("command", command).set("result", Json::object().set(key, value));
  write(json ? whole.dump() + "\n" : text, "", true);
}

/// Help and version; nothing where the words ask for neither.
std::optional<int> answer_about(const std::vector<std::string>& words, bool json) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    if (words.size() > 1 && words[0] == "help" && !words[1].starts_with('-')) {
      std::vector<std::string> rest(words.begin() + 1, words.end());
      rest.emplace_back("--help");
      return answer(rest, json);
    }
    write_words("help", "text", help(), help(), json);
    return words.empty() ? 2 : 0;
  }
  if (words[0] == "--version" || words[0] == "version") {
    write_words("version", "version", version_full(), "weft " + version_full() + "\n", json);
    return 0;
  }
  if (!has(words, "--help") && !has(words, "-h")) return std::nullopt;
  for (std::size_t n = std::min<std::size_t>(2, words.size()); n >= 1; --n) {
    const std::string name = n == 2 ? words[0] + " " + words[1] : words[0];
    if (const auto* item = Registry<Verb>::instance().try_find(name)) {
      write_words("help", "text", help(*item), help(*item), json);
      return 0;
    }
  }
  return std::nullopt;
}

int answer(const std::vector<std::string>& words, bool json) {
  if (const auto done = answer_about(words, json)) return *done;
  const Arguments arguments = parse(words);
  const bool quiet = arguments.flag("quiet");
  check_outputs(arguments, json);
  std::unique_ptr<tbb::global_control> threads;
  if (arguments.given("threads")) {
    const auto n = static_cast<std::size_t>(arguments.integer("threads", 1, 1));
    threads = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, n);
  }
  (void)arguments.integer("seed", 0, 0);
  const Outcome outcome = Registry<Verb>::instance().find(arguments.verb, "verb").run(arguments);
  if (!json && !quiet) {
    for (const std::string& warning : outcome.warnings) fmt::print(stderr, "{}", for_terminal("warning: " + warning));
  }
  write(json ? envelope(arguments, outcome).dump() + "\n" : outcome.text, arguments.text("out"), quiet);
  return outcome.exit_code;
}

}  // namespace

int run(const std::vector<std::string>& words) {
  const bool json = has(words, "--json");
  try {
    return answer(words, json);
  } catch (const Error& error) {
    return report(error, json);
  } catch (const std::bad_alloc&) {
    return report(limit_error("out of memory", "a smaller machine, model or size"), json);
  } catch (const std::exception& error) {
    return report(Error(Diagnostic{.kind = ErrorKind::internal, .message = error.what()}), json);
  }
}

}  // namespace weft::cli
