// Text outputs as people see them. WEFT_UPDATE_GOLDEN=1 writes the files anew; look at the difference before you commit it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace weft::test {
namespace {

void compare(const std::string& name, const std::vector<std::string>& words) {
  const std::string file = std::string(WEFT_SOURCE_DIR) + "/tests/golden/" + name + ".txt";
  const Ran ran = weft(words);
  ASSERT_EQ(ran.code, 0) << ran.err;
  if (std::getenv("WEFT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file, std::ios::binary) << ran.out;
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string expected{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  EXPECT_EQ(ran.out, expected) << "if this is what you want: WEFT_UPDATE_GOLDEN=1 ./test -R Golden";
}

/// A machine of this test alone, so that a better figure in a shipped machine changes no golden text.
std::string four() {
  return std::string(WEFT_SOURCE_DIR) + "/tests/golden/four.yaml";
}

TEST(Golden, ShowMachine) {
  compare("machine-show-four", {"machine", "show", four()});
}
TEST(Golden, ListOfCollectives) {
  compare("list-operations", {"list", "operations"});
}
TEST(Golden, ShowModel) {
  compare("model-show-mixtral", {"model", "show", "mixtral-8x7b"});
}
TEST(Golden, HelpOfCollective) {
  compare("help-collective", {"collective", "--help"});
}
TEST(Golden, AllReduce) {
  compare("all-reduce-four", {"collective", "all-reduce", four(), "--size", "64MiB", "--algorithm", "ring"});
}

}  // namespace
}  // namespace weft::test
