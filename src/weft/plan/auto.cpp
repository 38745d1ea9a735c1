#include "weft/plan/auto.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weft::plan {
namespace {

std::string reason(const Candidate& c) {
  if (!c.refused.empty()) return c.refused;
  return c.answer.verdict.faults.empty() ? "not verified" : c.answer.verdict.faults.front().what;
}

Candidate try_one(collective::Request request, const std::string& name, const machine::Machine& machine,
                  const AnswerOptions& options) {
  Candidate candidate;
  candidate.algorithm = name;
  request.algorithm = name;
  try {
    candidate.answer = answer(collective::write(request), machine, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::infeasible) throw;
    candidate.refused = error.diagnostics().front().message;
    candidate.refusal = error.kind();
  }
  return candidate;
}

}  // namespace

std::vector<Candidate> all_algorithms(const collective::Request& request, const machine::Machine& machine,
                                      const AnswerOptions& options) {
  (void)Registry<collective::Operation>::instance().item(request.operation, "collective operation");
  std::vector<Candidate> candidates;
  for (const std::string& name : collective::algorithms_for(request.operation)) {
    candidates.push_back(try_one(request, name, machine, options));
  }
  return candidates;
}

std::size_t fastest(const std::vector<Candidate>& candidates) {
  std::size_t best = candidates.size();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (!c.refused.empty() || !c.answer.verdict.verified) continue;
    if (best == candidates.size() || c.answer.time < candidates[best].answer.time) best = i;
  }
  if (best != candidates.size()) return best;
  std::string why;
  for (const Candidate& c : candidates) why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", c.algorithm, reason(c));
  if (candidates.empty()) throw usage_error("no algorithm does this operation");
  const bool applies = std::any_of(candidates.begin(), candidates.end(), [](const Candidate& c) {
    return c.refused.empty() || c.refusal == ErrorKind::infeasible;
  });
  throw applies ? infeasible_error("no algorithm gives a program that is verified and can run", why)
                : usage_error("no algorithm can be used: " + why);
}

}  // namespace weft::plan
