#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

class PaddingMask final : public MaskOption {
 public:
  PaddingMask() : MaskOption({"padding", "Padding", "keys that are no padding", MaskRule::By::absence}) {}
  std::vector<ArraySpec> inputs(const ParamValues&, const IdSet&) const override {
    ArraySpec spec = mask::array("key_padding_mask", "Padding mask", "1 where a key is to be ignored.", {{"B", "n_k"}});
    spec.boolean_ok = true;
    return {std::move(spec)};
  }
  Status check(const Problem& problem) const override {
    const auto flags = mask::given(problem, "key_padding_mask");
    for (Index cell = 0; flags && cell < flags->size(); ++cell)
      if (const float flag = (*flags)[cell]; flag != 0 && flag != 1)
        return fail("key_padding_mask[{}] is {}: it must be 1 to ignore the key or 0 to use it",
                    fmt::join(index_at_flat(flags->shape(), cell), ", "), flag);
    return {};
  }

  std::vector<std::pair<std::string, Tensor>> sample_arrays(const Problem& problem) const override {
    Tensor flags({problem.dim("B"), problem.dim("n_k")});
    for (Index b = 0; b < flags.dim(0); ++b)
      for (Index j = std::max<Index>(1, flags.dim(1) - 2); j < flags.dim(1); ++j) flags[b * flags.dim(1) + j] = 1;
    return {{"key_padding_mask", flags}};
  }
  std::optional<MaskRule> rule(const Problem& problem) const override {
    const auto flags = mask::given(problem, "key_padding_mask");
    if (!flags) return std::nullopt;
    return MaskRule{
        .applies = [flags, n = problem.dim("n_k")](const MaskCell& c) { return (*flags)[c.batch * n + c.key] != 0; },
        .why = [](const MaskCell& c) { return fmt::format("padding mask: key {} is ignored", c.key); },
        .code = both("key_padding_mask[:, None, None, :] == 1"),
        .by_batch = true,
        .by_query = false,
        .by_place = false,
        .says = "key is no padding"};
  }
};

}  // namespace

const MaskOption& padding_mask() {
  static const PaddingMask option;
  return option;
}

}  // namespace headlight
