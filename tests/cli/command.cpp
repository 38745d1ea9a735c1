#include "cli/command.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::test {
namespace {

std::string slurp(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "weft-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return pattern;
}

[[noreturn]] void become(const std::vector<std::string>& words, const std::string& out, const std::string& err) {
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  alarm(60);
  const std::string program = std::string(WEFT_BINARY_DIR) + "/weft";
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

}  // namespace

Ran weft(const std::vector<std::string>& words) {
  const std::string where = folder();
  const pid_t child = fork();
  if (child == 0) become(words, where + "/out", where + "/err");
  int status = 0;
  waitpid(child, &status, 0);
  Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(where + "/out"), slurp(where + "/err")};
  std::filesystem::remove_all(where);
  return ran;
}

TempFile::TempFile(const std::string& name, const std::string& content)
    : folder_(folder()), path_(folder_ + "/" + name) {
  std::ofstream(path_, std::ios::binary) << content;
}
TempFile::~TempFile() {
  std::filesystem::remove_all(folder_);
}

}  // namespace weft::test
