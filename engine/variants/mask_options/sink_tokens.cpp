#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

// Xiao et al. 2023, Efficient Streaming Language Models with Attention Sinks, section 3; at their own places, not
// re-indexed.
class SinkTokens final : public MaskOption {
 public:
  SinkTokens() : MaskOption({"sinks", "Sinks", "first keys always in reach"}, {{"sink_tokens", Index{1}}}) {}
  std::vector<ParamSpec> params() const override {
    ParamSpec spec = mask::count("sink_tokens", "Sink tokens",
                                 "How many of the first keys windows and chunks never hide.", Index{0});
    spec.offer = {"Sinks", "The first keys, which windows and chunks never hide (Xiao et al. 2023, StreamingLLM).",
                  Index{1}};
    return {spec};
  }

  std::optional<MaskRule> rule(const Problem& problem) const override {
    const Index count = problem.params.integer("sink_tokens");
    if (count == 0) return std::nullopt;
    return MaskRule{.part = MaskRule::Part::allows,
                    .applies = [count](const MaskCell& c) { return c.key < count; },
                    .why = [](const MaskCell& c) { return fmt::format("sink token {}", c.key); },
                    .next_change = [count](const MaskCell& c) { return mask::next_border(c, {count}); },
                    .code = both(fmt::format("j < {}", count)),
                    .by_query = false,
                    .says = fmt::format("key < {}", count)};
  }
  std::string note(const Recorder& r) const override {
    return r.params().integer("sink_tokens") > 0
               ? "Sinks: the first {key:keys} are always seen, so that rows have somewhere to rest."
               : "";
  }
};

}  // namespace

const MaskOption& sink_tokens() {
  static const SinkTokens option;
  return option;
}

}  // namespace headlight
