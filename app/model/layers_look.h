// How the heads of many layers are looked at together, be they of a model that runs or of attention that was saved.
#pragma once

#include "app/model/head_order.h"

namespace headlight::app {

// How a measure shows on the heads: a ring round those that reach a bound, a list in its order, not at all.
enum class HeadMarks { ring, sort, off };
// maps: every head; token: the row of one query in every head; rollout and average: a map a layer; measure: every head
// in the colour of its number.
enum class LayersView { maps, token, rollout, average, measure };

struct LayersLook {
  HeadOrder measure = Measure::induction;
  HeadMarks marks = HeadMarks::ring;
  double from = 0.3;  // heads whose measure reaches it have a ring
  LayersView view = LayersView::maps;
  bool operator==(const LayersLook&) const = default;
};

}  // namespace headlight::app
