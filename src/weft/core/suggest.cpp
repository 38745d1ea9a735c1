#include "weft/core/suggest.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr int whole_edit = 2;

int substitution(char a, char b) {
  if (a == b) return 0;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(a) == lower(b) ? 1 : whole_edit;
}

// How far a name may be: a third of its letters, at least one.
int tolerance(std::string_view name, std::string_view candidate) {
  return whole_edit * std::max(1, static_cast<int>(std::max(name.size(), candidate.size()) / 3));
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = whole_edit * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = whole_edit * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + whole_edit, row[j - 1] + whole_edit, last[j - 1] + substitution(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + whole_edit);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest_sensible = 200;
  constexpr std::size_t shortest_part = 3;
  if (name.empty() || name.size() > longest_sensible) return {};
  const std::string* best = nullptr;
  int best_distance = std::numeric_limits<int>::max();
  for (const std::string& candidate : candidates) {
    int distance = edit_distance(name, candidate);
    if (distance > tolerance(name, candidate)) {
      // "mixtral" for "mixtral-8x7b": a part of a name is near, but not as near as a slip of the finger.
      if (name.size() < shortest_part || candidate.find(name) == std::string::npos) continue;
      distance += tolerance(name, candidate);
    }
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string() : *best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates, std::size_t most_listed) {
  if (candidates.empty()) return {};
  std::string list;
  for (std::size_t i = 0; i < std::min(candidates.size(), most_listed); ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : ", ", candidates[i]);
  }
  if (candidates.size() > most_listed) list += fmt::format(", and {} more", candidates.size() - most_listed);
  const std::string close = nearest(name, candidates);
  if (close.empty()) return fmt::format("allowed: {}", list);
  return fmt::format("did you mean '{}'? (allowed: {})", close, list);
}

}  // namespace weft
