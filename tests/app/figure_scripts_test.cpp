// Text from right to left, letters that join, and characters that cannot be seen.
#include <algorithm>
#include <string>

#include "app/page/figure.h"
#include "app/text/font_set.h"
#include "app/text/shaping.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

// Without the system's: the same on every machine.
FontFiles own_files() {
  FontFiles files = font_files_in(HEADLIGHT_FONT_FOLDER);
  files.system = false;
  return files;
}

FontSet fonts() {
  auto set = FontSet::load(own_files());
  REQUIRE(set);
  return std::move(*set);
}

TextLine line_of(const std::string& text) {
  return fonts().set(Face::regular, 10, text);
}

// The glyphs as they stand from left to right.
std::vector<unsigned> seen(TextLine line) {
  std::ranges::stable_sort(line.glyphs, {}, &Glyph::x);
  std::vector<unsigned> indices;
  for (const Glyph& glyph : line.glyphs) indices.push_back(glyph.index);
  return indices;
}

std::string svg_with(const std::string& label) {
  const Tensor tensor(Shape{1, 1});
  Figure figure;
  figure.title = "Scripts";
  figure.quantity = "weight";
  Panel panel;
  panel.cells = matrix_at(tensor, {});
  panel.row_labels = {label};
  panel.column_labels = {"x"};
  figure.panels.push_back(panel);
  const auto files = render_figure(figure, {}, own_files(), FigureFormat::svg, "f");
  REQUIRE(files);
  return files->front().bytes;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Latin letters stand one after another, not kerned and not joined") {
  const TextLine line = line_of("AVATAR fi");
  REQUIRE(line.glyphs.size() == 9);
  double x = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    CHECK(line.glyphs[i].x == x);
    x += line_of(std::string(1, "AVATAR fi"[i])).width;
  }
  CHECK_FALSE(line.right_to_left);
}

TEST_CASE("Hebrew runs from right to left, and numbers and Latin in it do not") {
  const TextLine word = line_of("שלום");
  REQUIRE(word.glyphs.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) CHECK(word.glyphs[i].x < word.glyphs[i - 1].x);
  CHECK(word.glyphs.back().x == Approx(0).margin(1e-9));
  CHECK(word.width == Approx(line_of("ש").width + line_of("ל").width + line_of("ו").width + line_of("ם").width));
  CHECK(word.right_to_left);
  CHECK(word.shown == "שלום");
  CHECK(word.own == "שלום");
  CHECK(word.clusters.size() == 4);
  std::vector<unsigned> expected = seen(line_of("(ab) 12 "));
  for (const char* letter : {"ב", "א"}) expected.push_back(seen(line_of(letter))[0]);
  CHECK(seen(line_of("אב 12 (ab)")) == expected);
}

TEST_CASE("Arabic letters join, and two of one glyph are both there to be copied") {
  const TextLine word = line_of("مرحبا");
  CHECK(word.glyphs.size() == 5);
  CHECK(word.glyphs[3].index != line_of("ب").glyphs[0].index);
  CHECK(word.right_to_left);
  const TextLine ligature = line_of("لا");
  CHECK(ligature.width < line_of("ل").width + line_of("ا").width);
  REQUIRE(ligature.clusters.size() == 2);
  CHECK(ligature.own == "لا");
  CHECK(ligature.clusters[0].own_bytes == 2);
  CHECK(ligature.glyphs[1].x < ligature.glyphs[0].x);
}

TEST_CASE("joiners between characters draw nothing, and what cannot be seen is still what it is") {
  CHECK(seen(line_of("x\u200Dy")) == seen(line_of("xy")));
  CHECK(line_of("x\u200Cy").shown == "x\u200Cy");
  CHECK(line_of("می\u200Cخواهم").width != Approx(line_of("میخواهم").width));
  CHECK(line_of("می\u200Cخواهم").shown == "می\u200Cخواهم");
  CHECK(seen(line_of("y\u200C")) == seen(line_of("yU+200C")));
  const TextLine turned = line_of("a\u202Eb");
  CHECK(seen(turned) == seen(line_of("aU+202Eb")));
  CHECK(turned.shown == "aU+202Eb");
  CHECK(turned.own == "a\u202Eb");
  CHECK(line_of("a\nb").own == "aU+000Ab");
  CHECK(seen(line_of("א\u202Eב")).size() == 8);  // it turns nothing round
}

TEST_CASE("a line from right to left is cut at its left") {
  const FontSet set = fonts();
  std::string text;
  for (int i = 0; i < 40; ++i) text += "שלום עולם ";
  const TextLine cut = set.set_within(60, Face::regular, 10, text);
  CHECK(cut.width <= 60);
  CHECK(cut.width > 50);
  const auto left = std::ranges::min_element(cut.glyphs, {}, &Glyph::x);
  CHECK(left->index == set.set(Face::regular, 10, "…").glyphs[0].index);
  CHECK(cut.text == text);
  CHECK(cut.own == text);
  CHECK(cut.shown.ends_with("…"));
  CHECK(text == cut.shown.substr(0, cut.shown.size() - 3) + cut.cut);
  int own = 0;
  for (const Cluster& cluster : cut.clusters) own += cluster.own_bytes;
  CHECK(own == static_cast<int>(text.size()));
}

TEST_CASE("an SVG says from which side a line runs, and has a token's own characters") {
  CHECK(has(svg_with("שלום"), " direction=\"rtl\">שלום</text>"));
  CHECK_FALSE(has(svg_with("word"), "rtl"));
  CHECK(has(svg_with("a\u202Eb"), ">aU+202Eb<title>a\u202Eb</title></text>"));
  CHECK(has(svg_with("x\u200Dy"), ">x\u200Dy</text>"));
  CHECK(has(svg_with("中文字"), ">中文字</text>"));
  CHECK(line_of("中文字").width > 60);  // elsewhere codes are drawn
}

TEST_CASE("for an SVG, what no font here has takes the room of a letter, and a mark on one none") {
  FontSet set = fonts();
  const auto width = [&](const char* text) { return set.set(Face::regular, 10, text).width; };
  CHECK(width("क") > 20);  // its code is drawn
  set.skip_missing_glyphs();
  CHECK(width("中文") == Approx(20));
  CHECK(width("नमक") == Approx(18));
  CHECK(width("मि") == Approx(12));  // a vowel sign with room of its own
  CHECK(width("कु") == Approx(6));    // and one below its letter
  CHECK(width("ที่") == Approx(6));
  CHECK(width("🇫🇷") == Approx(12));
  CHECK(width("a\u202Eb") == Approx(width("aU+202Eb")));  // cannot be seen: stays a code
  const TextLine word = set.set_within(60, Face::regular, 10, "हिन्दी");
  CHECK(word.cut.empty());
  CHECK(word.shown == "हिन्दी");
  CHECK(word.glyphs.empty());
  CHECK(has(svg_with("हिन्दी"), ">हिन्दी</text>"));
}
