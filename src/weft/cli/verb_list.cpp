// weft list WHAT: names from the registries and the data folders.
#include <fmt/format.h>

#include "weft/cli/lists.hpp"
#include "weft/cli/verb.hpp"
#include "weft/collective/collective.hpp"
#include "weft/core/data_dir.hpp"
#include "weft/core/suggest.hpp"
#include "weft/core/text.hpp"
#include "weft/machine/fabric.hpp"
#include "weft/model/model.hpp"

namespace weft::cli {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

template <class T>
Names registered() {
  Names names;
  for (const auto* item : Registry<T>::instance().sorted()) names.emplace_back(item->name, item->description);
  return names;
}

Names files(std::string_view kind) {
  Names names;
  for (const std::string& name : data_names(kind)) names.emplace_back(name, "");
  return names;
}

const std::vector<std::pair<std::string, Names (*)()>>& lists() {
  static const std::vector<std::pair<std::string, Names (*)()>> all{
      {"collectives", registered<collective::Writer>},
      {"kernels", registered<machine::KernelOp>},
      {"machines", [] { return files("machines"); }},
      {"models", [] { return files("models"); }},
      {"operations", registered<collective::Operation>},
      {"topologies", registered<machine::FabricKind>},
      {"verbs", registered<Verb>},
  };
  return all;
}

Outcome list(const Arguments& arguments) {
  const std::string& what = arguments.positional("WHAT");
  std::vector<std::string> kinds;
  for (const auto& [kind, names] : lists()) {
    kinds.push_back(kind);
    if (kind != what) continue;
    Outcome outcome;
    Json rows = Json::array();
    Table table({{what, Align::left}, {"", Align::left}});
    for (const auto& [name, description] : names()) {
      rows.push(Json::object().set("name", name).set("description", description));
      table.row({name, description});
    }
    outcome.result.set(what, rows);
    outcome.text = table.str();
    return outcome;
  }
  throw usage_error(fmt::format("nothing to list under '{}'", what), did_you_mean(what, kinds));
}

const Registry<Verb>::Entry verb{"list",
                                 "names of collectives, kernels, machines, models, operations, topologies, verbs",
                                 {{"weft list collectives", "weft list topologies --json"},
                                  {{"WHAT", "collectives, kernels, machines, models, operations, topologies or verbs"}},
                                  {},
                                  list}};

}  // namespace

std::vector<std::string> names_in(std::string_view what) {
  std::vector<std::string> result;
  for (const auto& [kind, names] : lists()) {
    if (kind != what) continue;
    for (const auto& [name, description] : names()) result.push_back(name);
  }
  return result;
}

}  // namespace weft::cli
