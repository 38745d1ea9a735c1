// weft program check FILE MACHINE
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "weft/cli/timed.hpp"
#include "weft/program/text.hpp"
#include "weft/report/answer_json.hpp"

namespace weft::cli {
namespace {

std::string read(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw usage_error(fmt::format("'{}' is a folder, not a file", file), "a Program's text, see docs/program-text.md");
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.is_open() || stream.bad())
    throw usage_error(fmt::format("cannot read '{}'", file), "a Program's text, see docs/program-text.md");
  return text;
}

/// A fault that the reader finds, such as an edge to an unknown task, is a fault of the Program like any other.
Outcome faulty(const Error& error) {
  const Diagnostic& d = error.diagnostics().front();
  Outcome outcome;
  outcome.result.set("verified", false);
  outcome.result.set("first_fault", report::fault_json({d.field, d.message, d.where.line}));
  outcome.text = fmt::format("not verified: {}\n", to_text(d));
  outcome.exit_code = error.exit_code();
  return outcome;
}

Outcome check(const Arguments& arguments) {
  const std::string& file = arguments.positional("FILE");
  plan::AnswerOptions options{plan::parse_engine(arguments.text("engine"))};
  const Settings set = settings(arguments);
  refuse_unused(set, "program check", false, false);
  const auto machine = machine::load(arguments.positional("MACHINE"), {arguments.shape("shape"), set.machine});
  program::Program program;
  try {
    program = program::parse(read(file), file);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::check_failed) throw;
    return faulty(error);
  }
  write_program(arguments, program);
  const plan::Answer answer = plan::answer(std::move(program), *machine, options);
  Outcome outcome = timed(answer, *machine);
  put_shares(outcome, set, *machine);
  return outcome;
}

const Registry<Verb>::Entry program_check{
    "program check",
    "verify and time a Program in text form",
    {{"weft program check reduce.weft wse2 --shape 1x4", "weft program check step.weft dgx-h100 --engine bound --json"},
     {{"FILE", "a Program's text"}, {"MACHINE", "a shipped name or a file, with *N for N of them joined"}},
     [] {
       std::vector<Option> options = timing_options();
       options.push_back({"shape", "RxC", "shape of a machine that has one"});
       options.push_back({"set", "PATH=VALUE", "change a field of the machine", "", "", true});
       return options;
     }(),
     check}};

}  // namespace
}  // namespace weft::cli
