// An edit taken to other cells of the map that is shown: which one holds a cell, and what it becomes.
#pragma once

#include <optional>
#include <span>

#include "app/reading/slice.h"
#include "engine/variants/edits.h"

namespace headlight::app {

// The number, from 1, of the last edit that holds the selected cell and can be moved: one that covers all rows and
// columns that are shown has nowhere to go.
std::optional<Index> edit_to_move(const Step& step, const Focus& focus, std::span<const Edit> edits);

// The same edit so many rows and columns further on the map that is shown; that of a whole weight on one key puts it on
// another. Errors say which side it would leave, or why it cannot move that way.
Result<Edit> edit_moved(const Step& step, const Focus& focus, const Edit& edit, Index rows, Index columns);

}  // namespace headlight::app
