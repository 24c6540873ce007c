// Windows of a picture, shifted in a circle (Liu et al. 2021, section 3.2).
#pragma once

#include <optional>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight {
struct Problem;
}

namespace headlight::mechanism {

struct WindowGroups {
  Index rows = 0, columns = 0;  // of the picture
  Index side = 1, shift = 0;
  std::vector<Index> group;   // of each pixel: those of one number see each other
  std::vector<Index> window;  // of each pixel: those of one number are computed together, whether or not they do
  Index only = -1;            // the one pixel that asks; −1: all do

  // The pixel that a pixel's key of that number is: its place in the window.
  Index pixel(Index asks, Index key) const;
};
// Whether they are shifted at all.
bool shifts_windows(const Problem& problem);
std::optional<WindowGroups> window_groups(const Problem& problem, const Trace& trace);

}  // namespace headlight::mechanism
