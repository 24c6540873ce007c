#include "engine/weights/textbook.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>

#include "engine/core/random.h"
#include "engine/variants/head_option.h"
#include "engine/variants/score_term.h"
#include "engine/weights/text_heads.h"

namespace headlight {

namespace {

// Who makes weights for a variant; several are asked in order, each for the inputs that it knows.
struct Maker {
  std::string_view variant;
  bool (*fill)(Problem& problem);
};

constexpr std::array makers{
    Maker{"multi_head", fill_text_heads},
    Maker{"multi_head", fill_textbook_described_heads},
    Maker{"additive", fill_text_additive},
    Maker{"additive", fill_textbook_described_additive},
    Maker{"key_content_only", fill_text_keys},
    Maker{"key_content_only", fill_textbook_described_keys},
    Maker{"stand_alone_2d", fill_textbook_stand_alone},
    Maker{"memory_block", fill_textbook_memory_block},
    Maker{"non_local", fill_textbook_non_local},
};

// What a head does under an option that it was not made for is not what its name would say.
bool overrides_heads(const Problem& problem) {
  return std::ranges::any_of(problem.variant->params(), [&](const ParamSpec& spec) {
    return spec.breaks_named_heads && problem.params.get(spec.id) != spec.fallback;
  });
}

// What a term of relative positions and other options have for their arrays, where nobody gave them.
void fill_options(Problem& problem) {
  if (problem.variant->info().id != "multi_head") return;
  if (const ScoreTerm* term = score_term(problem.params))
    for (const auto& [id, values] : term->by_hand(problem)) problem.arrays.emplace(id, values);
  for (const HeadOption* option : head_options())
    if (option->by_hand)
      for (const auto& [id, values] : option->by_hand(problem)) problem.arrays.emplace(id, values);
}

}  // namespace

bool has_textbook(const Variant& variant) {
  return std::ranges::count(makers, variant.info().id, &Maker::variant) != 0;
}

bool tells_order(const ParamValues& params) {
  return std::ranges::any_of(params, [](const auto& param) {
    constexpr std::array told_by{"positions", "rotary", "relative"};
    const auto* choice = std::get_if<std::string>(&param.second);
    return choice && *choice != "none" && std::ranges::count(told_by, param.first) > 0;
  });
}

bool fill_textbook(Problem& problem) {
  const auto fills = [&](const Maker& maker) {
    return maker.variant == problem.variant->info().id && maker.fill(problem);
  };
  if (std::ranges::none_of(makers, fills)) return false;
  fill_options(problem);
  if (overrides_heads(problem)) std::ranges::fill(problem.heads, HeadInfo{});  // made by hand all the same
  return true;
}

namespace {

void fill_identity(Tensor& tensor) {
  std::ranges::fill(tensor.values(), 0.0F);
  if (tensor.rank() < 2) return;
  const Index rows = tensor.dim(-2), columns = tensor.dim(-1);
  const Index planes = tensor.size() / std::max<Index>(1, rows * columns);
  for (Index plane = 0; plane < planes; ++plane)
    for (Index c = 0; c < columns; ++c)
      if (const Index row = (plane * columns + c) % std::max(rows, planes * columns); row < rows)
        tensor[(plane * rows + row) * columns + c] = 1;
}

}  // namespace

void fill_init(Tensor& tensor, std::string_view init, std::uint64_t seed, std::string_view array_id, Index fan_in,
               Index fan_out) {
  Random random(seed, array_id);
  const double fans = static_cast<double>(fan_in + fan_out);
  if (init == "identity") {
    fill_identity(tensor);
  } else if (init == "xavier_uniform") {
    const double bound = std::sqrt(6 / fans);
    for (float& x : tensor.values()) x = static_cast<float>((2 * random.uniform() - 1) * bound);
  } else if (init == "xavier_normal" || init == "normal") {
    const double deviation = init == "normal" ? 1 / std::sqrt(static_cast<double>(fan_in)) : std::sqrt(2 / fans);
    for (float& x : tensor.values()) x = static_cast<float>(random.normal() * deviation);
  } else {
    std::ranges::fill(tensor.values(), 0.0F);
  }
}

}  // namespace headlight
