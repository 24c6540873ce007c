#include <algorithm>

#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

class ValidLengths final : public MaskOption {
 public:
  ValidLengths() : MaskOption({"lengths", "Valid length", "keys up to a length", MaskRule::By::absence}) {}
  std::vector<ArraySpec> inputs(const ParamValues&, const IdSet&) const override {
    return {mask::array("valid_lens", "Valid lengths",
                        "How many keys count, for each sequence or for each query; the rest are padding.",
                        {{"B"}, {"B", "n_q"}})};
  }
  Status check(const Problem& problem) const override { return mask::check_whole(problem, "valid_lens", "of keys "); }

  std::vector<std::pair<std::string, Tensor>> sample_arrays(const Problem& problem) const override {
    Tensor lens({problem.dim("B")});
    for (Index b = 0; b < lens.size(); ++b) lens[b] = static_cast<float>(std::max<Index>(1, problem.dim("n_k") - 2));
    return {{"valid_lens", lens}};
  }
  std::optional<MaskRule> rule(const Problem& problem) const override {
    const auto lens = mask::given(problem, "valid_lens");
    if (!lens) return std::nullopt;
    const bool by_query = lens->rank() == 2;
    const auto length = [lens, by_query, n = problem.dim("n_q")](const MaskCell& c) {
      return static_cast<Index>((*lens)[by_query ? c.batch * n + c.query : c.batch]);
    };
    return MaskRule{
        .applies = [length](const MaskCell& c) { return c.key >= length(c); },
        .why =
            [length](const MaskCell& c) {
              return length(c) == 0 ? std::string("valid length 0: every key is padding")
                                    : fmt::format("valid length {0}: keys {0} and later are padding", length(c));
            },
        .next_change = [length](const MaskCell& c) { return mask::next_border(c, {length(c)}); },
        .code = both(fmt::format("j >= valid_lens[{}]", by_query ? ":, None, :, None" : ":, None, None, None")),
        .by_batch = true,
        .by_query = by_query,
        .says = lens->size() == 1 ? fmt::format("key < {}", (*lens)[0]) : std::string("key < valid length")};
  }
};

}  // namespace

const MaskOption& valid_lengths() {
  static const ValidLengths option;
  return option;
}

}  // namespace headlight
