#include "engine/picture/image.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace headlight {

Pictures make_pictures(std::vector<Image> cells, std::vector<Image> fine) {
  Pictures pictures{std::move(cells), std::move(fine), 0xcbf29ce484222325ULL};  // FNV-1a, eight bytes at a time
  const auto take = [&](std::uint64_t word) {
    pictures.fingerprint = (pictures.fingerprint ^ word) * 0x100000001b3ULL;
    pictures.fingerprint ^= pictures.fingerprint >> 29;
  };
  for (const auto* list : {&pictures.cells, &pictures.fine})
    for (const Image& image : *list) {
      take(static_cast<std::uint64_t>(image.width));
      for (std::size_t i = 0; i < image.rgba.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, image.rgba.data() + i, std::min<std::size_t>(8, image.rgba.size() - i));
        take(word);
      }
    }
  return pictures;
}

Image filled_image(Index width, Index height, Color color) {
  Image image{width, height, std::vector<std::uint8_t>(static_cast<std::size_t>(4 * width * height))};
  for (Index y = 0; y < height; ++y) {
    for (Index x = 0; x < width; ++x) image.set(x, y, color);
  }
  return image;
}

}  // namespace headlight
