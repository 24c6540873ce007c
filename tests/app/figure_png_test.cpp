#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <tuple>

#include "app/page/figure.h"
#include "engine/io/images/png.h"
#include "engine/picture/heatmap_constants.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

const FontFiles fonts = font_files_in(HEADLIGHT_FONT_FOLDER);

// A number that differs from place to place and is the same everywhere.
std::uint8_t scattered(std::size_t i) {
  return static_cast<std::uint8_t>(i * 2654435761U >> 13);
}

Image image_with(Index width, Index height, std::size_t colors, std::uint8_t alpha = 255) {
  Image image = filled_image(width, height, {0, 0, 0, 255});
  for (std::size_t i = 0; i < image.rgba.size() / 4; ++i) {
    const std::size_t color = i * 7919 % colors;
    image.rgba[4 * i] = static_cast<std::uint8_t>(color);
    image.rgba[4 * i + 1] = static_cast<std::uint8_t>(color >> 8);
    image.rgba[4 * i + 2] = scattered(color);
    image.rgba[4 * i + 3] = color == 1 ? alpha : 255;
  }
  return image;
}

Figure figure_of(const Tensor& tensor) {
  Figure figure;
  figure.title = "Weights";
  Panel panel;
  panel.cells = matrix_at(tensor, {});
  panel.mark = std::string(1, 'a');
  figure.panels.push_back(panel);
  return figure;
}

std::uint32_t word_after(const std::string& bytes, const std::string& name, std::size_t skip = 0) {
  const std::size_t at = bytes.find(name);
  if (at == std::string::npos) return 0;
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[at + name.size() + skip + i]);
  return word;
}

}  // namespace

TEST_CASE("pictures come back whole from one strip or many, with a palette or without") {
  constexpr char with_palette = 3, opaque = 2, with_alpha = 6;
  for (const auto& [width, height] : {std::pair<Index, Index>(3, 2), {700, 900}, {1'000'000, 2}}) {
    for (const auto& [colors, alpha, type] : {std::tuple<std::size_t, std::uint8_t, char>(256, 255, with_palette),
                                              {256, 9, with_palette},
                                              {257, 255, opaque},
                                              {257, 9, with_alpha}}) {
      const Image image = image_with(width, height, colors, alpha);
      const std::string bytes = *encode_png(image);
      INFO(width << " × " << height << ", " << colors << " colours");
      if (width > 3) CHECK(bytes[25] == type);
      const auto back = decode_png(bytes);
      if (!back) FAIL(back.error().message);
      CHECK((back->rgba == image.rgba));
    }
  }
}

TEST_CASE("a page is as wide as asked, to the pixel, and says its resolution") {
  const Tensor tensor(Shape{4, 4});
  PageOptions options;
  options.exact_width = true;
  for (const auto& [width, dpi, pixels, per_metre] : {std::tuple(3.25 * 72, 600.0, 1950, 23622U),
                                                      {89 / 25.4 * 72, 300.0, 1051, 11811U},
                                                      {5.5 * 72, 96.0, 528, 3780U}}) {
    options.width = width;
    options.pixels_per_inch = dpi;
    const std::string png = *render_png(figure_of(tensor), options, fonts);
    CHECK(word_after(png, "IHDR") == static_cast<std::uint32_t>(pixels));
    CHECK(word_after(png, "pHYs") == per_metre);
    CHECK(word_after(png, "pHYs", 4) == per_metre);
  }
  const auto files = render_figure(figure_of(tensor), options, fonts, FigureFormat::svg, "f");
  CHECK(files->front().bytes.find("width=\"396pt\"") != std::string::npos);
}

TEST_CASE("a transparent page has nothing below it, and laid on white it looks like the white one") {
  Tensor tensor(Shape{4, 4});
  for (Index i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<float>(i) / 16;
  PageOptions options;
  options.pixels_per_inch = 96;
  const Image white = *decode_png(*render_png(figure_of(tensor), options, fonts));
  options.transparent = true;
  const Image clear = *decode_png(*render_png(figure_of(tensor), options, fonts));
  REQUIRE(clear.rgba.size() == white.rgba.size());
  CHECK(clear.at(0, 0).a == 0);
  CHECK(white.at(0, 0) == rgb(0xFFFFFF));
  std::set<int> alphas;
  int most = 0;
  for (std::size_t i = 0; i < clear.rgba.size(); i += 4) {
    const int alpha = clear.rgba[i + 3];
    alphas.insert(alpha);
    for (std::size_t k = 0; k < 3; ++k) {
      const int laid = (clear.rgba[i + k] * alpha + 255 * (255 - alpha) + 127) / 255;
      most = std::max(most, std::abs(laid - white.rgba[i + k]));
    }
  }
  CHECK(most <= 2);
  CHECK(alphas.size() > 10);
  CHECK(render_figure(figure_of(tensor), options, fonts, FigureFormat::svg, "f")->front().bytes.find("<rect x=\"0\"") ==
        std::string::npos);
}
