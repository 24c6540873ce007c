// BMP pictures: reading. Microsoft, "Bitmap Storage" (BITMAPCOREHEADER to BITMAPV5HEADER).
#pragma once

#include <string_view>

#include "engine/core/result.h"
#include "engine/picture/image.h"

namespace headlight {

// Uncompressed pictures of 1, 4, 8, 16, 24 or 32 bits a pixel, with or without bit fields, from the bottom or the top.
// Alpha counts where a bit field is named for it. Refuses run-length compression, and any other, by name.
Result<Image> decode_bmp(std::string_view bytes);

}  // namespace headlight
