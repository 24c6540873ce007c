#include "engine/io/images/png.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "engine/core/parallel.h"

namespace headlight {

namespace {

// Chunks and their order: Portable Network Graphics (PNG) Specification, second edition, sections 5 and 11.
constexpr double inches_per_metre = 1 / 0.0254;
constexpr int indexed = 3;
constexpr int rgb_color = 2;
constexpr int rgba_color = 6;

// Each strip of rows is deflated by itself, so that all processors work on a large picture. The bytes must not depend
// on their number, so the size of a strip is fixed: so many bytes before deflating, or one row.
constexpr Index strip_bytes = 1 << 20;
// Higher levels of zlib take many times as long over a map, for a few hundredths less.
constexpr int deflate_level = 1;

void append_word(std::string& bytes, std::uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift);
}

const Bytef* as_bytes(const char* data) {
  return reinterpret_cast<const Bytef*>(data);
}

// Length, type, what `body` says, and a checksum of the last two.
void append_chunk(std::string& png, std::string_view type, std::string_view body) {
  append_word(png, static_cast<std::uint32_t>(body.size()));
  const std::size_t begin = png.size();
  png.append(type).append(body);
  append_word(png, static_cast<std::uint32_t>(
                       crc32_z(0, as_bytes(png.data() + begin), static_cast<z_size_t>(png.size() - begin))));
}

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

void append_notes(std::string& png, const PngOptions& options) {
  if (options.pixels_per_inch > 0) {
    const auto per_metre = static_cast<std::uint32_t>(std::lround(options.pixels_per_inch * inches_per_metre));
    std::string body;
    append_word(body, per_metre);
    append_word(body, per_metre);
    append_chunk(png, "pHYs", body + '\1');
  }
  for (const PngText& text : options.texts) {
    assert(!text.keyword.empty() && text.keyword.size() < 80);
    const bool ascii = is_ascii(text.text);
    // Not compressed, in no language, and the keyword not translated.
    const std::string between(ascii ? 1 : 5, '\0');
    append_chunk(png, ascii ? "tEXt" : "iTXt", text.keyword + between + text.text);
  }
}

// A picture as PNG sees it: rows of `pixel_bytes` a pixel, written by `fill` for a range of rows, each after the byte 0
// of a row without filter. Filters help photographs; the flat colours of maps and of text deflate better without.
struct Pixels {
  Index width = 0;
  Index height = 0;
  int color_type = rgb_color;
  Index pixel_bytes = 3;
  std::function<void(Index row, std::uint8_t* into)> fill;

  Index row_bytes() const { return 1 + width * pixel_bytes; }
};

struct Strip {
  std::string deflated;
  uLong adler = 0;
  Index bytes = 0;
};

// Noise has nothing that repeats: to look for it takes three times as long and finds runs that are dearer than letters.
int strategy_for(const std::string& rows, Index pixel_bytes) {
  const auto distance = static_cast<std::size_t>(pixel_bytes);
  const std::size_t looked_at = std::min<std::size_t>(rows.size(), 1 << 16);
  const std::size_t begin = (rows.size() - looked_at) / 2;
  std::size_t repeats = 0;
  for (std::size_t i = begin + distance; i < begin + looked_at; ++i) repeats += rows[i] == rows[i - distance];
  return repeats < looked_at / 4 ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY;
}

// Raw deflate; all but the last end on a byte without an end of the stream, so that the next can follow.
bool deflate_strip(const std::string& rows, Index pixel_bytes, bool last, Strip& strip) {
  z_stream stream{};
  const int strategy = strategy_for(rows, pixel_bytes);
  if (deflateInit2(&stream, deflate_level, Z_DEFLATED, -MAX_WBITS, 8, strategy) != Z_OK) return false;
  strip.deflated.resize(deflateBound(&stream, static_cast<uLong>(rows.size())) + 16);
  stream.next_in = const_cast<Bytef*>(as_bytes(rows.data()));
  stream.avail_in = static_cast<uInt>(rows.size());
  stream.next_out = reinterpret_cast<Bytef*>(strip.deflated.data());
  stream.avail_out = static_cast<uInt>(strip.deflated.size());
  const int status = deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  strip.deflated.resize(strip.deflated.size() - stream.avail_out);
  deflateEnd(&stream);
  strip.adler = adler32_z(adler32(0, nullptr, 0), as_bytes(rows.data()), static_cast<z_size_t>(rows.size()));
  strip.bytes = static_cast<Index>(rows.size());
  return status == (last ? Z_STREAM_END : Z_OK);
}

// The picture's zlib stream (RFC 1950) in IDAT chunks, one a strip.
bool append_picture(std::string& png, const Pixels& pixels) {
  const Index rows_each = std::max<Index>(1, strip_bytes / pixels.row_bytes());
  const Index count = (pixels.height + rows_each - 1) / rows_each;
  std::vector<Strip> strips(static_cast<std::size_t>(count));
  std::atomic<bool> sound = true;
  const auto make = [&](Index begin, Index end) {
    std::string rows;
    for (Index i = begin; i < end; ++i) {
      const Index first = i * rows_each;
      const Index height = std::min(rows_each, pixels.height - first);
      rows.assign(static_cast<std::size_t>(height * pixels.row_bytes()), '\0');
      auto* into = reinterpret_cast<std::uint8_t*>(rows.data());
      for (Index y = 0; y < height; ++y) pixels.fill(first + y, into + y * pixels.row_bytes() + 1);
      if (!deflate_strip(rows, pixels.pixel_bytes, i + 1 == count, strips[static_cast<std::size_t>(i)])) sound = false;
    }
  };
  if (count == 1) {
    make(0, 1);
  } else {
    ThreadPool pool;
    pool.for_each(count, 1, make);
  }
  uLong adler = adler32(0, nullptr, 0);
  for (Strip& strip : strips) {
    adler = adler32_combine(adler, strip.adler, static_cast<z_off_t>(strip.bytes));
    if (&strip == &strips.front()) strip.deflated.insert(0, "\x78\x01");
    if (&strip == &strips.back()) append_word(strip.deflated, static_cast<std::uint32_t>(adler));
    append_chunk(png, "IDAT", strip.deflated);
  }
  return sound;
}

void append_palette(std::string& png, const std::vector<Color>& palette) {
  std::string colors;
  std::string alphas;
  bool opaque = true;
  for (const Color& color : palette) {
    colors += {static_cast<char>(color.r), static_cast<char>(color.g), static_cast<char>(color.b)};
    alphas += static_cast<char>(color.a);
    opaque = opaque && color.a == 255;
  }
  append_chunk(png, "PLTE", colors);
  if (!opaque) append_chunk(png, "tRNS", alphas);
}

Result<std::string> encode(const Pixels& pixels, const std::vector<Color>& palette, const PngOptions& options) {
  std::string png = "\x89PNG\r\n\x1A\n";
  std::string header;
  append_word(header, static_cast<std::uint32_t>(pixels.width));
  append_word(header, static_cast<std::uint32_t>(pixels.height));
  header += {'\x8', static_cast<char>(pixels.color_type), '\0', '\0', '\0'};
  append_chunk(png, "IHDR", header);
  append_chunk(png, "sRGB", std::string(1, '\0'));  // to be shown as a picture is
  if (!palette.empty()) append_palette(png, palette);
  append_notes(png, options);
  if (!append_picture(png, pixels)) {
    return fail("no memory to write a PNG of {}×{} pixels", pixels.width, pixels.height);
  }
  append_chunk(png, "IEND", "");
  return png;
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
  return result;
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
  if (const auto few = indexed_image(image)) {
    return encode_indexed_png(image.width, image.height, few->indices, few->palette, options);
  }
  bool opaque = true;
  for (std::size_t i = 3; i < image.rgba.size() && opaque; i += 4) opaque = image.rgba[i] == 255;
  Pixels pixels{image.width, image.height, opaque ? rgb_color : rgba_color, opaque ? 3 : 4, {}};
  pixels.fill = [&](Index row, std::uint8_t* into) {
    const std::uint8_t* from = image.rgba.data() + 4 * row * image.width;
    if (!opaque) {
      std::copy_n(from, 4 * image.width, into);
      return;
    }
    for (Index x = 0; x < image.width; ++x, from += 4, into += 3) {
      into[0] = from[0];
      into[1] = from[1];
      into[2] = from[2];
    }
  };
  return encode(pixels, {}, options);
}

Result<std::string> encode_indexed_png(Index width, Index height, const std::vector<std::uint8_t>& indices,
                                       const std::vector<Color>& palette, const PngOptions& options) {
  assert(static_cast<Index>(indices.size()) == width * height);
  const IndexRow fill = [&](Index row, std::uint8_t* into) { std::copy_n(indices.data() + row * width, width, into); };
  return encode_indexed_rows(width, height, fill, palette, options);
}

Result<std::string> encode_indexed_rows(Index width, Index height, const IndexRow& fill,
                                        const std::vector<Color>& palette, const PngOptions& options) {
  HL_CHECK(check_extents(width, height));
  if (palette.empty() || palette.size() > 256)
    return fail("a PNG palette has 1 to 256 colours, not {}", palette.size());
  return encode({width, height, indexed, 1, fill}, palette, options);
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
