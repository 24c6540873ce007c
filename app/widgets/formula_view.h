// A typeset formula in the window: symbols in their roles' colours, lit and answering when pointed at.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "app/widgets/formula_data.h"
#include "app/widgets/ui.h"

namespace headlight::app {

// The program's own formulas. Never fails on what was built in; a test reads them.
const FormulaBook& formula_book();

// Role of a region by its id ("q", "scores", "n_q").
using RoleOfRegion = std::function<Role(const std::string& id)>;

// The size that the formula takes, in px of the screen, at this em in design px and cut down to the width.
struct FormulaSize {
  float em = 0;
  float width = 0;
  float height = 0;
};
FormulaSize formula_size(const Ui& ui, const std::string& latex, float em, float width);

// Draws it centred in the box; returns the id of the symbol under the pointer, or empty. `lit` is underlined.
// A formula that was not prepared is shown as plain text.
std::string formula_view(Ui& ui, const std::string& path, Rect box, const std::string& latex, float em,
                         const RoleOfRegion& role, const std::string& lit);

}  // namespace headlight::app
