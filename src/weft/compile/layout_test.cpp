#include <gtest/gtest.h>

#include "weft/compile/compile.hpp"

namespace weft::compile {
namespace {

StepRequest step(const std::string& model, std::int64_t batch, std::int64_t seq, const std::string& layout) {
  StepRequest r;
  r.model = model::load(model);
  r.batch = batch;
  r.seq = seq;
  r.layout = parse_layout(layout);
  return r;
}

std::string refusal(const StepRequest& r, ErrorKind kind, const std::string& machine = "dgx-h100") {
  try {
    compile_step(r, *machine::load(machine));
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Layout, TextAndBack) {
  EXPECT_EQ(to_string(parse_layout("tp=8,ep=16,pp=1,dp=2")), "tp=8,ep=16,pp=1,dp=2");
  EXPECT_EQ(to_string(parse_layout("ep=4")), "tp=1,ep=4,pp=1,dp=1");
  for (const char* wrong : {"tp", "tp=", "tp=0", "tp=-1", "tp=2x", "xp=2", "tp=2;ep=2", "tp=2,,ep=2"}) {
    EXPECT_THROW(parse_layout(wrong), Error) << wrong;
  }
}

// Must fail: each with the two numbers that do not go together.
TEST(Layout, WhatDoesNotDivideIsNamed) {
  EXPECT_TRUE(says(refusal(step("mixtral-8x7b", 24, 128, "tp=3"), ErrorKind::usage),
                   "32 attention heads do not divide by tp=3"));
  EXPECT_TRUE(
      says(refusal(step("mixtral-8x7b", 24, 128, "ep=3"), ErrorKind::usage), "8 experts do not divide by ep=3"));
  EXPECT_TRUE(says(refusal(step("llama2-7b", 24, 128, "ep=2"), ErrorKind::usage), "no experts"));
  EXPECT_TRUE(says(refusal(step("mixtral-8x7b", 9, 128, "ep=2,dp=2"), ErrorKind::usage),
                   "9 sequences does not divide over ep x dp = 4"));
  EXPECT_TRUE(
      says(refusal(step("mixtral-8x7b", 64, 128, "tp=8,ep=2"), ErrorKind::usage), "needs 16 ranks, 'dgx-h100' has 8"));
  EXPECT_TRUE(says(refusal(step("mixtral-8x7b", 64, 128, "tp=4,pp=2"), ErrorKind::usage), "pp=2 is not compiled yet"));
  EXPECT_TRUE(says(refusal(step("llama2-7b", 8, 4097, "tp=8"), ErrorKind::usage), "beyond the 4096 positions"));
  StepRequest train = step("llama2-7b", 8, 128, "tp=8");
  train.phase = "train";
  EXPECT_TRUE(says(refusal(train, ErrorKind::usage), "'train' is not compiled yet"));
}

TEST(Layout, AModelThatDoesNotFitSaysHowMuchIsMissing) {
  const StepRequest r = step("llama3.1-405b", 8, 128, "tp=8");
  const std::string text = refusal(r, ErrorKind::infeasible);
  const Bytes missing = memory_estimate(r).total() - machine::load("dgx-h100")->site_class(0).tiers.front().capacity;
  EXPECT_TRUE(says(text, std::to_string(missing.value()) + " bytes are missing")) << text;
}

// With every degree 1, the estimate's weights are the model's.
TEST(Layout, MemoryOfOneRankIsTheWholeModel) {
  for (const char* name : {"mixtral-8x7b", "llama3.1-8b"}) {
    const StepRequest r = step(name, 4, 1000, "tp=1");
    EXPECT_EQ(memory_estimate(r).weights, r.model.weight_bytes(r.dtype)) << name;
    EXPECT_EQ(memory_estimate(r).kv_cache, r.model.kv_bytes_per_token(r.dtype) * 4000) << name;
  }
}

TEST(Layout, KvHeadsAreRepeatedBeyondTheirNumber) {
  const StepRequest eight = step("llama3.1-8b", 8, 1000, "tp=8"), sixteen = step("llama3.1-8b", 8, 1000, "tp=16");
  EXPECT_EQ(memory_estimate(eight).kv_cache, memory_estimate(sixteen).kv_cache);
}

TEST(Layout, NodesFollowTheInnermostFabric) {
  const auto node = nodes_of(*machine::load("dgx-h100*2"), 16);
  for (std::size_t r = 0; r < 16; ++r) EXPECT_EQ(node[r], r / 8);
}

}  // namespace
}  // namespace weft::compile
