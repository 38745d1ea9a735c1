#include "weft/cli/timed.hpp"

#include <fstream>

#include <fmt/format.h>

#include "weft/program/text.hpp"
#include "weft/report/answer_json.hpp"
#include "weft/report/answer_text.hpp"

namespace weft::cli {

std::vector<Option> timing_options() {
  return {{"engine", "NAME", "bound or flow", "flow", "bound|flow"},
          {"program", "FILE", "also write the Program's text to FILE"}};
}

void write_program(const Arguments& arguments, const program::Program& program) {
  const std::string file = arguments.text("program");
  if (file.empty()) return;
  std::ofstream stream(file, std::ios::binary);
  stream << program::print(program);
  stream.close();
  if (!stream)
    throw usage_error(fmt::format("--program '{}' cannot be written", file), "a file in a folder that exists");
}

Outcome timed(const plan::Answer& answer, const machine::Machine& machine) {
  Outcome outcome;
  report::put_timing(outcome.result, answer, machine);
  outcome.result.set(
      "tasks",
      Json::object().set("written", answer.verdict.tasks_written).set("expanded", answer.verdict.tasks_expanded));
  outcome.text = report::whole(answer, machine);
  if (!answer.verdict.verified) {
    outcome.exit_code = exit_code(ErrorKind::check_failed);
    return outcome;
  }
  outcome.result.set("ranks", report::ranks_json(answer.verdict, machine)).set("memory", report::memory_json(answer));
  if (answer.engine == plan::Engine::flow) {
    outcome.result.set("breakdown", report::breakdown_json(answer)).set("path", report::path_json(answer));
    outcome.result.set("limits", report::limits_json(answer));
  }
  if (!answer.verdict.memory_proved) {
    outcome.warnings.emplace_back("that memory suffices is not proved for every timing, only bounded for this order");
  }
  return outcome;
}

Settings settings(const Arguments& arguments) {
  Settings result;
  for (auto& [path, value] : arguments.pairs("set")) {
    if (path.starts_with("algorithm.")) {
      result.algorithm[path.substr(10)] = value;
    } else if (path.starts_with("model.")) {
      result.model.emplace_back(path.substr(6), value);
    } else {
      result.machine.emplace_back(path, value);
    }
  }
  return result;
}

void refuse_unused(const Settings& set, std::string_view verb, bool algorithm, bool model) {
  if (!algorithm && !set.algorithm.empty()) {
    throw usage_error(
        fmt::format("--set algorithm.{}: 'weft {}' takes no algorithm", set.algorithm.begin()->first, verb),
        "leave it out");
  }
  if (!model && !set.model.empty()) {
    throw usage_error(fmt::format("--set model.{}: 'weft {}' takes no model", set.model.front().first, verb),
                      "leave it out");
  }
}

void put_shares(Outcome& outcome, const Settings& set, const machine::Machine& machine) {
  for (const auto& [path, value] : set.machine) {
    const std::size_t dot = path.find('.');
    if (dot == std::string::npos || path.find('.', dot + 1) != std::string::npos) continue;
    const std::string tier = path.substr(0, dot), figure = path.substr(dot + 1);
    for (const machine::MemoryTier& t : machine.site_class(0).tiers) {
      if (t.name != tier || (figure != "bandwidth" && figure != "capacity")) continue;
      const std::string what =
          fmt::format("{} {} is of the whole machine of {} sites: {} for each with {}", path, value, machine.sites(),
                      figure == "bandwidth" ? format_short(t.bandwidth) : format_short(t.capacity), tier);
      outcome.assumptions.push(Json::object().set("what", what).set("source", "--set"));
      outcome.warnings.push_back(what);
    }
  }
}

}  // namespace weft::cli
