// What each action does to the model: one function an action, by subject in the files that are named here, or here
// where it is one line. One that has none does not compile.
//
// For those files alone: everyone else calls update().
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/actions/update.h"
#include "engine/variants/variant.h"

namespace headlight::app {

using InputMap = std::map<std::string, InputSpec>;
// Where a token stands after its text was changed; nothing where it is gone.
using PositionMap = std::function<std::optional<Index>(Index)>;

// Keeps what is shown, before a change of what is asked.
void keep_previous(Model& model);
// Keeps what is looked at inside what is shown, and has somebody ask on a picture.
void clamp_look(Model& model);

struct Updating {
  Model& model;
  Effects effects;
  std::shared_ptr<Experiment> edited = {};  // the document's, by this action alone

  const Experiment& experiment() const { return *model.document.experiment; }
  // The same to be changed: the document's own from the first call on, until it is remembered.
  Experiment& edit_experiment();
  Look& look() { return model.document.look; }
  // Before a change, keeps the document in the history under the name that the table of actions has for it. Returns
  // whether it continues the newest entry instead, which is of the same key.
  bool remember(const Action& action, const std::string& key, bool continues = false);
  void edit(const Action& action, const std::string& key, bool continues = false);  // the same of what is computed
  // Changes of view of one kind that follow each other are one entry.
  void view(const Action& action);
  void note(std::string text);
  // What was said of the last input or mechanism.
  void forget_notes();
  // On the compare screen without an A: holds the current experiment as A.
  void hold_if_comparing();
  void remove_held_note();

  // Actions that set one field: action_form.h
  template <FixedText id, auto field, Between bounds>
  void operator()(const Set<id, field, bounds>& a) {
    set(a, field, a.within());
  }
  template <FixedText yes, FixedText no, auto field>
  void operator()(const Switch<yes, no, field>& a) {
    set(a, field, a.on);
  }
  template <class T>
  void set(const Action&, T Settings::*field, const T& value) {
    model.settings.*field = value;
  }
  template <class T>
  void set(const Action&, T Model::*field, const T& value) {
    model.*field = value;
  }
  template <class T>
  void set(const Action&, std::optional<T> Effects::*field, const T& value) {
    effects.*field = value;
  }
  template <class T>
  void set(const Action&, T Presenter::*field, const T& value) {
    if (model.present.on) model.present.*field = value;
  }
  template <class T>
  void set(const Action& action, T Look::*field, const T& value) {
    set_in_view(action, look().*field, value);
  }
  template <class T>
  void set(const Action& action, T ContrastLook::*field, const T& value) {
    set_in_view(action, model.document.contrast.*field, value);
  }
  template <class T>
  void set(const Action& action, T LayersLook::*field, const T& value) {
    LayersLook next = look_of_layers(model);
    next.*field = value;
    set_layers_look(action, next);
  }
  // A change of view, unless the field has that value already.
  template <class T>
  void set_in_view(const Action& action, T& field, const T& value) {
    if (field == value) return;
    view(action);
    field = value;
  }

  // Input: update_input.cpp
  void operator()(const SetText& a);
  void operator()(const SetMeanings& a);
  void operator()(const SetInput& a);
  void operator()(const UseExample& a);
  void operator()(const SetGrid& a);
  void operator()(const SetTokenizer& a);
  void operator()(const SetStartToken& a);
  void operator()(const SetModelWidth& a);
  void operator()(const SetCross& a);
  void operator()(const Arrange& a);
  void operator()(const SwitchEdits& a);
  void operator()(const AddEdit& a);
  void operator()(const PasteNumbers&) { effects.paste = shows_cell(model); }
  void operator()(const SwitchEdit& a);
  void operator()(const MoveEdit& a);
  void operator()(const RemoveEdit& a);
  void operator()(const RemoveEdits& a);
  void operator()(const AskGradient& a);
  void operator()(const ShowGradient& a);
  void operator()(const EndEdit&) { model.history.open = false; }
  bool is_input(const std::string& id);
  std::vector<std::string> inputs_from_file();
  InputMap inputs_by_name();
  void leave_file(const std::string& id);
  void select_nothing();
  void forget_order(const Variant& variant);
  void replace_input(const std::string& id, InputSpec spec);

  // Tokens: update_input.cpp
  void operator()(const PickToken& a);
  void operator()(const MoveToken& a);
  void operator()(const DuplicateToken& a);
  void operator()(const RemoveToken& a);
  void operator()(const InsertToken& a);
  void change_tokens(const Action& action, const TokenAt& token, Result<std::string> text, const PositionMap& moved);

  // Mechanism, parameters, weights, the run: update_params.cpp
  void operator()(const SetParam& a);
  void operator()(const UsePreset& a);
  void operator()(const ChooseNone& a);
  void operator()(const BackToPlain& a);
  void operator()(const SetVariant& a);
  void operator()(const SetWeights& a);
  void operator()(const SetArrays& a);
  void operator()(const SetStateDict& a);
  void operator()(const CancelExport&) { effects.cancel_export = true; }
  void operator()(const Cancel&) { effects.cancel = true; }
  void operator()(const Run& a);
  void operator()(const RunBeside& a);
  std::optional<Index> only_query();
  void ask_all_queries();
  bool set_params(const Action& action, const std::string& key, const ParamValues& values);
  void change_variant(const Variant& variant, const InputMap& inputs);
  void drop_values_in(const std::vector<std::string>& arrays);

  // Comparing: update_compare.cpp
  void operator()(const HoldA& a);
  void operator()(const SwapHeld& a);
  void operator()(const DropA& a);
  void operator()(const KeepOneOfBoth& a);
  void operator()(const TryWhatIf& a);
  void operator()(const CompareWithPlain& a);
  void operator()(const ShowChange& a) { model.comparison.change_shown = a.on && model.comparison.before.experiment; }
  void replace_experiment(std::shared_ptr<const Experiment> other);

  // The mask: update_masks.cpp
  void operator()(const SwitchLayer& a);
  void operator()(const PadKeys& a);
  void operator()(const SetValidLength& a);
  void operator()(const StartDocument& a);
  void operator()(const PaintMask& a);
  void operator()(const InvertMask& a);
  void operator()(const ClearPaint& a);
  void operator()(const ShowThemselves& a);
  void operator()(const CopyMask& a);
  void set_mask_array(const Action& action, const std::string& rule, Tensor numbers, const std::string& key);

  // A model of many layers: update_network.cpp
  void operator()(const SetModelInput& a);
  void operator()(const ChoosePart& a);
  void operator()(const ChooseHead& a);
  void operator()(const MoveAmongHeads& a);
  void operator()(const ChoosePair& a);
  void operator()(const MovePair& a);
  void operator()(const MarkBy& a);
  void operator()(const ViewLayers& a);
  void choose_head_of_result(Index layer, Index head);
  void set_layers_look(const Action& action, const LayersLook& next);
  void operator()(const OpenLayer& a);
  void operator()(const CloseLayer& a);
  void operator()(const SwitchHead& a);
  void operator()(const ListLikeliest& a);
  void operator()(const AppendToken& a);
  void go_to_depth(Index depth);
  void set_look(const Action& action, const NetworkLook& look);  // of the network
  // The network of the document, to be changed.
  Network& network();

  // The look: update_look.cpp
  void operator()(const ShowStep& a);
  void operator()(const GoStage& a);
  void operator()(const MoveStage& a) { (*this)(GoStage{std::max(0, model.stage() + a.value)}); }
  void operator()(const SetHead& a);
  void operator()(const MoveHead& a);
  void operator()(const SetBatch& a);
  void operator()(const OpenMember& a);
  void operator()(const SetFrame& a);
  void operator()(const SetMode& a);
  void operator()(const SetScaling& a);
  void operator()(const Select& a);
  void operator()(const PinSecond& a);
  void operator()(const MoveSelection& a);
  void operator()(const ShowTerm& a);
  void operator()(const Release& a);
  void operator()(const Play& a);
  void operator()(const CopyValue& a);
  void operator()(const CopyTrace& a);
  void operator()(const CopyDescription& a);
  void operator()(const CopyRow& a);
  void operator()(const CopyLink&) { effects.copy_link = true; }
  void operator()(const SortHeads& a);
  void operator()(const PlotHeads& a);
  void operator()(const FindHeads& a);
  void operator()(const AblateHeads& a);
  void operator()(const CopyHeads& a);
  void operator()(const SaveHeads& a);
  void operator()(const CopyCode& a);
  void operator()(const SaveArrays& a);

  // A network that learns: update_training.cpp
  void operator()(const PlayTraining& a);
  void operator()(const TrainUntilLearned& a);
  void operator()(const TrainTo& a);
  void operator()(const MoveInTraining& a);
  void operator()(const LookAtTrainStep& a);
  void operator()(const FollowTraining& a);
  void operator()(const TrainAgain& a);
  void operator()(const SetPace& a);
  void operator()(const TrainSeeds& a);
  void operator()(const PinTrainCell& a);
  void operator()(const ReleaseTrainCell&) { model.training.pinned.reset(); }
  void operator()(const ShowTrainGradient& a) { model.training.gradient = a.on; }
  void operator()(const MarkTraining& a);
  void operator()(const CompareTraining&) { effects.compare_training = compared_steps(model.training).has_value(); }
  void operator()(const SaveTraining& a);
  void operator()(const TrainOn& a);
  void operator()(const SwitchTrainHead& a);
  void operator()(const RedrawTrainHead& a) { change_head(a, {a.map, a.head}, learn::HeadChange::To::redrawn, true); }
  void operator()(const MeasureTrainHeads&) { effects.measure_train_heads = can_change_heads(model.training); }
  void operator()(const PruneTraining& a);
  void operator()(const ExploreTraining&) { effects.explore_training = model.training.pinned.has_value(); }
  void operator()(const ChooseTask& a);
  void operator()(const SetTraining& a);
  void operator()(const SetTrainText& a);
  void operator()(const SetTrainSeed& a);
  void operator()(const SetTrainSteps& a);
  void operator()(const TryCounterTest& a);
  void operator()(const LeaveCounterTest& a);
  void ask_training(const Action& action, const std::string& key, bool continues, learn::TrainingPlan plan);
  void change_head(const Action& action, learn::TrainedHead head, learn::HeadChange::To to, bool resume);

  // A lesson: update_lesson.cpp
  void operator()(const MoveInLesson& a);
  void operator()(const GoInLesson& a);
  void operator()(const AnswerLesson& a);
  void operator()(const NewLesson&) { effects.new_lesson = true; }
  void operator()(const PrintLesson&) { effects.print_lesson = model.learner.played != nullptr; }
  void operator()(const SaveAnswers& a);
  void operator()(const HintInLesson& a);
  void operator()(const SolveInLesson& a);
  void operator()(const AskAgainInLesson& a);
  void operator()(const LeaveLesson& a);
  void operator()(const ExploreLesson& a);

  // The window, the document, its files: update_window.cpp
  void operator()(const Fold& a) { model.sides[a.side] = !a.away; }
  void operator()(const HidePart& a);
  void operator()(const ShowAllParts&) { look().hide.clear(); }
  void operator()(const ShowDialog& a);
  void operator()(const ShowHelp& a);
  void operator()(const ShowMenu& a);
  void operator()(const Dismiss& a);
  void operator()(const Undo&) { effects.rerun = step_back(model.history.undo, model.history.redo); }
  void operator()(const Redo&) { effects.rerun = step_back(model.history.redo, model.history.undo); }
  void operator()(const GoInHistory& a);
  void operator()(const New&) { effects.fresh = may_leave(Departure::For::fresh); }
  void operator()(const Save& a);
  void operator()(const SaveWithInputs& a);
  void operator()(const Decide& a);
  void operator()(const Quit&) { effects.quit = may_leave(Departure::For::quit); }
  bool step_back(std::deque<HistoryEntry>& from, std::deque<HistoryEntry>& to, std::size_t steps = 1);
  bool may_leave(Departure::For what);

  // Presenting: update_window.cpp
  void operator()(const Present& a);
  void operator()(const MoveExperiment& a);
  void operator()(const Ask& a);
  void operator()(const PresentHead& a);
  void operator()(const AskAboutSlide& a);
  void operator()(const Answer& a);
  void operator()(const CountHand& a);
  void operator()(const Reveal& a);
  void operator()(const Cover& a);
  void operator()(const Spotlight& a);
  void operator()(const PresentZoom& a);
  void operator()(const Freeze& a);
  void operator()(const SetTimer& a);
  void operator()(const PresentTheme& a);
  void operator()(const ShowNotes& a);
  void operator()(const SetNotes& a);

  // Figures and worksheets: update_figure.cpp
  void operator()(const ShowScreen& a);
  void operator()(const SetFigure& a);
  void operator()(const SetFigurePath& a);
  void operator()(const SetFigureFormat& a);
  void operator()(const SetFigureEach& a);
  void operator()(const SetFigureExtra& a);
  void operator()(const SaveFigure& a);
  void operator()(const SetSheet& a);
  void operator()(const SaveSheet& a);
  void operator()(const CopyCommand& a);
  void set_figure_from_view();
};

}  // namespace headlight::app
