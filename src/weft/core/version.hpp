#pragma once

#include <string>

namespace weft {

std::string version();       // "0.1.0"
std::string version_full();  // "0.1.0 (v0.1.0-3-gabc1234, GNU 12.2.0, Release)"

}  // namespace weft
