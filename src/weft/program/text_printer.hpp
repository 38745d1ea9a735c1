// The printer of the Program's text. Names that the reader could take for something else are quoted.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "weft/program/program.hpp"

namespace weft::program {

class TextPrinter {
 public:
  explicit TextPrinter(const Program& program) : p_(program) {}
  std::string run();

 private:
  static std::string name(std::string_view text);
  static std::string label(std::string_view text);
  static std::string shape(const std::vector<std::int64_t>& extents);
  std::string variable(VarId var) const;
  std::string index(const IndexExpr& e) const;
  std::string axis(const AxisRange& range, char all) const;
  std::string axes(const std::vector<AxisRange>& ranges, char all) const;
  std::string site(const SiteRef& ref, char all) const;
  std::string chunk(const ChunkRef& ref) const;
  std::string over(const std::vector<SetIndex>& list, const std::vector<SetIndex>& inferred) const;
  std::string placement(const Placement& placement, const std::vector<VarId>& bound) const;
  std::string operand(const Meaning::Operand& operand, bool einsum) const;
  void declarations();
  void meanings(const std::vector<MeaningItem>& items);
  void goals(const std::vector<Goal>& list, const std::vector<VarId>& bound);

  // text_print_task.cpp
  void body(const std::vector<Item>& items, std::vector<VarId> bound);
  void note_repeats(const std::vector<Item>& items, std::uint32_t around);
  std::string task(const Task& task) const;
  std::string kernel(const Task& task) const;
  std::string move(const Task& task) const;
  std::string control(const Task& task) const;
  std::string edge(const Edge& edge, std::uint32_t repeat) const;
  void line(std::string_view text) {
    out_.append(2 * depth_, ' ');
    out_ += text;
    out_ += '\n';
  }

  const Program& p_;
  std::string out_;
  std::size_t depth_ = 0;
  std::vector<std::uint32_t> task_repeat_, call_repeat_, repeat_around_;  ///< innermost repeat of each
};

}  // namespace weft::program
