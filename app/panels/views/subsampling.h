// What is particular to a non-local block: where pooled keys come from, and the same query under the other
// similarities.
#pragma once

#include "app/panels/common/picture.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// Whether the shown trace pools its keys.
bool has_pooled_keys(const Model& model);

// The pixels round the selected key and what became of them. Returns the height it takes.
float draw_pooling(Ui& ui, Rect box, const Model& model);

// The selected query under every similarity, side by side. Asks for the runs that are missing.
// `place` is where the keys lie on the picture, which may be none.
float draw_similarities(Ui& ui, Rect box, const Model& model, PanelMemory& memory, const InputPicture& picture,
                        const OverlayPlace& place, Actions& actions);

}  // namespace headlight::app
