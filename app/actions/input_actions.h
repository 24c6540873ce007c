// What can be asked for of the experiment: its inputs, edits, mechanism, parameters and weights. Part of action.h, for
// which these stand here by subject.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/actions/action_form.h"
#include "app/model/model.h"
#include "engine/variants/variant.h"

namespace headlight::app {

// Changes to what is computed. `continues` is true while a drag or typing continues: such edits are one entry of undo,
// and read as one that is done.
struct SetText {
  std::string input;
  std::string text;
  bool continues = false;
  static constexpr auto form(auto as) { return as("text", &SetText::input, Exact{&SetText::text}); }
};
// Words that mean the same, as read_meanings() reads them; beside one text, for all of them.
struct SetMeanings {
  std::string input;
  std::string text;
  bool continues = false;
  static constexpr auto form(auto as) { return as("means", &SetMeanings::input, Exact{&SetMeanings::text}); }
};
struct SetInput {
  std::string input;
  InputSpec spec;
  static constexpr auto form(auto as) { return as("input", &SetInput::input, &SetInput::spec); }
};
using UseExample = OneValue<"example", InputKind>;  // the bundled input of that kind
struct SetGrid {
  std::string input;
  GridSize size;  // of a picture or of frames
  static constexpr auto form(auto as) { return as("grid", &SetGrid::input, &SetGrid::size); }
};
// Tokens of a text, changed in the text itself: both say the same.
using PickToken = OneValue<"token", TokenAt>;
struct MoveToken {
  TokenAt token;
  Index to = 0;  // the place that it takes
  static constexpr auto form(auto as) { return as("move-token", &MoveToken::token, &MoveToken::to); }
};
using DuplicateToken = OneValue<"duplicate-token", TokenAt>;
using RemoveToken = OneValue<"remove-token", TokenAt>;
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
using SetModelWidth = OneValue<"d-model", Index>;
using SetCross = OneValue<"cross", bool>;                         // a second text for keys and values, or none
using Arrange = OneValue<"arrange", std::optional<Arrangement>>;  // of the first input's positions; none puts them back
using SwitchEdits = OneValue<"edits", bool>;                      // all of the numbers that the experiment sets by hand
// Sets numbers by hand. An edit of the same cells takes the place of the one before; of those that are off, too.
struct AddEdit {
  Edit value;
  bool continues = false;
  static constexpr auto form(auto as) { return as("edit", &AddEdit::value); }
};
// The run goes back from the selected number: by how much it changes with every other; or it goes forward only.
using AskGradient = OnOff<"gradient", "no-gradient">;
struct ShowGradient : Plain<"show-gradient"> {};  // of the step that is shown; or that step again
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
struct RemoveEdits : Plain<"remove-edits"> {};
// Numbers on the clipboard, over the cells from the pinned one on.
struct PasteNumbers : Plain<"paste"> {};
struct EndEdit : Plain<"end-edit"> {};  // the drag or the typing is over
using SetVariant = OneValue<"variant", std::string>;
struct SetParam {
  std::string id;
  ParamValue value;
  bool continues = false;
  static constexpr auto form(auto as) { return as("param", &SetParam::id, &SetParam::value); }
};
using UsePreset = OneValue<"preset", std::string>;          // of the mechanism's: engine/params/presets.h
using ChooseNone = OneValue<"choose-none", ParamQuestion>;  // of what answers the question: reading/choices_offered.h
struct BackToPlain : Plain<"back-to-plain"> {};  // every choice that differs from plain attention: params/plain.h
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
  // Instead of a layout, where somebody named its arrays: what else must be set for them, and whether they are kept.
  OwnNames names = {};
  std::vector<std::pair<std::string, ParamValue>> params = {};
  bool keeps_names = false;
  static constexpr auto form(auto as) {
    return as("weights-from", &SetStateDict::heads, &SetStateDict::layer, Exact{&SetStateDict::path});
  }
};

}  // namespace headlight::app
