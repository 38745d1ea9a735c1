// The Program's text: whole, line by line, parse(print(p)) == p. Grammar and examples: docs/program-text.md.
#pragma once
#include <string>
#include <string_view>

#include "weft/program/program.hpp"

namespace weft::program {

/// Throws Error(input) with file, line, column and caret for text that cannot be read (several at once). An edge to an unknown
/// task is not a reading error but a fault of the Program: Error(check_failed) with task and line.
Program parse(std::string_view text, std::string_view file);
std::string print(const Program& program);

}  // namespace weft::program
