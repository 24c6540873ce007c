// How a picture looks to people who see colours differently, and in grey print.
//
// Machado, Oliveira and Fernandes 2009, A Physiologically-based Model for Simulation of Color Vision Deficiency, table
// 1, severity 1, in linear light; grey is the luminance of IEC 61966-2-1.
#pragma once

#include <array>

#include "engine/picture/image.h"

namespace headlight {

enum class Vision { normal, deutan, protan, tritan, grey };
inline constexpr std::array all_visions{Vision::normal, Vision::deutan, Vision::protan, Vision::tritan, Vision::grey};

Color simulate_vision(Color color, Vision vision);
Image simulate_vision(Image image, Vision vision);

}  // namespace headlight
