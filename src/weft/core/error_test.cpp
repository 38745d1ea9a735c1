#include "weft/core/error.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Errors, EachKindHasItsExitCode) {
  EXPECT_EQ(exit_code(ErrorKind::usage), 2);
  EXPECT_EQ(exit_code(ErrorKind::input), 2);
  EXPECT_EQ(exit_code(ErrorKind::check_failed), 1);
  EXPECT_EQ(exit_code(ErrorKind::infeasible), 3);
  EXPECT_EQ(exit_code(ErrorKind::limit), 4);
  EXPECT_EQ(exit_code(ErrorKind::internal), 70);
  EXPECT_EQ(exit_code(ErrorKind::interrupted), 130);
}

TEST(Errors, PrintPlaceCaretAndHint) {
  const Diagnostic diagnostic{ErrorKind::input,    "12 has no unit", {"m.yaml", 3, 8},
                              "links.0.bandwidth", "write 12 GB/s",  "  bw: 12"};
  EXPECT_EQ(to_text(diagnostic),
            "m.yaml:3:8: error: links.0.bandwidth: 12 has no unit\n"
            "      bw: 12\n"
            "           ^\n"
            "  hint: write 12 GB/s");
}

TEST(Errors, CaretsStandRightAfterLettersOfSeveralBytes) {
  const Diagnostic diagnostic{ErrorKind::input, "x", {"m.yaml", 1, 4}, "", "", "\u00b5: y"};
  EXPECT_EQ(to_text(diagnostic), "m.yaml:1:4: error: x\n    \u00b5: y\n      ^");
}

TEST(Errors, SeveralAreThrownTogether) {
  const Error error(
      std::vector<Diagnostic>{{ErrorKind::input, "one", {"a", 1, 0}}, {ErrorKind::input, "two", {"a", 2, 0}}});
  EXPECT_STREQ(error.what(), "a:1: error: one\na:2: error: two");
  EXPECT_EQ(error.exit_code(), 2);
}

TEST(Errors, LongLinesAreShownAroundTheCaret) {
  const Diagnostic diagnostic{ErrorKind::input, "x", {"m.json", 1, 1001}, "", "", std::string(1000, 'a') + "b"};
  const std::string text = to_text(diagnostic);
  EXPECT_LT(text.size(), 300U);
  EXPECT_NE(text.find("aab\n"), std::string::npos);
}

TEST(Errors, InternalOnesNameOurSource) {
  try {
    internal_error("the sky is green");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 70);
    EXPECT_EQ(error.diagnostics().front().where.file, "src/weft/core/error_test.cpp");
  }
}

}  // namespace
}  // namespace weft
