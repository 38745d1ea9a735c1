// Charges, tags and limits from the critical path.
#include "weft/explain/explain.hpp"

#include <algorithm>
#include <map>

#include <tbb/parallel_for.h>

#include "weft/simulate/simulate.hpp"

namespace weft::explain {
namespace {

using program::Span;
using program::Timeline;

std::vector<Charge> charges_of(const std::vector<Step>& path) {
  std::map<std::string, Charge> by_name;
  for (const Step& step : path) {
    Charge& charge = by_name[step.charged];
    charge.what = step.charged;
    charge.resource = step.resource;
    charge.ticks += step.to - step.from;
  }
  std::vector<Charge> charges;
  for (auto& [name, charge] : by_name) charges.push_back(std::move(charge));
  std::stable_sort(charges.begin(), charges.end(), [](const Charge& a, const Charge& b) { return a.ticks > b.ticks; });
  return charges;
}

bool has_member(const Span& span, const program::Expansion& e) {
  return span.member < e.members.size();
}

/// Length of the union of intervals.
Tick covered(std::vector<std::pair<Tick, Tick>>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  Tick sum = 0;
  Tick reached = 0;
  for (const auto& [from, to] : intervals) {
    if (to <= reached) continue;
    sum += to - std::max(from, reached);
    reached = to;
  }
  return sum;
}

std::vector<TagTime> tags_of(const Timeline& t, const std::vector<Step>& path, const program::Expansion& e) {
  struct Row {
    std::vector<std::pair<Tick, Tick>> intervals;
    Tick first = INT64_MAX, exposed = 0;
  };
  std::map<std::string, Row> rows;
  for (const Span& span : t.spans) {
    if (!has_member(span, e)) continue;
    Row& row = rows[tag_of(e.task(e.instances[span.instance]))];
    row.intervals.emplace_back(span.start, span.end);
    row.first = std::min(row.first, span.start);
  }
  for (const Step& step : path) {
    const Span& span = t.spans[step.span];
    if (span.instance >= e.instances.size()) continue;
    Row& row = rows[tag_of(e.task(e.instances[span.instance]))];
    row.intervals.emplace_back(step.from, step.to);
    row.exposed += step.to - step.from;
  }
  std::vector<std::pair<Tick, TagTime>> ordered;
  for (auto& [tag, row] : rows) ordered.push_back({row.first, {tag, covered(row.intervals), row.exposed}});
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<TagTime> tags;
  for (auto& [first, tag] : ordered) tags.push_back(std::move(tag));
  return tags;
}

/// Resources on the path by their share, then those that are busy beside it.
std::vector<Limit> candidates(const Timeline& t, const std::vector<Charge>& charges, std::size_t most) {
  std::vector<Limit> found;
  const double end = static_cast<double>(std::max<Tick>(t.end, 1));
  for (const Charge& c : charges) {
    if (c.resource) found.push_back({c.what, static_cast<double>(c.ticks) / end, 0});
  }
  std::vector<const program::Resource*> rest;
  for (const program::Resource& r : t.resources) {
    const bool known = std::any_of(found.begin(), found.end(), [&](const Limit& l) { return l.resource == r.name; });
    if (!known) rest.push_back(&r);
  }
  std::stable_sort(rest.begin(), rest.end(), [](const auto* a, const auto* b) { return a->busy > b->busy; });
  for (const program::Resource* r : rest) found.push_back({r->name, 0, 0});
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace

const std::string& tag_of(const program::Task& task) {
  return task.tag.empty() ? task.name : task.tag;
}

std::vector<Limit> limits(const Timeline& timeline, const std::vector<Charge>& charges,
                          const program::Expansion& expansion, const machine::Machine& machine, std::size_t most) {
  std::vector<Limit> found = candidates(timeline, charges, most);
  const double end = static_cast<double>(std::max<Tick>(timeline.end, 1));
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t i) {
    simulate::Options options;
    options.faster = {{found[i].resource, 1.1}};
    const Timeline faster = simulate::flow(expansion, machine, options);
    found[i].gain = 1 - static_cast<double>(faster.end) / end;
  });
  found.erase(std::remove_if(found.begin(), found.end(), [](const Limit& l) { return l.share <= 0 && l.gain < 1e-4; }),
              found.end());
  std::stable_sort(found.begin(), found.end(), [](const Limit& a, const Limit& b) {
    return a.gain != b.gain ? a.gain > b.gain : a.share > b.share;
  });
  return found;
}

Explanation explain(const Timeline& timeline, const program::Expansion& expansion, const machine::Machine& machine,
                    const ExplainOptions& options) {
  Explanation result;
  result.path = critical_path(timeline, expansion, machine);
  result.charges = charges_of(result.path);
  result.tags = tags_of(timeline, result.path, expansion);
  result.limits = limits(timeline, result.charges, expansion, machine, options.most_limits);
  return result;
}

}  // namespace weft::explain
