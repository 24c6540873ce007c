// Pictures as vision models are fed: numbers that Pillow's rule gives, worked out by hand and by exact fractions.
#include "engine/picture/resize.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

// One row of greys, or where `down` one column.
Image line(const std::vector<int>& greys, bool down) {
  const auto n = static_cast<Index>(greys.size());
  Image image = filled_image(down ? 1 : n, down ? n : 1, {});
  for (Index i = 0; i < n; ++i) {
    const auto grey = static_cast<std::uint8_t>(greys[static_cast<std::size_t>(i)]);
    image.set(down ? 0 : i, down ? i : 0, {grey, static_cast<std::uint8_t>(255 - grey), 7, 10});
  }
  return image;
}

std::vector<int> resized_line(const std::vector<int>& greys, Index to, ResizeFilter filter, bool down) {
  const Image image = filtered_resize(line(greys, down), down ? 1 : to, down ? to : 1, filter);
  std::vector<int> result;
  for (Index i = 0; i < to; ++i) {
    const Color color = image.at(down ? 0 : i, down ? i : 0);
    CHECK((color.b == 7 && color.a == 255));
    result.push_back(color.r);
  }
  return result;
}

}  // namespace

TEST_CASE("pictures are resized as Pillow does it, along rows and columns alike") {
  struct Case {
    ResizeFilter filter;
    std::vector<int> from, to;
  };
  const Case cases[] = {
      {ResizeFilter::nearest, {0, 100, 255}, {0, 0, 100, 255, 255}},
      {ResizeFilter::nearest, {0, 10, 200, 255}, {10, 255}},
      {ResizeFilter::bilinear, {0, 100, 255}, {38, 197}},
      {ResizeFilter::bilinear, {0, 100, 255}, {0, 40, 100, 193, 255}},
      {ResizeFilter::bilinear, {0, 10, 200, 255}, {33, 196}},
      {ResizeFilter::bicubic, {0, 100, 255}, {29, 205}},
      {ResizeFilter::bicubic, {0, 100, 255}, {0, 28, 100, 205, 255}},
      {ResizeFilter::bicubic, {0, 10, 200, 255}, {19, 210}},
      {ResizeFilter::bicubic, {0, 100, 255}, {0, 100, 255}},
  };
  for (const Case& one : cases)
    for (const bool down : {false, true})
      CHECK(resized_line(one.from, static_cast<Index>(one.to.size()), one.filter, down) == one.to);
}
