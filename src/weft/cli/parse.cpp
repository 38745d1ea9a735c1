// From words to Arguments. CLI11 splits and matches them by our own table; the words of an error are ours, so that they name what
// is nearest.
#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "weft/cli/verb.hpp"

namespace weft::cli {
namespace {

using Item = Registry<Verb>::Item;

/// The verb that the first words name, and how many words it took.
std::pair<const Item*, std::size_t> verb_of(const std::vector<std::string>& words) {
  const auto& verbs = Registry<Verb>::instance();
  if (words.size() >= 2) {
    if (const Item* two = verbs.try_find(words[0] + " " + words[1])) return {two, 2};
  }
  if (const Item* one = verbs.try_find(words[0])) return {one, 1};
  std::vector<std::string> second;
  for (const std::string& name : verbs.names()) {
    if (name.starts_with(words[0] + " ")) second.push_back(name.substr(words[0].size() + 1));
  }
  if (second.empty()) {
    const std::string both = words.size() < 2 ? words[0] : words[0] + " " + words[1];
    const bool two = !nearest(both, verbs.names()).empty();
    throw usage_error(fmt::format("unknown verb '{}'", words[0]),
                      did_you_mean(two ? both : words[0], verbs.names(), 20));
  }
  if (words.size() < 2 || words[1].starts_with('-')) {
    throw usage_error(fmt::format("'weft {}' needs one more word", words[0]),
                      fmt::format("one of: {}", fmt::join(second, ", ")));
  }
  throw usage_error(fmt::format("unknown verb '{} {}'", words[0], words[1]), did_you_mean(words[1], second));
}

std::vector<Option> options_of(const Verb& verb) {
  std::vector<Option> all = verb.options;
  all.insert(all.end(), common_options().begin(), common_options().end());
  return all;
}

[[noreturn]] void refuse(const std::string& word, const Item& item, const std::vector<Option>& options) {
  const std::string see = fmt::format("see 'weft {} --help'", item.name);
  if (word.size() < 2 || word[0] != '-') throw usage_error(fmt::format("'{}' is one argument too many", word), see);
  std::vector<std::string> names;
  for (const Option& option : options) names.push_back("--" + option.name);
  const std::string name = word.substr(0, word.find('='));
  throw usage_error(fmt::format("unknown option '{}' of 'weft {}'", name, item.name), did_you_mean(name, names, 24));
}

/// An option's value that is missing would otherwise be taken from the next option, or end in CLI11's words.
void must_have_values(const std::vector<std::string>& words, std::size_t from, const std::vector<Option>& options) {
  for (std::size_t i = from; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    const auto at = std::find_if(options.begin(), options.end(),
                                 [&](const Option& o) { return "--" + o.name == word.substr(0, equals); });
    if (at == options.end() || at->value.empty()) continue;
    const bool inside = equals != std::string::npos;
    const bool next = !inside && i + 1 < words.size();
    const std::string value = inside ? word.substr(equals + 1) : next ? words[i + 1] : "";
    if (value.empty() || (next && (value.starts_with("--") || value == "-q"))) {
      throw usage_error(fmt::format("--{} has no value", at->name), fmt::format("--{} {}", at->name, at->value));
    }
    if (next) ++i;
  }
}

struct Storage {
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, bool> flags;
  std::map<std::string, std::string> positionals;
};

void declare(CLI::App& app, const Verb& verb, const std::vector<Option>& options, Storage& storage) {
  app.set_help_flag("");
  app.allow_extras();
  for (const Option& option : options) {
    const std::string names = option.name == "quiet" ? "-q,--quiet" : "--" + option.name;
    if (option.value.empty()) {
      app.add_flag(names, storage.flags[option.name]);
      continue;
    }
    CLI::Option* made = app.add_option(names, storage.values[option.name]);
    made->expected(1)->allow_extra_args(false);
    made->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  for (const Positional& p : verb.positionals) app.add_option(p.name, storage.positionals[p.name]);
}

void split(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what(), "see --help");
  }
}

}  // namespace

Arguments parse(const std::vector<std::string>& words) {
  const auto [item, taken] = verb_of(words);
  const std::vector<Option> options = options_of(item->payload);
  must_have_values(words, taken, options);
  CLI::App app;
  Storage storage;
  declare(app, item->payload, options, storage);
  split(app, {words.begin() + static_cast<std::ptrdiff_t>(taken), words.end()});

  std::vector<std::string> extra = app.remaining();
  const auto dashed =
      std::find_if(extra.begin(), extra.end(), [](const std::string& w) { return w.size() > 1 && w[0] == '-'; });
  if (dashed != extra.end()) refuse(*dashed, *item, options);
  if (!extra.empty()) refuse(extra.front(), *item, options);

  Arguments arguments;
  arguments.verb = item->name;
  for (const Option& option : options) {
    const auto& values = storage.values[option.name];
    if (values.size() > 1 && !option.many) {
      throw usage_error(fmt::format("--{} is given {} times", option.name, values.size()), "once");
    }
    if (!values.empty()) arguments.options[option.name] = values;
    if (storage.flags[option.name]) arguments.options[option.name] = {"true"};
    if (!option.fallback.empty()) arguments.fallbacks_[option.name] = option.fallback;
  }
  for (const Positional& p : item->payload.positionals) {
    std::string& value = storage.positionals[p.name];
    if (value.empty() && !p.optional) {
      throw usage_error(fmt::format("'weft {}' needs {}: {}", item->name, p.name, p.description),
                        item->payload.examples.empty() ? "" : item->payload.examples.front());
    }
    if (!value.empty()) arguments.positionals[p.name] = std::move(value);
  }
  return arguments;
}

}  // namespace weft::cli
