// Everything that a person, a script or a test can ask for, as data with a text form.
//
// Menus, keys, clicks, undo and scripts share these; update() is the only place that carries them out.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/actions/action_form.h"
#include "app/actions/network_actions.h"
#include "app/model/model.h"
#include "engine/code/script.h"
#include "engine/variants/variant.h"

namespace headlight::app {

// Changes to what is computed. `going_on` is true while a drag or typing continues: such edits are one entry of undo,
// and read as one that is done.
struct SetText {
  std::string input;
  std::string text;
  bool going_on = false;
  static constexpr auto form(auto as) { return as("text", &SetText::input, Exact{&SetText::text}); }
};
struct SetInput {
  std::string input;
  InputSpec spec;
  static constexpr auto form(auto as) { return as("input", &SetInput::input, &SetInput::spec); }
};
struct UseExample {
  InputKind kind = InputKind::text;  // the bundled input of that kind
  static constexpr auto form(auto as) { return as("example", &UseExample::kind); }
};
struct SetGrid {
  std::string input;
  GridSize size;  // of a picture or of frames
  static constexpr auto form(auto as) { return as("grid", &SetGrid::input, &SetGrid::size); }
};
// Tokens of a text, changed in the text itself: both say the same.
struct PickToken {
  TokenAt token;
  static constexpr auto form(auto as) { return as("token", &PickToken::token); }
};
struct MoveToken {
  TokenAt token;
  Index to = 0;  // the place that it takes
  static constexpr auto form(auto as) { return as("move-token", &MoveToken::token, &MoveToken::to); }
};
struct DuplicateToken {
  TokenAt token;
  static constexpr auto form(auto as) { return as("duplicate-token", &DuplicateToken::token); }
};
struct RemoveToken {
  TokenAt token;
  static constexpr auto form(auto as) { return as("remove-token", &RemoveToken::token); }
};
struct InsertToken {
  TokenAt token;  // it stands there then
  std::string text;
  static constexpr auto form(auto as) { return as("insert-token", &InsertToken::token, Exact{&InsertToken::text}); }
};
struct SetTokenizer {
  std::string input;
  std::string tokenizer;
  static constexpr auto form(auto as) { return as("tokenizer", &SetTokenizer::input, &SetTokenizer::tokenizer); }
};
struct SetStartToken {
  std::string input;
  bool on = true;
  static constexpr auto form(auto as) { return as("start-token", &SetStartToken::input, &SetStartToken::on); }
};
struct SetModelWidth {
  Index d_model = 32;
  static constexpr auto form(auto as) { return as("d-model", &SetModelWidth::d_model); }
};
struct SetCross {
  bool on = false;  // a second text for keys and values, or none
  static constexpr auto form(auto as) { return as("cross", &SetCross::on); }
};
struct Arrange {
  std::optional<Arrangement> arrangement;  // of the first input's positions; none puts them back
  static constexpr auto form(auto as) { return as("arrange", &Arrange::arrangement); }
};
struct SwitchEdits {
  bool on = true;  // all of the numbers that the experiment sets by hand
  static constexpr auto form(auto as) { return as("edits", &SwitchEdits::on); }
};
// Sets numbers by hand. An edit of the same cells takes the place of the one before; of those that are off, too.
struct AddEdit {
  Edit edit;
  static constexpr auto form(auto as) { return as("edit", &AddEdit::edit); }
};
struct SwitchEdit {
  Index number = 1;  // from 1, as they are counted where they are named
  bool on = true;
  static constexpr auto form(auto as) { return as("switch-edit", &SwitchEdit::number, &SwitchEdit::on); }
};
// To other cells of the step that is shown: so many rows down and columns to the right.
struct MoveEdit {
  Index number = 1;
  int rows = 0;
  int columns = 0;
  static constexpr auto form(auto as) {
    return as("move-edit", &MoveEdit::number, &MoveEdit::rows, &MoveEdit::columns);
  }
};
struct RemoveEdit {
  Index number = 1;
  static constexpr auto form(auto as) { return as("remove-edit", &RemoveEdit::number); }
};
struct RemoveEdits {
  static constexpr auto form(auto as) { return as("remove-edits"); }
};
// Numbers on the clipboard, over the cells from the pinned one on.
struct PasteNumbers {
  static constexpr auto form(auto as) { return as("paste"); }
};
struct EndEdit {  // the drag or the typing is over
  static constexpr auto form(auto as) { return as("end-edit"); }
};
struct SetVariant {
  std::string id;
  static constexpr auto form(auto as) { return as("variant", &SetVariant::id); }
};
struct SetParam {
  std::string id;
  ParamValue value;
  bool going_on = false;
  static constexpr auto form(auto as) { return as("param", &SetParam::id, &SetParam::value); }
};
struct UsePreset {
  std::string id;  // of the mechanism's: engine/variants/presets.h
  static constexpr auto form(auto as) { return as("preset", &UsePreset::id); }
};
struct ChooseNone {  // of what answers the question: reading/choices_offered.h
  ParamQuestion question = ParamQuestion::positions;
  static constexpr auto form(auto as) { return as("choose-none", &ChooseNone::question); }
};
struct BackToPlain {  // every choice that differs from plain attention: variants/plain.h
  static constexpr auto form(auto as) { return as("back-to-plain"); }
};
struct SetWeights {
  std::string init;
  std::uint64_t seed = 0;
  static constexpr auto form(auto as) { return as("weights", &SetWeights::init, &SetWeights::seed); }
};
struct SetArrays {
  std::string path;
  std::vector<std::string> holds = {};  // names of its arrays, where it was looked into: they count then
  static constexpr auto form(auto as) { return as("arrays", &SetArrays::path); }
};
struct SetStateDict {  // one layer of it in place of the mechanism and its weights
  Index heads = 1, layer = 0;
  std::string path;
  // Where it was looked into: which of its layers are meant, and how many channels they read.
  std::string layout = {}, prefix = {}, stack = {}, attention = {};
  Index width = 0;
  static constexpr auto form(auto as) {
    return as("weights-from", &SetStateDict::heads, &SetStateDict::layer, Exact{&SetStateDict::path});
  }
};

// The work that is under way. Where keys are shared, those before others here have them first.
struct CancelExport {  // what is written stays
  static constexpr auto form(auto as) { return as("cancel-export"); }
};
struct Cancel {
  static constexpr auto form(auto as) { return as("cancel"); }
};
struct Run {           // once more, after a cancel
  bool whole = false;  // though it is large
  static constexpr auto form(auto as) { return as("run", Word{"whole", &Run::whole}); }
};
struct RunBeside {
  std::string param;  // the other values of a choice
  static constexpr auto form(auto as) { return as("beside", &RunBeside::param); }
};

// Comparing with A: an experiment that is held while another is made of it.
struct HoldA {  // what is open, as A
  static constexpr auto form(auto as) { return as("hold-a"); }
};
struct SwapHeld {  // A is opened, and what was open is A
  static constexpr auto form(auto as) { return as("swap-ab"); }
};
struct DropA {
  static constexpr auto form(auto as) { return as("drop-a"); }
};
struct Settle {  // on one of both: it stays, the other goes
  bool on_a = false;
  static constexpr auto form(auto as) { return as.two_words("settle-on-a", "settle-on-b", &Settle::on_a); }
};
struct TryWhatIf {  // one of what_if.h; what was there before is A
  std::string id;
  static constexpr auto form(auto as) { return as("what-if", &TryWhatIf::id); }
};
struct AgainstPlain {  // the same with plain choices is A
  static constexpr auto form(auto as) { return as("against-plain"); }
};
struct SetContrast {
  ContrastView view = ContrastView::difference;
  static constexpr auto form(auto as) { return as("contrast", &SetContrast::view); }
};
struct SortChanges {
  bool by_size = false;
  static constexpr auto form(auto as) { return as("heads-by-change", &SortChanges::by_size); }
};
struct ShowChange {  // what the newest change did, in place of the result
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words("show-change", "hide-change", &ShowChange::on); }
};

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
struct SetValidLength {
  Index keys = 1;
  static constexpr auto form(auto as) { return as("valid-length", &SetValidLength::keys); }
};
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
  bool going_on = false;
  static constexpr auto form(auto as) {
    return as.two_words("hide-cells", "show-cells", &PaintMask::hide, &PaintMask::first_query, &PaintMask::last_query,
                        &PaintMask::first_key, &PaintMask::last_key);
  }
};
struct InvertMask {  // what is hidden is shown, and the other way round
  static constexpr auto form(auto as) { return as("invert-mask"); }
};
struct ClearPaint {
  static constexpr auto form(auto as) { return as("clear-paint"); }
};
struct ShowThemselves {  // every query without a visible key sees the key in its own place
  static constexpr auto form(auto as) { return as("let-see-themselves"); }
};
struct CopyMask {  // the lines of PyTorch that make it
  MaskForm as = MaskForm::visible;
  static constexpr auto form(auto as) { return as("copy-mask", &CopyMask::as); }
};

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
struct PinSecond {
  Selection selection;  // a cell to compare the pinned one with; nothing, or the same once more: none
  static constexpr auto form(auto as) { return as("pin-second", &PinSecond::selection); }
};
struct Release {
  static constexpr auto form(auto as) { return as("release"); }
};
struct ShowStep {
  std::string id;
  static constexpr auto form(auto as) { return as("step", &ShowStep::id); }
};
struct GoStage {
  int index = 0;
  static constexpr auto form(auto as) { return as("stage", &GoStage::index); }
};
struct MoveStage {
  int by = 1;
  static constexpr auto form(auto as) { return as("move-stage", &MoveStage::by); }
};
struct Play {
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words("play", "pause", &Play::on); }
};
struct SetHead {
  Index head = 0;
  static constexpr auto form(auto as) { return as("head", &SetHead::head); }
};
struct MoveHead {
  int by = 1;
  static constexpr auto form(auto as) { return as("move-head", &MoveHead::by); }
};
struct SetBatch {
  Index batch = 0;
  static constexpr auto form(auto as) { return as("batch", &SetBatch::batch); }
};
struct SetFrame {
  Index frame = 0;
  static constexpr auto form(auto as) { return as("frame", &SetFrame::frame); }
};
struct SetMode {
  ViewMode mode = ViewMode::map;
  static constexpr auto form(auto as) { return as("mode", &SetMode::mode); }
};
struct SetScaling {
  Scaling scaling;
  static constexpr auto form(auto as) { return as("scaling", &SetScaling::scaling); }
};
struct SetThreshold {
  double value = 0.05;
  bool going_on = false;
  static constexpr auto form(auto as) { return as("threshold", &SetThreshold::value); }
};
struct RollWindows {
  bool on = true;  // the picture by their shift, so that they are a plain grid
  static constexpr auto form(auto as) { return as("roll-windows", &RollWindows::on); }
};
struct SetHover {
  std::optional<Hover> hover;
  static constexpr auto form(auto as) { return as("hover", &SetHover::hover); }
};
struct Light {
  std::string id;  // a word or symbol is hovered: its array lights up
  static constexpr auto form(auto as) { return as("light", &Light::id); }
};
// The row of the selected cell, for a spreadsheet.
struct CopyRow {
  static constexpr auto form(auto as) { return as("copy-row"); }
};
struct CopyValue {
  static constexpr auto form(auto as) { return as("copy-value"); }
};
struct CopyTrace {
  static constexpr auto form(auto as) { return as("copy-trace"); }
};
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
struct AblateHeads {
  bool on = true;  // runs without each head in turn, or stops that
  static constexpr auto form(auto as) { return as.two_words("ablate-heads", "stop-ablating", &AblateHeads::on); }
};
struct CopyHeads {  // as a table for a spreadsheet
  static constexpr auto form(auto as) { return as("copy-heads"); }
};
struct SaveHeads {  // as CSV, beside the experiment
  static constexpr auto form(auto as) { return as("save-heads"); }
};
struct CopyCode {
  Language language = Language::numpy;  // of the script, which runs all steps
  static constexpr auto form(auto as) { return as("copy-code", &CopyCode::language); }
};
struct SaveArrays {  // that such a script reads, beside the experiment
  static constexpr auto form(auto as) { return as("save-arrays"); }
};

// The document and its files.
struct Undo {
  static constexpr auto form(auto as) { return as("undo"); }
};
struct Redo {
  static constexpr auto form(auto as) { return as("redo"); }
};
struct GoInHistory {
  int by = -1;  // so many steps: below 0 what was done is undone
  static constexpr auto form(auto as) { return as("history", &GoInHistory::by); }
};
struct New {
  static constexpr auto form(auto as) { return as("new"); }
};
struct Open {
  std::filesystem::path path;
  static constexpr auto form(auto as) { return as("open", &Open::path); }
};
struct Save {
  std::filesystem::path path;  // empty: where it came from
  static constexpr auto form(auto as) { return as("save", &Save::path); }
};
struct SaveWithInputs {  // with all that it reads in it, so that one file travels
  std::filesystem::path path;
  static constexpr auto form(auto as) { return as("save-with-inputs", &SaveWithInputs::path); }
};
// What becomes of unsaved work, or of a file that would be written over.
enum class Decision { save, discard, replace, other_name, reload, cancel };
struct Decide {
  Decision decision = Decision::cancel;
  static constexpr auto form(auto as) { return as("decide", &Decide::decision); }
};
struct Recover {
  std::size_t index = 0;  // work of a window that is gone
  static constexpr auto form(auto as) { return as("recover", &Recover::index); }
};
struct DiscardRecovered {
  std::size_t index = 0;
  static constexpr auto form(auto as) { return as("discard-recovered", &DiscardRecovered::index); }
};
struct Browse {
  std::filesystem::path folder;  // for a dialog
  static constexpr auto form(auto as) { return as("browse", &Browse::folder); }
};
struct Peek {
  std::filesystem::path path;  // into a file, for a dialog
  static constexpr auto form(auto as) { return as("peek", &Peek::path); }
};

// Figures: a setting of figure_request.h, where it goes, what goes beside it.
struct SaveFigure {
  std::filesystem::path path;  // empty: where the figure goes
  static constexpr auto form(auto as) { return as("save-figure", &SaveFigure::path); }
};
struct SetFigure {
  std::string key;
  std::string text;
  bool going_on = false;
  static constexpr auto form(auto as) { return as("figure", &SetFigure::key, &SetFigure::text); }
};
struct SetFigurePath {
  std::string path;
  static constexpr auto form(auto as) { return as("figure-path", &SetFigurePath::path); }
};
struct SetFigureFormat {
  FigureFormat format = FigureFormat::pdf;
  static constexpr auto form(auto as) { return as("figure-format", &SetFigureFormat::format); }
};
struct SetFigureEach {
  std::vector<std::string> each;  // of `figure_places` in figure_jobs.h; none: one file
  static constexpr auto form(auto as) { return as("figure-each", &SetFigureEach::each); }
};
struct SetFigureExtra {
  std::string extra;  // csv, npy, words
  bool on = false;
  static constexpr auto form(auto as) { return as("figure-extra", &SetFigureExtra::extra, &SetFigureExtra::on); }
};
// Worksheets: head, query, blanks, seed, paper, key or path.
struct SaveSheet {
  std::filesystem::path path;  // empty: where the sheet goes
  static constexpr auto form(auto as) { return as("save-sheet", &SaveSheet::path); }
};
struct SetSheet {
  std::string key;
  std::string text;  // "auto" where there is one
  static constexpr auto form(auto as) { return as("sheet", &SetSheet::key, &SetSheet::text); }
};
struct CopyCommand {  // that makes the figure or the worksheet again
  static constexpr auto form(auto as) { return as("copy-command"); }
};

// Presenting: the experiment that is open and those beside it, for a class.
struct Present {
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words("present", "present-leave", &Present::on); }
};
struct MoveExperiment {
  int by = 1;
  static constexpr auto form(auto as) { return as("move-experiment", &MoveExperiment::by); }
};
struct Ask {
  Index query = 0;  // that asks
  static constexpr auto form(auto as) { return as("ask", &Ask::query); }
};
struct PresentHead {
  Index head = 0;
  static constexpr auto form(auto as) { return as("present-head", &PresentHead::head); }
};
struct Answer {
  int choice = 0;  // from 1; 0 takes it back
  static constexpr auto form(auto as) { return as("answer", &Answer::choice); }
};
struct Reveal {
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words("reveal", "hide-answer", &Reveal::on); }
};
struct Cover {
  bool on = true;
  Covered what = Covered::numbers;
  static constexpr auto form(auto as) { return as.two_words("cover", "uncover", &Cover::on, &Cover::what); }
};
struct Spotlight {
  Selection at;  // a row, or a cell; nothing: everything
  static constexpr auto form(auto as) { return as("spotlight", &Spotlight::at); }
};
struct PresentZoom {
  double factor = 1;
  static constexpr auto form(auto as) { return as("present-zoom", &PresentZoom::factor); }
};
struct Blank {
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words("blank", "unblank", &Blank::on); }
};
struct ShowPresentKeys {  // what the keys do here, over what is presented
  bool on = true;
  static constexpr auto form(auto as) {
    return as.two_words("present-keys", "hide-present-keys", &ShowPresentKeys::on);
  }
};
struct Freeze {
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words("freeze", "unfreeze", &Freeze::on); }
};
struct SetTimer {
  double seconds = 60;  // to count down; 0: no timer
  static constexpr auto form(auto as) { return as("timer", &SetTimer::seconds); }
};
struct ShowNotes {  // of the experiment, for who presents it, in a window of their own
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words("show-notes", "hide-notes", &ShowNotes::on); }
};
struct SetNotes {
  std::string text;
  bool going_on = false;
  static constexpr auto form(auto as) { return as("notes", Exact{&SetNotes::text}); }
};
struct PresentTheme {
  ThemeName theme = ThemeName::light;
  static constexpr auto form(auto as) { return as("present-theme", &PresentTheme::theme); }
};

// The window.
struct ShowScreen {
  Screen screen = Screen::explore;
  static constexpr auto form(auto as) { return as("screen", &ShowScreen::screen); }
};
struct ShowDialog {
  Dialog dialog = Dialog::none;
  static constexpr auto form(auto as) { return as("dialog", &ShowDialog::dialog); }
};
struct ShowMenu {
  MenuOf of = MenuOf::cell;  // that is selected
  static constexpr auto form(auto as) { return as("menu", &ShowMenu::of); }
};
struct Fold {
  Side side = Side::setup;
  bool away = true;
  static constexpr auto form(auto as) { return as.two_words("fold", "unfold", &Fold::away, &Fold::side); }
};
struct SetTheme {
  ThemeName theme = ThemeName::light;
  static constexpr auto form(auto as) { return as("theme", &SetTheme::theme); }
};
struct SetScale {
  float scale = 1;
  static constexpr auto form(auto as) { return as("scale", &SetScale::scale); }
};
struct SetExpert {
  bool on = false;
  static constexpr auto form(auto as) { return as("expert", &SetExpert::on); }
};
struct SetReduceMotion {
  bool on = false;
  static constexpr auto form(auto as) { return as("reduce-motion", &SetReduceMotion::on); }
};
struct Dismiss {
  std::size_t notice = 0;
  static constexpr auto form(auto as) { return as("dismiss", &Dismiss::notice); }
};
struct Quit {
  static constexpr auto form(auto as) { return as("quit"); }
};

// Types by their place in a list.
template <class... Types>
struct ListOf {
  template <class T>
  static constexpr bool has() {
    return (std::is_same_v<T, Types> || ...);
  }
  template <class T>
  static constexpr std::size_t index_of() {
    std::size_t index = 0;
    static_cast<void>(((std::is_same_v<T, Types> || (++index, false)) || ...));
    return index;
  }
};
// Every action there is.
using AllActions =
    ListOf<SetText, SetInput, UseExample, SetGrid, PickToken, MoveToken, DuplicateToken, RemoveToken, InsertToken,
           SetTokenizer, SetStartToken, SetModelWidth, SetCross, Arrange, SwitchEdits, AddEdit, SwitchEdit, MoveEdit,
           RemoveEdit, RemoveEdits, EndEdit, SetVariant, SetParam, UsePreset, ChooseNone, BackToPlain, SetWeights,
           SetArrays, SetStateDict, CancelExport, Cancel, Run, RunBeside, AblateHeads, GiveModel, ChoosePart,
           ChooseHead, MoveAmongHeads, ChoosePair, MovePair, MarkBy, MarkHeads, RingFrom, ViewLayers, OpenLayer,
           CloseLayer, SwitchHead, ListLikeliest, AppendToken, MoveSelection, Select, PinSecond, Release, ShowStep,
           GoStage, MoveStage, Play, SetHead, MoveHead, SetBatch, SetFrame, SetMode, SetScaling, SetThreshold,
           RollWindows, SetHover, Light, SortHeads, PlotHeads, FindHeads, CopyHeads, SaveHeads, CopyValue, CopyTrace,
           CopyRow, PasteNumbers, CopyCode, SaveArrays, HoldA, SwapHeld, DropA, Settle, TryWhatIf, AgainstPlain,
           SetContrast, SortChanges, ShowChange, SwitchLayer, PadKeys, SetValidLength, StartDocument, PaintMask,
           InvertMask, ClearPaint, ShowThemselves, CopyMask, Undo, Redo, GoInHistory, New, Open, Save, SaveWithInputs,
           Decide, Recover, DiscardRecovered, Browse, Peek, SaveFigure, SetFigure, SetFigurePath, SetFigureFormat,
           SetFigureEach, SetFigureExtra, SaveSheet, SetSheet, CopyCommand, Present, Reveal, MoveExperiment, Ask,
           PresentHead, Answer, Cover, Spotlight, PresentZoom, Blank, ShowPresentKeys, Freeze, SetTimer, PresentTheme,
           ShowNotes, SetNotes, ShowScreen, ShowDialog, ShowMenu, Fold, SetTheme, SetScale, SetExpert, SetReduceMotion,
           Dismiss, Quit>;

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
