#include "weft/machine/grid.hpp"

#include <algorithm>

#include "weft/core/error.hpp"

namespace weft::machine {
namespace {

constexpr std::uint64_t kMostEnds = 2'000'000;
constexpr std::uint64_t kManyEnds = std::uint64_t{1} << 40U;  ///< products of extents stop here

}  // namespace

Grid::Grid(FabricInput& input, Wrap wrap, bool flat) : wrap_(wrap), flat_(flat) {
  link_ = input.link_class(input.reader, "link", input.name);
  if (!flat_) {
    for (const std::int64_t extent : input.reader.values<std::int64_t>("shape")) {
      if (extent < 1 || extent > static_cast<std::int64_t>(kMostEnds)) {
        input.reader.fault_at("shape", "an extent of " + std::to_string(extent), "whole numbers from 1");
      } else {
        shape_.push_back(static_cast<std::uint32_t>(extent));
      }
    }
    if (input.reader.has("shape") && shape_.empty())
      input.reader.fault_at("shape", "a shape without extents", "e.g. [4, 4]");
  }
  const bool up = input.reader.has("ramp-up"), down = input.reader.has("ramp-down");
  if (up || down) {
    ramps_ = true;
    up_ = input.link_class(input.reader, "ramp-up", "ramp-up");
    down_ = input.link_class(input.reader, "ramp-down", "ramp-down");
    input.classes[up_].injection = input.classes[down_].injection = true;
  }
}

std::uint64_t Grid::wanted_ends() const {
  if (flat_) return 0;
  std::uint64_t ends = 1;
  for (const std::uint32_t extent : shape_) ends = std::min(ends * extent, kManyEnds);
  return ends;
}

bool Grid::reshape(std::span<const std::int64_t> shape) {
  if (flat_) return false;
  std::vector<std::uint32_t> extents;
  if (shape.size() < shape_.size()) extents.assign(shape_.size() - shape.size(), 1);
  std::uint64_t ends = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 1 || extent > static_cast<std::int64_t>(kMostEnds)) {
      throw usage_error("--shape with an extent of " + std::to_string(extent), "whole numbers from 1, e.g. 16x16");
    }
    extents.push_back(static_cast<std::uint32_t>(extent));
    ends *= static_cast<std::uint64_t>(extent);
    if (ends > kMostEnds) throw limit_error("--shape asks for more than 2 million sites", "a smaller shape");
  }
  if (extents.size() > shape_.size()) {
    throw usage_error("--shape has " + std::to_string(shape.size()) + " extents, this machine has " +
                      std::to_string(shape_.size()));
  }
  shape_ = std::move(extents);
  return true;
}

Grid::Extents Grid::extents(std::uint32_t ends) const {
  Extents e;
  e.size = flat_ ? std::vector<std::uint32_t>{ends} : shape_;
  e.stride.assign(e.size.size(), 1);
  for (std::size_t d = e.size.size() - 1; d > 0; --d) e.stride[d - 1] = e.stride[d] * e.size[d];
  return e;
}

// Node i has, in each dimension, one link up and one down, less those that a border lacks. Counting the lacking ones: of
// the nodes before i, a border value v of dimension d is taken by full periods and a part of the current one.
LinkId Grid::links_before(const Extents& e, std::uint32_t i) const {
  std::uint64_t count = 0;
  for (std::size_t d = 0; d < e.size.size(); ++d) {
    const std::uint64_t stride = e.stride[d], period = stride * e.size[d];
    if (e.size[d] == 1) continue;
    count += 2ULL * i;
    if (wraps(e.size[d])) continue;
    const std::uint64_t periods = i / period, rest = i % period;
    count -= periods * stride + std::min(rest, stride);                                   // no link down at 0
    count -= periods * stride + (rest > period - stride ? rest - (period - stride) : 0);  // nor up at the end
  }
  return static_cast<LinkId>(count);
}

void Grid::build(Graph& graph, std::span<const NodeId> ends, const FabricInstance& self) const {
  const auto n = static_cast<std::uint32_t>(ends.size());
  const Extents e = extents(n);
  graph.links.reserve(graph.links.size() + 2 * (e.size.size() + 1) * n);
  const auto router = [&](std::uint32_t i) { return ramps_ ? self.first_node + i : ends[i]; };
  for (std::uint32_t i = 0; ramps_ && i < n; ++i) {
    graph.link(ends[i], router(i), up_);
    graph.link(router(i), ends[i], down_);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::size_t d = e.size.size(); d-- > 0;) {
      const std::uint32_t size = e.size[d], stride = e.stride[d], x = i / stride % size;
      if (size == 1) continue;
      if (has(e, d, x, true)) graph.link(router(i), router(x + 1 < size ? i + stride : i - (size - 1) * stride), link_);
      if (has(e, d, x, false)) graph.link(router(i), router(x > 0 ? i - stride : i + (size - 1) * stride), link_);
    }
  }
}

bool Grid::route(const FabricInstance& self, std::uint32_t a, std::uint32_t b, std::vector<LinkId>& out) const {
  const Extents& e = extents_;
  const LinkId base = self.first_link + (ramps_ ? 2 * self.ends : 0);
  if (ramps_) out.push_back(self.first_link + 2 * a);
  for (std::size_t d = e.size.size(); d-- > 0;) {
    const std::uint32_t size = e.size[d], stride = e.stride[d];
    std::uint32_t x = a / stride % size;
    const std::uint32_t y = b / stride % size;
    const std::uint32_t ahead = (y + size - x) % size;
    const bool forward = wraps(size) ? 2 * ahead <= size : y > x;
    while (x != y) {
      LinkId slot = links_before(e, a);
      for (std::size_t later = e.size.size(); later-- > d + 1;) {
        if (e.size[later] == 1) continue;
        const std::uint32_t at = a / e.stride[later] % e.size[later];
        slot += (has(e, later, at, true) ? 1U : 0U) + (has(e, later, at, false) ? 1U : 0U);
      }
      if (!forward && has(e, d, x, true)) ++slot;
      out.push_back(base + slot);
      const std::uint32_t next = forward ? (x + 1 == size ? 0 : x + 1) : (x == 0 ? size - 1 : x - 1);
      a = a + next * stride - x * stride;
      x = next;
    }
  }
  if (ramps_) out.push_back(self.first_link + 2 * b + 1);
  return true;
}

std::string Grid::end_name(std::uint32_t i) const {
  if (flat_) return "[" + std::to_string(i) + "]";
  const Extents& e = extents_;
  const bool row = std::all_of(e.size.begin(), e.size.end() - 1, [](std::uint32_t s) { return s == 1; });
  std::string text;
  for (std::size_t d = row ? e.size.size() - 1 : 0; d < e.size.size(); ++d) {
    text += "[" + std::to_string(i / e.stride[d] % e.size[d]) + "]";
  }
  return text;
}

double Grid::bisection(std::uint32_t ends, std::span<const LinkClass> classes) const {
  const Extents e = extents(ends);
  double least = -1;
  for (const std::uint32_t size : e.size) {
    if (size < 2) continue;
    const double cut = static_cast<double>(ends) / size * (wraps(size) ? 2 : 1);
    if (least < 0 || cut < least) least = cut;
  }
  return std::max(0.0, least) * classes[link_].bandwidth.value();
}

int Grid::diameter(std::uint32_t ends) const {
  int hops = 0;
  for (const std::uint32_t size : extents(ends).size) hops += static_cast<int>(wraps(size) ? size / 2 : size - 1);
  return hops;
}

std::vector<std::vector<std::uint32_t>> Grid::rotations(std::uint32_t ends) const {
  std::vector<std::vector<std::uint32_t>> all;
  const Extents e = extents(ends);
  for (std::size_t d = 0; d < e.size.size(); ++d) {
    if (!wraps(e.size[d])) continue;
    std::vector<std::uint32_t> image(ends);
    for (std::uint32_t i = 0; i < ends; ++i) {
      const std::uint32_t x = i / e.stride[d] % e.size[d];
      image[i] = x + 1 < e.size[d] ? i + e.stride[d] : i - (e.size[d] - 1) * e.stride[d];
    }
    all.push_back(std::move(image));
  }
  return all;
}

}  // namespace weft::machine
