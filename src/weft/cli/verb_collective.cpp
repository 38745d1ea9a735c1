// weft collective OP MACHINE
#include <fmt/format.h>

#include "weft/cli/timed.hpp"
#include "weft/core/text.hpp"
#include "weft/plan/auto.hpp"

namespace weft::cli {
namespace {

/// Bus bandwidth as nccl-tests counts it: the algorithm's bandwidth (size over time) times this.
struct BusFactor {
  double value = 1;
  std::string formula = "1";
};
BusFactor bus_factor(std::string_view operation, double n) {
  if (n < 1) return {};
  if (operation == "all-reduce") return {2 * (n - 1) / n, "2(n-1)/n"};
  if (operation == "all-gather" || operation == "reduce-scatter" || operation == "all-to-all")
    return {(n - 1) / n, "(n-1)/n"};
  return {};
}

/// One ring over several nodes is what `ring` writes; libraries run one a rail.
void put_one_ring(Outcome& outcome, const std::string& algorithm, const collective::Request& request,
                  const plan::Answer& answer) {
  constexpr double far = 4;
  const machine::Machine& m = *request.machine;
  const std::int64_t last = answer.verdict.taking_part - 1;
  if (algorithm != "ring" || last < 2 || answer.time <= answer.bound.time * far) return;
  if (collective::algorithms_for(request.operation).size() > 1) return;
  if (m.fabric_between(0, static_cast<machine::SiteId>(last)) == m.fabric_between(0, 1)) return;
  const std::string note =
      "one ring crosses each node once and uses one NIC a node; libraries run one ring a rail, so this time for "
      "several nodes is pessimistic";
  outcome.notes.push_back(note);
  outcome.text += "\n" + wrap("note: " + note) + "\n";
}

/// Adds a collective's own figures to a timed outcome.
void put_collective(Outcome& outcome, const std::string& algorithm, const collective::Request& request,
                    const plan::Answer& answer) {
  Json result = Json::object();
  result.set("algorithm", algorithm).set("operation", request.operation).set("bytes", request.size);
  for (const auto& [key, value] : outcome.result.members()) result.set(key, value);
  outcome.result = result;
  if (!answer.verdict.verified || answer.time.value() <= 0) return;
  const BusFactor factor = bus_factor(request.operation, answer.verdict.taking_part);
  const BytesPerSecond algbw = request.size / answer.time;
  const BytesPerSecond busbw = algbw * factor.value;
  outcome.result.set("algbw_Bps", algbw).set("busbw_Bps", busbw).set("steps", plan::steps_of(answer.expansion));
  if (request.machine->colours()) outcome.result.set("colours", plan::lanes_of(answer.expansion));
  if (const auto energy = plan::link_energy(answer.expansion, *request.machine)) {
    outcome.result.set("energy_J", *energy);
  } else {
    outcome.notes.emplace_back("no energy_J: links on the way have no `energy`, such as 5 pJ/bit, in the machine file");
  }
  outcome.text = fmt::format("size / time {}, bus bandwidth {} (times {})\n", format_short(algbw), format_short(busbw),
                             factor.formula) +
                 outcome.text;
}

/// What our own algorithm needs and the machine does not have is no fault of a Program that somebody wrote.
void must_have_ways(const program::Verdict& verdict) {
  for (const program::Fault& fault : verdict.faults) {
    if (fault.what.starts_with("there is no way"))
      throw infeasible_error(fmt::format("{}: {}", fault.task, fault.what), "fewer --ranks, or a link that joins them");
  }
}

Outcome one(const collective::Request& request, const Arguments& arguments, const plan::AnswerOptions& options) {
  program::Program program = collective::write(request);
  write_program(arguments, program);
  const plan::Answer answer = plan::answer(std::move(program), *request.machine, options);
  must_have_ways(answer.verdict);
  Outcome outcome = timed(answer, *request.machine);
  if (!request.dtype && request.operation.find("reduce") != std::string::npos) {
    outcome.assumptions.push(
        Json::object()
            .set("what", fmt::format("elements are {}", machine::name(collective::element_type(request))))
            .set("source", "--dtype was not given; the first of bf16, f16 and f32 that the machine has"));
  }
  put_collective(outcome, request.algorithm, request, answer);
  if (!answer.verdict.verified) return outcome;
  outcome.text = fmt::format("{} of {} over {} of {} sites by {}\n", request.operation, format_short(request.size),
                             answer.verdict.taking_part, request.machine->sites(), request.algorithm) +
                 outcome.text;
  put_one_ring(outcome, request.algorithm, request, answer);
  return outcome;
}

Outcome table_of(const std::vector<plan::Candidate>& candidates, const collective::Request& request) {
  Outcome outcome;
  Json rows = Json::array();
  Table table(
      {{"algorithm", Align::left}, {"time", Align::right}, {"algorithm bandwidth", Align::right}, {"", Align::left}});
  for (const plan::Candidate& c : candidates) {
    if (!c.refused.empty()) {
      outcome.warnings.push_back(fmt::format("{} is left out: {}", c.algorithm, c.refused));
      table.row({c.algorithm, "-", "-", c.refused});
      continue;
    }
    Outcome row = timed(c.answer, *request.machine);
    put_collective(row, c.algorithm, request, c.answer);
    rows.push(row.result);
    if (row.exit_code != 0) outcome.exit_code = row.exit_code;
    table.row({c.algorithm, c.answer.verdict.verified ? format_short(c.answer.time) : "-",
               c.answer.verdict.verified ? format_short(request.size / c.answer.time) : "-",
               c.answer.verdict.verified ? "" : "not verified"});
  }
  (void)plan::fastest(candidates);  // throws, with each one's reason, where there is none
  outcome.result.set("rows", rows);
  outcome.text = table.str();
  for (const plan::Candidate& c : candidates) {
    if (c.refused.empty() && c.answer.verdict.verified) put_one_ring(outcome, c.algorithm, request, c.answer);
  }
  return outcome;
}

Outcome collective(const Arguments& arguments) {
  const std::string algorithm = arguments.text("algorithm");
  plan::AnswerOptions options{plan::parse_engine(arguments.text("engine"))};
  const Settings set = settings(arguments);
  refuse_unused(set, "collective", true, false);
  const Bytes size = arguments.bytes("size");
  const std::int64_t ranks = arguments.integer("ranks", 1, 0);
  const auto machine = machine::load(arguments.positional("MACHINE"), {arguments.shape("shape"), set.machine});
  collective::Request request{arguments.positional("OP"), algorithm, ranks, size, machine.get(), set.algorithm, {}};
  if (arguments.given("dtype")) request.dtype = machine::parse_dtype(arguments.text("dtype"));
  if (algorithm != "auto" && algorithm != "all") {
    Outcome outcome = one(request, arguments, options);
    put_shares(outcome, set, *machine);
    return outcome;
  }

  options.explain = false;
  const auto candidates = plan::all_algorithms(request, *machine, options);
  if (algorithm == "all") {
    Outcome outcome = table_of(candidates, request);
    put_shares(outcome, set, *machine);
    return outcome;
  }
  request.algorithm = candidates[plan::fastest(candidates)].algorithm;
  options.explain = true;
  Outcome outcome = one(request, arguments, options);
  put_shares(outcome, set, *machine);
  std::string why;
  for (const plan::Candidate& c : candidates) {
    if (c.refused.empty() && c.answer.verdict.verified)
      why += fmt::format("{}{} {}", why.empty() ? "" : ", ", c.algorithm, format_short(c.answer.time));
  }
  outcome.assumptions.push(Json::object().set("what", "fastest of: " + why).set("source", "each was simulated"));
  return outcome;
}

const Registry<Verb>::Entry verb{
    "collective",
    "choose, verify and time a collective operation",
    {{"weft collective all-reduce dgx-h100 --size 64MiB",
      "weft collective all-to-all 'dgx-h100*4' --size 16MiB --algorithm pairwise --json"},
     {{"OP", "all-reduce, all-gather, reduce-scatter or all-to-all"},
      {"MACHINE", "a shipped name or a file, with *N for N of them joined"}},
     [] {
       std::vector<Option> options{
           {"size", "SIZE", "the larger of one rank's send and receive buffer", "64MiB"},
           {"algorithm", "NAME", "an algorithm, 'auto' for the fastest, 'all' for a table", "auto", "collectives"},
           {"ranks", "N", "the first N sites only"},
           {"shape", "RxC", "shape of a machine that has one"},
           {"dtype", "TYPE",
            "type of the elements, where they are added; else the first of bf16, f16, f32 that the machine has"},
           {"set", "PATH=VALUE", "change a field of the machine, or algorithm.NAME", "", "", true}};
       for (Option& option : timing_options()) options.push_back(std::move(option));
       return options;
     }(),
     collective}};

}  // namespace
}  // namespace weft::cli
