#include "engine/io/images/png.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <optional>

namespace headlight {

namespace {

// Four bytes, the highest first.
std::string word(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

// Length, type, body, and a checksum of the last two (Portable Network Graphics (PNG) Specification, second
// edition, 5.3).
std::string chunk(std::string_view type, const std::string& body) {
  const std::string checked = std::string(type) + body;
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size());
  return word(static_cast<std::uint32_t>(body.size())) + checked + word(static_cast<std::uint32_t>(sum));
}

// The chunks of a resolution and of texts, which libpng's simple writer does not know.
std::string notes(const PngOptions& options) {
  constexpr double inches_per_metre = 1 / 0.0254;
  std::string chunks;
  if (options.pixels_per_inch > 0) {
    const std::string per_metre =
        word(static_cast<std::uint32_t>(std::lround(options.pixels_per_inch * inches_per_metre)));
    chunks += chunk("pHYs", per_metre + per_metre + '\1');
  }
  for (const PngText& text : options.texts) {
    assert(!text.keyword.empty() && text.keyword.size() < 80);
    const bool ascii = std::ranges::all_of(text.text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    // Not compressed, in no language, and the keyword not translated.
    const std::string between(ascii ? 1 : 5, '\0');
    chunks += chunk(ascii ? "tEXt" : "iTXt", text.keyword + between + text.text);
  }
  return chunks;
}

// The colours of a picture in the order that they are met, and each pixel's place among them.
struct Indexed {
  std::vector<Color> palette;
  std::vector<std::uint8_t> indices;
};

// Nothing where there are more than 256 colours.
std::optional<Indexed> indexed_image(const Image& image) {
  constexpr std::size_t slots = 1024;
  std::array<std::int16_t, slots> places;
  places.fill(-1);
  Indexed result;
  result.indices.reserve(image.rgba.size() / 4);
  Color before;
  std::uint8_t index = 0;
  for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
    const Color color{image.rgba[i], image.rgba[i + 1], image.rgba[i + 2], image.rgba[i + 3]};
    if (i == 0 || !(color == before)) {
      std::size_t slot = (color.r * 5 + color.g * 37 + color.b * 163 + color.a) % slots;
      while (places[slot] >= 0 && !(result.palette[static_cast<std::size_t>(places[slot])] == color)) {
        slot = (slot + 1) % slots;
      }
      if (places[slot] < 0) {
        if (result.palette.size() == 256) return std::nullopt;
        places[slot] = static_cast<std::int16_t>(result.palette.size());
        result.palette.push_back(color);
      }
      index = static_cast<std::uint8_t>(places[slot]);
      before = color;
    }
    result.indices.push_back(index);
  }
  constexpr std::size_t packed = 16;  // of so few several pixels share a byte, which not every reader takes
  if (result.palette.size() <= packed) return std::nullopt;
  return result;
}

bool is_opaque(const Image& image) {
  for (std::size_t i = 3; i < image.rgba.size(); i += 4)
    if (image.rgba[i] != 255) return false;
  return true;
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
  const auto few = indexed_image(image);
  std::vector<std::uint8_t> opaque;  // RGB, where no pixel lets the ground through
  if (!few && is_opaque(image)) {
    opaque.resize(image.rgba.size() / 4 * 3);
    for (std::size_t from = 0, to = 0; to < opaque.size(); from += 4, to += 3)
      std::copy_n(&image.rgba[from], 3, &opaque[to]);
  }
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.flags = PNG_IMAGE_FLAG_FAST;  // higher levels take many times as long over a map, for a few hundredths less
  png.format = opaque.empty() ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  const void* pixels = opaque.empty() ? image.rgba.data() : opaque.data();
  if (few) {
    png.format = PNG_FORMAT_RGBA_COLORMAP;
    png.colormap_entries = static_cast<png_uint_32>(few->palette.size());
    pixels = few->indices.data();
  }
  const std::unique_ptr<png_image, void (*)(png_image*)> owner(&png, png_image_free);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&png, bytes.data(), &size, 0, pixels, 0, few ? few->palette.data() : nullptr)) {
    return fail("a PNG of {}×{} pixels could not be written: {}", image.width, image.height, png.message);
  }
  bytes.resize(size);
  constexpr std::size_t after_header = 33;  // the signature and IHDR
  return bytes.insert(after_header, notes(options));
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
