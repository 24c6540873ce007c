// The letters of the formulas, for columns of numbers that have no room for titles.
#pragma once

#include "engine/trace/trace.h"

namespace headlight {

// Gives a complete run its letters, where its steps have not said their own.
void give_letters(Trace& trace);

}  // namespace headlight
