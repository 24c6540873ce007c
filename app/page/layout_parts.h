// What the steps of a layout share: what was decided, what is made, and the small things that all of them place.
//
// Not for back ends: they see layout.h alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/page/layout.h"
#include "engine/picture/pooling.h"

namespace headlight::layout_parts {

// Light theme. Lengths in points.
inline constexpr Color text_1 = rgb(0x17181C);
inline constexpr Color text_2 = rgb(0x4E535D);
inline constexpr double margin = 6;
inline constexpr double title_gap = 6;       // between a title and a subtitle on the same line
inline constexpr double line_height = 1.45;  // of a line's size
inline constexpr double label_pitch = 1.04;  // from one label to the next, of their size
inline constexpr double label_gap = 3.5;     // between a label and its map
inline constexpr double panel_gap = 9;       // between panels; more where their titles need it
inline constexpr double small_gap = 3;       // between the small maps of a grid that is told by its sides alone
inline constexpr double own_bar_height = 5;  // of a panel's own bar
inline constexpr double own_bar_gap = 4;     // between a map and its own bar
inline constexpr double mark_gap = 0.45;     // between a panel's mark and its title, of their size
inline constexpr double line_width = 0.5;    // frames and ticks
inline constexpr double tick_gap = 3;        // the least between the numbers of two ticks
inline constexpr double tick_length = 2.5;
inline constexpr double side_bar_gap = 10;  // between the maps and a colour bar beside them
inline constexpr double footer_gap = 13;    // between the maps and the colour bar
inline constexpr double least_bar_width = 90;

// What has been decided before anything is placed. Sizes are those of the largest panel.
struct Plan {
  Index columns = 1;  // of panels
  Index rows = 1;
  Index cell_rows = 0, cell_columns = 0;
  bool rows_shared = true;  // all panels have the same labels: they stand once, at the left and at the top
  bool columns_shared = true;
  double label_size = 0;
  double left = 0;           // room for row labels and the gap after them
  double top = 0;            // room for column labels and the gap after them
  double headings = 0;       // room for the rows' titles, left of everything
  double title_height = 0;   // above each panel of the first row
  double lower_titles = 0;   // and of the rows below it: none where columns have titles, and panels no marks
  double title_text = 0;     // size of what stands there
  double gap = panel_gap;    // between panels side by side
  double below = panel_gap;  // and below each other
  bool of_many = false;      // small maps, close to each other
  bool unlabelled = false;   // so small that numbers of rows and columns stand in place of titles and labels
  double spare = 0;          // of a panel's room, right of its map
  TextLine title;
  TextLine subtitle;  // a lone panel's own title, after the figure's or below it
  bool subtitle_below = false;
  double header = 0;
  Block block;
  double cell_width = 0, cell_height = 0;
  double map_width = 0, map_height = 0;
  double number_size = 0;           // 0: no numbers in cells
  Extent extent;                    // of all panels' cells
  bool colored = false;             // there are colours to have a bar for
  bool own_bars = false;            // a bar below each map, because their ranges differ
  double bar_room = 0;              // for it
  BarPlace bar = BarPlace::below;   // where the bar and its words stand: never automatic
  double bar_column = 0;            // right of the maps, for a bar beside them and the gap before it
  std::vector<TextLine> bar_words;  // turned, beside that bar's numbers; none: they stand below the maps
};

struct Layout {
  const Figure& figure;
  const PageOptions& options;
  const FontSet& fonts;
  double grid;
  Plan plan;
  Page page;
};

// How large a panel is, in cells as large as the maps': a picture's pixels, and as much as bars and lines need.
struct Extents {
  Index rows = 0, columns = 0;
};

Extents extents_of(const Panel& panel);
// What rows and columns of small maps are: "layer ↓", "head →".
TextLine grid_name(const Layout& layout, bool of_rows);
// Where a panel's content stands, and what all of them span.
Box map_box(const Layout& layout, Index index);
Box panel_block(const Layout& layout);
// Whether the words of the scale stand below the maps.
bool has_scale_below(const Plan& plan);

// To the nearest multiple of the grid, and to one that is not larger but at least one.
double snapped(const Layout& layout, double length);
double snapped_down(const Layout& layout, double length);
void add_text(Layout& layout, TextLine line, Point at, Color color, Align align = Align::left,
              std::optional<LabelOf> label = {});
// Within the box, and round it.
void add_ring(Layout& layout, const Box& box, double width, Color color);
void add_frame(Layout& layout, const Box& box);
std::string label_at(const std::vector<std::string>& labels, Index position, Index first = 0);
// The first position whose label is shown where every `step`th is: numbers are its multiples.
Index first_label(Index step, Index first);

// Signed colour maps have zero in their middle, so that what lies as far on either side looks as strong.
Colormap colormap_of(const Figure& figure, const Panel& panel);
ValueRange range_of(const Figure& figure, const Panel& panel);
double tick_size(const Layout& layout);

// How many positions to go from one label to the next so that they do not overlap: any number between tokens, and 1, 2,
// 5, 10, 20, … between numbers.
Index label_step(double pitch, double label_size, bool numbered);
// Keeps of which words every so many stand; numbers name those between them too.
void note_labels(Index& kept, const std::vector<std::string>& labels, Index step);
Color role_color(Role role);
Pooling pooling(const ValueRange& range);

// A line of lines: as wide and as dense as its strength, from 0 to 1.
LineItem line_between(const Layout& layout, const Panel& panel, Point from, Point to, double strength, bool negative);

// ---- layout_plan.cpp

// Decides everything before anything is placed. Errors: the page has no room.
Status plan_layout(Layout& layout);
double title_size(const Layout& layout);
bool has_colors(const Panel& panel);
// What stands at the left of a panel, or above it.
bool has_labels(const Panel& panel, bool of_rows);
// "query ↓"
TextLine axis_line(const Layout& layout, const AxisName& axis, const char* arrow);
// How far the first label of cells finer than itself reaches beyond the map's corner, towards the axis names.
double corner_reach(double label_size, double cell);
// The title above a panel: its own, or in the first row its column's. Its width is with the mark.
std::string title_of(const Layout& layout, Index panel);
double title_width(const Layout& layout, Index panel);
// How far it may reach: into the gap after the panel, or what is free after the last.
double title_room(const Plan& plan, Index column);

// ---- panel_content.cpp

// What a panel shows, in its box; the numbers of its scale beside bars where `ticks`.
void place_content(Layout& layout, const Panel& panel, const Box& box, bool ticks);

// ---- legend.cpp

// The bar of a range with its ticks, as many as have room for their numbers, which stay within `reach` of the bar's
// ends.
void place_bar(Layout& layout, const Box& bar, const Panel& panel, double reach);
// How wide a bar beside the maps is with its numbers, so many turned lines of words and the gap before it.
double side_bar_width(const Layout& layout, int lines);
// The words of a bar so long, in so many lines: in full or in brief; none where that does not fit.
std::vector<TextLine> side_bar_words(const Layout& layout, double length, int lines);
// The bar beside the maps, as high as they are together, with its numbers and words.
void place_side_bar(Layout& layout);
// Whatever of the colour bar, its words and the swatches stands below `top`. Gives the page's bottom.
double place_footer(Layout& layout, double top, double left, double right);
// The right end of what is on the page: the maps', or further where the words need it and the page has it.
double content_right(const Layout& layout, double left);

}  // namespace headlight::layout_parts
