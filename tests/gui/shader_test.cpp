// The shader that draws maps against the CPU rasterizer, pixel by pixel.
#include <epoxy/gl.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "app/platform/window.h"
#include "app/render/gl_map_painter.h"
#include "engine/picture/pooling.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// A hidden window.
struct Context {
  Fonts fonts;
  Window window;
  std::unique_ptr<GlMapPainter> painter;

  static Context open() {
    auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
    REQUIRE(fonts);
    auto kept = std::make_unique<Fonts>(std::move(*fonts));
    WindowOptions options;
    options.hidden = true;
    auto window = Window::open(options, *kept);
    if (!window) FAIL(window.error().message);
    auto painter = GlMapPainter::create();
    if (!painter) FAIL(painter.error().message);
    Fonts& borrowed = *kept.release();  // lives as long as the process
    return {std::move(borrowed), std::move(*window), std::move(*painter)};
  }
};

Image read_back(std::uintptr_t texture, int width, int height) {
  Image image = filled_image(width, height, {});
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(texture));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  return image;
}

int largest_difference(const Image& a, const Image& b) {
  int largest = 0;
  for (std::size_t i = 0; i < a.rgba.size(); ++i)
    largest = std::max(largest, std::abs(int{a.rgba[i]} - int{b.rgba[i]}));
  return largest;
}

Tensor numbers(Index rows, Index columns) {
  Tensor t({rows, columns});
  for (Index i = 0; i < t.size(); ++i) t[i] = static_cast<float>(std::sin(static_cast<double>(i) * 12.9898) * 1.3);
  return t;
}

}  // namespace

TEST_CASE("the shader draws what the rasterizer draws") {
  Context context = Context::open();
  constexpr float inf = std::numeric_limits<float>::infinity();
  NumbersOf of{.what = "numbers"};
  for (const bool dark : {false, true})
    for (const double scale : {1.0, 2.0})
      for (const auto& [rows, columns] : {std::pair<Index, Index>{1, 1}, {5, 7}, {12, 12}, {3, 40}, {64, 64}})
        for (const auto& [width, height] : {std::pair<int, int>{97, 61}, {240, 240}, {480, 300}}) {
          if (columns > width || rows > height) continue;
          Tensor cells = numbers(rows, columns);
          if (cells.size() > 4) {
            cells[1] = -inf;
            cells[2] = std::nanf("");
            cells[3] = inf;
            cells[4] = -inf;
          }
          const MatrixView matrix = matrix_at(cells, {});
          for (const bool gaps : {false, true}) {
            MapLook look;
            look.range = value_range(gaps ? Kind::score : Kind::probability, extent_of(matrix));
            look.colormap = default_colormap(look.range.is_signed(), dark);
            look.style = dark ? dark_heatmap_style(scale) : light_heatmap_style(scale);
            if (!gaps) look.style.gap = 0;
            Image want = filled_image(width, height, look.style.canvas);
            draw_heatmap(want, {0, 0, width, height}, matrix, look.range, color_table(look.colormap), look.style);
            ++of.run;
            const Image got = read_back(context.painter->paint("map", of, matrix, width, height, look), width, height);
            INFO(rows << "×" << columns << " in " << width << "×" << height << " gaps " << gaps << " dark " << dark);
            CHECK(largest_difference(got, want) <= 1);
          }
        }
}

TEST_CASE("a map of more cells than pixels is pooled alike, and one wrong cell is found") {
  Context context = Context::open();
  Tensor cells = numbers(500, 700);
  MapLook look;
  look.range = value_range(Kind::score, extent_of(cells.values()));
  look.colormap = Colormap::tide;
  look.style = light_heatmap_style(1);
  look.style.gap = 0;
  const auto draw = [&](std::uint64_t run) {
    return read_back(context.painter->paint("big", {.run = run, .what = ""}, matrix_at(cells, {}), 200, 150, look), 200,
                     150);
  };
  const Tensor coarse = pooled(matrix_at(cells, {}), block_for_pixels(500, 700, 200, 150), Pooling::magnitude);
  Image want = filled_image(200, 150, {});
  draw_heatmap(want, {0, 0, 200, 150}, matrix_at(coarse, {}), look.range, color_table(look.colormap), look.style);
  CHECK(largest_difference(draw(1), want) <= 1);
  cells[123456] = -look.range.high;
  CHECK(largest_difference(draw(2), want) > 1);
}

TEST_CASE("powers of ten are laid out before the shader draws them") {
  Context context = Context::open();
  Tensor cells({4, 5});
  for (Index i = 0; i < cells.size(); ++i) cells[i] = std::pow(10.0F, -static_cast<float>(i) / 4);
  cells[7] = 0;
  MapLook look;
  look.range = {1e-3F, 1, Spacing::logarithmic};
  look.style = light_heatmap_style(1);
  look.style.gap = 0;
  const Tensor placed = apply_spacing(matrix_at(cells, {}), look.range);
  const auto drawn = [&](const Tensor& tensor) {
    Image image = filled_image(100, 80, {});
    draw_heatmap(image, {0, 0, 100, 80}, matrix_at(tensor, {}), {0, 1}, color_table(look.colormap), look.style);
    return image;
  };
  const Image got =
      read_back(context.painter->paint("powers", {.what = "powers"}, matrix_at(cells, {}), 100, 80, look), 100, 80);
  CHECK(largest_difference(got, drawn(placed)) <= 1);
  CHECK(largest_difference(got, drawn(cells)) > 40);  // the control: straight lines are another picture
}

TEST_CASE("a map is painted again when anything changes that it depends on, and only then") {
  Context context = Context::open();
  const Tensor cells = numbers(8, 8);
  MapLook look;
  look.style = light_heatmap_style(1);
  NumbersOf of{1, "weights", 0, 8, 8, 8, 1};
  std::uint64_t painted = 0;
  const auto paint = [&] {
    for (int i = 0; i < 3; ++i) context.painter->paint("same", of, matrix_at(cells, {}), 80, 80, look);
    const std::uint64_t before = painted;
    painted = context.painter->painted();
    return painted - before;
  };
  CHECK(paint() == 1);
  CHECK(paint() == 0);
  const std::vector<std::pair<const char*, std::function<void()>>> changes{
      {"run", [&] { ++of.run; }},
      {"step", [&] { of.what = "scores"; }},
      {"offset", [&] { of.offset = 64; }},
      {"rows", [&] { of.rows = 4; }},
      {"columns", [&] { of.columns = 4; }},
      {"row stride", [&] { of.row_stride = 1; }},
      {"column stride", [&] { of.column_stride = 8; }},
      {"low", [&] { look.range.low = -1; }},
      {"high", [&] { look.range.high = 2; }},
      {"spacing", [&] { look.range.spacing = Spacing::row_max; }},
      {"colours", [&] { look.colormap = Colormap::viridis; }},
      {"theme", [&] { look.style = dark_heatmap_style(1); }},
      {"scale", [&] { look.style = dark_heatmap_style(2); }},
      {"gap", [&] { look.style.gap = 3; }},
  };
  for (const auto& [name, change] : changes) {
    change();
    INFO(name);
    CHECK(paint() == 1);
  }
}
