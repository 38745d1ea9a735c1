// weft completion bash|zsh|fish: a script made from the registry of verbs.
#include <algorithm>

#include <fmt/format.h>

#include "weft/cli/lists.hpp"
#include "weft/cli/verb.hpp"
#include "weft/core/suggest.hpp"

namespace weft::cli {
namespace {

using Item = Registry<Verb>::Item;

std::vector<std::string> words_of(const Item& item) {
  std::vector<std::string> words;
  for (const Option& o : item.payload.options) words.push_back("--" + o.name);
  for (const Option& o : common_options()) words.push_back("--" + o.name);
  for (const Positional& p : item.payload.positionals) {
    std::string what;
    if (p.name == "MACHINE") what = "machines";
    if (p.name == "MODEL") what = "models";
    if (p.name == "OP") what = "operations";
    for (std::string& name : names_in(what)) words.push_back(std::move(name));
  }
  return words;
}

std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const std::string& name : Registry<Verb>::instance().names()) words.push_back(name.substr(0, name.find(' ')));
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

std::vector<std::string> second_words(std::string_view first) {
  std::vector<std::string> words;
  for (const std::string& name : Registry<Verb>::instance().names()) {
    if (name.size() > first.size() && name.substr(0, first.size()) == first && name[first.size()] == ' ')
      words.push_back(name.substr(first.size() + 1));
  }
  return words;
}

std::string bash() {
  std::string cases;
  for (const auto* item : Registry<Verb>::instance().sorted()) {
    const bool two = item->name.find(' ') != std::string::npos;
    cases += fmt::format("    '{}'{}) words='{}' ;;\n", item->name, two ? "" : "*", fmt::join(words_of(*item), " "));
  }
  for (const std::string& first : first_words()) {
    const auto second = second_words(first);
    if (!second.empty()) cases += fmt::format("    '{} '*) words='{}' ;;\n", first, fmt::join(second, " "));
  }
  return fmt::format(
      "# weft's completion for bash:  source <(weft completion bash)\n"
      "_weft() {{\n"
      "  local words= current=\"${{COMP_WORDS[COMP_CWORD]}}\"\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then words='{} help --version'; else\n"
      "    case \"${{COMP_WORDS[1]}} $([[ $COMP_CWORD -gt 2 ]] && echo \"${{COMP_WORDS[2]}}\")\" in\n{}    esac\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\") $(compgen -f -- \"$current\"))\n"
      "}}\ncomplete -F _weft weft\n",
      fmt::join(first_words(), " "), cases);
}

std::string zsh() {
  return "#compdef weft\n# weft's completion for zsh:  source <(weft completion zsh)\nautoload -U +X bashcompinit && "
         "bashcompinit\n" +
         bash();
}

std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "\\'" : std::string(1, c);
  return result + "'";
}

std::string fish() {
  std::string text = "# weft's completion for fish:  weft completion fish | source\n";
  for (const std::string& first : first_words())
    text += fmt::format("complete -c weft -n __fish_use_subcommand -a {}\n", first);
  for (const auto* item : Registry<Verb>::instance().sorted()) {
    const std::size_t space = item->name.find(' ');
    const std::string first = item->name.substr(0, space);
    if (space != std::string::npos) {
      text += fmt::format("complete -c weft -n '__fish_seen_subcommand_from {}' -a {} -d {}\n", first,
                          item->name.substr(space + 1), single_quoted(item->description));
    }
    for (const Option& o : item->payload.options) {
      text += fmt::format("complete -c weft -n '__fish_seen_subcommand_from {}' -l {}{} -d {}\n", first, o.name,
                          o.value.empty() ? "" : " -r", single_quoted(o.description));
    }
  }
  return text;
}

Outcome completion(const Arguments& arguments) {
  const std::string& shell = arguments.positional("SHELL");
  Outcome outcome;
  if (shell == "bash") {
    outcome.text = bash();
  } else if (shell == "zsh") {
    outcome.text = zsh();
  } else if (shell == "fish") {
    outcome.text = fish();
  } else {
    throw usage_error(fmt::format("no completion for '{}'", shell), did_you_mean(shell, {"bash", "fish", "zsh"}));
  }
  outcome.result.set("shell", shell).set("script", outcome.text);
  return outcome;
}

const Registry<Verb>::Entry verb{"completion",
                                 "a completion script for your shell",
                                 {{"source <(weft completion bash)", "weft completion fish | source"},
                                  {{"SHELL", "bash, zsh or fish"}},
                                  {},
                                  completion}};

}  // namespace
}  // namespace weft::cli
