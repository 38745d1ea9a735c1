// weft model list, weft model show M
#include <fmt/format.h>

#include "weft/cli/verb.hpp"
#include "weft/core/text.hpp"
#include "weft/model/model.hpp"

namespace weft::cli {
namespace {

std::string billions(std::int64_t n) {
  return fmt::format("{:.2f} B", static_cast<double>(n) / 1e9);
}

Outcome list(const Arguments&) {
  Outcome outcome;
  Json rows = Json::array();
  Table table({{"model", Align::left},
               {"parameters", Align::right},
               {"active", Align::right},
               {"layers", Align::right},
               {"experts", Align::right}});
  for (const std::string& name : model::names()) {
    const model::Model m = model::load(name);
    rows.push(Json::object()
                  .set("name", name)
                  .set("parameters", m.parameters())
                  .set("active_parameters", m.active_parameters()));
    table.row({name, billions(m.parameters()), billions(m.active_parameters()), std::to_string(m.layer_count()),
               m.is_moe() ? fmt::format("{} of {}", m.top_k, m.experts) : "-"});
  }
  outcome.result.set("models", rows);
  outcome.text = table.str();
  return outcome;
}

std::string text_of(const model::Model& m) {
  const model::Counts c = m.counts();
  std::string text = fmt::format("{} ({}): {} parameters, {} active a token\n\n", m.name, m.family,
                                 billions(m.parameters()), billions(m.active_parameters()));
  Table table({{"part", Align::left}, {"parameters", Align::right}});
  const std::pair<const char*, std::int64_t> parts[] = {
      {"embedding", c.embedding}, {"head", c.head},   {"norms", c.norms},    {"attention", c.attention},
      {"router", c.router},       {"dense", c.dense}, {"experts", c.experts}};
  for (const auto& [part, n] : parts) {
    if (n > 0) table.row({part, std::to_string(n)});
  }
  text += table.str();
  text += fmt::format("\n{} layers, hidden {}, {} heads, {} KV heads of {}\n", m.layer_count(), m.hidden, m.heads,
                      m.kv_heads, m.head_dim);
  if (m.is_moe())
    text += fmt::format("{} experts, {} a token, {} parameters each\n", m.experts, m.top_k, m.expert_parameters());
  text += fmt::format("weights {} in {}, {} of keys and values a token\n", format_short(m.weight_bytes(m.dtype)),
                      machine::name(m.dtype), format_short(m.kv_bytes_per_token(m.dtype)));
  return text + (m.source.empty() ? "" : wrap("source: " + m.source) + "\n");
}

Outcome show(const Arguments& arguments) {
  auto set = arguments.pairs("set");
  for (auto& [path, value] : set) {
    if (path.starts_with("model.")) path = path.substr(6);  // as `run` has it
  }
  const model::Model m = model::load(arguments.positional("MODEL"), set);
  Outcome outcome;
  outcome.result.set("name", m.name)
      .set("family", m.family)
      .set("parameters", m.parameters())
      .set("active_parameters", m.active_parameters());
  outcome.result.set("layers", m.layer_count()).set("experts", m.experts).set("top_k", m.top_k);
  outcome.result.set("weight_bytes", m.weight_bytes(m.dtype)).set("expert_parameters", m.expert_parameters());
  outcome.result.set("kv_bytes_per_token", m.kv_bytes_per_token(m.dtype)).set("dtype", machine::name(m.dtype));
  outcome.result.set("hidden", m.hidden)
      .set("heads", m.heads)
      .set("kv_heads", m.kv_heads)
      .set("head_dim", m.head_dim)
      .set("vocab", m.vocab);
  outcome.result.set("source", m.source);
  outcome.text = text_of(m);
  return outcome;
}

const Registry<Verb>::Entry model_list{
    "model list", "the models that ship", {{"weft model list", "weft model list --json"}, {}, {}, list}};
const Registry<Verb>::Entry model_show{
    "model show",
    "parameters and bytes of a model",
    {{"weft model show mixtral-8x7b", "weft model show path/to/config.json --json"},
     {{"MODEL", "a shipped name or a config.json"}},
     {{"set", "KEY=VALUE", "change a key of the config; model.KEY is the same", "", "", true}},
     show}};

}  // namespace
}  // namespace weft::cli
