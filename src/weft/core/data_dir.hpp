// Where the shipped machines, models and studies are. Looked for in this order: $WEFT_DATA, the folder above the
// executable (a build tree), share/weft beside the executable's folder (an installation), the source tree it was
// built from.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

// Every existing data root, in the order above.
std::vector<std::filesystem::path> data_roots();

// "machines", "mesh" -> ".../machines/mesh.yaml". Throws a usage Error with the nearest name when there is none.
// A name with a slash or an extension is taken as a path of the user's own and must exist.
std::filesystem::path data_file(std::string_view kind, std::string_view name);

// Stems of the *.yaml and *.json files of a kind, sorted.
std::vector<std::string> data_names(std::string_view kind);

}  // namespace weft
