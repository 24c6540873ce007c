// Picture files of any kind that Headlight reads: PNG, JPEG, GIF and BMP. The content decides which it is, not the
// name.
//
// Not for writing: png.h. Not for what a picture means to a variant: features.h.
#pragma once

#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/picture/image.h"

namespace headlight {

// The most pixels of a picture, or of all frames of an animation together; an 8192×8192 picture takes 256 MiB. Checked
// against the header, before memory is taken.
inline constexpr Index max_picture_pixels = Index{1} << 26;
// The most frames of an animation.
inline constexpr Index max_frames = 4096;

// Every frame of a picture file, all of one size, as 8-bit sRGB with straight alpha. An animated GIF gives its frames
// as a viewer shows them, one after the other; every other file gives one. JPEG's EXIF orientation is applied. Errors:
// not a picture, damaged or cut off, too large, or of a kind that is named (CMYK, RLE-compressed BMP). At most
// `most_frames` are read; what follows them is not looked at.
Result<std::vector<Image>> decode_frames(std::string_view bytes, Index most_frames = max_frames);
// The same from a file; errors begin with its path.
Result<std::vector<Image>> read_frames(const std::filesystem::path& path, Index most_frames = max_frames);
// The first frame.
Result<Image> read_image(const std::filesystem::path& path);

// "a WebP picture" of the first bytes of one: a kind that is known but not read; else empty.
std::string_view foreign_picture(std::string_view bytes);

// An error where a picture is empty or larger than max_picture_pixels: "a GIF of 0×3 pixels: …".
Status check_picture_size(std::string_view format, Index width, Index height);

// BMP: Microsoft, "Bitmap Storage" (BITMAPCOREHEADER to BITMAPV5HEADER). Uncompressed pictures of 1, 4, 8, 16, 24 or 32
// bits a pixel, with or without bit fields, from the bottom or the top. Alpha counts where a bit field is named for it.
// Refuses run-length compression, and any other, by name.
Result<Image> decode_bmp(std::string_view bytes);

// GIF: the frames as a viewer shows them: each drawn over what the one before it left, as its disposal says, on a
// ground that is transparent. Local palettes, transparency and interlacing count; what lies outside the screen is cut
// off. W3C, GIF89a specification, sections 20 to 23. At most `most_frames` are read.
Result<std::vector<Image>> decode_gif(std::string_view bytes, Index most_frames);

// JPEG: grey and colour pictures, turned as their EXIF orientation says (Exif 2.32, section 4.6.4, tag 0x0112). Refuses
// CMYK, and pictures that are damaged or cut off.
Result<Image> decode_jpeg(std::string_view bytes);

}  // namespace headlight
