// What can be set by hand at the place that is looked at: the interventions that attention invites (a head switched
// off, made uniform, all on one key, an edge cut), a number of one cell, and an edit taken to other cells.
//
// Not for what an edit does: engine/variants/edits.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/reading/slice.h"
#include "engine/variants/edits.h"

namespace headlight::app {

struct EditOffer {
  std::string id;     // "head-off"
  std::string label;  // "Switch head 3 off"
  std::string about;  // "its output is set to 0"
  Edit edit;
  bool of_head = false;  // of the whole head
  bool of_row = false;   // of all keys of the query
};

// In the order in which they are offered, with those alone that fit the run. With a query and a key selected there are
// more.
std::vector<EditOffer> edits_offered(const Trace& trace, const Step& step, const Focus& focus);

// Whether a step's own numbers can be set: a gradient follows from those of the run.
bool can_be_set(const Step& step);

// The scores in which −∞ cuts a pair from the map, whether a mask is laid over them or not: the last ones before the
// mask. Null where the map is made of no scores.
const Step* scores_to_cut(const Trace& trace, const Step& map);

// The flat place of the cell that is selected, where the step shows one.
std::optional<Index> cell_looked_at(const Step& step, const Focus& focus);
// The selection moved so many rows and columns of what is shown, as far as it goes.
Selection moved_selection(const Step& step, const Focus& focus, const Selection& from, int rows, int columns);
// One cell, set to a number. Where one query of many was computed, its place is that among all.
Edit edit_of_cell(const Step& step, Index cell, double value);
// All cells of the block between two, those included, set to one number.
Edit edit_of_cells(const Step& step, Index first, Index last, double value);

// Numbers copied from a spreadsheet, laid over the map that is shown from the selected cell on: rows by lines, columns
// by tabs, else by semicolons, commas or spaces; a comma within tabs or semicolons is a decimal one. Errors say what
// does not fit.
Result<Edit> edit_of_block(const Step& step, const Focus& focus, std::string_view text);

// "weights, head 3 made uniform", or the array's id alone where the run has no such array.
std::string edit_in_words(const Trace* trace, const Edit& edit);

// ---- An edit taken to other cells of the map that is shown

// The number, from 1, of the last edit that holds the selected cell and can be moved: one that covers all rows and
// columns that are shown has nowhere to go.
std::optional<Index> edit_to_move(const Step& step, const Focus& focus, std::span<const Edit> edits);

// The same edit so many rows and columns further on the map that is shown; that of a whole weight on one key puts it on
// another. Errors say which side it would leave, or why it cannot move that way.
Result<Edit> edit_moved(const Step& step, const Focus& focus, const Edit& edit, Index rows, Index columns);

}  // namespace headlight::app
