// Statements, bodies and scopes of the Program's text.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"
#include "weft/program/text.hpp"
#include "weft/program/text_buffers.hpp"
#include "weft/program/text_reader.hpp"

namespace weft::program {
namespace {

constexpr std::size_t most_errors = 20;
constexpr std::size_t deepest = 100;

constexpr std::array statements = {"name", "sites", "tensor",     "buffer", "table", "up",   "start",
                                   "let",  "goal",  "repeat-let", "repeat", "block", "call", "end"};
constexpr std::array clause_words = {"over", "at",     "reads",     "writes", "adds",  "after",  "streams",
                                     "lane", "weight", "transport", "via",    "tag",   "by",     "from",
                                     "to",   "all",    "of",        "drop",   "raise", "window", "with"};
constexpr std::array task_words = {"move",           "multicast",  "reduce-move", "barrier",  "reconfigure",
                                   "launch",         "deliver",    "broadcast",   "reduce",   "all-reduce",
                                   "reduce-scatter", "all-gather", "all-to-all",  "send-recv"};

template <class List>
bool listed(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

bool reserved(std::string_view word) {
  return listed(statements, word) || listed(clause_words, word) || listed(task_words, word);
}

bool clause_word(const Word& word) {
  return !word.quoted && listed(clause_words, word.text);
}

Program parse(std::string_view text, std::string_view file) {
  return TextReader(text, file).run();
}

Program TextReader::run() {
  scopes_.emplace_back();
  bodies_.emplace_back();
  meanings_.emplace_back();
  try {
    header();
  } catch (const TextFailure& failure) {
    throw Error(failure.diagnostic);
  }
  while (!lex_.at_end() && errors_.size() < most_errors) statement();
  close_unended();
  if (errors_.empty()) close_scope();
  if (!errors_.empty()) throw Error(std::move(errors_));
  if (!faults_.empty()) throw Error(std::move(faults_));
  p_.body = std::move(bodies_.front());
  p_.meaning = std::move(meanings_.front());
  place_buffers(p_, std::move(later_));
  return std::move(p_);
}

void TextReader::header() {
  const std::string hint = "a Program's text begins with the line 'weft program/1'";
  if (lex_.at_end()) lex_.fail(lex_.here(), "the text is empty", hint);
  const char* at = lex_.here();
  if (!lex_.take_keyword("weft") || !lex_.take_keyword("program") || !lex_.take('/')) {
    lex_.fail(at, "this is not a Program", hint);
  }
  at = lex_.here();
  if (!lex_.at_digit() || lex_.natural("a version") != 1)
    lex_.fail(at, "unknown version of the format", "this is version 1");
  lex_.end_statement();
}

void TextReader::statement() {
  Word first;
  try {
    begin_uses();
    edge_names_.clear();
    first = lex_.name("a statement");
    dispatch(first);
    lex_.end_statement();
  } catch (const TextFailure& failure) {
    report(failure);
    recover(first);
  }
}

void TextReader::dispatch(const Word& first) {
  using Method = void (TextReader::*)();
  struct Entry {
    std::string_view word;
    Method method;
    bool anywhere;  ///< also inside repeats and blocks
  };
  static constexpr std::array<Entry, statements.size()> entries = {{
      {"name", &TextReader::read_name, false},
      {"sites", &TextReader::read_sites, false},
      {"tensor", &TextReader::read_tensor, false},
      {"buffer", &TextReader::read_buffer, false},
      {"table", &TextReader::read_table, false},
      {"up", &TextReader::read_up, false},
      {"start", &TextReader::read_start, false},
      {"let", &TextReader::read_let, true},
      {"goal", &TextReader::read_goal, true},
      {"repeat-let", &TextReader::read_repeat_let, true},
      {"repeat", &TextReader::read_repeat, true},
      {"block", &TextReader::read_block, false},
      {"call", &TextReader::read_call, true},
      {"end", &TextReader::read_end, true},
  }};
  const auto entry = std::ranges::find_if(entries, [&](const Entry& e) { return first.is(e.word); });
  if (entry == entries.end()) return read_task(first);
  if (!entry->anywhere && !open_.empty()) {
    lex_.fail(first.at, fmt::format("'{}' stands inside a body", first.text),
              "it belongs outside of repeats and blocks");
  }
  (this->*entry->method)();
}

void TextReader::report(const TextFailure& failure) {
  errors_.push_back(failure.diagnostic);
}

// After a statement that failed: its line is dropped, and where it would have opened a body one is opened all the same.
void TextReader::recover(const Word& first) {
  const bool opens = first.is("repeat") || first.is("block") || first.is("repeat-let") || first.is("table");
  if (opens) {
    if (open_.size() >= deepest) {
      while (!lex_.at_end()) lex_.drop_line();  // nothing sensible can follow
      return open_.clear();
    }
    open_.push_back({Nest::broken, 0, lex_.spot(first.at)});
  } else if (first && !first.quoted && !reserved(first.text) && errors_.back().hint.empty()) {
    const std::string near = nearest(first.text, {statements.begin(), statements.end()});
    if (!near.empty()) errors_.back().hint = fmt::format("did you mean '{}'?", near);
  }
  lex_.drop_line();
}

void TextReader::open(Nest kind, std::uint32_t index, const char* at) {
  if (open_.size() >= deepest) lex_.fail(at, fmt::format("bodies are nested more than {} deep", deepest));
  open_.push_back({kind, index, lex_.spot(at)});
}

void TextReader::read_repeat() {
  const char* at = lex_.here();
  const std::int64_t rounds = lex_.natural("the number of rounds");
  if (!lex_.take_keyword("as")) lex_.fail_here("'as' and the counter's name");
  const Word counter = lex_.variable("the counter's name");
  const VarId var = variable(counter);
  Scope& scope = scopes_.back();
  if (std::ranges::find(scope.bound, var) != scope.bound.end()) {
    lex_.fail(counter.at, fmt::format("'{}' already counts a repeat around this one", counter.text));
  }
  const auto index = static_cast<std::uint32_t>(p_.repeats.size());
  open(Nest::repeat, index, at);
  p_.repeats.push_back({var, rounds, {}});
  repeat_parent_.push_back(scope.repeats.empty() ? kNone : scope.repeats.back());
  bodies_.back().push_back({Item::Kind::repeat, index});
  bodies_.emplace_back();
  scope.bound.push_back(var);
  scope.repeats.push_back(index);
}

void TextReader::read_block() {
  const Word name = lex_.name("the block's name");
  declare(blocks_, name, static_cast<std::uint32_t>(p_.blocks.size()), "block");
  Block block;
  block.name = name.text;
  lex_.expect('(', "and the parameters");
  while (!lex_.take(')')) {
    if (!block.parameters.empty()) lex_.expect(',', "between parameters");
    const Word word = lex_.variable("a parameter or ')'");
    const VarId var = variable(word);
    if (std::ranges::find(block.parameters, var) != block.parameters.end()) {
      lex_.fail(word.at, fmt::format("two parameters are called '{}'", word.text));
    }
    block.parameters.push_back(var);
  }
  open(Nest::block, static_cast<std::uint32_t>(p_.blocks.size()), name.at);
  scopes_.emplace_back();
  scopes_.back().bound = block.parameters;
  bodies_.emplace_back();
  p_.blocks.push_back(std::move(block));
}

void TextReader::read_call() {
  Call call;
  call.line = lex_.line();
  const Word name = lex_.name("the call's name");
  const Word block = lex_.name("a block's name");
  std::vector<std::string> candidates;
  for (const Block& b : p_.blocks) candidates.push_back(b.name);
  call.name = name.text;
  call.block = find(blocks_, block, "block", candidates);
  for (const Open& around : open_) {
    if (around.kind == Nest::block && around.index == call.block) lex_.fail(block.at, "a block cannot call itself");
  }
  lex_.expect('(', "and the arguments");
  while (!lex_.take(')')) {
    if (!call.arguments.empty()) lex_.expect(',', "between arguments");
    call.arguments.push_back(index());
  }
  const std::size_t wanted = p_.blocks[call.block].parameters.size();
  if (call.arguments.size() != wanted) {
    lex_.fail(block.at, fmt::format("'{}' has {} parameters, and {} arguments are given", block.text, wanted,
                                    call.arguments.size()));
  }
  while (edge_clause(call.edges)) {
  }
  require_bound({}, scopes_.back().bound);
  const std::uint32_t node = add_node(name, true, static_cast<std::uint32_t>(p_.calls.size()));
  bodies_.back().push_back({Item::Kind::call, static_cast<std::uint32_t>(p_.calls.size())});
  p_.calls.push_back(std::move(call));
  add_waits(node);
}

void TextReader::read_end() {
  if (open_.empty()) lex_.fail(lex_.here(), "'end' without a repeat, block or table before it");
  const Open top = open_.back();
  open_.pop_back();
  if (top.kind == Nest::repeat) {
    p_.repeats[top.index].body = std::move(bodies_.back());
    bodies_.pop_back();
    scopes_.back().bound.pop_back();
    scopes_.back().repeats.pop_back();
  } else if (top.kind == Nest::block) {
    p_.blocks[top.index].body = std::move(bodies_.back());
    bodies_.pop_back();
    close_scope();
  } else if (top.kind == Nest::meaning) {
    std::vector<MeaningItem> body = std::move(meanings_.back());
    meanings_.pop_back();
    meanings_.back().back().body = std::move(body);
    meaning_bound_.pop_back();
  }
}

void TextReader::close_unended() {
  if (errors_.size() >= most_errors || open_.empty()) return;
  const Open& top = open_.back();
  errors_.push_back(
      lex_.diagnostic(top.where, "this body has no 'end'", "each repeat, block and table ends with 'end'"));
}

}  // namespace weft::program
