#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "engine/io/images/png.h"
#include "engine/picture/heatmap_constants.h"
#include "engine/picture/overlay.h"
#include "engine/picture/pooling.h"
#include "engine/picture/rasterizer.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

Tensor counting(Shape shape) {
  Tensor tensor(std::move(shape));
  std::iota(tensor.values().begin(), tensor.values().end(), 0.0F);
  return tensor;
}

Tensor noise(Index rows, Index columns) {
  Tensor tensor(Shape{rows, columns});
  std::mt19937 bits(7);
  for (float& value : tensor.values()) {
    value = static_cast<float>(bits() % 2001) / 1000 - 1;
    if (bits() % 3 == 0) value = masked_value;
    if (bits() % 97 == 0) value = not_a_number;
  }
  return tensor;
}

bool same(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

Image drawn(const Tensor& cells, Index width, Index height, Index gap, ValueRange range = {0, 1}) {
  HeatmapStyle style = light_heatmap_style(1);
  style.gap = gap;
  Image image = filled_image(width, height, rgb(0x00FF00));
  const MatrixView matrix = matrix_at(cells, {});
  draw_heatmap(image, {0, 0, width, height}, matrix, range, color_table(Colormap::dusk), style);
  return image;
}

}  // namespace

TEST_CASE("a matrix is a slice of a tensor, and its transpose costs nothing") {
  const Tensor tensor = counting({2, 3, 4, 5});
  const MatrixView head = matrix_at(tensor, {1, 2});
  CHECK(head.rows == 4);
  CHECK(head.columns == 5);
  CHECK(head.at(3, 1) == tensor.at({1, 2, 3, 1}));
  CHECK(transposed(head).at(1, 3) == head.at(3, 1));
  CHECK(matrix_at(counting({6}), {}).columns == 6);
  CHECK(matrix_at(Tensor(Shape{}), {}).rows == 1);
}

TEST_CASE("hiding masked cells keeps all others") {
  const Tensor weights = Tensor::from({1, 5}, std::vector<float>{0, 1, 0, 0.5F, not_a_number});
  const Tensor scores = Tensor::from({1, 5}, std::vector<float>{-9, 2, masked_value, masked_value, masked_value});
  const Tensor cells = hide_masked(matrix_at(weights, {}), matrix_at(scores, {}));
  CHECK(cells[0] == 0);
  CHECK(cells[1] == 1);
  CHECK(is_masked(cells[2]));
  CHECK(cells[3] == 0.5F);  // set by hand
  CHECK(is_masked(cells[4]));
}

TEST_CASE("a block is masked only if all of it is, and NaN wins") {
  const Tensor cells = Tensor::from({2, 4}, std::vector<float>{masked_value, -3, masked_value, masked_value,  //
                                                               masked_value, 2, masked_value, masked_value});
  const Tensor by_maximum = pooled(matrix_at(cells, {}), {2, 2}, Pooling::maximum);
  CHECK(by_maximum[0] == 2);
  CHECK(is_masked(by_maximum[1]));
  CHECK(pooled(matrix_at(cells, {}), {2, 2}, Pooling::magnitude)[0] == -3);
  const Tensor broken = Tensor::from({1, 2}, std::vector<float>{9, not_a_number});
  CHECK(std::isnan(pooled(matrix_at(broken, {}), {1, 2}, Pooling::maximum)[0]));
}

TEST_CASE("blocks of blocks are pooled as the whole is") {
  const Tensor cells = noise(37, 70);
  for (const Pooling pooling : {Pooling::maximum, Pooling::magnitude}) {
    Tensor coarser = pooled(matrix_at(cells, {}), {2, 2}, pooling);
    for (Index side = 4; side <= 128; side *= 2) {
      coarser = pooled(matrix_at(coarser, {}), {2, 2}, pooling);
      const Tensor direct = pooled(matrix_at(cells, {}), {side, side}, pooling);
      REQUIRE(coarser.shape() == direct.shape());
      for (Index i = 0; i < direct.size(); ++i) REQUIRE(same(coarser[i], direct[i]));
    }
  }
}

TEST_CASE("a block has no more cells than pixels, and says what it is") {
  CHECK(block_for_pixels(100, 300, 300, 100).single());
  CHECK(block_for_pixels(100, 300, 299, 100).columns == 2);
  CHECK(pooling_text({16, 16}, Pooling::maximum) == "1 px = 16×16, max");
  CHECK(pooling_text({1, 1}, Pooling::maximum).empty());
  const Block block = block_for_pixels(12, 10000, 600, 200);
  CHECK(pooling_text(block, Pooling::magnitude) == "1 px = 1×32, max |x|");
}

TEST_CASE("each pixel takes the cell under its middle") {
  const Tensor cells = Tensor::from({1, 3}, std::vector<float>{0, 0.5F, 1});
  const ColorTable table = color_table(Colormap::dusk);
  const Image image = drawn(cells, 10, 1, 0);
  // Column boundaries at 3⅓ and 6⅔: the middles 3.5 and 6.5 lie right and left of them.
  for (Index x = 0; x < 10; ++x) CHECK(image.at(x, 0) == (x < 3 ? table[0] : x < 7 ? table[504] : table[1008]));
}

TEST_CASE("gaps lie between cells only") {
  const Image image = drawn(Tensor(Shape{2, 2}), 20, 20, 1, {-1, 1});
  const Color cell = color_table(Colormap::dusk)[504];
  for (Index i = 0; i < 20; ++i) {
    CHECK(image.at(i, 5) == (i == 9 ? light_canvas : cell));
    CHECK(image.at(5, i) == (i == 9 ? light_canvas : cell));
  }
  CHECK(gap_for_cells(5.9, 20, 1) == 0);
  CHECK(gap_for_cells(6, 20, 1) == 1);
  CHECK(gap_for_cells(12, 40, 2) == 2);
}

TEST_CASE("masked cells are hatched up to the right, broken ones striped down to the right") {
  const Tensor cells = Tensor::from({1, 2}, std::vector<float>{masked_value, not_a_number});
  const Image image = drawn(cells, 64, 32, 0);
  bool line_seen = false;
  for (Index y = 1; y < 32; ++y) {
    for (Index x = 0; x < 31; ++x) {
      CHECK(image.at(x, y) == image.at(x + 1, y - 1));
      line_seen = line_seen || image.at(x, y) == light_hatch_line;
    }
    for (Index x = 33; x < 64; ++x) CHECK(image.at(x, y) == image.at(x - 1, y - 1));
  }
  CHECK(line_seen);
  CHECK(image.at(4, 0) == light_hatch_line);
  CHECK(image.at(0, 0) == light_hatch_ground);
  CHECK(image.at(36, 0) == light_stripe_line);
  CHECK(image.at(32, 0) == light_stripe_ground);
}

TEST_CASE("hatching stays with the map, and what lies outside the image is not drawn") {
  const Tensor cells = noise(5, 7);
  const Image whole = drawn(cells, 70, 50, 1);
  Image part = filled_image(30, 20, rgb(0x00FF00));
  draw_heatmap(part, {-11, -7, 70, 50}, matrix_at(cells, {}), {0, 1}, color_table(Colormap::dusk),
               light_heatmap_style(1));
  for (Index y = 0; y < 20; ++y) {
    for (Index x = 0; x < 30; ++x) REQUIRE(part.at(x, y) == whole.at(x + 11, y + 7));
  }
  draw_heatmap(part, {25, 15, 70, 50}, matrix_at(cells, {}), {0, 1}, color_table(Colormap::dusk),
               light_heatmap_style(1));
  CHECK(part.at(29, 19) == whole.at(4, 4));
}

TEST_CASE("PNGs come back as they were, and say their resolution and text") {
  Image image = filled_image(7, 5, rgb(0x102030));
  image.set(3, 2, rgb(0xF0E0D0));
  const PngOptions options{300, {{"Title", "weights"}, {"Description", "κ → α"}}};
  const std::string bytes = *encode_png(image, options);
  CHECK(bytes == *encode_png(image, options));
  CHECK(decode_png(bytes)->rgba == image.rgba);
  CHECK(bytes[25] == 2);  // IHDR's colour type: a palette of so few would be packed into bits
  Image stripes = image;
  for (Index x = 0; x < 20; ++x) stripes.set(x % 7, x / 7, rgb(0x010203 * static_cast<std::uint32_t>(x)));
  CHECK((*encode_png(stripes))[25] == 3);  // with a palette
  CHECK(decode_png(*encode_png(stripes))->rgba == stripes.rgba);
  for (const char* chunk : {"pHYs", "tEXtTitle", "iTXtDescription", "κ → α"}) {
    CHECK(bytes.find(chunk) != std::string::npos);
  }
  image.set(0, 0, {1, 2, 3, 4});
  CHECK(decode_png(*encode_png(image))->rgba == image.rgba);
  const Image few = filled_image(300, 2, rgb(0xFF0000));
  CHECK(decode_png(*encode_png(few))->rgba == few.rgba);
  Image many = filled_image(20, 20, rgb(0x102030));  // more colours than a palette has
  for (Index i = 0; i < 400; ++i) many.set(i % 20, i / 20, rgb(static_cast<std::uint32_t>(i * 41)));
  CHECK((*encode_png(many))[25] == 2);  // RGB
  CHECK(decode_png(*encode_png(many))->rgba == many.rgba);
  many.set(3, 3, {1, 2, 3, 4});
  CHECK((*encode_png(many))[25] == 6);  // RGBA
  CHECK(decode_png(*encode_png(many))->rgba == many.rgba);
}

TEST_CASE("damaged PNGs are refused in one line") {
  const std::string bytes = *encode_png(filled_image(40, 40, rgb(0x102030)));
  for (std::size_t length = 0; length < bytes.size() - 12; ++length) {
    const auto image = decode_png(std::string_view(bytes).substr(0, length));
    CHECK_FALSE(image);
    if (!image) CHECK(image.error().message.find('\n') == std::string::npos);
  }
  CHECK_FALSE(decode_png("GIF89a"));
  CHECK_FALSE(encode_png(Image{}));
}

TEST_CASE("numbers that hardly differ cover the picture alike") {
  const Image ground = filled_image(4, 1, rgb(0x808080));
  const auto over = [&](std::vector<float> numbers, ValueRange range, Colormap map) {
    return overlaid(ground, 1, 4, matrix_at(Tensor::from({1, 4}, numbers), {}), {}, range, color_table(map));
  };
  const auto difference = [](Color a, Color b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
  };
  const Image weights = over({0, 1e-30F, 1e-4F, 0.05F}, {0, 1, Spacing::linear}, Colormap::dusk);
  CHECK(weights.at(0, 0) == ground.at(0, 0));
  CHECK(difference(weights.at(0, 0), weights.at(1, 0)) == 0);
  CHECK(difference(weights.at(0, 0), weights.at(2, 0)) <= 1);
  CHECK(difference(weights.at(0, 0), weights.at(3, 0)) > 20);  // and a weak one is seen
  const Image log = over({1e-9F, 0.9e-5F, 1.001e-5F, 1e-3F}, {1e-5F, 1, Spacing::logarithmic}, Colormap::dusk);
  CHECK(difference(log.at(1, 0), log.at(2, 0)) <= 1);
  CHECK(difference(log.at(1, 0), log.at(3, 0)) > 20);
  const Image scores = over({0, 1e-9F, -1e-9F, masked_value}, {-1, 1, Spacing::linear}, Colormap::tide);
  CHECK(scores.at(0, 0) == scores.at(1, 0));
  CHECK(scores.at(0, 0) == scores.at(2, 0));
  CHECK(scores.at(3, 0) == ground.at(3, 0));
}

TEST_CASE("numbers lie on a finer picture cell by cell, and its fingerprint knows every pixel") {
  const Image ground = filled_image(8, 4, rgb(0xFFFFFF));
  const std::vector<float> numbers{0, 1, 1, 0};
  const Tensor values = Tensor::from({2, 2}, numbers);
  const Image over = overlaid(ground, 2, 4, matrix_at(values, {}), {.row = 0, .column = 1}, {0, 1, Spacing::linear},
                              color_table(Colormap::dusk));
  const Color full = color_at(color_table(Colormap::dusk), 1), none = rgb(0xFFFFFF);
  for (Index y = 0; y < 4; ++y)
    for (Index x = 0; x < 8; ++x) {
      INFO(x << ", " << y);
      const Index row = y / 2, column = x / 2 - 1;  // cells are 2 × 2 pixels, and the numbers begin at the second
      const bool colored = (row == 0 && column == 1) || (row == 1 && column == 0);
      CHECK(over.at(x, y) == (colored ? full : none));
    }
  Image other = ground;
  other.set(7, 3, rgb(0xFFFFFE));
  CHECK(make_pictures({ground}, {}).fingerprint == make_pictures({ground}, {}).fingerprint);
  CHECK(make_pictures({ground}, {}).fingerprint != make_pictures({other}, {}).fingerprint);
  CHECK(make_pictures({ground}, {ground}).fingerprint != make_pictures({ground}, {}).fingerprint);
}
