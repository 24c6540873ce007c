// What the page round the program tells it, and what it is asked: the other end of page.js.
//
// Not for what is drawn. Lengths are px of the canvas.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "app/platform/input.h"

namespace headlight::app {

// What came since it was asked last.
struct BrowserEvents {
  Input input;
  std::vector<std::filesystem::path> dropped;
  int width = 0, height = 0;  // of the canvas
  float ratio = 1;            // px of the canvas for one of the page
  bool received = false;      // since the last frame began
  // Of the window: how many frames it needs whatever comes, and when the next one is due otherwise, in seconds of its
  // clock.
  int owed = 0;
  double due = std::numeric_limits<double>::infinity();
};
BrowserEvents& browser_events();

// Milliseconds until the window's next frame is due: 0 for at once; below 0 where none is.
double next_frame_in();

// ---- What the page does

void page_title(const std::string& title);
void page_cursor(bool over_text);
// Without what stands behind "?" and "#".
std::string page_address();
void page_clipboard(const std::string& text);
// Text is typed now, or is not: what a page of touch shows its keyboard for.
void page_types(bool types);
void page_fills_screen(bool fills);
// Whether long work can let the page go on (JavaScript Promise Integration), and does.
bool page_can_pause();
void page_pause();

}  // namespace headlight::app
