// Damaged pictures and signals: each is read, or refused in one line; nothing crashes, hangs or grows.
#include <chrono>
#include <random>

#include "engine/io/images/image_file.h"
#include "engine/io/signal.h"
#include "tests/catch.h"
#include "tests/fuzz/damage.h"
#include "tests/picture_files.h"

using namespace headlight;
using namespace headlight::test;
using namespace std::string_literals;

namespace {

struct Sound {
  std::string name;
  std::string bytes;
};

Image colourful() {
  Image image = filled_image(24, 18, {});
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x)
      image.set(x, y, {static_cast<std::uint8_t>(11 * x * y), static_cast<std::uint8_t>(10 * x), 90, 255});
  return image;
}

std::vector<Sound> pictures() {
  const std::string colors = "\x00\x00\x00\xFF\x00\x00\x00\xFF\x00\x00\x00\xFF"s;
  std::string rows;
  for (int y = 0; y < 6; ++y) rows += '\1' + std::string(5 * 8, static_cast<char>(17 * y));
  const std::string fields = little(0xF800, 4) + little(0x07E0, 4) + little(0x001F, 4);
  return {
      {"png", png_bytes({.width = 5, .height = 6, .bits = 16, .color_type = 6, .rows = rows})},
      {"palette png",
       png_bytes({.width = 4, .bits = 2, .color_type = 3, .rows = "\0\x1B"s, .palette = colors, .alpha = "ab"})},
      {"jpeg", jpeg_bytes({.image = colourful(), .orientation = 6})},
      {"progressive jpeg", jpeg_bytes({.image = colourful(), .progressive = true})},
      {"gif",
       gif_bytes(4, 4, colors,
                 {{.width = 4, .height = 4, .indices = std::string(16, '\1'), .interlaced = true},
                  {.left = 1, .width = 2, .height = 2, .indices = std::string(4, '\2'), .disposal = 3},
                  {.top = 2, .width = 2, .indices = "\3\0"s, .disposal = 2, .transparent = 0, .palette = colors}})},
      {"bmp", bmp_bytes(bmp_header(3, -2, 24), std::string(24, '\x40'))},
      {"palette bmp", bmp_bytes(bmp_header(9, 2, 4, 0, 4) + colors + colors.substr(0, 4), std::string(16, '\x12'))},
      {"bit-field bmp", bmp_bytes(bmp_header(3, 2, 16, 3) + fields, std::string(16, '\x55'))},
  };
}

void check_picture(const std::string& name, const std::string& bytes) {
  const auto frames = decode_frames(bytes);
  if (!frames) {
    if (!is_one_line(frames.error().message)) FAIL_CHECK(name << ": " << frames.error().message);
    return;
  }
  for (const Image& frame : *frames)
    if (frame.width < 1 || static_cast<Index>(frame.rgba.size()) != 4 * frame.width * frame.height)
      FAIL_CHECK(name << ": a frame of " << frame.width << "×" << frame.height);
}

}  // namespace

TEST_CASE("pictures that are cut off anywhere are read or refused in one line") {
  for (const Sound& sound : pictures()) {
    REQUIRE(decode_frames(sound.bytes));
    for (std::size_t size = 0; size < sound.bytes.size(); ++size)
      check_picture(sound.name, sound.bytes.substr(0, size));
  }
}

TEST_CASE("damaged pictures are read or refused in one line") {
  std::mt19937 random(7);
  const auto sounds = pictures();
  const auto start = std::chrono::steady_clock::now();
  // Some ask for millions of pixels: the time is limited, so that a sanitizer's build ends too.
  int read = 0;
  for (; read < 20000 && std::chrono::steady_clock::now() - start < std::chrono::seconds(10); ++read) {
    const Sound& sound = sounds[static_cast<std::size_t>(read) % sounds.size()];
    check_picture(sound.name, damaged_bytes(sound.bytes, random));
  }
  CHECK(read >= 100);
}

TEST_CASE("damaged signals are read or refused in one line") {
  std::mt19937 random(8);
  const std::vector<std::string> sounds{
      wav_bytes({.channels = 2, .bits = 16, .data = std::string(64, '\x21')}),
      wav_bytes({.format = 3, .bits = 32, .data = std::string(32, '\x3F')}),
      wav_bytes({.bits = 24, .data = std::string(30, '\x91')}),
      "t;\"a \"\"b\"\"\";c\r\n1;2.5;-3e2\n4;\"5\";6\n\n7;8;9",
      "1,2\n3,4\n",
  };
  int read = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string bytes = damaged_bytes(sounds[static_cast<std::size_t>(i) % sounds.size()], random);
    for (const auto& samples : {decode_wav(bytes), decode_csv(bytes, ""), decode_csv(bytes, "1")}) {
      ++(samples ? read : refused);
      if (!samples && !is_one_line(samples.error().message)) FAIL_CHECK(samples.error().message);
    }
  }
  CHECK(read > 1000);
  CHECK(refused > 1000);
}
