#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Vaswani et al. 2017, section 3.2.3.
class Causal final : public MaskOption {
 public:
  const Choice* choice() const override { return &choice_; }
  const MaskLayer& layer() const override {
    static const MaskLayer layer{"causal", "Causal", "no key after the query"};
    return layer;
  }
  std::vector<std::pair<std::string, ParamValue>> usual(const Problem&) const override {
    return {{"mask", std::string("causal")}};
  }
  std::optional<MaskRule> rule(const Problem& problem) const override {
    if (problem.params.choice("mask") != choice_.id) return std::nullopt;
    return MaskRule{
        .applies = [](const MaskCell& c) { return c.key > c.place; },
        .because = [](const MaskCell& c) { return fmt::format("causal: key {} comes after query {}", c.key, c.place); },
        .unless = [](const MaskCell& c) { return fmt::format("key {} ≤ query {}", c.key, c.place); },
        .until = [](const MaskCell& c) { return mask::until(c, {c.place + 1}); },
        .code = both("j > i"),
        .triangle = true,
        .says = "key ≤ query"};
  }
  std::string note(const Recorder&) const override {
    return "Causal: a {query:query} sees its own place and what comes before, so it cannot peek ahead.";
  }

 private:
  Choice choice_{"causal", "Causal", "A query sees itself and what comes before it."};
};

}  // namespace

const MaskOption& causal() {
  static const Causal option;
  return option;
}

}  // namespace headlight
