// Formulas as pixels and as paths.
#include "app/formula/formula_draw.h"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/app/formulas.h"
#include "tests/catch.h"

using namespace headlight;
using test::set;

namespace {

Ink ink_of_id(const std::string& id) {
  if (id == "n_q" || id.starts_with("q") || id == "x_q" || id == "w_q") return {0.08, 0.35, 0.75};
  if (id == "n_k" || id.starts_with("k") || id == "x_k" || id == "w_k") return {0.76, 0.25, 0.05};
  if (id.starts_with("v") || id == "x_v" || id == "w_v") return {0.02, 0.48, 0.31};
  if (id.ends_with("scores")) return {0.66, 0.08, 0.42};
  if (id.ends_with("weights")) return {0.31, 0.16, 0.62};
  return id.empty() ? Ink{0.1, 0.1, 0.1} : Ink{0.35, 0.35, 0.38};
}

}  // namespace

TEST_CASE("every mark has ink of its own, and no ink is cut off") {
  for (const auto& [latex, plain] : test::written_formulas()) {
    INFO(latex);
    const Formula formula = set(latex);
    const auto image = rasterise(formula, 20);
    REQUIRE(image);
    std::vector<int> ink(formula.regions.size());
    for (std::size_t i = 0; i < image->coverage.size(); ++i) ink.at(image->region[i]) += image->coverage[i];
    for (std::size_t i = 1; i < ink.size(); ++i) {
      INFO(i << " " << formula.regions[i].id);
      CHECK(ink[i] > 255);
    }
    const auto at = [&](int x, int y) { return image->coverage[static_cast<std::size_t>(y * image->width + x)]; };
    int edge = 0;
    for (int x = 0; x < image->width; ++x) edge = std::max({edge, +at(x, 0), +at(x, image->height - 1)});
    for (int y = 0; y < image->height; ++y) edge = std::max({edge, +at(0, y), +at(image->width - 1, y)});
    CHECK(edge == 0);
  }
}

TEST_CASE("rules stay sharp and the baseline whole at any size") {
  const Formula barred = set("\\overline{x \\qquad y}");
  for (const double em : {4.0, 11.0, 17.3, 31.0, 200.0}) {
    INFO(em);
    const auto image = rasterise(barred, em);
    REQUIRE(image);
    const int column = image->left + static_cast<int>(0.5 * barred.width * em);  // where only the bar is
    int full = 0, partial = 0;
    for (int y = 0; y < image->height; ++y) {
      const int ink = image->coverage[static_cast<std::size_t>(y * image->width + column)];
      full += ink == 255;
      partial += ink > 0 && ink < 255;
    }
    CHECK(full == std::max(1, static_cast<int>(std::round(0.04 * em))));
    CHECK(partial == 0);
  }
  CHECK_FALSE(rasterise(barred, 3));
  CHECK_FALSE(rasterise(barred, 1e9));
  CHECK_FALSE(rasterise(barred, std::nan("")));
  CHECK_FALSE(rasterise(Formula{}, 20));
}

TEST_CASE("each region takes its own colour") {
  const Formula pair = set("\\hl{one}{/} -");
  const auto image = rasterise(pair, 100);
  REQUIRE(image);
  const auto rgba = tinted(*image, [](std::size_t region) { return region == 1 ? Ink{1, 0, 0, 0.5} : Ink{0, 0, 1}; });
  REQUIRE(rgba.size() == 4 * image->coverage.size());
  const auto at = [&](const FormulaBox& box) {
    const double y = (box.top + box.bottom) / 2, x = (box.left + box.right) / 2;
    const auto pixel = static_cast<std::size_t>((image->top + static_cast<int>(100 * y)) * image->width + image->left +
                                                static_cast<int>(100 * x));
    return std::vector<int>(rgba.begin() + static_cast<long>(4 * pixel),
                            rgba.begin() + static_cast<long>(4 * pixel) + 4);
  };
  CHECK(at(pair.shapes[0].ink) == std::vector{255, 0, 0, 128});
  CHECK(at(pair.shapes[1].ink) == std::vector{0, 0, 255, 255});
  CHECK(at({0, 0, 0.1, 0.1})[3] == 0);
}

// Pastes what the window would show: coverage, tinted by region.
void paste(cairo_surface_t* page, const Formula& formula, int x, int baseline, double em) {
  const auto image = rasterise(formula, em);
  REQUIRE(image);
  const auto rgba = tinted(*image, [&](std::size_t region) { return ink_of_id(formula.regions[region].id); });
  unsigned char* pixels = cairo_image_surface_get_data(page);
  for (int row = 0; row < image->height; ++row)
    for (int column = 0; column < image->width; ++column) {
      const std::uint8_t* from = &rgba[static_cast<std::size_t>(4 * (row * image->width + column))];
      unsigned char* to = pixels + (baseline - image->baseline + row) * cairo_image_surface_get_stride(page) +
                          4 * (x - image->left + column);
      for (const int channel : {0, 1, 2})
        to[2 - channel] =
            static_cast<unsigned char>((to[2 - channel] * (255 - from[3]) + from[channel] * from[3]) / 255);
    }
}

// No test but a tool, for pages to be looked at: every formula as paths, and again as tinted pixels.
// build/test/test_app "[pages]" writes them where it is called.
TEST_CASE("contact sheets of formulas", "[.][pages]") {
  const double em = 22;
  const int width = 1230, row = 150, rows = 44;
  for (const bool pixels : {false, true}) {
    cairo_surface_t* page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, row * rows);
    cairo_t* cairo = cairo_create(page);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    int x = 20, y = 84;
    for (const auto& [latex, plain] : test::written_formulas()) {
      const Formula formula = set(latex);
      INFO(latex);
      if (x + formula.width * em > width - 20) {
        x = 20;
        y += row;
      }
      REQUIRE(y < row * rows);
      const auto ink = [&](std::size_t region) { return ink_of_id(formula.regions[region].id); };
      if (pixels)
        paste(page, formula, x, y, em);
      else
        draw(cairo, formula, x, y, em, ink);
      x += static_cast<int>((formula.width + 2) * em);
    }
    cairo_destroy(cairo);
    cairo_surface_mark_dirty(page);
    CHECK(cairo_surface_write_to_png(page, pixels ? "formulas_pixels.png" : "formulas_paths.png") ==
          CAIRO_STATUS_SUCCESS);
    cairo_surface_destroy(page);
  }
}
