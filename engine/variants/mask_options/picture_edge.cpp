#include "engine/math/window.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Ramachandran et al. 2019, section 2.2: where the window leaves the picture there is no key.
class PictureEdge final : public MaskOption {
 public:
  PictureEdge() : MaskOption({"edge", "Picture’s edge", "no key outside the picture", MaskRule::By::absence}) {}
  Values sample_values(const Problem& problem) const override {
    Values values{{"padding", std::string("masked")}};
    if (problem.params.is_automatic("extent")) values.push_back({"extent", Index{3}});
    return values;
  }

  std::optional<MaskRule> rule(const Problem& problem) const override {
    if (problem.params.is_automatic("extent") || problem.params.choice("padding") != "masked") return std::nullopt;
    const math::Window window{
        .rows = problem.dim("H"), .columns = problem.dim("W"), .extent = problem.params.integer("extent")};
    return MaskRule{.applies = [window](const MaskCell& c) { return math::pixel_at_key(window, c.place, c.key) < 0; },
                    .why = [](const MaskCell&) { return std::string("edge: the key lies outside the picture"); },
                    .code = {},
                    .says = "key is inside the picture"};
  }
};

}  // namespace

const MaskOption& picture_edge() {
  static const PictureEdge option;
  return option;
}

}  // namespace headlight
