// PNG files: writing figures and screenshots, reading them back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
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

// The same image and options give the same bytes, on any number of processors. Written with a palette where there are
// no more than 256 colours, else as RGB where every pixel is opaque, else as RGBA.
Result<std::string> encode_png(const Image& image, const PngOptions& options = {});
// Eight bits a pixel. 1 to 256 colours of `palette`; indices has width · height of them, rows from the top.
Result<std::string> encode_indexed_png(Index width, Index height, const std::vector<std::uint8_t>& indices,
                                       const std::vector<Color>& palette, const PngOptions& options = {});
// The same, but `fill` writes the indices of one row at a time: of any row, from any thread.
using IndexRow = std::function<void(Index row, std::uint8_t* into)>;
Result<std::string> encode_indexed_rows(Index width, Index height, const IndexRow& fill,
                                        const std::vector<Color>& palette, const PngOptions& options = {});

// Any PNG, as 8-bit RGBA. Refuses more than max_png_pixels before it takes the memory.
Result<Image> decode_png(std::string_view bytes);
inline constexpr Index max_png_pixels = Index{1} << 28;  // 1 GiB of RGBA

}  // namespace headlight
