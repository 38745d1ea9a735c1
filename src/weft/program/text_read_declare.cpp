// Declarations of the Program's text: sites, tensors, buffers, tables, circuits, what lies where at the start.
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "weft/core/suggest.hpp"
#include "weft/program/text_buffers.hpp"
#include "weft/program/text_infer.hpp"
#include "weft/program/text_reader.hpp"

namespace weft::program {
namespace {

constexpr std::int64_t most_sites = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_cells = std::int64_t{1} << 60;

}  // namespace

void TextReader::declare(Names& names, const Word& name, std::uint32_t id, std::string_view what) {
  if (name.text.empty()) lex_.fail(name.at, fmt::format("the {} has an empty name", what));
  if (!names.emplace(std::string(name.text), id).second) {
    lex_.fail(name.at, fmt::format("the name '{}' is taken by another {}", name.text, what));
  }
}

void TextReader::read_name() {
  if (const Word word = lex_.peek_name(); word && word.quoted) {
    p_.name = lex_.name("the name").text;
  } else {
    p_.name = lex_.rest_of_statement();
  }
}

// `8x2`, or `()` for a scalar.
std::vector<std::int64_t> TextReader::shape(std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> out;
  if (lex_.take("()")) return out;
  const char* at = lex_.here();
  std::int64_t volume = 1;
  do {
    const char* extent_at = lex_.mark();
    const std::int64_t extent = lex_.natural("a shape, e.g. 8 or 8x2");
    if (extent < least) lex_.fail(extent_at, fmt::format("an axis has at least {} entries", least));
    if (__builtin_mul_overflow(volume, extent, &volume) || volume > most) {
      lex_.fail(at, fmt::format("the shape has more than {} entries", most));
    }
    out.push_back(extent);
  } while (lex_.take_joined('x'));
  return out;
}

void TextReader::read_sites() {
  const Word name = lex_.name("the name of the sites");
  Space space;
  space.name = name.text;
  space.shape = shape(1, most_sites);
  const char* at = lex_.here();
  if (lex_.take_keyword("first")) {
    const std::int64_t first = lex_.natural("a site of the machine");
    if (first + space.size() > most_sites) lex_.fail(at, "these sites lie beyond any machine");
    space.first = static_cast<std::uint32_t>(first);
  }
  at = lex_.here();
  if (lex_.take_keyword("listed")) {
    while (lex_.at_digit()) {
      const std::int64_t site = lex_.natural("a site of the machine");
      if (site > most_sites) lex_.fail(at, "a listed site lies beyond any machine");
      space.listed.push_back(static_cast<std::uint32_t>(site));
    }
    if (static_cast<std::int64_t>(space.listed.size()) != space.size()) {
      lex_.fail(at, fmt::format("{} sites are listed for a shape of {}", space.listed.size(), space.size()));
    }
  }
  declare(spaces_, name, static_cast<std::uint32_t>(p_.spaces.size()), "site space");
  p_.spaces.push_back(std::move(space));
}

DType TextReader::dtype(const Word& word) {
  if (const auto type = number_type(word.text)) return *type;
  std::vector<std::string> names;
  for (int k = 0; k <= static_cast<int>(DType::u8); ++k) names.emplace_back(machine::name(static_cast<DType>(k)));
  lex_.fail(word.at, fmt::format("unknown number type '{}'", word.text), did_you_mean(word.text, names));
}

Bytes TextReader::bytes() {
  const char* at = lex_.here();
  const std::string text(lex_.quantity());
  const auto value = parse_quantity<Bytes>(text);
  if (!value) lex_.fail(at, value.error());
  if (value->value() > most_cells) lex_.fail(at, "the size is too large");
  return *value;
}

void TextReader::read_tensor() {
  const Word name = lex_.name("the tensor's name");
  Tensor tensor;
  tensor.name = name.text;
  tensor.shape = shape(0, most_cells / 64);
  if (lex_.take_keyword("of")) {
    const char* at = lex_.here();
    tensor.total = bytes();
    if (tensor.volume() == 0 && tensor.total->value() > 0) lex_.fail(at, "a tensor without entries holds no bytes");
  } else {
    tensor.dtype = dtype(lex_.name("a number type, or 'of' and the size of the whole"));
  }
  Buffer own;
  own.name = name.text;
  own.tensor = static_cast<TensorId>(p_.tensors.size());
  if (lex_.take_keyword("in")) own.tier = label("a memory tier");
  declare(buffers_, name, own.tensor, "tensor or buffer");
  p_.tensors.push_back(std::move(tensor));
  p_.buffers.push_back(std::move(own));
}

void TextReader::read_buffer() {
  const Word name = lex_.name("the buffer's name");
  if (!lex_.take_keyword("of")) lex_.fail_here("'of' and a tensor");
  Buffer buffer;
  buffer.name = name.text;
  buffer.tensor = tensor_named();
  if (lex_.take_keyword("in")) buffer.tier = label("a memory tier");
  declare(buffers_, name, kLaterBuffer + static_cast<BufferId>(later_.size()), "tensor or buffer");
  later_.push_back(std::move(buffer));
}

void TextReader::read_table() {
  const Word name = lex_.name("the table's name");
  Table table;
  table.name = name.text;
  if (!lex_.take_keyword("over")) lex_.fail_here("'over' and a site space");
  table.space = space_named(lex_.name("a site space"));
  const auto sites = static_cast<std::uint32_t>(p_.spaces[table.space].size());
  lex_.end_statement();
  declare(tables_, name, static_cast<std::uint32_t>(p_.tables.size()), "table");
  p_.tables.push_back(std::move(table));
  while (!lex_.at_end() && lex_.at_digit()) table_row(p_.tables.back(), sites);
  if (lex_.at_end() || !lex_.take_keyword("end")) lex_.fail_here("a row 'from to lead first count' or 'end'");
}

void TextReader::table_row(Table& table, std::uint32_t sites) {
  constexpr std::array names = {"from", "to", "lead", "first", "count"};
  std::array<std::int64_t, 5> v{};
  for (std::size_t k = 0; k < v.size(); ++k) {
    if (!lex_.at_digit()) lex_.fail_here(fmt::format("'{}' of a row 'from to lead first count'", names[k]));
    const char* at = lex_.mark();
    v[k] = lex_.natural("a number");
    if (k < 2 && v[k] >= sites) lex_.fail(at, fmt::format("'{}' is one of the sites 0..{}", names[k], sites - 1));
    if (k == 2 && v[k] > most_sites) lex_.fail(at, "'lead' is too large");
  }
  lex_.end_statement();
  table.rows.push_back({static_cast<std::uint32_t>(v[0]), static_cast<std::uint32_t>(v[1]),
                        static_cast<std::uint32_t>(v[2]), v[3], v[4]});
}

void TextReader::read_up() {
  do {
    p_.up.push_back(label("a circuit, e.g. ocs:0-1"));
  } while (!lex_.at_statement_end());
}

void TextReader::read_start() {
  std::vector<ChunkRef> chunks{chunk()};
  while (!lex_.take_keyword("at")) {
    if (!lex_.peek_name()) lex_.fail_here("'at' and the sites where it lies");
    chunks.push_back(chunk());
  }
  Placement placement;
  placement.line = lex_.line();
  placement.at = site("a site space").ref;
  placement.over = over();
  infer_over(p_, placement.at, {}, placement.over);
  require_bound(placement.over, {});
  for (ChunkRef& each : chunks) {
    placement.chunk = std::move(each);
    p_.start.push_back(placement);
  }
}

}  // namespace weft::program
