#include "weft/program/text_buffers.hpp"

#include <utility>

namespace weft::program {
namespace {

class Renumber {
 public:
  explicit Renumber(BufferId first) : first_(first) {}
  void operator()(BufferId& id) const {
    if (id != kNone && id >= kLaterBuffer) id = first_ + (id - kLaterBuffer);
  }
  void operator()(ChunkRef& chunk) const { (*this)(chunk.buffer); }
  void operator()(Placement& placement) const { (*this)(placement.chunk); }
  void operator()(Goal& goal) const {
    (*this)(goal.buffer);
    for (Placement& placement : goal.place) (*this)(placement);
  }
  void operator()(Task& task) const {
    for (auto* chunks : {&task.reads, &task.writes, &task.adds}) {
      for (ChunkRef& chunk : *chunks) (*this)(chunk);
    }
    (*this)(task.what);
    (*this)(task.into);
  }

 private:
  BufferId first_;
};

}  // namespace

void place_buffers(Program& program, std::vector<Buffer> later) {
  if (later.empty()) return;
  const Renumber renumber(static_cast<BufferId>(program.buffers.size()));
  for (Buffer& buffer : later) program.buffers.push_back(std::move(buffer));
  for (Placement& placement : program.start) renumber(placement);
  for (Goal& goal : program.goals) renumber(goal);
  for (Task& task : program.tasks) renumber(task);
  for (Block& block : program.blocks) {
    for (Goal& goal : block.goals) renumber(goal);
  }
}

}  // namespace weft::program
