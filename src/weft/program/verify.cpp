#include "weft/program/verify.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/verify_checks.hpp"
#include "weft/program/verify_walk.hpp"

namespace weft::program {
namespace {

constexpr std::size_t kExactMembers = 200'000;  ///< the exact walk is for small programs

/// What the exact walk found at the cell where the goal is not met, in words.
class Explainer {
 public:
  Explainer(const Program& p, Walk& walk, const ExactSets& sets) : p_(p), walk_(walk), sets_(sets) {}

  std::string text() const {
    const Unmet& u = walk_.unmet();
    std::vector<std::uint64_t> missing_keys, twice_keys, foreign_keys;
    const ExactSets::Set &found = sets_.set(u.value), &wanted = sets_.set(u.expected);
    for (const auto& [key, n] : wanted) {
      const auto at = found.find(key);
      const int there = at == found.end() ? 0 : at->second;
      if (there < n) missing_keys.push_back(key);
      if (there > n) twice_keys.push_back(key);
    }
    for (const auto& [key, n] : found) {
      if (!wanted.contains(key)) foreign_keys.push_back(key);
    }
    const std::string missing = names(missing_keys), twice = names(twice_keys), foreign = names(foreign_keys);
    std::string gaps = intervals(found, wanted);
    if (!gaps.empty()) return gaps;
    std::string text;
    if (!missing.empty()) text += fmt::format("; {} is missing", missing);
    if (!twice.empty()) text += fmt::format("; {} is counted twice", twice);
    if (!foreign.empty()) text += fmt::format("; it holds {}, which does not belong there", foreign);
    return text;
  }

 private:
  void list(std::string& text, const std::string& item) const {
    if (std::ranges::count(text, ',') > 6) {
      if (!text.ends_with("...")) text += ", ...";
      return;
    }
    text += (text.empty() ? "" : ", ") + item;
  }

  std::string names(std::vector<std::uint64_t> keys) const {
    const auto place = [&](std::uint64_t key) {
      const ExactSets::Term& t = sets_.term(key);
      return std::tuple(t.tensor, t.site, t.equation, t.box.empty() ? 0 : t.box[0].lo, key);
    };
    std::ranges::sort(keys, {}, place);
    std::string text;
    for (const std::uint64_t key : keys) list(text, name(key));
    return text;
  }

  std::string name(std::uint64_t key) const {
    const ExactSets::Term& t = sets_.term(key);
    if (t.kind == ExactSets::Term::Kind::contribution)
      return fmt::format("{} of {}", p_.tensors[t.tensor].name, site_text(p_, t.site));
    if (t.kind == ExactSets::Term::Kind::own) return p_.tensors[t.tensor].name;
    if (t.kind == ExactSets::Term::Kind::opaque) return fmt::format("what {} made", t.op);
    const Equation& e = walk_.meaning().equation(t.equation);
    std::string box;
    for (std::size_t k = 0; k < t.box.size(); ++k) {
      box += fmt::format("{}{}={}..{}", box.empty() ? "" : " ", e.contracted[k], t.box[k].lo, t.box[k].hi - 1);
    }
    return fmt::format("the part {} of {}", box.empty() ? "whole" : box, p_.tensors[e.statement->out.tensor].name);
  }

  /// Where all terms belong to one sum over one axis: which of its indices lack or are counted twice.
  std::string intervals(const ExactSets::Set& found, const ExactSets::Set& wanted) const {
    std::map<std::int64_t, int> step;
    std::uint32_t equation = kNone;
    std::string axis;
    for (const auto* side : {&found, &wanted}) {
      for (const auto& [key, n] : *side) {
        const ExactSets::Term& t = sets_.term(key);
        const bool fits = t.kind == ExactSets::Term::Kind::einsum && t.box.size() == 1 &&
                          (equation == kNone || equation == t.equation);
        if (!fits) return {};
        equation = t.equation;
        axis = walk_.meaning().equation(equation).contracted[0];
        const int sign = side == &found ? n : -n;
        step[t.box[0].lo] += sign;
        step[t.box[0].hi] -= sign;
      }
    }
    std::string missing, twice;
    int level = 0;
    for (auto at = step.begin(); at != step.end(); ++at) {
      level += at->second;
      if (level == 0 || std::next(at) == step.end()) continue;
      list(level < 0 ? missing : twice, fmt::format("{}={}..{}", axis, at->first, std::next(at)->first - 1));
    }
    std::string text;
    if (!missing.empty()) text += fmt::format("; the part {} is missing", missing);
    if (!twice.empty()) text += fmt::format("; the part {} is counted twice", twice);
    return text;
  }

  const Program& p_;
  Walk& walk_;
  const ExactSets& sets_;
};

void explain(const Expansion& e, const std::vector<Cells>& cells, std::uint32_t sites,
             std::vector<PlacedFault>& faults) {
  ExactSets sets;
  Walk walk(e, cells, sets, sites);
  walk.run(nullptr, 1);
  if (!walk.unmet().found) return;
  for (PlacedFault& f : faults) {
    if (f.fault.task == "goal") {
      f.fault.what += Explainer(*e.program, walk, sets).text();
      return;
    }
  }
}

std::uint32_t distinct(std::vector<SiteId> sites) {
  std::ranges::sort(sites);
  return static_cast<std::uint32_t>(std::unique(sites.begin(), sites.end()) - sites.begin());
}

void count_ranks(const Expansion& e, Verdict& verdict) {
  const Program& p = *e.program;
  std::vector<SiteId> ranks, all;
  const Goal* last = nullptr;
  for (const GoalAt& at : goals_of(e)) {
    if (at.goal == last) continue;  // a block's goal at each of its calls has the same ranks
    last = at.goal;
    const std::vector<SiteId> more = ranks_of(p, *at.goal, at.env);
    ranks.insert(ranks.end(), more.begin(), more.end());
  }
  for (const Space& space : p.spaces) {
    for (std::int64_t k = 0; k < space.size(); ++k) all.push_back(space.site(k));
  }
  verdict.taking_part = distinct(std::move(ranks));
  verdict.of = distinct(std::move(all));
}

Fault fault_of(const Error& error) {
  const Diagnostic& d = error.diagnostics().front();
  return {d.field.empty() ? "program" : d.field, d.message + (d.hint.empty() ? "" : "; " + d.hint), d.where.line};
}

bool has_goal(const Program& p) {
  return !p.goals.empty() || std::ranges::any_of(p.blocks, [](const Block& b) { return !b.goals.empty(); });
}

void check(const Expansion& e, const machine::Machine& m, const VerifyOptions& options, Verdict& verdict) {
  const std::size_t most = std::max<std::size_t>(options.most_faults, 1);
  std::vector<PlacedFault> faults;
  if (options.need_goal && !has_goal(*e.program))
    faults.push_back({0, {"goal", "the Program has no goal, so there is nothing that it could be shown to do", 0}});
  count_ranks(e, verdict);
  check_form(e, m, most, faults);
  if (faults.size() < most) check_deadlock(e, m, faults);
  if (faults.size() < most) {
    const std::vector<Cells> cells = cut_cells(e);
    for (const Cells& c : cells) {
      if (c.count() >= (1ull << 32)) throw limit_error("a tensor is cut into more than 2^32 pieces");
    }
    Order order(e, m.sites());
    check_circuits(e, order, most, faults);
    Fingerprints fingerprints;
    Walk walk(e, cells, fingerprints, m.sites());
    if (faults.size() < most) walk.run(&order, most - faults.size());
    faults.insert(faults.end(), walk.faults().begin(), walk.faults().end());
    if (options.memory && faults.size() < most)
      check_memory(e, m, order, lifetimes_of(e, m, walk, cells), verdict, faults);
    if (walk.unmet().found && e.members.size() <= kExactMembers) explain(e, cells, m.sites(), faults);
  }
  std::ranges::stable_sort(faults, {}, &PlacedFault::member);
  for (std::size_t k = 0; k < std::min(most, faults.size()); ++k) verdict.faults.push_back(std::move(faults[k].fault));
}

}  // namespace

Verdict verify(const Expansion& e, const machine::Machine& m, const VerifyOptions& options) {
  Verdict verdict;
  verdict.tasks_written = e.program->tasks.size();
  verdict.tasks_expanded = e.members.size();
  try {
    check(e, m, options, verdict);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::check_failed) throw;
    verdict.faults.push_back(fault_of(error));
  }
  verdict.verified = verdict.faults.empty();
  return verdict;
}

Verdict verify(const Program& program, const machine::Machine& m, const VerifyOptions& options) {
  try {
    return verify(expand(program, m.sites()), m, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::check_failed && error.kind() != ErrorKind::infeasible) throw;
    Verdict verdict;
    verdict.tasks_written = program.tasks.size();
    verdict.faults.push_back(fault_of(error));
    return verdict;
  }
}

}  // namespace weft::program
