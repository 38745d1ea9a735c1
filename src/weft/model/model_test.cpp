#include "weft/model/model.hpp"

#include <gtest/gtest.h>

namespace weft::model {
namespace {

const char* const kTiny = R"({"model_type": "llama", "hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 2,
  "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 10, "some_future_key": {"a": 1}})";

std::string fault(const std::string& text, const std::string& file = "config.json", const Overrides& set = {}) {
  try {
    parse(text, file, set);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    return error.what();
  }
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Do the shipped files give the parameter counts that the models' authors state?
TEST(Model, ShippedParametersMatchThePublishedCounts) {
  const struct {
    const char* name;
    double total, active;
  } rows[] = {{"mixtral-8x7b", 46.70e9, 12.88e9},  {"mixtral-8x22b", 140.6e9, 39.15e9},
              {"qwen3-30b-a3b", 30.53e9, 3.354e9}, {"qwen3-235b-a22b", 235.1e9, 22.19e9},
              {"llama2-7b", 6.738e9, 6.738e9},     {"llama2-13b", 13.016e9, 13.016e9},
              {"llama2-70b", 68.98e9, 68.98e9},    {"llama3.1-8b", 8.030e9, 8.030e9},
              {"llama3.1-70b", 70.55e9, 70.55e9},  {"llama3.1-405b", 405.9e9, 405.9e9}};
  for (const auto& row : rows) {
    const Model m = load(row.name);
    EXPECT_NEAR(static_cast<double>(m.parameters()) / row.total, 1, 3e-4) << row.name;
    EXPECT_NEAR(static_cast<double>(m.active_parameters()) / row.active, 1, 3e-4) << row.name;
    EXPECT_FALSE(m.source.empty()) << row.name;
  }
}

TEST(Model, EveryShippedFileIsRead) {
  for (const std::string& name : names()) EXPECT_GT(load(name).parameters(), 1'000'000'000) << name;
}

// By hand: 2 layers of 8*(4+2*2)*2 + 4*2*8 + 3*8*16 + 2*8, an embedding and a head of 10*8, a norm of 8.
TEST(Model, CountsOfATinyModel) {
  const Model m = parse(kTiny, "tiny.config.json");
  EXPECT_EQ(m.name, "tiny");
  EXPECT_EQ(m.parameters(), 2 * (128 + 64 + 384 + 16) + 160 + 8);
  EXPECT_EQ(m.active_parameters(), m.parameters());
  EXPECT_EQ(m.kv_bytes_per_token(DType::bf16), Bytes(2 * 2 * 2 * 2 * 2));
  EXPECT_EQ(m.weight_bytes(DType::f4), Bytes(m.parameters() / 2));
  EXPECT_EQ(m.expert_parameters(), 0);
}

TEST(Model, LayerPartsAddUpToTheWhole) {
  const Model m = load("mixtral-8x7b");
  std::int64_t sum = 2 * m.vocab * m.hidden + m.hidden;
  for (const Layer& layer : m.layers) sum += m.layer_parameters(layer);
  EXPECT_EQ(sum, m.parameters());
  EXPECT_EQ(m.expert_parameters(), 3 * 4096 * 14336);
}

TEST(Model, Qwen3LayersAreDenseWhereTheFileSaysSo) {
  const Model m = parse(with(with(kTiny, "llama", "qwen3_moe"), "\"vocab_size\"",
                             "\"num_experts\": 4, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": 6, "
                             "\"mlp_only_layers\": [0], \"head_dim\": 2, \"vocab_size\""),
                        "t.json");
  EXPECT_EQ(m.layers[0].feed_forward, FeedForward::dense);
  EXPECT_EQ(m.layers[1].feed_forward, FeedForward::moe);
  EXPECT_EQ(m.parameters(), 2 * (128 + 64 + 16 + 4) + 384 + (32 + 4 * 144) + 160 + 8);
  EXPECT_EQ(m.parameters() - m.active_parameters(), 2 * 144);
}

TEST(Model, TiedEmbeddingsCountOnce) {
  const Model m = parse(with(kTiny, "\"vocab_size\"", "\"tie_word_embeddings\": true, \"vocab_size\""), "t.json");
  EXPECT_EQ(m.counts().head, 0);
}

TEST(Model, ArchitecturesNameTheFamilyWhereModelTypeIsMissing) {
  const Model m =
      parse(with(kTiny, "\"model_type\": \"llama\"", "\"architectures\": [\"LlamaForCausalLM\"]"), "t.json");
  EXPECT_EQ(m.family, "llama");
}

TEST(Model, TorchNamesOfNumberTypes) {
  const Model half = parse(with(kTiny, "\"vocab_size\"", "\"torch_dtype\": \"float16\", \"vocab_size\""), "t.json");
  EXPECT_EQ(half.dtype, DType::f16);
}

TEST(Model, OverridesChangeAField) {
  EXPECT_EQ(parse(kTiny, "t.json", {{"num_hidden_layers", "5"}}).layer_count(), 5);
}

// Must fail, with the field and what would be right.
TEST(Model, UnknownFamilyListsTheKnownOnes) {
  const std::string text = fault(with(kTiny, "llama", "mamba"));
  EXPECT_TRUE(says(text, "'mamba' is not a family") && says(text, "llama, mixtral") && says(text, "config.json:1:"))
      << text;
}

TEST(Model, MissingAndMistypedKeysAreNamed) {
  EXPECT_TRUE(says(fault(with(kTiny, "\"hidden_size\": 8,", "")), "hidden_size"));
  EXPECT_TRUE(says(fault(with(kTiny, "\"vocab_size\": 10", "\"vocab_size\": \"many\"")), "vocab_size"));
  EXPECT_TRUE(says(fault(with(kTiny, "\"vocab_size\": 10", "\"vocab_size\": -3")), "vocab_size"));
  EXPECT_TRUE(says(fault(with(kTiny, "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 0")), "num_hidden_layers"));
  EXPECT_TRUE(says(fault("{}"), "model_type"));
}

TEST(Model, ShapesThatCannotBeAreRefused) {
  EXPECT_TRUE(
      says(fault(with(kTiny, "\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3")), "does not divide the 4"));
  EXPECT_TRUE(says(fault(with(kTiny, "\"hidden_size\": 8", "\"hidden_size\": 9")), "head_dim"));
  EXPECT_TRUE(says(fault(with(kTiny, "\"vocab_size\"", "\"hidden_act\": \"gelu\", \"vocab_size\"")), "gelu"));
  std::string moe = with(kTiny, "\"llama\"", "\"mixtral\", \"num_local_experts\": 4, \"num_experts_per_tok\": 5");
  EXPECT_TRUE(says(fault(moe), "5 experts a token of 4"));
}

TEST(Model, FeaturesThatAreNotModelledAreRefused) {
  const auto also = [](const std::string& key) { return with(kTiny, "\"vocab_size\"", key + ", \"vocab_size\""); };
  EXPECT_TRUE(says(fault(also("\"sliding_window\": 4096")), "window of 4096 positions"));
  EXPECT_EQ(fault(also("\"sliding_window\": null")), "accepted");
  EXPECT_TRUE(says(fault(also("\"quantization_config\": {\"quant_method\": \"awq\"}")), "'awq'"));
  EXPECT_EQ(parse(also("\"quantization_config\": {\"quant_method\": \"fp8\"}"), "t.json").dtype, DType::f8);
}

TEST(Model, BrokenFilesAreInputErrors) {
  EXPECT_NE(fault(""), "accepted");
  EXPECT_NE(fault(std::string("\0\1\2", 3)), "accepted");
  EXPECT_NE(fault("{"), "accepted");
  EXPECT_NE(fault(std::string(5000, '[')), "accepted");
  EXPECT_NE(fault("model_type: llama\nhidden_size: 8\n"), "accepted");
  EXPECT_NE(fault("[1, 2]"), "accepted");
  EXPECT_NE(fault("weft: machine/1\nname: a\n", "m.yaml"), "accepted");
}

TEST(Model, UnknownNameSuggestsTheNearest) {
  try {
    load("mixtral-8x7");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_TRUE(says(error.what(), "mixtral-8x7b")) << error.what();
  }
}

}  // namespace
}  // namespace weft::model
