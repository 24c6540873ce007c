// What the mechanism costs as its input grows, as a small chart with the user's own size marked.
#pragma once

#include <optional>
#include "app/panels/common/shown.h"
#include "app/reading/costs.h"

namespace headlight::app {

// The prices of a run at other sizes, kept until another is shown: each is a run without numbers.
struct CostsKept {
  std::optional<std::uint64_t> run;
  CostChart chart;
};

// Returns the height it takes; 0 where there is nothing to tell.
float draw_costs(Ui& ui, Rect box, const Model& model, PanelMemory& memory);

}  // namespace headlight::app
