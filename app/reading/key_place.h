// Where a key or a query lies, in the one way in which the window, figures and worksheets say it: keys of a window
// round the query by where they lie from it and by the pixel that is, those of a window that several queries share by
// the pixel, pooled keys by the pixels that they stand for, all others by their own place. And the keys of one query on
// a picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/reading/slice.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

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

// "−2", "0", "1".
std::string signed_text(Index number);
// "−2", "0", "+1": how far a row or a column lies from that of its query.
std::string offset_text(Index offset);

// `step` has keys along its axis n_k, which have the words of that item of the batch; `query` is flat on the queries'
// own grid, and matters only in a window.
KeyPlace key_place(const Trace& trace, const Step& step, Index key, std::optional<Index> query, Index item);

// What the rows and columns of a picture of keys are called where each stands for several of the queries' own, "6–7";
// both are empty where they are those, or no keys of a picture.
struct SpanLabels {
  std::vector<std::string> rows, columns;
};
SpanLabels span_labels(const Trace& trace, const Slice& keys);

// What a position along an axis of a step is called: a key by its place for the query, all others by their label in
// that item of the batch.
std::string name_along(const Trace& trace, const Step& step, const Axis* axis, Index position,
                       std::optional<Index> query, Index item);

// A cell of a slice by its row and column, "sat→on"; on a picture of keys as key_place() says, "−1, 0". `selected` has
// the query whose keys they are.
std::string cell_in_words(const Trace& trace, const Slice& slice, Index row, Index column, const Selection& selected,
                          const char* between);

// The position along n_q that a cell of a step belongs to, on the queries' own grid; nothing where it has none.
std::optional<Index> query_of(const Step& step, Index cell);
// "9" of a token, "7, 3" of a pixel: the query of a cell, as rows of matrices are named.
std::string query_text(const Step& step, Index cell);

// "6", or "6–7" of several.
std::string span_text(Index first, Index count);

// "Weighted values, head 3, query 9, channel 0": which cell an operand is, in the words of that item of the batch; its
// label where it is none of the run's.
std::string operand_in_words(const Operand& operand, const Trace& trace, Index item);

// ---- The picture that positions lie on

// The id of the input whose positions they are, by its axes; the first where none is.
std::string input_of_positions(const Problem& problem, const Axis* positions);
// The pictures of that input; where it has none, those of the first that has, if the positions lie on as many cells or
// on blocks of them. Null where there are none.
const Pictures* pictures_of_positions(const Problem& problem, const Axis* positions);
// Whether both lie on one picture, so that a place of one is a place of the other.
bool share_a_picture(const Problem& problem, const Axis& queries, const Axis& keys);

// ---- Keys on a picture by where they lie from their query

// A picture of keys around a query: how far the first row and column lie from it.
struct Offsets {
  Tensor cells;  // (rows, columns); masked_value where no key lies so far from this query
  Index first_row = 0, first_column = 0;
};

// Positions that meet the query by two tables of vectors, one for each offset in rows and one in columns, of half the
// channels each.
struct RelativeTables {
  const Step* rows = nullptr;  // (offsets, channels)
  const Step* columns = nullptr;
  const Step* scores = nullptr;  // what they give: the first scores that read positions
};
std::optional<RelativeTables> relative_tables(const Trace& trace);

// "row" or "col" of such a table, and of what was gathered from it for each pair; empty of any other step.
std::string side_of(const Trace& trace, const Step& step);

// Where the keys of a step lie at places of the queries' own grid, or in a window around each query. The slice must be
// a picture of keys. Over a whole picture of H × W cells: (2H − 1, 2W − 1), the query in the middle. In a window: the
// window. Errors: keys that are pooled lie on another grid.
Result<Offsets> offsets_of(const Slice& keys, Index query);

}  // namespace headlight::app
