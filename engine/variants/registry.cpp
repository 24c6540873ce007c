// The list of variants. Explicit, because a linker drops objects of a library that only register themselves.
#include <array>

#include "engine/variants/variant.h"

namespace headlight {

// Each is defined in the file of its name.
const Variant& additive();
const Variant& aft();
const Variant& bahdanau_decoder();
const Variant& given();
const Variant& key_content_only();
const Variant& linear_attention();
const Variant& luong();
const Variant& memory_block();
const Variant& mla();
const Variant& multi_head();
const Variant& non_local();
const Variant& stand_alone_2d();
const Variant& swin();

std::span<const Variant* const> all_variants() {
  static const auto variants = std::to_array<const Variant*>({
      &multi_head(),
      &mla(),
      &linear_attention(),
      &aft(),
      &additive(),
      &luong(),
      &bahdanau_decoder(),
      &key_content_only(),
      &stand_alone_2d(),
      &swin(),
      &memory_block(),
      &non_local(),
      &given(),
  });
  return variants;
}

}  // namespace headlight
