#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

struct Reach {
  std::optional<Index> left, right;  // keys; none: no limit
  Index step = 1;

  bool limits() const { return left || right || step > 1; }
  bool beyond(Index offset) const {
    return offset % step != 0 || (left && offset < -step * *left) || (right && offset > step * *right);
  }
  // What lies before the window and after it is hidden in one go; within it a dilated one alternates.
  Index next_change(const MaskCell& c) const {
    const Index first = left ? c.place - step * *left : 0;
    if (right && c.key > c.place + step * *right) return mask::next_border(c, {});
    if (c.key < first) return first;
    if (step > 1) return c.key + 1;
    return right ? c.place + *right + 1 : mask::next_border(c, {});
  }
};

// Beltagy, Peters and Cohan 2020, Longformer, section 3.1; under a causal mask Jiang et al. 2023, Mistral 7B,
// section 2.
class WindowOfKeys final : public MaskOption {
 public:
  WindowOfKeys()
      : MaskOption({"window", "Window", "keys near own place", MaskRule::By::distance},
                   {{"window_left", Index{2}}, {"window_right", Index{2}}, {"window_dilation", Index{1}}}) {}
  std::vector<ParamSpec> params() const override {
    std::vector<ParamSpec> list{
        mask::count("window_left", "Window before",
                    "How many keys before its own place a query sees; automatic is all."),
        mask::count("window_right", "Window after",
                    "How many keys after its own place a query sees; automatic is all."),
        mask::count("window_dilation", "Dilation",
                    "Of the keys in the window only every n-th is seen; it reaches n times farther.", Index{1}, 1)};
    for (ParamSpec& spec : list) spec.breaks_named_heads = true;
    list[0].offer = {"Window",
                     "A query sees so many keys before its own place and none before those (Beltagy et al. 2020, "
                     "Longformer; Jiang et al. 2023, Mistral).",
                     Index{3}};
    return list;
  }

  std::optional<MaskRule> rule(const Problem& problem) const override {
    const Reach reach = reach_of(problem.params);
    if (!reach.limits()) return std::nullopt;
    return MaskRule{.part = MaskRule::Part::reach,
                    .applies = [reach](const MaskCell& c) { return reach.beyond(c.key - c.place); },
                    .why = [reach](const MaskCell& c) { return reason(reach, c); },
                    .next_change = [reach](const MaskCell& c) { return reach.next_change(c); },
                    .code = both(code(reach)),
                    .says = says(reach)};
  }
  std::string note(const Recorder& r) const override {
    return reach_of(r.params()).limits() ? "Window: a {query:query} sees {key:keys} near its own place; what lies "
                                           "farther reaches it only through further layers."
                                         : "";
  }

 private:
  static Reach reach_of(const ParamValues& params) {
    const auto limit = [&](const char* id) {
      return params.is_automatic(id) ? std::nullopt : std::optional(params.integer(id));
    };
    return {limit("window_left"), limit("window_right"), params.integer("window_dilation")};
  }
  static std::string reason(const Reach& reach, const MaskCell& c) {
    const Index offset = c.key - c.place;
    const auto& side = offset < 0 ? reach.left : reach.right;
    const std::string where = fmt::format("window: key {} is {} {} query {}, it ", c.key, offset < 0 ? -offset : offset,
                                          offset < 0 ? "before" : "after", c.place);
    if (side && (offset < 0 ? -offset : offset) > reach.step * *side)
      return where + fmt::format("reaches {}", reach.step * *side);
    return where + fmt::format("sees every {}", mask::ordinal(reach.step));
  }
  static std::string says(const Reach& reach) {
    const auto keys = [&](const std::optional<Index>& limit) { return reach.step * limit.value_or(0); };
    std::vector<std::string> parts;
    if (reach.left && reach.right)
      parts.push_back(*reach.left == *reach.right
                          ? fmt::format("at most {} apart", keys(reach.left))
                          : fmt::format("{} before to {} after", keys(reach.left), keys(reach.right)));
    else if (reach.left || reach.right)
      parts.push_back(reach.left ? fmt::format("at most {} before", keys(reach.left))
                                 : fmt::format("at most {} after", keys(reach.right)));
    if (reach.step > 1) parts.push_back(fmt::format("every {}", mask::ordinal(reach.step)));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  static std::string code(const Reach& reach) {
    std::vector<std::string> beyond;
    if (reach.left) beyond.push_back(fmt::format("(j - i < {})", -reach.step * *reach.left));
    if (reach.right) beyond.push_back(fmt::format("(j - i > {})", reach.step * *reach.right));
    if (reach.step > 1) beyond.push_back(fmt::format("((j - i) % {} != 0)", reach.step));
    return fmt::format("{}", fmt::join(beyond, " | "));
  }
};

}  // namespace

const MaskOption& window_of_keys() {
  static const WindowOfKeys option;
  return option;
}

}  // namespace headlight
