#include "weft/core/text.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "weft/core/error.hpp"

namespace weft {
namespace {

struct Glyph {
  std::size_t bytes = 1;
  std::size_t columns = 1;
};

bool is_combining(char32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) || (c >= 0x20D0 && c <= 0x20FF) || c == 0xFE0F;
}

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
}

Glyph glyph(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  std::size_t bytes = 1;
  if (first >= 0xF0U) {
    bytes = 4;
  } else if (first >= 0xE0U) {
    bytes = 3;
  } else if (first >= 0xC0U) {
    bytes = 2;
  }
  bytes = std::min(bytes, text.size() - at);
  char32_t code = bytes == 1 ? first : first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) code = (code << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return {bytes, is_combining(code) ? 0U : (is_wide(code) ? 2U : 1U)};
}

std::string pad(std::string_view cell, std::size_t width, Align align) {
  const std::size_t used = display_width(cell);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::right ? space + std::string(cell) : std::string(cell) + space;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Glyph next = glyph(text, at);
    columns += next.columns;
    at += next.bytes;
  }
  return columns;
}

std::string truncate(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t columns = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const Glyph next = glyph(text, at);
    if (columns + next.columns > width - 1) break;
    columns += next.columns;
    at += next.bytes;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::string margin(indent, ' ');
  std::string result;
  std::string line;
  const auto flush = [&] {
    if (!result.empty()) result += '\n';
    if (!line.empty()) result += margin + line;
    line.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ' || text[at] == '\n') {
      if (text[at] == '\n') flush();
      ++at;
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && indent + display_width(line) + 1 + display_width(word) > width) flush();
    if (!line.empty()) line += ' ';
    line += word;
    at = end;
  }
  if (!line.empty()) flush();
  return result;
}

void Table::row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) internal_error("a table row has another number of cells than the table columns");
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths(std::size_t width) const {
  constexpr std::size_t gap = 2;
  constexpr std::size_t least = 8;
  std::vector<std::size_t> result;
  std::size_t total = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = display_width(columns_[i].title);
    for (const auto& cells : rows_) widest = std::max(widest, display_width(cells[i]));
    result.push_back(widest);
    total += widest + (i == 0 ? 0 : gap);
  }
  while (total > width) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].align == Align::left && (widest == columns_.size() || result[i] > result[widest])) widest = i;
    }
    if (widest == columns_.size() || result[widest] <= least) break;
    const std::size_t cut = std::min(total - width, result[widest] - least);
    result[widest] -= cut;
    total -= cut;
  }
  return result;
}

std::string Table::str(std::size_t width) const {
  const std::vector<std::size_t> cell_widths = widths(width);
  std::string result;
  const auto print = [&](const auto& cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) line += "  ";
      line += pad(truncate(cell_at(i), cell_widths[i]), cell_widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + '\n';
  };
  print([&](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& cells : rows_) print([&](std::size_t i) -> const std::string& { return cells[i]; });
  return result;
}

bool is_terminal(int fd) {
  return isatty(fd) == 1;
}

bool use_color(int fd) {
  const char* const refused = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return (refused == nullptr || *refused == '\0') && is_terminal(fd);
}

}  // namespace weft
