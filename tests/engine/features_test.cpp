#include "engine/inputs/features.h"

#include <cmath>

#include "engine/picture/resize.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

// 2×2: black and white above, white and black below.
Image checks() {
  Image image = filled_image(2, 2, rgb(0x000000));
  image.set(1, 0, rgb(0xFFFFFF));
  image.set(0, 1, rgb(0xFFFFFF));
  return image;
}

}  // namespace

TEST_CASE("areas are averaged in linear light") {
  const Image one = resized(checks(), 1, 1);
  CHECK(one.at(0, 0) == Color{188, 188, 188, 255});  // half the light; half the byte would be 128
}

TEST_CASE("whole factors are exact, and a picture of the right size comes back as it is") {
  Image image = filled_image(3, 2, {});
  for (Index y = 0; y < 2; ++y)
    for (Index x = 0; x < 3; ++x)
      image.set(x, y, {static_cast<std::uint8_t>(80 * x), static_cast<std::uint8_t>(250 * y), 7, 255});
  CHECK(resized(image, 3, 2).rgba == image.rgba);
  const Image large = resized(image, 9, 8);
  for (Index y = 0; y < 8; ++y)
    for (Index x = 0; x < 9; ++x) CHECK(large.at(x, y) == image.at(x / 3, y / 4));
  CHECK(resized(large, 3, 2).rgba == image.rgba);
}

TEST_CASE("a factor that is not whole weighs what a cell covers") {
  Image image = filled_image(3, 1, rgb(0x000000));
  image.set(1, 0, rgb(0xFFFFFF));  // each half covers a third of it
  const Image two = resized(image, 2, 1);
  CHECK(two.at(0, 0) == two.at(1, 0));
  CHECK(two.at(0, 0).r == byte_at_linear(1.0 / 3));
}

TEST_CASE("what is transparent lies on white, and the aspect is kept") {
  CHECK(resized(filled_image(2, 2, {10, 20, 30, 0}), 1, 1).at(0, 0) == rgb(0xFFFFFF));
  CHECK(resized(filled_image(1, 1, {0, 0, 0, 128}), 1, 1).at(0, 0) == Color{127, 127, 127, 255});
  CHECK(size_within(640, 480, 16).height == 12);
  CHECK(size_within(10, 1000, 16).width == 1);
  CHECK(size_within(5, 9, 16).width == 5);
}

TEST_CASE("channels of a picture are where the header says") {
  const Image image = checks();
  const Positions positions = picture_features({&image, 1}, "described", false);
  REQUIRE(positions.values.shape() == Shape{4, picture_channels});
  CHECK(picture_channels == 12);
  const auto at = [&](Index position, Index channel) { return positions.values.at({position, channel}); };
  CHECK(at(1, channel_r) == 0.5F);
  CHECK(at(0, channel_color_square) == 0.75F);
  CHECK(at(1, channel_y) == -0.0625F);
  CHECK(at(1, channel_x) == 0.0625F);
  CHECK(at(2, channel_y) == 0.0625F);
  CHECK(at(2, channel_x_square) == 0.00390625F);
  CHECK(at(3, channel_one) == 1);
  CHECK(at(1, channel_contrast) == Approx(0.5));
  CHECK(at(0, channel_dx) == Approx(1));
  CHECK(at(1, channel_dy) == Approx(-1));
  CHECK(positions.grid.rows == 2);
}

TEST_CASE("slopes inside a picture are half differences, and one pixel has none") {
  Image image = filled_image(3, 1, rgb(0x000000));
  image.set(2, 0, rgb(0xFFFFFF));
  CHECK(picture_features({&image, 1}, "described", false).values.at({1, channel_dx}) == Approx(0.5));
  const Image pixel = filled_image(1, 1, rgb(0x336699));
  const Positions one = picture_features({&pixel, 1}, "described", false);
  for (const Index channel : {channel_x, channel_y, channel_dx, channel_dy, channel_contrast})
    CHECK(one.values.at({0, channel}) == 0);
}

TEST_CASE("frames know their time, and plain colours are 0 to 1") {
  const std::vector<Image> frames(8, filled_image(2, 1, rgb(0xFF0033)));
  const Positions described = picture_features(frames, "described", true);
  REQUIRE(described.values.shape() == Shape{16, 13});
  CHECK(described.values.at({0, channel_t}) == -0.875F);
  CHECK(described.values.at({15, channel_t}) == 0.875F);
  const Positions plain = picture_features(frames, "rgb", true);
  REQUIRE(plain.values.shape() == Shape{16, 3});
  CHECK(plain.values.at({0, 0}) == 1);
  CHECK(plain.values.at({0, 2}) == Approx(0.2));
}

TEST_CASE("channels of a signal, and a constant one") {
  const std::vector<float> samples{1, 3, 1, 3};
  const Positions positions = signal_features(samples, "described");
  REQUIRE(positions.values.shape() == Shape{4, 8});
  const auto at = [&](Index position, Index channel) { return positions.values.at({position, channel}); };
  CHECK(at(0, channel_value) == Approx(-1));
  CHECK(at(1, channel_value_square) == Approx(1));
  CHECK(at(0, channel_position) == -0.1875F);
  CHECK(at(0, channel_slope) == Approx(2));
  CHECK(at(1, channel_slope) == Approx(0).margin(1e-6));
  CHECK(at(0, channel_previous) == Approx(-1));
  CHECK(at(1, channel_previous) == Approx(-1));
  CHECK(at(1, channel_mean) == Approx(-1.0 / 3));
  CHECK(at(3, channel_mean) == Approx(0).margin(1e-6));
  CHECK(signal_features(samples, "value").values.at({1, 0}) == 3);
  const std::vector<float> constant(5, 0.1F);
  CHECK(signal_features(constant, "described").values.at({2, channel_value}) == 0);
}
