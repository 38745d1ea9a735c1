// Work of each kernel operation. With w bytes an element and o bytes an output element (8- and 4-bit inputs give 16-bit
// outputs, as the libraries do):
//   gemm              flops 2 m n k b            read (m k + k n) b w                      written m n b o
//   grouped-gemm      flops 2 m n k              read (m k + min(groups, m) k n) w         written m n o
//   attention-decode  flops 4 s h d c            read (2 s kv d c + s h d) w               written s h d o
//   attention-prefill flops 4 s h d pairs        read (2 s kv d c + s h d q) w             written s h d q o
//                     pairs = q c - q (q-1) / 2: causal, the q newest of c positions ask
//   add               flops n                    read 2 n w                                written n w
//   topk              flops rows experts         read rows experts w                       written rows k 8 (value, index)
#include <algorithm>

#include "weft/core/registry.hpp"
#include "weft/machine/kernel_ops.hpp"

namespace weft::machine {
namespace {

double element(DType type) {
  return bits(type) / 8.0;
}
double output(DType type) {
  return std::max(2.0, element(type));
}
double real(const Kernel& k, std::string_view name, std::int64_t otherwise = 1) {
  return static_cast<double>(k.dim(name, otherwise));
}

KernelWork gemm(const Kernel& kernel) {
  const double m = real(kernel, "m"), n = real(kernel, "n"), k = real(kernel, "k"), b = real(kernel, "batch");
  KernelWork work;
  work.flops = work.matrix_flops = 2 * m * n * k * b;
  work.read_bytes = (m * k + k * n) * b * element(kernel.dtype);
  work.written_bytes = m * n * b * output(kernel.dtype);
  return work;
}

KernelWork grouped_gemm(const Kernel& kernel) {
  const double g = real(kernel, "groups"), m = real(kernel, "m"), n = real(kernel, "n"), k = real(kernel, "k");
  KernelWork work;
  work.flops = work.matrix_flops = 2 * m * n * k;
  work.read_bytes = (m * k + std::min(g, m) * k * n) * element(kernel.dtype);
  work.written_bytes = m * n * output(kernel.dtype);
  return work;
}

KernelWork attention(const Kernel& kernel, double queries, double pairs) {
  const double s = real(kernel, "sequences"), h = real(kernel, "heads"), kv = real(kernel, "kv_heads");
  const double d = real(kernel, "head_dim"), c = real(kernel, "context");
  KernelWork work;
  work.flops = work.matrix_flops = 4 * s * h * d * pairs;
  work.read_bytes = (2 * s * kv * d * c + s * h * d * queries) * element(kernel.dtype);
  work.written_bytes = s * h * d * queries * output(kernel.dtype);
  return work;
}

KernelWork attention_decode(const Kernel& kernel) {
  return attention(kernel, 1, real(kernel, "context"));
}

KernelWork attention_prefill(const Kernel& kernel) {
  const double c = real(kernel, "context");
  const double q = real(kernel, "queries", kernel.dim("context"));
  return attention(kernel, q, std::max(0.0, q * c - q * (q - 1) / 2));
}

KernelWork elementwise(const Kernel& kernel) {
  KernelWork work;
  work.flops = real(kernel, "flops", 0);
  work.read_bytes = real(kernel, "read");
  work.written_bytes = real(kernel, "written");
  return work;
}

KernelWork add(const Kernel& kernel) {
  const double n = real(kernel, "n"), w = element(kernel.dtype);
  return {n, 0, 2 * n * w, n * w};
}

KernelWork copy(const Kernel& kernel) {
  return {0, 0, real(kernel, "bytes"), real(kernel, "bytes")};
}

KernelWork topk(const Kernel& kernel) {
  const double rows = real(kernel, "rows"), experts = real(kernel, "experts");
  return {rows * experts, 0, rows * experts * element(kernel.dtype), rows * real(kernel, "k") * 8};
}

using Entry = Registry<KernelOp>::Entry;
const Parameter kBatch{"batch", "independent products", "1"};
const Entry kGemm{"gemm",
                  "m x k times k x n on matrix units",
                  {{"m", "n", "k"}, gemm},
                  {{"m", "rows"}, {"n", "columns"}, {"k", "depth"}, kBatch}};
const Entry kMatmul{"matmul",
                    "as gemm, on cores without matrix units",
                    {{"m", "n", "k"}, gemm},
                    {{"m", "rows"}, {"n", "columns"}, {"k", "depth"}, kBatch}};
const Entry kGrouped{
    "grouped-gemm",
    "one product a group, all groups in one launch",
    {{"groups", "m", "n", "k"}, grouped_gemm},
    {{"groups", "groups with a row"}, {"m", "rows over all groups"}, {"n", "columns"}, {"k", "depth"}}};
const Entry kDecode{"attention-decode",
                    "one new position of each sequence over its cache",
                    {{"sequences", "heads", "kv_heads", "head_dim", "context"}, attention_decode, true},
                    {{"sequences", "sequences"},
                     {"heads", "query heads"},
                     {"kv_heads", "key and value heads"},
                     {"head_dim", "width of a head"},
                     {"context", "positions in the cache"}}};
const Entry kPrefill{"attention-prefill",
                     "causal attention of the newest positions",
                     {{"sequences", "heads", "kv_heads", "head_dim", "context"}, attention_prefill, true},
                     {{"sequences", "sequences"},
                      {"heads", "query heads"},
                      {"kv_heads", "key and value heads"},
                      {"head_dim", "width of a head"},
                      {"context", "positions seen"},
                      {"queries", "newest positions that ask", "context"}}};
const Entry kElementwise{"elementwise",
                         "norms, activations, residuals: bytes in and out",
                         {{"read", "written"}, elementwise},
                         {{"read", "bytes"}, {"written", "bytes"}, {"flops", "floating-point operations", "0"}}};
const Entry kAdd{"add", "element by element sum", {{"n"}, add}, {{"n", "elements"}}};
const Entry kCopy{"copy", "bytes from one place in memory to another", {{"bytes"}, copy}, {{"bytes", "bytes"}}};
const Entry kTopk{"topk",
                  "the k largest of each row",
                  {{"rows", "experts", "k"}, topk},
                  {{"rows", "rows"}, {"experts", "columns"}, {"k", "how many to keep"}}};

}  // namespace
}  // namespace weft::machine
