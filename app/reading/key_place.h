// Where a key or a query lies, in the one way in which the window, figures and worksheets say it: keys of a window by
// where they lie from the query and by the pixel that is, pooled keys by the pixels that they stand for, all others by
// their own place.
#pragma once

#include <optional>
#include <string>

#include "engine/trace/trace.h"

namespace headlight::app {

struct KeyPlace {
  std::string at;                        // "3, 11"; "−2, +1" of a window; "6–7, 24–25" of pooled keys; "cat"
  std::string pixel = {};                // of a window: "pixel 3, 11", or "outside the picture, row −1"
  bool outside = false;                  // the picture
  Index row = 0, column = 0, frame = 0;  // of its pixel, or of the first that it stands for
  Index rows = 1, columns = 1;           // that it stands for

  // "−2, +1 · pixel 3, 11"
  std::string in_full() const { return pixel.empty() ? at : at + " · " + pixel; }
};

// `step` has keys along its axis n_k; `query` is flat on the queries' own grid, and matters only in a window.
KeyPlace key_place(const Trace& trace, const Step& step, Index key, std::optional<Index> query);

// The position along n_q that a cell of a step belongs to, on the queries' own grid; nothing where it has none.
std::optional<Index> query_of(const Step& step, Index cell);
// "9" of a token, "7, 3" of a pixel: the query of a cell, as rows of matrices are named.
std::string query_text(const Step& step, Index cell);

// "+2", "−1", "0"
std::string offset_text(Index offset);

// "Weighted values, head 3, query 9, channel 0": which cell an operand is; its label where it is none of the run's.
std::string operand_in_words(const Operand& operand, const Trace& trace);

}  // namespace headlight::app
