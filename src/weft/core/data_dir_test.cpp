#include "weft/core/data_dir.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "weft/core/error.hpp"
#include "weft/core/version.hpp"

namespace weft {
namespace {

class DataDir : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ / "gadgets");
    std::ofstream(root_ / "gadgets" / "whisk.yaml") << "a: 1\n";
    std::ofstream(root_ / "gadgets" / "apron.json") << "{}\n";
    setenv("WEFT_DATA", root_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("WEFT_DATA");
    std::filesystem::remove_all(root_);
  }
  std::filesystem::path root_ = std::filesystem::temp_directory_path() / ("weft_data_" + std::to_string(getpid()));
};

TEST_F(DataDir, ListsAndFindsByStem) {
  EXPECT_EQ(data_names("gadgets"), (std::vector<std::string>{"apron", "whisk"}));
  EXPECT_EQ(data_file("gadgets", "whisk").filename(), "whisk.yaml");
}

TEST_F(DataDir, SuggestsTheNearestName) {
  try {
    data_file("gadgets", "wisk");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "error: unknown gadget 'wisk'\n  hint: did you mean 'whisk'? (allowed: apron, whisk)");
  }
}

TEST_F(DataDir, TakesPathsAsTheyAre) {
  const std::string path = (root_ / "gadgets" / "apron.json").string();
  EXPECT_EQ(data_file("gadgets", path), path);
  EXPECT_THROW(data_file("gadgets", "./nowhere.yaml"), Error);
}

TEST_F(DataDir, AWrongChoiceOfFolderIsAnError) {
  setenv("WEFT_DATA", "/nonexistent", 1);
  EXPECT_THROW(data_names("gadgets"), Error);
}

TEST(Version, SaysWhatItIs) {
  EXPECT_TRUE(version_full().starts_with(version()));
}

}  // namespace
}  // namespace weft
