// Ring: every rank sends to its successor only.
//
//   reduce-scatter  round s = 0..n-2: rank j sends piece j-1-s, and adds what arrives, piece j-2-s; at the end piece j is whole
//   all-gather      round s = 0..n-2: rank j sends piece j-s, first its own and then what arrived last
//   all-reduce      the one, then the other
//
// Each link carries (n-1)/n S (all-reduce: twice that), the least that is possible. A round starts at a rank when the last one has
// ended there; an add follows its arriving grains. So with a link's bandwidth B, latency L and an add of one grain in A,
//   all-reduce = 2 (n-1) (S/(n B) + L) + (n-1) A
// The rounds are ordered by edges alone: that also proves that a whole sum overwrites a partial one only when that was sent.
#include <algorithm>

#include "weft/collective/collective.hpp"

namespace weft::collective {
namespace {

using program::Builder;
using program::GoalKind;
using program::Lin;
using program::TaskBuilder;
using program::VarId;

/// What the three phases share.
struct Ring {
  Builder& b;
  const Job& job;
  VarId j;
  Bytes grain;

  Lin rank(std::int64_t shift) const { return program::mod(program::var(j) + Lin(shift), job.ranks.n); }
  Lin piece(std::int64_t shift, VarId round) const {
    return program::mod(program::var(j) + Lin(shift) - program::var(round), job.ranks.n);
  }
  void over(TaskBuilder& task) const {
    for (const program::SetIndex& i : job.ranks.outer) task.over(i.var, i.lo, i.hi);
    task.over(j, 0, job.ranks.n);
    task.tag(job.tag);
  }
  void send(TaskBuilder& task, const Lin& what, program::BufferId into) const {
    over(task);
    task.what(Builder::chunk(job.data, job.piece({what}))).into(into);
    task.from(job.ranks.space, job.ranks.at(program::var(j))).to(job.ranks.space, job.ranks.at(rank(1)));
    task.transport(job.transport);
  }
};

std::string reduce_scatter(const Ring& r, const std::vector<std::string>& first) {
  const Job& job = r.job;
  const program::BufferId in = r.b.buffer(job.prefix + "in", r.b.program().buffers[job.data].tensor);
  const std::string move = job.prefix + "send", add = job.prefix + "add";
  const std::int64_t n = job.ranks.n;
  r.b.repeat(n - 1, job.prefix + "s", [&](VarId s) {
    {
      TaskBuilder m = r.b.move(move);
      r.send(m, r.piece(-1, s), in);
      for (const std::string& a : first) m.after(a);
      m.after(add, 1);
    }
    TaskBuilder a = r.b.compute(add, "add", job.dtype);
    r.over(a);
    const auto box = job.piece({r.piece(-2, s)});
    a.at(job.ranks.space, job.ranks.at(program::var(r.j)));
    a.dim("n", (job.piece_bytes.value() * 8 + machine::bits(job.dtype) - 1) / machine::bits(job.dtype));
    a.reads(Builder::chunk(in, box)).adds(Builder::chunk(job.data, box)).streams(move, r.grain);
  });
  return add;
}

std::string all_gather(const Ring& r, const std::vector<std::string>& first) {
  const std::string move = r.job.prefix + "pass";
  r.b.repeat(r.job.ranks.n - 1, r.job.prefix + "t", [&](VarId t) {
    TaskBuilder m = r.b.move(move);
    r.send(m, r.piece(0, t), r.job.data);
    for (const std::string& a : first) m.after(a);
    m.after(move, 1);
  });
  return move;
}

std::vector<std::string> write_ring(Builder& b, const Job& job) {
  if (job.ranks.n == 1) return {};
  const Ring ring{b, job, b.var(job.prefix + "j"), grain_of(job)};
  if (job.operation == GoalKind::all_gather) return {all_gather(ring, job.after)};
  std::string last = reduce_scatter(ring, job.after);
  if (job.operation == GoalKind::reduce_scatter) return {last};
  return {last, all_gather(ring, {last})};
}

const Registry<Writer>::Entry ring{"ring",
                                   "neighbours in a cycle; the fewest bytes, n-1 latencies a phase",
                                   {{"all-reduce", "reduce-scatter", "all-gather"}, "any n", write_ring},
                                   {{"grain", "an add follows its move by grains of this size", "512 KiB"}}};

}  // namespace
}  // namespace weft::collective
