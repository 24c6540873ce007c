#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "app/page/layout.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

const FontFiles files = font_files_in(HEADLIGHT_FONT_FOLDER);

Page page_of(const Figure& figure, const PageOptions& options = {}) {
  const auto page = lay_out(figure, options, *FontSet::load(files), vector_grid);
  if (!page) FAIL(page.error().message);
  return *page;
}

std::string error_of(const Figure& figure) {
  const auto page = lay_out(figure, {}, *FontSet::load(files), vector_grid);
  return page ? "" : page.error().message;
}

Panel panel_of(const Tensor& tensor) {
  Panel panel;
  panel.cells = matrix_at(tensor, {});
  return panel;
}

Index count_of(const Page& page, const std::string& text) {
  return std::count_if(page.texts.begin(), page.texts.end(),
                       [&](const TextItem& item) { return item.line.text == text; });
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Tensor powers = Tensor::from({2, 3}, std::vector<float>{0.001F, 0.01F, 0.1F, 1.0F, 0.0F, masked_value});

}  // namespace

TEST_CASE("logarithmic cells lie by their powers, and the bar says so") {
  const Tensor places = apply_spacing(matrix_at(powers, {}), {0.001F, 1, Spacing::logarithmic});
  const std::vector<float> expected{0, 1.0F / 3, 2.0F / 3, 1, 0, masked_value};
  for (Index i = 0; i < 6; ++i) CHECK(places[i] == Approx(expected[static_cast<std::size_t>(i)]).margin(1e-6));
  Figure figure;
  figure.panels = {panel_of(powers)};
  figure.range = {0.001F, 1, Spacing::logarithmic};
  const Page page = page_of(figure);
  CHECK(page.maps[0].cells.at(0, 1) == Approx(1.0F / 3));
  CHECK(page.maps[0].range == ValueRange{0, 1});
  CHECK(count_of(page, "value, logarithmic, 0.001 to 1") == 1);
  for (const char* tick : {"0.001", "0.01", "0.1", "1"}) CHECK(count_of(page, tick) >= 1);
  figure.range.low = 1e-4F;  // the words as the numbers below the bar
  CHECK(count_of(page_of(figure), "value, logarithmic, 10⁻⁴ to 1") == 1);
  CHECK(count_of(page_of(figure), "10⁻³") == 1);
  figure.range.low = 0;
  CHECK(has(error_of(figure), "must begin above 0"));
}

TEST_CASE("logarithmic ticks are powers of ten, with 2 and 5 where there are few") {
  const auto ticks = scale_ticks({1e-3F, 1, Spacing::logarithmic});
  REQUIRE(ticks.size() == 4);
  CHECK(ticks[1].text == "0.01");
  CHECK(ticks[1].part == Approx(1.0 / 3).margin(1e-6));
  // One way of writing in one bar.
  const auto texts = [](float low) {
    std::vector<std::string> all;
    for (const ScaleTick& tick : scale_ticks({low, 1, Spacing::logarithmic})) all.push_back(tick.text);
    return all;
  };
  CHECK(texts(1e-3F) == std::vector<std::string>{"0.001", "0.01", "0.1", "1"});
  CHECK(texts(1e-4F) == std::vector<std::string>{"10⁻⁴", "10⁻³", "10⁻²", "0.1", "1"});
  CHECK(texts(1e-5F) == std::vector<std::string>{"10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "0.1", "1"});
  CHECK(scale_ticks({0.1F, 1, Spacing::logarithmic}).size() == 4);
  CHECK(scale_ticks({1e-30F, 1, Spacing::logarithmic}).size() <= 8);
  CHECK(scale_ticks({0, 1}).size() == 3);
}

TEST_CASE("row maxima make every row reach the end of the scale, and rows of zeros stay at its start") {
  const Tensor rows = Tensor::from({3, 2}, std::vector<float>{1, 2, 0, 0, -4, 2});
  const Tensor unsigned_places = apply_spacing(matrix_at(rows, {}), {0, 1, Spacing::row_max});
  CHECK(unsigned_places[0] == Approx(0.5F));
  CHECK(unsigned_places[1] == Approx(1.0F));
  CHECK(unsigned_places[2] == 0);
  const ValueRange range{-4, 4, Spacing::row_max};
  CHECK(apply_spacing(matrix_at(rows, {}), range)[4] == Approx(-1.0F));
  CHECK(spacing_range(range) == ValueRange{-1, 1});
  Figure figure;
  figure.panels = {panel_of(rows)};
  figure.range = range;
  PageOptions below;
  below.bar = BarPlace::below;
  CHECK(count_of(page_of(figure, below), "value, as a part of the greatest magnitude in its row") == 1);
}

TEST_CASE("panels with ranges of their own have a bar each, on which they are drawn, and none is shared") {
  const Tensor small = Tensor::from({1, 2}, std::vector<float>{0.1F, 0.2F});
  const Tensor large = Tensor::from({1, 2}, std::vector<float>{-30, 40});
  Figure figure;
  figure.panels = {panel_of(small), panel_of(large), panel_of(small)};
  for (Panel& panel : figure.panels) panel.title = "Head";
  CHECK(page_of(figure).maps.size() == 4);
  figure.panels[0].range = ValueRange{0, 0.2F};
  figure.panels[1].range = ValueRange{-40, 40};
  const Page page = page_of(figure);
  REQUIRE(page.maps.size() == 6);
  CHECK(count_of(page, "value, each panel by its own bar: linear") == 1);
  for (std::size_t i = 0; i < 6; i += 2) {
    CHECK(page.maps[i].range == page.maps[i + 1].range);
    CHECK(page.maps[i + 1].box.x == Approx(page.maps[i].box.x));
    CHECK(page.maps[i + 1].box.width == Approx(page.maps[i].box.width));
    CHECK(page.maps[i + 1].box.y > page.maps[i].box.y + page.maps[i].box.height);
  }
  CHECK(page.maps[2].range == ValueRange{-40, 40});
  figure.panels[1].range = ValueRange{1, 40, Spacing::logarithmic};
  CHECK(count_of(page_of(figure), "value, each panel by its own bar: 1 linear, 2 logarithmic, 3 linear") == 1);
  // Ranges that are the same after all share a bar.
  for (Panel& panel : figure.panels) panel.range = ValueRange{0, 0.5F};
  const Page shared = page_of(figure);
  CHECK(shared.maps.size() == 4);
  CHECK(count_of(shared, "value, linear, 0 to 0.5, beyond it clipped") == 1);
  figure.panels[2].range = ValueRange{1, 1};
  CHECK(has(error_of(figure), "range from 1 to 1"));
}

TEST_CASE("a narrow bar leaves out the ticks that have no room") {
  const Tensor cell(Shape{1, 1});
  Figure figure;
  figure.panels = {panel_of(cell), panel_of(cell)};
  figure.panels[1].range = ValueRange{-100'000, 100'000};
  PageOptions narrow;
  narrow.width = 100;
  const Page page = page_of(figure, narrow);
  for (const TextItem& a : page.texts) {
    for (const TextItem& b : page.texts) {
      if (&a == &b || a.origin.y != b.origin.y || a.upward || b.upward) continue;
      CHECK((a.origin.x + a.line.width <= b.origin.x || b.origin.x + b.line.width <= a.origin.x));
    }
  }
}

TEST_CASE("signed colour maps are centred on zero") {
  const Tensor tensor = Tensor::from({1, 2}, std::vector<float>{-1, 3});
  Figure figure;
  figure.panels = {panel_of(tensor)};
  figure.range = {-1, 3};
  CHECK(page_of(figure).maps[0].range == ValueRange{-1, 3});
  figure.colormap = Colormap::tide;
  CHECK(page_of(figure).maps[0].range == ValueRange{-3, 3});
  CHECK(count_of(page_of(figure), "value, linear, −3 to 3") == 1);
  figure.range = {1, 3, Spacing::logarithmic};
  CHECK(has(error_of(figure), "no middle for the signed colour map tide"));
}

TEST_CASE("cell numbers are none, the greatest of each row, or all") {
  const Tensor tensor =
      Tensor::from({2, 4}, std::vector<float>{0.11F, 0.42F, 0.33F, 0.24F, 0.75F, 0.16F, masked_value, 0.07F});
  Figure figure;
  figure.panels = {panel_of(tensor)};
  PageOptions options;
  const auto numbers = [&] {
    const Page page = page_of(figure, options);
    std::string all;
    for (const TextItem& text : page.texts) {
      if (text.line.text.starts_with(".")) all += text.line.text;
    }
    return all;
  };
  CHECK(numbers().empty());
  options.cell_numbers = CellNumbers::all;
  CHECK(numbers() == ".11.42.33.24.75.16.07");
  options.cell_numbers = CellNumbers::top;
  options.top_numbers = 2;
  CHECK(numbers() == ".42.33.75.16");
  figure.range = {0.001F, 1, Spacing::logarithmic};
  CHECK(numbers() == ".42.33.75.16");
}

TEST_CASE("highlighted cells are framed where they are, and must be there") {
  const Tensor tensor(Shape{4, 5});
  Figure figure;
  figure.panels = {panel_of(tensor)};
  const Page plain = page_of(figure);
  figure.panels[0].highlights = {{3, 1}};
  const Page page = page_of(figure);
  REQUIRE(page.fills.size() == plain.fills.size() + 4);
  const Box map = page.maps[0].box;
  const double width = map.width / 5;
  const double height = map.height / 4;
  double left = 1e9, top = 1e9, right = 0, bottom = 0;
  for (const FillItem& fill : page.fills) {
    if (!(fill.color == rgb(0xE58A00))) continue;
    left = std::min(left, fill.box.x);
    top = std::min(top, fill.box.y);
    right = std::max(right, fill.box.x + fill.box.width);
    bottom = std::max(bottom, fill.box.y + fill.box.height);
  }
  CHECK(left == Approx(map.x + width));
  CHECK(right == Approx(map.x + 2 * width));
  CHECK(top == Approx(map.y + 3 * height));
  CHECK(bottom == Approx(map.y + map.height));
  figure.panels[0].highlights = {{4, 0}};
  CHECK(has(error_of(figure), "no cell at row 4, column 0"));
}

TEST_CASE("cells touch, or stand apart on a grid") {
  const Tensor tensor(Shape{4, 5});
  Figure figure;
  figure.panels = {panel_of(tensor)};
  CHECK_FALSE(page_of(figure).maps[0].gaps);
  PageOptions options;
  options.grid = true;
  CHECK(page_of(figure, options).maps[0].gaps);
}
