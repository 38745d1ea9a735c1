// The command line's contract: exit codes, one JSON object, errors that name what is nearest, the same bytes on any thread count.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "weft/core/json.hpp"
#include "weft/core/text.hpp"

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
      {"collective", "all-reduce", "dgx-h100*2"},
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

void expect_narrow(const std::string& text) {
  std::size_t from = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; from = end + 1, end = text.find('\n', from)) {
    const std::string_view line = std::string_view(text).substr(from, end - from);
    EXPECT_LE(display_width(line), text_width) << line;
  }
}

TEST(Command, TextStaysWithinAHundredColumns) {
  for (const Words& words : good()) {
    if (words[0] == "completion") continue;
    const Ran ran = weft(words);
    expect_narrow(ran.out);
    expect_narrow(ran.err);
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

void refused(const std::vector<Bad>& all) {
  for (const Bad& bad : all) {
    const Ran text = weft(bad.words);
    SCOPED_TRACE(bad.says);
    EXPECT_EQ(text.code, bad.code) << text.err;
    EXPECT_EQ(text.out, "");
    EXPECT_NE(text.err.find(bad.says), std::string::npos) << text.err;
    expect_narrow(text.err);
    const Ran json = weft(with(bad.words, {"--json"}));
    EXPECT_EQ(json.code, bad.code);
    const Json error = Json::parse(json.out).at("error");
    EXPECT_EQ(error.at("kind").string(), bad.kind);
    EXPECT_FALSE(error.at("message").string().empty());
  }
}

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
      {{"program", "check", "/", "dgx-h100"}, 2, "is a folder", "usage"},
      {{"machine", "show", "/"}, 2, "is a folder", "input"},
      {{"model", "show", "/"}, 2, "is a folder", "input"},
      {{"machine", "show", "dgx-h100*1000000"}, 4, "2 million sites", "limit"},
      {{"machine", "show", "wse2", "--shape", "9000x9000"}, 4, "2 million sites", "limit"},
  };
  refused(all);
}

TEST(Command, WhatWouldHaveNoEffectIsRefused) {
  refused({
      {{"collective", "all-reduce", "dgx-h100", "--size", "--quiet"}, 2, "--size has no value", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--engine="}, 2, "--engine has no value", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--size"}, 2, "--size has no value", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--set", "model.x=1"}, 2, "takes no model", "usage"},
      {{"collective", "all-reduce", "dgx-h100", "--out", "/tmp/one", "--program", "/tmp/../tmp/one"},
       2,
       "both write",
       "usage"},
      {{"program", "check", "x.weft", "wse2", "--set", "algorithm.x=1"}, 2, "takes no algorithm", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--all-reduce", "pairwise"}, 2, "cannot do all-reduce", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--all-reduce", "rign"}, 2, "did you mean 'ring'", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--layout", "tp=8,tp=4"}, 2, "gives tp twice", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--set", "a=1", "--set", "a=2"}, 2, "given twice", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--set", "algorithm.grain=1 KiB"}, 2, "no all-reduce", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--set", "num_hidden_layers=4"}, 2, "model.num_hidden_layers=4", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--set", "hbm.bandwith=3 TB/s"}, 2, "did you mean 'hbm.bandwidth'", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--batch", "1000000000000000"}, 2, "at most", "usage"},
      {{"run", "llama2-7b", "dgx-h100", "--batch", "1000000000"}, 3, "does not fit", "infeasible"},
  });
}

TEST(Command, AFullDiskIsNoSuccess) {
  EXPECT_EQ(weft({"machine", "show", "dgx-h100", "--out", "/dev/full"}).code, 2);
  EXPECT_EQ(weft({"collective", "all-gather", "dgx-h100", "--program", "/dev/full"}).code, 2);
  const Ran both = weft({"collective", "all-gather", "dgx-h100", "--json", "--program", "/dev/stdout"});
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(Json::parse(both.out).find("error"), nullptr);
}

/// Three cores, of which links join the first two only.
const char* const kApart =
    "weft: machine/1\nname: apart\nexecution: {launch: 0 s, barrier: 0 s, overlap: true, source: x}\nmachine:\n"
    "  name: box\n  fabric: {name: wires, kind: links, relay: true,\n"
    "    classes: {wire: {bandwidth: 1 GB/s, latency: 1 us, source: x}}, links: [{from: 0, to: 1, class: wire}]}\n"
    "  children: [{count: 3, component: {name: core,\n"
    "    memory: [{name: sram, capacity: 1 GiB, bandwidth: 1 TB/s, source: x}],\n"
    "    rates: {vector: {f32: 1 TFLOP/s, source: x}},\n"
    "    kernels: {any: {model: roofline, compute_efficiency: 1, memory_efficiency: 1, floor: 0 s, source: x}}}}]\n";

TEST(Command, WhereThereIsNoWayNothingIsFeasible) {
  const TempFile file("apart.yaml", kApart);
  for (const std::string algorithm : {"auto", "all", "ring"}) {
    const Ran ran = weft({"collective", "all-reduce", file.path(), "--size", "1MiB", "--algorithm", algorithm});
    EXPECT_EQ(ran.code, 3) << algorithm << ran.out << ran.err;
  }
  EXPECT_EQ(weft({"collective", "all-reduce", file.path(), "--size", "1MiB", "--ranks", "2"}).code, 0);
}

TEST(Command, PartOfAMachineIsSaid) {
  const Ran ran = weft({"run", "llama2-7b", "dgx-h100", "--layout", "tp=2", "--set", "hbm.bandwidth=24 TB/s", "--json",
                        "--engine", "bound", "--set", "model.num_hidden_layers=2"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  const Json whole = Json::parse(ran.out);
  EXPECT_EQ(whole.at("result").at("ranks").at("of").integer(), 8);
  EXPECT_NE(ran.out.find("2 of 8 sites take part; 6 are idle"), std::string::npos);
  EXPECT_NE(ran.out.find("3 TB/s for each"), std::string::npos);
}

TEST(Command, BrokenFilesAreRefusedNotCrashedOn) {
  const std::vector<std::string> broken{"",
                                        std::string("\0\1\2\xff\xfe binary", 12),
                                        "{",
                                        std::string(5000, '['),
                                        "a: 1\na: 2\n",
                                        "{\"a\": 1, \"a\": 2}",
                                        "64",
                                        "\n\n",
                                        "weft"};
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
  const TempFile file("m.yaml",
                      "weft: machine/1\nname: m\nabout: x\nsources: {a: b}\nexecution: {launch: 5, barrier: 0 s, "
                      "overlap: true, source: a}\n");
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

const std::string& chain() {
  static const std::string text =
      "weft program/1\n"
      "sites pe 1x3\n"
      "tensor x 64 f32\n"
      "buffer in of x\n"
      "start x at pe[0,0..2]\n"
      "goal reduce x over pe[0,0..2] to pe[0,0]\n"
      "m2 move x pe[0,2] -> in pe[0,1] lane 0\n"
      "a1 add f32 at pe[0,1] reads in adds x streams m2 by 4 B window 1\n"
      "m1 move x pe[0,1] -> in pe[0,0] lane 1 streams a1 by 4 B window 1\n"
      "a0 add f32 at pe[0,0] reads in adds x streams m1 by 4 B window 1\n";
  return text;
}

TEST(ProgramCheck, AChainTakesItsKnownCycles) {
  const TempFile file("chain.weft", chain());
  const Ran ran = weft({"program", "check", file.path(), "wse2", "--shape", "1x3", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  const Json result = Json::parse(ran.out).at("result");
  EXPECT_TRUE(result.at("verified").boolean());
  EXPECT_EQ(result.at("cycles").integer(), 63 + 2 * 6);  // B - 1 + 6 a hop
  EXPECT_LE(result.at("bound_cycles").integer(), result.at("cycles").integer());
  EXPECT_EQ(result.at("tasks").at("written").integer(), 4);
}

TEST(ProgramCheck, AMissingContributionIsAResultWithItsFaultAndExitOne) {
  std::string text = chain();
  text.erase(text.find("a0 add"));  // the last sum is never made
  const TempFile file("chain.weft", text);
  const Ran ran = weft({"program", "check", file.path(), "wse2", "--shape", "1x3", "--json"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  const Json result = Json::parse(ran.out).at("result");
  EXPECT_FALSE(result.at("verified").boolean());
  EXPECT_FALSE(result.at("first_fault").at("what").string().empty());
  EXPECT_EQ(result.find("time_s"), nullptr) << "no time of a Program that is wrong";
}

TEST(ProgramCheck, AnEdgeToAnUnknownTaskIsAFaultWithItsLine) {
  std::string text = chain();
  text.replace(text.find("streams m1"), 10, "streams mx");
  const TempFile file("chain.weft", text);
  const Ran ran = weft({"program", "check", file.path(), "wse2", "--shape", "1x3", "--json"});
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  EXPECT_EQ(Json::parse(ran.out).at("result").at("first_fault").at("line").integer(), 10);
}

TEST(ProgramCheck, TheProgramOfACollectiveReadsBackAndTakesTheSameTime) {
  const TempFile file("ring.weft", "");
  const Ran wrote = weft({"collective", "all-reduce", "dgx-h100", "--size", "1MiB", "--algorithm", "ring", "--program",
                          file.path(), "--json"});
  ASSERT_EQ(wrote.code, 0) << wrote.err;
  const Ran again = weft({"program", "check", file.path(), "dgx-h100", "--json"});
  ASSERT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_EQ(Json::parse(wrote.out).at("result").at("time_s").number(),
            Json::parse(again.out).at("result").at("time_s").number());
}

TEST(Collective, BandwidthsAreSizeOverTimeAndTheBusFactor) {
  const Ran ran = weft({"collective", "all-reduce", "dgx-h100", "--size", "64MiB", "--json"});
  const Json result = Json::parse(ran.out).at("result");
  EXPECT_NEAR(result.at("algbw_Bps").number() * result.at("time_s").number(), 64.0 * 1024 * 1024, 1);
  EXPECT_NEAR(result.at("busbw_Bps").number() / result.at("algbw_Bps").number(), 2.0 * 7 / 8, 1e-12);
  EXPECT_EQ(result.at("steps").integer(), 14);
  EXPECT_GE(result.at("time_s").number(), result.at("bound_s").number());
}

TEST(Run, ThePartsOfAStepAddUpToItsTime) {
  const Ran ran = weft({"run", "llama2-7b", "dgx-h100", "--batch", "8", "--seq", "512", "--layout", "tp=8", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const Json result = Json::parse(ran.out).at("result");
  double exposed = 0;
  for (const Json& row : result.at("breakdown").items()) exposed += row.at("exposed_s").number();
  double charged = 0;
  for (const Json& row : result.at("path").items()) charged += row.at("time_s").number();
  const double time = result.at("time_s").number();
  EXPECT_NEAR(exposed, time, 1e-9 * time);
  EXPECT_NEAR(charged, time, 1e-9 * time);
  EXPECT_NEAR(result.at("tokens_per_s").number(), 8 / time, 1e-6 * 8 / time);
  EXPECT_GE(time, result.at("bound_s").number());
}

}  // namespace
}  // namespace weft::test
