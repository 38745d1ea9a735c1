// Bodies, tasks and edges of the printed text.
#include <fmt/format.h>

#include "weft/program/text_infer.hpp"
#include "weft/program/text_printer.hpp"

namespace weft::program {

void TextPrinter::note_repeats(const std::vector<Item>& items, std::uint32_t around) {
  task_repeat_.resize(p_.tasks.size(), kNone);
  call_repeat_.resize(p_.calls.size(), kNone);
  repeat_around_.resize(p_.repeats.size(), kNone);
  for (const Item& item : items) {
    if (item.kind == Item::Kind::task) {
      task_repeat_[item.index] = around;
    } else if (item.kind == Item::Kind::call) {
      call_repeat_[item.index] = around;
    } else {
      repeat_around_[item.index] = around;
      note_repeats(p_.repeats[item.index].body, item.index);
    }
  }
}

void TextPrinter::body(const std::vector<Item>& items, std::vector<VarId> bound) {
  if (depth_ <= 1) note_repeats(items, kNone);
  for (const Item& item : items) {
    if (item.kind == Item::Kind::repeat) {
      const Repeat& repeat = p_.repeats[item.index];
      line(fmt::format("repeat {} as {}", repeat.rounds, variable(repeat.var)));
      bound.push_back(repeat.var);
      depth_ += 2;  // so that only the outermost body is walked for its repeats
      body(repeat.body, bound);
      depth_ -= 2;
      bound.pop_back();
      line("end");
    } else if (item.kind == Item::Kind::call) {
      const Call& call = p_.calls[item.index];
      std::string arguments;
      for (const IndexExpr& e : call.arguments) arguments += (arguments.empty() ? "" : ", ") + index(e);
      std::string text = fmt::format("call {} {}({})", name(call.name), name(p_.blocks[call.block].name), arguments);
      for (const Edge& each : call.edges) text += edge(each, call_repeat_[item.index]);
      line(text);
    } else {
      const Task& t = p_.tasks[item.index];
      std::string text = task(t);
      std::vector<SetIndex> inferred;
      infer_over(p_, t, bound, inferred);
      text += over(t.over, inferred);
      if (!t.tag.empty()) text += " tag " + label(t.tag);
      for (const Edge& each : t.edges) text += edge(each, task_repeat_[item.index]);
      line(text);
    }
  }
}

std::string TextPrinter::task(const Task& task) const {
  std::string text = name(task.name) + ' ';
  if (task.kind == Kind::compute) return text + kernel(task);
  return text + (task.kind == Kind::move ? move(task) : control(task));
}

std::string TextPrinter::kernel(const Task& task) const {
  std::string text = name(task.kernel.op);
  for (const KernelDim& dim : task.kernel.dims) text += fmt::format(" {}={}", name(dim.name), index(dim.value));
  text += fmt::format(" {} at {}", machine::name(task.kernel.dtype), site(task.at, ':'));
  const auto list = [&](std::string_view word, const std::vector<ChunkRef>& chunks) {
    if (!chunks.empty()) text += fmt::format(" {}", word);
    for (const ChunkRef& each : chunks) text += ' ' + chunk(each);
  };
  list("reads", task.reads);
  list("writes", task.writes);
  list("adds", task.adds);
  return text;
}

std::string TextPrinter::move(const Task& task) const {
  std::string text = task.cast == Cast::one ? "move " : task.cast == Cast::multicast ? "multicast " : "reduce-move ";
  text += chunk(task.what);
  if (task.table != kNone) text += " by " + name(p_.tables[task.table].name);
  text += fmt::format(" {} -> ", site(task.from, ':'));
  if (task.into != kNone && task.into != task.what.buffer) text += name(p_.buffers[task.into].name) + ' ';
  text += site(task.to, ':');
  if (task.lane) text += " lane " + index(*task.lane);
  if (task.weight != 1) text += fmt::format(" weight {}", task.weight);
  if (!task.transport.empty()) text += " transport " + label(task.transport);
  if (!task.via.empty()) text += " via " + label(task.via);
  return text;
}

std::string TextPrinter::control(const Task& task) const {
  if (task.control == Control::barrier) return "barrier " + site(task.at, '*');
  if (task.control == Control::launch) return "launch " + site(task.at, '*');
  std::string text = "reconfigure " + label(task.circuits);
  if (!task.drop.empty()) text += " drop";
  for (const std::string& each : task.drop) text += ' ' + label(each);
  if (!task.raise.empty()) text += " raise";
  for (const std::string& each : task.raise) text += ' ' + label(each);
  if (task.at.space != kNone) text += " at " + site(task.at, '*');
  return text;
}

std::string TextPrinter::edge(const Edge& edge, std::uint32_t repeat) const {
  std::string text = edge.kind == Edge::Kind::after ? " after " : " streams ";
  if (edge.all) text += "all ";
  text += name(edge.call ? p_.calls[edge.on].name : p_.tasks[edge.on].name);
  if (edge.back != 0) {
    std::uint32_t a = repeat;
    std::uint32_t b = edge.call ? call_repeat_[edge.on] : task_repeat_[edge.on];
    while (a != b && a != kNone && b != kNone) {  // a repeat's number is higher than that of those around it
      std::uint32_t& inner = a > b ? a : b;
      inner = repeat_around_[inner];
    }
    const std::uint32_t shared = a == b ? a : kNone;
    text += fmt::format(" of {}-{}", shared == kNone ? "?" : variable(p_.repeats[shared].var), edge.back);
  }
  if (edge.kind == Edge::Kind::streams) {
    text += " by " + to_string(edge.grain);
    if (edge.window != 0) text += fmt::format(" window {}", edge.window);
  }
  return text;
}

}  // namespace weft::program
