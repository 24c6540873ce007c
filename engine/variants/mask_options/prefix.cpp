#include <algorithm>

#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Raffel et al. 2020, section 3.2.1: a causal mask whose first keys are seen by all.
class Prefix final : public MaskOption {
 public:
  Prefix()
      : MaskOption({"prefix", "Prefix", "causal past the first keys"}, {{"mask", std::string("prefix")}},
                   Choice{"prefix", "Prefix", "As causal, but every query sees the first keys (Raffel et al. 2020)."}) {
  }
  std::vector<ParamSpec> params() const override {
    ParamSpec length = mask::count("prefix_length", "Prefix",
                                   "How many of the first keys every query sees, under the mask prefix.", Index{1});
    length.part_of = "mask";
    length.part_of_choice = choice()->id;
    return {std::move(length)};
  }
  std::vector<ArraySpec> inputs(const ParamValues& params, const IdSet&) const override {
    if (!is_chosen(params)) return {};
    return {mask::array("prefix_lens", "Prefix lengths",
                        "How many of the first keys every query sees, for each sequence.", {{"B"}})};
  }
  Status check(const Problem& problem) const override { return mask::check_whole(problem, "prefix_lens", ""); }

  std::optional<MaskRule> rule(const Problem& problem) const override {
    if (!is_chosen(problem.params)) return std::nullopt;
    const auto lens = mask::given(problem, "prefix_lens");
    const auto length = [lens, all = problem.params.integer("prefix_length")](const MaskCell& c) {
      return lens ? static_cast<Index>((*lens)[c.batch]) : all;
    };
    return MaskRule{
        .applies = [length](const MaskCell& c) { return c.key > c.place && c.key >= length(c); },
        .why =
            [length](const MaskCell& c) {
              return fmt::format("prefix: key {} comes after query {} and after the prefix of {}", c.key, c.place,
                                 length(c));
            },
        .why_not =
            [length](const MaskCell& c) {
              return c.key <= c.place ? fmt::format("key {} ≤ query {}", c.key, c.place)
                                      : fmt::format("key {} is in the prefix of {}", c.key, length(c));
            },
        .next_change = [length](const MaskCell& c) { return mask::next_border(c, {std::max(c.place + 1, length(c))}); },
        .code = both(lens ? "(j > i)[None, None] & (j >= prefix_lens[:, None, None, None])"
                          : fmt::format("(j > i) & (j >= {})", problem.params.integer("prefix_length"))),
        .by_batch = lens != nullptr,
        .says = lens ? "key ≤ query, or in the prefix"
                     : fmt::format("key ≤ query or key < {}", problem.params.integer("prefix_length"))};
  }
  std::string note(const Recorder&) const override {
    return "Prefix: a {query:query} sees what comes before it and the whole of the prefix, which is read at once.";
  }
};

}  // namespace

const MaskOption& prefix() {
  static const Prefix option;
  return option;
}

}  // namespace headlight
