#include "weft/collective/collective.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weft::collective {
namespace {

using program::AxisRange;
using program::Lin;

bool can_do(const Writer& writer, std::string_view operation) {
  return std::find(writer.operations.begin(), writer.operations.end(), operation) != writer.operations.end();
}

const Registry<Writer>::Item& writer_for(const Request& request) {
  const auto& item = Registry<Writer>::instance().item(request.algorithm, "collective algorithm");
  if (can_do(item.payload, request.operation)) return item;
  throw usage_error(fmt::format("algorithm '{}' cannot do {}", item.name, request.operation),
                    fmt::format("it does {}; algorithms for {}: {}", fmt::join(item.payload.operations, ", "),
                                request.operation, fmt::join(algorithms_for(request.operation), ", ")));
}

void check_parameters(const Registry<Writer>::Item& item, const Parameters& given) {
  std::vector<std::string> known;
  for (const Parameter& p : item.parameters) known.push_back(p.name);
  for (const auto& [name, value] : given) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw usage_error(fmt::format("algorithm '{}' has no parameter '{}'", item.name, name),
                      known.empty() ? "it has none" : did_you_mean(name, known));
  }
}

std::int64_t ranks_of(const Request& request) {
  const std::int64_t sites = request.machine->sites();
  const std::int64_t n = request.ranks == 0 ? sites : request.ranks;
  if (n < 1) throw usage_error(fmt::format("{} ranks", n), "at least one rank must take part");
  if (n > sites) {
    throw usage_error(fmt::format("{} ranks on a machine with {} sites", n, sites),
                      fmt::format("'{}' has room for --ranks {}", request.machine->name(), sites));
  }
  return n;
}

}  // namespace

std::vector<std::string> algorithms_for(std::string_view operation) {
  std::vector<std::string> names;
  for (const auto* item : Registry<Writer>::instance().sorted()) {
    if (can_do(item->payload, operation)) names.push_back(item->name);
  }
  return names;
}

Bytes grain_of(const Job& job) {
  Bytes grain{512 * 1024};
  if (const auto found = job.parameters.find("grain"); found != job.parameters.end()) {
    auto parsed = parse_quantity<Bytes>(found->second);
    if (!parsed) throw usage_error("algorithm.grain: " + parsed.error(), "a size, such as 512 KiB");
    if (parsed->value() < 1) throw usage_error("algorithm.grain is zero", "a size, such as 512 KiB");
    grain = *parsed;
  }
  return std::max(Bytes(1), std::min(grain, job.piece_bytes));
}

program::DType element_type(const Request& request) {
  if (request.dtype) return *request.dtype;
  for (const program::DType type : {program::DType::bf16, program::DType::f16}) {
    if (request.machine->peak(0, type).value() > 0) return type;
  }
  return program::DType::f32;
}

program::Program write(const Request& request) {
  const auto& operation = Registry<Operation>::instance().item(request.operation, "collective operation").payload;
  const auto& item = writer_for(request);
  check_parameters(item, request.parameters);
  const std::int64_t n = ranks_of(request);
  if (request.size.value() < 1) throw usage_error("a collective of no bytes", "--size 64MiB");

  program::Builder builder(fmt::format("{} {} over {} ranks", request.algorithm, request.operation, n));
  const Setting setting = write_operation(builder, operation, request.machine->site_class(0).name, n, request.size);
  Job job;
  job.operation = operation.kind;
  job.ranks = {setting.space, n, {}, [](const Lin& r) { return std::vector<AxisRange>{program::one(r)}; }};
  job.data = setting.x;
  job.piece = [](const std::vector<Lin>& piece) {
    std::vector<AxisRange> box;
    for (const Lin& p : piece) box.push_back(program::one(p));
    return box;
  };
  job.piece_bytes = builder.program().tensors[setting.x].bytes(1);
  job.parameters = request.parameters;
  job.dtype = element_type(request);
  job.tag = request.operation;
  if (n > 1) {  // issued once, by every rank's host
    builder.control("launch", program::Control::launch, program::Builder::at(setting.space, {program::all()}))
        .tag(request.operation);
    job.after = {"launch"};
  }
  item.payload.write(builder, job);
  return builder.take();
}

}  // namespace weft::collective
