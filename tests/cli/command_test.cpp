// The command line's contract: exit codes, one JSON object, errors that name what is nearest, the same bytes on any thread count.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "weft/core/json.hpp"

namespace weft::test {
namespace {

using Words = std::vector<std::string>;

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Commands that succeed, one or more a verb.
const std::vector<Words>& good() {
  static const std::vector<Words> all{
      {"machine", "list"},
      {"machine", "show", "dgx-h100"},
      {"machine", "show", "dgx-h100*2"},
      {"machine", "show", "wse2", "--shape", "1x4"},
      {"model", "list"},
      {"model", "show", "mixtral-8x7b"},
      {"list", "collectives"},
      {"list", "topologies"},
      {"list", "kernels"},
      {"completion", "bash"},
      {"collective", "all-reduce", "dgx-h100", "--size", "64MiB", "--algorithm", "ring"},
      {"collective", "all-to-all", "dgx-h100", "--size", "16MiB"},
      {"collective", "all-gather", "dgx-h100", "--size", "1 MiB", "--engine", "bound"},
      {"collective", "all-to-all", "dgx-h100", "--algorithm", "all"},
      {"run", "llama2-7b", "dgx-h100", "--batch", "8", "--seq", "512", "--layout", "dp=8"},
      {"help"},
      {"--version"},
  };
  return all;
}

TEST(Command, EveryVerbAnswersOneJsonObjectInTheEnvelope) {
  for (const Words& words : good()) {
    const Ran ran = weft(with(words, {"--json"}));
    SCOPED_TRACE(words[0] + " " + (words.size() > 1 ? words[1] : ""));
    ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
    const Json whole = Json::parse(ran.out);
    EXPECT_NE(whole.find("weft"), nullptr);
    EXPECT_NE(whole.find("command"), nullptr);
    EXPECT_TRUE(whole.at("result").is_object());
    EXPECT_EQ(ran.out.back(), '\n');
  }
}

TEST(Command, TextStaysWithinAHundredColumns) {
  for (const Words& words : good()) {
    if (words[0] == "completion") continue;
    const Ran ran = weft(words);
    std::size_t from = 0;
    for (std::size_t end = ran.out.find('\n'); end != std::string::npos; from = end + 1, end = ran.out.find('\n', from)) {
      EXPECT_LE(end - from, 100U) << ran.out.substr(from, end - from);
    }
  }
}

TEST(Command, SameBytesOnAnyThreadCount) {
  for (const Words& words : good()) {
    const Ran one = weft(with(words, {"--json", "--threads", "1"}));
    const Ran two = weft(with(words, {"--json", "--threads", "2"}));
    EXPECT_EQ(one.out, two.out) << words[0];
  }
}

struct Bad {
  Words words;
  int code;
  std::string says, kind;
};

TEST(Command, WrongUsageIsNamedWithWhatIsNearest) {
  const std::vector<Bad> all{
      {{"machin", "show", "dgx-h100"}, 2, "unknown verb 'machin'", "usage"},
      {{"machine", "shwo", "dgx-h100"}, 2, "did you mean 'show'", "usage"},
      {{"machine"}, 2, "needs one more word", "usage"},
      {{"machine", "show"}, 2, "needs MACHINE", "usage"},
      {{"machine", "show", "dgx-h10"}, 2, "did you mean 'dgx-h100'", "usage"},
      {{"machine", "show", "dgx-h100*x"}, 2, "how many copies", "usage"},
      {{"machine", "show", "dgx-h100", "more"}, 2, "one argument too many", "usage"},
      {{"machine", "show", "dgx-h100", "--sahpe", "2"}, 2, "did you mean '--shape'", "usage"},
      {{"machine", "show", "dgx-h100", "--shape", "2y2"}, 2, "not a whole number", "usage"},
      {{"model", "show", "mixtral-8x7"}, 2, "did you mean 'mixtral-8x7b'", "usage"},
      {{"list", "colectives"}, 2, "did you mean 'collectives'", "usage"},
      {{"completion", "tcsh"}, 2, "no completion", "usage"},
      {{"collective", "all-reduse", "dgx-h100"}, 2, "did you mean 'all-reduce'", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--algorithm", "rign"}, 2, "did you mean 'ring'", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--algorithm", "pairwise"}, 2, "cannot do all-reduce", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--size", "64"}, 2, "unit", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--size", "64MiB", "--size", "1MiB"}, 2, "given 2 times", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--ranks", "9"}, 2, "9 ranks", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--engine", "flwo"}, 2, "did you mean 'flow'", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--threads", "0"}, 2, "--threads", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--set", "hbm"}, 2, "no PATH=VALUE", "usage"},
      {{"run", "mixtral-8x7b", "dgx-h100", "--layout", "tp=7"}, 2, "7", "usage"},
      {{"run", "mixtral-8x7b", "dgx-h100", "--batch", "-3"}, 2, "--batch", "usage"},
      {{"run", "llama3.1-405b", "dgx-h100", "--layout", "tp=8"}, 3, "", "infeasible"},
      {{"program", "check", "/nowhere/x.weft", "dgx-h100"}, 2, "/nowhere/x.weft", "usage"},
  };
  for (const Bad& bad : all) {
    const Ran text = weft(bad.words);
    SCOPED_TRACE(bad.says);
    EXPECT_EQ(text.code, bad.code) << text.err;
    EXPECT_EQ(text.out, "");
    EXPECT_NE(text.err.find(bad.says), std::string::npos) << text.err;
    const Ran json = weft(with(bad.words, {"--json"}));
    EXPECT_EQ(json.code, bad.code);
    const Json error = Json::parse(json.out).at("error");
    EXPECT_EQ(error.at("kind").string(), bad.kind);
    EXPECT_FALSE(error.at("message").string().empty());
  }
}

TEST(Command, BrokenFilesAreRefusedNotCrashedOn) {
  const std::vector<std::string> broken{
      "", std::string("\0\1\2\xff\xfe binary", 14), "{", std::string(5000, '['), "a: 1\na: 2\n", "{\"a\": 1, \"a\": 2}", "64", "\n\n", "weft"};
  const std::vector<std::pair<Words, std::string>> readers{{{"machine", "show"}, "broken.yaml"},
                                                          {{"machine", "show"}, "broken.json"},
                                                          {{"model", "show"}, "broken.json"},
                                                          {{"program", "check"}, "broken.weft"}};
  for (const auto& [verb, name] : readers) {
    for (const std::string& content : broken) {
      const TempFile file(name, content);
      Words words = with(verb, {file.path()});
      if (verb[0] == "program") words.emplace_back("dgx-h100");
      const Ran ran = weft(with(words, {"--json"}));
      SCOPED_TRACE(verb[0] + " " + name + ": " + content.substr(0, 20));
      EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
      EXPECT_FALSE(Json::parse(ran.out).at("error").at("message").string().empty());
    }
  }
}

TEST(Command, MissingUnitsInAMachineFileNamePlaceAndField) {
  const TempFile file("m.yaml", "weft: machine/1\nname: m\nabout: x\nsources: {a: b}\nexecution: {launch: 5, barrier: 0 s, overlap: true, source: a}\n");
  const Ran ran = weft({"machine", "show", file.path(), "--json"});
  EXPECT_EQ(ran.code, 2);
  const Json error = Json::parse(ran.out).at("error");
  EXPECT_EQ(error.at("kind").string(), "input");
  EXPECT_EQ(error.at("file").string(), file.path());
  EXPECT_GT(error.at("line").integer(), 0);
}

TEST(Command, OutGoesToAFileAndIsNoInput) {
  const TempFile file("out.json", "");
  const Ran ran = weft({"machine", "show", "dgx-h100", "--json", "--out", file.path(), "-q"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(weft({"machine", "show", "dgx-h100", "--json", "--out", "/nowhere/x"}).code, 2);
}

TEST(Command, HelpShowsTwoExamplesFirst) {
  for (const Words& verb : {Words{"run"}, Words{"collective"}, Words{"machine", "show"}, Words{"program", "check"}}) {
    const Ran ran = weft(with(verb, {"--help"}));
    EXPECT_EQ(ran.code, 0);
    const std::size_t examples = ran.out.find("Examples\n  weft ");
    EXPECT_LT(examples, ran.out.find("Usage")) << ran.out;
  }
  EXPECT_EQ(weft({}).code, 2);
  EXPECT_EQ(weft({"help", "run"}).out, weft({"run", "--help"}).out);
}

}  // namespace
}  // namespace weft::test
