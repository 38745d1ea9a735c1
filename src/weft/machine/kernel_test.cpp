#include "weft/machine/kernel.hpp"

#include <gtest/gtest.h>

#include "weft/core/error.hpp"

namespace weft::machine {
namespace {

std::string fault(const Kernel& kernel) {
  try {
    (void)work_of(kernel);
    return "accepted";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(DTypes, NamesAndAliasesComeBack) {
  for (const char* text : {"f64", "f32", "tf32", "bf16", "f16", "f8", "f4", "i32", "i8", "u8"}) {
    EXPECT_EQ(name(parse_dtype(text)), text);
  }
  EXPECT_EQ(parse_dtype("fp8"), DType::f8);
  EXPECT_EQ(parse_dtype("bfloat16"), DType::bf16);
  EXPECT_EQ(parse_dtype("half"), DType::f16);
  EXPECT_EQ(parse_dtype("float"), DType::f32);
  EXPECT_EQ(bits(DType::f4), 4);
  EXPECT_EQ(bits(DType::tf32), 32);
  try {
    (void)parse_dtype("bf61");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("bf16"), std::string::npos);
  }
}

TEST(KernelWorks, FollowTheirFormulas) {
  const KernelWork gemm = work_of({"gemm", {{"m", 2}, {"n", 3}, {"k", 5}}, DType::bf16});
  EXPECT_DOUBLE_EQ(gemm.flops, 60);
  EXPECT_DOUBLE_EQ(gemm.read_bytes, (10 + 15) * 2);
  EXPECT_DOUBLE_EQ(gemm.written_bytes, 12);
  const KernelWork eight = work_of({"gemm", {{"m", 2}, {"n", 3}, {"k", 5}}, DType::f8});
  EXPECT_DOUBLE_EQ(eight.read_bytes, 25);
  EXPECT_DOUBLE_EQ(eight.written_bytes, 12) << "8-bit inputs, 16-bit output";
  const KernelWork grouped = work_of({"grouped-gemm", {{"groups", 4}, {"m", 8}, {"n", 3}, {"k", 5}}, DType::bf16});
  EXPECT_DOUBLE_EQ(grouped.flops, 240);
  EXPECT_DOUBLE_EQ(grouped.read_bytes, (8 * 5 + 4 * 15) * 2);
  const Kernel decode{"attention-decode",
                      {{"sequences", 2}, {"heads", 8}, {"kv_heads", 2}, {"head_dim", 16}, {"context", 100}},
                      DType::f16};
  EXPECT_DOUBLE_EQ(work_of(decode).flops, 4.0 * 2 * 8 * 16 * 100);
  EXPECT_DOUBLE_EQ(work_of(decode).read_bytes, (2.0 * 2 * 2 * 16 * 100 + 2 * 8 * 16) * 2);
  Kernel prefill = decode;
  prefill.op = "attention-prefill";
  EXPECT_DOUBLE_EQ(work_of(prefill).flops, 4.0 * 2 * 8 * 16 * (100 * 101 / 2));
  prefill.dims.emplace_back("queries", 1);
  EXPECT_DOUBLE_EQ(work_of(prefill).flops, work_of(decode).flops) << "one query of a prefill is a decode";
  EXPECT_DOUBLE_EQ(work_of({"add", {{"n", 10}}, DType::f32}).read_bytes, 80);
  EXPECT_DOUBLE_EQ(work_of({"elementwise", {{"read", 7}, {"written", 9}}}).written_bytes, 9);
  EXPECT_DOUBLE_EQ(work_of({"copy", {{"bytes", 5}}}).read_bytes, 5);
  EXPECT_DOUBLE_EQ(work_of({"topk", {{"rows", 4}, {"experts", 8}, {"k", 2}}, DType::f32}).written_bytes, 64);
}

TEST(KernelWorks, SayWhatIsWrong) {
  EXPECT_NE(fault({"gem", {}}).find("did you mean 'gemm'"), std::string::npos);
  EXPECT_NE(fault({"gemm", {{"m", 1}, {"n", 1}}}).find("lacks its dimension 'k'"), std::string::npos);
  EXPECT_NE(fault({"gemm", {{"m", 1}, {"n", 1}, {"k", 1}, {"q", 1}}}).find("no dimension 'q'"), std::string::npos);
  EXPECT_NE(fault({"gemm", {{"m", 1}, {"n", -1}, {"k", 1}}}).find("negative"), std::string::npos);
}

}  // namespace
}  // namespace weft::machine
