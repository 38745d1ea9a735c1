// Names of tasks and calls, and the edges that use them.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "weft/core/suggest.hpp"
#include "weft/program/text_reader.hpp"

namespace weft::program {

std::uint32_t TextReader::add_node(const Word& name, bool call, std::uint32_t index) {
  Scope& scope = scopes_.back();
  const auto id = static_cast<std::uint32_t>(scope.nodes.size());
  declare(scope.names, name, id, "task");
  scope.nodes.push_back({call, index, order_++, scope.repeats.empty() ? kNone : scope.repeats.back()});
  return id;
}

void TextReader::add_waits(std::uint32_t node) {
  for (std::size_t k = 0; k < edge_names_.size(); ++k) {
    const EdgeName& name = edge_names_[k];
    scopes_.back().waits.push_back({node, k, name.target, name.of, lex_.spot(name.target.at)});
  }
}

void TextReader::close_scope() {
  const Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const Wait& wait : scope.waits) resolve(scope, wait);
}

// The innermost repeat around both, or kNone.
std::uint32_t TextReader::shared_repeat(std::uint32_t a, std::uint32_t b) const {
  // A repeat's number is higher than that of the repeats around it.
  while (a != b) {
    if (a == kNone || b == kNone) return kNone;
    std::uint32_t& inner = a > b ? a : b;
    inner = repeat_parent_[inner];
  }
  return a;
}

void TextReader::resolve(const Scope& scope, const Wait& wait) {
  const Node& self = scope.nodes[wait.node];
  Edge& edge = self.call ? p_.calls[self.index].edges[wait.edge] : p_.tasks[self.index].edges[wait.edge];
  const std::string& who = self.call ? p_.calls[self.index].name : p_.tasks[self.index].name;
  const auto found = scope.names.find(wait.target.text);
  if (found == scope.names.end()) {
    std::vector<std::string> candidates;
    if (faults_.empty()) {
      for (const auto& [name, id] : scope.names) candidates.push_back(name);
      std::ranges::sort(candidates);
    }
    return fault(wait, who, fmt::format("waits for '{}', and no task here is called that", wait.target.text),
                 did_you_mean(wait.target.text, candidates));
  }
  const Node& target = scope.nodes[found->second];
  edge.on = target.index;
  edge.call = target.call;
  if (wait.of == kNone) {
    if (target.order < self.order) return;
    return fault(wait, who, fmt::format("waits for '{}', which does not stand before it", wait.target.text),
                 "edges point back in the list; 'of i-1' reaches the round before");
  }
  if (shared_repeat(self.repeat, target.repeat) != wait.of) {
    errors_.push_back(
        lex_.diagnostic(wait.where,
                        fmt::format("'of' must name the counter of the innermost repeat that holds both '{}' and '{}'",
                                    who, wait.target.text),
                        ""));
  }
}

// A fault of the Program, not of its text.
void TextReader::fault(const Wait& wait, const std::string& task, std::string message, std::string hint) {
  Diagnostic diagnostic =
      lex_.diagnostic(wait.where, fmt::format("'{}' {}", task, std::move(message)), std::move(hint));
  diagnostic.kind = ErrorKind::check_failed;
  diagnostic.field = task;
  if (faults_.size() < 20) faults_.push_back(std::move(diagnostic));
}

}  // namespace weft::program
