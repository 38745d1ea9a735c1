#include "weft/core/registry.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

struct Sound {
  int volume;
};
const Registry<Sound>::Entry loud{"loud", "as it says", {11}};
const Registry<Sound>::Entry calm{"calm", "for the night", {2}, {{"hours", "how long", "8"}}};

TEST(RegistryTest, FindsWhatRegisteredItself) {
  EXPECT_EQ(Registry<Sound>::instance().find("loud").volume, 11);
  EXPECT_EQ(Registry<Sound>::instance().item("calm").parameters.front().fallback, "8");
  EXPECT_EQ(Registry<Sound>::instance().names(), (std::vector<std::string>{"calm", "loud"}));
}

TEST(RegistryTest, UnknownNamesGetASuggestion) {
  try {
    Registry<Sound>::instance().find("luod", "sound");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "error: unknown sound 'luod'\n  hint: did you mean 'loud'? (allowed: calm, loud)");
  }
}

TEST(RegistryTest, TwiceTheSameNameIsOurFault) {
  Registry<int> registry;
  registry.add({"a", "", 1});
  registry.add({"a", "", 2});
  try {
    registry.find("a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
  }
}

}  // namespace
}  // namespace weft
