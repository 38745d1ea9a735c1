// Kernels: what a compute task does at one site, in words the machine can price.
//
// A kernel is an operation name, named dimensions and a number type. The operation's entry in the registry says which
// dimensions it needs and how many floating-point operations and bytes of memory traffic a shape implies; how long that
// takes is the machine's business alone (KernelCost). Nothing here knows a model, a strategy or an engine.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/units.hpp"

namespace weft::machine {

/// Number types by name: f64 f32 tf32 bf16 f16 f8 (fp8) f4 i32 i8 u8. Size in bits, so that 4-bit types are exact.
enum class DType : std::uint8_t { f64, f32, tf32, bf16, f16, f8, f4, i32, i8, u8 };
int bits(DType type);
std::string_view name(DType type);
/// Accepts the aliases fp32, fp16, fp8, fp4, bfloat16, half, float. Throws a usage Error that lists the names.
DType parse_dtype(std::string_view text);

using Dim = std::pair<std::string, std::int64_t>;

/// One concrete kernel launch.
struct Kernel {
  std::string op;         ///< a name in KernelOps, e.g. "gemm"
  std::vector<Dim> dims;  ///< in the order written
  DType dtype = DType::f32;
  std::int64_t dim(std::string_view name, std::int64_t otherwise = 1) const;
};

/// What a shape implies, independent of any machine.
struct KernelWork {
  double flops = 0;         ///< multiply and add count two
  double matrix_flops = 0;  ///< the part of flops that runs on matrix units
  double read_bytes = 0;    ///< least traffic from the site's main memory
  double written_bytes = 0;
};

/// Registry payload: a kernel operation. Shipped: gemm (m n k [batch]), matmul (= gemm on cores without matrix units),
/// grouped-gemm (groups m n k; m = rows over all groups), attention-decode (sequences heads kv_heads head_dim context),
/// attention-prefill, elementwise (read written: bytes), add (n: elements), copy (bytes), topk (rows experts k).
struct KernelOp {
  std::vector<std::string> required;
  std::function<KernelWork(const Kernel&)> work;
  bool reads_all = false;  ///< it needs every byte of its operands (attention: the whole cache; a lookup does not)
};

/// The work of a kernel; throws an input Error naming a missing dimension or an unknown operation (nearest name given).
KernelWork work_of(const Kernel& kernel);

}  // namespace weft::machine
