// The list of variants. Explicit, because a linker drops objects of a library that only register themselves.
#include <array>

#include "engine/variants/additive.h"
#include "engine/variants/key_content_only.h"
#include "engine/variants/memory_block.h"
#include "engine/variants/multi_head.h"
#include "engine/variants/non_local.h"
#include "engine/variants/stand_alone_2d.h"
#include "engine/variants/variant.h"

namespace headlight {

std::span<const Variant* const> all_variants() {
  static const std::array<const Variant*, 6> variants{
      &multi_head(), &additive(), &key_content_only(), &stand_alone_2d(), &memory_block(), &non_local(),
  };
  return variants;
}

const Variant* find_variant(std::string_view id) {
  for (const Variant* variant : all_variants())
    if (variant->info().id == id) return variant;
  return nullptr;
}

}  // namespace headlight
