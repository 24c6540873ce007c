#include "app/formula/formula_grid.h"

#include <algorithm>
#include <utility>

namespace headlight {

namespace {

// Lengths that LaTeX's article at 10pt and amsmath set, in em of the formula.
constexpr double strut_height = 0.84, strut_depth = 0.36;  // of a line of text
constexpr double cases_stretch = 1.2;
constexpr double column_gap = 1, pair_gap = 2;
constexpr double line_distance = 1.5, least_line_gap = 0.3, crowded_line_gap = 0.4;  // of gathered and aligned lines

struct Extent {
  double height = 0, depth = 0;
};

std::vector<Extent> extents_of(const std::vector<GridLine>& lines, double stretch) {
  std::vector<Extent> made;
  for (const GridLine& line : lines) {
    Extent extent{stretch * strut_height, stretch * strut_depth};
    for (const MathBox& cell : line.cells)
      extent = {std::max(extent.height, cell.height), std::max(extent.depth, cell.depth)};
    made.push_back(extent);
  }
  return made;
}

std::vector<double> widths_of(const std::vector<GridLine>& lines) {
  std::vector<double> made;
  for (const GridLine& line : lines)
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (made.size() <= i) made.push_back(0);
      made[i] = std::max(made[i], line.cells[i].width);
    }
  return made;
}

// From one baseline to the next.
double distance(Extent upper, Extent lower, bool display) {
  const double touching = upper.depth + lower.height;
  if (!display) return touching;
  return line_distance - touching < least_line_gap ? touching + crowded_line_gap : line_distance;
}

double gap_before(std::size_t column, std::string_view environment) {
  if (column == 0) return 0;
  if (environment != "aligned") return column_gap;
  return column % 2 == 0 ? pair_gap : 0;
}

// The share of a column's free width that is left of a cell.
double share_before(std::size_t column, std::string_view environment) {
  if (environment == "cases") return 0;
  if (environment == "aligned") return column % 2 == 0 ? 1 : 0;
  return 0.5;
}

}  // namespace

bool is_in_display_style(std::string_view environment) {
  return environment == "gathered" || environment == "aligned";
}

MathBox grid_box(std::vector<GridLine> lines, std::string_view environment) {
  const std::vector<double> widths = widths_of(lines);
  const std::vector<Extent> extents = extents_of(lines, environment == "cases" ? cases_stretch : 1);
  MathBox made;
  double y = 0;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    if (line > 0)
      y += lines[line - 1].gap + distance(extents[line - 1], extents[line], is_in_display_style(environment));
    double x = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      x += gap_before(i, environment);
      if (i < lines[line].cells.size()) {
        MathBox& cell = lines[line].cells[i];
        const double left = x + share_before(i, environment) * (widths[i] - cell.width);
        add_box(made, std::move(cell), left, y);
      }
      x += widths[i];
    }
    made.width = x;
  }
  made.height = extents.front().height;
  made.depth = y + extents.back().depth;
  return made;
}

}  // namespace headlight
