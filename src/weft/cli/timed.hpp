// What the verbs that time a Program have in common.
#pragma once
#include <string>

#include "weft/cli/verb.hpp"
#include "weft/plan/answer.hpp"

namespace weft::cli {

/// --engine, --program.
std::vector<Option> timing_options();
/// Writes the Program's text where --program says so.
void write_program(const Arguments& arguments, const program::Program& program);
/// Result and text of a Program; exit code 1 where it did not verify.
Outcome timed(const plan::Answer& answer, const machine::Machine& machine);
/// `--set` by whom it concerns: machine, or with the prefix `algorithm.`, `model.` somebody else, prefix taken off.
struct Settings {
  std::vector<std::pair<std::string, std::string>> machine, model;
  std::map<std::string, std::string, std::less<>> algorithm;
};
Settings settings(const Arguments& arguments);
/// Throws a usage Error where something was set that `verb` does not have.
void refuse_unused(const Settings& set, std::string_view verb, bool algorithm, bool model);
/// `--set hbm.bandwidth` is of the whole machine: says what each site then has.
void put_shares(Outcome& outcome, const Settings& set, const machine::Machine& machine);

}  // namespace weft::cli
