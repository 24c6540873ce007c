#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Beltagy, Peters and Cohan 2020, section 3.1; Zaheer et al. 2020, BigBird, section 2. One set of projections.
class GlobalTokens final : public MaskOption {
 public:
  GlobalTokens()
      : MaskOption({"global", "Global tokens", "first see all, all see them"}, {{"global_tokens", Index{1}}}) {}
  std::vector<ParamSpec> params() const override {
    ParamSpec spec = mask::count(
        "global_tokens", "Global tokens",
        "How many of the first positions see all and are seen by all, whatever windows and chunks say.", Index{0});
    spec.offer = {"Global",
                  "The first positions see all and are seen by all, whatever windows and chunks say (Beltagy et al. "
                  "2020, Longformer).",
                  Index{1}};
    return {spec};
  }

  std::optional<MaskRule> rule(const Problem& problem) const override {
    const Index count = problem.params.integer("global_tokens");
    if (count == 0) return std::nullopt;
    return MaskRule{
        .part = MaskRule::Part::allows,
        .applies = [count](const MaskCell& c) { return c.key < count || (c.place >= 0 && c.place < count); },
        .why = [count](const MaskCell& c) { return fmt::format("global token {}", c.key < count ? c.key : c.place); },
        .next_change = [count](const MaskCell& c) { return mask::next_border(c, {count}); },
        .code = both(fmt::format("(j < {0}) | ((i >= 0) & (i < {0}))", count)),
        .says = fmt::format("key or query < {}", count)};
  }
  std::string note(const Recorder& r) const override {
    return r.params().integer("global_tokens") > 0
               ? "Global tokens: the first positions see all and are seen by all, and pass on what is far."
               : "";
  }
};

}  // namespace

const MaskOption& global_tokens() {
  static const GlobalTokens option;
  return option;
}

}  // namespace headlight
