// The options that there are. Explicit, because a linker drops objects of a library that only register themselves.
#include <algorithm>
#include <array>

#include "engine/variants/head_option.h"

namespace headlight {

// Each is defined in the file of its name.
const HeadOption& differential();
const HeadOption& dropout();
const HeadOption& fused();
const HeadOption& normalize();
const HeadOption& qk_norm();
const HeadOption& rotary();
const HeadOption& scale();
const HeadOption& softcap();
const HeadOption& talking_heads();

std::span<const HeadOption* const> head_options() {
  static const auto options = std::to_array<const HeadOption*>({
      &scale(),
      &qk_norm(),
      &softcap(),
      &normalize(),
      &rotary(),
      &talking_heads(),
      &differential(),
      &fused(),
      &dropout(),
  });
  return options;
}

bool options::any_active(const Problem& problem) {
  return score_term(problem.params) || std::ranges::any_of(head_options(), [&](const HeadOption* option) {
           return option->is_active && option->is_active(problem);
         });
}

}  // namespace headlight
