// Everything that a person, a script or a test can ask for, as data with a text form.
//
// Menus, keys, clicks, undo and scripts share these; update() is the only place that carries them out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/model/model.h"
#include "engine/code/script.h"
#include "engine/variants/variant.h"

namespace headlight::app {

// Changes to what is computed. `going_on` is true while a drag or typing continues: such edits are one entry of undo.
struct SetText {
  std::string input;
  std::string text;
  bool going_on = false;
};
struct SetInput {
  std::string input;
  InputSpec spec;
};
struct UseExample {
  InputKind kind = InputKind::text;
};  // the bundled input of that kind
struct SetGrid {
  std::string input;
  GridSize size;
};  // of a picture or of frames
struct SetTokenizer {
  std::string input;
  std::string tokenizer;
};
struct SetStartToken {
  std::string input;
  bool on = true;
};
struct SetModelWidth {
  Index d_model = 32;
};
struct SetParam {
  std::string id;
  ParamValue value;
  bool going_on = false;
};
struct SetVariant {
  std::string id;
};
struct SetCross {
  bool on = false;
};  // a second text for keys and values, or none
struct SetWeights {
  std::string init;
  std::uint64_t seed = 0;
};
struct SetArrays {
  std::string path;
  std::vector<std::string> holds = {};  // names of its arrays, where it was looked into: they count then
};
struct Arrange {
  std::optional<Arrangement> arrangement;
};                  // of the first input's positions; none puts them back
struct EndEdit {};  // the drag or the typing is over

// Changes to how it is looked at.
struct ShowStep {
  std::string id;
};
struct GoStage {
  int index = 0;
};
struct MoveStage {
  int by = 1;
};
struct SetHead {
  Index head = 0;
};
struct MoveHead {
  int by = 1;
};
struct SetBatch {
  Index batch = 0;
};
struct SetFrame {
  Index frame = 0;
};
struct SetMode {
  ViewMode mode = ViewMode::map;
};
struct SetScaling {
  Scaling scaling;
};
struct SetThreshold {
  double value = 0.05;
  bool going_on = false;
};
struct Select {
  Selection selection;
  bool pin = false;
};
struct MoveSelection {
  int rows = 0;
  int columns = 0;
};
struct Release {};
struct SetHover {
  std::optional<Hover> hover;
};
struct Light {
  std::string id;
};  // a word or symbol is hovered: its array lights up
struct Play {
  bool on = true;
};

// The window.
struct SetTheme {
  ThemeName theme = ThemeName::light;
};
struct SetScale {
  float scale = 1;
};
struct SetExpert {
  bool on = false;
};
struct SetReduceMotion {
  bool on = false;
};
struct Fold {
  Side side = Side::setup;
  bool away = true;
};
struct ShowDialog {
  Dialog dialog = Dialog::none;
};
struct ShowScreen {
  Screen screen = Screen::explore;
};
struct Dismiss {
  std::size_t notice = 0;
};
struct Undo {};
struct Redo {};
// What becomes of unsaved work, or of a file that would be written over.
enum class Decision { save, discard, replace, other_name, cancel };
struct Decide {
  Decision decision = Decision::cancel;
};

// The world outside.
struct New {};
struct Open {
  std::filesystem::path path;
};
struct Save {
  std::filesystem::path path;
};  // empty: where it came from
struct Recover {
  std::size_t index = 0;
};  // work of a window that is gone
struct DiscardRecovered {
  std::size_t index = 0;
};
struct Browse {
  std::filesystem::path folder;
};  // for a dialog
struct Peek {
  std::filesystem::path path;
};  // into a file, for a dialog
// Figures: a setting of figure_request.h, where it goes, what goes beside it.
struct SetFigure {
  std::string key;
  std::string text;
  bool going_on = false;
};
struct SetFigurePath {
  std::string path;
};
struct SetFigureFormat {
  FigureFormat format = FigureFormat::pdf;
};
struct SetFigureEach {
  std::vector<std::string> each;  // of `figure_places` in figure_jobs.h; none: one file
};
struct SetFigureExtra {
  std::string extra;  // csv, npy, words
  bool on = false;
};
struct SaveFigure {
  std::filesystem::path path;
};  // empty: where the figure goes
// Worksheets: head, query, blanks, seed, paper, key or path.
struct SetSheet {
  std::string key;
  std::string text;  // "auto" where there is one
};
struct SaveSheet {
  std::filesystem::path path;
};                       // empty: where the sheet goes
struct CancelExport {};  // what is written stays
struct CopyCommand {};   // that makes the figure or the worksheet again
struct CopyTrace {};
struct CopyCode {
  Language language = Language::numpy;  // of the script, which runs all steps
};
struct SaveArrays {};  // that such a script reads, beside the experiment
struct Cancel {};
struct RunBeside {
  std::string param;
};                   // the other values of a choice
struct Run {};       // once more, after a cancel
struct RunWhole {};  // though it is large
struct Quit {};

using Action =
    std::variant<SetText, SetInput, UseExample, SetGrid, SetTokenizer, SetStartToken, SetModelWidth, SetParam,
                 SetVariant, SetCross, SetWeights, SetArrays, Arrange, EndEdit, ShowStep, GoStage, MoveStage, SetHead,
                 MoveHead, SetBatch, SetFrame, SetMode, SetScaling, SetThreshold, Select, MoveSelection, Release,
                 SetHover, Light, Play, SetTheme, SetScale, SetExpert, SetReduceMotion, Fold, ShowDialog, ShowScreen,
                 Dismiss, Undo, Redo, Decide, New, Open, Save, Recover, DiscardRecovered, Browse, Peek, SetFigure,
                 SetFigurePath, SetFigureFormat, SetFigureEach, SetFigureExtra, SaveFigure, SetSheet, SaveSheet,
                 CancelExport, CopyCommand, CopyTrace, CopyCode, SaveArrays, Cancel, RunBeside, Run, RunWhole, Quit>;

// "set param temperature 0.5", "head 3", "pin 9 3": what scripts write and logs show.
std::string to_text(const Action& action);
Result<Action> parse_action(std::string_view line);

}  // namespace headlight::app
