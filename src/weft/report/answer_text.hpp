// An Answer for people, within 100 columns: headline, where the time goes, what limits it, memory.
#pragma once
#include <string>

#include "weft/plan/answer.hpp"

namespace weft::report {

/// "12.3 us (81 cycles), verified, bound 10 us by nvlink: 1.23 x the bound".
std::string headline(const plan::Answer& answer, const machine::Machine& machine);
/// "not verified: task 'm2': ..." for a Program that was refused.
std::string refusal(const plan::Answer& answer);
std::string breakdown_text(const plan::Answer& answer);
std::string path_text(const plan::Answer& answer);
std::string limits_text(const plan::Answer& answer);
std::string memory_text(const plan::Answer& answer);
/// All of the above, in this order.
std::string whole(const plan::Answer& answer, const machine::Machine& machine);

std::string percent(double share);  ///< "12.3 %"

}  // namespace weft::report
