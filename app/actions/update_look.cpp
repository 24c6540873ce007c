// How the result is looked at.
#include <algorithm>

#include "app/actions/updating.h"
#include "app/actions/view_description.h"
#include "app/reading/cell_trace.h"
#include "app/reading/edits_offered.h"
#include "app/reading/glossary.h"
#include "app/reading/head_measures.h"
#include "app/reading/row_numbers.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

// What a script of the run and its arrays are called.
std::string script_name(const Model& model) {
  return model.path.empty() ? "attention" : utf8(model.path.stem());
}

}  // namespace

void Updating::operator()(const ShowStep& a) {
  if (!model.trace() || !model.trace()->find(a.value)) return;
  if (a.value != look().step) model.term.clear();  // it stood in the words of the step before
  set(a, &Look::step, a.value);
}

void Updating::operator()(const GoStage& a) {
  if (model.shows_network()) return go_to_depth(a.value);
  if (!model.trace() || model.trace()->stages.empty()) return;
  const auto& stages = model.trace()->stages;
  const auto at = std::clamp<int>(a.value, 0, static_cast<int>(stages.size()) - 1);
  (*this)(ShowStep{stages[static_cast<std::size_t>(at)].steps.front()});
}

void Updating::operator()(const SetHead& a) {
  const Index head = std::clamp<Index>(a.value, 0, std::max<Index>(1, model.extent(AxisRole::head)) - 1);
  set(a, &Look::head, head);
}

void Updating::operator()(const MoveHead& a) {
  const Index heads = std::max<Index>(1, model.extent(AxisRole::head));
  (*this)(SetHead{(look().head + a.value % heads + heads) % heads});
}

void Updating::operator()(const SetFrame& a) {
  const Index frames = model.step() ? frames_of(*model.step()) : 1;
  set(a, &Look::frame, std::clamp<Index>(a.value, 0, frames - 1));
}

void Updating::operator()(const SetMode& a) {
  if (a.value != ViewMode::layers || model.has_layers()) set(a, &Look::mode, a.value);
}

void Updating::operator()(const SetScaling& a) {
  if (a.value == scaling_of(model)) return;
  view(a);
  (model.shows_network() ? network().look.scaling : look().scaling) = a.value;
}

void Updating::operator()(const Select& a) {
  if (look().selection == a.selection && look().pinned == a.pin) return;
  view(a);
  const bool key_moved = look().selection.key != a.selection.key;
  if (only_query() && a.selection.query && *only_query() != *a.selection.query) {
    edit_experiment().params.infer("only_query", *a.selection.query);
    effects.rerun = true;
  }
  if (a.pin && shows_pinned(model)) model.pinned_before = look().selection;
  look().selection = a.selection;
  look().pinned = a.pin;
  if (look().second == a.selection) look().second.reset();
  // The frame that is shown goes along with the key.
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  const Axis* keys = map ? map->axis(AxisRole::key) : nullptr;
  if (key_moved && a.selection.key && keys && keys->grid && keys->grid->frames > 1)
    look().frame = std::min(*a.selection.key / (keys->grid->rows * keys->grid->columns), keys->grid->frames - 1);
}

void Updating::operator()(const PinSecond& a) {
  const bool none = a.value == Selection{} || a.value == look().second || a.value == look().selection;
  if (!none && !shows_pinned(model)) return (*this)(Select{a.value, true});
  if (none && !look().second) return;
  view(a);
  look().second = none ? std::nullopt : std::optional(a.value);
}

void Updating::operator()(const MoveSelection& a) {
  const Step* step = model.step();
  if (!step) return;
  (*this)(Select{moved_selection(*step, focus_of(look()), look().selection, a.rows, a.columns), true});
}

void Updating::operator()(const ShowTerm& a) {
  const GlossaryEntry* entry = term_named(a.value);
  model.term = entry ? entry->forms.front() : "";
}

void Updating::operator()(const Release& a) {
  model.sides.drawer = false;
  if (!look().pinned) return;
  view(a);
  if (look().second)
    look().second.reset();
  else
    look().pinned = false;
}

void Updating::operator()(const Play& a) {
  const bool at_end = model.stages() > 0 && model.stage() + 1 == model.stages();
  if (a.on && at_end) (*this)(GoStage{0});
  model.playing = a.on && model.stages() > 0;
  model.play_since = model.now;
}

void Updating::operator()(const CopyValue&) {
  const Step* step = model.step();
  const auto cell = step ? cell_looked_at(*step, focus_of(look())) : std::nullopt;
  if (!cell) return;
  const float value = step->tensor()[*cell];
  effects.clipboard = why_masked(*model.trace(), *step, *cell).empty() ? fmt::format("{}", value) : "masked";
}

void Updating::operator()(const CopyTrace&) {
  const Step* step = model.step();
  const auto cell = step ? cell_looked_at(*step, focus_of(look())) : std::nullopt;
  if (!cell) return;
  effects.clipboard = to_text(trace_cell(*model.trace(), *step, *cell), *model.trace());
  if (const auto second = second_cell(model))
    *effects.clipboard += "\n" + to_text(trace_cell(*model.trace(), *step, *second), *model.trace());
}

void Updating::operator()(const CopyDescription&) {
  if (std::string words = describe_view(model); !words.empty()) effects.clipboard = std::move(words);
}

void Updating::operator()(const CopyRow&) {
  const Step* step = model.step();
  if (!step) return;
  Focus focus = focus_of(look());
  focus.flat = true;
  if (const auto row = row_looked_at(*step, focus))
    effects.clipboard = to_tsv(row_numbers(*model.trace(), *step, focus, *row));
}

void Updating::operator()(const SortHeads& a) {
  model.head_table.by = a.by;
  model.head_table.ascending = a.ascending;
}

void Updating::operator()(const PlotHeads& a) {
  if (!a.across || !a.up) return;
  model.head_table.across = a.across;
  model.head_table.up = a.up;
}

void Updating::operator()(const FindHeads& a) {
  model.head_table.find = a.words;
  if (!a.words.empty() && model.trace() && model.trace()->map()) (*this)(SetMode{ViewMode::heads});
}

void Updating::operator()(const AblateHeads& a) {
  if (model.shows_network()) {
    if (!model.busy && a.on != model.net.without.running) effects.ablate = a.on;
    return;
  }
  if (a.on != model.head_report.ablating && (model.head_report.measures || !a.on)) effects.ablate = a.on;
}

void Updating::operator()(const CopyHeads&) {
  const HeadTable& table = model.head_table;
  const auto& measures = model.head_report.measures;
  if (!measures || !model.trace()) return;
  effects.clipboard =
      heads_as_fields(*measures, *model.trace(), sorted_heads(*measures, table.by, table.ascending), Separator::tab);
  const std::string item = item_in_words(model);
  note(fmt::format("The table of {} heads{}{} is on the clipboard", measures->heads, item.empty() ? "" : ", ", item));
}

void Updating::operator()(const SaveHeads&) {
  if (model.head_report.measures && !model.exporting.busy)
    effects.replace =
        Replacing{Replacing::What::heads, model.path.parent_path() / (script_name(model) + "-heads.csv"), {}};
}

void Updating::operator()(const CopyCode& a) {
  if (!model.trace() || !model.shown.problem) return;
  const std::string name = script_name(model);
  const ScriptFiles files{.experiment = model.path.empty() ? "EXPERIMENT" : utf8(model.path.filename()),
                          .script = name + ".py",
                          .arrays = name + ".npz"};
  effects.clipboard = script(*model.trace(), *model.shown.problem, a.value, files);
  note(fmt::format("The script is on the clipboard. It reads {}: Save arrays makes that.", files.arrays));
}

void Updating::operator()(const SaveArrays&) {
  if (model.trace() && !model.exporting.busy)
    effects.replace = Replacing{Replacing::What::arrays, model.path.parent_path() / (script_name(model) + ".npz"), {}};
}

}  // namespace headlight::app
