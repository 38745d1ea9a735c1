// Meaning and goals in the Program's text.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "weft/program/text_infer.hpp"
#include "weft/program/text_reader.hpp"

namespace weft::program {

// After the name and the index that stand here: '+' for `+=`, '=' for `=`, 0 for neither.
char TextReader::equation_ahead() {
  const char* begin = lex_.here();
  char found = 0;
  if (lex_.peek_name()) {
    lex_.name("a tensor");
    if (lex_.take('[')) {
      while (!lex_.at_statement_end() && !lex_.looking_at("]")) lex_.skip_one();
      lex_.take(']');
    }
    if (lex_.looking_at("+=")) {
      found = '+';
    } else if (lex_.looking_at("=")) {
      found = '=';
    }
  }
  lex_.back_to(begin);
  return found;
}

void TextReader::einsum_axis(Meaning::Operand& out) {
  const Word word = lex_.peek_variable();
  if (word) {
    const char* begin = lex_.here();
    lex_.variable("an axis");
    const auto var = vars_.find(word.text);
    const bool counter = var != vars_.end() && std::ranges::find(meaning_bound_, var->second) != meaning_bound_.end();
    if (!counter && (lex_.looking_at(",") || lex_.looking_at("]"))) {
      out.axes.emplace_back(word.text);
      out.box.emplace_back();
      return;
    }
    lex_.back_to(begin);
  }
  const char* at = lex_.here();
  out.axes.emplace_back();
  out.box.push_back(axis());
  if (out.box.back().all) lex_.fail(at, "the axes of an einsum have names", "e.g. O[m,n] += A[m,k]*B[k,n]");
}

Meaning::Operand TextReader::operand(bool einsum) {
  Meaning::Operand out;
  const char* at = lex_.here();
  out.tensor = tensor_named();
  if (lex_.take('[')) {
    do {
      if (einsum) {
        einsum_axis(out);
      } else {
        out.box.push_back(axis());
      }
    } while (lex_.take(','));
    lex_.expect(']', "to close the index");
  }
  const std::size_t rank = p_.tensors[out.tensor].shape.size();
  const std::size_t given = einsum ? out.axes.size() : out.box.size();
  if (given != rank && (einsum || given != 0)) {
    lex_.fail(at, fmt::format("'{}' has {} axes, and {} are given", p_.tensors[out.tensor].name, rank, given));
  }
  if (einsum && std::ranges::all_of(out.box, &AxisRange::all)) out.box.clear();
  return out;
}

// After `active`: an axis of the einsum and how many of its indices carry data.
void TextReader::active_axis(Meaning& out) {
  const Word axis = lex_.variable("an axis of the einsum");
  const auto named = [&](const Meaning::Operand& o) { return std::ranges::find(o.axes, axis.text) != o.axes.end(); };
  if (!named(out.out) && std::ranges::none_of(out.in, named)) {
    lex_.fail(axis.at, fmt::format("no operand of the einsum has an axis '{}'", axis.text));
  }
  out.active_axis = axis.text;
  out.active = lex_.natural("how many of its indices carry data");
}

Meaning TextReader::meaning(char sign) {
  Meaning out;
  out.line = lex_.line();
  out.einsum = sign == '+';
  out.out = operand(out.einsum);
  if (out.einsum) {
    if (!lex_.take("+=")) lex_.fail_here("'+='");
    do {
      out.in.push_back(operand(true));
    } while (lex_.take('*'));
    if (lex_.take_keyword("active")) active_axis(out);
  } else {
    lex_.expect('=', "and an operation, or '+=' and an einsum");
    out.op = lex_.name("an operation").text;
    lex_.expect('(', "and the operands");
    while (!lex_.take(')')) {
      if (!out.in.empty()) lex_.expect(',', "between operands");
      out.in.push_back(operand(false));
    }
  }
  require_bound({}, meaning_bound_);
  return out;
}

void TextReader::read_let() {
  const bool inside = std::ranges::any_of(open_, [](const Open& o) { return o.kind != Nest::meaning; });
  if (inside) lex_.fail(lex_.here(), "'let' stands inside a body", "it belongs outside of repeats and blocks");
  MeaningItem item;
  item.statement = meaning(equation_ahead());
  meanings_.back().push_back(std::move(item));
}

void TextReader::read_repeat_let() {
  const char* at = lex_.here();
  const bool inside = std::ranges::any_of(open_, [](const Open& o) { return o.kind != Nest::meaning; });
  if (inside) lex_.fail(at, "'repeat-let' stands inside a body");
  MeaningItem item;
  item.kind = MeaningItem::Kind::repeat;
  item.rounds = lex_.natural("the number of rounds");
  if (!lex_.take_keyword("as")) lex_.fail_here("'as' and the counter's name");
  const Word counter = lex_.variable("the counter's name");
  item.var = variable(counter);
  if (std::ranges::find(meaning_bound_, item.var) != meaning_bound_.end()) {
    lex_.fail(counter.at, fmt::format("'{}' already counts a repeat around this one", counter.text));
  }
  open(Nest::meaning, 0, at);
  meaning_bound_.push_back(item.var);
  meanings_.back().push_back(std::move(item));
  meanings_.emplace_back();
}

void TextReader::place_goal(Goal& goal) {
  const std::vector<VarId>& bound = scopes_.back().bound;
  do {
    Placement placement;
    placement.line = lex_.line();
    placement.chunk = chunk();
    if (!lex_.take_keyword("at")) lex_.fail_here("'at' and the sites where it must lie");
    placement.at = site("a site space").ref;
    placement.over = over();
    infer_over(p_, placement.at, bound, placement.over);
    require_bound(placement.over, bound);
    goal.place.push_back(std::move(placement));
  } while (lex_.take(','));
}

void TextReader::standard_goal(Goal& goal, GoalKind kind) {
  goal.kind = kind;
  goal.buffer = buffer_named();
  if (kind == GoalKind::deliver) {
    if (!lex_.take_keyword("by")) lex_.fail_here("'by' and a table");
    goal.table = table_named();
    return;
  }
  while (true) {
    if (lex_.take_keyword("over")) {
      goal.ranks = site("a site space").ref;
    } else if (lex_.take_keyword("from") || lex_.take_keyword("to")) {
      Placement end;
      end.line = goal.line;
      end.at = site("a site space").ref;
      goal.place.push_back(std::move(end));
    } else {
      break;
    }
  }
  require_bound({}, scopes_.back().bound);
}

void TextReader::read_goal() {
  static constexpr std::array<std::pair<std::string_view, GoalKind>, 8> kinds = {{
      {"deliver", GoalKind::deliver},
      {"broadcast", GoalKind::broadcast},
      {"reduce", GoalKind::reduce},
      {"all-reduce", GoalKind::all_reduce},
      {"reduce-scatter", GoalKind::reduce_scatter},
      {"all-gather", GoalKind::all_gather},
      {"all-to-all", GoalKind::all_to_all},
      {"send-recv", GoalKind::send_recv},
  }};
  const bool in_block = open_.size() == 1 && open_[0].kind == Nest::block;
  if (!open_.empty() && !in_block && open_.back().kind != Nest::broken) {
    lex_.fail(lex_.here(), "'goal' stands inside a repeat", "a goal is the program's or a block's");
  }
  Goal goal;
  goal.line = lex_.line();
  const Word word = lex_.peek_name();
  const auto kind = std::ranges::find_if(kinds, [&](const auto& k) { return word.is(k.first); });
  if (kind != kinds.end()) {
    lex_.name("the operation");
    standard_goal(goal, kind->second);
  } else {
    if (const char sign = equation_ahead(); sign != 0) {
      if (in_block) lex_.fail(word.at, "a meaning stands inside a block", "write it as 'let' outside");
      MeaningItem item;
      item.statement = meaning(sign);
      if (!lex_.take_keyword("with")) lex_.fail_here("'with' and what must lie where");
      meanings_.back().push_back(std::move(item));
    }
    place_goal(goal);
  }
  (in_block ? p_.blocks[open_[0].index].goals : p_.goals).push_back(std::move(goal));
}

}  // namespace weft::program
