// The pictures of the window: the large heatmap with its labels, the thumbnails, the row bars, the colour bar, the
// pipeline's tiles and the stepper. Plain data in, what was pointed at out.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/render/map_painter.h"
#include "app/widgets/ui.h"

namespace headlight::app {

struct CellAt {
  Index row = 0;
  Index column = 0;
  bool operator==(const CellAt&) const = default;
};

// A map in a box. Large ones have gaps between cells and hatch what is masked; in small ones that would be noise:
// masked cells are their plain ground.
enum class MapSize { small, large };
void draw_map(Ui& ui, const MapData& map, Rect box, MapSize size, bool gaps = false, float opacity = 1);
// Leaves that part of the map, from a row and a column on.
void cut_map(MapData& map, Index row, Index column, Index rows, Index columns);

struct HeatmapData {
  MapData map;
  std::vector<std::string> row_labels;  // as shown; empty: numbers
  std::vector<std::string> column_labels;
  std::string row_name, column_name;  // "query i ↓"
  Role row_role = Role::none, column_role = Role::none;
  std::optional<Index> row, column;                  // selected
  std::optional<CellAt> pointed;                     // while another cell is pinned
  std::optional<CellAt> second;                      // pinned beside the selected one
  bool row_indexed = false, column_indexed = false;  // labels are words, and each has its number beside it
  Index first_row = 0, first_column = 0;             // of the part that is shown
  bool pinned = false;
  bool numbers = true;     // in cells that are large enough
  bool bare_rows = false;  // without labels at its left: those of the map beside it are its own
  std::function<std::string(Index row, Index column)> text = {};  // of a cell of the whole map, in the number's place
  std::vector<Index> column_groups;  // a stronger line before these columns (where a head begins)
  // Draws over the cells of the part that is shown, under what is selected.
  std::function<void(Rect map, const HeatmapData& shown)> over = {};
  bool pans = true;  // a drag moves the part that is shown
};
struct HeatmapResult {
  std::optional<CellAt> hovered;
  std::optional<CellAt> clicked;
  std::optional<CellAt> menu;                       // the right button went down on this cell
  std::optional<Index> menu_row;                    // or on the label of this row
  bool held = false;                                // the button went down on the map and is still down
  std::optional<std::pair<CellAt, CellAt>> marked;  // by a drag with Shift: where it began, and where it is
  Rect hovered_rect;                                // of the cell under the pointer
  Rect map;                                         // where the cells are, for what is aligned with them
  HeatmapData shown;                                // the part of the map that is in view
};
// Fits the map into the box, labels at its left and above. Ctrl and the wheel or + and − show less of it, larger, about
// the pointer; a drag moves it along, and with Shift marks a block; 0 or a double click shows all of it again.
HeatmapResult heatmap(Ui& ui, const std::string& path, Rect box, const HeatmapData& data);
// How much of its box the labels at the left take, px of the screen.
float row_label_room(const Ui& ui, const HeatmapData& data);

// Bars of one row under the map's columns.
void row_bars(Ui& ui, Rect map, float top, float height, const HeatmapData& data, Index row, Color32 color);

struct ColorBarData {
  std::string key = "color bar";  // two bars of one frame have two keys
  ValueRange range;
  Colormap colormap = Colormap::dusk;
  std::string words = {};            // "weight, linear, shared by all heads"
  std::string pooled = {};           // "1 px = 16×16, max", or empty
  bool masked = false;               // a hatch swatch
  std::optional<float> marked = {};  // ▼: uniform
};
void color_bar(Ui& ui, Rect box, const ColorBarData& data);
// Its ticks as it writes them: "10⁻³" below a tenth of a scale of powers of ten, "≤10⁻⁵" at its low end.
std::vector<ScaleTick> ticks_of_bar(const ValueRange& range);

// How large the map of a head is in such a box: as wide or as high as there is room, the other side by its shape.
struct ThumbnailSize {
  float width = 0, height = 0, room = 0;
};
ThumbnailSize thumbnail_size(const Ui& ui, Rect box, const MatrixView& cells);

struct ThumbnailData {
  MapData map;
  std::string number;
  std::string name;
  bool small_name = false;  // beside one that has no room to be larger
  bool current = false;
  std::optional<CellAt> selected;
  std::optional<CellAt> pointed;  // while another cell is pinned
};
struct ThumbnailResult {
  bool clicked = false;
  bool menu = false;  // the right button went down on it
  std::optional<CellAt> hovered;
  Rect hovered_rect;  // of that cell
};
ThumbnailResult head_thumbnail(Ui& ui, const std::string& path, Rect box, const ThumbnailData& data);

struct TileData {
  std::string title;
  std::vector<MapData> maps;          // side by side
  std::vector<Role> underlines;       // under each map; empty: none
  std::function<void(Rect)> instead;  // draws what stands in place of the first map, where that is a picture itself
  std::string shape;
  bool current = false;
  bool done = false;  // before the current one
  bool lit = false;   // a symbol that stands for it is pointed at
};
bool pipeline_tile(Ui& ui, const std::string& path, Rect box, const TileData& data);

struct StepperData {
  std::vector<std::string> titles;
  int current = 0;
  bool playing = false;
  std::string where = {};             // at the right; empty: "Step 3 of 7"
  std::string below = {};             // a note under that
  std::vector<float> thickness = {};  // of the line before each node, 0 to 1; empty: all alike
};
enum class Transport { none, first, back, play, next, last };
struct StepperResult {
  Transport pressed = Transport::none;
  int gone_to = -1;
};
StepperResult stepper(Ui& ui, const std::string& path, Rect box, const StepperData& data);

struct CellTip {
  struct Place {
    std::size_t index = 0;
    std::string label;  // as shown; empty: the number says it
    Role role = Role::none;
  };
  std::vector<Place> places;
  std::string value;  // "0.9666", "masked"
  Role role = Role::none;
  std::string line;  // "attention weights, head 3"
};

// Never over the cell's own row or column.
void cell_tip(Ui& ui, Rect cell, const CellTip& tip);

}  // namespace headlight::app
