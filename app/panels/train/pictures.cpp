// Pictures of examples, pixel by pixel.
#include <cmath>

#include "app/panels/train/parts.h"
#include "app/widgets/map_cells.h"

namespace headlight::app {

namespace {

std::uint8_t byte_of(float number) {
  return static_cast<std::uint8_t>(std::lround(std::clamp((number + 1) / 2, 0.0F, 1.0F) * 255));
}

}  // namespace

void draw_pixels(Ui& ui, Rect box, const PixelsShown& pixels) {
  const Tensor& numbers = *pixels.numbers;
  const Index size = pixels.rows * pixels.columns, all = size * pixels.frames,
              colours = numbers.size() / all >= 3 ? 3 : 1;
  const MatrixView cells{numbers.data(), pixels.rows, pixels.columns, pixels.columns, 1};
  for (Index pixel = 0; pixel < size; ++pixel) {
    const Index at = pixels.frame * size + pixel;
    const Rect place = cell_rect(rounded(box), cells, pixel / pixels.columns, pixel % pixels.columns);
    if (pixels.asked && (*pixels.asked)[at] == 0) {
      ui.hatch(place);
      continue;
    }
    const auto colour = [&](Index channel) { return byte_of(numbers[(channel % colours) * all + at]); };
    ui.fill(place, color32({colour(0), colour(1), colour(2)}));
  }
  ui.frame(rounded(box).inset(-1), ui.theme().line_strong);
}

}  // namespace headlight::app
