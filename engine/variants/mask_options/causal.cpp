#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Vaswani et al. 2017, section 3.2.3.
class Causal final : public MaskOption {
 public:
  Causal()
      : MaskOption({"causal", "Causal", "no key after the query"}, {{"mask", std::string("causal")}},
                   Choice{"causal", "Causal", "A query sees itself and what comes before it."}) {}
  std::optional<MaskRule> rule(const Problem& problem) const override {
    if (!is_chosen(problem.params)) return std::nullopt;
    return MaskRule{
        .applies = [](const MaskCell& c) { return c.key > c.place; },
        .why = [](const MaskCell& c) { return fmt::format("causal: key {} comes after query {}", c.key, c.place); },
        .why_not = [](const MaskCell& c) { return fmt::format("key {} ≤ query {}", c.key, c.place); },
        .next_change = [](const MaskCell& c) { return mask::next_border(c, {c.place + 1}); },
        .code = both("j > i"),
        .triangle = true,
        .says = "key ≤ query"};
  }
  std::string note(const Recorder&) const override {
    return "Causal: a {query:query} sees its own place and what comes before, so it cannot peek ahead.";
  }
};

}  // namespace

const MaskOption& causal() {
  static const Causal option;
  return option;
}

}  // namespace headlight
