// Where the colour bar that panels share stands, and what stands round it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/page/layout.h"
#include "app/widgets/views.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

const FontFiles files = font_files_in(HEADLIGHT_FONT_FOLDER);

Page page_of(const Figure& figure, const PageOptions& options = {}, double grid = vector_grid) {
  const auto page = lay_out(figure, options, *FontSet::load(files), grid);
  if (!page) FAIL(page.error().message);
  return *page;
}

PageOptions options_of(BarPlace bar, double width = 396) {
  PageOptions options;
  options.bar = bar;
  options.width = width;
  return options;
}

// (heads, rows, columns), the last column masked.
Tensor weights(Index heads, Index rows, Index columns) {
  Tensor tensor(Shape{heads, rows, columns});
  for (Index i = 0; i < tensor.size(); ++i)
    tensor[i] = i % columns == columns - 1 ? masked_value : static_cast<float>(i * 37 % 101) / 100;
  return tensor;
}

Figure figure_of(const Tensor& tensor) {
  Figure figure;
  figure.title = "Attention weights";
  figure.quantity = "weight";
  if (tensor.dim(0) > 1) figure.shared_by = "shared by all heads";
  for (Index head = 0; head < tensor.dim(0); ++head) {
    Panel& panel = figure.panels.emplace_back();
    panel.cells = matrix_at(tensor, {head});
    if (tensor.dim(0) > 1) panel.title = "Head";
  }
  return figure;
}

// The bar beside the panels: 256 cells one above the other.
const MapItem* side_bar(const Page& page) {
  const auto found = std::find_if(page.maps.begin(), page.maps.end(),
                                  [](const MapItem& map) { return map.cells.rows == 256 && map.cells.columns == 1; });
  return found == page.maps.end() ? nullptr : &*found;
}

bool has_lower_bar(const Page& page) {
  return std::any_of(page.maps.begin(), page.maps.end(),
                     [](const MapItem& map) { return map.cells.columns == 256 && map.cells.rows == 1; });
}

Box box_of(const TextItem& text) {
  const double size = text.line.size;
  const Point at = text.origin;
  if (text.upward) return {at.x - 0.75 * size, at.y - text.line.width, size, text.line.width};
  return {at.x, at.y - 0.75 * size, text.line.width, size};
}

// What stands right of the bar and not below it: its numbers, or its words.
std::vector<TextItem> texts_beside(const Page& page, const Box& bar, bool upward) {
  std::vector<TextItem> found;
  for (const TextItem& text : page.texts)
    if (text.origin.x > bar.x + bar.width && text.upward == upward && box_of(text).y < bar.y + bar.height)
      found.push_back(text);
  return found;
}

bool says(const Page& page, const std::string& text) {
  return std::any_of(page.texts.begin(), page.texts.end(), [&](const TextItem& t) { return t.line.text == text; });
}

std::vector<std::string> words_beside(const Page& page) {
  std::vector<std::string> words;
  for (const TextItem& text : texts_beside(page, side_bar(page)->box, true)) words.push_back(text.line.text);
  return words;
}

Index overlaps(const Page& page) {
  Index count = 0;
  for (std::size_t i = 0; i < page.texts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Box a = box_of(page.texts[i]), b = box_of(page.texts[j]);
      const double close = 0.12 * page.texts[i].line.size;
      count += a.x + a.width > b.x + close && b.x + b.width > a.x + close && a.y + a.height > b.y + close &&
               b.y + b.height > a.y + close;
    }
  }
  return count;
}

// Everything of a page whose bar stands beside `panels` maps.
void check_side_bar(const Page& page, std::size_t panels) {
  const MapItem* found = side_bar(page);
  REQUIRE(found);
  const Box bar = found->box;
  double top = 1e9, bottom = 0, right = 0;
  for (std::size_t i = 0; i < panels; ++i) {
    const Box& map = page.maps[i].box;
    top = std::min(top, map.y);
    bottom = std::max(bottom, map.y + map.height);
    right = std::max(right, map.x + map.width);
  }
  CHECK(bar.y == Approx(top));
  CHECK(bar.y + bar.height == Approx(bottom));
  CHECK(bar.x > right + 5);
  CHECK_FALSE(has_lower_bar(page));
  CHECK(overlaps(page) == 0);
  double numbers_end = 0;
  for (const TextItem& number : texts_beside(page, bar, false))
    numbers_end = std::max(numbers_end, number.origin.x + number.line.width);
  CHECK(numbers_end > 0);
  for (const TextItem& words : texts_beside(page, bar, true)) {
    INFO(words.line.text);
    CHECK(words.line.cut.empty());
    CHECK(box_of(words).x > numbers_end + 2);
    CHECK(box_of(words).y >= bar.y - 0.01);
    CHECK(words.origin.y <= bottom + 0.01);
  }
  for (const TextItem& text : page.texts) {
    INFO(text.line.text);
    const Box box = box_of(text);
    CHECK(box.x >= 5.9);
    CHECK(box.y >= 5.9);
    CHECK(box.x + box.width <= page.width - 5.5);
    CHECK(box.y + box.height <= page.height - 4);
  }
}

const Tensor powers = Tensor::from({1, 2, 2}, std::vector<float>{0.001F, 0.01F, 0.1F, 1});

}  // namespace

TEST_CASE("a bar beside the panels is as high as they are, and nothing of it overlaps or leaves the page") {
  const std::vector<ValueRange> ranges{{0, 1},           {-123'456, 123'456},
                                       {0, 2.5e-7F},     {1e-4F, 1, Spacing::logarithmic},
                                       {-17.25F, 40.5F}, {0, 1, Spacing::row_max}};
  for (const Index heads : {1, 3, 8}) {
    const Tensor tensor = weights(heads, 12, 12);
    Figure figure = figure_of(tensor);
    for (const ValueRange& range : ranges) {
      for (const double width : {396.0, 234.0, 900.0}) {
        INFO(heads << " heads, " << range.low << " to " << range.high << ", " << width << " points");
        figure.range = range;
        const Page page = page_of(figure, options_of(BarPlace::beside, width));
        CHECK(page.width <= width + 0.01);
        check_side_bar(page, static_cast<std::size_t>(heads));
      }
    }
  }
  // A low bar leaves out numbers.
  const Tensor row = weights(1, 1, 12);
  Figure low = figure_of(row);
  low.range = {1e-30F, 1, Spacing::logarithmic};
  check_side_bar(page_of(low, options_of(BarPlace::beside)), 1);
  // A picture begins at the page's margin, and so would the topmost number.
  const Tensor cells(Shape{1, 4, 4});
  Figure picture = figure_of(cells);
  picture.title.clear();
  picture.panels[0].kind = PanelKind::picture;
  picture.panels[0].picture = std::make_shared<const Image>(filled_image(4, 4, rgb(0x80A0C0)));
  check_side_bar(page_of(picture, options_of(BarPlace::beside)), 1);
}

TEST_CASE("by itself the bar stands beside the panels where it can be read and costs them little") {
  const Tensor eight = weights(8, 12, 12), one = weights(1, 12, 12), row = weights(1, 2, 12), fine = weights(1, 64, 64),
               four = weights(4, 12, 12);
  CHECK(side_bar(page_of(figure_of(eight))));
  CHECK(side_bar(page_of(figure_of(one))));
  CHECK(has_lower_bar(page_of(figure_of(row))));                                          // not high enough
  CHECK(has_lower_bar(page_of(figure_of(eight), options_of(BarPlace::automatic, 234))));  // too narrow
  CHECK(side_bar(page_of(figure_of(eight), options_of(BarPlace::beside, 234))));          // unless asked for
  CHECK(has_lower_bar(page_of(figure_of(eight), options_of(BarPlace::below))));
  // Nor where it would thin labels or drop numbers that fit otherwise.
  Figure labelled = figure_of(fine);
  labelled.panels[0].row_labels.assign(64, "query word");
  const Page thinned = page_of(labelled, options_of(BarPlace::beside)), whole = page_of(labelled);
  const auto labels = [](const Page& page) {
    return std::count_if(page.texts.begin(), page.texts.end(),
                         [](const TextItem& text) { return text.line.text == "query word"; });
  };
  CHECK(labels(whole) == 64);
  CHECK(labels(thinned) < 64);
  PageOptions numbers = options_of(BarPlace::beside, 830);
  numbers.cell_numbers = CellNumbers::all;
  Figure in_a_row = figure_of(four);
  in_a_row.grid_columns = 4;
  CHECK_FALSE(says(page_of(in_a_row, numbers), ".37"));
  numbers.bar = BarPlace::automatic;
  CHECK(says(page_of(in_a_row, numbers), ".37"));
  // Nor where it would cut titles.
  Figure titled = figure_of(four);
  titled.grid_columns = 4;
  for (Panel& panel : titled.panels) panel.title = std::string(16, 'o');
  const auto cut = [](const Page& page) {
    return std::any_of(page.texts.begin(), page.texts.end(),
                       [](const TextItem& text) { return !text.line.cut.empty(); });
  };
  CHECK(side_bar(page_of(figure_of(four))));
  CHECK(cut(page_of(titled, options_of(BarPlace::beside))));
  CHECK_FALSE(cut(page_of(titled)));
}

TEST_CASE("the words of a bar beside stand in a line, in two, in brief, or below, and never cut") {
  const Tensor one = weights(1, 12, 12), low = weights(4, 6, 12), row = weights(1, 1, 12);
  using Words = std::vector<std::string>;
  CHECK(words_beside(page_of(figure_of(one))) == Words{"weight, linear, 0 to 1"});
  Figure figure = figure_of(low);
  CHECK(words_beside(page_of(figure, options_of(BarPlace::beside, 700))) ==
        Words{"weight, linear, 0 to 1,", "shared by all heads"});
  CHECK(words_beside(page_of(figure, options_of(BarPlace::beside, 620))) ==
        Words{"weight, linear,", "0 to 1, all heads"});
  figure = figure_of(row);
  const Page below = page_of(figure, options_of(BarPlace::beside));
  CHECK(words_beside(below).empty());
  CHECK(says(below, "weight, linear, 0 to 1"));
  CHECK(side_bar(below));
  figure.quantity = std::string(150, 'x');  // has no place to be parted at
  CHECK(has_lower_bar(page_of(figure)));
}

TEST_CASE("no bar means no words and no swatch for what is masked, but for what no caption says") {
  const Tensor heads = weights(8, 12, 12), large = weights(1, 3000, 3000);
  const Page bare = page_of(figure_of(heads), options_of(BarPlace::none));
  CHECK_FALSE(side_bar(bare));
  CHECK_FALSE(has_lower_bar(bare));
  CHECK(bare.maps.size() == 8);
  CHECK_FALSE(says(bare, "masked"));
  CHECK_FALSE(says(bare, "weight, linear, 0 to 1, shared by all heads"));
  CHECK(bare.height < page_of(figure_of(heads), options_of(BarPlace::below)).height - 20);
  CHECK(says(page_of(figure_of(large), options_of(BarPlace::none), 0.24), "1 px = 4×4, max"));
  // Panels that differ keep theirs.
  Figure own = figure_of(heads);
  own.panels[1].range = ValueRange{0, 0.5F};
  CHECK(page_of(own, options_of(BarPlace::none)).maps.size() > 16);
  CHECK_FALSE(side_bar(page_of(own, options_of(BarPlace::beside))));
}

TEST_CASE("a bar beside runs upward, with its ticks where their numbers lie") {
  Figure figure = figure_of(powers);
  figure.range = {0.001F, 1, Spacing::logarithmic};
  const auto middles = [](const Page& page) {
    std::vector<std::pair<std::string, double>> ticks;  // with how far above the bar's foot, as a part of its height
    const Box bar = side_bar(page)->box;
    for (const TextItem& text : texts_beside(page, bar, false))
      ticks.emplace_back(text.line.text, (bar.y + bar.height - text.origin.y + 0.365 * text.line.size) / bar.height);
    return ticks;
  };
  PageOptions options = options_of(BarPlace::beside, 900);
  Page page = page_of(figure, options);
  const auto powers_of_ten = middles(page);
  REQUIRE(powers_of_ten.size() == 4);
  CHECK(powers_of_ten[0].first == "0.001");
  CHECK(powers_of_ten[3].first == "1");
  for (std::size_t i = 0; i < 4; ++i) CHECK(powers_of_ten[i].second == Approx(static_cast<double>(i) / 3).margin(1e-3));
  const MatrixView& ramp = side_bar(page)->cells;
  CHECK(ramp.at(0, 0) == 1);
  CHECK(ramp.at(255, 0) == 0);
  figure.colormap = Colormap::tide;
  figure.range = {-1, 3};
  page = page_of(figure, options);
  CHECK(side_bar(page)->range == ValueRange{-3, 3});
  for (const auto& [text, middle] : middles(page))
    if (text == "0") CHECK(middle == Approx(0.5).margin(1e-3));
  CHECK(middles(page).size() >= 3);
}

TEST_CASE("a page with a bar beside is as wide as it is to be, and no wider than it needs") {
  const Tensor small = weights(1, 4, 4);
  PageOptions options = options_of(BarPlace::beside);
  const Page narrow = page_of(figure_of(small), options);
  CHECK(narrow.width < 250);
  options.exact_width = true;
  const Page page = page_of(figure_of(small), options);
  CHECK(page.width == Approx(396));
  const double shift = page.maps[0].box.x - narrow.maps[0].box.x;
  CHECK(shift == Approx((396 - narrow.width) / 2).margin(0.1));
  CHECK(side_bar(page)->box.x - side_bar(narrow)->box.x == Approx(shift));
}

TEST_CASE("the ticks of one bar of the window are all written in one way") {
  using headlight::app::ticks_of_bar;
  const auto texts_of = [](float low, float high) {
    std::vector<std::string> texts;
    for (const ScaleTick& tick : ticks_of_bar({low, high, Spacing::logarithmic})) texts.push_back(tick.text);
    return texts;
  };
  CHECK(texts_of(1e-3F, 1) == std::vector<std::string>{"≤10⁻³", "10⁻²", "0.1", "1"});
  CHECK(texts_of(2e-3F, 0.05F) == std::vector<std::string>{"≤0.002", "0.005", "0.01", "0.02", "0.05"});
  CHECK(texts_of(2e-5F, 1e-3F) == std::vector<std::string>{"≤2·10⁻⁵", "5·10⁻⁵", "10⁻⁴", "2·10⁻⁴", "5·10⁻⁴", "10⁻³"});
  CHECK(texts_of(1e-12F, 1).front() == "≤10⁻¹²");
  // Below a tenth there are powers of ten or decimals, never both.
  for (double low = -14; low < 0; low += 0.0625)
    for (double decades = 0.75; low + decades <= 1; decades += 0.0625) {
      const auto least = static_cast<float>(std::pow(10, low)), most = static_cast<float>(std::pow(10, low + decades));
      std::size_t powers = 0, decimals = 0;
      for (const ScaleTick& tick : ticks_of_bar({least, most, Spacing::logarithmic})) {
        const bool small = low + tick.part * decades < -1.3;
        const bool power = tick.text.find("10⁻") != std::string::npos;
        powers += power ? 1 : 0;
        decimals += small && !power ? 1 : 0;
      }
      if (powers > 0 && decimals > 0) FAIL_CHECK("10^" << low << " to 10^" << low + decades << " has both");
    }
}
