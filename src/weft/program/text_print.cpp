// The printer of the Program's text: what parse() reads back as the same Program.
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "weft/program/text.hpp"
#include "weft/program/text_infer.hpp"
#include "weft/program/text_printer.hpp"
#include "weft/program/text_reader.hpp"

namespace weft::program {

std::string print(const Program& program) {
  return TextPrinter(program).run();
}

std::string TextPrinter::name(std::string_view text) {
  return plain_name(text) && !reserved(text) ? std::string(text) : in_quotes(text);
}

std::string TextPrinter::label(std::string_view text) {
  return plain_label(text) && !reserved(text) ? std::string(text) : in_quotes(text);
}

std::string TextPrinter::variable(VarId var) const {
  const std::string& text = p_.vars[var];
  return plain_variable(text) && !reserved(text) ? text : in_quotes(text);
}

std::string TextPrinter::index(const IndexExpr& e) const {
  std::string sum;
  for (const auto& [var, coef] : e.terms) {
    if (coef == 0) continue;
    if (coef < 0) {
      sum += '-';
    } else if (!sum.empty()) {
      sum += '+';
    }
    if (coef != 1 && coef != -1) sum += fmt::format("{}*", coef < 0 ? -coef : coef);
    sum += variable(var);
  }
  if (sum.empty()) {
    sum = fmt::format("{}", e.base);
  } else if (e.base != 0) {
    sum += fmt::format("{:+}", e.base);
  }
  if (e.flip == 0 && e.mod == 0) return sum;
  std::string out = fmt::format("({})", sum);
  if (e.flip != 0) out += fmt::format("^{}", e.flip);
  if (e.mod != 0) out += fmt::format("%{}", e.mod);
  return out;
}

std::string TextPrinter::axis(const AxisRange& range, char all) const {
  if (range.all) return std::string(1, all);
  if (range.count == 1) return index(range.lo);
  const bool plain = range.lo.constant() && range.lo.flip == 0 && range.lo.mod == 0;
  if (plain && range.count > 1) return fmt::format("{}..{}", range.lo.base, range.lo.base + range.count - 1);
  return fmt::format("{}+:{}", index(range.lo), range.count);
}

std::string TextPrinter::axes(const std::vector<AxisRange>& ranges, char all) const {
  if (ranges.empty()) return {};
  std::string out = "[";
  for (const AxisRange& range : ranges) {
    if (out.size() > 1) out += ',';
    out += axis(range, all);
  }
  return out + ']';
}

std::string TextPrinter::site(const SiteRef& ref, char all) const {
  return name(p_.spaces[ref.space].name) + axes(ref.axes, all);
}

std::string TextPrinter::chunk(const ChunkRef& ref) const {
  std::string out = name(p_.buffers[ref.buffer].name) + axes(ref.box, ':');
  if (ref.by == ChunkRef::By::table_from) out += " from " + name(p_.tables[ref.table].name);
  if (ref.by == ChunkRef::By::table_to) out += " to " + name(p_.tables[ref.table].name);
  return out;
}

std::string TextPrinter::over(const std::vector<SetIndex>& list, const std::vector<SetIndex>& inferred) const {
  const auto same = [](const SetIndex& a, const SetIndex& b) { return a.var == b.var && a.lo == b.lo && a.hi == b.hi; };
  if (list.empty() || std::ranges::equal(list, inferred, same)) return {};
  std::string out = " over";
  for (const SetIndex& each : list) out += fmt::format(" {} {}..{}", variable(each.var), each.lo, each.hi - 1);
  return out;
}

std::string TextPrinter::placement(const Placement& placement, const std::vector<VarId>& bound) const {
  std::vector<SetIndex> inferred;
  infer_over(p_, placement.at, bound, inferred);
  return fmt::format("{} at {}{}", chunk(placement.chunk), site(placement.at, '*'), over(placement.over, inferred));
}

std::string TextPrinter::shape(const std::vector<std::int64_t>& extents) {
  return extents.empty() ? "()" : fmt::format("{}", fmt::join(extents, "x"));
}

void TextPrinter::declarations() {
  if (!p_.name.empty()) line("name " + in_quotes(p_.name));
  for (const Space& space : p_.spaces) {
    std::string text = fmt::format("sites {} {}", name(space.name), shape(space.shape));
    if (space.first != 0) text += fmt::format(" first {}", space.first);
    if (!space.listed.empty()) text += fmt::format(" listed {}", fmt::join(space.listed, " "));
    line(text);
  }
  for (std::size_t k = 0; k < p_.tensors.size(); ++k) {
    const Tensor& tensor = p_.tensors[k];
    std::string text = fmt::format("tensor {} {} ", name(tensor.name), shape(tensor.shape));
    text += tensor.total ? "of " + to_string(*tensor.total) : std::string(machine::name(tensor.dtype));
    if (!p_.buffers[k].tier.empty()) text += " in " + label(p_.buffers[k].tier);
    line(text);
  }
  for (std::size_t k = p_.tensors.size(); k < p_.buffers.size(); ++k) {
    const Buffer& buffer = p_.buffers[k];
    std::string text = fmt::format("buffer {} of {}", name(buffer.name), name(p_.tensors[buffer.tensor].name));
    if (!buffer.tier.empty()) text += " in " + label(buffer.tier);
    line(text);
  }
  for (const Table& table : p_.tables) {
    line(fmt::format("table {} over {}", name(table.name), name(p_.spaces[table.space].name)));
    for (const Table::Row& r : table.rows) {
      fmt::format_to(std::back_inserter(out_), "  {} {} {} {} {}\n", r.from, r.to, r.lead, r.first, r.count);
    }
    line("end");
  }
  for (const std::string& circuit : p_.up) line("up " + label(circuit));
  for (const Placement& start : p_.start) line("start " + placement(start, {}));
}

std::string TextPrinter::operand(const Meaning::Operand& operand, bool einsum) const {
  std::string out = name(p_.tensors[operand.tensor].name);
  if (!einsum) return out + axes(operand.box, ':');
  if (operand.axes.empty()) return out;
  out += '[';
  for (std::size_t k = 0; k < operand.axes.size(); ++k) {
    if (k != 0) out += ',';
    const std::string& axis_name = operand.axes[k];
    if (axis_name.empty()) {
      out += axis(operand.box[k], ':');
    } else {
      out += plain_variable(axis_name) && !reserved(axis_name) ? axis_name : in_quotes(axis_name);
    }
  }
  return out + ']';
}

void TextPrinter::meanings(const std::vector<MeaningItem>& items) {
  for (const MeaningItem& item : items) {
    if (item.kind == MeaningItem::Kind::repeat) {
      line(fmt::format("repeat-let {} as {}", item.rounds, variable(item.var)));
      ++depth_;
      meanings(item.body);
      --depth_;
      line("end");
      continue;
    }
    const Meaning& m = item.statement;
    std::string text = "let " + operand(m.out, m.einsum) + (m.einsum ? " += " : " = " + name(m.op) + "(");
    for (std::size_t k = 0; k < m.in.size(); ++k) {
      if (k != 0) text += m.einsum ? "*" : ", ";
      text += operand(m.in[k], m.einsum);
    }
    if (!m.active_axis.empty()) text += fmt::format(" active {} {}", m.active_axis, m.active);
    line(m.einsum ? text : text + ")");
  }
}

void TextPrinter::goals(const std::vector<Goal>& list, const std::vector<VarId>& bound) {
  static constexpr std::string_view words[] = {
      "", "deliver", "broadcast", "reduce", "all-reduce", "reduce-scatter", "all-gather", "all-to-all", "send-recv"};
  for (const Goal& goal : list) {
    std::string text = "goal ";
    if (goal.kind == GoalKind::place) {
      for (std::size_t k = 0; k < goal.place.size(); ++k)
        text += (k == 0 ? "" : ", ") + placement(goal.place[k], bound);
    } else {
      text += fmt::format("{} {}", words[static_cast<std::size_t>(goal.kind)], name(p_.buffers[goal.buffer].name));
      if (goal.kind == GoalKind::deliver) text += " by " + name(p_.tables[goal.table].name);
      if (goal.ranks.space != kNone) text += " over " + site(goal.ranks, '*');
      for (std::size_t k = 0; k < goal.place.size(); ++k) {
        const bool from = k == 0 && (goal.kind == GoalKind::broadcast || goal.kind == GoalKind::send_recv);
        text += (from ? " from " : " to ") + site(goal.place[k].at, '*');
      }
    }
    line(text);
  }
}

std::string TextPrinter::run() {
  line("weft program/1");
  declarations();
  meanings(p_.meaning);
  goals(p_.goals, {});
  for (const Block& block : p_.blocks) {
    std::string parameters;
    for (const VarId var : block.parameters) parameters += (parameters.empty() ? "" : ", ") + variable(var);
    line(fmt::format("block {}({})", name(block.name), parameters));
    ++depth_;
    goals(block.goals, block.parameters);
    body(block.body, block.parameters);
    --depth_;
    line("end");
  }
  body(p_.body, {});
  return std::move(out_);
}

}  // namespace weft::program
