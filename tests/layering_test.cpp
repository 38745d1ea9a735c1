// One direction of dependency: nothing in src/weft includes a header of a folder above its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::array<std::string_view, 16> bottom_to_top = {
    "core",     "solve",   "machine", "model", "program", "formats", "collective", "compile",
    "simulate", "execute", "explain", "plan",  "serve",   "explore", "report",     "cli"};

std::size_t height(std::string_view folder) {
  return static_cast<std::size_t>(std::find(bottom_to_top.begin(), bottom_to_top.end(), folder) -
                                  bottom_to_top.begin());
}

std::vector<std::string> upward_includes(std::string_view folder, const std::string& text) {
  static const std::regex include(R"re(#\s*include\s*["<]weft/(\w+)/([^">]+)[">])re");
  std::vector<std::string> found;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), include); match != std::sregex_iterator(); ++match) {
    if (height((*match)[1].str()) > height(folder)) found.push_back((*match)[0].str());
  }
  return found;
}

TEST(Layering, TheCheckItselfFindsAnUpwardInclude) {
  const std::string text = "#include <vector>\n#include \"weft/core/units.hpp\"\n#include \"weft/simulate/flow.hpp\"\n";
  EXPECT_EQ(upward_includes("machine", text), (std::vector<std::string>{"#include \"weft/simulate/flow.hpp\""}));
  EXPECT_TRUE(upward_includes("cli", text).empty());
  EXPECT_TRUE(upward_includes("simulate", text).empty());
  EXPECT_EQ(upward_includes("core", "#  include <weft/solve/lp.hpp>").size(), 1U);
  EXPECT_EQ(upward_includes("cli", "#include \"weft/unknown/x.hpp\"").size(), 1U);
}

TEST(Layering, NothingIncludesWhatStandsAboveIt) {
  const std::filesystem::path root = std::filesystem::path(WEFT_SOURCE_DIR) / "src" / "weft";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".hpp" && extension != ".cpp") continue;
    const std::string folder = std::filesystem::relative(entry.path(), root).begin()->string();
    EXPECT_LT(height(folder), bottom_to_top.size()) << "src/weft/" << folder << " is not in the list of layers";
    std::ifstream stream(entry.path());
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    for (const std::string& line : upward_includes(folder, text)) ADD_FAILURE() << entry.path() << ": " << line;
    ++files;
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
