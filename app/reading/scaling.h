// How the numbers of a step become colours, in the window and in figures: between which bounds, spaced how, and for
// which heads alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/slice.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

// What a person chose.
struct Scaling {
  enum class Space { automatic, linear, logarithmic } space = Space::automatic;
  bool per_head = false;  // each head between bounds of its own
  bool operator==(const Scaling&) const = default;
};

// All that can be chosen, in the order of the list.
struct ScalingChoice {
  const char* title;
  Scaling scaling;
};
const std::vector<ScalingChoice>& scaling_choices();
// Whether powers of ten make sense: only where nothing lies below zero.
bool can_be_logarithmic(const Step& step, Index batch);

// The bounds of a step's numbers for one head, or of one query's rows alone.
//
// Left to itself, a score or an activation is linear about 0 out to the step's greatest magnitude. Weights are linear
// from 0 to the greatest, rounded up to the next tick, ticks being 1, 2 or 5 times a power of ten apart; over 100 keys
// or more they are by powers of ten down to the least, but no further than one below a uniform weight, 1 / n_k.
ValueRange shown_range(const Step& step, Index batch, Index head, const Scaling& scaling,
                       std::optional<Index> query = {});
// What the rows of one query in all heads, or in one, lie between; all cells where the step has no such rows.
Extent extent_of_rows(const Step& step, Index batch, std::optional<Index> head, Index query);
// The query whose row alone is shown, as the picture of its keys.
std::optional<Index> query_alone(const Step& step, const Focus& focus);

// What of a step its scale depends on, besides its numbers.
struct Scaled {
  Kind kind = Kind::probability;
  Index keys = 1;
};
Scaled scaled_by(const Step& step);
// The same bounds, of numbers between which there are these.
ValueRange shown_range(const Scaled& of, const Extent& extent, const Scaling& scaling);

// "log, each head by itself": as a colour bar says it; empty where there is but one head.
std::string scaling_in_words(const Step& step, const Scaling& scaling, const ValueRange& range);

}  // namespace headlight::app
