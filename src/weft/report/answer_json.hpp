// Fields of `result` that several verbs share. Numbers are SI with the unit in the field's name.
#pragma once
#include "weft/core/json.hpp"
#include "weft/plan/answer.hpp"

namespace weft::report {

/// verified, engine, time_s, bound_s, bound_by, and cycles, bound_cycles on a machine with a clock; or, where the Program did
/// not verify, verified: false and first_fault. Sets them on `result`.
void put_timing(Json& result, const plan::Answer& answer, const machine::Machine& machine);
Json fault_json(const program::Fault& fault);  ///< {task, what, line}
Json breakdown_json(const plan::Answer& answer);
Json memory_json(const plan::Answer& answer);
Json limits_json(const plan::Answer& answer);
Json path_json(
    const plan::Answer& answer);  ///< [] {what, time_s}: where the critical path's time went; adds up to time_s
Json ranks_json(const program::Verdict& verdict, const machine::Machine& machine);

/// Whole cycles of the machine's clock, rounded up.
std::int64_t cycles_of(Seconds time, Hertz clock);

}  // namespace weft::report
