#include "weft/machine/kernel.hpp"

#include <algorithm>
#include <array>

#include "weft/core/error.hpp"
#include "weft/core/registry.hpp"
#include "weft/machine/kernel_ops.hpp"

namespace weft::machine {
namespace {

struct TypeName {
  DType type;
  int bits;
  std::string_view name;
};
constexpr std::array<TypeName, 10> kTypes{{{DType::f64, 64, "f64"},
                                           {DType::f32, 32, "f32"},
                                           {DType::tf32, 32, "tf32"},
                                           {DType::bf16, 16, "bf16"},
                                           {DType::f16, 16, "f16"},
                                           {DType::f8, 8, "f8"},
                                           {DType::f4, 4, "f4"},
                                           {DType::i32, 32, "i32"},
                                           {DType::i8, 8, "i8"},
                                           {DType::u8, 8, "u8"}}};
constexpr std::array<std::pair<std::string_view, DType>, 9> kAliases{{{"fp64", DType::f64},
                                                                      {"double", DType::f64},
                                                                      {"fp32", DType::f32},
                                                                      {"float", DType::f32},
                                                                      {"bfloat16", DType::bf16},
                                                                      {"fp16", DType::f16},
                                                                      {"half", DType::f16},
                                                                      {"fp8", DType::f8},
                                                                      {"fp4", DType::f4}}};

const TypeName& entry(DType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace

int bits(DType type) {
  return entry(type).bits;
}
std::string_view name(DType type) {
  return entry(type).name;
}

std::optional<DType> find_dtype(std::string_view text) {
  for (const TypeName& t : kTypes) {
    if (t.name == text) return t.type;
  }
  for (const auto& [alias, type] : kAliases) {
    if (alias == text) return type;
  }
  return std::nullopt;
}

DType parse_dtype(std::string_view text) {
  if (const auto type = find_dtype(text)) return *type;
  std::vector<std::string> names;
  for (const TypeName& t : kTypes) names.emplace_back(t.name);
  for (const auto& [alias, type] : kAliases) names.emplace_back(alias);
  throw usage_error("unknown number type '" + std::string(text) + "'", did_you_mean(text, names, names.size()));
}

std::int64_t Kernel::dim(std::string_view wanted, std::int64_t otherwise) const {
  for (const auto& [key, value] : dims) {
    if (key == wanted) return value;
  }
  return otherwise;
}

KernelWork work_of(const Kernel& kernel) {
  const auto& ops = Registry<KernelOp>::instance();
  const auto* item = ops.try_find(kernel.op);
  if (item == nullptr) {
    throw input_error("unknown kernel '" + kernel.op + "'", {}, did_you_mean(kernel.op, ops.names()));
  }
  for (const std::string& need : item->payload.required) {
    const bool there =
        std::any_of(kernel.dims.begin(), kernel.dims.end(), [&](const Dim& d) { return d.first == need; });
    if (!there) {
      throw input_error("kernel '" + kernel.op + "' lacks its dimension '" + need + "'", {},
                        "write it as " + need + "=NUMBER");
    }
  }
  for (const auto& [key, value] : kernel.dims) {
    const auto known = [&, k = std::string_view(key)](const Parameter& p) { return p.name == k; };
    if (std::none_of(item->parameters.begin(), item->parameters.end(), known)) {
      std::vector<std::string> names;
      for (const Parameter& p : item->parameters) names.push_back(p.name);
      throw input_error("kernel '" + kernel.op + "' has no dimension '" + key + "'", {}, did_you_mean(key, names));
    }
    if (value < 0) {
      throw input_error("kernel '" + kernel.op + "' has the negative dimension " + key + "=" + std::to_string(value),
                        {}, "dimensions count from 0 up");
    }
  }
  return item->payload.work(kernel);
}

}  // namespace weft::machine
