#include "weft/core/text.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Text, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\u00b5s"), 2U);
  EXPECT_EQ(display_width("\u4e2d"), 2U);
  EXPECT_EQ(display_width("\xff\xfe"), display_width("\xff\xfe"));  // broken text does not crash
}

TEST(Text, TruncatesAtLetters) {
  EXPECT_EQ(truncate("abcdef", 4), "abc…");
  EXPECT_EQ(truncate("abc", 3), "abc");
  EXPECT_EQ(truncate("\u00b5\u00b5\u00b5", 2), "\u00b5…");
}

TEST(Text, WrapsAtSpaces) {
  EXPECT_EQ(wrap("one two three four", 11, 2), "  one two\n  three\n  four");
  EXPECT_EQ(wrap("a\n\nb"), "a\n\nb");
  EXPECT_EQ(wrap("unbreakable", 4), "unbreakable");
}

TEST(Text, TablesAlign) {
  Table table({{"name"}, {"time", Align::right}, {"note"}});
  table.row({"ring", "1.5 us", ""});
  table.row({"\u00b5tree", "12 us", "slow"});
  EXPECT_EQ(table.str(),
            "name     time  note\n"
            "ring   1.5 us\n"
            "\u00b5tree   12 us  slow\n");
}

TEST(Text, TablesStayWithinTheirWidth) {
  Table table({{"name"}, {"why"}});
  table.row({"x", std::string(300, 'w')});
  const std::string text = table.str();
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    EXPECT_LE(display_width(std::string_view(text).substr(from, end - from)), text_width);
    from = end + 1;
  }
}

}  // namespace
}  // namespace weft
