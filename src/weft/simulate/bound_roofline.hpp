// Roofline of a Program's meaning: its einsums' flops and the started bytes that they read.
#pragma once
#include <string>
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/program.hpp"

namespace weft::simulate {

struct Roof {
  double seconds = 0;
  std::string by;
};

/// Flops of all einsums over the peak of all sites of the Program's spaces; bytes of the started tensors that einsums read,
/// each once, over the memory bandwidth of the sites where they start.
std::vector<Roof> roofline(const program::Program& program, const machine::Machine& machine);

}  // namespace weft::simulate
