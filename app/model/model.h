// Everything that the window shows, as plain data. Panels read it; only update() in update.h changes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/figure_plan.h"
#include "app/figures/figure_request.h"
#include "app/model/export_task.h"
#include "app/model/learner.h"
#include "app/model/network.h"
#include "app/model/pending.h"
#include "app/model/presenter.h"
#include "app/model/training.h"
#include "app/reading/equivariance.h"
#include "app/reading/scaling.h"
#include "app/reading/slice.h"
#include "engine/io/experiment.h"
#include "engine/measures/head_distances.h"
#include "engine/measures/head_measures.h"
#include "engine/run/outcome.h"
#include "engine/run/queue/runner.h"

namespace headlight::app {

// Two experiments beside each other: B is the document that is open, A one that is held. And the run before the newest
// change, to tell what that changed. The arithmetic of differences is app/reading/difference.h.

// Another experiment than the one that is open, and its run as far as there is one.
struct HeldRun {
  std::shared_ptr<const Experiment> experiment;  // null: none
  Outcome outcome;                               // of that experiment; neither trace nor error until it ran
};

// What is said where a result is held and Compare is not the screen that is shown.
inline constexpr std::string_view held_words =
    "This is held as A. What you change now is B, and Compare shows both with their difference.";

// What is said beside a result that is not that of what is set.
inline constexpr const char* older_words = "of the run before";

// What stands beside A and B: B − A, B / A; or both in one place, in turn.
enum class ContrastView { difference, ratio, blink };

// How a comparison is looked at.
struct ContrastLook {
  ContrastView view = ContrastView::difference;
  bool by_size = false;  // heads by how much they changed, not by their numbers
  bool operator==(const ContrastLook&) const = default;
};

struct Comparison {
  HeldRun a;                  // of what the document holds
  HeldRun before;             // what was shown before the newest change of what is asked
  bool change_shown = false;  // in place of the result's maps, what that change did to them
};

// A run that is larger is made again when it is asked for rather than kept.
inline constexpr double most_bytes_kept_before = 256e6;

enum class ThemeName { light, dark, high_contrast };
inline constexpr std::array theme_names{"light", "dark", "high-contrast"};  // in files, actions and on the command line
// What the window opens with where no file is named: the example, the path of lessons, or what was open last.
enum class StartWith { explore, lessons, left };
inline constexpr std::array start_names{"explore", "lessons", "left"};  // in files and actions
inline constexpr std::array start_titles{"Explore", "Lessons", "Where I left"};
// leave: what becomes of unsaved work; replace: whether a file is written over; arrays: what is in a file of them;
// palette: all actions by name; help: the same with what can be read, or a page of that; menu: those of one thing on
// the screen; history: what was done, to go back to.
enum class Dialog {
  none,
  open,
  save,
  keys,
  leave,
  appearance,
  replace,
  arrays,
  palette,
  menu,
  history,
  save_with_inputs,
  notes,
  save_training,
  help
};
// What a menu is of: what is selected by the same name.
enum class MenuTarget { cell, row, head, token };
// explore: the result; figure and worksheet: what is exported of it; compare: two results beside each other; masks: the
// rules that hide keys, laid over each other; train: a network that learns, whatever is open; lessons: which there are,
// or the one that is open.
enum class Screen { explore, figure, worksheet, compare, masks, train, lessons };
// How PyTorch takes a mask: true where a key is hidden (nn.MultiheadAttention), true where it is seen
// (scaled_dot_product_attention), or numbers that are added to the scores.
enum class MaskForm { hidden, visible, added };
// map: a picture where positions lie on a grid, else queries by keys; matrix: always queries by keys; heads: the report
// on all of them; mechanism: pictures of what the choices do, beside the map; layers: the heads of all layers together,
// where the result has several.
enum class ViewMode { map, matrix, lines, numbers, heads, mechanism, layers, arrows };

// How the report on heads is looked at.
struct HeadTable {
  HeadOrder by = std::nullopt;
  bool ascending = true;
  HeadOrder across = Measure::entropy, up = Measure::share;  // of the plot of two measures
  std::string find;                                          // what was typed to find heads by
  bool operator==(const HeadTable&) const = default;
};
// The report on the heads of what is shown.
struct HeadReport {
  std::uint64_t of_ticket = 0;                             // of the result that was measured
  std::vector<std::shared_ptr<const HeadMeasures>> items;  // of each of its batch; none: not measured yet, or no map
  std::shared_ptr<const HeadMeasures> measures;            // of the one that is looked at; null where there are none
  std::vector<std::optional<HeadDistances>> distances;     // between heads, of each item; none: nothing to compare
  bool measuring = false;
  bool ablating = false;  // runs without a head are under way
  Index ablated = 0;      // heads whose run has ended
};

// The maps of all layers of what is shown, once they are looked at together.
struct LayersReport {
  std::uint64_t of_ticket = 0;          // of the result that they are of
  Index item = 0;                       // and of the batch
  std::shared_ptr<const PartRun> made;  // null: not yet
};

// What stands beside the map and can be folded away: what is asked at the left, where numbers come from at the right,
// and in small windows both in a drawer over the map.
enum class Side { setup, inspector, drawer };
struct Sides {
  bool setup = true;
  bool inspector = true;
  bool drawer = false;

  bool& operator[](Side side) { return *std::array{&setup, &inspector, &drawer}[static_cast<std::size_t>(side)]; }
};

// How a result is looked at.
struct Look {
  std::string step;  // id of the step or source shown large; empty: what the trace opens on
  Index batch = 0;
  Index head = 0;
  Selection selection;
  bool pinned = false;
  std::optional<Selection> second = {};  // a cell that the pinned one is compared with
  ViewMode mode = ViewMode::map;
  LayersLook layers = {};
  Index frame = -1;  // of the video, in what is shown as a picture; below 0: where the selection is
  Scaling scaling;
  double threshold = 0.05;  // lines below this share of the largest weight are hidden
  bool rolled = false;      // windows that are shifted lie on the picture rolled back, where they are a plain grid
  std::vector<std::string> hide = {};  // parts of the window that are not shown, as the experiment names them
  bool operator==(const Look&) const = default;
  bool hides(std::string_view part) const;
};

// Where the key was that is looked at while another mechanism takes the same picture: flat on the queries' grid.
struct KeptPlace {
  Index pixel = 0;
  bool pinned = false;
};

// What of a step the look shows.
inline Focus focus_of(const Look& look) {
  return {look.batch, look.head, look.frame, look.selection, look.mode != ViewMode::map};
}

// What undo goes back over: what is asked, how the answer is looked at, and the figure that is made of it.
struct Document {
  // Never null, and never changed in place: entries of the history and other threads share it.
  std::shared_ptr<const Experiment> experiment = std::make_shared<const Experiment>();
  Look look;
  FigureRequest figure;
  std::shared_ptr<const Experiment> held = {};  // A, which this experiment is compared with; null: none
  ContrastLook contrast = {};
  // A model of many layers; null: none. The experiment is a layer of it, which is shown where `layer_open`.
  std::shared_ptr<const Network> network = {};
  bool layer_open = false;
  std::shared_ptr<const struct DocumentFile> network_file = {};  // of the network, while a layer of it is open
  std::shared_ptr<const learn::TrainingPlan> training = {};      // what is to be learned; null: what is offered first
};

// Where a figure goes, and what is saved beside it.
struct FigureFiles {
  std::string path;  // empty: named after the step, beside the experiment; may hold {head} and other places
  FigureFormat format = FigureFormat::pdf;
  FigureExtras extras;
  std::vector<std::string> each;  // of `figure_places` in figure_files.h: a file for each of them; none: one file
};

// A sheet of exercises, and where it goes.
struct SheetSettings {
  std::optional<Index> head, query;  // absent: those that are looked at
  std::optional<int> blanks;         // absent: as many as usual
  std::uint64_t seed = 1;            // which numbers are left out
  bool letter = false;               // US Letter instead of A4
  bool with_key = true;
  int copies = 1;           // sheets, each with numbers of its own
  std::vector<Index> rows;  // in place of those: a sheet for each of these queries
  bool by_hand = false;     // of runs that can be done on paper, not of the one that is shown
  std::string path;         // empty: named after the experiment, beside it

  std::size_t sheets() const { return rows.empty() ? static_cast<std::size_t>(copies) : rows.size(); }
};

// 64 × 64 pixels that all look at each other. Beyond it the window says what a run takes before it starts.
inline constexpr double usual_pairs = 4096.0 * 4096.0;

// The file that a document is of, and what belongs to that file alone.
struct DocumentFile {
  std::filesystem::path path;                // empty until it is saved or opened from a file
  std::string name;                          // of what has no path but a name: an example, recovered work
  View file_view;                            // how the file looks at it: commands fall back on it
  View rest_view;                            // the same, as far as the run has it: whether the view was changed since
  std::uint64_t file_id = 0;                 // another for each that is opened
  std::shared_ptr<const std::string> saved;  // Model::text() as it was last saved; null: it never was
  std::string stamp;                         // of the file when it was read or written: stamp_of()
  std::string stamp_reported;                // of what another wrote to it, where that was said
  FigureFiles figure_files;
  std::map<std::string, Experiment> recipe_companions;  // which run in place of the files of those names
  SheetSettings sheet;
  double most_pairs = usual_pairs;  // of query and key in a head, that run without asking
};

struct HistoryEntry {
  std::string name;       // "temperature", for "Undo temperature"
  std::string merge_key;  // an edit under the same key that is still going on joins this entry
  Document before;
  std::optional<DocumentFile> origin = {};  // where the entry goes over the opening of another file
};

struct History {
  std::deque<HistoryEntry> undo;
  std::deque<HistoryEntry> redo;  // `before` holds the document to go forward to
  bool open = false;              // the newest entry still takes edits of its key
};

inline constexpr float least_scale = 0.75F, most_scale = 3;
struct Settings {
  ThemeName theme = ThemeName::light;
  float scale = 1;  // of text and everything else: least_scale to most_scale
  bool reduce_motion = false;
  bool expert = false;
  StartWith start = StartWith::explore;
  bool notes = false;  // stand in a window of their own while something is presented
  bool operator==(const Settings&) const = default;
};

// A card at the top of the view: an error stays until its cause is gone, a note until it is dismissed.
struct Notice {
  enum class Level { note, warning, error } level = Level::note;
  std::string text;
  bool refuses_file = false;  // a file could not be opened: it goes when another one is
};

// The matrix cell under the pointer, by the same axes as a selection.
struct Hover {
  std::string step;
  Index head = 0;
  Selection selection;
  bool operator==(const Hover&) const = default;
};

// The same experiment under the other values of one choice, run beside it to compare ("mode" of a non-local block).
struct Beside {
  std::string param;
  std::uint64_t of_ticket = 0;                                 // of the result that they stand beside
  std::map<std::string, std::shared_ptr<const Trace>> traces;  // by value; those that are ready
  std::map<std::string, std::string> errors = {};              // by value: why there is none
};

// The output of the last run with every position at its own place, to compare with. The output alone is kept: a whole
// second trace may not fit in memory.
struct Unarranged {
  std::string question;                  // question_of() its experiment
  std::shared_ptr<const Tensor> output;  // null where that run failed
  std::string error;
};

struct OpenedArrays;
struct Listing;
struct MechanismReport;
struct Preview;
struct Thumbnails;
struct InputsToEmbed;

struct Model : DocumentFile {
  Document document;
  History history;
  Settings settings;
  std::filesystem::path examples;  // folder of the inputs that come with the program
  std::filesystem::path fonts;     // folder of the fonts for figures
  Screen screen = Screen::explore;
  Sides sides;
  Companions companions;   // of the figure, as far as they were asked for
  std::size_t saving = 0;  // of the document, under way
  ExportProgress exporting;
  std::map<std::filesystem::path, std::string> exported;  // files that this session has written, as absolute
                                                          // paths, with their stamp_of() then
  Departure leaving;
  Replacing replacing;
  std::vector<std::filesystem::path> recent;      // experiments that were opened or saved, the newest first
  std::vector<Recoverable> recoverable;           // the newest first
  bool has_links = false;                         // what is shown has an address: the program is a page
  std::shared_ptr<const Listing> listing;         // of the folder that a dialog shows (browse.h); null: none asked for
  std::shared_ptr<const Preview> preview;         // of the file that a dialog shows
  std::shared_ptr<const Thumbnails> thumbnails;   // of the recent files (thumbnails.h), once a dialog shows them
  std::shared_ptr<const InputsToEmbed> to_embed;  // what would go into a file that is saved with its inputs
  std::shared_ptr<const OpenedArrays> arrays_opened;  // which of them is the input, is asked (opening.h)

  Outcome shown;            // the last good result; trace is null only before the first
  std::uint64_t asked = 0;  // ticket of the newest request
  NetworkShown net;         // of the document's network
  Beside beside;
  HeadTable head_table;
  HeadReport head_report;
  LayersReport layers;
  std::shared_ptr<const MechanismReport> mechanism;  // what the choices change (mechanism_report.h); null: not asked
  Comparison comparison;
  std::map<std::string, LayerOff> layers_off;  // by the rule
  bool busy = false;
  double busy_seconds = 0;
  float progress = 0;
  bool cancelled = false;  // the newest request was given up: what is shown is older than what is asked
  Unarranged unarranged;
  bool comparing = false;                    // the run to compare with is under way
  std::optional<Equivariance> equivariance;  // of what is shown, where it is arranged and can be compared
  std::string error;                         // why the newest request has no result; empty when it has one
  Subject error_about;                       // the edit or the array that it was refused for
  std::optional<TooLarge> too_large;         // with an error: it was refused for its size
  std::optional<KeptPlace> kept_place = {};  // until the run of another mechanism is there
  // Whether what is shown is of another run than what is set: that was refused or given up.
  bool shows_older() const { return shown.trace && (cancelled || !error.empty()); }
  std::vector<Notice> notices;

  std::optional<Hover> hover;
  std::string lit;  // array id lit by hovering a word or symbol
  bool playing = false;
  double play_since = 0;  // seconds on the window's clock
  Presenter present;
  TrainingShown training;
  Learner learner;
  Dialog dialog = Dialog::none;
  std::string topic;                       // of the help that is open (guide.h); empty: the list of all
  std::string term;                        // of the glossary, explained beside the step; empty: none
  MenuTarget menu_of = MenuTarget::cell;   // of the menu that is open
  std::optional<TokenAt> token;            // that was chosen last
  std::optional<Selection> pinned_before;  // the cell that another was pinned in place of
  double now = 0;                          // the window's clock, in seconds

  const Trace* trace() const { return shown.trace.get(); }
  // Of the run of what is set; null where what is shown is an older run's, which settings are not told by.
  const Trace* trace_as_set() const { return shows_older() ? nullptr : shown.trace.get(); }
  const Problem* problem_as_set() const { return shows_older() ? nullptr : shown.problem.get(); }
  // Whether all layers of a model are shown rather than the result of an experiment.
  bool shows_network() const { return document.network && !document.layer_open; }
  // Whether what is shown has maps of several layers, and whether their heads are shown together.
  bool has_layers() const { return layers_of_result() > 1; }
  bool shows_layers() const { return document.look.mode == ViewMode::layers && has_layers(); }
  Index layers_of_result() const;
  // Whether the figure is of them.
  bool figures_layers() const { return shows_network() || (document.figure.run_layers && has_layers()); }
  // What figures are of.
  const Outcome& figure_source() const { return shows_network() ? net.figured : shown; }
  // In words, where nothing is figured.
  const char* why_no_figure() const;
  // The step shown large: what the trace opens on where none was chosen, and its last one where it has none of that id.
  const Step* step() const;
  // Position of the stage that shows it; −1 without a trace. Of a model, where one is in its stack.
  int stage() const;
  int stages() const;  // how many there are
  // How far the run goes along such axes; 1 where it has none.
  Index extent(AxisRole along) const;
  // The input of its own that keys may be made from; empty where the mechanism takes none.
  std::string second_input() const;
  // Whether there is such an input.
  bool has_second_input() const;
  // What is asked, as JSON: of the network that is shown, else of the experiment. Made once for each.
  const std::shared_ptr<const std::string>& text() const;
  // Whether there is work that is not saved.
  bool changed() const;
  // The same, or it is not known yet whether saving it succeeds.
  bool may_lose_work() const { return saving > 0 || changed(); }
  // The document may be another from here on. update() says so of every action that does anything; whoever changes the
  // document besides must say so too.
  void touch() { ++revision_; }
  // Another number whenever the document may be another.
  std::uint64_t revision() const { return revision_; }
  // Whether it is looked at in another way than its file says: saving keeps that, but it is no work that could be lost.
  bool view_changed() const;
  // "cat-sat.headlight", "Example".
  std::string title() const;
  // Id of the input that the variant reads first: "x_q", "x".
  std::string primary_input() const;
  const InputSpec* input(const std::string& id) const;
  // The parameters as they ran: those that nobody set may have been taken from the input.
  ParamValues params() const;
  // The known layer whose parameters these are, or null.
  const Preset* preset() const;
  const std::string* text_of(const std::string& input) const;

 private:
  std::uint64_t revision_ = 1;
  struct Text {
    std::shared_ptr<const Experiment> experiment;  // that it is of
    std::shared_ptr<const Network> network;
    bool of_layer = false;
    std::shared_ptr<const std::string> json;
    std::shared_ptr<const std::string> compared;  // with which it was compared last
    bool equal = false;
  };
  mutable Text text_;
};

// How the heads of all layers are looked at: of the open model, else of a result with several layers, else the
// defaults.
NetworkLook look_of_layers(const Model& model);
// Which item of the batch is looked at, and how many there are in what is shown.
struct ItemLookedAt {
  Index item = 0, items = 1;
};
ItemLookedAt item_looked_at(const Model& model);
std::string item_in_words(const Model& model);   // "item 2 of 0–7"; empty where there is one
bool layers_lie_on_picture(const Model& model);  // those of a model or a result that are shown together
// How colours are scaled in what is shown.
const Scaling& scaling_of(const Model& model);
// The selection with the query replaced where the run computed only one.
Selection with_only_query(const Model& model, Selection selection);
// Whether the selection is a cell of the step that is shown: an array of queries and keys needs both.
bool shows_cell(const Model& model);
// Flat place of the cell of that step that the pinned one is compared with; nothing where none is, or it is not shown.
std::optional<Index> second_cell(const Model& model);
// Whether that cell is pinned, so that Esc releases it and pointing elsewhere does not move it.
bool shows_pinned(const Model& model);

}  // namespace headlight::app
