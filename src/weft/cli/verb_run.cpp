// weft run MODEL MACHINE
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "weft/cli/timed.hpp"
#include "weft/compile/compile.hpp"
#include "weft/core/data_dir.hpp"
#include "weft/core/node.hpp"
#include "weft/core/suggest.hpp"

namespace weft::cli {
namespace {

/// Launches that one rank issues.
std::int64_t kernels_of(const program::Expansion& e) {
  std::int64_t count = 0;
  program::SiteId first = program::kNone;
  for (const program::Instance& instance : e.instances) {
    if (e.task(instance).kind != program::Kind::compute) continue;
    for (const program::Member& m : e.of(instance)) {
      if (first == program::kNone) first = m.src;
      if (m.src == first) ++count;
    }
  }
  return count;
}

/// --all-reduce names an algorithm that can, and `--set algorithm.` something that it takes.
void check_all_reduce(const std::string& name, const compile::Layout& layout, const Settings& set) {
  const auto able = collective::algorithms_for("all-reduce");
  if (std::find(able.begin(), able.end(), name) == able.end()) {
    const bool known = Registry<collective::Writer>::instance().try_find(name) != nullptr;
    const std::string all = fmt::format("algorithms for all-reduce: {}", fmt::join(able, ", "));
    throw usage_error(fmt::format("--all-reduce {}: {}", name, known ? "it cannot do all-reduce" : "unknown algorithm"),
                      known ? all : did_you_mean(name, able));
  }
  if (set.algorithm.empty()) return;
  const std::string& first = set.algorithm.begin()->first;
  if (layout.tp == 1)
    throw usage_error(fmt::format("--set algorithm.{}: with tp=1 there is no all-reduce to take it", first));
  std::vector<std::string> takes;
  for (const Parameter& p : Registry<collective::Writer>::instance().item(name, "").parameters) takes.push_back(p.name);
  for (const auto& [parameter, value] : set.algorithm) {
    if (std::find(takes.begin(), takes.end(), parameter) == takes.end()) {
      throw usage_error(fmt::format("algorithm '{}' has no parameter '{}'", name, parameter),
                        takes.empty() ? "it has none" : did_you_mean(parameter, takes));
    }
  }
}

/// A key of the model's config set without its prefix is taken for the machine's; the refusal says what was meant.
std::shared_ptr<const machine::Machine> load_machine(const Arguments& arguments, const Settings& set) {
  try {
    return machine::load(arguments.positional("MACHINE"), {arguments.shape("shape"), set.machine});
  } catch (const Error&) {
    const Document config = parse_file(data_file("models", arguments.positional("MODEL")));
    for (const auto& [path, value] : set.machine) {
      if (config.root().find(path) != nullptr && path != "weft") {
        throw usage_error(fmt::format("--set {}: the machine has no such field, the model has", path),
                          fmt::format("--set model.{}={}", path, value));
      }
    }
    throw;
  }
}

/// Sites that the layout leaves idle are said: their memories and links count for nothing.
void put_idle(Outcome& outcome, std::int64_t ranks, const machine::Machine& machine) {
  const std::int64_t idle = machine.sites() - ranks;
  if (idle <= 0) return;
  outcome.warnings.push_back(
      fmt::format("{} of {} sites take part; {} {} idle", ranks, machine.sites(), idle, idle == 1 ? "is" : "are"));
}

compile::StepRequest request_of(const Arguments& arguments, const Settings& set) {
  compile::StepRequest request;
  request.phase = arguments.text("phase");
  request.batch = arguments.integer("batch", 1, 1);
  request.seq = arguments.integer("seq", 1, 1);
  request.layout = compile::parse_layout(arguments.text("layout"));
  request.dtype = machine::parse_dtype(arguments.text("dtype"));
  request.routing = arguments.text("routing");
  request.all_reduce = arguments.text("all-reduce");
  check_all_reduce(request.all_reduce, request.layout, set);
  request.all_reduce_parameters = set.algorithm;
  request.model = model::load(arguments.positional("MODEL"), set.model);
  return request;
}

void put_assumptions(Outcome& outcome, const compile::StepRequest& request) {
  const auto add = [&](std::string what, std::string source) {
    outcome.assumptions.push(Json::object().set("what", std::move(what)).set("source", std::move(source)));
  };
  add(fmt::format("weights, cache and activations are {}", machine::name(request.dtype)), "--dtype");
  if (request.model.is_moe())
    add("each rank routes the expected number of tokens to each expert", "--routing " + request.routing);
  if (request.layout.tp > 1) add("sums over a tensor-parallel group by " + request.all_reduce, "--all-reduce");
}

Outcome run_step(const Arguments& arguments) {
  const plan::AnswerOptions options{plan::parse_engine(arguments.text("engine"))};
  const Settings set = settings(arguments);
  const compile::StepRequest request = request_of(arguments, set);
  const auto machine = load_machine(arguments, set);
  program::Program program = compile::compile_step(request, *machine);
  write_program(arguments, program);
  const plan::Answer answer = plan::answer(std::move(program), *machine, options);
  Outcome outcome = timed(answer, *machine);
  put_assumptions(outcome, request);
  put_shares(outcome, set, *machine);
  put_idle(outcome, request.layout.ranks(), *machine);
  if (!answer.verdict.verified) return outcome;
  const double rate = static_cast<double>(request.batch) / answer.time.value();
  outcome.result.set("tokens_per_s", rate).set("kernels", kernels_of(answer.expansion));
  const bool one = request.batch == 1;
  outcome.text =
      fmt::format("{} on {}: {} of {} at {} tokens{}, {}\n{:.0f} tokens/s; a step takes ", request.model.name,
                  machine->name(), request.phase, one ? "1 sequence" : fmt::format("{} sequences", request.batch),
                  request.seq, one ? "" : " each", compile::to_string(request.layout), rate) +
      outcome.text;
  return outcome;
}

const Registry<Verb>::Entry verb{
    "run",
    "compile, verify and time one step of a model",
    {{"weft run mixtral-8x7b dgx-h100 --batch 64 --seq 2048 --layout tp=1,ep=8",
      "weft run llama2-70b dgx-h100 --batch 16 --seq 4096 --layout tp=8 --json"},
     {{"MODEL", "a shipped name or a config.json"},
      {"MACHINE", "a shipped name or a file, with *N for N of them joined"}},
     [] {
       std::vector<Option> options{
           {"phase", "PHASE", "decode: one token for each sequence", "decode", "decode"},
           {"batch", "N", "sequences over all replicas", "1"},
           {"seq", "N", "positions in each sequence's cache, the new one included", "2048"},
           {"layout", "tp=,ep=,pp=,dp=",
            "ranks = tp x ep x pp x dp, those left out are 1; the batch is split over ep x dp", "tp=1"},
           {"dtype", "TYPE", "of weights, cache and activations", "bf16"},
           {"routing", "KIND", "how tokens choose experts: uniform is the expected table, the same for every rank",
            "uniform", "uniform"},
           {"all-reduce", "NAME", "algorithm of the sums inside a layer", "ring", "collectives"},
           {"shape", "RxC", "shape of a machine that has one"},
           {"set", "PATH=VALUE", "change a field of the machine, model.KEY or algorithm.NAME", "", "", true}};
       for (Option& option : timing_options()) options.push_back(std::move(option));
       return options;
     }(),
     run_step}};

}  // namespace
}  // namespace weft::cli
