// The Qwen3 families: Llama's shape with a norm over each head of q and k, dense or with experts in the layers that
// `decoder_sparse_step` and `mlp_only_layers` say.
#include <algorithm>

#include <fmt/format.h>

#include "weft/model/model.hpp"

namespace weft::model {
namespace {

void read_qwen3(ObjectReader& config, Model& model) {
  read_transformer(config, model);
  model.qk_norm = true;
  const std::int64_t width = integer_of(config, {"intermediate_size"});
  for (Layer& layer : model.layers) layer = {FeedForward::dense, width};
}

void read_qwen3_moe(ObjectReader& config, Model& model) {
  read_qwen3(config, model);
  const std::int64_t width = integer_of(config, {"moe_intermediate_size"});
  model.experts = integer_of(config, {"num_experts", "num_local_experts"});
  model.top_k = integer_of(config, {"num_experts_per_tok"});
  const auto step = config.optional<std::int64_t>("decoder_sparse_step", 1);
  const std::vector<std::int64_t> dense = config.values_or<std::int64_t>("mlp_only_layers");
  if (step < 1) config.fault_at("decoder_sparse_step", fmt::format("{} is not a step", step), "1 or more");
  if (!config.ok()) return;
  if (model.top_k > model.experts) {
    config.fault_at("num_experts_per_tok", fmt::format("{} experts a token of {}", model.top_k, model.experts));
  }
  for (std::int64_t l = 0; l < model.layer_count(); ++l) {
    const bool only_dense = std::find(dense.begin(), dense.end(), l) != dense.end();
    if (!only_dense && (l + 1) % step == 0) model.layers[static_cast<std::size_t>(l)] = {FeedForward::moe, width};
  }
}

const Registry<Family>::Entry qwen3{"qwen3", "Qwen3, dense", {{"qwen3"}, {"Qwen3ForCausalLM"}, read_qwen3}};
const Registry<Family>::Entry qwen3_moe{
    "qwen3-moe", "Qwen3 with experts", {{"qwen3_moe"}, {"Qwen3MoeForCausalLM"}, read_qwen3_moe}};

}  // namespace
}  // namespace weft::model
