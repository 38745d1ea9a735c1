#include "weft/model/model.hpp"

namespace weft::model {

std::int64_t Model::attention_parameters() const {
  const std::int64_t qkv = (heads + 2 * kv_heads) * head_dim, out = heads * head_dim;
  return hidden * qkv + out * hidden + (attention_bias ? qkv + hidden : 0) + (qk_norm ? 2 * head_dim : 0);
}

std::int64_t Model::expert_parameters() const {
  for (const Layer& layer : layers) {
    if (layer.feed_forward == FeedForward::moe) return 3 * hidden * layer.intermediate;
  }
  return 0;
}

std::int64_t Model::layer_parameters(const Layer& layer) const {
  const std::int64_t one = 3 * hidden * layer.intermediate + (mlp_bias ? 2 * layer.intermediate + hidden : 0);
  const bool moe = layer.feed_forward == FeedForward::moe;
  return attention_parameters() + 2 * hidden + (moe ? hidden * experts + experts * one : one);
}

Counts Model::counts() const {
  Counts c;
  c.embedding = vocab * hidden;
  c.head = tied_embeddings ? 0 : vocab * hidden;
  c.norms = hidden;
  for (const Layer& layer : layers) {
    const std::int64_t one = 3 * hidden * layer.intermediate + (mlp_bias ? 2 * layer.intermediate + hidden : 0);
    c.norms += 2 * hidden;
    c.attention += attention_parameters();
    if (layer.feed_forward == FeedForward::moe) {
      c.router += hidden * experts;
      c.experts += experts * one;
    } else {
      c.dense += one;
    }
  }
  return c;
}

std::int64_t Model::active_parameters() const {
  const Counts c = counts();
  return c.total() - (experts > 0 ? c.experts / experts * (experts - top_k) : 0);
}

Bytes Model::weight_bytes(DType type) const {
  return Bytes((parameters() * machine::bits(type) + 7) / 8);
}

Bytes Model::kv_bytes_per_token(DType type) const {
  return Bytes((2 * layer_count() * kv_heads * head_dim * machine::bits(type) + 7) / 8);
}

}  // namespace weft::model
