// What the files of this room share: the screen that shows all layers of a model, and its sides.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>

#include "app/model/network_run.h"
#include "app/panels/common/picture.h"
#include "app/panels/common/shown.h"
#include "engine/picture/pooling.h"

namespace headlight::app {

// Of the stops of a model that are no layer.
struct NetworkEndMemory {
  Index channel = 0;                                        // of the residual stream, whose number is explained
  std::size_t rank = 0;                                     // of the likeliest tokens at a place, likewise
  std::tuple<std::uint64_t, Index, Index> told{0, -1, -1};  // run, row and token: the key of `words`
  std::string words;                                        // on the softmax; they take a pass over all logits
};

// The heads of all layers that are shown together: of a model's part, or of a result that has several layers.
struct LayersShown {
  std::shared_ptr<const PartRun> kept;  // what `part` is of, where no run holds it
  const PartRun* part = nullptr;
  const NetworkRun* run = nullptr;  // of a model; null: of a result
  NetworkLook look;
  Index heads = 0;                           // the most that a layer has
  std::uint64_t stamp = 0;                   // another for each run
  std::optional<PlacedGrid> picture;         // on which queries and keys lie
  std::vector<ModelHead> off;                // heads that were switched off
  const RelevanceMaps* relevance = nullptr;  // where that view is shown and made
  ValueRange range;                          // of all maps of the view

  ModelHead chosen() const { return {look.layer, look.head, look.part}; }
  // The query whose row is shown, as the chosen layer counts it: by default a picture's class token, else the last.
  Index query() const {
    const Index last = part->queries_of(look.layer) - 1;
    const bool class_token = picture && picture->offset > 0 && !part->staged;
    return std::clamp<Index>(look.query.value_or(class_token ? 0 : last), 0, last);
  }
  Index query_in(Index layer) const { return part->matching_query(query(), look.layer, layer); }
  // The grid that a map of the layer is drawn on: the picture, or a window of it where layers differ in size.
  std::optional<PlacedGrid> grid_of(Index layer) const;
};
// Nothing while they are made.
std::optional<LayersShown> layers_shown(const Model& model);
// The picture that keys lie on, of the batch item that is looked at; empty where there is none.
InputPicture photograph_of(const Model& model, const LayersShown& shown);

// The middle of the window: the heads on one scale, a measure on them, what the model says comes next.
void draw_network_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// At the left: what it reads, its folder, what of it was read. Returns the height it takes.
float draw_network_side(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// At the right: the chosen head, large. Returns the height it takes.
float draw_network_head(Ui& ui, Rect box, const Model& model, Actions& actions);
// The stack at the bottom: embeddings, every layer, the last norm, the logits.
void draw_network_stepper(Ui& ui, Rect bar, const Model& model, Actions& actions);

// The middle of the window where a result of several layers is shown so, and at the right its chosen head.
void draw_layers_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// ---- Of the middle

// Maps, the row of one query, rollout and the rest: which of them is shown.
float width_of_layers_views(const Ui& ui, const NetworkRun* run);
void draw_layers_views(Ui& ui, Rect place, const NetworkLook& look, const PartRun* part, const NetworkRun* run,
                       Actions& actions);
// Where there is little room, what stands aside in them waits for the pointer.
void draw_view_caption(Ui& ui, Rect place, const LayersShown& shown);
// As the look says, with the measure on them beside it where there is room.
void draw_layers(Ui& ui, Rect box, const Model& model, const LayersShown& shown, PanelMemory& memory, Actions& actions);
void draw_head_grid(Ui& ui, Rect box, const Model& model, const LayersShown& shown, PanelMemory& memory,
                    Actions& actions);
void draw_layer_maps(Ui& ui, Rect box, const Model& model, const LayersShown& shown, PanelMemory& memory,
                     Actions& actions);
void draw_marks_column(Ui& ui, Rect box, const Model& model, const LayersShown& shown, Actions& actions);
void draw_predictions(Ui& ui, Rect box, const Model& model, Actions& actions);
// Whether the stack stands at a stop that is no layer: embeddings, the last norm, the logits; and what is shown of it.
bool shows_end(const Model& model);
void draw_network_end(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

// ---- Of all

// A bar of `value` on a scale from 0 to `most`, with a mark at the median that reaches `beyond` px of the design past
// it.
void draw_measure_bar(Ui& ui, Rect row, double value, double middle, double most, Color32 mark, float beyond);
// The measure that marks heads.
Measure marking_measure(const NetworkLook& look);
// A head's number of the part that is looked at, and that of the middle one; NaN where there is none. What is lost
// without a head is known once it was run without.
double head_measure(const Model& model, const LayersShown& shown, Measure measure, Index layer, Index head);
double median_of(const Model& model, const LayersShown& shown, Measure measure);
// What it is called within a sentence, and what it is, of a head of a model.
std::string name_in_model(Measure measure);
const char* measure_help(Measure measure);
// The greatest there is, or can be.
double largest_measure(const Model& model, const LayersShown& shown, Measure measure);
// Brings a row that is chosen anew into a scroll area's view; `brought` is the key under which that is remembered.
void show_row_once(Ui& ui, const std::string& area, const std::string& brought, Index row, float height, float room);
// What positions are called, as the window's fonts show them.
std::vector<std::string> shown_words(Ui& ui, const std::vector<std::string>& words);
// The colour bar of maps on that scale, with the choice of it at its right; `words` are what they are, and `more` what
// else is to be said of them. One cell of a picture stands for `block` of a map.
void draw_layers_scale(Ui& ui, Rect box, const LayersShown& shown, const std::string& words, const std::string& more,
                       Block block, Actions& actions);
// Of a map that is drawn there.
Block block_drawn(const MapData& map, Rect place);
// A head's map on the scale of all of its part; in small where the run did not keep it.
MapData map_of_head(const Ui& ui, const LayersShown& shown, ModelHead head);
// The same of its layer's maps (…, M, rows, columns).
MapData map_of_head(const Ui& ui, const LayersShown& shown, ModelHead head, const std::shared_ptr<const Tensor>& owner);
// The map at that place of maps (…, rows, columns), under a name of its own.
MapData map_of_part(const Ui& ui, const LayersShown& shown, const std::string& name,
                    const std::shared_ptr<const Tensor>& owner, Index place);
// The part that is looked at, of the run that is shown.
const PartRun& shown_part(const Model& model);
// "0.1151", and where that would have fewer than three digits "1.85e-04", as the lists beside it do.
std::string share_text(double value);
// "Layer 5", "Cross layer 5"
std::string name_of_layer(const LayersShown& shown, Index layer);
// "L5 H3"
std::string short_name(ModelHead head);

}  // namespace headlight::app
