// Internal to core: turns parse events (from YAML or JSON) into a Node tree with positions, and refuses duplicate keys,
// too deep nesting and keys which are not text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/node.hpp"

namespace weft {

inline constexpr std::size_t max_depth = 200;
inline constexpr std::size_t max_alias_nodes = 1'000'000;  // YAML aliases can grow a small file without end

class NodeBuilder {
 public:
  explicit NodeBuilder(std::shared_ptr<const SourceText> source) : source_(std::move(source)) {}

  // Lines and columns from 1. `anchor` 0 is none. Each throws an input Error where the file is at fault.
  void null(int line, int column, std::size_t anchor = 0);
  void scalar(int line, int column, std::string text, bool quoted, std::size_t anchor = 0);
  void begin(Node::Kind kind, int line, int column, std::size_t anchor = 0);
  void end();
  void alias(int line, int column, std::size_t anchor);

  [[nodiscard]] bool done() const { return done_; }
  Node take() { return std::move(root_); }
  [[noreturn]] void fail(int line, int column, std::string message, std::string hint = {}) const;

 private:
  struct Frame {
    Node node;
    std::size_t anchor = 0;
    bool has_key = false;  // a map whose newest key waits for its value
    std::map<std::string, std::size_t, std::less<>> members;
  };

  [[nodiscard]] Node make(Node::Kind kind, int line, int column) const;
  [[nodiscard]] bool expects_key() const;
  [[nodiscard]] std::string child_path() const;
  void key(int line, int column, std::string text);
  void add(Node node, std::size_t anchor);
  std::size_t rebase(Node& node, const std::string& path);

  std::shared_ptr<const SourceText> source_;
  std::vector<Frame> frames_;
  std::map<std::size_t, Node> anchors_;
  std::size_t alias_nodes_ = 0;
  Node root_;
  bool done_ = false;
};

// Each parses the whole text; the fault is an input Error.
Node parse_yaml(const std::shared_ptr<const SourceText>& source);
Node parse_json(const std::shared_ptr<const SourceText>& source);

std::shared_ptr<const SourceText> make_source(std::string name, std::string text);
std::string source_line(const SourceText& source, int line);

}  // namespace weft
