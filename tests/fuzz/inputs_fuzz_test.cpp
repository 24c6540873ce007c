// Damaged pictures and signals: each is read, or refused in one line; nothing crashes, hangs or grows.
#include <chrono>
#include <random>

#include "engine/io/image_file.h"
#include "engine/io/signal.h"
#include "tests/catch.h"
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

// Bytes changed, a piece cut out or repeated, the end cut off, or a number made extreme.
std::string damaged(std::string bytes, std::mt19937& random) {
  const auto at = [&] { return static_cast<std::size_t>(random() % bytes.size()); };
  for (auto times = 1 + random() % 4; times > 0 && !bytes.empty(); --times) {
    const std::size_t from = at(), length = 1 + random() % 8;
    switch (random() % 6) {
      case 0:
        bytes[from] = static_cast<char>(random());
        break;
      case 1:
        bytes[from] = static_cast<char>(bytes[from] ^ 1 << random() % 8);
        break;
      case 2:
        bytes.erase(from, length);
        break;
      case 3:
        bytes.insert(from, bytes.substr(at(), length));
        break;
      case 4:
        bytes.resize(from + 1);
        break;
      default:
        for (std::size_t i = from; i < std::min(bytes.size(), from + 4); ++i)
          bytes[i] = random() % 2 == 0 ? '\xFF' : '\0';
    }
  }
  return bytes;
}

bool one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

void check_picture(const std::string& name, const std::string& bytes) {
  const auto frames = decode_frames(bytes);
  if (!frames) {
    if (!one_line(frames.error().message)) FAIL_CHECK(name << ": " << frames.error().message);
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
  for (int i = 0; i < 20000 && std::chrono::steady_clock::now() - start < std::chrono::seconds(10); ++i) {
    const Sound& sound = sounds[static_cast<std::size_t>(i) % sounds.size()];
    check_picture(sound.name, damaged(sound.bytes, random));
  }
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
    const std::string bytes = damaged(sounds[static_cast<std::size_t>(i) % sounds.size()], random);
    for (const auto& samples : {decode_wav(bytes), decode_csv(bytes, ""), decode_csv(bytes, "1")}) {
      ++(samples ? read : refused);
      if (!samples && !one_line(samples.error().message)) FAIL_CHECK(samples.error().message);
    }
  }
  CHECK(read > 1000);
  CHECK(refused > 1000);
}
