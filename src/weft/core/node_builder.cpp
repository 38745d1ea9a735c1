#include "weft/core/node_builder.hpp"

#include <fmt/format.h>

namespace weft {
namespace {

std::string join(const std::string& path, std::string_view part) {
  return path.empty() ? std::string(part) : fmt::format("{}.{}", path, part);
}

}  // namespace

void NodeBuilder::fail(int line, int column, std::string message, std::string hint) const {
  Diagnostic diagnostic;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.where = {source_->name, line, column};
  diagnostic.excerpt = source_line(*source_, line);
  throw Error(std::move(diagnostic));
}

Node NodeBuilder::make(Node::Kind kind, int line, int column) const {
  Node node;
  node.kind_ = kind;
  node.position_ = {line, column};
  node.path_ = child_path();
  node.source_ = source_;
  return node;
}

bool NodeBuilder::expects_key() const {
  return !frames_.empty() && frames_.back().node.is_map() && !frames_.back().has_key;
}

std::string NodeBuilder::child_path() const {
  if (frames_.empty()) return {};
  const Node& parent = frames_.back().node;
  if (!parent.is_map()) return join(parent.path_, fmt::format("{}", parent.items_.size()));
  return parent.keys_.empty() ? parent.path_ : join(parent.path_, parent.keys_.back());
}

void NodeBuilder::key(int line, int column, std::string text) {
  Frame& frame = frames_.back();
  const auto [found, fresh] = frame.members.emplace(text, frame.node.keys_.size());
  if (!fresh) {
    const Node::Position first = frame.node.key_positions_[found->second];
    fail(line, column, fmt::format("the key '{}' stands twice", text),
         fmt::format("the first is at line {}, column {}", first.line, first.column));
  }
  if (text == "<<") fail(line, column, "merge keys ('<<') are not read", "write the keys out, or use a template");
  frame.node.keys_.push_back(std::move(text));
  frame.node.key_positions_.push_back({line, column});
  frame.has_key = true;
}

void NodeBuilder::null(int line, int column, std::size_t anchor) {
  if (expects_key()) fail(line, column, "a key must be text, found nothing");
  add(make(Node::Kind::null, line, column), anchor);
}

void NodeBuilder::scalar(int line, int column, std::string text, bool quoted, std::size_t anchor) {
  if (expects_key()) {
    key(line, column, std::move(text));
    return;
  }
  const bool nothing = !quoted && (text.empty() || text == "null" || text == "~");
  Node node = make(nothing ? Node::Kind::null : Node::Kind::scalar, line, column);
  node.text_ = std::move(text);
  node.quoted_ = quoted;
  add(std::move(node), anchor);
}

void NodeBuilder::begin(Node::Kind kind, int line, int column, std::size_t anchor) {
  if (expects_key()) fail(line, column, "a key must be text, found a list or a mapping");
  if (frames_.size() >= max_depth) fail(line, column, fmt::format("nested more than {} levels deep", max_depth));
  Frame frame;
  frame.node = make(kind, line, column);
  frame.anchor = anchor;
  frames_.push_back(std::move(frame));
}

void NodeBuilder::end() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  add(std::move(frame.node), frame.anchor);
}

void NodeBuilder::alias(int line, int column, std::size_t anchor) {
  if (expects_key()) fail(line, column, "a key must be text, found an alias");
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) fail(line, column, "an alias within the value it stands for");
  Node copy = found->second;
  alias_nodes_ += rebase(copy, child_path());
  if (alias_nodes_ > max_alias_nodes) fail(line, column, "aliases make this file too large");
  add(std::move(copy), 0);
}

std::size_t NodeBuilder::rebase(Node& node, const std::string& path) {
  node.path_ = path;
  std::size_t count = 1;
  for (std::size_t i = 0; i < node.items_.size(); ++i) {
    count += rebase(node.items_[i], join(path, node.is_map() ? node.keys_[i] : fmt::format("{}", i)));
  }
  return count;
}

void NodeBuilder::add(Node node, std::size_t anchor) {
  if (anchor != 0) anchors_[anchor] = node;
  if (frames_.empty()) {
    root_ = std::move(node);
    done_ = true;
    return;
  }
  frames_.back().node.items_.push_back(std::move(node));
  frames_.back().has_key = false;
}

}  // namespace weft
