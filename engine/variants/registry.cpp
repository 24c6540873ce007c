// The list of variants. Explicit, because a linker drops objects of a library that only register themselves.
#include <array>

#include "engine/variants/memory_block.h"
#include "engine/variants/multi_head.h"
#include "engine/variants/stand_alone_2d.h"
#include "engine/variants/variant.h"

namespace headlight {

std::span<const Variant* const> all_variants() {
  static const std::array<const Variant*, 3> variants{
      &multi_head(),
      &memory_block(),
      &stand_alone_2d(),
  };
  return variants;
}

const Variant* find_variant(std::string_view id) {
  for (const Variant* variant : all_variants())
    if (variant->info().id == id) return variant;
  return nullptr;
}

}  // namespace headlight
