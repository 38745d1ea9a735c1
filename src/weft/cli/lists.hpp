// Names that commands and completion offer.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace weft::cli {

/// "collectives", "machines", ...: the names that `weft list` shows; empty for anything else.
std::vector<std::string> names_in(std::string_view what);

}  // namespace weft::cli
