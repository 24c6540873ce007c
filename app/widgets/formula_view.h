// A formula in the window: symbols in their roles' colours, lit and answering when pointed at.
#pragma once

#include <functional>
#include <string>

#include "app/widgets/ui.h"

namespace headlight::app {

// Role of a region by its id ("q", "scores", "n_q").
using RoleOfRegion = std::function<Role(const std::string& id)>;

// The size that the formula takes, in px of the screen, at this em in design px and cut down to the width.
struct FormulaSize {
  float em = 0;
  float width = 0;
  float height = 0;
  float above = 0;  // of the height: above the baseline
};
FormulaSize formula_size(Ui& ui, const std::string& latex, float em, float width);

// Draws it centred in the box; returns the id of the symbol under the pointer, or empty. `lit` is underlined.
// One that cannot be set says why in its place.
std::string formula_view(Ui& ui, const std::string& path, Rect box, const std::string& latex, float em,
                         const RoleOfRegion& role, const std::string& lit);

}  // namespace headlight::app
