// Golden pictures of the whole window, as the screenshot command takes them. UPDATE_GOLDENS=1 writes them anew: look at
// each.
#include <cstdlib>
#include <filesystem>

#include "engine/io/file.h"
#include "engine/io/png.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;

Image screenshot(const std::string& arguments) {
  const fs::path path = fs::temp_directory_path() / "headlight_screen_test.png";
  const std::string command = fmt::format("{} screenshot -o {} {}", HEADLIGHT_PROGRAM, path.string(), arguments);
  REQUIRE(std::system(command.c_str()) == 0);
  const auto bytes = read_file(path, 1 << 26);
  REQUIRE(bytes);
  auto image = decode_png(*bytes);
  REQUIRE(image);
  fs::remove(path);
  return std::move(*image);
}

// Share of pixels that differ by more than a step that eyes can see.
double difference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 1;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.rgba.size(); i += 4) {
    int largest = 0;
    for (std::size_t c = 0; c < 3; ++c) largest = std::max(largest, std::abs(int{a.rgba[i + c]} - int{b.rgba[i + c]}));
    differing += largest > 12;
  }
  return static_cast<double>(differing) * 4 / static_cast<double>(a.rgba.size());
}

constexpr double tolerance = 0.002;  // glyphs may fall on other sub-pixels with another FreeType

void check_golden(const std::string& name, const std::string& arguments) {
  const fs::path golden = fs::path(HEADLIGHT_SOURCE_DIR) / "tests" / "golden" / (name + ".png");
  const Image now = screenshot(arguments);
  if (std::getenv("UPDATE_GOLDENS")) {
    const auto png = encode_png(now);
    REQUIRE(png);
    REQUIRE(write_file(golden, *png));
  }
  const auto bytes = read_file(golden, 1 << 26);
  REQUIRE(bytes);
  const auto kept = decode_png(*bytes);
  REQUIRE(kept);
  CHECK(difference(now, *kept) < tolerance);
  CHECK(difference(screenshot(arguments + " --do 'head 5'"), *kept) >
        tolerance);  // the control: another head is another picture
}

}  // namespace

TEST_CASE("explore, light") {
  check_golden("explore_light", "--size 1600x1000");
}
TEST_CASE("explore, dark and small") {
  check_golden("explore_dark_small", "--size 1366x768 --theme dark");
}
TEST_CASE("explore at 200 %") {
  check_golden("explore_200", "--size 1600x1000 --scale 2");
}
