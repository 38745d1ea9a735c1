// Choose a collective's algorithm: every algorithm that says it can do the operation is written, verified and simulated, and the
// fastest is taken (ties: the name first in the alphabet).
#pragma once
#include <string>
#include <vector>

#include "weft/collective/collective.hpp"
#include "weft/plan/answer.hpp"

namespace weft::plan {

struct Candidate {
  std::string algorithm;
  Answer answer;
  std::string refused;                   ///< why it was not written, e.g. "n is no power of two"; answer is empty then
  ErrorKind refusal = ErrorKind::usage;  ///< usage: it does not apply; infeasible: no way, or no room
};

/// One candidate an algorithm, in the order of names. `request.algorithm` is ignored. `first` to simulate without explaining.
std::vector<Candidate> all_algorithms(const collective::Request& request, const machine::Machine& machine,
                                      const AnswerOptions& options);

/// Index of the fastest verified candidate; throws infeasible with each one's reason where there is none.
std::size_t fastest(const std::vector<Candidate>& candidates);

}  // namespace weft::plan
