// The Program's text: whole, line by line, parse(print(p)) is the same Program as p. Grammar and examples: docs/program-text.md.
#pragma once
#include <string>
#include <string_view>

#include "weft/program/program.hpp"

namespace weft::program {

/// Throws Error(input) with file, line, column and caret for text that cannot be read (several at once). An edge to an unknown
/// task, or to one that does not stand before it, is not a reading error but a fault of the Program: Error(check_failed) with
/// the waiting task's name in `field` and its line.
Program parse(std::string_view text, std::string_view file);
std::string print(const Program& program);

/// Structural equality. Variables count by their names, tasks, repeats and calls by their place in the list; lines of a text
/// and fields that the kind of a task does not use do not count.
bool same(const Program& a, const Program& b);

}  // namespace weft::program
