// Help: the list of verbs, and one verb with its examples on top.
#include <fmt/format.h>

#include "weft/cli/verb.hpp"
#include "weft/core/text.hpp"
#include "weft/core/version.hpp"

namespace weft::cli {

const std::vector<Option>& common_options() {
  static const std::vector<Option> options{
      {"json", "", "print one JSON object on standard output, for errors too"},
      {"out", "FILE", "write the result to FILE in place of standard output"},
      {"quiet", "", "say nothing on standard error but errors (also -q)"},
      {"threads", "N", "threads to use; answers do not depend on it"},
      {"seed", "N", "seed of random draws", "0"},
  };
  return options;
}

std::string help() {
  std::string text =
      "weft: how fast a model runs on an interconnect, what holds it back, and what would help\n\n"
      "  weft run mixtral-8x7b dgx-h100 --batch 64 --seq 2048 --layout ep=8\n"
      "  weft collective all-reduce dgx-h100 --size 64MiB\n\nVerbs\n";
  Table table({{"", Align::left}, {"", Align::left}});
  for (const auto* item : Registry<Verb>::instance().sorted()) {
    text += fmt::format("  {:<16} {}\n", item->name, item->description);
  }
  text += "\n'weft VERB --help' says more of one; 'weft --version' the version.\n";
  return text;
}

std::string help(const Registry<Verb>::Item& verb) {
  std::string text = fmt::format("weft {}: {}\n\nExamples\n", verb.name, verb.description);
  for (const std::string& example : verb.payload.examples) text += "  " + example + "\n";
  text += fmt::format("\nUsage\n  weft {}", verb.name);
  for (const Positional& p : verb.payload.positionals) text += p.optional ? " [" + p.name + "]" : " " + p.name;
  text += " [options]\n";
  if (!verb.payload.positionals.empty()) text += "\nArguments\n";
  for (const Positional& p : verb.payload.positionals) text += fmt::format("  {:<22} {}\n", p.name, p.description);
  const auto list = [&text](std::string_view title, const std::vector<Option>& options) {
    if (options.empty()) return;
    text += fmt::format("\n{}\n", title);
    for (const Option& o : options) {
      const std::string left = "--" + o.name + (o.value.empty() ? "" : " " + o.value);
      const std::string fallback = o.fallback.empty() ? "" : " (default " + o.fallback + ")";
      const std::string right = wrap(o.description + fallback, text_width, 25);
      text +=
          fmt::format("  {:<22}{}{}\n", left, left.size() > 22 ? "\n" + std::string(25, ' ') : " ", right.substr(25));
    }
  };
  list("Options", verb.payload.options);
  list("Options of every verb", common_options());
  return text;
}

}  // namespace weft::cli
