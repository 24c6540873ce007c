#include <algorithm>

#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Rounded down, below 0 too.
Index chunk_of(Index place, Index size) {
  return place >= 0 ? place / size : -((size - 1 - place) / size);
}

// Which blocks of keys each block of queries sees, one plane for all heads or one each; counted from query and key 0.
struct Layout {
  std::shared_ptr<const Tensor> values;  // (N_q, N_k) or (1|M, N_q, N_k)
  Index size, maps;                      // of a block; of all heads together

  bool by_head() const { return values->rank() == 3 && values->dim(0) > 1; }
  float at(const MaskCell& c) const {
    const Index plane = by_head() ? c.head * values->dim(0) / maps : 0;
    return (*values)[(plane * values->dim(-2) + c.place / size) * values->dim(-1) + c.key / size];
  }
  // What each pair of positions reads.
  Code code() const {
    const std::string blocks = fmt::format("i // {0}, j // {0}", size);
    if (!by_head()) return both(fmt::format("block_layout[{}{}]", values->rank() == 3 ? "0, " : "", blocks));
    const Index each = maps / values->dim(0);
    if (each == 1) return both(fmt::format("block_layout[None, :, {}]", blocks));
    return {fmt::format("np.repeat(block_layout, {}, axis=0)[None, :, {}]", each, blocks),
            fmt::format("block_layout.repeat_interleave({}, dim=0)[None, :, {}]", each, blocks)};
  }
};

// Block-local attention: positions are cut into blocks, and a query sees those beside its own; or those that an array
// names, as in Child et al. 2019, Sparse Transformer, and Zaheer et al. 2020, BigBird, section 2.
class Chunks final : public MaskOption {
 public:
  Chunks() : MaskOption({"chunks", "Chunks", "own block of positions", MaskRule::By::blocks}, {{"chunk", Index{4}}}) {}
  std::vector<ParamSpec> params() const override {
    std::vector<ParamSpec> list{
        mask::count("chunk", "Chunk",
                    "Positions are cut into blocks of this size, and a query sees its own; automatic is no blocks.",
                    std::monostate{}, 1),
        mask::count("chunk_left", "Chunks before", "How many blocks before its own a query sees as well.", Index{0}),
        mask::count("chunk_right", "Chunks after", "How many blocks after its own a query sees as well.", Index{0})};
    list[0].breaks_named_heads = true;
    list[0].offer = {"Chunks",
                     "Positions are cut into blocks, and a query sees the keys of its own (Llama 4's local layers).",
                     Index{4}};
    list[1].part_of = list[2].part_of = "chunk";
    return list;
  }

  std::vector<ArraySpec> inputs(const ParamValues& params, const IdSet& given) const override {
    if (params.is_automatic("chunk") && !given.contains("block_layout")) return {};
    return {mask::array("block_layout", "Block layout",
                        "Which blocks of keys a block of queries sees, 1 where it does, in place of those beside it.",
                        {{"N_q", "N_k"}, {"M", "N_q", "N_k"}, {"1", "N_q", "N_k"}})};
  }
  Status check(const Problem& problem) const override {
    const auto layout = mask::given(problem, "block_layout");
    if (!layout) return {};
    if (problem.params.is_automatic("chunk"))
      return fail("block_layout needs chunk, the number of positions in a block");
    if (problem.params.integer("query_offset") != 0)
      return fail("block_layout counts its blocks from query 0: set query_offset to 0");
    const Index size = problem.params.integer("chunk"), keys = blocks_of(problem.dim("n_k"), size);
    const Index row = problem.only_query.value_or(0) / size, rows = layout->dim(-2);
    const Index queries = problem.only_query ? std::max(rows, row + 1) : blocks_of(problem.dim("n_q"), size);
    if (rows == queries && layout->dim(-1) == keys) return {};
    return fail("block_layout has {} × {} blocks, and chunk {} makes {} × {}: give it that shape, or change chunk",
                rows, layout->dim(-1), size, queries, keys);
  }

  std::optional<MaskRule> rule(const Problem& problem) const override {
    if (problem.params.is_automatic("chunk")) return std::nullopt;
    if (mask::given(problem, "block_layout")) return rule_of_layout(problem);
    const Index size = problem.params.integer("chunk"), left = problem.params.integer("chunk_left"),
                right = problem.params.integer("chunk_right");
    return MaskRule{
        .part = MaskRule::Part::reach,
        .applies =
            [=](const MaskCell& c) {
              const Index apart = chunk_of(c.key, size) - chunk_of(c.place, size);
              return apart < -left || apart > right;
            },
        .why =
            [size](const MaskCell& c) {
              return fmt::format("chunk: key {} is in chunk {}, query {} in chunk {}", c.key, chunk_of(c.key, size),
                                 c.place, chunk_of(c.place, size));
            },
        .next_change =
            [=](const MaskCell& c) {
              const Index own = chunk_of(c.place, size);
              return mask::next_border(c, {(own - left) * size, (own + right + 1) * size});
            },
        .code = both(fmt::format("(j // {0} - i // {0} < {1}) | (j // {0} - i // {0} > {2})", size, -left, right)),
        .says = left == 0 && right == 0 ? fmt::format("key in own block of {}", size)
                                        : fmt::format("{} to {} blocks of {} away", -left, right, size)};
  }
  std::string note(const Recorder& r) const override {
    if (r.params().is_automatic("chunk")) return "";
    return r.has("block_layout") ? "Block layout: positions are cut into blocks, and an array says which blocks of "
                                   "{key:keys} each block of {query:queries} sees."
                                 : "Chunks: positions are cut into blocks, and a {query:query} sees {key:keys} of its "
                                   "own and of those beside it that are let in.";
  }

 private:
  static Index blocks_of(Index positions, Index size) { return (positions + size - 1) / size; }
  static MaskRule rule_of_layout(const Problem& problem) {
    const Index size = problem.params.integer("chunk"), maps = problem.dim(problem.symbols.contains("2M") ? "2M" : "M");
    const Layout layout{mask::given(problem, "block_layout"), size, maps};
    const Code read = layout.code();
    return {.part = MaskRule::Part::reach,
            .applies = [layout](const MaskCell& c) { return layout.at(c) == 0; },
            .why =
                [size](const MaskCell& c) {
                  return fmt::format("block layout: block {}, {} is 0", c.place / size, c.key / size);
                },
            .next_change = [size](const MaskCell& c) { return (c.key / size + 1) * size; },
            .code = {read.numpy + " == 0", read.torch + " == 0"},
            .by_head = layout.by_head(),
            .says = "key in a marked block"};
  }
};

}  // namespace

const MaskOption& chunks() {
  static const Chunks option;
  return option;
}

}  // namespace headlight
