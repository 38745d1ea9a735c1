// config.json -> Model: find the family, let it read, check what every transformer must satisfy.
#include <algorithm>

#include <fmt/format.h>

#include "weft/core/data_dir.hpp"
#include "weft/core/suggest.hpp"
#include "weft/model/model.hpp"

namespace weft::model {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 24;  // of any size in a config; beyond it products could overflow

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string known_families() {
  std::vector<std::string> types;
  for (const auto* item : Registry<Family>::instance().sorted()) {
    types.insert(types.end(), item->payload.model_types.begin(), item->payload.model_types.end());
  }
  return fmt::format("families read: {}", fmt::join(types, ", "));
}

/// By model_type, else by architectures; null with a recorded fault.
const Registry<Family>::Item* family_of(ObjectReader& config) {
  const auto type = config.optional<std::string>("model_type", "");
  const std::vector<std::string> architectures = config.values_or<std::string>("architectures");
  for (const auto* item : Registry<Family>::instance().sorted()) {
    if (has(item->payload.model_types, type)) return item;
  }
  if (type.empty()) {
    for (const auto* item : Registry<Family>::instance().sorted()) {
      for (const std::string& a : architectures) {
        if (has(item->payload.architectures, a)) return item;
      }
    }
  }
  if (!type.empty()) {
    config.fault_at("model_type", fmt::format("'{}' is not a family that is read", type), known_families());
  } else if (!architectures.empty()) {
    config.fault_at("architectures", fmt::format("'{}' is not an architecture that is read", architectures.front()),
                    known_families());
  } else {
    config.fault("a model's config.json names its 'model_type' or 'architectures'", known_families());
  }
  return nullptr;
}

/// PyTorch's names: float16, bfloat16, float8_e4m3fn.
std::string short_name(std::string name) {
  if (name.starts_with("float")) name = "fp" + name.substr(5, name.find('_') - 5);
  return name;
}

DType dtype_of(ObjectReader& config) {
  for (const char* key : {"torch_dtype", "dtype"}) {
    const auto text = config.maybe<std::string>(key);
    if (!text) continue;
    try {
      return machine::parse_dtype(short_name(*text));
    } catch (const Error& e) {
      config.fault_at(key, e.diagnostics().front().message, e.diagnostics().front().hint);
    }
  }
  return DType::bf16;
}

void positive(ObjectReader& config, std::string_view key, std::int64_t value) {
  if (!config.has(key)) return;  // its absence is said elsewhere
  if (value < 1 || value > kLargest)
    config.fault_at(key, fmt::format("{} is not a size", value), fmt::format("1 .. {}", kLargest));
}

void check_heads(ObjectReader& config, const Model& m) {
  if (m.heads < 1 || m.kv_heads < 1 || m.head_dim < 1) return;  // said already
  if (m.heads % m.kv_heads != 0) {
    config.fault_at("num_key_value_heads",
                    fmt::format("{} does not divide the {} attention heads", m.kv_heads, m.heads));
  }
}

/// Products of sizes that are each allowed must stay far from where integers end.
void check_total(ObjectReader& config, const Model& m) {
  const auto real = [](std::int64_t v) { return static_cast<double>(v); };
  double layer = real(m.hidden) * real(m.head_dim) * real(m.heads + m.kv_heads) * 2 + real(m.hidden) * real(m.experts);
  if (!m.layers.empty())
    layer += 4 * real(m.hidden) * real(m.layers.front().intermediate) * std::max(1.0, real(m.experts));
  const double all = layer * static_cast<double>(m.layers.size()) + 2 * real(m.vocab) * real(m.hidden);
  if (all > 1e15) config.fault(fmt::format("{:.1e} parameters are more than any model has", all), "at most 1e15");
}

std::string name_of(const std::string& file) {
  std::string stem = std::filesystem::path(file).filename().string();
  for (const char* end : {".json", ".config", "_config"}) {
    if (stem.ends_with(end) && stem.size() > std::string_view(end).size())
      stem.resize(stem.size() - std::string_view(end).size());
  }
  return stem;
}

Model read(Document& document, const std::string& file, const Overrides& set) {
  for (const auto& [path, value] : set) document.set(path, value);
  ObjectReader config(document.root(), ObjectReader::Keys::lenient);
  Model model;
  model.name = name_of(file);
  if (const auto* family = config.ok() ? family_of(config) : nullptr) {
    model.family = family->name;
    family->payload.read(config, model);
    if (config.ok()) check_heads(config, model);
    if (config.ok()) check_total(config, model);
  }
  if (auto own = config.maybe_object("weft")) model.source = own->optional<std::string>("source", "");
  config.finish();
  return model;
}

}  // namespace

std::int64_t integer_of(ObjectReader& config, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!config.has(name)) continue;
    const auto value = config.integer(name);
    positive(config, name, value);
    return value;
  }
  return config.integer(names.front());  // records that it is missing
}

namespace {

/// Features that change what a step costs and that no family here models.
void refuse_features(ObjectReader& config, Model& m) {
  const auto window = config.maybe<std::int64_t>("sliding_window");
  if (window && config.optional<bool>("use_sliding_window", true) &&
      (m.max_position == 0 || *window < m.max_position)) {
    config.fault_at("sliding_window", fmt::format("attention over a window of {} positions is not modelled", *window),
                    "null, for attention over all positions");
  }
  auto quantized = config.maybe_object("quantization_config");
  if (!quantized) return;
  const auto method = quantized->optional<std::string>("quant_method", "");
  if (method == "fp8") {
    m.dtype = DType::f8;
  } else {
    quantized->fault(fmt::format("weights quantized by '{}' are not modelled", method), "fp8 is");
  }
}

}  // namespace

void read_transformer(ObjectReader& config, Model& m) {
  const std::int64_t layers = integer_of(config, {"num_hidden_layers", "n_layer", "num_layers"});
  m.hidden = integer_of(config, {"hidden_size", "n_embd"});
  m.heads = integer_of(config, {"num_attention_heads", "n_head"});
  m.vocab = integer_of(config, {"vocab_size"});
  m.kv_heads = config.has("num_key_value_heads") ? integer_of(config, {"num_key_value_heads"}) : m.heads;
  if (config.has("head_dim")) {
    m.head_dim = integer_of(config, {"head_dim"});
  } else if (m.heads > 0 && m.hidden % m.heads == 0) {
    m.head_dim = m.hidden / m.heads;
  } else if (m.heads > 0 && config.ok()) {
    config.fault_at(
        "num_attention_heads",
        fmt::format("{} heads do not divide the hidden size {}, and there is no 'head_dim'", m.heads, m.hidden));
  }
  m.max_position = config.has("max_position_embeddings") ? integer_of(config, {"max_position_embeddings"}) : 0;
  m.tied_embeddings = config.optional<bool>("tie_word_embeddings", false);
  m.attention_bias = config.optional<bool>("attention_bias", false);
  m.mlp_bias = config.optional<bool>("mlp_bias", false);
  m.dtype = dtype_of(config);
  refuse_features(config, m);
  const auto act = config.optional<std::string>("hidden_act", "silu");
  if (act != "silu") {
    config.fault_at("hidden_act", fmt::format("'{}' is not modelled for this family", act),
                    "silu (three matrices a feed-forward)");
  }
  if (layers >= 1 && layers <= 4096) {
    m.layers.resize(static_cast<std::size_t>(layers));
  } else if (config.ok()) {
    config.fault_at("num_hidden_layers", fmt::format("{} layers", layers), "1 .. 4096");
  }
}

Model parse(std::string text, const std::string& file, const Overrides& set) {
  Document document = parse_text(std::move(text), file);
  return read(document, file, set);
}

Model load(std::string_view what, const Overrides& set) {
  const std::filesystem::path path = data_file("models", what);
  Document document = parse_file(path);
  return read(document, path.string(), set);
}

std::vector<std::string> names() {
  return data_names("models");
}

}  // namespace weft::model
