#include <algorithm>
#include <cmath>
#include <limits>

#include "app/page/formats.h"
#include "app/page/layout.h"
#include "engine/io/images/png.h"
#include "engine/picture/heatmap_constants.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

FontFiles font_files() {
  return font_files_in(HEADLIGHT_FONT_FOLDER);
}

FontSet fonts() {
  FontFiles files = font_files();
  files.system = false;  // the same on every machine
  return *FontSet::load(files);
}

// (1, heads, rows, columns): weights that differ from cell to cell, masked above the diagonal where `causal`.
Tensor weights(Index heads, Index rows, Index columns, bool causal) {
  Tensor tensor(Shape{1, heads, rows, columns});
  for (Index i = 0; i < tensor.size(); ++i) {
    const bool masked = causal && i % columns > i / columns % rows;
    tensor[i] = masked ? masked_value : static_cast<float>(i * 37 % 101) / 100;
  }
  return tensor;
}

std::vector<std::string> words(Index count) {
  const std::vector<std::string> all{"⟨s⟩", "the", "кошка", " sat", std::string(200, 'x'), "αβγ", "猫"};
  std::vector<std::string> labels;
  for (Index i = 0; i < count; ++i) labels.push_back(all[static_cast<std::size_t>(i) % all.size()]);
  return labels;
}

Figure figure_of(const Tensor& tensor, bool labelled = true) {
  Figure figure;
  figure.title = "Attention weights";
  figure.quantity = "weight";
  for (Index head = 0; head < tensor.dim(1); ++head) {
    Panel panel;
    panel.cells = matrix_at(tensor, {0, head});
    panel.mark = std::string(1, static_cast<char>('a' + head));
    panel.title = "Head";
    if (labelled) {
      panel.row_labels = words(panel.cells.rows);
      panel.column_labels = words(panel.cells.columns);
    }
    figure.panels.push_back(panel);
  }
  return figure;
}

Page page_of(const Figure& figure, const PageOptions& options = {}) {
  const auto page = lay_out(figure, options, fonts(), 72 / options.pixels_per_inch);
  if (!page) FAIL(page.error().message);
  return *page;
}

Box box_of(const TextItem& text) {
  const double size = text.line.size;
  const Point at = text.origin;
  if (text.upward) return {at.x - 0.75 * size, at.y - text.line.width, size, text.line.width};
  return {at.x, at.y - 0.75 * size, text.line.width, size};
}

bool inside(const Box& box, const Page& page) {
  constexpr double least_margin = 3.8;  // of the 6 points: a tick's number reaches beyond its bar
  return box.x >= least_margin && box.y >= least_margin && box.x + box.width <= page.width - least_margin &&
         box.y + box.height <= page.height - least_margin;
}

bool says(const Page& page, const std::string& text) {
  return std::any_of(page.texts.begin(), page.texts.end(), [&](const TextItem& t) { return t.line.text == text; });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string error_of(const Figure& figure, const PageOptions& options = {}) {
  const auto png = render_png(figure, options, font_files());
  return png ? "" : png.error().message;
}

}  // namespace

TEST_CASE("everything stands on the page, whatever the figure") {
  const Index extents[][3] = {{1, 1, 1},  {1, 12, 12}, {16, 30, 30}, {8, 12, 12},
                              {3, 5, 13}, {1, 64, 64}, {1, 3, 400},  {2, 900, 900}};
  Index drawn = 0;
  for (const auto& [heads, rows, columns] : extents) {
    const Tensor tensor = weights(heads, rows, columns, true);
    const Figure figure = figure_of(tensor, columns != 30 && columns != 900);
    for (const auto& [width, height] : {std::pair(150, 400), {396, 160}, {200, 160}, {396, 648}, {900, 400}}) {
      INFO(heads << " × " << rows << " × " << columns << " on " << width << " × " << height);
      PageOptions options;
      options.width = width;
      options.max_height = height;
      const auto page = lay_out(figure, options, fonts(), 0.24);
      if (!page) CHECK(has(page.error().message, "no room"));
      if (!page) continue;
      ++drawn;
      CHECK(page->width <= width + 0.01);
      CHECK(page->height <= height + 0.01);
      for (const TextItem& text : page->texts) {
        INFO(text.line.text);
        CHECK(inside(box_of(text), *page));
      }
      for (const FillItem& fill : page->fills) CHECK(inside(fill.box, *page));
      for (const MapItem& map : page->maps) CHECK(inside(map.box, *page));
    }
  }
  CHECK(drawn >= 25);
}

TEST_CASE("names of axes have room at every width, though fewer labels make them longer") {
  const Tensor tensor = weights(1, 64, 64, true);
  const Figure figure = figure_of(tensor);
  for (int width = 150; width <= 400; width += 3) {
    for (const int height : {160, 200, 300}) {
      PageOptions options;
      options.width = width;
      options.max_height = height;
      const auto page = lay_out(figure, options, fonts(), 0.24);
      if (!page) continue;
      INFO(width << " × " << height);
      for (const TextItem& text : page->texts) {
        INFO(text.line.text);
        CHECK(inside(box_of(text), *page));
      }
    }
  }
}

TEST_CASE("no two texts overlap") {
  for (const Index heads : {1, 8}) {
    for (const Index count : {6, 30, 64, 200}) {
      INFO(heads << " heads of " << count);
      const Tensor tensor = weights(heads, count, count, true);
      const Page page = page_of(figure_of(tensor));
      Index overlaps = 0;
      for (std::size_t i = 0; i < page.texts.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const Box a = box_of(page.texts[i]);
          const Box b = box_of(page.texts[j]);
          // Lines may stand a little closer than their size: few letters reach both its top and its bottom.
          const double close = 0.12 * page.texts[i].line.size;
          overlaps += a.x + a.width > b.x + close && b.x + b.width > a.x + close && a.y + a.height > b.y + close &&
                      b.y + b.height > a.y + close;
        }
      }
      CHECK(overlaps == 0);
    }
  }
}

TEST_CASE("labels are all there to 64 tokens, and thinned above") {
  const auto labels_at_left = [](Index count) {
    const Tensor tensor = weights(1, count, count, false);
    Figure figure = figure_of(tensor);
    figure.panels[0].row_labels.assign(static_cast<std::size_t>(count), "query word");
    const Page page = page_of(figure);
    return std::count_if(page.texts.begin(), page.texts.end(),
                         [](const TextItem& text) { return text.line.text == "query word"; });
  };
  CHECK(labels_at_left(12) == 12);
  CHECK(labels_at_left(64) == 64);
  CHECK(labels_at_left(200) == 50);
}

TEST_CASE("cells are all of one size and of exactly their colour") {
  const Tensor tensor = weights(1, 9, 7, false);
  const Figure figure = figure_of(tensor);
  PageOptions options;
  options.grid = true;
  const Page page = page_of(figure, options);
  const double scale = options.pixels_per_inch / 72;
  const Image image = *paint_page(page, fonts(), options.pixels_per_inch);
  const Box map = page.maps[0].box;
  const auto left = std::lround(map.x * scale);
  const auto top = std::lround(map.y * scale);
  const Index side = std::lround(map.width * scale) / 7;
  REQUIRE(std::lround(map.width * scale) == 7 * side);
  REQUIRE(std::lround(map.height * scale) == 9 * side);
  const ColorTable table = color_table(figure.colormap);
  const Index gap = std::lround(gap_points * scale);
  for (Index row = 0; row < 9; ++row) {
    for (Index column = 0; column < 7; ++column) {
      const Color color = color_at(table, figure.panels[0].cells.at(row, column));
      for (const Index offset : {Index{0}, side - gap - 1}) {
        CHECK(image.at(left + column * side + offset, top + row * side + offset) == color);
      }
      if (column < 6) CHECK(image.at(left + column * side + side - 1, top + row * side) == light_canvas);
    }
  }
  CHECK(image.at(left - 1, top + 5) == rgb(0xC4C4BD));
}

TEST_CASE("numbers stand in cells that have room, in the colour that can be read, and not where masked") {
  const Tensor tensor = Tensor::from(
      {1, 1, 1, 4}, std::vector<float>{0.02F, 0.98F, masked_value, std::numeric_limits<float>::quiet_NaN()});
  PageOptions options;
  options.cell_numbers = CellNumbers::all;
  const Page page = page_of(figure_of(tensor, false), options);
  Index numbers = 0;
  for (const TextItem& text : page.texts) {
    if (text.line.text == ".02") CHECK(text.color == rgb(0x000000));
    if (text.line.text == ".98") CHECK(text.color == rgb(0xFFFFFF));
    numbers += text.line.text.starts_with(".") || text.line.text.find("N") != std::string::npos;
  }
  CHECK(numbers == 2);
  const Tensor many = weights(8, 12, 12, false);
  CHECK_FALSE(says(page_of(figure_of(many), options), ".37"));
  PageOptions wide = options;
  wide.width = 2000;
  wide.max_height = 1000;
  CHECK(says(page_of(figure_of(many), wide), ".37"));
}

TEST_CASE("one bar says quantity, range, spacing, sharing, and what else shows") {
  Tensor tensor = weights(2, 4, 4, true);
  Figure figure = figure_of(tensor);
  figure.shared_by = "shared by both heads";
  PageOptions below;
  below.bar = BarPlace::below;
  CHECK(says(page_of(figure, below), "weight, linear, 0 to 1, shared by both heads"));
  std::string beside;  // on lines of its column's width, which other fonts break elsewhere
  for (const TextItem& text : page_of(figure).texts) beside += text.line.text + " ";
  CHECK(has(beside, "weight, linear, 0 to 1, "));
  CHECK(has(beside, "both heads "));
  CHECK(says(page_of(figure), "masked"));
  CHECK(says(page_of(figure), "0.5"));
  CHECK(says(page_of(figure), "query ↓"));
  CHECK(says(page_of(figure), "key →"));
  CHECK_FALSE(says(page_of(figure), "not a number"));
  tensor[0] = std::numeric_limits<float>::quiet_NaN();
  CHECK(says(page_of(figure), "not a number"));
  const Tensor open = weights(1, 4, 4, false);
  CHECK_FALSE(says(page_of(figure_of(open)), "masked"));
  const Tensor large = weights(1, 3000, 3000, false);
  CHECK(says(page_of(figure_of(large)), "1 px = 4×4, max"));
}

TEST_CASE("labels shared by all panels stand once, others at each") {
  const Tensor tensor = weights(2, 3, 3, false);
  Figure figure = figure_of(tensor);
  for (Panel& panel : figure.panels) panel.row_labels = {"one", "two", "three"};
  const auto count = [&] {
    const Page page = page_of(figure);
    return std::count_if(page.texts.begin(), page.texts.end(),
                         [](const TextItem& text) { return text.line.text == "two"; });
  };
  CHECK(count() == 1);
  figure.panels[1].row_labels[0] = "other";
  CHECK(count() == 2);
}

TEST_CASE("tokens are shown as they can be") {
  const FontSet set = fonts();
  CHECK(display_text("  the cat") == "··the cat");
  CHECK(display_text("e\u0301") == "é");
  CHECK(display_text(" x ") == "·x·");
  CHECK(display_text("a\n\tb") == "a⏎⇥b");
  CHECK(display_text("a\xFF") == "a\\xFF");
  CHECK(set.set(Face::regular, 10, "猫").width == Approx(set.set(Face::regular, 10, "U+732B").width));
  CHECK(set.set(Face::regular, 10, "\n").width == Approx(set.set(Face::regular, 10, "U+000A").width));
  CHECK(set.set(Face::mono, 10, "\r").width == Approx(set.set(Face::mono, 10, "U+000D").width));
  CHECK(set.set(Face::regular, 10, "\u200B").width == Approx(set.set(Face::regular, 10, "U+200B").width));
  CHECK(set.set(Face::regular, 10, "\xFF").width == Approx(set.set(Face::regular, 10, "\uFFFD").width));
  CHECK(set.set(Face::regular, 10, "⟨").glyphs[0].face == Face::fallback);
  const TextLine cut = set.set_within(40, Face::regular, 8, std::string(200, 'x'));
  CHECK(cut.width <= 40);
  CHECK(cut.glyphs.back().index == set.set(Face::regular, 8, "…").glyphs[0].index);
  CHECK(set.set_within(40, Face::regular, 8, "short").glyphs.size() == 5);
  // Of a text that is far too long only its beginning is set, and all of it is read.
  std::string long_text(5000, 'x');
  long_text += "\u00E9 end";
  const TextLine short_of = set.set_within(40, Face::regular, 8, long_text);
  CHECK(short_of.shown == cut.shown);
  CHECK(short_of.own == long_text);
  CHECK(short_of.text == long_text);
  CHECK(short_of.shown.size() - std::string("…").size() + short_of.cut.size() == long_text.size());
  CHECK(set.width_up_to(40, Face::regular, 8, long_text) > 40);
  CHECK(set.width_up_to(1e9, Face::regular, 8, long_text) == set.set(Face::regular, 8, long_text).width);
}

TEST_CASE("the same figure gives the same bytes, and another one others") {
  const Tensor tensor = weights(1, 5, 5, true);
  Figure figure = figure_of(tensor);
  figure.description = "Five tokens";
  const std::string first = *render_png(figure, {}, font_files());
  CHECK(first == *render_png(figure, {}, font_files()));
  CHECK(first.find("Five tokens") != std::string::npos);
  const Image image = *decode_png(first);
  const Page page = page_of(figure);
  CHECK(image.width == std::lround(page.width * 300 / 72));
  figure.panels[0].title = "Tail";
  CHECK(first != *render_png(figure, {}, font_files()));
}

TEST_CASE("what cannot be drawn is refused in one line that says why") {
  const Tensor tensor = weights(2, 3, 3, false);
  const Figure good = figure_of(tensor);
  CHECK(error_of(good).empty());
  CHECK(has(error_of(Figure{}), "no panels"));
  Figure figure = good;
  figure.panels[1].row_labels.pop_back();
  CHECK(has(error_of(figure), "panel 2 has 3 rows but 2 labels"));
  figure = good;
  figure.panels[0].cells = {};
  CHECK(has(error_of(figure), "panel 1 has no cells"));
  figure = good;
  figure.range = {1, 1};
  CHECK(has(error_of(figure), "range from 1 to 1"));
  figure.range = {0, std::numeric_limits<float>::infinity()};
  CHECK(has(error_of(figure), "finite"));
  PageOptions options;
  options.width = 3;
  CHECK(has(error_of(good, options), "72 to 7200"));
  options.width = 72;
  const Tensor many = weights(8, 3, 3, false);
  Figure eight = figure_of(many);
  eight.grid_columns = 4;
  CHECK(has(error_of(eight, options), "no room"));
  options.text_size = 12;
  CHECK(has(error_of(eight, options), "text of 12 points is too large for a page of 72: at most 8"));
  options = {};
  options.pixels_per_inch = std::numeric_limits<double>::quiet_NaN();
  CHECK(has(error_of(good, options), "pixels per inch"));
  const auto png = render_png(good, {}, font_files_in("/nowhere"));
  REQUIRE_FALSE(png);
  CHECK(has(png.error().message, "/nowhere/Inter-Regular.otf"));
}

TEST_CASE("no text is smaller than the smallest asked for, in either font") {
  const Tensor tensor = weights(8, 40, 40, true);
  for (const char* name : {"sans", "serif"}) {
    const FontSet set = *FontSet::load(*font_files_named(HEADLIGHT_FONT_FOLDER, name));
    for (const double smallest : {5.0, 7.5}) {
      PageOptions options;
      options.smallest_text = smallest;
      const Page page = *lay_out(figure_of(tensor), options, set, 0.24);
      double least = 100;
      for (const TextItem& text : page.texts) least = std::min(least, text.line.size);
      CHECK(least == Approx(smallest));
    }
  }
}

TEST_CASE("fonts are named, or a file") {
  const auto one = font_files_named(HEADLIGHT_FONT_FOLDER, HEADLIGHT_FONT_FOLDER "/lmroman10-bold.otf");
  REQUIRE(one);
  CHECK(one->regular == one->mono);
  CHECK(font_files_named(HEADLIGHT_FONT_FOLDER, "serif")->regular.filename() == "lmroman10-regular.otf");
  const auto none = font_files_named(HEADLIGHT_FONT_FOLDER, "Comic");
  REQUIRE_FALSE(none);
  CHECK(has(none.error().message, "neither sans, nor serif"));
  CHECK_FALSE(font_files_named(HEADLIGHT_FONT_FOLDER, HEADLIGHT_FONT_FOLDER));
}

TEST_CASE("as many panels stand side by side as leave their titles whole and their cells drawable") {
  const Tensor few = weights(4, 6, 6, false), many = weights(4, 128, 128, false);
  const auto columns = [](const Page& page) {
    return std::count_if(page.maps.begin(), page.maps.begin() + 4,
                         [&](const MapItem& map) { return map.box.y == page.maps[0].box.y; });
  };
  const auto is_cut = [](const Page& page) {
    return std::any_of(page.texts.begin(), page.texts.end(),
                       [](const TextItem& text) { return !text.line.cut.empty(); });
  };
  PageOptions narrow;
  narrow.width = 234;
  Figure figure = figure_of(few, false);
  for (Panel& panel : figure.panels) panel.title = "Head";
  CHECK(columns(page_of(figure, narrow)) == 4);
  for (Panel& panel : figure.panels) panel.title = "Previous token";
  CHECK(columns(page_of(figure, narrow)) == 2);
  CHECK_FALSE(is_cut(page_of(figure, narrow)));
  figure.grid_columns = 4;  // as asked for
  CHECK(columns(page_of(figure, narrow)) == 4);
  CHECK(is_cut(page_of(figure, narrow)));
  CHECK(columns(page_of(figure_of(many, false), narrow)) == 2);  // a quarter of a point a cell would be too fine
  // Few cells leave room beside them, which the titles take.
  const Tensor tiny = weights(3, 2, 2, false);
  Figure small = figure_of(tiny, false);
  for (Panel& panel : small.panels) panel.title = "Local window of";
  const Page apart = page_of(small);
  CHECK_FALSE(is_cut(apart));
  CHECK(apart.maps[1].box.x - apart.maps[0].box.x - apart.maps[0].box.width > 12);
}

TEST_CASE("a grid says once what its rows and columns are") {
  const Tensor four = weights(4, 6, 6, false);
  Figure figure = figure_of(four);
  for (Panel& panel : figure.panels) panel.title = "own";
  figure.grid_columns = 2;
  figure.column_titles = {"left", "right"};
  figure.row_titles = {"upper", "lower"};
  const Page page = page_of(figure);
  CHECK_FALSE(says(page, "own"));
  for (const TextItem& text : page.texts) {
    if (text.line.text == "right") CHECK(text.origin.x >= page.maps[1].box.x);
    if (text.line.text == "right") CHECK(text.origin.y < page.maps[1].box.y);
    if (text.line.text != "lower") continue;
    CHECK(text.upward);
    CHECK(text.origin.x < page.maps[2].box.x);
    CHECK(text.origin.y > page.maps[2].box.y);
    CHECK(text.origin.y < page.maps[2].box.y + page.maps[2].box.height);
  }
  CHECK(says(page, "upper"));
  figure.row_titles = {"upper"};
  CHECK(has(error_of(figure), "2 titles of columns and 1 of rows for 2 × 2 panels"));
}

TEST_CASE("axes without a name have no arrow") {
  const Tensor one = weights(1, 6, 6, false);
  Figure figure = figure_of(one);
  CHECK(says(page_of(figure), "key →"));
  figure.column_axis = {};
  for (const TextItem& text : page_of(figure).texts) CHECK(text.line.text.find("→") == std::string::npos);
}

TEST_CASE("labels that are left out take no room") {
  const Tensor many = weights(1, 200, 200, false);
  Figure figure = figure_of(many);
  figure.panels[0].column_labels.assign(200, "a");
  PageOptions narrow;
  narrow.width = 200;
  const double without = page_of(figure, narrow).maps[0].box.y;
  figure.panels[0].column_labels[1] = "a word that is never shown";
  CHECK(page_of(figure, narrow).maps[0].box.y == without);
  figure.panels[0].column_labels[0] = "a word that is";
  CHECK(page_of(figure, narrow).maps[0].box.y > without + 10);
}
