// weft machine list, weft machine show M
#include <fmt/format.h>

#include "weft/cli/timed.hpp"
#include "weft/core/data_dir.hpp"
#include "weft/core/text.hpp"
#include "weft/machine/machine.hpp"
#include "weft/report/machine_view.hpp"

namespace weft::cli {
namespace {

Outcome list(const Arguments&) {
  Outcome outcome;
  Json rows = Json::array();
  Table table({{"machine", Align::left}, {"sites", Align::right}, {"about", Align::left}});
  for (const std::string& name : data_names("machines")) {
    const auto machine = machine::load(name);
    rows.push(Json::object().set("name", name).set("sites", machine->sites()).set("about", machine->about()));
    table.row({name, std::to_string(machine->sites()), std::string(machine->about())});
  }
  outcome.result.set("machines", rows);
  outcome.text = table.str();
  return outcome;
}

Outcome show(const Arguments& arguments) {
  const Settings set = settings(arguments);
  refuse_unused(set, "machine show", false, false);
  const auto machine = machine::load(arguments.positional("MACHINE"), {arguments.shape("shape"), set.machine});
  Outcome outcome;
  put_shares(outcome, set, *machine);
  outcome.result = report::machine_json(*machine);
  outcome.text = report::machine_text(*machine);
  return outcome;
}

const Registry<Verb>::Entry machine_list{
    "machine list", "the machines that ship", {{"weft machine list", "weft machine list --json"}, {}, {}, list}};
const Registry<Verb>::Entry machine_show{"machine show",
                                         "counts, totals, links and sources of a machine",
                                         {{"weft machine show dgx-h100", "weft machine show 'dgx-h100*4' --json"},
                                          {{"MACHINE", "a shipped name or a file, with *N for N of them joined"}},
                                          {{"shape", "RxC", "shape of a machine that has one"},
                                           {"set", "PATH=VALUE", "change a field of the machine", "", "", true}},
                                          show}};

}  // namespace
}  // namespace weft::cli
