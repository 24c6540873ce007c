// Golden pictures of the whole window, as the screenshot command takes them. UPDATE_GOLDENS=1 writes them anew: look at
// each.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;

Image screenshot(const std::string& arguments) {
  const Scratch scratch;
  const fs::path path = scratch / "screen.png";
  const std::string command = fmt::format("{} screenshot -o {} {}", HEADLIGHT_PROGRAM, path.string(), arguments);
  REQUIRE(std::system(command.c_str()) == 0);
  const auto bytes = read_file(path, 1 << 26);
  REQUIRE(bytes);
  auto image = decode_png(*bytes);
  REQUIRE(image);
  return std::move(*image);
}

// The pictures were drawn with the fonts of Debian 12, of which this one tells: there pixels are compared. Elsewhere
// words are of another width, and what stands beside them moves: each square of either picture must stand near its
// place in the other one, in mean colours. What is as large as some squares, and is missing or of another colour, does
// not.
bool has_their_fonts() {
  constexpr std::uintmax_t bytes_of_inter_3 = 258992;
  return fs::file_size(fs::path(HEADLIGHT_FONT_FOLDER) / "Inter-Regular.otf") == bytes_of_inter_3;
}
struct Comparison {
  Index square;        // pixels a side
  Index across, down;  // pixels that a square may have moved, either way
  double tolerance;    // share of squares
};
const Comparison comparison = has_their_fonts() ? Comparison{1, 0, 0, 0.002}
                                                // another FreeType may shift a glyph a bit
                                                : Comparison{16, 32, 16, 0.005};
using Color = std::array<double, 3>;

// Sums of a picture's colours over any of its squares.
class Sums {
 public:
  explicit Sums(const Image& image)
      : width(image.width), height(image.height), sums_(static_cast<std::size_t>((height + 1) * (width + 1))) {
    for (Index y = 0; y < height; ++y)
      for (Index x = 0; x < width; ++x)
        for (std::size_t c = 0; c < 3; ++c)
          sums_[at(y + 1, x + 1)][c] = image.rgba[static_cast<std::size_t>(4 * (y * width + x)) + c] +
                                       sums_[at(y, x + 1)][c] + sums_[at(y + 1, x)][c] - sums_[at(y, x)][c];
  }
  Color mean(Index top, Index left) const {
    const Index side = comparison.square;
    Color mean{};
    for (std::size_t c = 0; c < 3; ++c) {
      const std::int64_t sum = sums_[at(top + side, left + side)][c] - sums_[at(top, left + side)][c] -
                               sums_[at(top + side, left)][c] + sums_[at(top, left)][c];
      mean[c] = static_cast<double>(sum) / static_cast<double>(side * side);
    }
    return mean;
  }

  const Index width, height;

 private:
  std::size_t at(Index y, Index x) const { return static_cast<std::size_t>(y * (width + 1) + x); }

  std::vector<std::array<std::int64_t, 3>> sums_;  // of all pixels above and left of a corner
};

// Whether no colour's means differ by more than a step that eyes can see, of 255.
bool is_alike(const Color& a, const Color& b) {
  return std::abs(a[0] - b[0]) <= 12 && std::abs(a[1] - b[1]) <= 12 && std::abs(a[2] - b[2]) <= 12;
}

// Whether that square of one picture is near its place in another one of the same size.
bool is_found(const Sums& square_of, Index top, Index left, const Sums& in) {
  const Index square = comparison.square, across = comparison.across, down = comparison.down;
  const Color mean = square_of.mean(top, left);
  if (is_alike(mean, in.mean(top, left))) return true;
  for (Index y = std::max(Index{0}, top - down); y <= std::min(in.height - square, top + down); ++y)
    for (Index x = std::max(Index{0}, left - across); x <= std::min(in.width - square, left + across); ++x)
      if (is_alike(mean, in.mean(y, x))) return true;
  return false;
}

// Share of squares of either picture that the other one does not have, whichever is more.
double difference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 1;
  const Sums of_a(a), of_b(b);
  const Index square = comparison.square;
  Index only_a = 0, only_b = 0, squares = 0;
  for (Index top = 0; top + square <= a.height; top += square)
    for (Index left = 0; left + square <= a.width; left += square, ++squares) {
      only_a += !is_found(of_a, top, left, of_b);
      only_b += !is_found(of_b, top, left, of_a);
    }
  return static_cast<double>(std::max(only_a, only_b)) / static_cast<double>(squares);
}

void check_golden(const std::string& name, const std::string& arguments, const char* other = "head 5") {
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
  INFO(name);
  CHECK(difference(now, *kept) < comparison.tolerance);
  // The control: another head is another picture.
  CHECK(difference(screenshot(fmt::format("{} --do '{}'", arguments, other)), has_their_fonts() ? *kept : now) >
        comparison.tolerance);
}

}  // namespace

// The example opens at its first step: a cell of its third head.
const std::string cell = "--do 'step weights' --do 'head 2' --do 'pin 9 3' ";

TEST_CASE("the first screen, light, and dark and small") {
  check_golden("first_light", "--size 1600x1000 --do 'term vector'", "step q");
  check_golden("first_dark_small", "--size 1366x768 --theme dark", "step q");
}
TEST_CASE("help, light") {
  check_golden("help_light", "--size 1600x1000 --do 'help guide/masks'", "help guide/heads");
}
TEST_CASE("explore, light") {
  check_golden("explore_light", cell + "--size 1600x1000");
}
TEST_CASE("explore, dark and small") {
  check_golden("explore_dark_small", cell + "--size 1366x768 --theme dark");
}
TEST_CASE("explore at 200 %") {
  check_golden("explore_200", cell + "--size 1600x1000 --scale 2");
}
TEST_CASE("two experiments beside each other, light") {
  check_golden("compare_light", cell + "--size 1600x1000 --do 'pin 9 3' --do 'what-if scale-off'");
}
TEST_CASE("two experiments beside each other, dark and small") {
  check_golden("compare_dark_small", cell + "--size 1366x768 --theme dark --do 'pin 5 7' --do 'what-if no-mask'");
}

TEST_CASE("a mask in layers, light") {
  check_golden(
      "masks_light",
      cell +
          "--size 1600x1000 --do 'screen masks' --do 'param mask causal' --do 'pad-left 2' --do 'layer window on' "
          "--do 'param window_left 4' --do 'hide-cells 7 8 4 4' --do 'hide-cells 7 7 3 3' --do 'select 8 4'");
}
TEST_CASE("a mask in layers, dark and small") {
  check_golden("masks_dark_small",
               cell +
                   "--size 1366x768 --theme dark --do 'screen masks' --do 'layer causal on' --do 'layer window on' "
                   "--do 'layer sinks on' --do 'select 6 2'");
}

TEST_CASE("the report on heads, light, and dark with heads found") {
  check_golden("heads_light",
               cell + "--size 1600x1000 --do 'mode heads' --do 'sort-heads induction' --do ablate-heads");
  check_golden("heads_dark", cell + "--size 1366x768 --theme dark --do 'mode heads' --do 'find-heads previous'",
               "param heads 4");
}

TEST_CASE("all layers of a model, a head switched off, light") {
  check_golden("model_light",
               fmt::format("{}/tests/reference/models/gpt2 --ids 3,1,4,1,5 --size 1600x1000 --do 'layer-pair 4 2' "
                           "--do 'switch-layer-head 0 1 off'",
                           HEADLIGHT_SOURCE_DIR),
               "layer-head 1 1");
}

std::string example(const std::string& name) {
  return fmt::format("{}/assets/examples/{}.headlight ", HEADLIGHT_SOURCE_DIR, name);
}

TEST_CASE("attention over a picture, a video and a signal") {
  check_golden("picture_light", example("relative") + "--size 1600x1000 --do 'pin 300 340'", "head 1");
  check_golden("video_dark_small", example("video") + "--size 1366x768 --theme dark", "select 100 200");
  check_golden("signal_light_small", example("signal") + "--size 1366x768", "select 3 4");
}
TEST_CASE("lines, numbers and arrows") {
  check_golden("lines_dark_small", cell + "--size 1366x768 --theme dark --do 'mode lines' --do 'pin 9 3'");
  check_golden("numbers_light_small", cell + "--size 1366x768 --do 'mode numbers' --do 'pin 9 3'");
  check_golden("arrows_light_small", cell + "--size 1366x768 --do 'mode arrows' --do 'step q' --do 'pin 9 3'");
}
TEST_CASE("pictures of mechanisms") {
  check_golden("mechanism_light",
               cell +
                   "--size 1600x1000 --do 'param rotary half' --do 'param normalize sparsemax' --do 'mode mechanism' "
                   "--do 'pin 9 3'");
  check_golden("mechanism_dark_small",
               cell + "--size 1366x768 --theme dark --do 'param relative alibi' --do 'mode mechanism' --do 'pin 9 3'");
}
TEST_CASE("a network that learns, and why one of its weights grows") {
  check_golden("train_light",
               "--size 1600x1000 --do 'screen train' --do 'train-to 130' --do 'train-mark-b' --do 'train-at 125' "
               "--do 'train-pin 1 0 12 3'",
               "train-gradient");
  check_golden("train_dark_small",
               "--size 1366x768 --theme dark --do 'screen train' --do 'task picture' --do 'train-to 60'",
               "train-pin 0 0 20 22");
}
TEST_CASE("a lesson, and the path of them all") {
  const std::string lesson =
      fmt::format("--do 'lesson {}/assets/lessons/one-row-by-hand.lesson.md' ", HEADLIGHT_SOURCE_DIR);
  check_golden("lesson_light", "--size 1600x1000 " + lesson + "--do 'lesson-step 1' --do 'lesson-answer 5'",
               "lesson-step 2");
  check_golden("lesson_dark_small", "--size 1280x720 --theme dark " + lesson + "--do 'lesson-step 6'", "lesson-step 3");
  check_golden("lessons_light_small", "--size 1366x768 --do 'screen lessons'", "screen train");
}
TEST_CASE("a lesson is run in pictures: each step as it asks, and after its answer") {
  const Scratch scratch;
  const fs::path folder = scratch / "pictures";
  const std::string run =
      fmt::format("{} lesson run {}/assets/lessons/masks.lesson.md --answers wrong -q --screenshots {} ",
                  HEADLIGHT_PROGRAM, HEADLIGHT_SOURCE_DIR, folder.string());
  CHECK(std::system((run + "wide 2>/dev/null").c_str()) != 0);
  CHECK_FALSE(fs::exists(folder));
  REQUIRE(std::system((run + "800x600").c_str()) == 0);
  const auto picture = [&](const std::string& name) {
    const auto bytes = read_file(folder / name, 1 << 26);
    REQUIRE(bytes);
    auto image = decode_png(*bytes);
    REQUIRE(image);
    CHECK(image->width == 800);
    CHECK(image->height == 600);
    return std::move(*image);
  };
  const Image asked = picture("masks-1.png"), answered = picture("masks-1-answered.png");
  CHECK(asked.rgba != answered.rgba);
  for (int step = 2; step <= 4; ++step) CHECK(picture(fmt::format("masks-{}.png", step)).rgba != asked.rgba);
}
TEST_CASE("a figure and a worksheet that are made") {
  check_golden("figure_light", cell + "--size 1600x1000 --do 'screen figure'", "figure head 1");
  check_golden("worksheet_dark_small", cell + "--size 1366x768 --theme dark --do 'screen worksheet'", "sheet rows 3,5");
}
TEST_CASE("a class is asked") {
  check_golden("present_light", cell + "--size 1366x768 --do 'present' --do 'ask 9'", "present-head 1");
}
TEST_CASE("what lies over the window") {
  check_golden("palette_light_small", cell + "--size 1366x768 --do 'dialog palette'", "dialog keys");
  check_golden("keys_dark", cell + "--size 1600x1000 --theme dark --do 'dialog keys'", "dialog appearance");
}

TEST_CASE("the window's figure is its command's, byte for byte, whatever is pinned and however it is looked at") {
  const Scratch folder;
  const struct {
    const char* example;
    const char* looked;   // actions before the figure is made
    const char* command;  // what the window's command says of it
  } list[] = {
      {"causal.headlight", "--do 'pin 5 4' --do 'screen figure' --do 'figure head 2'", "--step weights --head 2"},
      {"relative.headlight", "--do 'pin 3 90' --do 'screen figure'", "--step weights --query 3"},
      {"relative.headlight", "--do 'mode matrix' --do 'screen figure' --do 'figure head 1'",
       "--step weights --as matrix --head 1"},
  };
  for (const auto& [example, looked, command] : list)
    for (const char* extension : {"pdf", "svg", "png"}) {
      const std::string experiment = fmt::format("{}/assets/examples/{}", HEADLIGHT_SOURCE_DIR, example);
      const fs::path mine = folder / fmt::format("f.{}", extension), again = folder / fmt::format("g.{}", extension);
      fs::remove(mine);  // over a file the window asks
      screenshot(fmt::format("{} {} --do 'save-figure {}'", experiment, looked, mine.string()));
      REQUIRE(
          std::system(fmt::format("{} render {} {} -q -o {}", HEADLIGHT_PROGRAM, experiment, command, again.string())
                          .c_str()) == 0);
      INFO(example << " " << looked << " " << extension);
      const auto a = read_file(mine, 1 << 26), b = read_file(again, 1 << 26);
      REQUIRE((a && b));
      CHECK(*a == *b);
    }
}
