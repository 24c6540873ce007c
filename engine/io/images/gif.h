// GIF pictures and animations: reading, through giflib.
#pragma once

#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/picture/image.h"

namespace headlight {

// The frames as a viewer shows them: each drawn over what the one before it left, as its disposal says, on a ground
// that is transparent. Local palettes, transparency and interlacing count; what lies outside the screen is cut off.
// W3C, GIF89a specification, sections 20 to 23. At most `most_frames` are read.
Result<std::vector<Image>> decode_gif(std::string_view bytes, Index most_frames);

}  // namespace headlight
