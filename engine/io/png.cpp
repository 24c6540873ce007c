#include "engine/io/png.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstring>
#include <memory>

namespace headlight {

namespace {

constexpr double inches_per_metre = 1 / 0.0254;

struct PngPicture {
  Index width = 0;
  Index height = 0;
  int color_type = PNG_COLOR_TYPE_RGB;
  std::vector<png_const_bytep> rows;
  std::vector<png_color> palette;
  std::vector<png_byte> palette_alpha;
};

// What libpng is given to write with; the error's words outlive the jump out of it.
struct PngSink {
  std::string bytes;
  char error[128] = "";
};

void append_bytes(png_structp png, png_bytep data, std::size_t size) {
  auto* sink = static_cast<PngSink*>(png_get_io_ptr(png));
  sink->bytes.append(reinterpret_cast<const char*>(data), size);
}

void flush_nothing(png_structp) {}

[[noreturn]] void keep_error(png_structp png, png_const_charp message) {
  auto* sink = static_cast<PngSink*>(png_get_error_ptr(png));
  std::strncpy(sink->error, message, sizeof sink->error - 1);
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::vector<png_text> text_chunks(const std::vector<PngText>& texts) {
  std::vector<png_text> chunks;
  for (const PngText& text : texts) {
    png_text chunk{};
    const bool ascii = is_ascii(text.text);
    chunk.compression = ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
    chunk.key = const_cast<char*>(text.keyword.c_str());
    chunk.text = const_cast<char*>(text.text.c_str());
    (ascii ? chunk.text_length : chunk.itxt_length) = text.text.size();
    chunks.push_back(chunk);
  }
  return chunks;
}

// libpng leaves by longjmp on an error, so this function owns nothing that has a destructor.
bool write_all(png_structp png, png_infop info, const PngPicture& picture, const std::vector<png_text>& texts,
               double pixels_per_inch) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_compression_level(png, 6);  // 9 took up to ten times as long, for a twentieth less
  png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width), static_cast<png_uint_32>(picture.height), 8,
               picture.color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (!picture.palette.empty()) {
    png_set_PLTE(png, info, picture.palette.data(), static_cast<int>(picture.palette.size()));
    png_set_tRNS(png, info, picture.palette_alpha.data(), static_cast<int>(picture.palette_alpha.size()), nullptr);
  }
  if (pixels_per_inch > 0) {
    const auto per_metre = static_cast<png_uint_32>(std::lround(pixels_per_inch * inches_per_metre));
    png_set_pHYs(png, info, per_metre, per_metre, PNG_RESOLUTION_METER);
  }
  if (!texts.empty()) png_set_text(png, info, texts.data(), static_cast<int>(texts.size()));
  png_write_info(png, info);
  for (png_const_bytep row : picture.rows) png_write_row(png, row);
  png_write_end(png, info);
  return true;
}

Result<std::string> encode(const PngPicture& picture, const PngOptions& options) {
  PngSink sink;
  const std::vector<png_text> texts = text_chunks(options.texts);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &sink, keep_error, ignore_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    png_destroy_write_struct(&png, nullptr);
    return fail("no memory to write a PNG of {}×{} pixels", picture.width, picture.height);
  }
  png_set_write_fn(png, &sink, append_bytes, flush_nothing);
  const bool written = write_all(png, info, picture, texts, options.pixels_per_inch);
  png_destroy_write_struct(&png, &info);
  if (!written) {
    return fail("a PNG of {}×{} pixels could not be written: {}", picture.width, picture.height, sink.error);
  }
  return std::move(sink.bytes);
}

Status check_extents(Index width, Index height) {
  if (width < 1 || height < 1) return fail("a PNG needs at least 1×1 pixels, not {}×{}", width, height);
  if (width > max_png_pixels / height) {
    return fail("a PNG of {}×{} pixels is larger than the {} that are allowed: lower the resolution", width, height,
                max_png_pixels);
  }
  return {};
}

}  // namespace

Result<std::string> encode_png(const Image& image, const PngOptions& options) {
  HL_CHECK(check_extents(image.width, image.height));
  bool opaque = true;
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) opaque = opaque && image.rgba[i] == 255;
  std::vector<std::uint8_t> rgb;
  if (opaque) {
    rgb.reserve(image.rgba.size() / 4 * 3);
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) rgb.insert(rgb.end(), &image.rgba[i], &image.rgba[i] + 3);
  }
  const std::uint8_t* pixels = opaque ? rgb.data() : image.rgba.data();
  PngPicture picture{image.width, image.height, opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, {}, {}, {}};
  for (Index y = 0; y < image.height; ++y) picture.rows.push_back(pixels + y * image.width * (opaque ? 3 : 4));
  return encode(picture, options);
}

Result<std::string> encode_indexed_png(Index width, Index height, const std::vector<std::uint8_t>& indices,
                                       const std::vector<Color>& palette, const PngOptions& options) {
  HL_CHECK(check_extents(width, height));
  if (palette.empty() || palette.size() > 256)
    return fail("a PNG palette has 1 to 256 colours, not {}", palette.size());
  assert(static_cast<Index>(indices.size()) == width * height);
  PngPicture picture{width, height, PNG_COLOR_TYPE_PALETTE, {}, {}, {}};
  for (const Color& color : palette) {
    picture.palette.push_back({color.r, color.g, color.b});
    picture.palette_alpha.push_back(color.a);
  }
  for (Index y = 0; y < height; ++y) picture.rows.push_back(indices.data() + y * width);
  return encode(picture, options);
}

Result<Image> decode_png(std::string_view bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  // Whatever happens below, libpng's own memory goes with this.
  const std::unique_ptr<png_image, void (*)(png_image*)> owner(&png, png_image_free);
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size())) return fail("not a PNG: {}", png.message);
  png.format = PNG_FORMAT_RGBA;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;  // without it libpng takes 16-bit pictures that do not say for linear light
  HL_CHECK(check_extents(png.width, png.height));
  Image image = filled_image(png.width, png.height, {0, 0, 0, 0});
  if (!png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr)) {
    return fail("a damaged PNG: {}", png.message);
  }
  return image;
}

}  // namespace headlight
