// Tasks of the Program's text: what they do and their clauses.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/text_infer.hpp"
#include "weft/program/text_reader.hpp"

namespace weft::program {

std::optional<DType> number_type(std::string_view word) {
  for (int k = 0; k <= static_cast<int>(DType::u8); ++k) {
    if (machine::name(static_cast<DType>(k)) == word) return static_cast<DType>(k);
  }
  static constexpr std::array<std::pair<std::string_view, DType>, 7> aliases = {{{"fp32", DType::f32},
                                                                                 {"fp16", DType::f16},
                                                                                 {"fp8", DType::f8},
                                                                                 {"fp4", DType::f4},
                                                                                 {"bfloat16", DType::bf16},
                                                                                 {"half", DType::f16},
                                                                                 {"float", DType::f32}}};
  for (const auto& [alias, type] : aliases) {
    if (alias == word) return type;
  }
  return std::nullopt;
}

void TextReader::read_task(const Word& name) {
  Task task;
  task.name = name.text;
  task.line = lex_.line();
  const Word what = lex_.name("what the task does: move, barrier, ... or a kernel");
  if (what.is("move") || what.is("multicast") || what.is("reduce-move")) {
    task.kind = Kind::move;
    task.cast = what.is("move") ? Cast::one : what.is("multicast") ? Cast::multicast : Cast::reduce;
    read_move(task);
  } else if (what.is("barrier") || what.is("reconfigure") || what.is("launch")) {
    task.kind = Kind::control;
    task.control = what.is("barrier") ? Control::barrier : what.is("launch") ? Control::launch : Control::reconfigure;
    read_control(task);
  } else {
    if (reserved(what.text) && !what.quoted) lex_.fail(what.at, fmt::format("'{}' is no kernel", what.text));
    read_kernel(task, what);
  }
  clauses(task);
  finish(task, name);
}

// `name=expr`, a number type, `n16` for n=16, `x += in`; false at the first clause.
bool TextReader::kernel_word(Task& task, bool& typed) {
  const Word word = lex_.peek_name();
  if (!word || clause_word(word)) return false;
  const char* begin = lex_.here();
  lex_.name("a dimension");
  if (lex_.looking_at("+=") || lex_.looking_at("[")) {  // x += in
    lex_.back_to(begin);
    task.adds.push_back(chunk());
    if (!lex_.take("+=")) lex_.fail_here("'+=' and what is added");
    task.reads.push_back(chunk());
    return true;
  }
  if (lex_.take('=')) {
    task.kernel.dims.push_back({std::string(word.text), index()});
    return true;
  }
  if (const auto type = number_type(word.text); type && !word.quoted) {
    task.kernel.dtype = *type;
    typed = true;
    return true;
  }
  const std::size_t digits = word.text.find_first_of("0123456789");
  const std::string_view tail = digits == std::string_view::npos ? "" : word.text.substr(digits);
  if (word.quoted || tail.empty() || tail.size() > 17 ||
      tail.find_first_not_of("0123456789") != std::string_view::npos) {
    lex_.fail(word.at, fmt::format("'{}' is neither a dimension nor a number type nor a clause", word.text),
              "dimensions are written m=16");
  }
  IndexExpr value;
  for (const char c : tail) value.base = value.base * 10 + (c - '0');
  task.kernel.dims.push_back({std::string(word.text.substr(0, digits)), value});
  return true;
}

void TextReader::read_kernel(Task& task, const Word& op) {
  task.kernel.op = op.text;
  typed_ = false;
  while (kernel_word(task, typed_)) {
  }
}

void TextReader::read_move(Task& task) {
  task.what = chunk();
  if (lex_.take_keyword("by")) {
    task.table = table_named();
    task.from.space = task.to.space = p_.tables[task.table].space;
  }
  const Word next = lex_.peek_name();
  if (task.table == kNone || (next && !clause_word(next))) {
    const Site from = site("the sites it comes from");
    task.from = from.ref;
    const bool starred = std::ranges::find(from.star, true) != from.star.end();
    if (starred && task.cast != Cast::reduce && task.table == kNone) {
      lex_.fail(from.at, "which source goes where is not said by '*'", "name the index: gpu[j]");
    }
    if (!lex_.take("->")) lex_.fail_here("'->' and where it goes");
    destination(task);
  }
  if (task.into == kNone) task.into = task.what.buffer;
}

// `-> gpu[j]`, or `-> in gpu[j]` into another buffer.
void TextReader::destination(Task& task) {
  const char* begin = lex_.here();
  const Word first = lex_.name("where it goes");
  const Word second = lex_.peek_name();
  if (second && !clause_word(second)) {
    task.into = buffer(first);
  } else {
    lex_.back_to(begin);
  }
  const Site to = site("a site space");
  task.to = to.ref;
  const bool starred = std::ranges::find(to.star, true) != to.star.end();
  if (starred && task.cast != Cast::multicast && task.table == kNone) {
    lex_.fail(to.at, "which source goes where is not said by '*'", "name the index: gpu[j], or write 'multicast'");
  }
}

void TextReader::circuits(std::vector<std::string>& out) {
  while (!lex_.at_statement_end()) {
    const Word next = lex_.peek_name();
    if (next && clause_word(next)) return;
    out.push_back(label("a circuit's ports, e.g. 0-1"));
  }
}

void TextReader::read_control(Task& task) {
  if (task.control != Control::reconfigure) {
    task.at = site("the sites that take part").ref;
    return;
  }
  task.circuits = label("a fabric of circuits");
  while (true) {
    if (lex_.take_keyword("drop")) {
      circuits(task.drop);
    } else if (lex_.take_keyword("raise")) {
      circuits(task.raise);
    } else {
      return;
    }
  }
}

void TextReader::clauses(Task& task) {
  while (!lex_.at_statement_end()) {
    lex_.take(',');
    if (edge_clause(task.edges)) continue;
    const Word word = lex_.peek_name();
    if (!word || !clause(task, word)) lex_.fail_here("a clause (over, after, streams, reads, ...)");
  }
}

void TextReader::only(const Task& task, Kind kind, const Word& word) {
  if (task.kind != kind) {
    lex_.fail(word.at, fmt::format("'{}' belongs to a {}", word.text, kind == Kind::move ? "move" : "kernel"));
  }
  lex_.take_keyword(word.text);
}

bool TextReader::clause(Task& task, const Word& word) {
  if (word.is("over")) {
    if (!task.over.empty()) lex_.fail(word.at, "a second 'over'");
    task.over = over();
  } else if (word.is("tag")) {
    lex_.take_keyword("tag");
    task.tag = label("a tag");
  } else if (word.is("at")) {
    if (task.kind == Kind::move || task.at.space != kNone) lex_.fail(word.at, "'at' does not belong here");
    lex_.take_keyword("at");
    Site at = site("a site space");
    if (task.kind == Kind::compute) spread(at);
    task.at = std::move(at.ref);
  } else if (word.is("reads") || word.is("writes") || word.is("adds")) {
    only(task, Kind::compute, word);
    chunks(word.is("reads") ? task.reads : word.is("writes") ? task.writes : task.adds);
  } else {
    return move_clause(task, word);
  }
  return true;
}

bool TextReader::move_clause(Task& task, const Word& word) {
  if (word.is("lane")) {
    only(task, Kind::move, word);
    task.lane = index();
  } else if (word.is("weight")) {
    only(task, Kind::move, word);
    const char* at = lex_.here();
    task.weight = lex_.real("a weight");
    if (task.weight <= 0) lex_.fail(at, "a weight is positive");
  } else if (word.is("transport")) {
    only(task, Kind::move, word);
    task.transport = label("a transport");
  } else if (word.is("via")) {
    only(task, Kind::move, word);
    task.via = label("a route");
  } else {
    return false;
  }
  return true;
}

void TextReader::chunks(std::vector<ChunkRef>& out) {
  do {
    out.push_back(chunk());
    const Word next = lex_.peek_name();
    if (!next || clause_word(next)) return;
  } while (true);
}

void TextReader::of_round(Edge& edge, EdgeName& name) {
  const Word word = lex_.variable("the counter of a repeat");
  const std::vector<std::uint32_t>& repeats = scopes_.back().repeats;
  const auto found = std::ranges::find_if(repeats.rbegin(), repeats.rend(),
                                          [&](std::uint32_t r) { return p_.vars[p_.repeats[r].var] == word.text; });
  if (found == repeats.rend()) lex_.fail(word.at, fmt::format("'{}' counts no repeat around here", word.text));
  if (!lex_.take('-')) lex_.fail_here("'-' and a number of rounds");
  const char* at = lex_.here();
  edge.back = lex_.natural("a number of rounds");
  if (edge.back == 0) lex_.fail(at, "the same round is said by the name alone");
  name.of = *found;
}

void TextReader::stream_words(Edge& edge, EdgeName& name) {
  if (lex_.take_keyword("of")) of_round(edge, name);
  if (!lex_.take_keyword("by")) lex_.fail_here("'by' and the size of a grain");
  const char* at = lex_.here();
  edge.grain = bytes();
  if (edge.grain.value() < 1) lex_.fail(at, "a grain has at least 1 B");
  if (lex_.take_keyword("window")) edge.window = lex_.natural("the window in grains");
}

bool TextReader::edge_clause(std::vector<Edge>& edges) {
  Edge edge;
  edge.line = lex_.line();
  if (lex_.take_keyword("streams")) {
    edge.kind = Edge::Kind::streams;
  } else if (!lex_.take_keyword("after")) {
    return false;
  }
  edge.all = lex_.take_keyword("all");
  EdgeName name;
  name.target = lex_.name("a task");
  if (edge.kind == Edge::Kind::streams) {
    stream_words(edge, name);
  } else if (lex_.take_keyword("of")) {
    of_round(edge, name);
  }
  edges.push_back(edge);
  edge_names_.push_back(name);
  return true;
}

// `core[*]` of a kernel: a set over the axis by an index of its own.
void TextReader::spread(Site& at) {
  for (std::size_t k = 0; k < at.star.size(); ++k) {
    if (!at.star[k]) continue;
    IndexExpr e;
    const std::string name = fmt::format("_{}", k);
    e.terms.push_back({variable({name, true, at.at}), 1});
    at.ref.axes[k] = {false, std::move(e), 1};
  }
}

void TextReader::finish(Task& task, const Word& name) {
  const std::vector<VarId>& bound = scopes_.back().bound;
  if (task.kind == Kind::compute && task.at.space == kNone) lex_.fail(name.at, "a kernel needs 'at' and its sites");
  for (const SetIndex& each : task.over) {
    if (std::ranges::find(bound, each.var) != bound.end()) {
      lex_.fail(name.at, fmt::format("'{}' already counts a repeat or is a parameter", p_.vars[each.var]));
    }
  }
  if (task.kind == Kind::compute && !typed_) {
    const auto& out = task.writes.empty() ? task.adds : task.writes;
    if (!out.empty() && !tensor_of(out[0].buffer).total) task.kernel.dtype = tensor_of(out[0].buffer).dtype;
  }
  infer_over(p_, task, bound, task.over);
  require_bound(task.over, bound);
  const auto id = static_cast<std::uint32_t>(p_.tasks.size());
  const std::uint32_t node = add_node(name, false, id);
  bodies_.back().push_back({Item::Kind::task, id});
  p_.tasks.push_back(std::move(task));
  add_waits(node);
}

}  // namespace weft::program
