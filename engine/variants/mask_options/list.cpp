// The options that there are, and what they share. Explicit, because a linker drops objects of a library that only
// register themselves.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/variants/mask_option.h"

namespace headlight {

// Each is defined in the file of its name.
const MaskOption& causal();
const MaskOption& prefix();
const MaskOption& segments();
const MaskOption& padding_mask();
const MaskOption& window_of_keys();
const MaskOption& chunks();
const MaskOption& sink_tokens();
const MaskOption& global_tokens();

std::span<const MaskOption* const> mask_options() {
  static const auto options = std::to_array<const MaskOption*>({
      &causal(),
      &prefix(),
      &segments(),
      &valid_lengths(),
      &padding_mask(),
      &window_of_keys(),
      &chunks(),
      &sink_tokens(),
      &global_tokens(),
  });
  return options;
}

std::vector<ArraySpec> MaskOption::inputs(const ParamValues&, const std::set<std::string, std::less<>>&) const {
  return {};
}

namespace mask {

std::shared_ptr<const Tensor> given(const Problem& problem, std::string_view id) {
  const auto found = problem.arrays.find(id);
  return found == problem.arrays.end() ? nullptr : found->second;
}

MaskRules rules(const Problem& problem, std::span<const MaskOption* const> options, Index heads, Index first) {
  MaskRules rules{.list = {},
                  .attn_mask = given(problem, "attn_mask"),
                  .batches = problem.dim("B"),
                  .heads = heads,
                  .queries = problem.dim("n_q"),
                  .keys = problem.dim("n_k"),
                  .first_query = first};
  for (const MaskOption* option : options)
    if (auto rule = option->rule(problem)) {
      rules.list.push_back(std::move(*rule));
      rules.list.back().id = option->layer().id;
      rules.list.back().name = option->layer().title;
    }
  rules.painted = std::ranges::any_of(problem.edits, [](const Edit& edit) { return edit.on && paints_pairs(edit); });
  return rules;
}

bool paints_pairs(const Edit& edit) {
  return edit.array == array_id && edit.at.size() == 4 && !edit.at[0] && !edit.at[1] && edit.at[2];
}

Status check(const Problem& problem, std::span<const MaskOption* const> options) {
  for (const MaskOption* option : options) HL_CHECK(option->check(problem));
  return {};
}

Status check_whole(const Problem& problem, std::string_view id, const std::string& of_what) {
  const auto tensor = given(problem, id);
  const Index keys = problem.dim("n_k");
  for (Index cell = 0; tensor && cell < tensor->size(); ++cell)
    if (const float value = (*tensor)[cell];
        !(value >= 0 && value <= static_cast<float>(keys) && value == std::floor(value)))
      return fail("{}[{}] is {}: it must be a whole number {}from 0 to {}", id,
                  fmt::join(index_at_flat(tensor->shape(), cell), ", "), value, of_what, keys);
  return {};
}

ArraySpec array(std::string id, std::string title, std::string help, std::vector<std::vector<std::string>> shapes) {
  return {.id = std::move(id),
          .title = std::move(title),
          .help = std::move(help),
          .shapes = std::move(shapes),
          .fill = Fill::absent,
          .kind = Kind::mask,
          .role = Role::mask};
}

ParamSpec count(std::string id, std::string title, std::string help, ParamValue fallback, Index least) {
  const bool automatic = std::holds_alternative<std::monostate>(fallback);
  return {.id = std::move(id),
          .title = std::move(title),
          .help = std::move(help),
          .type = ParamType::integer,
          .fallback = std::move(fallback),
          .least = static_cast<double>(least),
          .most = 1e6,
          .automatic = automatic,
          .advanced = true};
}

std::string ordinal(Index n) {
  const bool teen = n / 10 % 10 == 1;
  const Index last = teen ? 0 : n % 10;
  return fmt::format("{}{}", n, last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

}  // namespace mask

}  // namespace headlight
