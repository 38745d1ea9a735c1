#include "weft/program/interpret.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/expand_bind.hpp"
#include "weft/program/expand_chunk.hpp"
#include "weft/program/expand_members.hpp"
#include "weft/program/goals.hpp"

namespace weft::program {
namespace {

/// Calls visit(flat cell, coordinates) for each cell of a box.
template <class Visit>
void each_cell(const Tensor& tensor, std::span<const std::int64_t> box, Visit&& visit) {
  if (volume_of(box) == 0) return;
  std::vector<std::int64_t> at(tensor.shape.size());
  for (std::size_t k = 0; k < at.size(); ++k) at[k] = box[2 * k];
  for (;;) {
    std::size_t flat = 0;
    for (std::size_t k = 0; k < at.size(); ++k)
      flat = flat * static_cast<std::size_t>(tensor.shape[k]) + static_cast<std::size_t>(at[k]);
    visit(flat, at);
    std::size_t k = at.size();
    while (k > 0 && ++at[k - 1] == box[2 * k - 1]) {
      at[k - 1] = box[2 * k - 2];
      --k;
    }
    if (k == 0) return;
  }
}

struct Statement {
  const Meaning* meaning = nullptr;
  std::vector<std::int64_t> env;
};

class Interpreter {
 public:
  using Initial = std::function<double(const std::string&, SiteId, std::int64_t)>;
  Interpreter(const Expansion& e, const Initial& initial)
      : e_(e), p_(*e.program), chunks_(p_), env_(std::max<std::size_t>(p_.vars.size(), 1), 0) {
    for (const Placement& start : p_.start) {
      const Tensor& tensor = chunks_.tensor_of(start.chunk.buffer);
      for_each_placement(p_, start, std::vector<std::int64_t>(env_.size(), 0).data(),
                         [&](const std::int64_t*, SiteId site, const FlatBoxes& flat) {
                           Array& array = at(start.chunk.buffer, site);
                           for (std::size_t k = 0; k < flat.count(); ++k) {
                             each_cell(tensor, flat.box(k), [&](std::size_t cell, const auto&) {
                               array[cell] = initial(tensor.name, site, static_cast<std::int64_t>(cell));
                             });
                           }
                         });
    }
    std::vector<std::int64_t> env(env_.size(), 0);
    flatten(p_.meaning, env);
  }

  Interpretation run() {
    for (const Instance& i : e_.instances) {
      const Task& task = e_.task(i);
      if (task.kind == Kind::control) continue;
      for (const Member& m : e_.of(i)) {
        e_.environment(i, m, env_.data());
        task.kind == Kind::move ? move(task, m) : compute(task, m);
      }
    }
    return std::move(result_);
  }

 private:
  Array& at(BufferId buffer, SiteId site) {
    Array& array = result_.memory[{p_.buffers[buffer].name, site}];
    if (array.empty()) {
      array.assign(static_cast<std::size_t>(chunks_.tensor_of(buffer).volume()),
                   std::numeric_limits<double>::quiet_NaN());
    }
    return array;
  }

  void flatten(const std::vector<MeaningItem>& items, std::vector<std::int64_t>& env) {
    for (const MeaningItem& item : items) {
      if (item.kind == MeaningItem::Kind::statement && item.statement.einsum)
        statements_.push_back({&item.statement, env});
      for (std::int64_t round = 0; item.kind == MeaningItem::Kind::repeat && round < item.rounds; ++round) {
        env[item.var] = round;
        flatten(item.body, env);
      }
    }
  }

  FlatBoxes boxes(const ChunkRef& chunk, SiteId site) {
    FlatBoxes flat;
    chunks_.append(chunk, env_.data(), site, flat);
    return flat;
  }

  void move(const Task& task, const Member& m) {
    FlatBoxes flat;
    if (task.table != kNone) {
      chunks_.append_row(task.what.buffer, p_.tables[task.table], m.ordinal, flat);
    } else {
      flat = boxes(task.what, task.cast == Cast::reduce ? m.dst : m.src);
    }
    const auto sources = sources_of(e_, task, m);
    for (const SiteId to : destinations_of(e_, task, m)) {
      for (std::size_t k = 0; k < flat.count(); ++k) {
        each_cell(chunks_.tensor_of(task.what.buffer), flat.box(k), [&](std::size_t cell, const auto&) {
          double sum = 0;
          for (const SiteId from : sources) sum += at(task.what.buffer, from)[cell];
          at(task.into, to)[cell] = sum;
        });
      }
    }
  }

  void compute(const Task& task, const Member& m) {
    for (const auto* list : {&task.writes, &task.adds}) {
      for (const ChunkRef& out : *list) {
        const TensorId tensor = p_.buffers[out.buffer].tensor;
        const bool same =
            std::ranges::all_of(task.reads, [&](const ChunkRef& r) { return p_.buffers[r.buffer].tensor == tensor; });
        if (same && (task.kernel.op == "add" || task.kernel.op == "copy")) {
          sum_same(task, m.src, out, list == &task.adds);
        } else {
          einsum(task, m.src, out, list == &task.adds);
        }
      }
    }
  }

  void store(double& cell, double value, bool add) const { cell = add && !std::isnan(cell) ? cell + value : value; }

  void sum_same(const Task& task, SiteId site, const ChunkRef& out, bool add) {
    const Tensor& tensor = chunks_.tensor_of(out.buffer);
    std::map<std::size_t, double> sum;
    for (const ChunkRef& in : task.reads) {
      const FlatBoxes flat = boxes(in, site);
      for (std::size_t k = 0; k < flat.count(); ++k) {
        each_cell(tensor, flat.box(k), [&](std::size_t cell, const auto&) { sum[cell] += at(in.buffer, site)[cell]; });
      }
    }
    const FlatBoxes flat = boxes(out, site);
    for (std::size_t k = 0; k < flat.count(); ++k) {
      each_cell(tensor, flat.box(k),
                [&](std::size_t cell, const auto&) { store(at(out.buffer, site)[cell], sum[cell], add); });
    }
  }

  /// Cells of an operand's tensor that the task reads at the site, by flat index; nothing where it is not read.
  struct Operand {
    const Meaning::Operand* axes = nullptr;
    const Tensor* tensor = nullptr;
    std::map<std::size_t, double> cells;
  };

  std::vector<Operand> operands(const Task& task, SiteId site, const Statement& s) {
    std::vector<Operand> out;
    for (const Meaning::Operand& in : s.meaning->in) {
      Operand operand{&in, &p_.tensors[in.tensor], {}};
      for (const ChunkRef& chunk : task.reads) {
        if (p_.buffers[chunk.buffer].tensor != in.tensor) continue;
        const FlatBoxes flat = boxes(chunk, site);
        for (std::size_t k = 0; k < flat.count(); ++k) {
          each_cell(*operand.tensor, flat.box(k),
                    [&](std::size_t cell, const auto&) { operand.cells[cell] = at(chunk.buffer, site)[cell]; });
        }
      }
      out.push_back(std::move(operand));
    }
    return out;
  }

  /// Flat cell of an operand where its named axes have the given values; the fixed ones come from the statement.
  static std::size_t cell_of(const Tensor& tensor, const Meaning::Operand& o, const Statement& s,
                             const std::map<std::string, std::int64_t>& value) {
    std::size_t flat = 0;
    for (std::size_t k = 0; k < tensor.shape.size(); ++k) {
      const bool fixed = k < o.box.size() && !o.box[k].all;
      const std::int64_t index = fixed ? o.box[k].lo.eval(s.env.data()) : value.at(o.axes[k]);
      flat = flat * static_cast<std::size_t>(tensor.shape[k]) + static_cast<std::size_t>(index);
    }
    return flat;
  }

  /// The statement's sum at one cell of the output; nothing when the task reads no term of it.
  static std::optional<double> term_sum(const Statement& s, const std::vector<Operand>& in,
                                        std::map<std::string, std::int64_t> value) {
    std::vector<std::pair<std::string, std::int64_t>> contracted;
    for (const Operand& o : in) {
      for (std::size_t k = 0; k < o.axes->axes.size(); ++k) {
        const std::string& axis = o.axes->axes[k];
        if (!axis.empty() && value.try_emplace(axis, 0).second) contracted.emplace_back(axis, o.tensor->shape[k]);
      }
    }
    double sum = 0;
    bool any = false;
    for (;;) {
      double product = 1;
      bool whole = true;
      for (const Operand& o : in) {
        const auto found = o.cells.find(cell_of(*o.tensor, *o.axes, s, value));
        whole = whole && found != o.cells.end();
        if (whole) product *= found->second;
      }
      if (whole) sum += product;
      any = any || whole;
      std::size_t k = contracted.size();
      while (k > 0 && ++value[contracted[k - 1].first] == contracted[k - 1].second) {
        value[contracted[k - 1].first] = 0;
        --k;
      }
      if (k == 0) break;
    }
    return any ? std::optional(sum) : std::nullopt;
  }

  void einsum(const Task& task, SiteId site, const ChunkRef& out, bool add) {
    const TensorId tensor = p_.buffers[out.buffer].tensor;
    const FlatBoxes flat = boxes(out, site);
    for (const Statement& s : statements_) {
      if (s.meaning->out.tensor != tensor) continue;
      const std::vector<Operand> in = operands(task, site, s);
      if (std::ranges::any_of(in, [](const Operand& o) { return o.cells.empty(); })) continue;
      bool done = false;
      for (std::size_t k = 0; k < flat.count(); ++k) {
        each_cell(p_.tensors[tensor], flat.box(k), [&](std::size_t cell, const std::vector<std::int64_t>& at_cell) {
          std::map<std::string, std::int64_t> value;
          bool inside = true;
          for (std::size_t axis = 0; axis < at_cell.size(); ++axis) {
            const bool fixed = axis < s.meaning->out.box.size() && !s.meaning->out.box[axis].all;
            if (fixed) inside = inside && s.meaning->out.box[axis].lo.eval(s.env.data()) == at_cell[axis];
            if (!fixed) value[s.meaning->out.axes[axis]] = at_cell[axis];
          }
          const std::optional<double> sum = inside ? term_sum(s, in, std::move(value)) : std::nullopt;
          if (sum) store(at(out.buffer, site)[cell], *sum, add);
          done = done || sum.has_value();
        });
      }
      if (done) return;
    }
    throw check_error(fmt::format(
        "task {}: the kernel {} has no numbers; only add, copy and kernels whose output has an einsum `let` have",
        task.name, task.kernel.op));
  }

  const Expansion& e_;
  const Program& p_;
  ChunkEvaluator chunks_;
  std::vector<std::int64_t> env_;
  std::vector<Statement> statements_;
  Interpretation result_;
};

}  // namespace

Interpretation interpret(const Expansion& expansion,
                         const std::function<double(const std::string&, SiteId, std::int64_t)>& initial) {
  return Interpreter(expansion, initial).run();
}

}  // namespace weft::program
