// Compile: one step of a transformer on ranks = tp x ep x dp, as a Program.
//
// Ranks. gpu[d, e, t] is rank (d EP + e) TP + t on the machine's sites in order: tp fastest, so that a tp group shares a node.
// Every pair (d, e) is a replica group with sequences of its own, b = batch / (ep dp) of them; t splits heads, feed-forward
// columns and the vocabulary. Experts are split over e and over t; everything else is replicated over (d, e). KV heads are
// repeated where tp exceeds them.
//
// A decode step adds one token to each sequence of `seq` positions. Kernels, in the order they run:
//
//   embed, [all-reduce,] norm                                                    once
//   qkv, attention over the cache, output, [all-reduce,] residual + norm          each layer
//     dense: gate-up, activation, down, [all-reduce,] residual + norm
//     moe:   router, topk, pack, [dispatch,] permute, gate-up, activation, down, [all-reduce,] finalize, [combine,] residual + norm
//   head                                                                          once
//
// Residual and norm are one kernel, as are attention with the rotary embedding and the cache's update, and the weighted sum of
// the experts' rows with the second residual: how serving libraries launch them. Dispatch sends a row once to a rank, or, where
// the ep group spans several nodes, once to a node (to the GPU of the same index) and on from there by the scale-up fabric;
// combine goes the same way back and adds in the node before it leaves.
//
// The Program carries its meaning layer by layer, so that verify proves that the logits are those of the whole model: linear
// layers as einsums (a missing or doubled slice of any of them is found), everything else as functions of what it reads.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/collective/collective.hpp"
#include "weft/machine/machine.hpp"
#include "weft/model/model.hpp"
#include "weft/program/program.hpp"

namespace weft::compile {

struct Layout {
  std::int64_t tp = 1, ep = 1, pp = 1, dp = 1;
  std::int64_t ranks() const { return tp * ep * pp * dp; }
  std::int64_t groups() const { return ep * dp; }  ///< each with sequences of its own
};
/// "tp=8,ep=16,pp=1,dp=2"; those left out are 1. Throws a usage Error.
Layout parse_layout(std::string_view text);
std::string to_string(const Layout& layout);

struct StepRequest {
  model::Model model;
  std::string phase = "decode";
  std::int64_t batch = 1;  ///< sequences over all replicas
  std::int64_t seq = 1;    ///< positions in each sequence's cache, the new one included
  Layout layout;
  machine::DType dtype = machine::DType::bf16;  ///< of weights, cache and activations
  std::string routing = "uniform";
  std::string all_reduce = "ring";
  collective::Parameters all_reduce_parameters;
};

/// What one rank must hold, before anything is compiled. Activations: the two largest tensors that live at once, at least.
struct MemoryEstimate {
  Bytes weights{0}, kv_cache{0}, activations{0};
  Bytes total() const { return weights + kv_cache + activations; }
};
MemoryEstimate memory_estimate(const StepRequest& request);

/// Throws a usage Error that names the layout's fault (what does not divide, by what), `phase`s and `pp`s that are not
/// compiled, and more ranks than the machine has sites; infeasible where the estimate exceeds a rank's memory, with the
/// missing bytes.
void check_step(const StepRequest& request, const machine::Machine& machine);

/// check_step, then the Program.
program::Program compile_step(const StepRequest& request, const machine::Machine& machine);

/// Sites of the program's ranks by the node they share: two ranks share one where the innermost fabric joins them.
std::vector<std::uint32_t> nodes_of(const machine::Machine& machine, std::int64_t ranks);

}  // namespace weft::compile
