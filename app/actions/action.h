// Everything that a person, a script or a test can ask for, as data with a text form.
//
// Menus, keys, clicks, undo and scripts share these; update() is the only place that carries them out.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/actions/action_form.h"
#include "app/actions/input_actions.h"
#include "app/actions/network_actions.h"
#include "app/actions/training_actions.h"
#include "app/model/model.h"
#include "engine/code/script.h"
#include "engine/variants/variant.h"

namespace headlight::app {

// The work that is under way. Where keys are shared, those before others here have them first.
struct CancelExport : Plain<"cancel-export"> {};  // what is written stays
struct Cancel : Plain<"cancel"> {};
struct Run {           // once more, after a cancel
  bool whole = false;  // though it is large
  static constexpr auto form(auto as) { return as("run", Word{"whole", &Run::whole}); }
};
using RunBeside = OneValue<"beside", std::string>;  // the other values of a choice

// Comparing with A: an experiment that is held while another is made of it.
struct HoldA : Plain<"hold-a"> {};      // what is open, as A
struct SwapHeld : Plain<"swap-ab"> {};  // A is opened, and what was open is A
struct DropA : Plain<"drop-a"> {};
using KeepOneOfBoth = OnOff<"settle-on-a", "settle-on-b">;  // on one of both: it stays, the other goes
using TryWhatIf = OneValue<"what-if", std::string>;         // one of what_if.h; what was there before is A
struct CompareWithPlain : Plain<"against-plain"> {};        // the same with plain choices is A
using SetContrast = Set<"contrast", &ContrastLook::view>;
using SortChanges = Set<"heads-by-change", &ContrastLook::by_size>;
using ShowChange = OnOff<"show-change", "hide-change">;  // what the newest change did, in place of the result

// The mask laboratory: rules that hide keys, and cells that are painted over them.
struct SwitchLayer {
  std::string rule;  // "causal", "window" …; "painted": the cells that were painted
  bool on = true;
  static constexpr auto form(auto as) { return as("layer", &SwitchLayer::rule, &SwitchLayer::on); }
};
struct PadKeys {  // so many keys are padding, at one end
  bool left = false;
  Index count = 0;
  static constexpr auto form(auto as) { return as.two_words("pad-left", "pad-right", &PadKeys::left, &PadKeys::count); }
};
using SetValidLength = OneValue<"valid-length", Index>;
struct StartDocument {  // at a position, or no longer
  bool on = true;
  Index at = 0;
  static constexpr auto form(auto as) {
    return as.two_words("document-at", "no-document-at", &StartDocument::on, &StartDocument::at);
  }
};
// Hides or shows the pairs of these queries and keys; both ends belong to them.
struct PaintMask {
  bool hide = true;
  Index first_query = 0, last_query = 0, first_key = 0, last_key = 0;
  bool continues = false;
  static constexpr auto form(auto as) {
    return as.two_words("hide-cells", "show-cells", &PaintMask::hide, &PaintMask::first_query, &PaintMask::last_query,
                        &PaintMask::first_key, &PaintMask::last_key);
  }
};
struct InvertMask : Plain<"invert-mask"> {};  // what is hidden is shown, and the other way round
struct ClearPaint : Plain<"clear-paint"> {};
struct ShowThemselves : Plain<"let-see-themselves"> {
};                                                 // every query without a visible key sees the key in its own place
using CopyMask = OneValue<"copy-mask", MaskForm>;  // the lines of PyTorch that make it

// Changes to how it is looked at.
struct MoveSelection {
  int rows = 0;
  int columns = 0;
  static constexpr auto form(auto as) { return as("move-selection", &MoveSelection::rows, &MoveSelection::columns); }
};
struct Select {
  Selection selection;
  bool pin = false;
  static constexpr auto form(auto as) { return as.two_words("pin", "select", &Select::pin, &Select::selection); }
};
using PinSecond =
    OneValue<"pin-second", Selection>;  // a cell to compare the pinned one with; nothing, or the same once more: none
struct Release : Plain<"release"> {};
using ShowTerm = OneValue<"term", std::string>;  // of the glossary, beside the step; empty: none
using ShowHelp = OneValue<"help", std::string>;  // a topic (guide.h); empty: the list of all
using ShowStep = OneValue<"step", std::string>;
using GoStage = OneValue<"stage", int>;
using MoveStage = OneValue<"move-stage", int>;
using Play = OnOff<"play", "pause">;
using SetHead = OneValue<"head", Index>;
using MoveHead = OneValue<"move-head", int>;
using SetBatch = OneValue<"batch", Index>;
using SetFrame = OneValue<"frame", Index>;
using SetMode = OneValue<"mode", ViewMode>;
using SetScaling = OneValue<"scaling", Scaling>;
using SetThreshold = Set<"threshold", &Look::threshold, Between{0, 1}>;
using RollWindows = Set<"roll-windows", &Look::rolled>;  // the picture by their shift, so that they are a plain grid
using SetHover = Set<"hover", &Model::hover>;
using Light = Set<"light", &Model::lit>;  // a word or symbol is hovered: its array lights up
// The row of the selected cell, for a spreadsheet.
struct CopyRow : Plain<"copy-row"> {};
// An address that opens what is shown, where the program is a page.
struct CopyLink : Plain<"copy-link"> {};
struct CopyValue : Plain<"copy-value"> {};
struct CopyTrace : Plain<"copy-trace"> {};
struct CopyDescription : Plain<"copy-description"> {};
// The report on heads.
struct SortHeads {
  HeadOrder by = std::nullopt;
  bool ascending = false;
  static constexpr auto form(auto as) {
    return as("sort-heads", &SortHeads::by, Word{"ascending", &SortHeads::ascending});
  }
};
struct PlotHeads {
  HeadOrder across = Measure::entropy;  // a measure each
  HeadOrder up = Measure::share;
  static constexpr auto form(auto as) { return as("plot-heads", &PlotHeads::across, &PlotHeads::up); }
};
struct FindHeads {
  std::string words;  // "induction"; empty: all heads
  static constexpr auto form(auto as) { return as("find-heads", Exact{&FindHeads::words}); }
};
using AblateHeads = OnOff<"ablate-heads", "stop-ablating">;  // runs without each head in turn, or stops that
struct CopyHeads : Plain<"copy-heads"> {};                   // as a table for a spreadsheet
struct SaveHeads : Plain<"save-heads"> {};                   // as CSV, beside the experiment
using CopyCode = OneValue<"copy-code", Language>;            // of the script, which runs all steps
struct SaveArrays : Plain<"save-arrays"> {};                 // that such a script reads, beside the experiment

// The document and its files.
struct Undo : Plain<"undo"> {};
struct Redo : Plain<"redo"> {};
using GoInHistory = OneValue<"history", int>;  // so many steps: below 0 what was done is undone
struct New : Plain<"new"> {};
using Open = Set<"open", &Effects::open>;
struct OpenMember {  // of a file that holds attention in several places: those arrays, "decoder_attentions.*"
  std::string member, path;
  static constexpr auto form(auto as) { return as("open-member", &OpenMember::member, Exact{&OpenMember::path}); }
};
using Save = OneValue<"save", std::filesystem::path>;  // empty: where it came from
using SaveWithInputs =
    OneValue<"save-with-inputs", std::filesystem::path>;  // with all that it reads in it, so that one file travels
// What becomes of unsaved work, or of a file that would be written over.
enum class Decision { save, discard, replace, other_name, reload, cancel };
using Decide = OneValue<"decide", Decision>;
using Recover = Set<"recover", &Effects::recover>;  // work of a window that is gone
using DiscardRecovered = Set<"discard-recovered", &Effects::discard_recovered>;
using Browse = Set<"browse", &Effects::browse>;  // a folder, for a dialog
using Peek = Set<"peek", &Effects::peek>;        // into a file, for a dialog

// Figures: a setting of figure_request.h, where it goes, what goes beside it.
using SaveFigure = OneValue<"save-figure", std::filesystem::path>;  // empty: where the figure goes
struct SetFigure {
  std::string key;
  std::string text;
  bool continues = false;
  static constexpr auto form(auto as) { return as("figure", &SetFigure::key, &SetFigure::text); }
};
using SetFigurePath = OneValue<"figure-path", std::string>;
using SetFigureFormat = OneValue<"figure-format", FigureFormat>;
using SetFigureEach =
    OneValue<"figure-each", std::vector<std::string>>;  // of `figure_places` in figure_files.h; none: one file
struct SetFigureExtra {
  std::string extra;  // csv, npy, words
  bool on = false;
  static constexpr auto form(auto as) { return as("figure-extra", &SetFigureExtra::extra, &SetFigureExtra::on); }
};
// Worksheets: head, query, blanks, seed, copies, by-hand, paper, key or path.
using SaveSheet = OneValue<"save-sheet", std::filesystem::path>;  // empty: where the sheet goes
struct SetSheet {
  std::string key;
  std::string text;  // "auto" where there is one
  static constexpr auto form(auto as) { return as("sheet", &SetSheet::key, &SetSheet::text); }
};
struct CopyCommand : Plain<"copy-command"> {};  // that makes the figure or the worksheet again

// A lesson.
using OpenLesson = Set<"lesson", &Effects::lesson>;  // a file
using MoveInLesson = OneValue<"lesson-move", int>;   // steps on, or back
using GoInLesson = OneValue<"lesson-step", Index>;   // from 0
// "5", "red", "fox runs", "B": as the question wants it.
struct AnswerLesson {
  std::string text;
  static constexpr auto form(auto as) { return as("lesson-answer", Exact{&AnswerLesson::text}); }
};
struct NewLesson : Plain<"lesson-new"> {};             // one to write over, beside the experiment
struct SaveAnswers : Plain<"lesson-save-answers"> {};  // what was answered, as CSV beside the experiment
struct PrintLesson : Plain<"lesson-print"> {};         // with its answers, as PDF beside the experiment
struct HintInLesson : Plain<"lesson-hint"> {};         // one more
struct SolveInLesson : Plain<"lesson-solution"> {};    // the answer without having given one
struct AskAgainInLesson : Plain<"lesson-again"> {};    // the step from its start
struct LeaveLesson : Plain<"lesson-leave"> {};         // what was open before is shown again
struct ExploreLesson : Plain<"lesson-explore"> {};     // what it shows now, with everything

// Presenting: the experiment that is open and those beside it, for a class.
using Present = OnOff<"present", "present-leave">;
using MoveExperiment = OneValue<"move-experiment", int>;
using Ask = OneValue<"ask", Index>;  // that asks
using PresentHead = OneValue<"present-head", Index>;
using AskAboutSlide = OneValue<"ask-about", std::string>;  // an id of slide_questions.h
using Answer = OneValue<"answer", int>;                    // from 1; 0 takes it back
using CountHand = OneValue<"hand", int>;  // that is up for an answer, from 1; 0 takes the last one back
using Reveal = OnOff<"reveal", "hide-answer">;
struct Cover {
  bool on = true;
  Covered what = Covered::numbers;
  static constexpr auto form(auto as) { return as.two_words("cover", "uncover", &Cover::on, &Cover::what); }
};
using Spotlight = OneValue<"spotlight", Selection>;  // a row, or a cell; nothing: everything
using PresentZoom = OneValue<"present-zoom", double>;
using Blank = Switch<"blank", "unblank", &Presenter::blank>;
using ShowPresentKeys = Switch<"present-keys", "hide-present-keys", &Presenter::keys>;  // what they do here
using Freeze = OnOff<"freeze", "unfreeze">;
using SetTimer = OneValue<"timer", double>;  // to count down; 0: no timer
using ShowNotes =
    OnOff<"show-notes", "hide-notes">;  // of the experiment, for who presents it, in a window of their own
struct SetNotes {
  std::string text;
  bool continues = false;
  static constexpr auto form(auto as) { return as("notes", Exact{&SetNotes::text}); }
};
using PresentTheme = OneValue<"present-theme", ThemeName>;

// The window.
using ShowScreen = OneValue<"screen", Screen>;
using ShowDialog = OneValue<"dialog", Dialog>;
using ShowMenu = OneValue<"menu", MenuTarget>;  // that is selected
struct Fold {
  Side side = Side::setup;
  bool away = true;
  static constexpr auto form(auto as) { return as.two_words("fold", "unfold", &Fold::away, &Fold::side); }
};
using HidePart = OneValue<"hide-part", std::string>;  // one of parts_of_window, as an experiment can
struct ShowAllParts : Plain<"show-all-parts"> {};     // of the window, whatever the experiment hides
using SetTheme = Set<"theme", &Settings::theme>;
using SetScale = Set<"scale", &Settings::scale, Between{least_scale, most_scale}>;
using SetExpert = Set<"expert", &Settings::expert>;
using SetReduceMotion = Set<"reduce-motion", &Settings::reduce_motion>;
using SetStart = Set<"start-with", &Settings::start>;
using Dismiss = OneValue<"dismiss", std::size_t>;
struct Quit : Plain<"quit"> {};

// Types by their place in a list. Each has an address: to ask of each two whether they are one takes long to compile.
template <class T>
inline constexpr char address_of_type = 0;
template <class... Types>
struct ListOf {
  static constexpr std::size_t size = sizeof...(Types);
  static constexpr const char* addresses[sizeof...(Types)] = {&address_of_type<Types>...};
  // `size` of what is not in it.
  template <class T>
  static consteval std::size_t index_of() {
    std::size_t index = 0;
    while (index < size && addresses[index] != &address_of_type<T>) ++index;
    return index;
  }
  template <class T>
  static consteval bool has() {
    return index_of<T>() < size;
  }
};
// Every action there is.
using AllActions =
    ListOf<PlayTraining, TrainUntilLearned, TrainTo, MoveInTraining, LookAtTrainStep, FollowTraining, TrainAgain,
           SetPace, TrainSeeds, PinTrainCell, ReleaseTrainCell, SwitchTrainHead, RedrawTrainHead, MeasureTrainHeads,
           PruneTraining, ShowTrainGradient, ExploreTraining, MarkTraining, CompareTraining, SaveTraining,
           SaveTrainingFigure, TrainOn, ChooseTask, SetTraining, SetTrainText, SetTrainSeed, SetTrainSteps,
           TryCounterTest, LeaveCounterTest, MoveInLesson, AnswerLesson, HintInLesson, SolveInLesson, AskAgainInLesson,
           ExploreLesson, LeaveLesson, GoInLesson, OpenLesson, NewLesson, PrintLesson, SaveAnswers, SetText,
           SetMeanings, SetInput, UseExample, SetGrid, PickToken, MoveToken, DuplicateToken, RemoveToken, InsertToken,
           SetTokenizer, SetStartToken, SetModelWidth, SetCross, Arrange, SwitchEdits, AddEdit, SwitchEdit, MoveEdit,
           RemoveEdit, RemoveEdits, AskGradient, ShowGradient, EndEdit, SetVariant, SetParam, UsePreset, ChooseNone,
           BackToPlain, SetWeights, SetArrays, SetStateDict, CancelExport, Cancel, Run, RunBeside, AblateHeads,
           SetModelInput, ChoosePart, ChooseHead, MoveAmongHeads, ChoosePair, MovePair, MarkBy, MarkHeads, RingFrom,
           ViewLayers, OpenLayer, CloseLayer, SwitchHead, ListLikeliest, AppendToken, MoveSelection, Select, PinSecond,
           ShowTerm, Release, ShowStep, GoStage, MoveStage, Play, SetHead, MoveHead, SetBatch, SetFrame, SetMode,
           SetScaling, SetThreshold, RollWindows, SetHover, Light, SortHeads, PlotHeads, FindHeads, CopyHeads,
           SaveHeads, CopyValue, CopyTrace, CopyDescription, CopyRow, CopyLink, PasteNumbers, CopyCode, SaveArrays,
           HoldA, SwapHeld, DropA, KeepOneOfBoth, TryWhatIf, CompareWithPlain, SetContrast, SortChanges, ShowChange,
           SwitchLayer, PadKeys, SetValidLength, StartDocument, PaintMask, InvertMask, ClearPaint, ShowThemselves,
           CopyMask, Undo, Redo, GoInHistory, New, Open, OpenMember, Save, SaveWithInputs, Decide, Recover,
           DiscardRecovered, Browse, Peek, SaveFigure, SetFigure, SetFigurePath, SetFigureFormat, SetFigureEach,
           SetFigureExtra, SaveSheet, SetSheet, CopyCommand, Present, Reveal, MoveExperiment, Ask, AskAboutSlide,
           PresentHead, Answer, CountHand, Cover, Spotlight, PresentZoom, Blank, ShowPresentKeys, Freeze, SetTimer,
           PresentTheme, ShowNotes, SetNotes, ShowScreen, ShowHelp, ShowDialog, ShowMenu, Fold, HidePart, ShowAllParts,
           SetTheme, SetScale, SetExpert, SetReduceMotion, SetStart, Dismiss, Quit>;

// One of them, whichever. It cannot be changed, and copies share it. (A variant of so many would cost every file that
// makes an action seconds of compiling.)
class Action {
 public:
  template <class T>
  requires(AllActions::has<T>()) Action(T what)
      : index_(AllActions::index_of<T>()), what_(std::make_shared<const T>(std::move(what))) {}

  // Its place in the list.
  std::size_t index() const { return index_; }
  // Null where it is another.
  template <class T>
  const T* as() const {
    return index_ == AllActions::index_of<T>() ? static_cast<const T*>(what_.get()) : nullptr;
  }
  // What `with` makes of it, called with the action as its own type.
  template <class F>
  decltype(auto) visit(F&& with) const {
    return visit_in(AllActions(), with);
  }

 private:
  template <class First, class... Rest, class F>
  decltype(auto) visit_in(ListOf<First, Rest...>, F& with) const {
    using Made = std::invoke_result_t<F&, const First&>;
    using Call = Made (*)(F&, const void*);
    static constexpr Call calls[] = {
        [](F& f, const void* what) -> Made { return f(*static_cast<const First*>(what)); },
        [](F& f, const void* what) -> Made { return f(*static_cast<const Rest*>(what)); }...};
    return calls[index_](with, what_.get());
  }

  std::size_t index_;
  std::shared_ptr<const void> what_;
};

// "param temperature 0.5", "head 3", "pin 9 3": what scripts write and logs show.
std::string to_text(const Action& action);
// Reads it back. Errors name the action, the word that is wrong and what is allowed.
Result<Action> parse_action(std::string_view line);

}  // namespace headlight::app
