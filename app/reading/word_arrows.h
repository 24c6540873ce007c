// Rows of a step as arrows in a plane: two channels as they are, more along the two directions that keep most of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/slice.h"
#include "engine/variants/edits.h"

namespace headlight::app {

struct WordArrow {
  const Step* of = nullptr;
  Index row = 0;       // of the step's slice
  Index position = 0;  // along its axis of queries or keys
  AxisRole along = AxisRole::query;
  double x = 0, y = 0;
  std::string label;
};

struct WordArrows {
  std::vector<WordArrow> all;
  int asks = -1, answers = -1;  // in all: the selected query's, and the selected key's where the two are multiplied
  bool mixes = false;           // the asker is the weighted sum of the others
  Index channels = 2;
  double kept = 1;                     // share of the squared lengths that lies in the plane
  std::optional<double> product = {};  // of the asker and the answerer, in all channels
};

// Whether a step, or what a map of pairs was made of, is rows of two or more channels, not too many to be told apart.
bool has_word_arrows(const Trace& trace, const Step& step);

// Scores and weights show their keys and the selected query; queries and keys that are multiplied show each other; a
// weighted sum shows what it adds up, and itself at the selected query; any other step its own rows. Nothing where
// has_word_arrows() is false. Rows with a number that is not finite have no arrow.
std::optional<WordArrows> word_arrows(const Trace& trace, const Step& step, const Focus& focus);

// The edit that puts the tip of an arrow of two channels there. Of an input whose numbers the row merely repeats, it is
// the input's. Nothing where there are more channels.
std::optional<Edit> arrow_moved(const Trace& trace, const WordArrow& arrow, const Focus& focus, double x, double y);

}  // namespace headlight::app
