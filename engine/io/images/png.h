// PNG files: writing figures and screenshots, reading them back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/picture/image.h"

namespace headlight {

struct PngText {
  std::string keyword;  // 1 to 79 Latin-1 characters: "Title", "Description"
  std::string text;     // UTF-8
};

struct PngOptions {
  double pixels_per_inch = 0;  // 0: not said
  std::vector<PngText> texts;  // as tEXt, or iTXt where there is more than ASCII
};

// The same image and options give the same bytes. Written with a palette where there are
// no more than 256 colours, else as RGB where every pixel is opaque, else as RGBA.
Result<std::string> encode_png(const Image& image, const PngOptions& options = {});

// Any PNG, as 8-bit RGBA. Refuses more than max_png_pixels before it takes the memory.
Result<Image> decode_png(std::string_view bytes);
inline constexpr Index max_png_pixels = Index{1} << 28;  // 1 GiB of RGBA

}  // namespace headlight
