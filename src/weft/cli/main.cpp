// weft: the command line.
#include <csignal>
#include <string>
#include <vector>

#include <unistd.h>

#include "weft/cli/verb.hpp"

namespace {

extern "C" void interrupted(int) {
  constexpr char text[] = "\ninterrupted\n";
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(131);
  _exit(130);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, interrupted);
  return weft::cli::run({argv + 1, argv + argc});
}
