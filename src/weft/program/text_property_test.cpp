// Property: any Program that the Builder writes survives its own text, and means the same.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "weft/program/builder.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/text.hpp"

namespace weft::program {
namespace {

constexpr std::uint32_t kSites = 8;

int pick(int below) {
  return *rc::gen::inRange(0, below);
}
bool maybe() {
  return pick(2) == 1;
}

/// Writes a random Program. Its tasks touch every site of `row`, so that edges between sets bind; what may not is
/// `after all`.
class Writer {
 public:
  Writer() : b_(names(pick(3))), n_(2 << pick(2)) {}

  Program write() {
    declare();
    meanings();
    for (int k = pick(4); k > 0; --k) goal();
    if (maybe()) blocks();
    body(2);
    return b_.take();
  }

 private:
  static std::string names(int k) {
    static const std::vector<std::string> all = {"ring", "a b # c", "to \"x\""};
    return all[static_cast<std::size_t>(k)];
  }
  SiteRef everyone() const { return Builder::at(row_, {all()}); }
  Lin j() { return var(b_.var("j")); }

  void declare() {
    row_ = b_.space("row", {n_});
    grid_ = b_.space("grid", {2, 4}, 0);
    static const std::vector<DType> types = {DType::f32, DType::bf16, DType::u8, DType::f16};
    x_ = maybe() ? b_.tensor("x", {n_, 4, 6}, types[static_cast<std::size_t>(pick(4))])
                 : b_.tensor("x", {n_, 4, 6}, Bytes(1 + pick(1'000'000)));
    in_ = b_.buffer("in", x_, maybe() ? "hbm" : "");
    y_ = b_.tensor("y", {n_, n_}, types[static_cast<std::size_t>(pick(4))]);
    z_ = b_.tensor("of", {7}, Bytes(3));  // a keyword as a name
    std::vector<Table::Row> rows;
    for (int k = pick(6) + 1; k > 0; --k) {
      const int n = static_cast<int>(n_), from = pick(n), first = pick(4);
      const auto site = [](int s) { return static_cast<std::uint32_t>(s); };
      rows.push_back({site(from), site((from + 1 + pick(n - 1)) % n), site(pick(n)), first, 1 + pick(4 - first)});
    }
    table_ = b_.table("d.rows", row_, rows);
    if (maybe()) b_.up("ocs:0-1");
    b_.start(Builder::chunk(x_, {one(j()), all(), all()}), Builder::at(row_, {one(j())}), {{b_.var("j"), 0, n_}});
    if (maybe()) b_.start(Builder::chunk(z_), Builder::at(grid_, {one(pick(2)), range(1, 2)}));
    if (maybe()) b_.start(Builder::chunk(in_, {range(0, n_), one(2), all()}), everyone());
  }

  void meanings() {
    if (maybe()) {
      Meaning product;
      product.out = {y_, {"m", "n"}, {}};
      product.in = {{y_, {"m", "k"}, {}}, {x_, {"k", "n", "t"}, {}}};
      b_.meaning(product);
    }
    if (maybe()) return;
    b_.meaning_repeat(1 + pick(3), b_.var("l"), [&] {
      Meaning m;
      m.einsum = false;
      m.op = maybe() ? "attention" : "silu";
      m.out = {y_, {}, {one(mod(var(b_.var("l")) + pick(3), n_)), all()}};
      m.in = {{x_, {}, {all(), range(1, 2), all()}}, {z_, {}, {}}};
      b_.meaning(m);
    });
  }

  Goal random_goal() {
    static const std::vector<GoalKind> kinds = {GoalKind::place,      GoalKind::deliver,    GoalKind::broadcast,
                                                GoalKind::reduce,     GoalKind::all_reduce, GoalKind::reduce_scatter,
                                                GoalKind::all_gather, GoalKind::all_to_all, GoalKind::send_recv};
    Goal g;
    g.kind = kinds[static_cast<std::size_t>(pick(9))];
    g.buffer = maybe() ? in_ : x_;
    const Placement root{{}, {}, Builder::at(row_, {one(pick(static_cast<int>(n_)))}), 0};
    switch (g.kind) {
      case GoalKind::place:
        g.buffer = kNone;
        g.place.push_back(
            {{{b_.var("j"), 0, n_}}, Builder::chunk(y_, {one(j()), all()}), Builder::at(row_, {one(j())}), 0});
        if (maybe()) g.place.push_back({{}, Builder::chunk(z_), Builder::at(grid_, {all(), all()}), 0});
        break;
      case GoalKind::deliver:
        g.table = table_;
        break;
      case GoalKind::send_recv:
        g.place = {root, root};
        break;
      case GoalKind::broadcast:
      case GoalKind::reduce:
        g.place = {root};
        [[fallthrough]];
      default:
        g.ranks = maybe() ? everyone() : Builder::at(row_, {range(0, 2)});
    }
    return g;
  }
  void goal() { b_.goal(random_goal()); }

  /// A place on an axis of n: any rotation of j by the counters around it, or an exclusive or.
  Lin place() {
    if (maybe()) return mod(flip(j(), 1), n_);
    Lin e = j();
    for (const VarId v : counters_) e = maybe() ? e + pick(3) * var(v) : e - var(v);
    return mod(e + pick(4), n_);
  }
  ChunkRef piece() {
    const int first = pick(6);
    return Builder::chunk(maybe() ? in_ : x_,
                          {one(place()), maybe() ? all() : one(pick(4)), range(first, 1 + pick(6 - first))});
  }

  struct Name {
    std::string name;
    bool set = true;  ///< binds at every site of `row`
  };
  std::string next() { return (maybe() ? "t" : "over-") + std::to_string(count_++); }

  void edges(TaskBuilder& t, const std::string& self, bool set, bool streams) {
    for (int k = pick(3); k > 0 && !seen_.empty(); --k) {
      const Name& on = seen_[static_cast<std::size_t>(pick(static_cast<int>(seen_.size())))];
      if (streams && set && on.set && maybe()) {
        t.streams(on.name, Bytes(1 + pick(5000)), pick(3));
      } else {
        t.after(on.name, 0, !set || !on.set || maybe());
      }
    }
    if (repeats_ > 0 && maybe()) t.after(self, 1 + pick(2), maybe());
    if (maybe()) t.tag(maybe() ? "layer/0" : "attention");
  }

  void move() {
    const std::string name = next();
    auto t = b_.move(name);
    const int shape = pick(4);
    if (shape == 0) {
      t.what(Builder::chunk(x_)).by(table_).from(row_, {}).to(row_, {});
    } else if (shape == 1) {
      t.what(Builder::chunk(z_)).from(row_, {one(0)}).to(row_, {range(1, n_ - 1)}).cast(Cast::multicast);
    } else if (shape == 2) {
      t.what(Builder::chunk(x_, {all(), one(1), all()}))
          .into(in_)
          .from(row_, {all()})
          .to(row_, {one(n_ - 1)})
          .cast(Cast::reduce);
    } else {
      t.what(piece()).from(row_, {one(j())}).to(row_, {one(mod(j() + 1 + pick(static_cast<int>(n_) - 1), n_))});
      if (maybe()) t.into(in_);
      if (maybe()) t.lane(maybe() ? mod(j(), 2) : Lin(pick(5)));
    }
    if (maybe()) t.weight(0.25 * (1 + pick(20)));
    if (maybe()) t.transport("LL128");
    if (maybe()) t.via(maybe() ? "ocs:0-1" : "spine");
    edges(t, name, shape == 3, true);
    seen_.push_back({name, shape == 3});
  }

  void compute() {
    const std::string name = next();
    auto t = b_.compute(name, maybe() ? "matmul" : "elementwise", maybe() ? DType::f16 : DType::f8);
    const int shape = pick(3);
    if (shape == 0) t.at(row_, {one(j())}).reads(piece()).adds(piece());
    if (shape == 1) t.at(row_, {all()}).writes(Builder::chunk(z_, {range(pick(3), 4)}));
    if (shape == 2) t.at(grid_, {one(var(b_.var("g"))), one(var(b_.var("h")))}).reads(Builder::chunk(z_));
    if (maybe()) t.dim("m", 1 + pick(100)).dim("k", counters_.empty() ? Lin(2) : 2 * var(counters_.back()) + 1);
    if (shape == 0 && maybe())
      t.reads(ChunkRef{x_, {}, maybe() ? ChunkRef::By::table_to : ChunkRef::By::table_from, table_});
    edges(t, name, true, true);
    seen_.push_back({name, true});
  }

  void control() {
    const std::string name = next();
    const int kind = pick(3);
    auto t = kind == 0   ? b_.barrier(name, everyone())
             : kind == 1 ? b_.control(name, Control::launch, Builder::at(grid_, {}))
                         : b_.control(name, Control::reconfigure, SiteRef{});
    if (kind == 2) t.circuits("ocs", {"0-1"}, {"0-2", "1-2"});
    edges(t, name, false, false);
    seen_.push_back({name, false});
  }

  void body(int depth) {
    for (int k = 1 + pick(4); k > 0; --k) {
      switch (pick(depth > 0 ? 6 : 4)) {
        case 0:
        case 1:
          move();
          break;
        case 2:
          compute();
          break;
        case 3:
          control();
          break;
        case 4:
          call();
          break;
        default:
          b_.repeat(1 + pick(3), "i" + std::to_string(counters_.size()), [&](VarId i) {
            counters_.push_back(i);
            ++repeats_;
            body(depth - 1);
            --repeats_;
            counters_.pop_back();
          });
      }
    }
  }

  void blocks() {
    const VarId layer = b_.var("layer");
    std::vector<Goal> goals;
    if (maybe()) goals.push_back(random_goal());
    block_ = b_.block("decoder", {layer}, goals, [&] {
      counters_.push_back(layer);
      move();
      compute();
      counters_.pop_back();
    });
    seen_.clear();  // names inside are its own
  }

  void call() {
    if (block_ == kNone) return;
    const std::string name = "call" + std::to_string(count_++);
    std::vector<Wait> waits;
    if (!seen_.empty()) waits.push_back({seen_.back().name, 0, true});
    b_.call(block_, name, {counters_.empty() ? Lin(pick(9)) : var(counters_.back()) + 1}, waits);
    seen_.push_back({name, false});
  }

  Builder b_;
  std::int64_t n_;
  SpaceId row_ = 0, grid_ = 0;
  TensorId x_ = 0, y_ = 0, z_ = 0;
  BufferId in_ = 0;
  TableId table_ = 0;
  std::uint32_t block_ = kNone;
  std::vector<VarId> counters_;
  std::vector<Name> seen_;
  int count_ = 0, repeats_ = 0;
};

/// Expansion in words, without the ids that the order of declarations decides.
std::vector<std::string> flat(const Program& p) {
  const Expansion e = expand(p, kSites);
  std::vector<std::string> out;
  for (const Instance& i : e.instances) {
    std::string line = e.task(i).name + " call " + std::to_string(i.call);
    for (const InstanceEdge& edge : e.edges_of(i)) {
      for (const std::int64_t v : {std::int64_t{edge.on}, std::int64_t{edge.all},
                                   std::int64_t{edge.kind == Edge::Kind::streams}, edge.grain.value(), edge.window}) {
        line += " " + std::to_string(v);
      }
    }
    for (const Member& m : e.of(i)) {
      line += ";";
      for (const std::int64_t v :
           {std::int64_t{m.src}, std::int64_t{m.dst}, m.bytes, std::int64_t{m.lane}, std::int64_t{m.ordinal}}) {
        line += " " + std::to_string(v);
      }
      if (m.list != kNone) {
        for (const SiteId s : e.lists[m.list]) line += "," + std::to_string(s);
      }
    }
    out.push_back(std::move(line));
  }
  return out;
}

RC_GTEST_PROP(ProgramTextProperty, ParsingWhatIsPrintedGivesTheSameProgram, ()) {
  const Program p = Writer().write();
  const std::string text = print(p);
  RC_LOG() << text;
  const Program again = parse(text, "printed.weft");
  RC_ASSERT(same(p, again));
  RC_ASSERT(print(again) == text);
}

RC_GTEST_PROP(ProgramTextProperty, ParsingWhatIsPrintedGivesTheSameExpansion, ()) {
  const Program p = Writer().write();
  RC_LOG() << print(p);
  RC_ASSERT(flat(p) == flat(parse(print(p), "printed.weft")));
}

}  // namespace
}  // namespace weft::program
