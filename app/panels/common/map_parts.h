// What maps of steps have in common wherever they are drawn: labels, what is selected, and that a run is under way.
#pragma once

#include "app/panels/common/shown.h"

namespace headlight::app {

// The large map of a slice with its labels and what is selected, without what is pointed at.
HeatmapData labelled_map(PanelMemory& memory, const Trace& trace, const Slice& slice, const Selection& selection,
                         MapData map);
// The colour bar of a map, which has a key of its own.
ColorBarData map_scale(const MapData& map, std::string key, std::string words);
// A thin bar that moves while a run takes longer than a blink; old values dim.
void draw_busy(Ui& ui, Rect box, const Model& model);
// Where there is nothing to show: the two ways to begin, side by side, below that point.
void draw_ways_to_begin(Ui& ui, Point middle, Actions& actions);

}  // namespace headlight::app
