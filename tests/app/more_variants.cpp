// The list of variants, in place of the engine's own: a linker takes what a program brings before what a library has.
// With those that no one registers, so that what reads a trace meets mechanisms that it was not made for.
#include <vector>

#include "docs/examples/distance.h"
#include "tests/app/average.h"
#include "tests/app/mapless.h"

namespace headlight {

const Variant& multi_head();
const Variant& non_local();

std::span<const Variant* const> all_variants() {
  static const std::vector<const Variant*> variants{&multi_head(), &non_local(), &average_variant(),
                                                    &distance_variant(), &test::mapless_variant()};
  return variants;
}

}  // namespace headlight
