#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "weft/core/node_builder.hpp"

namespace weft {
namespace {

class Handler : public YAML::EventHandler {
 public:
  explicit Handler(NodeBuilder& builder) : builder_(builder) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (builder_.done())
      builder_.fail(line(mark), column(mark), "a second document in one file", "keep one, without '---'");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    builder_.null(line(mark), column(mark), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    builder_.alias(line(mark), column(mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool text = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!text) check(mark, tag);
    builder_.scalar(line(mark), column(mark), value, text, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    check(mark, tag);
    builder_.begin(Node::Kind::sequence, line(mark), column(mark), anchor);
  }
  void OnSequenceEnd() override { builder_.end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    check(mark, tag);
    builder_.begin(Node::Kind::map, line(mark), column(mark), anchor);
  }
  void OnMapEnd() override { builder_.end(); }

 private:
  static int line(const YAML::Mark& mark) { return mark.line + 1; }
  static int column(const YAML::Mark& mark) { return mark.column + 1; }
  void check(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    builder_.fail(line(mark), column(mark), fmt::format("the tag '{}' is not read", tag), "remove it");
  }

  NodeBuilder& builder_;
};

}  // namespace

Node parse_yaml(const std::shared_ptr<const SourceText>& source) {
  NodeBuilder builder(source);
  Handler handler(builder);
  std::istringstream stream(source->text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(handler)) {
    }
  } catch (const YAML::DeepRecursion& fault) {
    builder.fail(fault.mark.line + 1, fault.mark.column + 1, fmt::format("nested more than {} levels deep", max_depth));
  } catch (const YAML::Exception& fault) {
    const bool known = !fault.mark.is_null();
    builder.fail(known ? fault.mark.line + 1 : 0, known ? fault.mark.column + 1 : 0, "not valid YAML: " + fault.msg);
  }
  return builder.take();
}

}  // namespace weft
