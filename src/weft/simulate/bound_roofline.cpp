#include "weft/simulate/bound_roofline.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "weft/core/registry.hpp"
#include "weft/program/expand.hpp"

namespace weft::simulate {
namespace {

using program::Meaning;
using program::MeaningItem;
using program::Program;

struct Work {
  std::map<program::DType, double> flops;
  std::map<program::TensorId, double> read;  ///< share of the tensor that some statement needs
};

/// Share of an operand's cells that carry data: of the axis said to be `active`, no more than those.
double active_share(const Program& p, const Meaning& m, const Meaning::Operand& o) {
  if (m.active_axis.empty()) return 1;
  for (std::size_t a = 0; a < o.axes.size(); ++a) {
    if (o.axes[a] == m.active_axis)
      return std::min(1.0, static_cast<double>(m.active) / static_cast<double>(p.tensors[o.tensor].shape[a]));
  }
  return 1;
}

/// Size of the iteration space: product of the extents of the distinct named axes.
double iterations(const Program& p, const Meaning& m) {
  std::map<std::string, double> extent;
  const auto note = [&](const Meaning::Operand& o) {
    const auto& shape = p.tensors[o.tensor].shape;
    for (std::size_t a = 0; a < o.axes.size() && a < shape.size(); ++a) {
      const bool fixed = a < o.box.size() && !o.box[a].all;
      if (!fixed && !o.axes[a].empty()) extent[o.axes[a]] = static_cast<double>(shape[a]);
    }
  };
  note(m.out);
  for (const Meaning::Operand& o : m.in) note(o);
  double product = 1;
  for (const auto& [name, n] : extent) product *= n;
  return product;
}

void collect(const Program& p, const std::vector<MeaningItem>& items, double rounds, Work& work) {
  for (const MeaningItem& item : items) {
    if (item.kind == MeaningItem::Kind::repeat) {
      collect(p, item.body, rounds * static_cast<double>(item.rounds), work);
      continue;
    }
    const Meaning& m = item.statement;
    if (!m.einsum) {
      const auto* op = Registry<machine::KernelOp>::instance().try_find(m.op);
      if (op == nullptr || !op->payload.reads_all) continue;
      for (const Meaning::Operand& o : m.in) work.read[o.tensor] = 1;
      continue;
    }
    const auto factors = static_cast<double>(std::max<std::size_t>(m.in.size(), 2));
    double share = 1;
    for (const Meaning::Operand& o : m.in) {
      double& read = work.read[o.tensor];
      read = std::max(read, active_share(p, m, o));
      share = std::min(share, active_share(p, m, o));
    }
    work.flops[p.tensors[m.out.tensor].dtype] += rounds * iterations(p, m) * factors * share;
  }
}

/// Bytes of the tensor that lie somewhere at the start (each cell once, at most the whole), and the sites where.
double started(const Program& p, program::TensorId tensor, std::set<machine::SiteId>& sites) {
  double bytes = 0;
  for (const program::Placement& s : p.start) {
    if (p.buffers[s.chunk.buffer].tensor != tensor) continue;
    std::vector<std::int64_t> env(p.vars.size(), 0);
    std::set<std::vector<std::int64_t>> seen;
    const auto place = [&](auto&& self, std::size_t k) -> void {
      if (k < s.over.size()) {
        for (std::int64_t v = s.over[k].lo; v < s.over[k].hi; ++v) {
          env[s.over[k].var] = v;
          self(self, k + 1);
        }
        return;
      }
      std::vector<machine::SiteId> at;
      program::sites_of(p, s.at, env.data(), at);
      sites.insert(at.begin(), at.end());
      std::vector<program::Box> boxes;
      if (s.chunk.by == program::ChunkRef::By::box) program::boxes_of(p, s.chunk, env.data(), 0, boxes);
      for (const program::Box& b : boxes) {
        std::vector<std::int64_t> key = b.lo;
        key.insert(key.end(), b.hi.begin(), b.hi.end());
        if (seen.insert(std::move(key)).second)
          bytes += static_cast<double>(p.tensors[tensor].bytes(b.volume()).value());
      }
    };
    place(place, 0);
  }
  const program::Tensor& t = p.tensors[tensor];
  return std::min(bytes, static_cast<double>(t.bytes(t.volume()).value()));
}

}  // namespace

std::vector<Roof> roofline(const Program& program, const machine::Machine& machine) {
  Work work;
  collect(program, program.meaning, 1, work);
  std::set<machine::SiteId> sites;
  for (const program::Space& s : program.spaces) {
    for (std::int64_t k = 0; k < s.size(); ++k) {
      if (s.site(k) < machine.sites()) sites.insert(s.site(k));
    }
  }
  std::vector<Roof> roofs;
  double seconds = 0;
  for (const auto& [type, flops] : work.flops) {
    double peak = 0;
    for (machine::SiteId s : sites) peak += machine.peak(s, type).value();
    if (peak > 0) seconds += flops / peak;
  }
  roofs.push_back({seconds, "compute"});
  double bytes = 0, bandwidth = 0;
  std::set<machine::SiteId> holders;
  for (const auto& [tensor, share] : work.read) bytes += share * started(program, tensor, holders);
  for (machine::SiteId s : holders) {
    const auto& tiers = machine.site_class(s).tiers;
    if (!tiers.empty()) bandwidth += tiers.front().bandwidth.value();
  }
  if (bandwidth > 0)
    roofs.push_back({bytes / bandwidth, machine.site_class(*holders.begin()).tiers.front().name + " bandwidth"});
  return roofs;
}

}  // namespace weft::simulate
