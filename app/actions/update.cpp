#include "app/actions/update.h"

#include <algorithm>
#include <utility>

#include "app/actions/action_table.h"
#include "app/actions/updating.h"
#include "app/model/document.h"
#include "app/model/lesson_scene.h"
#include "app/reading/key_place.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/step_words.h"
#include "engine/run/inputs.h"

namespace headlight::app {

Experiment& Updating::edit_experiment() {
  if (!edited) {
    edited = std::make_shared<Experiment>(experiment());
    model.document.experiment = edited;
  }
  return *edited;
}

bool Updating::remember(const Action& action, const std::string& key, bool continues) {
  edited.reset();  // what the entry shares is not edited any more
  History& history = model.history;
  const bool joins = history.open && !history.undo.empty() && history.undo.back().merge_key == key;
  history.redo.clear();
  history.open = continues;
  if (!joins) push(model, {undo_name_of(action, model), key, model.document}, continues);
  return joins;
}

void Updating::edit(const Action& action, const std::string& key, bool continues) {
  if (!remember(action, key, continues)) keep_previous(model);
  effects.rerun = true;
}

void Updating::view(const Action& action) {
  const std::string key = "view." + undo_name_of(action, model);
  model.history.open = !model.history.undo.empty() && model.history.undo.back().merge_key == key;
  remember(action, key, true);
}

void Updating::forget_notes() {
  std::erase_if(model.notices, [](const Notice& notice) { return notice.level == Notice::Level::note; });
}

void Updating::note(std::string text) {
  forget_notes();
  model.notices.push_back({Notice::Level::note, std::move(text)});
}

namespace {

// What is another document than the one that a lesson shows.
bool leaves_lesson(const Action& action) {
  return action.as<Quit>() || action.as<New>() || action.as<Open>() || action.as<OpenMember>() || action.as<Recover>();
}

}  // namespace

Effects update(Model& model, const Action& action) {
  Updating updating{model, {}};
  if (const std::string why = why_of_another_document(action, model); !why.empty()) {
    updating.note(why + ".");
    return std::move(updating.effects);
  }
  if (model.learner.played && is_locked(played_step(model).asked, action)) {  // the step keeps it as it is
    updating.note("This step keeps that as it is.");
    return std::move(updating.effects);
  }
  if (model.learner.played && leaves_lesson(action)) updating(LeaveLesson{});
  action.visit(updating);
  refresh_held_run(model);
  choose_slide_query(model);
  if (!action.as<SetHover>() && !action.as<Light>()) model.touch();
  return std::move(updating.effects);
}

double time_to_read(std::string_view words) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] != ' ' && (i == 0 || words[i - 1] == ' ')) ++count;
  return 60 * static_cast<double>(count) / words_read_a_minute;
}

double play_delay(const Model& model) {
  const bool told = model.screen == Screen::explore && !model.shows_network() && !model.shows_layers() &&
                    model.step() && model.sides.inspector && !model.settings.expert;
  if (!told) return least_rest;
  const Step& step = *model.step();
  return std::max(least_rest,
                  time_to_read(step.info.note + " " + head_sentence(*model.trace(), step, model.document.look.head)));
}

void tick(Model& model, double now) {
  model.now = now;
  choose_slide_query(model);
  if (!model.playing || model.present.on || model.stages() == 0 || now - model.play_since < play_delay(model)) return;
  const int last = model.stages() - 1;
  if (model.stage() >= last) {
    model.playing = false;
    return;
  }
  update(model, MoveStage{1});
  model.play_since = now;
}

// ---- Takes what was computed: a run, or the run that it is compared with.

void clamp_look(Model& model) {
  Look& look = model.document.look;
  if (const Step* opening = model.trace() && look.step.empty() ? model.trace()->default_step() : nullptr)
    look.step = opening->info.id;
  if (look.mode == ViewMode::layers && model.trace() && !model.has_layers()) look.mode = ViewMode::map;
  const auto inside = [&](AxisRole along, std::optional<Index>& at) {
    if (!at || *at < model.extent(along)) return;
    at.reset();
    look.pinned = false;  // there is no such cell any more
  };
  look.head = std::min(look.head, std::max<Index>(1, model.extent(AxisRole::head)) - 1);
  look.batch = std::min(look.batch, std::max<Index>(1, model.extent(AxisRole::batch)) - 1);
  if (model.shown.problem && model.shown.problem->only_query)
    look.selection.query = model.shown.problem->only_query;
  else
    inside(AxisRole::query, look.selection.query);
  inside(AxisRole::key, look.selection.key);
  const auto beyond = [&](AxisRole along, const std::optional<Index>& at) { return at && *at >= model.extent(along); };
  if (look.second && (beyond(AxisRole::query, look.second->query) || beyond(AxisRole::key, look.second->key)))
    look.second.reset();
  if (model.hover &&
      (beyond(AxisRole::query, model.hover->selection.query) || beyond(AxisRole::key, model.hover->selection.key)))
    model.hover.reset();
  // On a picture somebody must ask: its middle, until another is chosen.
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  if (!map || !is_seen_on_picture(*map)) return;
  const Slice slice = slice_of(*map, {});
  const Axis* queries = map->axis(AxisRole::query);
  if (!look.selection.query && queries) look.selection.query = middle_query(*map).value_or(queries->size / 2);
  // The frame of the selected key, else of the query, until another is chosen.
  const Index keys = slice.grid.rows * slice.grid.columns;
  if (look.frame < 0 && look.selection.key)
    look.frame = *look.selection.key / keys;
  else if (look.frame < 0 && queries && queries->grid)
    look.frame = *look.selection.query / (queries->grid->rows * queries->grid->columns);
  look.frame = std::clamp<Index>(look.frame, 0, slice.grid.frames - 1);
}

namespace {

// What is shown against the run before, or the run before for what comes.
void compare(Model& model) {
  model.equivariance.reset();
  const Outcome& shown = model.shown;
  const Step* output = shown.trace && shown.experiment ? shown.trace->output() : nullptr;
  if (!output) return;
  const std::string question = question_of(*shown.experiment);
  if (!shown.experiment->arrange) {
    model.unarranged = {question, output->values, {}};
    return;
  }
  const auto axes = position_axes(*shown.problem, output->tensor().shape());
  const auto& before = model.unarranged.output;
  if (model.unarranged.question == question && before && axes && before->shape() == output->tensor().shape())
    model.equivariance = equivariance_of(*before, output->tensor(), *axes, *shown.experiment->arrange);
  // The border of a picture hides no places of its own: it is told by itself.
  const bool masks = std::ranges::any_of(shown.trace->steps, [](const Step& step) {
    const Axis* queries = step.axis(AxisRole::query);
    return step.info.kind == Kind::score && queries && !queries->grid &&
           std::ranges::any_of(step.extents, &Extent::masked);
  });
  if (model.equivariance && model.equivariance->off > 0 && masks)
    model.equivariance->words += " The mask stays where it is: it hides places, whatever stands there now.";
}

// The key of another mechanism that lies where the one lay that was looked at: alone or among others.
void find_kept_key(Model& model) {
  const auto kept = std::exchange(model.kept_place, std::nullopt);
  Look& look = model.document.look;
  const Step* map = model.trace() ? model.trace()->map() : nullptr;
  const Axis *queries = map ? map->axis(AxisRole::query) : nullptr, *keys = map ? map->axis(AxisRole::key) : nullptr;
  if (!kept || !queries || !keys || !queries->grid || !look.selection.query || look.selection.key) return;
  const Grid& grid = *queries->grid;
  const Index row = kept->pixel / grid.columns % grid.rows, column = kept->pixel % grid.columns,
              frame = kept->pixel / (grid.rows * grid.columns);
  for (Index key = 0; key < keys->size; ++key) {
    const KeyPlace at = key_place(*model.trace(), *map, key, look.selection.query, look.batch);
    const bool there = !at.outside && at.frame == frame && row >= at.row && row < at.row + at.rows &&
                       column >= at.column && column < at.column + at.columns;
    if (!there) continue;
    look.selection.key = key;
    look.pinned = kept->pinned;
    return;
  }
}

}  // namespace

void receive(Model& model, Outcome outcome) {
  if (outcome.ticket < model.asked) return;  // a newer one is on its way
  model.too_large = outcome.too_large;
  const bool at_rest = !model.view_changed();
  if (outcome.trace) {
    model.error.clear();
    model.error_about = {};
    model.shown = std::move(outcome);
    clamp_look(model);
    judge_action(model);
    find_kept_key(model);
    compare(model);
  } else {
    model.error = outcome.error;
    model.error_about = outcome.error_about;
    clamp_look(model);
  }
  if (at_rest) model.rest_view = view_of(model.document.look);  // the view changed by itself
}

std::optional<Experiment> missing_comparison_run(const Model& model) {
  const auto& shown = model.shown.experiment;
  if (!model.trace() || !shown || !shown->arrange || model.shown.problem->only_query ||
      model.unarranged.question == question_of(*shown))
    return std::nullopt;
  Experiment plain = *shown;
  plain.arrange.reset();
  return plain;
}

void receive_to_compare(Model& model, const Outcome& outcome) {
  const Step* output = outcome.trace ? outcome.trace->output() : nullptr;
  model.unarranged = {question_of(*outcome.experiment), output ? output->values : nullptr, outcome.error};
  compare(model);
}

}  // namespace headlight::app
