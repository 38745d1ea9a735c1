// Text for terminals: tables within 100 columns, wrapping, colour only where it is welcome.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

inline constexpr std::size_t text_width = 100;

// Columns a UTF-8 string takes: code points, combining marks not counted, East Asian wide ones counted twice.
std::size_t display_width(std::string_view text);
// Cut to `width` columns, ending in "…" when something was cut.
std::string truncate(std::string_view text, std::size_t width);
// Break at spaces; every line starts with `indent` spaces. A word longer than a line stands alone.
std::string wrap(std::string_view text, std::size_t width = text_width, std::size_t indent = 0);

enum class Align { left, right };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void row(std::vector<std::string> cells);  // as many cells as columns
  // Title line, rows; no trailing spaces. If it is too wide, the widest left-aligned column is cut.
  [[nodiscard]] std::string str(std::size_t width = text_width) const;
  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// True when file descriptor `fd` is a terminal and NO_COLOR is not set.
bool use_color(int fd);
bool is_terminal(int fd);

}  // namespace weft
