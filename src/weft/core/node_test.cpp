#include "weft/core/node.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

std::string fault(const std::string& text, const std::string& name = "m.yaml") {
  try {
    parse_text(text, name);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
}

template <class F>
std::string finish_fault(const std::string& text, F read, const std::string& name = "m.yaml") {
  const Document document = parse_text(text, name);
  ObjectReader reader(document.root());
  read(reader);
  try {
    reader.finish();
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Node, ReadsYamlTyped) {
  const Document document =
      parse_text("name: mesh\nsize: 4 KiB\nlinks:\n  - {bw: 1 GB/s}\n  - {bw: 2 GB/s}\ntags: [a, b]\n", "m.yaml");
  ObjectReader r(document.root());
  EXPECT_EQ(r.string("name"), "mesh");
  EXPECT_EQ(r.required<Bytes>("size"), Bytes(4096));
  EXPECT_EQ(r.optional<double>("efficiency", 0.5), 0.5);
  EXPECT_EQ(r.maybe<bool>("loud"), std::nullopt);
  EXPECT_EQ(r.values<std::string>("tags"), (std::vector<std::string>{"a", "b"}));
  std::vector<BytesPerSecond> bandwidths;
  for (ObjectReader& link : r.list("links")) bandwidths.push_back(link.required<BytesPerSecond>("bw"));
  EXPECT_EQ(bandwidths, (std::vector{BytesPerSecond(1e9), BytesPerSecond(2e9)}));
  EXPECT_NO_THROW(r.finish());
}

TEST(Node, ReadsJsonWithPositions) {
  const Document document = parse_text("{\n  \"a\": [1, 2.5e-05, {\"b\": \"x\\\"y\"}],\n  \"c\": true\n}\n", "m.json");
  const Node& deep = document.root().find("a")->items()[2].items()[0];
  EXPECT_EQ(deep.text(), "x\"y");
  EXPECT_EQ(deep.path(), "a.2.b");
  EXPECT_EQ(deep.where().line, 2);
  EXPECT_EQ(deep.where().column, 27);
  EXPECT_EQ(read_double(document.root().find("a")->items()[1]), 2.5e-05);
  EXPECT_EQ(document.root().find("c")->where().column, 8);
}

TEST(Node, ReportsAllFaultsAtOnce) {
  const std::string text = finish_fault("size: 12\nfabric:\n  latncy: 5 ns\ncount: many\n", [](ObjectReader& r) {
    r.required<Bytes>("size");
    r.required<int>("count");
    r.string("name");
    r.object("fabric").required<Seconds>("latency");
  });
  EXPECT_EQ(text,
            "m.yaml:1:1: error: missing key 'name'\n"
            "    size: 12\n"
            "    ^\n"
            "m.yaml:1:7: error: size: 12 has no unit; write e.g. 12 B, 12 KB, 12 MB, 12 GB\n"
            "    size: 12\n"
            "          ^\n"
            "m.yaml:3:3: error: fabric: missing key 'latency'\n"
            "      latncy: 5 ns\n"
            "      ^\n"
            "m.yaml:3:3: error: fabric: unknown key 'latncy'\n"
            "      latncy: 5 ns\n"
            "      ^\n"
            "  hint: did you mean 'latency'? (allowed: latency)\n"
            "m.yaml:4:8: error: count: expected a whole number, found 'many'\n"
            "    count: many\n"
            "           ^");
}

TEST(Node, ReadersOfForeignFilesPermitUnknownKeys) {
  const Document document = parse_text(R"({"a": 1, "deep": {"b": 2, "c": 3}})", "config.json");
  ObjectReader r(document.root(), ObjectReader::Keys::lenient);
  r.integer("a");
  r.object("deep").integer("b");
  EXPECT_NO_THROW(r.finish());
}

TEST(Node, YamlTrapsAreNone) {
  EXPECT_NE(
      finish_fault("a: 010\n", [](ObjectReader& r) { r.integer("a"); }).find("expected a whole number, found '010'"),
      std::string::npos);
  EXPECT_NE(finish_fault("a: no\n", [](ObjectReader& r) { r.boolean("a"); }).find("expected true or false, found 'no'"),
            std::string::npos);
  EXPECT_EQ(finish_fault("a: no\n", [](ObjectReader& r) { EXPECT_EQ(r.string("a"), "no"); }), "accepted");
  EXPECT_NE(finish_fault("a: 0x10\n", [](ObjectReader& r) { r.integer("a"); }).find("found '0x10'"), std::string::npos);
  EXPECT_NE(finish_fault("a: .inf\n", [](ObjectReader& r) { r.number("a"); }).find("expected a number"),
            std::string::npos);
  EXPECT_NE(finish_fault("a: \"5\"\n", [](ObjectReader& r) { r.integer("a"); }).find("found the text \"5\""),
            std::string::npos);
}

TEST(Node, IntegersHaveLimits) {
  const auto text = finish_fault("a: 300\nb: -1\nc: 99999999999999999999\n", [](ObjectReader& r) {
    r.required<std::uint8_t>("a");
    r.required<unsigned>("b");
    r.integer("c");
  });
  EXPECT_NE(text.find("300 is not between 0 and 255"), std::string::npos);
  EXPECT_NE(text.find("-1 is not between 0 and 4294967295"), std::string::npos);
  EXPECT_NE(text.find("99999999999999999999 is not between"), std::string::npos);
}

TEST(Node, ChoicesNameTheNearest) {
  const auto text = finish_fault("kind: fulll\n", [](ObjectReader& r) { r.choice("kind", {"full", "half"}); });
  EXPECT_NE(text.find("did you mean 'full'? (allowed: full, half)"), std::string::npos);
}

TEST(Node, WrongShapesAreSaidOnce) {
  const auto text = finish_fault("a: 1\nb: {x: 1}\n", [](ObjectReader& r) {
    r.object("a").string("inner");
    r.list("b");
    r.object("gone").string("inner");
  });
  EXPECT_NE(text.find("a: expected a mapping, found a single value"), std::string::npos);
  EXPECT_NE(text.find("b: expected a list, found a mapping"), std::string::npos);
  EXPECT_NE(text.find("missing key 'gone'"), std::string::npos);
  EXPECT_EQ(text.find("inner"), std::string::npos);
}

TEST(NodeMustFail, DuplicateKeysGiveBothPlaces) {
  EXPECT_EQ(fault("a: 1\nb: 2\na: 3\n"),
            "m.yaml:3:1: error: the key 'a' stands twice\n    a: 3\n    ^\n  hint: the first is at line 1, column 1");
  EXPECT_NE(fault("{\"a\": 1, \"a\": 2}", "m.json").find("m.json:1:10: error: the key 'a' stands twice"),
            std::string::npos);
}

TEST(NodeMustFail, DepthIsLimited) {
  for (const char* name : {"m.yaml", "m.json"}) {
    EXPECT_NE(fault(std::string(300, '[') + std::string(300, ']'), name).find("nested more than 200 levels deep"),
              std::string::npos)
        << name;
    EXPECT_NE(fault(std::string(5000, '['), name), "accepted") << name;
    EXPECT_NE(fault(std::string(100000, '{'), name), "accepted") << name;
  }
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested += "{\"a\":";
  EXPECT_NE(fault(nested, "m.json").find("nested more than 200"), std::string::npos);
  EXPECT_NE(fault(nested, "m.yaml"), "accepted");
}

TEST(NodeMustFail, NoTextAtAll) {
  EXPECT_EQ(fault(""), "m.yaml: error: the file is empty");
  EXPECT_EQ(fault(" \n\n"), "m.yaml: error: the file is empty");
  EXPECT_EQ(fault(std::string("a: \0b", 5)), "m.yaml:1: error: not a text file: it holds binary data");
  EXPECT_EQ(fault("a: 1\nb: \xff\n"), "m.yaml:2: error: not a text file: it holds binary data");
  EXPECT_THROW(parse_file("/nonexistent/file.yaml"), Error);
  EXPECT_THROW(parse_file("/"), Error);
}

TEST(NodeMustFail, BrokenYaml) {
  for (const char* text : {"a: [1, 2", "a: 1\n b: 2\n", "{", "\"open", "a: *nowhere", "- a\nb: 1\n",
                           "---\na: 1\n---\nb: 2\n", "? [x]\n: y\n", "a: !!binary xyz\n"}) {
    EXPECT_NE(fault(text).find("m.yaml:"), std::string::npos) << text;
  }
}

TEST(NodeMustFail, BrokenJson) {
  for (const char* text :
       {"{", "{\"a\": 1,}", "{a: 1}", "{\"a\": NaN}", "{\"a\": 010}", "{\"a\": 1} x", "{\"a\": 1e999}", "// no\n{}"}) {
    EXPECT_NE(fault(text, "m.json").find("not valid JSON"), std::string::npos) << text;
  }
  EXPECT_NE(fault("{\n  \"a\": 1,\n}", "m.json").find("m.json:3:1:"), std::string::npos);
}

TEST(NodeMustFail, AliasesCannotGrowWithoutEnd) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j == 0 ? "*a" : ", *a") + last;
    text += "]\n";
  }
  EXPECT_NE(fault(text).find("aliases make this file too large"), std::string::npos);
}

TEST(Node, AliasesAreCopies) {
  const Document document = parse_text("a: &x {b: 1}\nc: *x\n", "m.yaml");
  EXPECT_EQ(document.root().find("c")->find("b")->path(), "c.b");
}

TEST(Node, SetReplacesByPath) {
  Document document = parse_text("fabric:\n  links:\n    - {bandwidth: 1 GB/s}\n", "m.yaml");
  document.set("fabric.links.0.bandwidth", "7 GB/s");
  EXPECT_EQ(document.root().find("fabric")->find("links")->items()[0].find("bandwidth")->text(), "7 GB/s");
  document.set("fabric.links[0].bandwidth", "8");
  ObjectReader r(document.root());
  r.object("fabric").list("links").at(0).required<BytesPerSecond>("bandwidth");
  try {
    r.finish();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("--set fabric.links[0].bandwidth:1:1: error: fabric.links.0.bandwidth: 8 has no unit"),
              std::string::npos);
  }
}

TEST(NodeMustFail, SetOnlyWhatIsThere) {
  Document document = parse_text("fabric: {latency: 1 ns}\n", "m.yaml");
  try {
    document.set("fabric.latencey", "2 ns");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "error: --set fabric.latencey: there is no 'latencey' in 'fabric'\n"
                 "  hint: did you mean 'latency'? (allowed: latency)");
  }
  EXPECT_THROW(document.set("fabric", "x"), Error);
  EXPECT_THROW(document.set("", "x"), Error);
}

}  // namespace
}  // namespace weft
