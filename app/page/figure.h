// A figure for a paper or a talk, as plain data: maps of one quantity on one scale, with the words around them.
//
// Not for where anything goes on the page: that is layout.h. Not for reading traces: whoever has one fills this in.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/text/font_files.h"
#include "engine/core/axis.h"
#include "engine/picture/colormap.h"
#include "engine/picture/image.h"
#include "engine/picture/matrix.h"
#include "engine/picture/overlay.h"
#include "engine/picture/value_range.h"

namespace headlight {

// How a panel shows its cells: as colours; as colours over a picture; one row of them as bars; or as lines from the
// row's label at the left to the column's at the right, each as strong as its cell.
enum class PanelKind { map, picture, bars, lines };

struct CellPlace {
  Index row = 0, column = 0;
  Index rows = 1, columns = 1;  // of a block of them
};

// One panel: a head, or any matrix. −∞ is drawn masked and NaN as not a number (engine/picture/matrix.h).
struct Panel {
  MatrixView cells;
  MatrixView numbers;  // what is saved beside the figure where it is not the cells: weights of 0 that are drawn masked
  std::string mark;    // "a" or "3", bold before the title; may be empty
  std::string title;   // "Induction"; may be empty
  // One a row and one a column, as UTF-8; none means that positions are numbered, from the first row and column.
  std::vector<std::string> row_labels;
  std::vector<std::string> column_labels;
  Index first_row = 0, first_column = 0;
  std::optional<ValueRange> range;    // its own, with a bar of its own below it; else the figure's
  std::optional<Colormap> colormap;   // where it is not the figure's: with a range of its own
  std::vector<CellPlace> highlights;  // framed, in maps; on a picture's grid the query and then the key
  bool query_marked = true;           // on a picture: whether the first of them is the query
  PanelKind kind = PanelKind::map;
  std::shared_ptr<const Image> picture;  // for PanelKind::picture, which has no labels
  Grid picture_grid{1, 0, 0};            // its cells, of which each may have several pixels; 0: a pixel is a cell
  OverlayPlace place;                    // of the cells on that grid
  std::optional<Index> solid_row;        // of lines: the others are faint
  // Where a cell's row and column lie, in words, where that is neither their label nor their number: "4, 2" and
  // "−1, +2 · pixel 3, 4". Empty says nothing.
  std::function<std::pair<std::string, std::string>(Index row, Index column)> places;
  bool other_keys = false;  // each row has keys of its own, the places of a window: `places` alone says which
};

inline const MatrixView& numbers_of(const Panel& panel) {
  return panel.numbers.empty() ? panel.cells : panel.numbers;
}

// What rows or columns are, and the part they play, which colours the name.
struct AxisName {
  std::string name;
  Role role = Role::none;
  bool by_hand = false;  // somebody's own word, of which nobody knows the plural
};

struct Figure {
  std::string title;                 // "Attention weights"; may be empty
  std::string remark;                // a sentence on what heads do not do here, for caption and description
  std::string description;           // for those who cannot see it; goes into the file, not on the page; may be empty
  std::string recipe;                // JSON that the figure can be made from again; goes into the file; may be empty
  std::optional<std::int64_t> time;  // seconds since 1970, UTC; without it the file says no date
  std::vector<Panel> panels;
  int grid_columns = 0;  // panels side by side; 0 chooses
  // Of a grid with that many columns, in place of the panels' own titles: above its first row, and left of its rows.
  std::vector<std::string> column_titles, row_titles;
  // The same in short, for maps too small to have labels: what rows and columns are, and the number of each.
  std::string rows_are, columns_are;  // "layer", "head"; may be empty
  std::vector<std::string> row_numbers, column_numbers;
  ValueRange range;  // of all panels that have none of their own; signed maps have zero in the middle
  Colormap colormap = Colormap::dusk;
  std::string quantity;           // beside the colour bar: "attention weight"
  std::string bar_label;          // all of the words beside the bar, where they are given; else they tell of the scale
  std::string shared_by;          // "shared by all 8 heads"; may be empty
  std::string masked = "masked";  // what hatched cells are
  bool blank_masked = false;      // they are left blank instead
  std::string query;              // whose row or picture it is, for the words: "query “cat”", "the query at 3, 4"
  std::string key;                // of whose weights it is that all queries give it: "“cat”"; may be empty
  AxisName row_axis{.name = "query", .role = Role::query};
  AxisName column_axis{.name = "key", .role = Role::key};
};

// Whether numbers lie beyond their panel's scale, whose ends they are drawn as.
bool is_clipped(const Figure& figure);

enum class CellNumbers { none, top, all };

// Where the colour bar that panels share stands. automatic: beside them where it is high enough to be read and hardly
// costs them size, else below. none: what the bar says is said elsewhere, and "masked" with it; panels that differ in
// range keep a bar each all the same.
enum class BarPlace { automatic, beside, below, none };

// Lengths are points, 1/72 inch.
struct PageOptions {
  double width = 396;        // 5.5 inches, the text of a NeurIPS page. The most: few cells make the page narrower
  bool exact_width = false;  // the page is as wide as `width`, to the pixel, with few cells in its middle
  double max_height = 648;   // 9 inches
  double pixels_per_inch = 300;
  double text_size = 8;      // of labels where there is room; they shrink to smallest_text before they are thinned
  double smallest_text = 5;  // no text on the page is smaller
  bool transparent = false;  // no ground below the figure
  bool grid = false;         // lines of the ground between cells, where cells are large enough
  CellNumbers cell_numbers = CellNumbers::none;  // where cells are large enough; top: the greatest of each row
  int top_numbers = 3;
  BarPlace bar = BarPlace::automatic;
};

// Widths that venues ask for.
struct WidthPreset {
  std::string_view id;
  std::string_view name;
  double points = 0;
};
inline constexpr double points_per_inch = 72;
inline constexpr double points_per_mm = points_per_inch / 25.4;
inline constexpr std::array width_presets{
    WidthPreset{"neurips", "NeurIPS, full width", 5.5 * points_per_inch},
    WidthPreset{"iclr", "ICLR, full width", 5.5 * points_per_inch},
    WidthPreset{"icml-column", "ICML, one column", 3.25 * points_per_inch},
    WidthPreset{"icml", "ICML, full width", 6.75 * points_per_inch},
    WidthPreset{"acl-column", "ACL, one column", 3.3 * points_per_inch},
    WidthPreset{"acl", "ACL, full width", 6.8 * points_per_inch},
    WidthPreset{"cvpr-column", "CVPR, one column", 3.25 * points_per_inch},
    WidthPreset{"cvpr", "CVPR, full width", 6.875 * points_per_inch},
    WidthPreset{"aaai-column", "AAAI, one column", 3.3 * points_per_inch},
    WidthPreset{"aaai", "AAAI, full width", 7 * points_per_inch},
    WidthPreset{"ieee-column", "IEEE, one column", 3.5 * points_per_inch},
    WidthPreset{"ieee", "IEEE, full width", 7.16 * points_per_inch},
    WidthPreset{"nature-column", "Nature, one column", 89 * points_per_mm},
    WidthPreset{"nature", "Nature, full width", 183 * points_per_mm},
    WidthPreset{"science-column", "Science, one column", 57 * points_per_mm},
    WidthPreset{"science-two", "Science, two columns", 121 * points_per_mm},
    WidthPreset{"science", "Science, full width", 184 * points_per_mm},
};

enum class FigureFormat { png, svg, pdf, pgf };
inline constexpr std::array all_figure_formats{FigureFormat::png, FigureFormat::svg, FigureFormat::pdf,
                                               FigureFormat::pgf};

// One file of a figure; the name is relative to where the figure is to be.
struct FigureFile {
  std::string name, bytes;
  std::string note = {};  // of the first: what its words leave unsaid, "Labels name one key in 9."; may be empty
};

// Draws a figure, without a display. The first file is `stem` with the format's extension; for PGFPlots the data
// follow. The same figure, options and fonts give the same bytes. Errors: no panel, a panel without cells or with
// another number of labels than rows or columns, a range that is not linear, options out of bounds, a font that cannot
// be read.
Result<std::vector<FigureFile>> render_figure(const Figure& figure, const PageOptions& options, const FontFiles& fonts,
                                              FigureFormat format, const std::string& stem);

// What render_figure() gives as PNG.
Result<std::string> render_png(const Figure& figure, const PageOptions& options, const FontFiles& fonts);

// ".pdf"
std::string extension_of(FigureFormat format);
// The format that a file's extension asks for. Errors: none does.
Result<FigureFormat> figure_format_of(const std::filesystem::path& file);

// SOURCE_DATE_EPOCH of the environment, for Figure::time; none where it is not set. Errors: it is no number of seconds.
Result<std::optional<std::int64_t>> source_date();

// The recipe in a PNG, SVG, PDF or .tex that render_figure() made.
// Errors: another kind of file, a damaged one, or one without a recipe.
Result<std::string> recipe_of(std::string_view bytes);

}  // namespace headlight
