// A picture as it is, in a box of its aspect.
#pragma once

#include <memory>
#include <string>

#include "app/widgets/ui.h"
#include "engine/picture/image.h"

namespace headlight::app {

// Smooth where it is enlarged. `about` says what is on it, for who does not see it.
void image_view(Ui& ui, const std::string& path, Rect box, const std::shared_ptr<const Image>& image,
                const std::string& about);

}  // namespace headlight::app
