#include "app/formula/formula_draw.h"

#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace headlight {

namespace {

constexpr double smallest_em = 4, largest_em = 512;  // pixels
// The font's hairlines are made for paper: on a screen they would be paler than the text beside them. So much is added
// to each stroke's width; the forms of scripts are bolder by themselves.
constexpr double bolder = 0.011, bolder_script = 0.003;  // em
constexpr double most_bolder = 0.5;                      // pixels
constexpr double widest = 16384;                         // pixels, what a texture may have at the least of GPUs we meet

// Lays a glyph's path; the formula's top left corner is (x, y).
void trace_glyph(cairo_t* cairo, const FormulaShape& shape, double x, double y, double em) {
  const auto px = [&](const OutlinePoint& p) { return x + em * (shape.at.x + shape.scale * p.x); };
  const auto py = [&](const OutlinePoint& p) { return y + em * (shape.at.y + shape.scale * p.y); };
  for (const PathPart& part : *shape.outline) {
    switch (part.verb) {
      case PathVerb::move:
        cairo_move_to(cairo, px(part.to), py(part.to));
        break;
      case PathVerb::line:
        cairo_line_to(cairo, px(part.to), py(part.to));
        break;
      case PathVerb::cubic:
        cairo_curve_to(cairo, px(part.control1), py(part.control1), px(part.control2), py(part.control2), px(part.to),
                       py(part.to));
        break;
      case PathVerb::close:
        cairo_close_path(cairo);
        break;
    }
  }
}

void fill_glyph_bolder(cairo_t* cairo, const FormulaShape& shape, double x, double y, double em) {
  trace_glyph(cairo, shape, x, y, em);
  cairo_fill_preserve(cairo);
  cairo_set_line_width(cairo, std::min(em * (shape.scale < 1 ? bolder_script : bolder), most_bolder));
  cairo_stroke(cairo);
}

// A rule on whole rows, at least one thick, so that it is neither blurred nor lost.
void fill_rule_on_pixels(cairo_t* cairo, const FormulaBox& rule, double x, double y, double em) {
  const double thickness = std::max(1.0, std::round(em * rule.height()));
  const double middle = y + em * (rule.top + rule.height() / 2);
  cairo_rectangle(cairo, x + em * rule.left, std::round(middle - thickness / 2), em * rule.width(), thickness);
  cairo_fill(cairo);
}

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};

// The pixels that a region's own ink can reach, and one more all round, for rules that are moved and bolder strokes.
BoxOf<int> pixels_of(const FormulaImage& image, const FormulaBox& box, double formula_height) {
  const double top_edge = image.baseline - image.em_pixels * formula_height;
  const int left = std::max(0, static_cast<int>(std::floor(image.left + image.em_pixels * box.left)) - 1);
  const int top = std::max(0, static_cast<int>(std::floor(top_edge + image.em_pixels * box.top)) - 1);
  const int right = std::min(image.width, static_cast<int>(std::ceil(image.left + image.em_pixels * box.right)) + 1);
  const int bottom = std::min(image.height, static_cast<int>(std::ceil(top_edge + image.em_pixels * box.bottom)) + 1);
  return {left, top, right - left, bottom - top};
}

// Adds one region's ink to the image. Where two regions share a pixel, it is whose ink covers more.
Status add_region(FormulaImage& image, const Formula& formula, std::size_t region) {
  const BoxOf<int> part = pixels_of(image, formula.regions[region].box, formula.height);
  const std::unique_ptr<cairo_surface_t, Destroy> surface(
      cairo_image_surface_create(CAIRO_FORMAT_A8, part.width, part.height));
  const std::unique_ptr<cairo_t, Destroy> cairo(cairo_create(surface.get()));
  cairo_set_antialias(cairo.get(), CAIRO_ANTIALIAS_BEST);
  cairo_set_line_join(cairo.get(), CAIRO_LINE_JOIN_ROUND);
  const double x = image.left - part.x;
  const double y = image.baseline - image.em_pixels * formula.height - part.y;
  for (const FormulaShape& shape : formula.shapes) {
    if (shape.region != region) continue;
    if (shape.outline)
      fill_glyph_bolder(cairo.get(), shape, x, y, image.em_pixels);
    else
      fill_rule_on_pixels(cairo.get(), shape.ink, x, y, image.em_pixels);
  }
  cairo_surface_flush(surface.get());
  if (cairo_status(cairo.get()) != CAIRO_STATUS_SUCCESS)
    return fail("cannot draw a formula: {}", cairo_status_to_string(cairo_status(cairo.get())));
  const unsigned char* drawn = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  for (int row = 0; row < part.height; ++row)
    for (int column = 0; column < part.width; ++column) {
      const std::uint8_t ink = drawn[row * stride + column];
      const auto pixel = static_cast<std::size_t>((part.y + row) * image.width + part.x + column);
      std::uint8_t& coverage = image.coverage[pixel];
      if (ink > coverage) image.region[pixel] = static_cast<std::uint16_t>(region);
      coverage = static_cast<std::uint8_t>(std::min(255, coverage + ink));
    }
  return {};
}

}  // namespace

Result<FormulaImage> rasterise(const Formula& formula, double em_pixels) {
  if (!(em_pixels >= smallest_em && em_pixels <= largest_em))
    return fail("a formula is drawn at {} to {} pixels an em, not at {}", smallest_em, largest_em, em_pixels);
  if (formula.regions.empty()) return fail("a formula without regions was not typeset");
  // Ink may stick out of the box, as the tail of an italic does. Two pixels leave room for rules that are moved, for
  // bolder strokes, and for nothing at the sides.
  const FormulaBox& ink = formula.regions[0].box;
  const auto pixels = [&](double length) { return std::ceil(std::max(0.0, length) * em_pixels) + 2; };
  const double left = pixels(-ink.left), right = pixels(std::max(formula.width, ink.right));
  const double above = pixels(std::max(formula.height, formula.height - ink.top));
  const double below = pixels(std::max(formula.depth, ink.bottom - formula.height));
  if (left + right > widest || above + below > widest)
    return fail("a formula of {:.0f} × {:.0f} pixels is too large to draw; zoom out", left + right, above + below);
  FormulaImage image{.width = static_cast<int>(left + right),
                     .height = static_cast<int>(above + below),
                     .left = static_cast<int>(left),
                     .top = static_cast<int>(above - std::round(formula.height * em_pixels)),
                     .baseline = static_cast<int>(above),
                     .em_pixels = em_pixels,
                     .coverage = {},
                     .region = {}};
  const auto area = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  image.coverage.resize(area);
  image.region.resize(area);
  for (std::size_t region = 0; region < formula.regions.size(); ++region) HL_CHECK(add_region(image, formula, region));
  return image;
}

std::vector<std::uint8_t> tinted(const FormulaImage& image, const InkOfRegion& ink) {
  std::vector<Ink> inks;
  const std::size_t regions = 1 + *std::max_element(image.region.begin(), image.region.end());
  for (std::size_t region = 0; region < regions; ++region) inks.push_back(ink(region));
  const auto byte = [](double share) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
  };
  std::vector<std::uint8_t> rgba;
  rgba.reserve(4 * image.coverage.size());
  for (std::size_t i = 0; i < image.coverage.size(); ++i) {
    const Ink& colour = inks[image.region[i]];
    for (const double channel : {colour.red, colour.green, colour.blue, colour.alpha * image.coverage[i] / 255.0})
      rgba.push_back(byte(channel));
  }
  return rgba;
}

void draw(cairo_t* cairo, const Formula& formula, double x, double y, double em, const InkOfRegion& ink) {
  cairo_new_path(cairo);
  for (const FormulaShape& shape : formula.shapes) {
    const Ink colour = ink(shape.region);
    cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, colour.alpha);
    const double top = y - em * formula.height;
    if (shape.outline)
      trace_glyph(cairo, shape, x, top, em);
    else
      cairo_rectangle(cairo, x + em * shape.ink.left, top + em * shape.ink.top, em * shape.ink.width(),
                      em * shape.ink.height());
    cairo_fill(cairo);
  }
}

}  // namespace headlight
