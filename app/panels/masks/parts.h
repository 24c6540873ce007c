// What the files of this room share, and what screen/ places of it: the screen that takes a mask apart.
#pragma once

#include <memory>
#include <optional>
#include "app/model/masks.h"
#include "app/panels/common/shown.h"
#include "app/reading/masks/mask_layers.h"

namespace headlight::app {

// What the mask laboratory keeps: the mask that is shown, taken apart, and how it is painted on.
struct MaskLab {
  struct Of {
    std::uint64_t run = 0;
    Index batch = -1, head = -1;
    bool operator==(const Of&) const = default;
  };
  Of of;
  std::shared_ptr<const MaskReading> mask;
  NumbersOf weights_of;
  MatrixView weights;
  std::shared_ptr<const Tensor> weights_owner;
  enum class Tool { brush, box, row, column, diagonal, look } tool = Tool::brush;
  bool hide = true;                  // else it shows
  std::optional<CellAt> from, last;  // of the stroke under way
  std::optional<std::size_t> lit;    // the layer that is pointed at
  MaskForm form = MaskForm::visible;
  std::uint64_t causal_of = 0;  // the result of which it is known whether saved weights look causal
  bool causal = false;
  std::optional<Index> block;  // side of those that a kernel may leave out; none: by the size of the mask
};

// How a layer's cells are filled, by what hides them; continuous from cell to cell.
void draw_layer_hatch(Ui& ui, Rect rect, const SeenLayer& layer, float step);
// One of the layers over all pairs, or what they come to; as large as the box.
void draw_layer_map(Ui& ui, Rect box, const MaskReading& mask, std::optional<std::size_t> layer);

// What is shown, taken apart; null where there is no map of pairs, or it has too many cells.
const MaskReading* shown_mask(const Model& model, PanelMemory& memory);

// "key ≤ query", or what the layer's cells come to.
std::string layer_in_words(const SeenLayer& layer);

// The strip over the view: the layers as an equation.
void draw_mask_equation(Ui& ui, Rect box, const Model& model, PanelMemory& memory);
// The middle: tools, the mask and the weights, what hatches mean, visible keys of each query. Where it is not told
// beside it why rows are empty, a card tells it. Returns whether that was asked what repairs them.
bool draw_mask_view(Ui& ui, Rect box, bool told, const Model& model, PanelMemory& memory, Actions& actions);
// What it is painted with, hiding or showing, and the whole of it inverted or cleared.
void draw_mask_tools(Ui& ui, Rect line, const Model& model, MaskLab& lab, Actions& actions);
// A press paints or, with Alt or the tool for it, pins.
void handle_mask_press(Ui& ui, const Model& model, const MaskReading& mask, const Slice& slice,
                       const HeatmapResult& drawn, MaskLab& lab, Actions& actions);
// The box that is being drawn.
void frame_mask_box(Ui& ui, Rect map, const HeatmapData& shown, const MaskLab& lab);
// The layers with their switches and parameters, and the mask as PyTorch takes it. Returns its height.
float draw_mask_layers(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Which rows are empty and why, in a line at the top of the box, whose top moves below it; nothing where none is.
// Returns whether its button was pressed.
bool draw_empty_warning(Ui& ui, Rect& box, const Model& model, const MaskReading& mask);
// Empty rows, the equation in words, the cell that is looked at, what the mask saves. Returns its height.
float draw_mask_cell(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

}  // namespace headlight::app
