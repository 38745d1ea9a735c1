// Pairwise exchange: all-to-all in n-1 rounds. In round s every rank j sends its piece for rank j+s+1 and receives from rank
// j-s-1, so that no receiver ever has two senders. A rank starts a round when its own exchanges of the round before have ended.
// Uniform pieces of P bytes take (n-1) (P/B + latency).
#include "weft/collective/collective.hpp"

namespace weft::collective {
namespace {

using program::Builder;
using program::Lin;
using program::VarId;

std::vector<std::string> write_pairwise(Builder& b, const Job& job) {
  const std::int64_t n = job.ranks.n;
  if (n == 1) return {};
  const VarId j = b.var(job.prefix + "j");
  const std::string name = job.prefix + "exchange";
  b.repeat(n - 1, job.prefix + "s", [&](VarId s) {
    const Lin peer = program::mod(program::var(j) + program::var(s) + Lin(1), n);
    program::TaskBuilder m = b.move(name);
    for (const program::SetIndex& i : job.ranks.outer) m.over(i.var, i.lo, i.hi);
    m.over(j, 0, n).tag(job.tag).what(Builder::chunk(job.data, job.piece({program::var(j), peer}))).into(job.data);
    m.from(job.ranks.space, job.ranks.at(program::var(j))).to(job.ranks.space, job.ranks.at(peer));
    m.transport(job.transport);
    for (const std::string& a : job.after) m.after(a);
    m.after(name, 1);
  });
  return {name};
}

const Registry<Writer>::Entry pairwise{
    "pairwise",
    "n-1 rounds, in each every rank has one partner to send to and one to receive from",
    {{"all-to-all"}, "any n", write_pairwise}};

}  // namespace
}  // namespace weft::collective
