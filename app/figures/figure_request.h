// What a figure is asked to show and how, as settings with a text form each: the command line's flags, the recipe in a
// file and the window's choices are the same settings.
//
// Not for drawing, nor for what the settings make of a trace: figure_of.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/page/figure.h"
#include "engine/measures/parts.h"

namespace headlight::app {

enum class Marks { letters, numbers, none };

// How numbers are shown. automatic: over the picture where there is one, else as a map. matrix: queries by keys even
// where they lie on a grid. offsets: the keys of one query by where they lie from it. bars and lines: one row, and all
// of them. layers: the row of one query in every layer of a run.
enum class FigureKind { automatic, map, matrix, picture, offsets, bars, lines, layers };

// What is taken away from every panel: a head of the same step, the same head of another step, or the same of another
// experiment.
struct Subtrahend {
  enum class What { nothing, head, step, experiment } what = What::nothing;
  Index head = 0;
  std::string name;  // of the step, or the experiment's path
  bool operator==(const Subtrahend&) const = default;
};

struct FigureRequest {
  std::vector<std::string> steps;  // empty: the one that the experiment looks at, else weights
  FigureKind kind = FigureKind::automatic;
  std::vector<Index> heads;                      // counted from 0; empty: all
  std::vector<std::string> layers;               // paths of further experiments, whose panels follow, a row each
  std::optional<std::vector<Index>> run_layers;  // or those of the run itself, counted from 0; none: all
  ModelPart part = ModelPart::first;             // of a model with a decoder: whose layers
  bool average = false;                          // over its heads, of a step that has some
  std::vector<std::string> layer_names;   // of all of them and of the first; none: by their files, with_layer_names()
  std::vector<std::string> panel_titles;  // in the panels' order; none, or fewer: written from the data
  std::optional<std::string> row_name, column_name, bar_label;  // empty: none; absent: written from the data
  Subtrahend minus;
  std::optional<Index> batch, query, key, frame;
  std::optional<Index> after;  // of relevance: the position whose likeliest next token it is of; none: the last
  std::vector<Index> queries;  // several, of which the first is `query`: a panel each; empty: that one
  int columns = 0;             // panels beside each other; 0 chooses
  Marks marks = Marks::letters;
  std::optional<std::string> title;         // empty: none; absent: the step's
  std::optional<std::string> caption, alt;  // absent: written from the data
  std::string width = "5.5in";              // "5.5in", "89mm", "396pt", or a venue's: width_presets
  bool exact_width = false;
  std::string height = "9in";  // at most
  double dpi = 300;            // PNG
  std::string font = "sans";   // sans | serif | a file
  double text_size = 8, smallest_text = 5;
  std::optional<Colormap> colors;                // absent: by the numbers' kind
  std::optional<std::pair<float, float>> range;  // absent: by the numbers
  bool shared = true;                            // one scale for all panels of a step
  std::optional<Spacing> spacing;                // absent: by the numbers, as in the window (scaling.h)
  CellNumbers numbers = CellNumbers::none;
  int top = 3;
  BarPlace bar = BarPlace::automatic;
  bool grid = false, transparent = false, blank_masked = false;
  bool recipe = true;  // kept in the file

  bool operator==(const FigureRequest&) const = default;
};

// What --step calls gradient × attention of a model's token, which is a step of each layer where it is asked for.
inline constexpr const char* relevance_id = "relevance";
bool shows_relevance(const FigureRequest& request);

// The same request with names for its layers where it has none: their files', without folders and endings.
FigureRequest with_layer_names(FigureRequest request, const std::string& experiment);

// The experiments that a request reads beside the one that it is of, each once: its layers, and what is taken away.
std::vector<std::string> companions_of(const FigureRequest& request);

// What is saved beside a figure, under its name.
struct FigureExtras {
  bool csv = false;    // NAME.csv
  bool npy = false;    // NAME.npy: (panels, rows, columns), float32
  bool words = false;  // NAME.txt: caption and text for those who cannot see it
};

// One setting, for --help and for the window's hints.
struct FigureSetting {
  std::string_view key;  // "width", the flag --width
  std::string_view help;
  bool flag = false;  // it stands alone: --grid
};
const std::vector<FigureSetting>& figure_settings();

// Sets one from its text ("5.5in", "0,2", "0:1"; "true" and "false" for flags). Errors name the flag, what was found
// and what is allowed.
Status set_figure(FigureRequest& request, std::string_view key, std::string_view text);

// Those that are not at their defaults, in the order of figure_settings(): set_figure() takes them back.
std::vector<std::pair<std::string, std::string>> settings_of(const FigureRequest& request);

// The text of one of them, whether it is at its default or not; the key must be one of figure_settings().
std::string setting_of(const FigureRequest& request, std::string_view key);

// Lengths and fonts as the layout takes them. Errors: a width that is neither a length nor a venue's.
Result<PageOptions> page_options(const FigureRequest& request);

// A word of a command: as it is where a shell takes it for one word, else in single quotes.
std::string quoted(const std::string& word);

// "headlight render cat.headlight --step weights --head 0,2 -o fig.pdf", quoted for a shell. The built-in example has
// no file.
std::string figure_command(const FigureRequest& request, const std::string& experiment, const std::string& output);

}  // namespace headlight::app
