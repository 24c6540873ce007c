// JPEG pictures: reading, through libjpeg.
#pragma once

#include <string_view>

#include "engine/core/result.h"
#include "engine/picture/image.h"

namespace headlight {

// Grey and colour pictures, turned as their EXIF orientation says (Exif 2.32, section 4.6.4, tag 0x0112). Refuses CMYK,
// and pictures that are damaged or cut off.
Result<Image> decode_jpeg(std::string_view bytes);

}  // namespace headlight
