// The writer of a step: sizes of one rank, names of sites and tensors, and kernels written once as task and as meaning.
//
// Activations have a leading axis of layers, then one of replica groups g = d EP + e, so that every statement of the meaning
// defines a tensor's cells once; a cell lives from its writer to its last reader. The demand's tensors (packed, back, sum) are
// rewritten in every layer, because a table says which columns go where, and it is the same for all layers.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "weft/compile/compile.hpp"
#include "weft/model/demand.hpp"
#include "weft/program/builder.hpp"

namespace weft::compile {

using program::AxisRange;
using program::Builder;
using program::Lin;
using program::TensorId;
using program::VarId;

/// A box of a tensor that a kernel reads or writes. `axes`: names of its axes where the kernel is an einsum ("": fixed).
struct Piece {
  TensorId tensor = 0;
  std::vector<AxisRange> box;
  std::vector<std::string> axes;
};

struct After {
  std::string task;
  std::int64_t back = 0;
};

/// One kernel on every rank, and what it means.
struct KernelStep {
  std::string name, tag, op;
  std::vector<std::pair<std::string, std::int64_t>> dims;
  std::vector<Piece> out, in;
  std::vector<After> after;
  bool einsum = false;
  std::string active_axis = {};  ///< einsum: only `active` of this axis' indices carry data
  std::int64_t active = 0;
};

/// Sizes of one rank.
struct Sizes {
  std::int64_t b, hidden, q, kv, head_dim, vocab, layers;  ///< sequences, columns, heads, KV heads, -, entries, -
  std::int64_t tp, ep, dp, groups;
  std::int64_t nodes = 1, per_node = 1;  ///< nodes of an ep group, its ranks in each
  std::string inside;                    ///< transport of exchanges that are not between the nodes of two levels
  std::int64_t qkv() const { return (q + 2 * kv) * head_dim; }
};

class Step {
 public:
  Step(const StepRequest& request, const machine::Machine& machine);
  program::Program take() { return b_.take(); }

  /// Embedding, layers, head.
  void write();

 private:
  // step.cpp: places and kernels
  std::vector<AxisRange> here() const;              ///< gpu[d, e, t] of a member
  std::vector<AxisRange> site(const Lin& t) const;  ///< gpu[d, e, t] with another t
  Lin group() const;                                ///< d EP + e
  Lin expert_rank() const;                          ///< e
  std::vector<program::SetIndex> group_indices() const;
  std::vector<program::SetIndex> indices() const;
  TensorId activation(const std::string& name, std::int64_t layers, std::int64_t columns);
  void kernel(const KernelStep& k);
  void meaning_of(const KernelStep& k);
  bool exchanges(const KernelStep& k) const;
  /// The box without places: axes that depend on the site are whole.
  program::Meaning::Operand logical(const Piece& p) const;
  bool placed(const AxisRange& axis) const;
  void start(TensorId tensor, std::vector<AxisRange> box);
  /// Sum over t of `tensor`'s box, cut along its last axis; gives the tasks to wait for: `after` itself where tp = 1.
  std::vector<After> all_reduce(const std::string& name, TensorId tensor, const std::vector<AxisRange>& box,
                                std::int64_t columns, Bytes whole, const std::string& after);
  std::string transport(std::string_view name) const;
  std::int64_t bytes(std::int64_t elements) const { return (elements * machine::bits(r_.dtype) + 7) / 8; }
  AxisRange slice(std::int64_t width) const { return program::range(width * program::var(t_), width); }

  // decode.cpp
  void declare();
  std::vector<After> embed();
  void layer(VarId l, const std::vector<After>& before);
  void attention(VarId l, const std::vector<After>& before);
  /// Residual and norm in one kernel: `in` is added up into out[0] (absent for the first norm) and normed into the last of `out`.
  void norm(const std::string& name, std::vector<Piece> in, std::vector<Piece> out, std::int64_t read,
            const std::vector<After>& after);
  std::vector<After> dense(VarId l);
  void head();

  // moe.cpp
  void declare_moe();
  std::vector<After> moe(VarId l);
  std::vector<After> experts(VarId l, const std::vector<After>& arrived);
  AxisRange own_experts() const;

  // dispatch.cpp
  void declare_exchange();
  void make_tables();
  std::uint32_t flat(std::int64_t d, std::int64_t e, std::int64_t t) const;  ///< rank, as an index into gpu
  std::vector<After> dispatch(const std::string& after);
  std::vector<After> combine(const std::string& after);
  Piece arrived() const;  ///< the columns of `packed` that this rank's experts read, from every source of its ep group
  Piece departing() const;  ///< what this rank's experts give back to every source
  Piece returned() const;   ///< what came back for this rank's sequences
  std::int64_t returned_bytes() const;

  const StepRequest& r_;
  const machine::Machine& m_;
  Sizes s_;
  Builder b_;
  program::SpaceId gpu_ = 0;
  VarId d_ = 0, e_ = 0, node_ = 0, t_ = 0;
  TensorId ids_ = 0, table_ = 0, h_ = 0, x_ = 0, norm_w_ = 0, qkv_w_ = 0, qkv_ = 0, cache_ = 0, att_ = 0, out_w_ = 0,
           out_ = 0, mid_ = 0, xm_ = 0;
  TensorId up_w_ = 0, up_ = 0, act_ = 0, down_w_ = 0, down_ = 0, head_w_ = 0, logits_ = 0;
  // mixture of experts
  model::Demand demand_;
  TensorId router_w_ = 0, scores_ = 0, choice_ = 0, packed_ = 0, rows_ = 0, back_ = 0, sum_ = 0;
  std::int64_t pair_ = 0, group_rows_ = 0,
               stride_ = 0;  ///< bytes to a rank, bytes to a node, columns between two ranks' rows
  program::TableId nodes_t_ = 0, onward_t_ = 0, local_t_ = 0, up_t_ = 0, home_t_ = 0;
};

}  // namespace weft::compile
