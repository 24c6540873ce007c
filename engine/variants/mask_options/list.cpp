// The options that there are, and what they share. Explicit, because a linker drops objects of a library that only
// register themselves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/variants/mask_option.h"

namespace headlight {

// Each is defined in the file of its name.
const MaskOption& prefix();
const MaskOption& segments();
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

namespace mask {

ParamSpec choice() {
  ParamSpec spec = param::choice("mask", "Mask", "Which keys a query may look at, besides masks given as arrays.",
                                 {{"none", "None", "Every query sees every key."}},
                                 {.question = ParamQuestion::visible, .titles_suffice = true});
  for (const MaskOption* option : mask_options())
    if (option->choice()) spec.choices.push_back(*option->choice());
  return spec;
}

std::vector<ParamSpec> params() {
  std::vector<ParamSpec> list;
  for (const MaskOption* option : mask_options())
    for (ParamSpec& spec : option->params()) list.push_back(std::move(spec));
  return list;
}

std::vector<ArraySpec> inputs(std::span<const MaskOption* const> options, const ParamValues& params,
                              const IdSet& given) {
  std::vector<ArraySpec> list;
  for (const MaskOption* option : options)
    for (ArraySpec& spec : option->inputs(params, given)) list.push_back(std::move(spec));
  return list;
}

std::vector<ArraySpec> inputs(const ParamValues& params, const IdSet& given) {
  std::vector<ArraySpec> list = inputs(mask_options(), params, given);
  // Booleans are refused: True means "ignore" in nn.MultiheadAttention and "use" in scaled_dot_product_attention.
  list.push_back(array("attn_mask", "Added mask",
                       "Added to the scaled scores: −∞ hides a key, other numbers shift its score.",
                       {{"n_q", "n_k"},
                        {"B", "M", "n_q", "n_k"},
                        {"1", "1", "n_q", "n_k"},
                        {"B", "1", "n_q", "n_k"},
                        {"1", "M", "n_q", "n_k"}}));
  return list;
}

std::string note(const Recorder& r) {
  std::string note = "A {mask:masked} score becomes −∞, which softmax turns into a weight of exactly 0.";
  for (const MaskOption* option : mask_options()) {
    const bool chosen = !option->choice() || option->choice()->id == r.params().choice("mask");
    if (const std::string of_option = chosen ? option->note(r) : std::string(); !of_option.empty())
      note += " " + of_option;
  }
  if (r.has("valid_lens") || r.has("key_padding_mask"))
    note += " Padding was added only to make sequences equally long, so those {key:keys} are hidden.";
  if (r.has("attn_mask")) note += " The added mask shifts the {score:scores} that it does not hide.";
  return note;
}

std::shared_ptr<const Tensor> given(const Problem& problem, std::string_view id) {
  const auto found = problem.arrays.find(id);
  return found == problem.arrays.end() ? nullptr : found->second;
}

Index first_query(const Problem& problem) {
  const bool is_moved = find_param(problem.variant->params(), "query_offset") != nullptr;
  return problem.only_query.value_or(0) + (is_moved ? problem.params.integer("query_offset") : 0);
}

MaskRules rules(const Problem& problem, std::span<const MaskOption* const> options, Index heads) {
  MaskRules rules{.list = {},
                  .attn_mask = given(problem, "attn_mask"),
                  .batches = problem.dim("B"),
                  .heads = heads,
                  .queries = problem.dim("n_q"),
                  .keys = problem.dim("n_k"),
                  .first_query = first_query(problem)};
  for (const MaskOption* option : options)
    if (auto rule = option->rule(problem)) {
      rules.list.push_back(std::move(*rule));
      rules.list.back().id = option->layer().id;
      rules.list.back().name = option->layer().title;
      rules.list.back().by = option->layer().by;
    }
  rules.painted = std::ranges::any_of(problem.edits, [](const Edit& edit) { return edit.on && paints_pairs(edit); });
  return rules;
}

bool paints_pairs(const Edit& edit) {
  return edit.array == array_id && edit.at.size() == 4 && !edit.at[0] && !edit.at[1] && edit.at[2];
}

Status check(const Problem& problem, std::span<const MaskOption* const> options) {
  for (const MaskOption* option : options) {
    const Status fine = option->check(problem);
    if (fine) continue;
    const std::vector<ArraySpec> arrays = option->inputs(problem.params, {});
    return arrays.empty() ? fine : about_array(arrays.front().id, fine);
  }
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
  return param::integer(std::move(id), std::move(title), std::move(help), std::move(fallback),
                        static_cast<double>(least), 1e6, {.advanced = true});
}

std::string ordinal(Index n) {
  const bool teen = n / 10 % 10 == 1;
  constexpr const char* endings[] = {"th", "st", "nd", "rd"};
  const Index last = n % 10;
  return fmt::format("{}{}", n, endings[teen || last > 3 ? 0 : last]);
}

Index next_border(const MaskCell& cell, std::initializer_list<Index> borders) {
  const auto* const next = std::ranges::find_if(borders, [&](Index border) { return border > cell.key; });
  return next == borders.end() ? std::numeric_limits<Index>::max() : *next;
}

}  // namespace mask

}  // namespace headlight
