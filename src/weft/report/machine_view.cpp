#include "weft/report/machine_view.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "weft/core/text.hpp"

namespace weft::report {
namespace {

std::vector<std::int64_t> links_by_class(const machine::Machine& m) {
  std::vector<std::int64_t> count(m.link_classes().size(), 0);
  for (const machine::Link& link : m.links()) ++count[link.cls];
  return count;
}

void degrees(const machine::Machine& m, MachineTotals& totals) {
  std::vector<std::int64_t> out(m.nodes(), 0);
  for (const machine::Link& link : m.links()) {
    if (m.link_classes()[link.cls].injection) continue;
    ++out[link.from];
    ++totals.links;
  }
  for (const std::int64_t d : out) {
    if (d == 0) continue;
    totals.degree_min = totals.degree_min == 0 ? d : std::min(totals.degree_min, d);
    totals.degree_max = std::max(totals.degree_max, d);
  }
}

std::string counted(std::int64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// Sources in the order in which they are first named; tables name them by number, so that none is cut.
class Sources {
 public:
  std::string number(const std::string& source) {
    if (source.empty()) return "";
    const auto at = std::find(all_.begin(), all_.end(), source);
    const auto n = at - all_.begin() + 1;
    if (at == all_.end()) all_.push_back(source);
    return fmt::format("[{}]", n);
  }
  std::string str() const {
    std::string text;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::string number = fmt::format("{:>5} ", fmt::format("[{}]", i + 1));
      text += number + wrap(all_[i], text_width, number.size()).substr(number.size()) + "\n";
    }
    return text;
  }

 private:
  std::vector<std::string> all_;
};

}  // namespace

MachineTotals totals_of(const machine::Machine& m) {
  MachineTotals totals;
  degrees(m, totals);
  std::vector<std::int64_t> sites(m.site_classes().size(), 0);
  std::vector<machine::SiteId> example(m.site_classes().size(), 0);
  for (machine::SiteId s = 0; s < m.sites(); ++s) {
    ++sites[m.site_class_id(s)];
    example[m.site_class_id(s)] = s;
  }
  for (std::size_t c = 0; c < sites.size(); ++c) {
    if (sites[c] == 0) continue;
    const auto n = sites[c];
    totals.compute_flops += static_cast<double>(n) * m.peak(example[c], machine::DType::bf16).value();
    for (const machine::MemoryTier& tier : m.site_classes()[c].tiers) {
      if (tier.name == "sram") totals.sram_bytes += n * tier.capacity.value();
      if (tier.name == "hbm") totals.hbm_bytes += n * tier.capacity.value();
    }
  }
  return totals;
}

std::string format_like(std::int64_t bytes, std::int64_t capacity) {
  const std::pair<double, const char*> units[] = {
      {1024.0 * 1024 * 1024, "GiB"}, {1024.0 * 1024, "MiB"}, {1024.0, "KiB"}, {1.0, "B"}};
  for (const auto& [size, unit] : units) {
    if (static_cast<double>(capacity) < size && size > 1) continue;
    std::string number = fmt::format("{:.2f}", static_cast<double>(bytes) / size);
    if (bytes > 0 && number == "0.00") return fmt::format("<0.01 {}", unit);
    if (number.ends_with(".00")) number.resize(number.size() - 3);
    return number + " " + unit;
  }
  return {};
}

std::string drawing(const machine::Machine& m) {
  std::string text = m.name() + "\n";
  std::size_t depth = 0;
  for (const machine::Level& level : m.levels()) {
    text += fmt::format("{}`- {} {}\n", std::string(3 * depth, ' '), level.count, level.name);
    ++depth;
  }
  for (const machine::SiteClass& site : m.site_classes()) {
    for (const machine::MemoryTier& tier : site.tiers) {
      text += fmt::format("{}   {} {}", std::string(3 * depth, ' '), tier.name,
                          format_like(tier.capacity.value(), tier.capacity.value()));
      text += tier.bandwidth.value() > 0 ? fmt::format(" at {}\n", format_short(tier.bandwidth)) : "\n";
    }
  }
  return text;
}

Json machine_json(const machine::Machine& m) {
  const MachineTotals totals = totals_of(m);
  Json levels = Json::array();
  for (const machine::Level& level : m.levels())
    levels.push(Json::object().set("name", level.name).set("count", level.count));
  Json classes = Json::array();
  const auto counts = links_by_class(m);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const machine::LinkClass& l = m.link_classes()[c];
    classes.push(Json::object()
                     .set("name", l.name)
                     .set("count", counts[c])
                     .set("injection", l.injection)
                     .set("bandwidth_Bps", l.bandwidth.value())
                     .set("latency_s", l.latency.value())
                     .set("source", l.source));
  }
  Json figures = Json::array();
  for (const machine::SourcedFigure& f : m.figures()) {
    figures.push(Json::object().set("what", f.what).set("value", f.value).set("source", f.source));
  }
  Json result = Json::object();
  result.set("name", m.name()).set("about", m.about()).set("sites", m.sites()).set("switches", m.nodes() - m.sites());
  result.set("links", totals.links).set("levels", levels);
  result.set("totals", Json::object()
                           .set("compute_flops", totals.compute_flops)
                           .set("sram_bytes", totals.sram_bytes)
                           .set("hbm_bytes", totals.hbm_bytes));
  result.set("bisection_Bps", m.bisection().value()).set("diameter_hops", m.diameter_hops());
  result.set("degree", Json::object().set("min", totals.degree_min).set("max", totals.degree_max));
  if (m.clock()) result.set("clock_Hz", m.clock()->value());
  result.set("link_classes", classes).set("figures", figures).set("drawing", drawing(m));
  return result;
}

std::string machine_text(const machine::Machine& m) {
  const MachineTotals totals = totals_of(m);
  std::string text = wrap(fmt::format("{}: {}", m.name(), m.about())) + "\n\n" + drawing(m) + "\n";
  text +=
      fmt::format("{}, {}, diameter {}, degree {}\n", counted(m.sites(), "site"), counted(totals.links, "link"),
                  counted(m.diameter_hops(), "hop"),
                  totals.degree_min == totals.degree_max ? fmt::format("{}", totals.degree_min)
                                                         : fmt::format("{}..{}", totals.degree_min, totals.degree_max));
  text += fmt::format("{} dense BF16, {} SRAM, {} HBM, bisection {}\n\n",
                      format_short(FlopsPerSecond(totals.compute_flops)), format_short(Bytes(totals.sram_bytes)),
                      format_short(Bytes(totals.hbm_bytes)), format_short(m.bisection()));
  Sources sources;
  Table links({{"link", Align::left},
               {"count", Align::right},
               {"each way", Align::right},
               {"latency", Align::right},
               {"source", Align::left}});
  const auto counts = links_by_class(m);
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const machine::LinkClass& l = m.link_classes()[c];
    links.row({l.name, std::to_string(counts[c]), format_short(l.bandwidth), format_short(l.latency),
               sources.number(l.source)});
  }
  text += links.str() + "\n";
  Table figures({{"figure", Align::left}, {"value", Align::right}, {"source", Align::left}});
  for (const machine::SourcedFigure& f : m.figures()) figures.row({f.what, f.value, sources.number(f.source)});
  return text + figures.str() + "\nsources\n" + sources.str();
}

}  // namespace weft::report
