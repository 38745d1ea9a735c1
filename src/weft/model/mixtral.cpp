// The Mixtral family: Llama's attention, and in every layer experts of which a router without bias picks top_k a token.
#include <fmt/format.h>

#include "weft/model/model.hpp"

namespace weft::model {
namespace {

void read_mixtral(ObjectReader& config, Model& model) {
  read_transformer(config, model);
  const std::int64_t width = integer_of(config, {"intermediate_size"});
  model.experts = integer_of(config, {"num_local_experts", "num_experts", "n_routed_experts"});
  model.top_k = integer_of(config, {"num_experts_per_tok", "num_experts_per_token", "moe_top_k"});
  if (config.ok() && model.top_k > model.experts) {
    config.fault_at("num_experts_per_tok", fmt::format("{} experts a token of {}", model.top_k, model.experts),
                    fmt::format("1 .. {}", model.experts));
  }
  for (Layer& layer : model.layers) layer = {FeedForward::moe, width};
}

const Registry<Family>::Entry mixtral{
    "mixtral", "Mixtral 8x7B, 8x22B and models of the same shape", {{"mixtral"}, {"MixtralForCausalLM"}, read_mixtral}};

}  // namespace
}  // namespace weft::model
