#include "weft/report/answer_text.hpp"

#include <fmt/format.h>

#include "weft/core/text.hpp"
#include "weft/report/answer_json.hpp"
#include "weft/report/machine_view.hpp"

namespace weft::report {
namespace {

constexpr std::size_t most_rows = 24;

std::string time_with_cycles(Seconds time, const machine::Machine& machine) {
  const auto clock = machine.clock();
  if (!clock) return format_short(time);
  return fmt::format("{} ({} cycles)", format_short(time), cycles_of(time, *clock));
}

/// Indents a table by two columns.
std::string indented(const Table& table) {
  std::string text;
  std::string_view rest;
  const std::string lines = table.str(text_width - 2);
  rest = lines;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    text += "  " + std::string(rest.substr(0, end)) + "\n";
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return text;
}

}  // namespace

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string headline(const plan::Answer& answer, const machine::Machine& machine) {
  std::string text =
      fmt::format("{}, {} engine, verified\n", time_with_cycles(answer.time, machine), plan::name(answer.engine));
  const double over = answer.bound.time.value() > 0 ? answer.time / answer.bound.time : 0;
  if (over > 0) {
    const std::int64_t ranks = answer.verdict.taking_part, sites = machine.sites();
    const std::string where = ranks < sites ? fmt::format(" on these {} of {} sites", ranks, sites) : "";
    text += fmt::format("no schedule{} beats {} (by {}); this is {:.2f} x that\n", where,
                        time_with_cycles(answer.bound.time, machine), answer.bound.by, over);
  } else {
    text += "the goal alone gives no bound\n";
  }
  if (answer.engine == plan::Engine::bound)
    text += fmt::format("the program's own bound is its {}\n", answer.program_bound.by);
  return wrap(text) + "\n";
}

std::string refusal(const plan::Answer& answer) {
  if (answer.verdict.faults.empty()) return "not verified\n";
  const program::Fault& fault = answer.verdict.faults.front();
  const std::string line = fault.line > 0 ? fmt::format(" (line {})", fault.line) : "";
  return wrap(fmt::format("not verified: {}{}: {}", fault.task, line, fault.what)) + "\n";
}

std::string breakdown_text(const plan::Answer& answer) {
  if (answer.explanation.tags.empty()) return "";
  Table table(
      {{"what", Align::left}, {"time", Align::right}, {"exposed", Align::right}, {"of the whole", Align::right}});
  const auto& clock = answer.timeline.clock;
  const double end = static_cast<double>(std::max<Tick>(answer.timeline.end, 1));
  std::size_t rows = 0;
  for (const explain::TagTime& tag : answer.explanation.tags) {
    if (++rows > most_rows) break;
    table.row({tag.tag, format_short(clock.seconds(tag.time)), format_short(clock.seconds(tag.exposed)),
               percent(static_cast<double>(tag.exposed) / end)});
  }
  std::string text = "\nWhere the time goes (exposed: on the critical path)\n" + indented(table);
  if (rows > most_rows)
    text += fmt::format("  ... and {} more, all in --json\n", answer.explanation.tags.size() - most_rows);
  return text;
}

std::string path_text(const plan::Answer& answer) {
  if (answer.explanation.charges.empty()) return "";
  Table table({{"the critical path is charged to", Align::left}, {"time", Align::right}, {"share", Align::right}});
  const double end = static_cast<double>(std::max<Tick>(answer.timeline.end, 1));
  for (const explain::Charge& charge : answer.explanation.charges) {
    table.row({charge.what, format_short(answer.timeline.clock.seconds(charge.ticks)),
               percent(static_cast<double>(charge.ticks) / end)});
  }
  return "\n" + indented(table);
}

std::string limits_text(const plan::Answer& answer) {
  if (answer.explanation.limits.empty()) return "";
  Table table({{"what would help", Align::left}, {"if 10 % faster, the whole takes", Align::right}});
  for (const explain::Limit& limit : answer.explanation.limits) {
    table.row({limit.resource, limit.gain < 5e-5 ? "as long" : percent(limit.gain) + " less"});
  }
  return "\n" + indented(table);
}

std::string memory_text(const plan::Answer& answer) {
  if (answer.verdict.memory.empty()) return "";
  Table table(
      {{"memory of the fullest site", Align::left}, {"used", Align::right}, {"of", Align::right}, {"", Align::right}});
  for (const program::MemoryUse& use : answer.verdict.memory) {
    const double share =
        use.capacity_bytes > 0 ? static_cast<double>(use.used_bytes) / static_cast<double>(use.capacity_bytes) : 0;
    table.row({use.tier, format_like(use.used_bytes, use.capacity_bytes),
               format_like(use.capacity_bytes, use.capacity_bytes), percent(share)});
  }
  return "\n" + indented(table);
}

std::string whole(const plan::Answer& answer, const machine::Machine& machine) {
  if (!answer.verdict.verified) return refusal(answer);
  return headline(answer, machine) + breakdown_text(answer) + path_text(answer) + limits_text(answer) +
         memory_text(answer);
}

}  // namespace weft::report
