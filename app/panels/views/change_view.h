// What the newest change did to the step that is shown, in place of its maps.
#pragma once

#include "app/panels/common/contrast.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

struct ChangeMemory {
  ContrastMemory contrast;  // with what was before the newest change
};

// Whether the maps stand for that.
bool shows_change(const Model& model);

// What the newest change did, where that is asked for and both results can be laid beside each other; or why not.
struct Change {
  std::optional<SideBySide> both;
  const Difference* of_head = nullptr;  // of the one that is shown
  std::string words;                    // "+0.27 at most, output 21.3 %"
};

Change change_of(const Model& model, PanelMemory& memory);

// The map of the change in place of the result's, over the positions that both have.
void set_change_map(Ui& ui, const Model& model, PanelMemory& memory, const Change& change, HeatmapData& data);
// A cell of that map as one of the result.
CellAt in_result(const Change& change, CellAt at);
// What that takes of the header; 0 where nothing was changed.
float width_of_ask(const Ui& ui, const Model& model);
// Offers it beside the title, where there is room and something was changed.
void draw_ask_what_changed(Ui& ui, Rect room, const Model& model, Actions& actions);
// What the maps stand for, its words, and the way back.
void draw_change_line(Ui& ui, Rect line, const Change& change, Actions& actions);
// The scale of the map of a change, below it.
void draw_change_bar(Ui& ui, Rect box, const HeatmapData& data, const HeatmapResult& drawn);

}  // namespace headlight::app
