#include "engine/picture/color_vision.h"

namespace headlight {

namespace {

using Matrix = std::array<std::array<float, 3>, 3>;

constexpr Matrix deutan{
    {{0.367322F, 0.860646F, -0.227968F}, {0.280085F, 0.672501F, 0.047413F}, {-0.011820F, 0.042940F, 0.968881F}}};
constexpr Matrix protan{
    {{0.152286F, 1.052583F, -0.204868F}, {0.114503F, 0.786281F, 0.099216F}, {-0.003882F, -0.048116F, 1.051998F}}};
constexpr Matrix tritan{
    {{1.255528F, -0.076749F, -0.178779F}, {-0.078411F, 0.930809F, 0.147602F}, {0.004733F, 0.691367F, 0.303900F}}};
constexpr Matrix by_luminance{{{0.2126F, 0.7152F, 0.0722F}, {0.2126F, 0.7152F, 0.0722F}, {0.2126F, 0.7152F, 0.0722F}}};

const Matrix& matrix_of(Vision vision) {
  if (vision == Vision::deutan) return deutan;
  if (vision == Vision::protan) return protan;
  return vision == Vision::tritan ? tritan : by_luminance;
}

float to_linear(std::uint8_t byte) {
  static const auto table = [] {
    std::array<float, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(linear_at_byte(static_cast<std::uint8_t>(i)));
    return values;
  }();
  return table[byte];
}

}  // namespace

Color simulate_vision(Color color, Vision vision) {
  if (vision == Vision::normal) return color;
  const Matrix& m = matrix_of(vision);
  const float r = to_linear(color.r), g = to_linear(color.g), b = to_linear(color.b);
  const auto row = [&](std::size_t i) {
    return byte_at_linear(static_cast<double>(m[i][0] * r + m[i][1] * g + m[i][2] * b));
  };
  return {row(0), row(1), row(2), color.a};
}

Image simulate_vision(Image image, Vision vision) {
  if (vision == Vision::normal) return image;
  for (Index y = 0; y < image.height; ++y)
    for (Index x = 0; x < image.width; ++x) image.set(x, y, simulate_vision(image.at(x, y), vision));
  return image;
}

}  // namespace headlight
