#include "weft/core/version.hpp"

#include <fmt/format.h>

#include "weft_version_info.hpp"

namespace weft {

std::string version() {
  return WEFT_VERSION;
}

std::string version_full() {
  constexpr std::string_view commit = WEFT_GIT_DESCRIBE;  // NOLINT(readability-redundant-string-init): "" without git
  return fmt::format("{} ({}{}{}, {})", WEFT_VERSION, commit, commit.empty() ? "" : ", ", WEFT_COMPILER,
                     WEFT_BUILD_TYPE);
}

}  // namespace weft
