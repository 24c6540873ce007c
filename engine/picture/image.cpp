#include "engine/picture/image.h"

namespace headlight {

Image filled_image(Index width, Index height, Color color) {
  Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(4 * width * height))};
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) image.set(x, y, color);
  }
  return image;
}

}  // namespace headlight
