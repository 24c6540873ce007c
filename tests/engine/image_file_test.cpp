#include "engine/io/images/image_file.h"

#include <cstdlib>

#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/picture_files.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::test;
using namespace std::string_literals;

namespace {

std::string error_of(const std::string& bytes) {
  const auto frames = decode_frames(bytes);
  return frames ? "" : frames.error().message;
}

Image decoded(const std::string& bytes) {
  auto frames = decode_frames(bytes);
  INFO(error_of(bytes));
  REQUIRE(frames);
  REQUIRE(frames->size() == 1);
  return frames->front();
}

// Row by row as hexadecimal RGBA, one word a pixel.
std::string words(const Image& image) {
  std::string text;
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x) {
      const Color c = image.at(x, y);
      text += fmt::format("{}{:02x}{:02x}{:02x}{:02x}", text.empty() ? "" : " ", c.r, c.g, c.b, c.a);
    }
  return text;
}

bool near(Color a, Color b, int most = 6) {
  return std::abs(a.r - b.r) <= most && std::abs(a.g - b.g) <= most && std::abs(a.b - b.b) <= most && a.a == b.a;
}

}  // namespace

TEST_CASE("PNGs of every kind give the right picture in 8 bits") {
  CHECK(words(decoded(png_bytes({.rows = "\0\x10\x20\x30"s}))) == "102030ff");
  CHECK(words(decoded(png_bytes({.width = 3, .bits = 1, .color_type = 0, .rows = "\0\xA0"s}))) ==
        "ffffffff 000000ff ffffffff");
  CHECK(words(decoded(png_bytes({.width = 2, .color_type = 4, .rows = "\0\x40\x80\xFF\x00"s}))) == "40404080 ffffff00");
  CHECK(words(decoded(png_bytes({.width = 2,
                                 .bits = 4,
                                 .color_type = 3,
                                 .rows = "\0\x01"s,
                                 .palette = "\x01\x02\x03\xFF\x80\x00"s,
                                 .alpha = "\x7F"}))) == "0102037f ff8000ff");
  CHECK(words(decoded(png_bytes({.color_type = 2, .rows = "\0\x10\x20\x30"s, .alpha = "\0\x10\0\x20\0\x30"s}))) ==
        "10203000");
}

TEST_CASE("a PNG of 16 bits that names no gamma is sRGB, not linear light") {
  CHECK(words(decoded(png_bytes({.bits = 16, .color_type = 2, .rows = "\0\x80\x80\x40\x40\xFF\xFF"s}))) == "8040ffff");
  CHECK(words(decoded(png_bytes({.bits = 16, .color_type = 0, .rows = "\0\x20\x20"s}))) == "202020ff");
}

TEST_CASE("an interlaced PNG comes out in order") {
  // Adam7 of 3×2: pass 1 holds (0, 0); 5: none; 6: (1, 0) … as the specification's figure 8.1 has it.
  const std::string rows =
      "\0\x01"s           // pass 1: column 0 of row 0
      "\0\x03"s           // pass 4: column 2
      "\0\x02"s           // pass 6: column 1
      "\0\x04\x05\x06"s;  // pass 7: row 1
  CHECK(words(decoded(png_bytes({.width = 3, .height = 2, .color_type = 0, .interlaced = true, .rows = rows}))) ==
        "010101ff 020202ff 030303ff 040404ff 050505ff 060606ff");
}

TEST_CASE("absurd and broken files are refused in one clear line") {
  CHECK(error_of("") == "this file is empty: it must be a PNG, JPEG, GIF or BMP picture");
  CHECK(error_of("hello") == "this is not a PNG, JPEG, GIF or BMP picture");
  CHECK(error_of("RIFF....WEBPVP8 ") == "this is a WebP picture: save it as a PNG, JPEG, GIF or BMP");
  CHECK(error_of(png_bytes({.width = 100000, .height = 100000, .rows = "\0"s})) ==
        "a PNG of 100000×100000 pixels: at most 67 million pixels are read, so make it smaller");
  CHECK(error_of(bmp_bytes(bmp_header(100000, 100000, 24), "")) ==
        "a BMP of 100000×100000 pixels: at most 67 million pixels are read, so make it smaller");
  CHECK(error_of(gif_bytes(60000, 60000, std::string(6, '\0'), {})) ==
        "a GIF of 60000×60000 pixels: at most 67 million pixels are read, so make it smaller");
  CHECK(error_of(bmp_bytes(bmp_header(0, 3, 24), "")) == "a BMP of 0×3 pixels: there is nothing in it");
  const std::string png = png_bytes({.rows = "\0\x10\x20\x30"s});
  CHECK(error_of(png.substr(0, 20)) == "a damaged PNG: it ends after 20 bytes");
  CHECK(error_of(png.substr(0, png.size() - 20)).starts_with("a damaged PNG: "));
}

TEST_CASE("a file is named before its error, and its kind is found by content") {
  const Scratch folder;
  REQUIRE(write_file(folder / "cat.jpg", png_bytes({.rows = "\0\x10\x20\x30"s})));
  const auto image = read_image(folder / "cat.jpg");
  REQUIRE(image);
  CHECK(words(*image) == "102030ff");
  REQUIRE(write_file(folder / "empty.png", ""));
  const auto empty = read_frames(folder / "empty.png");
  REQUIRE_FALSE(empty);
  CHECK(empty.error().message == (folder / "empty.png").string() +
                                     ": this file is empty: it must be a PNG, JPEG, GIF "
                                     "or BMP picture");
}

TEST_CASE("JPEGs in colour, in grey and in passes") {
  const Color red{200, 30, 40, 255};
  CHECK(near(decoded(jpeg_bytes({.image = filled_image(9, 5, red)})).at(8, 4), red));
  CHECK(near(decoded(jpeg_bytes({.image = filled_image(9, 5, red), .progressive = true})).at(0, 0), red));
  CHECK(near(decoded(jpeg_bytes({.image = filled_image(1, 1, red), .grey = true})).at(0, 0), {200, 200, 200, 255}));
}

TEST_CASE("every EXIF orientation puts the marked corner where it belongs") {
  Image image = filled_image(32, 16, {0, 0, 0, 255});
  for (Index y = 0; y < 8; ++y)
    for (Index x = 0; x < 8; ++x) image.set(x, y, {255, 255, 255, 255});  // the stored top left
  // Where the corner is shown: right, bottom. Exif 2.32, tag 0x0112.
  const bool shown[9][2] = {
      {},           {false, false}, {true, false}, {true, true}, {false, true}, {false, false}, {true, false},
      {true, true}, {false, true}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Image turned = decoded(jpeg_bytes({.image = image, .orientation = orientation}));
    CAPTURE(orientation);
    REQUIRE(turned.width == (orientation >= 5 ? 16 : 32));
    const auto [right, bottom] = shown[orientation];
    CHECK(turned.at(right ? turned.width - 2 : 1, bottom ? turned.height - 2 : 1).r > 200);
  }
}

TEST_CASE("JPEGs that would show something else are refused") {
  const std::string jpeg = jpeg_bytes({.image = filled_image(64, 64, {1, 200, 3, 255})});
  CHECK(error_of(jpeg.substr(0, jpeg.size() - 20)).starts_with("a damaged JPEG: "));
  CHECK(error_of(jpeg.substr(0, 60)).starts_with("a damaged JPEG: "));
  CHECK(error_of(jpeg_bytes({.image = filled_image(4, 4, {}), .cmyk = true})) ==
        "a JPEG in CMYK, made for printing: save it as RGB");
}

namespace {
const std::string four_colors = "\x00\x00\x00\xFF\x00\x00\x00\xFF\x00\x00\x00\xFF"s;  // black, red, green, blue
}

TEST_CASE("frames of a GIF are drawn as their disposal, transparency and palette say") {
  const auto frames =
      decode_frames(gif_bytes(2, 1, four_colors,
                              {{.width = 2, .indices = "\1\1"},
                               {.left = 1, .indices = "\2", .disposal = 3},                        // taken back
                               {.width = 2, .indices = "\3\0"s, .disposal = 2, .transparent = 0},  // then cleared
                               {.left = 1, .indices = "\1", .palette = "\x00\x00\x00\x11\x22\x33"s}}));
  REQUIRE(frames);
  REQUIRE(frames->size() == 4);
  CHECK(words((*frames)[0]) == "ff0000ff ff0000ff");
  CHECK(words((*frames)[1]) == "ff0000ff 00ff00ff");
  CHECK(words((*frames)[2]) == "0000ffff ff0000ff");
  CHECK(words((*frames)[3]) == "00000000 112233ff");
}

TEST_CASE("rows of an interlaced GIF, and what lies outside the screen") {
  const Image image =
      decoded(gif_bytes(1, 4, four_colors, {{.height = 4, .indices = "\0\2\1\3"s, .interlaced = true}}));
  CHECK(words(image) == "000000ff ff0000ff 00ff00ff 0000ffff");
  CHECK(words(decoded(gif_bytes(1, 1, four_colors, {{.width = 2, .height = 2, .indices = "\1\2\3\0"s}}))) ==
        "ff0000ff");
  CHECK(words(decoded(gif_bytes(1, 1, four_colors, {{.left = 5, .top = 5, .indices = "\1"}}))) == "00000000");
}

TEST_CASE("GIFs that are cut off, empty or endless") {
  const std::string gif = gif_bytes(1, 1, four_colors, {{.indices = "\1"}, {.indices = "\2"}});
  CHECK(error_of(gif.substr(0, gif.size() - 4)) == "a damaged GIF: it is cut off after 1 whole frame");
  CHECK(error_of(gif.substr(0, 8)).starts_with("a damaged GIF: "));
  CHECK(error_of(gif_bytes(1, 1, four_colors, {})) == "a GIF without a picture in it");
  CHECK(error_of(gif_bytes(1, 1, "", {{.indices = "\1"}})) == "a damaged GIF: frame 0 has no palette");
  const std::vector<GifFrame> many(40, {.indices = "\1"});
  CHECK(error_of(gif_bytes(2000, 1000, four_colors, many)).starts_with("a GIF whose first 34 frames of 2000×1000"));
  const auto first = decode_frames(gif, 1);
  REQUIRE(first);
  CHECK(first->size() == 1);
}

TEST_CASE("BMPs of every depth, from the bottom and from the top") {
  const std::string two_colors = "\x03\x02\x01\x00\x30\x20\x10\x00"s;
  CHECK(words(decoded(bmp_bytes(bmp_header(2, 2, 1, 0, 2) + two_colors, "\x40\0\0\0\x80\0\0\0"s))) ==
        "102030ff 010203ff 010203ff 102030ff");
  CHECK(words(decoded(bmp_bytes(bmp_header(2, 1, 4, 0, 2) + two_colors, "\x10\0\0\0"s))) == "102030ff 010203ff");
  CHECK(words(decoded(bmp_bytes(bmp_header(2, 1, 8, 0, 2) + two_colors, "\x01\x00\0\0"s))) == "102030ff 010203ff");
  CHECK(words(decoded(bmp_bytes(bmp_header(1, -2, 24), "\x03\x02\x01\0\x06\x05\x04\0"s))) == "010203ff 040506ff");
  CHECK(words(decoded(bmp_bytes(bmp_header(1, 1, 32), "\x03\x02\x01\x77"s))) == "010203ff");
  CHECK(words(decoded(bmp_bytes(bmp_header(1, 1, 16), "\x1F\x7C\0\0"s))) == "ff00ffff");
  const std::string fields = little(0xF800, 4) + little(0x07E0, 4) + little(0x001F, 4);
  CHECK(words(decoded(bmp_bytes(bmp_header(1, 1, 16, 3) + fields, "\xE0\x07\0\0"s))) == "00ff00ff");
  const std::string wide = little(0xFF, 4) + little(0xFF00, 4) + little(0xFF0000, 4) + little(0xFF000000, 4);
  CHECK(words(decoded(bmp_bytes(bmp_header(1, 1, 32, 3, 0, 56) + wide, "\x01\x02\x03\x80"s))) == "01020380");
  const std::string core = little(12, 4) + little(1, 2) + little(1, 2) + little(1, 2) + little(24, 2);
  CHECK(words(decoded(bmp_bytes(core, "\x03\x02\x01\0"s))) == "010203ff");
}

TEST_CASE("BMPs that are compressed, cut off or of no known kind") {
  CHECK(error_of(bmp_bytes(bmp_header(2, 2, 8, 1), "")) ==
        "a BMP with run-length compression: save it uncompressed, or as a PNG");
  CHECK(error_of(bmp_bytes(bmp_header(2, 2, 0, 5), "")) == "a BMP of 0 bits a pixel: 1, 4, 8, 16, 24 and 32 are read");
  CHECK(error_of(bmp_bytes(bmp_header(2, 2, 24, 5), "")) == "a BMP with a PNG inside: save it as a PNG");
  CHECK(error_of(bmp_bytes(bmp_header(2, 2, 24), "\0\0\0"s)) ==
        "a damaged BMP: 2×2 pixels of 24 bits end at byte 68, but the file has 57");
  CHECK(error_of("BM") == "a damaged BMP: its header claims 0 bytes");
  CHECK(error_of(bmp_bytes(bmp_header(-2147483647 - 1, 1, 24), "")).starts_with("a BMP of -2147483648×1"));
}
