// A verb of the command line: one file each, registered under its name, from which dispatch, help, completion and "did you mean"
// all come. A verb parses its arguments, asks the layers below and returns an Outcome; it prints nothing and exits nowhere.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/json.hpp"
#include "weft/core/registry.hpp"
#include "weft/core/units.hpp"

namespace weft::cli {

struct Positional {
  std::string name;  ///< "MACHINE"
  std::string description;
  bool optional = false;
};

struct Option {
  std::string name;   ///< without dashes
  std::string value;  ///< "SIZE"; empty: a flag
  std::string description;
  std::string fallback = {};
  std::string choices = {};  ///< what completion offers: a registry's or data folder's name, or words divided by '|'
  bool many = false;
};

/// What a command line said, checked against the verb's tables.
class Arguments {
 public:
  std::string verb;
  std::map<std::string, std::vector<std::string>, std::less<>> options;  ///< flags: {"true"}
  std::map<std::string, std::string, std::less<>> positionals;

  const std::string& positional(std::string_view name) const;  ///< "" where an optional one was left out
  bool flag(std::string_view name) const { return options.count(name) != 0; }
  bool given(std::string_view name) const { return options.count(name) != 0; }
  std::string text(std::string_view name) const;  ///< the value, its fallback, or ""
  /// Both throw a usage Error naming the option.
  std::int64_t integer(std::string_view name, std::int64_t lowest, std::int64_t otherwise) const;
  Bytes bytes(std::string_view name) const;
  std::vector<std::int64_t> shape(std::string_view name) const;  ///< "16x16", "512"; empty where not given
  std::vector<std::pair<std::string, std::string>> pairs(std::string_view name) const;  ///< PATH=VALUE
  Json inputs() const;  ///< all that was said or assumed, but for --threads, --out and how to print

 private:
  friend Arguments parse(const std::vector<std::string>& words);
  std::map<std::string, std::string, std::less<>> fallbacks_;
};

struct Outcome {
  Json result = Json::object();
  Json assumptions = Json::array();  ///< of {what, source}
  std::vector<std::string> warnings;
  std::vector<std::string> notes;  ///< warnings of JSON alone: what is absent from it, not what is doubtful in it
  std::string text;                ///< for people
  int exit_code = 0;
};

struct Verb {
  std::vector<std::string> examples;  ///< two, whole commands
  std::vector<Positional> positionals;
  std::vector<Option> options;
  std::function<Outcome(const Arguments&)> run;
};

/// Options that every verb has.
const std::vector<Option>& common_options();
/// Words after the program's name. Throws usage Errors: unknown verb, option or missing argument, with the nearest.
Arguments parse(const std::vector<std::string>& words);

std::string help();
std::string help(const Registry<Verb>::Item& verb);

/// The whole program, main() without its arguments' types: prints, and returns the exit code.
int run(const std::vector<std::string>& words);

}  // namespace weft::cli
