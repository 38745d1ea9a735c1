// Kernel costs: golden values of our own, laws that every model keeps, and the error against public measurements where
// WEFT_CORPUS names their folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "weft/machine/testing.hpp"

namespace weft::machine {
namespace {

using namespace testing;

Kernel gemm(std::int64_t m, std::int64_t n, std::int64_t k, DType type = DType::bf16) {
  return {"gemm", {{"m", m}, {"n", n}, {"k", k}}, type};
}

double us(const Machine& m, const Kernel& kernel, const KernelScale& scale = {}) {
  return m.kernel_cost(0, kernel, scale).time.value() * 1e6;
}

TEST(KernelCosts, GoldenValuesOnH100) {
  const auto m = load("dgx-h100");
  EXPECT_NEAR(us(*m, gemm(8192, 8192, 8192)), 1529, 2);
  EXPECT_NEAR(us(*m, gemm(16, 8192, 8192)), 51, 2);
  EXPECT_NEAR(us(*m, gemm(1, 64, 64)), 2.7, 0.2);
  const Kernel decode{"attention-decode",
                      {{"sequences", 64}, {"heads", 32}, {"kv_heads", 8}, {"head_dim", 128}, {"context", 4096}},
                      DType::bf16};
  const double bytes = 2.0 * 64 * 8 * 128 * 4096 * 2 + 2.0 * 64 * 32 * 128 * 2;
  EXPECT_NEAR(us(*m, decode), 5 + bytes / 3.35e12 / 0.85 * 1e6, 1e-3)
      << "bound by memory: floor + bytes / (0.85 bandwidth)";
}

TEST(KernelCosts, ProductsComeInWholeWaves) {
  const auto m = load("dgx-h100");
  EXPECT_DOUBLE_EQ(m->kernel_cost(0, gemm(1025, 8192, 8192)).compute.value(),
                   m->kernel_cost(0, gemm(1088, 8192, 8192)).compute.value());
  EXPECT_LT(us(*m, gemm(1024, 8192, 8192)), us(*m, gemm(1025, 8192, 8192)));
}

TEST(KernelCosts, KeepTheLawsOfEveryModel) {
  for (const char* machine : {"dgx-h100", "wse2"}) {
    LoadOptions small;
    if (std::string(machine) == "wse2") small.shape = {4};
    const auto m = load(machine, small);
    const DType type = std::string(machine) == "wse2" ? DType::f16 : DType::bf16;
    for (const std::int64_t rows : {1, 3, 17, 128, 1000, 5000}) {
      for (const std::int64_t columns : {1, 100, 4096, 28672}) {
        const Kernel one = gemm(rows, columns, 4096, type);
        const KernelCost cost = m->kernel_cost(0, one);
        EXPECT_GE(cost.time, cost.compute);
        EXPECT_GE(cost.time, cost.memory);
        EXPECT_GE(cost.time, cost.floor);
        EXPECT_GE(cost.time.value() * m->peak(0, type).value(), work_of(one).flops * (1 - 1e-12))
            << "faster than the peak";
        for (const KernelScale& s : {KernelScale{1.1, 1, 1}, KernelScale{1, 1.1, 1}, KernelScale{1, 1, 1.1}}) {
          EXPECT_LE(m->kernel_cost(0, one, s).time.value(), cost.time.value() * (1 + 1e-12));
          EXPECT_GE(m->kernel_cost(0, one, s).time.value() * 1.1, cost.time.value() * (1 - 1e-9));
        }
        // More work is never much faster: twice the columns may fill the memory better, by a little.
        EXPECT_LE(cost.time.value(), m->kernel_cost(0, gemm(rows, 2 * columns, 4096, type)).time.value() * 1.1);
        EXPECT_LE(cost.time, m->kernel_cost(0, gemm(rows, columns, 8192, type)).time);
      }
    }
  }
}

TEST(KernelCosts, ATableGivesItsPointsBack) {
  const std::string text = over_leaves("kind: switch, " + kLink, 2);
  const std::string table =
      "gemm: {model: table, dimension: m, points: [{at: 1, time: 2 us}, {at: 100, time: 20 us}], source: x}, any: ";
  const std::size_t at = text.find("any: ");
  const auto m = parse(std::string(text).replace(at, 5, table), "t.yaml");
  EXPECT_NEAR(us(*m, gemm(1, 8, 8, DType::f32)), 2, 1e-9);
  EXPECT_NEAR(us(*m, gemm(10, 8, 8, DType::f32)), std::sqrt(2.0 * 20), 1e-9);
  EXPECT_NEAR(us(*m, gemm(100, 8, 8, DType::f32)), 20, 1e-9);
  EXPECT_NEAR(us(*m, gemm(300, 8, 8, DType::f32)), 60, 1e-9);
}

std::vector<std::vector<std::string>> rows_of(const char* table, const std::string& gpu, const std::string& type) {
  std::vector<std::vector<std::string>> rows;
  const char* corpus = std::getenv("WEFT_CORPUS");
  if (corpus == nullptr) return rows;
  std::ifstream in(std::string(corpus) + "/measured/" + table);
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> cells;
    std::stringstream s(line);
    for (std::string cell; std::getline(s, cell, ',');) cells.push_back(cell);
    if (cells.size() > 5 && cells[0] == gpu && cells[1] == type) rows.push_back(cells);
  }
  return rows;
}

/// Median and 90th percentile.
std::pair<double, double> spread(std::vector<double> errors) {
  std::sort(errors.begin(), errors.end());
  return {errors[errors.size() / 2], errors[errors.size() * 9 / 10]};
}

void expect_gemm(const char* type, DType dtype, double median, double p90) {
  const auto rows = rows_of("kernels-gemm.csv", "H100", type);
  if (rows.empty()) GTEST_SKIP() << "WEFT_CORPUS is not set";
  const auto m = load("dgx-h100");
  std::vector<double> errors;
  for (std::size_t i = 1; i < rows.size(); i += 2) {  // the half not fitted
    const auto& r = rows[i];
    errors.push_back(
        std::fabs(us(*m, gemm(std::stoll(r[2]), std::stoll(r[3]), std::stoll(r[4]), dtype)) / std::stod(r[5]) - 1));
  }
  const auto [middle, high] = spread(errors);
  std::printf("%s: %zu rows not fitted, median error %.1f %%, 90th percentile %.1f %%\n", type, errors.size(),
              middle * 100, high * 100);
  EXPECT_LE(middle, median);
  EXPECT_LE(high, p90);
}

TEST(MeasuredKernels, GemmOnH100InBf16) {
  expect_gemm("bfloat16", DType::bf16, 0.10, 0.30);
}
TEST(MeasuredKernels, GemmOnH100InFp8) {
  expect_gemm("fp8", DType::f8, 0.10, 0.30);
}

/// gate/up, activation and down of the experts of one rank; tokens are those of the whole layer.
double experts_us(const Machine& m, const std::vector<std::string>& r, DType type) {
  const double tokens = std::stod(r[3]), hidden = std::stod(r[4]), top_k = std::stod(r[6]), experts = std::stod(r[7]);
  const double width = std::stod(r[5]) / std::stod(r[8]), ep = std::stod(r[9]);
  const bool gated = hidden != 2688 && !(hidden == 4096 && std::stod(r[5]) == 2688);
  const auto selected = static_cast<std::int64_t>(std::max(1.0, std::round(tokens * top_k / ep)));
  const auto groups = std::min(selected, static_cast<std::int64_t>(experts / ep));
  const auto up = static_cast<std::int64_t>(width * (gated ? 2 : 1)), w = static_cast<std::int64_t>(width);
  const auto h = static_cast<std::int64_t>(hidden);
  return us(m, {"grouped-gemm", {{"groups", groups}, {"m", selected}, {"n", up}, {"k", h}}, type}) +
         us(m, {"elementwise", {{"read", selected * up * 2}, {"written", selected * w * 2}}, DType::bf16}) +
         us(m, {"grouped-gemm", {{"groups", groups}, {"m", selected}, {"n", h}, {"k", w}}, type});
}

void expect_experts(const char* label, DType type, double median) {
  const auto rows = rows_of("kernels-moe.csv", "H100", label);
  if (rows.empty()) GTEST_SKIP() << "WEFT_CORPUS is not set";
  const auto m = load("dgx-h100");
  std::vector<double> errors;
  for (std::size_t i = 1; i < rows.size(); i += 2) {
    errors.push_back(std::fabs(experts_us(*m, rows[i], type) / std::stod(rows[i][10]) - 1));
  }
  const auto [middle, high] = spread(errors);
  std::printf("experts, %s: %zu rows not fitted, median error %.1f %%, 90th percentile %.1f %%\n", label, errors.size(),
              middle * 100, high * 100);
  EXPECT_LE(middle, median);
}

TEST(MeasuredKernels, ExpertsOnH100InBf16) {
  expect_experts("bfloat16", DType::bf16, 0.30);
}
TEST(MeasuredKernels, ExpertsOnH100InFp8) {
  expect_experts("fp8", DType::f8, 0.30);
}

}  // namespace
}  // namespace weft::machine
