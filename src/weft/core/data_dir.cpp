#include "weft/core/data_dir.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <system_error>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> extensions = {".yaml", ".yml", ".json"};

bool is_data(const fs::path& path) {
  return std::find(extensions.begin(), extensions.end(), path.extension().string()) != extensions.end();
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

void add_root(std::vector<fs::path>& roots, const fs::path& path) {
  if (!is_folder(path)) return;
  const fs::path clean = fs::weakly_canonical(path);
  if (std::find(roots.begin(), roots.end(), clean) == roots.end()) roots.push_back(clean);
}

bool is_path_of_user(std::string_view name) {
  return name.find('/') != std::string_view::npos || is_data(name);
}

}  // namespace

std::vector<fs::path> data_roots() {
  std::vector<fs::path> roots;
  const char* const chosen = std::getenv("WEFT_DATA");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  if (chosen != nullptr && *chosen != '\0') {
    if (!is_folder(chosen)) throw usage_error("WEFT_DATA is '" + std::string(chosen) + "', which is not a folder");
    add_root(roots, chosen);
  }
  std::error_code failed;
  const fs::path executable = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const fs::path above = executable.parent_path().parent_path();
    if (is_folder(above / "machines") || is_folder(above / "models")) add_root(roots, above);
    add_root(roots, above / "share" / "weft");
  }
  add_root(roots, WEFT_DATA_DIR);
  return roots;
}

fs::path data_file(std::string_view kind, std::string_view name) {
  if (is_path_of_user(name)) {
    if (!fs::exists(name)) throw usage_error("there is no file '" + std::string(name) + "'");
    return name;
  }
  for (const fs::path& root : data_roots()) {
    for (const std::string_view extension : extensions) {
      fs::path candidate = root / kind / (std::string(name) + std::string(extension));
      if (fs::exists(candidate)) return candidate;
    }
  }
  const std::string singular(kind.ends_with('s') ? kind.substr(0, kind.size() - 1) : kind);
  throw usage_error("unknown " + singular + " '" + std::string(name) + "'", did_you_mean(name, data_names(kind), 30));
}

std::vector<std::string> data_names(std::string_view kind) {
  std::set<std::string> names;
  for (const fs::path& root : data_roots()) {
    if (!is_folder(root / kind)) continue;
    for (const auto& entry : fs::directory_iterator(root / kind)) {
      if (is_data(entry.path())) names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace weft
