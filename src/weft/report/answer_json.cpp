#include "weft/report/answer_json.hpp"

#include "weft/core/ticks.hpp"

namespace weft::report {

std::int64_t cycles_of(Seconds time, Hertz clock) {
  return TickClock{clock.value()}.ceil(time);
}

Json fault_json(const program::Fault& fault) {
  return Json::object().set("task", fault.task).set("what", fault.what).set("line", fault.line);
}

void put_timing(Json& result, const plan::Answer& answer, const machine::Machine& machine) {
  result.set("verified", answer.verdict.verified);
  if (!answer.verdict.verified) {
    if (!answer.verdict.faults.empty()) result.set("first_fault", fault_json(answer.verdict.faults.front()));
    return;
  }
  result.set("engine", plan::name(answer.engine));
  result.set("time_s", answer.time.value());
  result.set("bound_s", answer.bound.time.value()).set("bound_by", answer.bound.by);
  if (const auto clock = machine.clock()) {
    result.set("cycles", cycles_of(answer.time, *clock)).set("bound_cycles", cycles_of(answer.bound.time, *clock));
  }
  if (answer.engine == plan::Engine::bound) result.set("time_by", answer.program_bound.by);
}

Json breakdown_json(const plan::Answer& answer) {
  Json rows = Json::array();
  for (const explain::TagTime& tag : answer.explanation.tags) {
    rows.push(Json::object()
                  .set("name", tag.tag)
                  .set("time_s", answer.timeline.clock.seconds(tag.time).value())
                  .set("exposed_s", answer.timeline.clock.seconds(tag.exposed).value()));
  }
  return rows;
}

Json memory_json(const plan::Answer& answer) {
  Json rows = Json::array();
  for (const program::MemoryUse& use : answer.verdict.memory) {
    rows.push(Json::object()
                  .set("tier", use.tier)
                  .set("used_bytes", use.used_bytes)
                  .set("capacity_bytes", use.capacity_bytes));
  }
  return rows;
}

Json limits_json(const plan::Answer& answer) {
  Json rows = Json::array();
  for (const explain::Limit& limit : answer.explanation.limits) {
    rows.push(Json::object()
                  .set("resource", limit.resource)
                  .set("share", limit.share)
                  .set("gain_if_10pct_faster", limit.gain));
  }
  return rows;
}

Json path_json(const plan::Answer& answer) {
  Json rows = Json::array();
  for (const explain::Charge& charge : answer.explanation.charges) {
    rows.push(
        Json::object().set("what", charge.what).set("time_s", answer.timeline.clock.seconds(charge.ticks).value()));
  }
  return rows;
}

Json ranks_json(const program::Verdict& verdict, const machine::Machine& machine) {
  return Json::object().set("taking_part", verdict.taking_part).set("of", machine.sites());
}

}  // namespace weft::report
