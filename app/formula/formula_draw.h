// Draws typeset formulas with cairo: as an image whose pixels know their region, or as paths into a figure.
//
// Not their colours: those come from the roles of what the regions stand for, which the caller knows.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "app/formula/formula.h"

using cairo_t = struct _cairo;

namespace headlight {

struct Ink {
  double red = 0, green = 0, blue = 0, alpha = 1;  // 0 to 1
};

// The colour of a region by its index into Formula::regions; 0 is what is outside all marks.
using InkOfRegion = std::function<Ink(std::size_t region)>;

// A formula in pixels, rows from the top. To recolour a region, for a role or under the mouse, tint it again.
struct FormulaImage {
  int width = 0, height = 0;           // pixels, the ink's overhang included
  int left = 0, top = 0;               // where the formula's box begins in the image
  int baseline = 0;                    // the row whose upper edge is the baseline
  double em_pixels = 0;                // what it was drawn at
  std::vector<std::uint8_t> coverage;  // 255: all ink
  std::vector<std::uint16_t> region;   // whose ink it is; 0 also where there is none

  // From a place in the image to one in the formula, for Formula::region_at.
  OutlinePoint formula_at_image(double x, double y) const { return {(x - left) / em_pixels, (y - top) / em_pixels}; }
};

// Draws with the baseline and all rules on whole pixels. em_pixels: 4 to 512, in physical pixels.
Result<FormulaImage> rasterise(const Formula& formula, double em_pixels);

// RGBA, 8 bits, alpha not multiplied in: the colour of each pixel's region, its alpha times the coverage.
std::vector<std::uint8_t> tinted(const FormulaImage& image, const InkOfRegion& ink);

// Fills the formula's paths; (x, y) is the left end of the baseline and `em` an em, both in the context's units.
void draw(cairo_t* cairo, const Formula& formula, double x, double y, double em, const InkOfRegion& ink);

}  // namespace headlight
