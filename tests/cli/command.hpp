// Runs the built `weft` as a user does: words in; exit code, standard output and standard error out.
#pragma once
#include <string>
#include <vector>

namespace weft::test {

struct Ran {
  int code = -1;
  std::string out, err;
};

/// Words are passed as they are, no shell in between. The time limit is 60 s; a command that exceeds it is killed, code -1.
Ran weft(const std::vector<std::string>& words);

/// A file in a folder of the test's own, removed at the end.
class TempFile {
 public:
  TempFile(const std::string& name, const std::string& content);
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string folder_, path_;
};

}  // namespace weft::test
