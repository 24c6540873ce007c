// A figure for a paper or a talk, as plain data: maps of one quantity on one scale, with the words around them.
//
// Not for where anything goes on the page: that is layout.h. Not for reading traces: whoever has one fills this in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/core/axis.h"
#include "engine/picture/colormap.h"
#include "engine/picture/matrix.h"
#include "engine/picture/value_range.h"

namespace headlight {

// One map: a head, or any matrix. −∞ is drawn masked and NaN as not a number (engine/picture/matrix.h).
struct Panel {
  MatrixView cells;
  std::string mark;   // "a" or "3", bold before the title; may be empty
  std::string title;  // "Induction"; may be empty
  // One a row and one a column, as UTF-8; none means that positions are numbered from 0.
  std::vector<std::string> row_labels;
  std::vector<std::string> column_labels;
};

// What rows or columns are, and the part they play, which colours the name.
struct AxisName {
  std::string name;
  Role role = Role::none;
};

struct Figure {
  std::string title;        // "Attention weights"; may be empty
  std::string description;  // for those who cannot see it; goes into the file, not on the page; may be empty
  std::vector<Panel> panels;
  int grid_columns = 0;  // panels side by side; 0 chooses
  ValueRange range;      // of all panels
  Colormap colormap = Colormap::dusk;
  std::string quantity;   // beside the colour bar: "attention weight"
  std::string shared_by;  // "shared by all 8 heads"; may be empty
  AxisName row_axis{"query", Role::query};
  AxisName column_axis{"key", Role::key};
};

// Lengths are points, 1/72 inch.
struct PageOptions {
  double width = 396;  // 5.5 inches, the text of a NeurIPS page. The most: fewer cells than fill it make it narrower
  double max_height = 648;  // 9 inches
  double pixels_per_inch = 300;
  double text_size = 8;  // of labels where there is room; they shrink to smallest_text before they are thinned
  double smallest_text = 5;
  bool cell_numbers = true;  // where cells are large enough
};

struct FontFiles {
  std::filesystem::path regular;
  std::filesystem::path semibold;
  std::filesystem::path mono;      // numbers
  std::filesystem::path fallback;  // for the characters that the others lack
};

// Inter, JetBrains Mono and DejaVu Sans in the folder that the build gathers fonts in.
FontFiles font_files_in(const std::filesystem::path& folder);

// Draws a figure as a PNG, without a display. The same figure, options and fonts give the same bytes.
// Errors: no panel, a panel without cells or with another number of labels than rows or columns, a range that is not
// linear, options out of bounds, a font that cannot be read.
Result<std::string> render_png(const Figure& figure, const PageOptions& options, const FontFiles& fonts);

}  // namespace headlight
