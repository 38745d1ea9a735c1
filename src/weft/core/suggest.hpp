// Nearest names for mistyped ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours, ignoring case at
// half price so that "gb/s" is nearer to "GB/s" than to "Gb/ms". The result counts half edits.
int edit_distance(std::string_view a, std::string_view b);

// The closest candidate, or "" when nothing is near (more than a third of the letters would change).
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// "did you mean 'ring'? (allowed: ring, tree, ...)"; only the list when nothing is near; "" without candidates.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                         std::size_t most_listed = 12);

}  // namespace weft
