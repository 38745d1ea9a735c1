// The part rule: does a kernel read the parts that its output is made of?
//
// What a kernel does inside is not known, but `let y[Y] = op(x[X], ...)` says which box of x makes which box of y. Of a task that
// writes the part O of Y and reads the part I of X this is asked, axis by axis and relative to Y and X (a half, the third
// eighth): where I is not whole along an axis, O has the same part along some axis, each used once; or all of I's parts nested
// into each other are one of O's (a group of ranks and a rank in it make a rank), or O's nested make the one of I.
// So a kernel may be split along any axis, proportionally, and what is not split must be read whole. Another row, another slice,
// another layer's weights, half of an input: all differ. Pieces that a table names are exempt: the table is the rule there.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace weft::program {

/// A part of an axis, as fractions of the whole.
struct Part {
  double lo = 0, hi = 1;
};

/// Parts of `box` relative to `whole` along those axes where it is not all of it; false where the two do not meet. Boxes are
/// [lo, hi) pairs, axis by axis.
bool parts_of(std::span<const std::int64_t> box, std::span<const std::int64_t> whole, std::vector<Part>& out);

/// May the output's parts be made from the input's?
bool parts_correspond(const std::vector<Part>& input, const std::vector<Part>& output);

}  // namespace weft::program
