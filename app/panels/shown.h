// What the panels show of the model, put together once a frame: which step, which cells, which colours.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/panels/contrast.h"
#include "app/panels/menu.h"
#include "app/panels/palette.h"
#include "app/panels/present_memory.h"
#include "app/reading/costs.h"
#include "app/reading/head_measures.h"
#include "app/reading/mask_layers.h"
#include "app/state/action.h"
#include "app/state/exports.h"
#include "app/state/figure_preview.h"
#include "app/state/worksheet_preview.h"
#include "app/widgets/controls.h"
#include "app/widgets/views.h"
#include "engine/picture/image.h"
#include "engine/picture/overlay.h"

namespace headlight::app {

using Actions = std::vector<Action>;

// Lasts between frames: copies of cells whose masked weights are hatched, kept until there is a new trace.
class CellCache {
 public:
  // The map of a step's picture, with the range and colours of all its heads.
  MapData map(const Ui& ui, const Model& model, const Step& step, Index head) {
    return map(ui, model, step, head, model.document.look.frame);
  }
  // The same of another frame of a video.
  MapData map(const Ui& ui, const Model& model, const Step& step, Index head, Index frame);
  // The bounds of its numbers, as they were chosen.
  ValueRange range(const Model& model, const Step& step, Index head);

 private:
  // All that bounds depend on.
  struct RangeOf {
    std::uint64_t run = 0;
    std::string step;
    Index batch = 0, head = 0;
    Scaling scaling;
    bool operator==(const RangeOf&) const = default;
  };
  struct Kept {
    std::shared_ptr<const Tensor> owner;
    MatrixView cells;
    NumbersOf numbers;
  };
  std::uint64_t ticket_ = 0;
  Index batch_ = 0;
  std::map<std::tuple<std::string, Index, Index>, Kept> kept_;                      // by step, head and frame
  std::map<std::pair<std::string, Index>, std::pair<RangeOf, ValueRange>> ranges_;  // by step and head
};

// Which picture: its pixels, and which of several.
struct PictureOf {
  std::uint64_t run = 0;          // of a feature map: the result that it is the input of
  std::uint64_t fingerprint = 0;  // of all pixels that were given
  std::size_t item = 0;           // batch item or frame
  bool operator==(const PictureOf&) const = default;
};

// All that a picture in grey, which numbers are laid over, depends on.
struct GroundOf {
  PictureOf picture;
  bool dark = false;
  Index width = 0, height = 0;
  bool operator==(const GroundOf&) const = default;
};

// All that a picture depends on as it is drawn.
struct ComposedOf {
  PictureOf picture;
  bool cells = false;  // its cells, not what people see
  bool over = false;   // in grey with numbers over it; what follows is theirs
  bool dark = false;
  NumbersOf numbers;
  OverlayPlace place;
  ValueRange range;
  Colormap colormap = Colormap::dusk;
  Index width = 0, height = 0;
  bool operator==(const ComposedOf&) const = default;
};

// A picture as it was drawn, kept until something of it changes; and what numbers are laid over, which changes less.
struct ComposedPicture {
  ComposedOf of;
  Image image;
  std::uint64_t stamp = 0;
  GroundOf ground_of;
  Image ground;
};

// A feature map that was given as an array, its channels' mean in grey.
struct FeaturePicture {
  PictureOf of;
  Image image;
  Index channels = 0;
};

// Position scores laid out by offset, for the query that they are of.
struct OffsetScores {
  NumbersOf of;
  Tensor cells;
};

// What the dialogs that open and save remember.
struct FileDialog {
  enum class Source { folder, recent, examples };
  Source source = Source::folder;
  std::string folder;           // that is shown
  std::string asked;            // of the session last: a folder
  std::string peeked;           // a file, of the session last
  std::string typed;            // in the field
  std::string chosen;           // path of the row that is lit; empty: none
  bool takes_keyboard = false;  // the field, in the next frame
};

// Which array of a file is to be the input, while it is asked.
struct ArrayChoice {
  std::size_t index = 0;
  std::string axes;
};
// Which layer of a state dict is opened, while it is asked.
struct LayerChoice {
  std::size_t place = 0;  // among the layouts that fit
  Index layer = 0;        // among its layers
  Index heads = 0;        // 0: not said yet
};

// Of the stops of a model that are no layer.
struct NetworkEndMemory {
  Index channel = 0;                                        // of the residual stream, whose number is told
  std::size_t rank = 0;                                     // of the likeliest tokens at a place, whose number is told
  std::tuple<std::uint64_t, Index, Index> told{0, -1, -1};  // run, place and token whose softmax is told: it reads all
  std::string words;
};

// The lines that are drawn, kept until the numbers or what is left out of them change: lines_view.cpp.
struct LinesKept;

// A token that is being put in: it is typed where it will stand.
struct TokenTyping {
  TokenAt token;
  std::string typed;
};

// Where the strip of steps was brought to show the current one, and in how much room.
struct StripAt {
  int stage = -1;
  float room = 0, length = 0;  // px of the screen
  bool operator==(const StripAt&) const = default;
};

// The rows of the report on heads, kept until something of it changes.
struct HeadRows {
  std::uint64_t ticket = 0;
  std::shared_ptr<const HeadMeasures> measures;
  HeadTable table;
  std::vector<Index> order;    // those that are shown
  std::optional<Found> found;  // by what was typed
};

// What the mask laboratory keeps: the mask that is shown, taken apart, and how it is painted on.
struct MaskLab {
  struct Of {
    std::uint64_t run = 0;
    Index batch = -1, head = -1;
    bool operator==(const Of&) const = default;
  };
  Of of;
  std::shared_ptr<const MaskReading> mask;
  NumbersOf weights_of;
  MatrixView weights;
  std::shared_ptr<const Tensor> weights_owner;
  enum class Tool { brush, box, row, column, diagonal, look } tool = Tool::brush;
  bool hide = true;                  // else it shows
  std::optional<CellAt> from, last;  // of the stroke under way
  std::optional<std::size_t> lit;    // the layer that is pointed at
  MaskForm form = MaskForm::visible;
  std::optional<Index> block;  // side of those that a kernel may leave out; none: by the size of the mask
};

// What the pictures of mechanisms keep: mechanism_parts.h.
struct MechanismMemory;

// The prices of a run at other sizes, kept until another is shown: each is a run without numbers.
struct CostsKept {
  std::optional<std::uint64_t> run;
  CostChart chart;
};

// Lasts between frames: what only the panels need to remember.
struct PanelMemory {
  UiMemory ui;
  CellCache cells;
  std::map<std::string, ComposedPicture> pictures;  // by key
  std::map<std::size_t, FeaturePicture> features;   // by batch item or frame
  MaskLab masks;
  ContrastMemory compared, change;  // with A, and with what was before the newest change
  OffsetScores offsets;
  std::shared_ptr<MechanismMemory> mechanism;
  CostsKept costs;
  HeadRows heads;
  Index heads_at = -1;  // the head that the report was last scrolled to
  FigurePreview figure;
  PlannedFiles files;          // that the export screen would write
  std::size_t shown_file = 0;  // of them, the figure that is shown
  WorksheetPreview sheet;
  SheetSide sheet_side = SheetSide::questions;
  Vision vision = Vision::normal;
  bool figure_only = false;                    // not on its page
  std::optional<Hover> hover;                  // found in this frame
  std::pair<Index, Index> numbers_at{-1, -1};  // the pinned cell that the numbers were last scrolled to
  bool all_questions = false;                  // below the numbers: those too that one line has no room for
  Index lines_at = -1;                         // the query that the lines were last scrolled to
  std::optional<TokenTyping> token_typing;
  std::shared_ptr<LinesKept> lines;
  std::map<std::string, Index> chips_at;  // the token that each list of tokens was last scrolled to
  bool more_parameters = false;
  bool same_shown = false;         // where there is little room: what A and B have in common
  std::set<ParamQuestion> folded;  // questions whose answer alone is shown
  bool inspector_tab = false;      // narrow windows: the left panel shows the inspector
  double change_since = -1;        // on the window's clock: the key that shows what changed is down since then
  bool bring_story = false;        // a cell was clicked: the inspector scrolls to its story
  StripAt strip_at;                // what the strip was last slid to
  float story_at = 0;              // px of the screen from the inspector's top to the story of the cell
  Dialog dialog = Dialog::none;    // that was drawn last
  FileDialog browsing;
  PaletteMemory palette;
  MenuMemory menu;
  ArrayChoice array;
  LayerChoice layer;
  NetworkEndMemory network_end;
  PresentMemory present;
};

// The numbers of a slice, in the result of that ticket.
NumbersOf numbers_of(std::uint64_t run, std::string what, const Slice& slice);

// A run that takes longer than a blink says so, and that Esc cancels it.
inline constexpr double busy_patience = 0.15;  // s
bool shows_busy(const Model& model);

// What is looked at: the pinned cell, else the one under the pointer, else the one selected last.
Selection effective_selection(const Model& model);

// The same within the look's batch, head, frame and mode.
Focus effective_focus(const Model& model);

// Labels of an axis as they are shown.
std::vector<std::string> shown_labels(Ui& ui, const Axis* axis);

// Role of a recorded array or axis symbol, for formulas and tables.
Role role_of(const Trace& trace, const std::string& id);

}  // namespace headlight::app
