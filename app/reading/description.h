// A step in a few short sentences, for a screen reader, a caption or a chat: what it is, what is looked at, what stands
// out, and where the chosen number comes from. Every number is the trace's.
#pragma once

#include <string>

#include "app/reading/slice.h"

namespace headlight::app {

// Of the item, head and frame of the focus; where its selection has a query, of that row, and with a key or a channel
// of that cell. Lines of plain text, each of one sentence or two.
std::string describe(const Trace& trace, const Step& step, const Focus& focus);

}  // namespace headlight::app
