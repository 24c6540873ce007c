#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "app/page/layout.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

const FontFiles files = font_files_in(HEADLIGHT_FONT_FOLDER);

Result<Page> laid_out(const Figure& figure, const PageOptions& options = {}) {
  return lay_out(figure, options, *FontSet::load(files), vector_grid);
}

Page page_of(const Figure& figure) {
  const auto page = laid_out(figure);
  if (!page) FAIL(page.error().message);
  return *page;
}

std::string error_of(const Panel& panel) {
  Figure figure;
  figure.panels = {panel};
  const auto page = laid_out(figure);
  return page ? "" : page.error().message;
}

Panel panel_of(const Tensor& tensor, PanelKind kind) {
  Panel panel;
  panel.cells = matrix_at(tensor, {});
  panel.kind = kind;
  return panel;
}

Panel picture_panel(const Tensor& tensor, Index pixels) {
  Panel panel = panel_of(tensor, PanelKind::picture);
  panel.picture = std::make_shared<const Image>(filled_image(pixels, pixels, rgb(0x80A0C0)));
  return panel;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The fills that are bars: all but frames and ticks, which are thin.
std::vector<FillItem> bars_of(const Page& page) {
  std::vector<FillItem> bars;
  for (const FillItem& fill : page.fills) {
    if (fill.box.width > 3 && fill.box.height > 3) bars.push_back(fill);
  }
  return bars;
}

const Tensor row = Tensor::from({1, 4}, std::vector<float>{0.5F, 1.0F, masked_value, 0.25F});
const Tensor signed_row = Tensor::from({1, 3}, std::vector<float>{-2, 4, -4});
const Tensor square = Tensor::from({2, 2}, std::vector<float>{0.9F, 0.001F, 0.4F, masked_value});

}  // namespace

TEST_CASE("bars are as high as their numbers, from zero, and hatched where masked") {
  Figure figure;
  figure.panels = {panel_of(row, PanelKind::bars)};
  const Page page = page_of(figure);
  const auto bars = bars_of(page);
  REQUIRE(bars.size() == 3);
  CHECK(bars[0].box.height / bars[1].box.height == Approx(0.5));
  CHECK(bars[2].box.height / bars[1].box.height == Approx(0.25));
  CHECK(bars[0].box.y + bars[0].box.height == Approx(bars[1].box.y + bars[1].box.height));
  const auto masked = std::count_if(page.maps.begin(), page.maps.end(),
                                    [](const MapItem& map) { return is_masked(map.cells.at(0, 0)); });
  CHECK(masked == 2);  // the bar's place, and the legend
  CHECK(std::any_of(page.texts.begin(), page.texts.end(),
                    [](const TextItem& text) { return text.line.text == "0.5" && text.align == Align::right; }));

  figure.panels = {panel_of(signed_row, PanelKind::bars)};
  figure.range = {-4, 4};
  const auto both = bars_of(page_of(figure));
  REQUIRE(both.size() == 3);
  CHECK(both[1].box.y + both[1].box.height == Approx(both[0].box.y));  // up from zero, and down from it
  CHECK(both[0].box.y == Approx(both[2].box.y));
  CHECK(both[2].box.height == Approx(both[1].box.height));
  CHECK(has(error_of(panel_of(square, PanelKind::bars)), "bars show one"));
}

TEST_CASE("lines go from query to key, as strong as the weight, and nothing is drawn for next to nothing") {
  Figure figure;
  figure.panels = {panel_of(square, PanelKind::lines)};
  figure.panels[0].row_labels = {"left0", "left1"};
  figure.panels[0].column_labels = {"right0", "right1"};
  const Page page = page_of(figure);
  REQUIRE(page.lines.size() == 4);  // two of them below, beside the scale's numbers
  CHECK(page.lines[0].opacity == Approx(0.9));
  CHECK(page.lines[1].opacity == Approx(0.4));
  for (const auto& [at, name] : {std::pair{2, "0.5"}, {3, "1"}}) {
    const LineItem& line = page.lines[static_cast<std::size_t>(at)];
    INFO(name);
    CHECK(line.opacity == Approx(at == 2 ? 0.5 : 1));
    CHECK(line.width == Approx(at == 2 ? 1.0 : 1.6));
    CHECK(line.from.y == line.to.y);
    const std::string number = name;
    CHECK(std::ranges::any_of(page.texts, [&line, &number](const TextItem& text) {
      return text.line.text == number && text.origin.x > line.to.x && std::abs(text.origin.y - line.from.y) < 4;
    }));
  }
  CHECK(page.lines[0].from.y == Approx(page.lines[0].to.y));
  CHECK(page.lines[1].from.y > page.lines[1].to.y);
  for (const TextItem& text : page.texts) {
    if (text.line.text == "left1") CHECK(text.origin.x + text.line.width < page.lines[1].from.x);
    if (text.line.text == "right0") CHECK(text.origin.x > page.lines[1].to.x);
  }
  CHECK(std::count_if(page.texts.begin(), page.texts.end(),
                      [](const TextItem& text) { return text.line.text == "right1"; }) == 1);
}

TEST_CASE("lines of negative numbers have the other colour of the scale") {
  Figure figure;
  Tensor mixed({1, 2});
  mixed[0] = -1;
  mixed[1] = 1;
  figure.panels = {panel_of(mixed, PanelKind::lines)};
  figure.range = {-1, 1};
  figure.colormap = Colormap::tide;
  const Page page = page_of(figure);
  REQUIRE(page.lines.size() == 4);  // and those of −1 and 1 below
  CHECK(page.lines[2].color.b == page.lines[0].color.b);
  CHECK(page.lines[3].color.b == page.lines[1].color.b);
  CHECK(page.lines[0].color.b > page.lines[0].color.r);  // blue
  CHECK(page.lines[1].color.r > page.lines[1].color.b);  // and orange
}

TEST_CASE("a picture is grey below its cells, which colour their blocks of it") {
  Figure figure;
  figure.panels = {picture_panel(square, 6)};
  figure.panels[0].place = {2, 2, 2, 2};
  const Page page = page_of(figure);
  REQUIRE(page.maps[0].picture);
  const Image& picture = *page.maps[0].picture;
  const Color ground = picture.at(0, 0);
  CHECK((ground.r == ground.g && ground.g == ground.b));
  CHECK(picture.at(1, 3) == ground);
  CHECK_FALSE(picture.at(2, 2) == ground);
  CHECK(picture.at(3, 3) == picture.at(2, 2));
  CHECK_FALSE(picture.at(5, 5) == ground);  // masked: paler, below hatching
  REQUIRE_FALSE(page.lines.empty());
  const Box& box = page.maps[0].box;
  for (const LineItem& line : page.lines)  // within its block
    CHECK((line.from.x >= box.x + box.width * 4 / 6 - 0.1 && line.to.y >= box.y + box.height * 4 / 6 - 0.1));
  CHECK(page.maps[0].box.width == Approx(page.maps[0].box.height));

  CHECK(has(error_of(panel_of(square, PanelKind::picture)), "has no picture"));
  Panel labelled = picture_panel(square, 6);
  labelled.row_labels = {"a", "b"};
  CHECK(has(error_of(labelled), "no labels"));
  Panel without_blocks = picture_panel(square, 6);
  without_blocks.place.block_rows = 0;
  CHECK(has(error_of(without_blocks), "at least 1×1"));
}

TEST_CASE("every kind of panel is drawn in every format, on the page, at any size") {
  const Tensor large(Shape{150, 150});
  const Tensor long_row(Shape{1, 900});
  Figure figure;
  figure.recipe = "{}";
  figure.panels = {panel_of(large, PanelKind::map), picture_panel(square, 300), panel_of(long_row, PanelKind::bars),
                   panel_of(square, PanelKind::lines)};
  for (const Spacing spacing : {Spacing::linear, Spacing::logarithmic, Spacing::row_max}) {
    figure.range = {0.01F, 1, spacing};
    for (const double width : {300.0, 600.0}) {
      PageOptions options;
      options.width = width;
      options.exact_width = true;
      options.pixels_per_inch = 96;
      const auto laid = laid_out(figure, options);
      if (!laid) FAIL(laid.error().message);
      const Page& page = *laid;
      for (const MapItem& map : page.maps) {
        CHECK((map.box.x >= 0 && map.box.x + map.box.width <= page.width && map.box.y + map.box.height <= page.height));
      }
      for (const FigureFormat format : all_figure_formats) {
        const auto drawn = render_figure(figure, options, files, format, "kinds");
        if (!drawn) FAIL(drawn.error().message);
        CHECK(recipe_of(drawn->front().bytes).value_or("") == "{}");
      }
    }
  }
}
