// Does text read back as the Program it was printed from, and is wrong text refused with its place and a remedy?
#include "weft/program/text.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "weft/core/error.hpp"
#include "weft/program/builder.hpp"

namespace weft::program {
namespace {

const std::string head = "weft program/1\nsites gpu 4\ntensor x 64 f32\n";

std::string refused(const std::string& text, ErrorKind kind = ErrorKind::input) {
  try {
    parse(text, "t.weft");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "was read: " << text;
  return {};
}

void expect_round_trip(const Program& p) {
  const std::string text = print(p);
  const Program again = parse(text, "printed");
  EXPECT_TRUE(same(p, again)) << text;
  EXPECT_EQ(print(again), text);
}

TEST(ProgramText, ShippedExamplesRoundTrip) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/tests/programs")) {
    if (entry.path().extension() != ".weft") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    expect_round_trip(parse(text.str(), entry.path().string()));
    ++files;
  }
  EXPECT_GE(files, 4);
}

TEST(ProgramText, EverythingRoundTrips) {
  expect_round_trip(parse(R"(weft program/1
name "odd ; # name"
sites gpu 2x2 first 4
sites s 3 listed 7 1 9
tensor x 8x4 f16 in hbm ; tensor "to" 3 of 10 B ; tensor w 5x4 f32
buffer in of x in "my tier"
table d over gpu
  0 1 0 2 3   # a row
end
up ocs:0-1 ocs:1-2
start x[0..3,:] from d at gpu[a,b] over a 0..0 b 0..1
repeat-let 5 as l
  let x[m,n] += w[l,n]*x[m,n]
  let "to" = attention(x[0..1,:], w[l,:])
end
goal send-recv x over gpu[0,:]
goal broadcast x over gpu[*] from gpu[0,0]
goal deliver x by d
goal x[:,0] at gpu[0,0], w at gpu[1,1]
block layer(l, h)
  goal x at gpu[l,0]
  a "move" m=l n=2*h-1 f16 at gpu[*] reads x in to d writes w[l,:] adds "to" tag "a b"
  repeat 3 as i
    repeat 2 as j
      p move x[(l+i-1)%8,(h^1)%4] gpu[g,0] -> in gpu[(g^1)%2,0] over g 0..1 lane 2*i+j weight 0.1 transport rdma via ocs:0-1 after q of j-1
      q barrier gpu[*] after all p
    end
  end
end
call L layer(0, 1)
repeat 4 as i
  call M layer(i, 2*i) after L after M of i-1
end
"goal" multicast x gpu[0,0] -> gpu[*] after M
r reduce-move x gpu[*] -> in gpu[0,0] streams "goal" by 1.5 KB window 3
c reconfigure ocs drop 0-1 1-2 raise 0-2 after r
n launch gpu[0,:]
)",
                          "all"));
}

TEST(ProgramText, BuilderAndTextAgree) {
  Builder b("agree");
  const SpaceId gpu = b.space("gpu", {8});
  const BufferId in = b.buffer("in", b.tensor("x", {8, 2}, Bytes(1 << 20)));
  const TensorId y = b.tensor("y", {4}, DType::f32);
  const Lin j = var(b.var("j"));
  b.repeat(7, "s", [&](VarId s) {
    b.move("m")
        .what(b.chunk(in, {one(mod(j - var(s), 8)), all()}))
        .from(gpu, {one(j)})
        .to(gpu, {one(mod(j + 1, 8))})
        .after("c", 1);
    b.compute("c", "copy", DType::f32).at(gpu, {all()}).reads(b.chunk(in)).writes(b.chunk(y)).after("m");
  });
  const Program p = b.take();
  expect_round_trip(p);
  EXPECT_TRUE(same(p, parse(R"(weft program/1
name agree
sites gpu 8
tensor x 8x2 of 1 MiB ; buffer in of x ; tensor y 4 f32
repeat 7 as s
  m move in[(j-s)%8,:] gpu[j] -> gpu[(j+1)%8] after c of s-1
  c copy f32 at gpu[*] reads in writes y after m
end)",
                            "t")));
}

TEST(ProgramText, AnEdgeToAMissingTaskIsAFaultOfTheProgram) {
  const std::string text = refused(head + "m move x gpu[0] -> gpu[1] after q\n", ErrorKind::check_failed);
  EXPECT_NE(text.find("t.weft:4:33"), std::string::npos) << text;
  EXPECT_NE(text.find("'m' waits for 'q'"), std::string::npos) << text;
  refused(head + "m move x gpu[0] -> gpu[1] after n\nn barrier gpu[*]\n", ErrorKind::check_failed);
}

TEST(ProgramText, WrongTextIsRefusedWithItsPlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "empty"},
      {"{", "t.weft:1:1"},
      {std::string("\0\1\2", 3), "not a Program"},
      {"weft program/2\n", "unknown version"},
      {head + "start x at gpp[0]\n", "did you mean 'gpu'"},
      {head + "tensr y 3 f32\n", "did you mean 'tensor'"},
      {head + "m move x gpu[" + std::string(5000, '(') + "\n", "nested more than 100"},
      {head + "repeat 3 as i\n", "no 'end'"},
      {head + "end\n", "'end' without"},
      {head + "m move x gpu[0] -> gpu[*]\n", "'*'"},
      {head + "m move x gpu[(j+1)%4] -> gpu[0]\n", "'j' has no range"},
      {head + "m move x[0,0] gpu[0] -> gpu[1]\n", "1 axes, and 2"},
      {head + "m barrier gpu[*]\nm barrier gpu[*]\n", "taken"},
      {head + "m move x gpu[0] -> gpu[1] streams m by 4\n", "t.weft:4:40"},
      {head + "c add at gpu[0] lane 3\n", "belongs to a move"},
  };
  for (const auto& [text, message] : cases) {
    const std::string said = refused(text);
    EXPECT_NE(said.find(message), std::string::npos) << said;
  }
  const std::string both = refused(head + "start x at gpp[0]\nstart z at gpu[0]\n");
  EXPECT_NE(both.find(":4:"), std::string::npos);
  EXPECT_NE(both.find(":5:"), std::string::npos);
}

}  // namespace
}  // namespace weft::program
