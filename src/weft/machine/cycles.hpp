// Machines with a clock may say times and rates in cycles: `2 cycles`, `4 B/cycle`, `1 FLOP/cycle`. Before a file is read
// these are turned into seconds and per second by the clock's frequency, exactly enough that TickClock gives the cycles
// back.
#pragma once
#include <optional>
#include <string>

#include "weft/core/node.hpp"

namespace weft::machine {

/// Frequency under `clock`, where there is a readable one.
std::optional<Hertz> clock_of(const Document& document);

/// `text` in seconds or per second; unchanged where it says nothing of cycles.
std::string without_cycles(const std::string& text, Hertz clock);

/// Rewrites every such value of the document. Without a clock they stay, and the reader refuses the unit at its place.
void expand_cycles(Document& document);

}  // namespace weft::machine
