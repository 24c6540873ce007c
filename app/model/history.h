// What undo keeps, and how much memory that may take.
#pragma once

#include <cstddef>

#include "app/model/model.h"

namespace headlight::app {

inline constexpr std::size_t longest_history = 4000;                    // entries
inline constexpr std::size_t largest_history = std::size_t{256} << 20;  // bytes

// Adds the newest entry, which stays whatever it holds, and drops the oldest beyond those bounds. Nothing is left to
// redo.
void push(Model& model, HistoryEntry entry, bool open);

// Bytes that entries of undo hold besides the document; what they share is counted once.
std::size_t bytes_held(const Model& model);

}  // namespace headlight::app
