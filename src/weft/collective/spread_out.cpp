// Spread-out: all-to-all with every message posted at once and no order among them; the machine shares its links. Rank
// j lists its partners from j+1 onwards, so that where a machine serves messages by number not all ranks begin with the
// same receiver.
#include "weft/collective/collective.hpp"

namespace weft::collective {
namespace {

using program::Builder;
using program::Lin;

std::vector<std::string> write_spread_out(Builder& b, const Job& job) {
  const std::int64_t n = job.ranks.n;
  if (n == 1) return {};
  const program::VarId j = b.var(job.prefix + "j"), d = b.var(job.prefix + "d");
  const Lin peer = program::mod(program::var(j) + program::var(d), n);
  program::TaskBuilder m = b.move(job.prefix + "post");
  for (const program::SetIndex& i : job.ranks.outer) m.over(i.var, i.lo, i.hi);
  m.over(j, 0, n).over(d, 1, n).tag(job.tag);
  m.what(Builder::chunk(job.data, job.piece({program::var(j), peer}))).into(job.data);
  m.from(job.ranks.space, job.ranks.at(program::var(j))).to(job.ranks.space, job.ranks.at(peer));
  m.transport(job.transport);
  for (const std::string& a : job.after) m.after(a);
  return {job.prefix + "post"};
}

const Registry<Writer>::Entry spread_out{
    "spread-out", "all messages at once, in no order", {{"all-to-all"}, "any n", write_spread_out}};

}  // namespace
}  // namespace weft::collective
