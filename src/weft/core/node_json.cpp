#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "weft/core/node_builder.hpp"

namespace weft {
namespace {

using nlohmann::json;

// nlohmann's events carry no positions, but they come in the order of the text: between two of them stand only spaces,
// commas and colons, so a cursor which follows along knows where each begins.
class Handler : public nlohmann::json_sax<json> {
 public:
  Handler(NodeBuilder& builder, const SourceText& source) : builder_(builder), text_(source.text) {
    if (text_.starts_with("\xEF\xBB\xBF")) move(3);
  }

  bool null() override {
    const Token token = next();
    builder_.null(token.line, token.column);
    return true;
  }
  bool boolean(bool /*value*/) override { return plain(); }
  bool number_integer(number_integer_t /*value*/) override { return plain(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return plain(); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return plain(); }
  bool string(string_t& value) override {
    const Token token = next();
    builder_.scalar(token.line, token.column, std::move(value), true);
    return true;
  }
  bool key(string_t& value) override { return string(value); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return start(Node::Kind::map); }
  bool start_array(std::size_t /*size*/) override { return start(Node::Kind::sequence); }
  bool end_object() override { return stop(); }
  bool end_array() override { return stop(); }
  bool parse_error(std::size_t position, const std::string& /*token*/, const json::exception& fault) override {
    while (at_ + 1 < std::min(position, text_.size())) move(1);
    std::string message = fault.what();
    if (const auto from = message.find("] "); from != std::string::npos) message.erase(0, from + 2);
    if (const auto from = message.find(": "); message.starts_with("parse error") && from != std::string::npos) {
      message.erase(0, from + 2);
    }
    builder_.fail(line_, column_, "not valid JSON: " + message);
  }

 private:
  struct Token {
    int line;
    int column;
    std::string_view text;
  };

  void move(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
        column_ = 1;
      } else {
        ++column_;
      }
    }
  }

  [[nodiscard]] std::size_t token_length() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.empty()) return 0;
    if (rest.front() == '"') {
      std::size_t end = 1;
      while (end < rest.size() && rest[end] != '"') end += rest[end] == '\\' ? 2 : 1;
      return std::min(end + 1, rest.size());
    }
    if (std::string_view("[]{}").find(rest.front()) != std::string_view::npos) return 1;
    return std::min(rest.find_first_of(" \t\r\n,:]}"), rest.size());
  }

  Token next() {
    while (at_ < text_.size() && std::string_view(" \t\r\n,:").find(text_[at_]) != std::string_view::npos) move(1);
    const std::size_t length = token_length();
    const Token token{line_, column_, text_.substr(at_, length)};
    move(length);
    return token;
  }

  bool plain() {
    const Token token = next();
    builder_.scalar(token.line, token.column, std::string(token.text), false);
    return true;
  }
  bool start(Node::Kind kind) {
    const Token token = next();
    builder_.begin(kind, token.line, token.column);
    return true;
  }
  bool stop() {
    next();
    builder_.end();
    return true;
  }

  NodeBuilder& builder_;
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace

Node parse_json(const std::shared_ptr<const SourceText>& source) {
  NodeBuilder builder(source);
  Handler handler(builder, *source);
  json::sax_parse(source->text, &handler);
  return builder.take();
}

}  // namespace weft
