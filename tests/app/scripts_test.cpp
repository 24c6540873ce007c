// Any script in the window and in figures: what the system's fonts draw, where cursors stand, and what is said where no
// font is installed.
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/page/figure.h"
#include "app/platform/fonts.h"
#include "app/text/font_set.h"
#include "app/text/shaping.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/gui/null_backend.h"
#include "tests/missing.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const std::string family = "👨‍👩‍👧", flag = "🇫🇷", heart = "❤️";

Fonts window_fonts(bool system) {
  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER, system);
  REQUIRE(fonts);
  return std::move(*fonts);
}

FontSet figure_fonts(bool system = true) {
  FontFiles files = font_files_in(HEADLIGHT_FONT_FOLDER);
  files.system = system;
  auto set = FontSet::load(files);
  REQUIRE(set);
  return std::move(*set);
}

// Says so and gives false where the machine has no font for it.
bool installed(const std::string& text, const char* package) {
  const bool has = missing_scripts(figure_fonts(), {text}).empty() &&
                   figure_fonts().set(Face::regular, 10, text).glyphs.front().face >= Face::more;
  if (!has) test::left_out("no font of the system has " + text + "; install " + package);
  return has;
}

// What text adds to a draw list, four corners a glyph.
std::vector<ImDrawVert> drawn(Fonts& fonts, const std::string& text, std::uint32_t color = 0xFF123456) {
  ImDrawList& list = *ImGui::GetForegroundDrawList();
  const int first = list.VtxBuffer.Size;
  fonts.draw(list, Type::label, 100, 100, color, text);
  return {list.VtxBuffer.Data + first, list.VtxBuffer.Data + list.VtxBuffer.Size};
}

std::vector<float> places(Fonts& fonts, const std::string& text) {
  std::vector<float> x;
  for (const Caret& caret : fonts.carets(Type::body, text)) x.push_back(caret.x);
  return x;
}

std::vector<std::size_t> bytes(Fonts& fonts, const std::string& text) {
  std::vector<std::size_t> all;
  for (const Caret& caret : fonts.carets(Type::body, text)) all.push_back(caret.byte);
  return all;
}

Experiment experiment_of(const std::string& text) {
  Experiment experiment = example_experiment();
  std::get<TextInput>(experiment.inputs["x_q"]).text = text;
  experiment.view = {};
  return experiment;
}

}  // namespace

TEST_CASE("a cursor stands before each character as a reader counts them, on the side from which it is read") {
  Fonts fonts = window_fonts(false);
  NullBackend backend(fonts, 800, 600, 1);
  backend.begin_frame();
  CHECK(bytes(fonts, "ae\u0301b") == std::vector<std::size_t>{0, 1, 4, 5});
  CHECK(places(fonts, "abc").back() == Approx(fonts.width(Type::body, "abc")));
  CHECK(std::ranges::is_sorted(places(fonts, "abc")));
  CHECK(bytes(fonts, "") == std::vector<std::size_t>{0});

  const std::string hebrew = "שלום";
  CHECK(bytes(fonts, hebrew) == std::vector<std::size_t>{0, 2, 4, 6, 8});
  std::vector<float> x = places(fonts, hebrew);
  CHECK(x.front() == Approx(fonts.width(Type::body, hebrew)));
  CHECK(x.back() == Approx(0).margin(1e-3));
  CHECK(std::ranges::is_sorted(x, std::greater<>()));

  x = places(fonts, "לא");  // beside each other
  REQUIRE(x.size() == 3);
  CHECK(x[1] > 1);
  x = places(fonts, "لا");  // one glyph of two letters
  REQUIRE(x.size() == 3);
  CHECK(x[1] == Approx(x[0] / 2).margin(0.1));
  // Whole emoji, also where no font has them.
  CHECK(bytes(fonts, "a" + family + heart) ==
        std::vector<std::size_t>{0, 1, 1 + family.size(), 1 + family.size() + heart.size()});
  CHECK(bytes(fonts, "a\xFFש") == std::vector<std::size_t>{0, 1, 2, 4});  // broken UTF-8 is a character a byte
  backend.end_frame();
}

TEST_CASE("rows of a text from right to left run so, whatever they begin with") {
  Fonts fonts = window_fonts(false);
  NullBackend backend(fonts, 800, 600, 1);
  backend.begin_frame();
  const auto natural = fonts.carets(Type::body, "GPT."),
             turned = fonts.carets(Type::body, "GPT.", Direction::right_to_left);
  REQUIRE(turned.size() == natural.size());
  CHECK(natural[3].x > natural[0].x);
  CHECK(turned[3].end < turned[0].x);  // the stop stands at the left of the word
  CHECK(direction_of(U"42 (שלום) a") == Direction::right_to_left);
  CHECK(direction_of(U"42 (a) שלום") == Direction::left_to_right);
  CHECK(direction_of(U"\u200F abc") == Direction::left_to_right);  // its code is drawn
  backend.end_frame();
}

TEST_CASE("in the window text from right to left is ordered and joined as in figures") {
  Fonts fonts = window_fonts(false);
  NullBackend backend(fonts, 800, 600, 1);
  backend.begin_frame();
  const FontSet set = figure_fonts(false);
  for (const char* text : {"שלום", "مرحبا", "אב 12 (ab)"}) {
    const TextLine line = set.set(Face::regular, type_size(Type::label).size, text);
    CHECK(fonts.width(Type::label, text) == Approx(line.width));
    const auto seen = std::ranges::count_if(line.glyphs, [&](const Glyph& glyph) {
      FT_Load_Glyph(set.face(glyph.face), glyph.index, FT_LOAD_NO_SCALE);
      return set.face(glyph.face)->glyph->outline.n_points > 0;
    });
    CHECK(drawn(fonts, text).size() == static_cast<std::size_t>(4 * seen));
  }
  const auto corners = drawn(fonts, "שלום");
  REQUIRE(corners.size() == 16);
  CHECK(corners[0].pos.x > corners[12].pos.x);  // the first letter stands at the right
  CHECK(drawn(fonts, "plain").front().col == 0xFF123456);
  CHECK(fonts.want("plain · text √ кошка"));
  CHECK_FALSE(fonts.want("plain שלום"));
  backend.end_frame();
}

TEST_CASE("what no font here has is drawn as its code, and a note names the packages") {
  Fonts fonts = window_fonts(false);
  NullBackend backend(fonts, 800, 600, 1);
  backend.begin_frame();
  CHECK(fonts.width(Type::body, "猫") ==
        Approx(fonts.width(Type::body, "U+732B")).epsilon(0.01));  // without its kerning
  CHECK(drawn(fonts, "猫").size() == 24);
  CHECK(fonts.missing({"cat", "кошка", "√", "\u200D"}).empty());
  const std::string note = missing_fonts_note(fonts.missing({"注意", "주의", "नमक", "ไทย", "🍕", "more 注意"}));
  CHECK(note ==
        "Some characters of Chinese, Korean, Devanagari (Hindi), Thai and emoji are in no font here: they are shown by "
        "their codes, U+XXXX. With Debian, install fonts-noto-cjk, fonts-noto-core and fonts-noto-color-emoji, and "
        "start again.");
  CHECK(note == missing_fonts_note(missing_scripts(figure_fonts(false), {"🍕", "注意", "주의", "नमक", "ไทย"})));
  CHECK(fonts.missing({"1️⃣", "👍🏽"}) == std::vector<Script>{emoji_script});
  CHECK(fonts.missing({"\uE000"}).empty());  // of private use: no package has it
  CHECK(missing_fonts_note({}).empty());
  // DejaVu has Arabic's letters, and one of its signs it has not: "no font has Arabic" would be untrue beside them.
  CHECK(fonts.missing({"قطة"}).empty());
  CHECK(missing_fonts_note(fonts.missing({"قطة ﷽"})).starts_with("Some characters of Arabic are in no font here"));
  CHECK(fonts.with_codes("a猫") == "aU+732B");
  CHECK(figure_fonts(false).set(Face::regular, 10, heart).missing.empty());  // DejaVu's, without the selector's code
  CHECK(figure_fonts(false).set(Face::regular, 10, heart).glyphs.size() == 1);
  backend.end_frame();
}

TEST_CASE("the system's fonts draw what the program's lack, the same whatever came before") {
  if (!installed("猫", "fonts-wqy-microhei")) return;
  const FontSet set = figure_fonts(), used = figure_fonts();
  for (const char* text : {"ไทย", "漢字かな", "주의", "한 注", "नमक", "x"}) used.set(Face::semibold, 8, text);
  const auto file_of = [](const FontSet& of, Face face) { return std::string(of.face(face)->family_name); };
  for (const std::string text : {"注意力机制使模型", "漢字かな", "the 猫"}) {
    const TextLine line = set.set(Face::regular, 10, text), again = used.set(Face::regular, 10, text);
    CHECK(line.missing.empty());
    REQUIRE(line.glyphs.size() == again.glyphs.size());
    CHECK(line.own == text);
    for (std::size_t i = 0; i < line.glyphs.size(); ++i) {
      CHECK(line.glyphs[i].index == again.glyphs[i].index);
      CHECK(line.glyphs[i].x == again.glyphs[i].x);
      CHECK(file_of(set, line.glyphs[i].face) == file_of(used, again.glyphs[i].face));
    }
  }
  CHECK(set.set(Face::regular, 10, "注意").width == Approx(20).margin(1));
  CHECK(set.set(Face::regular, 10, "cat").glyphs.front().face == Face::regular);
}

TEST_CASE("emoji are one picture each, in their own colours") {
  if (!installed("🍕", "fonts-noto-color-emoji")) return;
  Fonts fonts = window_fonts(true);
  NullBackend backend(fonts, 800, 600, 1);
  backend.begin_frame();
  for (const std::string& emoji :
       {std::string("😀"), family, flag, heart, std::string("👍🏽"), std::string("1️⃣")}) {
    const auto corners = drawn(fonts, emoji, 0x80123456);
    INFO(emoji);
    REQUIRE(corners.size() == 4);
    CHECK(corners.front().col == 0x80FFFFFF);
    CHECK(fonts.carets(Type::body, emoji).size() == 2);
  }
  const auto text = drawn(fonts, "❤", 0x80123456);  // without a selector it is a letter
  REQUIRE(text.size() == 4);
  CHECK(text.front().col == 0x80123456);
  CHECK(drawn(fonts, "I " + heart + " you").size() == 20);
  backend.end_frame();
}

TEST_CASE("glyphs and lines are kept within bounds, and room is made between frames") {
  Fonts fonts = window_fonts(false);
  NullBackend backend(fonts, 800, 600, 4);
  backend.begin_frame();
  for (std::size_t i = 0; i <= ShapedLines::most_kept; ++i) fonts.width(Type::label, "ש" + std::to_string(i));
  CHECK(fonts.shaped().kept() <= ShapedLines::most_kept);
  GlyphAtlas atlas;
  const FontSet set = figure_fonts(false);
  unsigned index = 1;
  while (!atlas.make_room() && index < 6000) {
    for (int i = 0; i < 200; ++i) atlas.glyph(set, Face::fallback, index++, 200);
    CHECK(atlas.pages() <= GlyphAtlas::most_pages);
  }
  CHECK(index < 6000);
  CHECK_FALSE(atlas.needs_space());
  CHECK(atlas.pages() == 0);
  CHECK(atlas.glyph(set, Face::fallback, 100, 200).texture != 0);
  backend.end_frame();
}

TEST_CASE("a screen of any script draws, and says what is missing") {
  for (const char* text : {"注意力机制使模型", "주의 메커니즘", "ध्यान तंत्र", "ความสนใจ", "السلام عليكم", "שלום עולם",
                           "I 😀 love 🍕 and 👨‍👩‍👧 family ❤️"}) {
    Driver driver(1366, 768, 1, experiment_of(text));
    driver.settle();
    INFO(text);
    CHECK(driver.model().error.empty());
    const auto missing = missing_scripts(figure_fonts(), {text});
    CHECK(driver.shows("fonts") == !missing.empty());
    if (!missing.empty()) CHECK(driver.widget("fonts").value == missing_fonts_note(missing));
  }
  Driver driver(1366, 768, 1, experiment_of("a private \uE000 sign"));
  driver.settle();
  CHECK_FALSE(driver.shows("fonts"));
}

TEST_CASE("more fonts after a comma draw what the first lacks") {
  const std::string folder = HEADLIGHT_FONT_FOLDER;
  const auto files = font_files_named(folder, "serif," + folder + "/Inter-Regular.otf");
  REQUIRE(files);
  REQUIRE(files->further.size() == 1);
  const auto set = FontSet::load(*files);
  REQUIRE(set);
  CHECK(set->set(Face::regular, 10, "a").glyphs[0].face == Face::regular);
  CHECK(set->set(Face::regular, 10, "⌘").glyphs[0].face == Face::more);  // Latin Modern has none
  CHECK_FALSE(font_files_named(folder, "serif,Comic"));
  CHECK_FALSE(font_files_named(folder, "serif,"));
  CHECK(font_files_read("a.otf,b.otf").size() == 2);
}
