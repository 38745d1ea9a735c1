// Models: what a transformer is made of, read from its Hugging Face config.json.
//
// Counts. With hidden H, heads a, KV heads g, head dimension d, feed-forward width I, experts E of which k serve a token, V
// vocabulary and L layers, one layer holds
//     attention  H d (a + 2 g) + a d H        feed-forward  3 H I (gate, up, down), for each expert
//     router     H E                          norms         2 H
// and the model adds V H for the embedding, V H for the head (unless tied) and H for the last norm. `active` counts k experts in
// place of E, everything else whole: what one token uses.
//
// A Model is plain numbers; nothing here knows a machine, a layout or an engine.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/node.hpp"
#include "weft/core/registry.hpp"
#include "weft/core/units.hpp"
#include "weft/machine/kernel.hpp"

namespace weft::model {

using machine::DType;

enum class FeedForward : std::uint8_t { dense, moe };

struct Layer {
  FeedForward feed_forward = FeedForward::dense;
  std::int64_t intermediate = 0;  ///< width of the dense feed-forward, or of one expert
};

/// Parts whose parameters are counted apart.
struct Counts {
  std::int64_t embedding = 0, head = 0, norms = 0, attention = 0, router = 0, dense = 0, experts = 0;
  std::int64_t total() const { return embedding + head + norms + attention + router + dense + experts; }
};

struct Model {
  std::string name;
  std::string family;  ///< as registered, e.g. "mixtral"
  std::int64_t hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, vocab = 0, max_position = 0;
  std::int64_t experts = 0, top_k = 0;  ///< 0 for a dense model
  bool tied_embeddings = false;
  bool attention_bias = false;  ///< a bias on the projections of q, k, v and o
  bool qk_norm = false;         ///< a norm over each head of q and of k (two weights of a head's width)
  bool mlp_bias = false;
  DType dtype = DType::bf16;  ///< of the weights, as the file says
  std::vector<Layer> layers;
  std::string source;  ///< where a shipped file's figures come from

  Counts counts() const;
  std::int64_t parameters() const { return counts().total(); }
  /// What one token uses: k of the experts, both embeddings whole.
  std::int64_t active_parameters() const;
  /// One expert of one layer; 0 for a dense model.
  std::int64_t expert_parameters() const;
  /// Weights of one layer outside its experts, and of layer l in all.
  std::int64_t attention_parameters() const;
  std::int64_t layer_parameters(const Layer& layer) const;
  Bytes weight_bytes(DType type) const;
  /// Keys and values of one token in all layers.
  Bytes kv_bytes_per_token(DType type) const;
  bool is_moe() const { return experts > 0; }
  std::int64_t layer_count() const { return static_cast<std::int64_t>(layers.size()); }
};

/// Registry payload: a family of models. `read` takes what the family's config.json says into a Model, and records faults
/// (missing or mistyped keys, features that are not modelled) at the reader.
struct Family {
  std::vector<std::string> model_types;    ///< values of "model_type"
  std::vector<std::string> architectures;  ///< values of "architectures"
  void (*read)(ObjectReader& config, Model& model) = nullptr;
};

/// A key of several names: the first that the file has. Records a fault naming all of them when there is none.
std::int64_t integer_of(ObjectReader& config, const std::vector<std::string>& names);
/// The keys that all Llama-like families share: sizes, heads, vocabulary, dtype, embeddings, activation.
void read_transformer(ObjectReader& config, Model& model);

/// Overrides from the command line, `--set num_hidden_layers=4`.
using Overrides = std::vector<std::pair<std::string, std::string>>;

/// `what`: a shipped name or a path to a config.json. Throws Error (usage for an unknown name, with the nearest; input with
/// position for a file that is wrong or whose family is not known).
Model load(std::string_view what, const Overrides& set = {});
/// From text; `file` is the name shown in errors and, without its extensions, the model's name.
Model parse(std::string text, const std::string& file, const Overrides& set = {});
/// Shipped names.
std::vector<std::string> names();

}  // namespace weft::model
