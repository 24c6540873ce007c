// What in a mask hides a key without being −∞.
#pragma once

namespace headlight {

// What a mask adds in place of −∞ in many libraries: −10⁴, float16's least number, −10⁹, or float32's.
inline constexpr float stands_for_masked = -1e4F;

}  // namespace headlight
