#include "app/widgets/image_view.h"

#include <imgui.h>

#include <cmath>

#include "app/render/map_painter.h"
#include "engine/picture/resize.h"

namespace headlight::app {

// A picture in the pixels of its box, kept until it or the box is another.
struct ImageDrawn {
  std::shared_ptr<const Image> of;
  Image pixels;
  std::uint64_t stamp = 0;
};

void image_view(Ui& ui, const std::string& path, Rect box, const std::shared_ptr<const Image>& image,
                const std::string& about) {
  const float left = std::round(box.x), top = std::round(box.y);
  const auto width = std::max<Index>(1, std::lround(box.w)), height = std::max<Index>(1, std::lround(box.h));
  ui.log(path, box, about);
  auto& kept = ui.memory().images[path];
  if (!kept || kept->of != image || kept->pixels.width != width || kept->pixels.height != height) {
    const bool enlarges = width > image->width;
    kept = std::make_shared<ImageDrawn>(ImageDrawn{
        image,
        enlarges ? filtered_resize(*image, width, height, ResizeFilter::bilinear) : resized(*image, width, height),
        ui.painter().stamp()});
  }
  const auto texture =
      ui.painter().picture("image/" + path, kept->stamp, static_cast<int>(width), static_cast<int>(height),
                           reinterpret_cast<const std::uint32_t*>(kept->pixels.rgba.data()));
  if (texture)
    ui.list().AddImage((ImTextureID)(texture), {left, top},
                       {left + static_cast<float>(width), top + static_cast<float>(height)});
}

}  // namespace headlight::app
