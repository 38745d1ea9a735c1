#include "weft/machine/cycles.hpp"

#include <vector>

#include "weft/core/error.hpp"

namespace weft::machine {
namespace {

bool ends_with(const std::string& text, std::string_view tail) {
  return text.size() > tail.size() && text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

/// The number before a unit; nothing where it is none.
std::optional<double> number_before(const std::string& text, std::string_view unit) {
  std::string head = text.substr(0, text.size() - unit.size());
  while (!head.empty() && head.back() == ' ') head.pop_back();
  if (head.empty() || head.find_first_not_of("0123456789.") != std::string::npos) return std::nullopt;
  try {
    return std::stod(head);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void collect(const Node& node, std::vector<std::pair<std::string, std::string>>& out) {
  if (node.is_scalar() && !node.is_quoted() && (ends_with(node.text(), "cycle") || ends_with(node.text(), "cycles"))) {
    out.emplace_back(node.path(), node.text());
  }
  // A key with a dot has no path, and is none of a machine file's: the reader refuses it.
  for (std::size_t i = 0; i < node.items().size(); ++i) {
    if (!node.is_map() || node.keys()[i].find('.') == std::string::npos) collect(node.items()[i], out);
  }
}

}  // namespace

std::optional<Hertz> clock_of(const Document& document) {
  if (!document.root().is_map()) return std::nullopt;
  const Node* clock = document.root().find("clock");
  const Node* frequency = clock != nullptr && clock->is_map() ? clock->find("frequency") : nullptr;
  if (frequency == nullptr || !frequency->is_scalar()) return std::nullopt;
  const auto value = parse_quantity<Hertz>(frequency->text());
  if (!value || !(value->value() > 0)) return std::nullopt;
  return *value;
}

std::string without_cycles(const std::string& text, Hertz clock) {
  for (const std::string_view unit : {"cycles", "cycle"}) {
    if (!ends_with(text, unit) || ends_with(text, "/cycle")) continue;
    if (const auto count = number_before(text, unit)) return to_string(Seconds(*count / clock.value()));
  }
  if (ends_with(text, "FLOP/cycle")) {
    if (const auto count = number_before(text, "FLOP/cycle")) return to_string(FlopsPerSecond(*count * clock.value()));
  } else if (ends_with(text, "B/cycle")) {
    if (const auto count = number_before(text, "B/cycle")) return to_string(BytesPerSecond(*count * clock.value()));
  }
  return text;
}

void expand_cycles(Document& document) {
  std::vector<std::pair<std::string, std::string>> found;
  collect(document.root(), found);
  if (found.empty()) return;
  const auto clock = clock_of(document);
  if (!clock) return;  // the reader then refuses the unit, at its place
  for (const auto& [path, text] : found) {
    std::string plain = without_cycles(text, *clock);
    if (plain != text) document.set(path, std::move(plain));
  }
}

}  // namespace weft::machine
