#include "weft/core/json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "weft/core/error.hpp"

namespace weft {
namespace {

TEST(JsonTest, KeepsTheOrderOfInsertion) {
  Json json = Json::object();
  json.set("z", 1).set("a", Json::array().push("x").push(true).push(nullptr));
  json["m"]["deep"] = 0.1;
  EXPECT_EQ(json.dump(-1), R"({"z":1,"a":["x",true,null],"m":{"deep":0.1}})");
}

TEST(JsonTest, ReplacesInPlace) {
  Json json;
  json.set("a", 1).set("b", 2).set("a", 3);
  EXPECT_EQ(json.dump(-1), R"({"a":3,"b":2})");
}

TEST(JsonTest, NumbersReadBackExactly) {
  for (const double value : {0.1, 1e-300, 1.7976931348623157e308, 5e-324, 123456789.123456789}) {
    EXPECT_EQ(Json::parse(Json(value).dump()).number(), value);
  }
  EXPECT_EQ(Json::parse("9007199254740993").integer(), 9007199254740993);
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(Json::parse("1e-05").number(), 1e-05);
}

TEST(JsonTest, RefusesWhatIsNotFinite) {
  EXPECT_THROW((void)Json{std::numeric_limits<double>::infinity()}, Error);
  EXPECT_THROW((void)Json{std::numeric_limits<double>::quiet_NaN()}, Error);
}

TEST(JsonTest, WritesQuantitiesInTheirBaseUnit) {
  EXPECT_EQ(Json(Bytes(1024)).dump(), "1024");
  EXPECT_EQ(Json(Seconds(0.25)).dump(), "0.25");
}

TEST(JsonTest, EscapesAndRepairsStrings) {
  EXPECT_EQ(Json("a\"\n\x01").dump(), R"("a\"\n\u0001")");
  EXPECT_EQ(Json("\xff").dump(), "\"\xef\xbf\xbd\"");
}

TEST(JsonTest, ReadsWhatItWrote) {
  const Json json = Json::object().set("a", 1).set("b", Json::array().push(2.5).push("1")).set("c", nullptr);
  EXPECT_EQ(Json::parse(json.dump()).dump(), json.dump());
  EXPECT_EQ(json.at("b").at(0).number(), 2.5);
  EXPECT_EQ(json.find("nope"), nullptr);
  EXPECT_THROW((void)json.at("nope"), Error);
}

TEST(JsonTest, RefusesBrokenText) {
  for (const char* text : {"{", "[1,]", "{\"a\":1,\"a\":2}", "nul", "NaN", "1e999", "'a'", "{a: 1}", "01", "[1] 2"}) {
    EXPECT_THROW(Json::parse(text), Error) << text;
  }
}

}  // namespace
}  // namespace weft
