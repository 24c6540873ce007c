#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Rounded down, below 0 too.
Index chunk_of(Index place, Index size) {
  return place >= 0 ? place / size : -((size - 1 - place) / size);
}

// Block-local attention: positions are cut into blocks, and a query sees those beside its own.
class Chunks final : public MaskOption {
 public:
  std::vector<ParamSpec> params() const override {
    std::vector<ParamSpec> list{
        mask::count("chunk", "Chunk",
                    "Positions are cut into blocks of this size, and a query sees its own; automatic is no blocks.",
                    std::monostate{}, 1),
        mask::count("chunk_left", "Chunks before", "How many blocks before its own a query sees as well.", Index{0}),
        mask::count("chunk_right", "Chunks after", "How many blocks after its own a query sees as well.", Index{0})};
    list[0].unmakes_heads = true;
    list[1].part_of = list[2].part_of = "chunk";
    return list;
  }

  const MaskLayer& layer() const override {
    static const MaskLayer layer{"chunks", "Chunks", "own block of positions"};
    return layer;
  }
  std::vector<std::pair<std::string, ParamValue>> usual(const Problem&) const override { return {{"chunk", Index{4}}}; }
  std::optional<MaskRule> rule(const Problem& problem) const override {
    if (problem.params.is_automatic("chunk")) return std::nullopt;
    const Index size = problem.params.integer("chunk"), left = problem.params.integer("chunk_left"),
                right = problem.params.integer("chunk_right");
    return MaskRule{
        .part = MaskRule::Part::reach,
        .applies =
            [=](const MaskCell& c) {
              const Index apart = chunk_of(c.key, size) - chunk_of(c.place, size);
              return apart < -left || apart > right;
            },
        .because =
            [size](const MaskCell& c) {
              return fmt::format("chunk: key {} is in chunk {}, query {} in chunk {}", c.key, chunk_of(c.key, size),
                                 c.place, chunk_of(c.place, size));
            },
        .code = both(fmt::format("(j // {0} - i // {0} < {1}) | (j // {0} - i // {0} > {2})", size, -left, right)),
        .says = left == 0 && right == 0 ? fmt::format("key in own block of {}", size)
                                        : fmt::format("{} to {} blocks of {} away", -left, right, size)};
  }
  std::string note(const Recorder& r) const override {
    return r.params().is_automatic("chunk")
               ? ""
               : "Chunks: positions are cut into blocks, and a {query:query} sees {key:keys} of its own and of those "
                 "beside it that are let in.";
  }
};

}  // namespace

const MaskOption& chunks() {
  static const Chunks option;
  return option;
}

}  // namespace headlight
