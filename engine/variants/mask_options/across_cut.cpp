#include <algorithm>

#include "engine/ops/shifted_windows.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Liu et al. 2021, section 3.2: a picture that is rolled in a circle brings pixels of opposite sides into one window,
// where they stay apart.
class AcrossCut final : public MaskOption {
 public:
  AcrossCut()
      : MaskOption({"across_cut", "Across the cut", "no key from beyond the picture’s edge", MaskRule::By::blocks}) {}
  Values sample_values(const Problem& problem) const override {
    return {{"shift", std::max<Index>(1, problem.params.integer("window") / 2)}};
  }

  std::optional<MaskRule> rule(const Problem& problem) const override {
    const ops::ShiftedWindows windows{.rows = problem.dim("H"),
                                      .columns = problem.dim("W"),
                                      .side = problem.params.integer("window"),
                                      .shift = problem.params.integer("shift")};
    if (windows.shift == 0) return std::nullopt;
    return MaskRule{
        .applies = [windows](const MaskCell& c) { return windows.is_across_cut(c.place, c.key); },
        .why = [windows](const MaskCell& c) { return "cut: " + ops::across_cut_in_words(windows, c.place, c.key); },
        .code = {},
        .says = "key is not across the cut"};
  }
};

}  // namespace

const MaskOption& across_cut() {
  static const AcrossCut option;
  return option;
}

}  // namespace headlight
