// The members of one written task: the values of its set indices, with sites, bytes and lanes evaluated and checked.
#pragma once
#include <cstdint>
#include <vector>

#include "weft/program/expand.hpp"
#include "weft/program/expand_chunk.hpp"

namespace weft::program {

/// A form fault: check_failed with the task's name as field and its line.
[[noreturn]] void form_fault(const std::string& name, int line, const std::string& message,
                             const std::string& hint = {});

class MemberWriter {
 public:
  explicit MemberWriter(Expansion& expansion);
  /// Appends the members of a task; `env` holds counters and parameters and is used for the set indices meanwhile.
  void append(TaskId task, std::int64_t* env);

 private:
  void check_task(const Task& task) const;
  void append_table(const Task& task, std::int64_t* env);
  void append_member(const Task& task, std::uint32_t ordinal, const std::int64_t* env);
  void append_compute(const Task& task, std::uint32_t ordinal, const std::int64_t* env);
  void append_move(const Task& task, std::uint32_t ordinal, const std::int64_t* env);
  void append_fan(const Task& task, Member member, const std::int64_t* env);
  void append_control(const Task& task, std::uint32_t ordinal, const std::int64_t* env);
  void push(const Member& member);
  std::uint32_t list_for(const Task& task, const SiteRef& ref, const std::int64_t* env);
  std::int64_t bytes(const Tensor& tensor, std::int64_t cells);
  std::int32_t lane(const Task& task, const std::int64_t* env) const;
  const std::vector<SiteId>& all_sites();

  Expansion& e_;
  const Program& p_;
  ChunkEvaluator chunks_;
  FlatBoxes boxes_;
  std::vector<SiteId> scratch_, all_;
  std::vector<std::uint32_t> shared_list_;  ///< by task: a list that does not depend on indices
  const Task* task_ = nullptr;
  const Tensor* last_tensor_ = nullptr;
  std::int64_t last_cells_ = -1, last_bytes_ = 0;
};

}  // namespace weft::program
