// weft run MODEL MACHINE
#include <fmt/format.h>

#include "weft/cli/timed.hpp"
#include "weft/compile/compile.hpp"

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

compile::StepRequest request_of(const Arguments& arguments, const Settings& set) {
  compile::StepRequest request;
  request.phase = arguments.text("phase");
  request.batch = arguments.integer("batch", 1, 1);
  request.seq = arguments.integer("seq", 1, 1);
  request.layout = compile::parse_layout(arguments.text("layout"));
  request.dtype = machine::parse_dtype(arguments.text("dtype"));
  request.routing = arguments.text("routing");
  request.all_reduce = arguments.text("all-reduce");
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
  const auto machine = machine::load(arguments.positional("MACHINE"), {arguments.shape("shape"), set.machine});
  program::Program program = compile::compile_step(request, *machine);
  write_program(arguments, program);
  const plan::Answer answer = plan::answer(std::move(program), *machine, options);
  Outcome outcome = timed(answer, *machine);
  put_assumptions(outcome, request);
  if (!answer.verdict.verified) return outcome;
  const double rate = static_cast<double>(request.batch) / answer.time.value();
  outcome.result.set("tokens_per_s", rate).set("kernels", kernels_of(answer.expansion));
  outcome.text = fmt::format("{} on {}: {} of {} sequences at {} tokens each, {}\n{:.0f} tokens/s; a step takes ",
                             request.model.name, machine->name(), request.phase, request.batch, request.seq,
                             compile::to_string(request.layout), rate) +
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
           {"layout", "tp=,ep=,pp=,dp=", "ranks = tp x ep x pp x dp; those left out are 1", "tp=1"},
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
