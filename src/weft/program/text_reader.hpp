// The reader of the Program's text: one method a statement, over the cursor of lexer.hpp. Grammar: docs/program-text.md.
//
// A statement that cannot be read is reported and the next line is tried, so that a user sees several faults at once. Tasks may
// be named before they are written (`of i-1`), so edges are resolved at the end of their scope (the program or a block).
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "weft/program/lexer.hpp"
#include "weft/program/program.hpp"

namespace weft::program {

/// Words with a meaning of their own where a name could stand; the printer quotes names that look like one.
bool reserved(std::string_view word);
/// Words that begin a clause or continue a reference: they end a list of names.
bool clause_word(const Word& word);
/// A number type by its name or an alias.
std::optional<DType> number_type(std::string_view word);

class TextReader {
 public:
  TextReader(std::string_view text, std::string_view file) : lex_(text, file) {}
  Program run();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  using Names = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

  /// A task or call: where it stands in the list and in which repeat.
  struct Node {
    bool call = false;
    std::uint32_t index = 0;
    std::uint32_t order = 0;
    std::uint32_t repeat = kNone;  ///< innermost open repeat: index into Program::repeats
  };
  struct Wait {
    std::uint32_t node = 0;  ///< who waits
    std::size_t edge = 0;
    Word target;
    std::uint32_t of = kNone;  ///< the repeat whose counter `of` names
    Spot where;
  };
  struct Scope {
    Names names;  ///< into nodes
    std::vector<Node> nodes;
    std::vector<Wait> waits;
    std::vector<VarId> bound;            ///< parameters and open repeats' counters
    std::vector<std::uint32_t> repeats;  ///< open ones
  };
  enum class Nest : std::uint8_t { repeat, block, meaning, broken };
  struct Open {
    Nest kind = Nest::broken;
    std::uint32_t index = 0;
    Spot where;
  };
  struct EdgeName {
    Word target;
    std::uint32_t of = kNone;
  };
  /// A set's sites with the axes that were written `*`.
  struct Site {
    SiteRef ref;
    std::vector<bool> star;
    const char* at = nullptr;
  };

  // text_read.cpp: statements, bodies, scopes
  void header();
  void statement();
  void dispatch(const Word& first);
  void report(const TextFailure& failure);
  void recover(const Word& first);
  void open(Nest kind, std::uint32_t index, const char* at);
  void read_repeat();
  void read_block();
  void read_call();
  void read_end();
  void close_unended();
  std::uint32_t add_node(const Word& name, bool call, std::uint32_t index);
  void add_waits(std::uint32_t node);
  void close_scope();
  void resolve(const Scope& scope, const Wait& wait);
  std::uint32_t shared_repeat(std::uint32_t a, std::uint32_t b) const;
  void fault(const Wait& wait, const std::string& task, std::string message, std::string hint);

  // text_read_declare.cpp
  void read_name();
  void read_sites();
  void read_tensor();
  void read_buffer();
  void read_table();
  void table_row(Table& table, std::uint32_t sites);
  void read_up();
  void read_start();
  std::vector<std::int64_t> shape(std::int64_t least, std::int64_t most);
  void declare(Names& names, const Word& name, std::uint32_t id, std::string_view what);
  Bytes bytes();
  DType dtype(const Word& word);
  std::string label(std::string_view what) { return std::string(lex_.label(what).text); }

  // text_read_meaning.cpp
  void read_let();
  void read_repeat_let();
  void read_goal();
  char equation_ahead();  ///< '+' for `+=`, '=' for `=`, 0 for none
  Meaning meaning(char sign);
  Meaning::Operand operand(bool einsum);
  void einsum_axis(Meaning::Operand& out);
  void active_axis(Meaning& out);
  void standard_goal(Goal& goal, GoalKind kind);
  void place_goal(Goal& goal);

  // text_read_index.cpp
  struct Value {
    IndexExpr e;
    const char* at = nullptr;
  };
  Value sum(int depth);
  Value product(int depth);
  Value atom(int depth);
  void postfix(Value& v);
  void add(Value& a, const Value& b, std::int64_t sign);
  void scale(Value& a, std::int64_t k, const char* at);
  void require_linear(const Value& v);
  std::int64_t checked(std::int64_t v, const char* at) const;
  IndexExpr index() { return sum(0).e; }
  AxisRange axis(bool* star = nullptr);
  Site site(std::string_view what);
  ChunkRef chunk();
  std::vector<SetIndex> over();
  VarId variable(const Word& word);
  void begin_uses() { uses_.clear(); }
  void require_bound(const std::vector<SetIndex>& over, const std::vector<VarId>& bound);
  BufferId buffer(const Word& word);
  BufferId buffer_named() { return buffer(lex_.name("a buffer or tensor")); }
  TensorId tensor_named();
  TableId table_named();
  SpaceId space_named(const Word& word);
  const Tensor& tensor_of(BufferId buffer) const;
  std::uint32_t find(const Names& names, const Word& word, std::string_view what,
                     const std::vector<std::string>& candidates);

  // text_read_task.cpp
  void read_task(const Word& name);
  void read_kernel(Task& task, const Word& op);
  bool kernel_word(Task& task, bool& typed);
  void read_move(Task& task);
  void destination(Task& task);
  void read_control(Task& task);
  void clauses(Task& task);
  bool clause(Task& task, const Word& word);
  bool move_clause(Task& task, const Word& word);
  bool edge_clause(std::vector<Edge>& edges);
  void stream_words(Edge& edge, EdgeName& name);
  void of_round(Edge& edge, EdgeName& name);
  void chunks(std::vector<ChunkRef>& out);
  void circuits(std::vector<std::string>& out);
  void only(const Task& task, Kind kind, const Word& word);
  void spread(Site& at);
  void finish(Task& task, const Word& name);

  Lexer lex_;
  Program p_;
  std::vector<Buffer> later_;
  Names spaces_, buffers_, tables_, blocks_, vars_;
  std::vector<Scope> scopes_;
  std::vector<std::vector<Item>> bodies_;
  std::vector<std::vector<MeaningItem>> meanings_;
  std::vector<VarId> meaning_bound_;
  std::vector<Open> open_;
  std::vector<std::uint32_t> repeat_parent_;         ///< enclosing repeat of each repeat
  std::vector<std::pair<VarId, const char*>> uses_;  ///< variables of the current statement
  std::vector<EdgeName> edge_names_;                 ///< of the current statement
  bool typed_ = false;                               ///< the current kernel names its number type
  std::uint32_t order_ = 0;
  std::vector<Diagnostic> errors_, faults_;
};

}  // namespace weft::program
