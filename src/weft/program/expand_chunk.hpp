// Chunks and site references with their indices evaluated: the inner loops that expansion, verify and interpret share.
//
// A box is 2 * rank numbers, lo and hi of each axis in turn, half open. Nothing here allocates once its buffers have grown.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "weft/program/expand.hpp"

namespace weft::program {

/// Boxes of one tensor in flat form: `bounds` has 2 * rank numbers a box.
struct FlatBoxes {
  std::size_t rank = 0;
  std::vector<std::int64_t> bounds;
  std::size_t count() const { return rank == 0 ? 0 : bounds.size() / (2 * rank); }
  std::span<const std::int64_t> box(std::size_t k) const { return {bounds.data() + 2 * rank * k, 2 * rank}; }
};
std::int64_t volume_of(std::span<const std::int64_t> box);
std::int64_t volume_of(const FlatBoxes& boxes);
/// "[0..3,5]": the box as the text form writes it, both ends included.
std::string box_text(std::span<const std::int64_t> box);
/// "x[0..3,5]", "in of x" for a buffer with a name of its own.
std::string chunk_text(const Program& program, BufferId buffer, std::span<const std::int64_t> box);

/// The number of a machine site in a space, or -1.
std::int64_t flat_in(const Space& space, SiteId site);

/// True when the reference names exactly one site for each value of its indices.
bool single_site(const Program& program, const SiteRef& ref);
/// Machine site of such a reference. Throws check_failed without a name where an index lies outside the space.
SiteId site_of(const Program& program, const SiteRef& ref, const std::int64_t* env);
/// Flat box of sites of a reference, row-major, appended to `out`.
void append_sites(const Program& program, const SiteRef& ref, const std::int64_t* env, std::vector<SiteId>& out);

/// Evaluates chunks; keeps the rows of each table by its ends, so that `x from d` costs what it yields.
class ChunkEvaluator {
 public:
  explicit ChunkEvaluator(const Program& program);
  /// Appends the chunk's boxes at a machine site (which matters for tables only). Throws check_failed for a box of the wrong
  /// rank or outside its tensor.
  void append(const ChunkRef& chunk, const std::int64_t* env, SiteId site, FlatBoxes& out);
  /// The piece of one row of a table.
  void append_row(BufferId buffer, const Table& table, std::uint32_t row, FlatBoxes& out);
  const Tensor& tensor_of(BufferId buffer) const { return program_.tensors[program_.buffers[buffer].tensor]; }

 private:
  struct RowIndex {
    std::vector<std::uint32_t> start, row;
  };
  const RowIndex& index(TableId table, bool from);
  void append_box(const ChunkRef& chunk, const std::int64_t* env, FlatBoxes& out);

  const Program& program_;
  std::vector<RowIndex> index_;  ///< two a table, built when asked for
};

/// Values of a task's set indices for one ordinal of its box, the last index fastest.
void set_indices(const Task& task, std::uint32_t ordinal, std::int64_t* env);

/// Flat boxes as Boxes, appended.
void append_boxes(const FlatBoxes& flat, std::vector<Box>& out);

}  // namespace weft::program
