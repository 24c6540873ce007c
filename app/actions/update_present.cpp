// What is presented to a class. Nothing here touches the document or its history.
#include <algorithm>
#include <cmath>

#include "app/actions/updating.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

// The slide that may be changed: none where nothing is presented, or the picture is frozen.
Slide* slide_in(Model& model) {
  Presenter& present = model.present;
  return present.on && !present.frozen && present.at < present.slides.size() ? &present.slides[present.at] : nullptr;
}

// Another question: what was said of the one before goes.
void ask_anew(Model& model, Slide& slide) {
  slide.answer = 0;
  slide.revealed = false;
  model.present.spotlight = {};
}

}  // namespace

void Updating::operator()(const Present& a) {
  if (a.on == model.present.on) return;
  if (model.playing) model.play_since = model.now;  // it waits meanwhile
  model.present = {};
  if (!a.on) return;
  model.present.on = true;
  model.dialog = Dialog::none;
  const std::filesystem::path example =
      model.name.empty() ? std::filesystem::path() : model.examples / (model.name + ".headlight");
  const std::filesystem::path file = model.path.empty() ? example : model.path;
  model.present.slides = {{.path = file, .name = utf8(path_of_utf8(model.title()).stem()), .open = true}};
  if (!file.empty()) effects.slides = file;
}

void Updating::operator()(const MoveExperiment& a) {
  Presenter& present = model.present;
  if (!slide_in(model)) return;
  const auto last = static_cast<std::int64_t>(present.slides.size()) - 1;
  const auto at = std::clamp<std::int64_t>(static_cast<std::int64_t>(present.at) + a.value, 0, last);
  if (at == static_cast<std::int64_t>(present.at)) return;
  present.at = static_cast<std::size_t>(at);
  present.spotlight = {};
  present.zoom = 1;
}

void Updating::operator()(const Ask& a) {
  Slide* slide = slide_in(model);
  const Outcome* run = slide ? &presented(model) : nullptr;
  const Step* map = run && run->trace ? run->trace->map() : nullptr;
  if (!map) return;
  const Axis* queries = map->axis(AxisRole::query);
  const Index least = queries && queries->only ? *queries->only : 0;
  const Index query = std::clamp<Index>(a.value, least, last_query(*map));
  if (slide->query == query) return;
  slide->query = query;
  ask_anew(model, *slide);
}

void Updating::operator()(const PresentHead& a) {
  Slide* slide = slide_in(model);
  const Outcome* run = slide ? &presented(model) : nullptr;
  const Step* map = run && run->trace ? run->trace->map() : nullptr;
  if (!map) return;
  const Index head = std::clamp<Index>(a.value, 0, heads_served(*map) - 1);
  if (slide->head == head) return;
  slide->head = head;
  ask_anew(model, *slide);
}

void Updating::operator()(const Answer& a) {
  Slide* slide = slide_in(model);
  if (!slide || slide->revealed) return;
  if (a.value >= 0 && a.value <= static_cast<int>(question_of_slide(model).choices.size())) slide->answer = a.value;
}

void Updating::operator()(const Reveal& a) {
  Slide* slide = slide_in(model);
  if (slide && (!a.on || !question_of_slide(model).choices.empty())) slide->revealed = a.on;
}

void Updating::operator()(const Cover& a) {
  if (slide_in(model)) model.present.covered[static_cast<std::size_t>(a.what)] = a.on;
}

void Updating::operator()(const Spotlight& a) {
  if (!slide_in(model)) return;
  Selection at{.query = a.value.query, .key = a.value.query ? a.value.key : std::nullopt};
  model.present.spotlight = at;
}

void Updating::operator()(const PresentZoom& a) {
  if (slide_in(model) && std::isfinite(a.value)) model.present.zoom = std::clamp(a.value, 1.0, most_present_zoom);
}

void Updating::operator()(const Freeze& a) {
  Presenter& present = model.present;
  if (!present.on || present.frozen == a.on) return;
  present.frozen = a.on;
  // The timer stands still meanwhile.
  if (a.on)
    present.frozen_since = model.now;
  else
    present.timer_since += model.now - present.frozen_since;
}

void Updating::operator()(const SetTimer& a) {
  if (!slide_in(model) || !std::isfinite(a.value)) return;
  model.present.timer = std::clamp(a.value, 0.0, most_timer);
  model.present.timer_since = model.now;
}

void Updating::operator()(const PresentTheme& a) {
  if (slide_in(model)) model.present.theme = a.value;
}

void Updating::operator()(const ShowNotes& a) {
  if (model.present.on) model.settings.notes = a.on;
}

void Updating::operator()(const SetNotes& a) {
  if (experiment().notes == a.text) return;
  edit_figure(a, "notes", a.continues);  // nothing that is computed hangs on them
  edit_experiment().notes = a.text;
}

}  // namespace headlight::app
