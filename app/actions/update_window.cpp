// The window, and the document's way to its files and back.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/actions/slide_questions.h"
#include "app/actions/updating.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment.h"

namespace headlight::app {

void Updating::operator()(const HidePart& a) {
  const bool known = std::ranges::find(parts_of_window, a.value) != parts_of_window.end();
  if (known && !look().hides(a.value)) look().hide.push_back(a.value);
}

void Updating::operator()(const ShowDialog& a) {
  if (a.value == Dialog::none && model.dialog != Dialog::none) return (*this)(Decide{Decision::cancel});
  model.dialog = a.value;
  effects.thumbnails = a.value == Dialog::open;
  effects.measure_inputs = a.value == Dialog::save_with_inputs;
}

void Updating::operator()(const ShowHelp& a) {
  model.topic = a.value;
  model.dialog = Dialog::help;
}

void Updating::operator()(const ShowMenu& a) {
  model.menu_of = a.value;
  model.dialog = Dialog::menu;
}

void Updating::operator()(const Dismiss& a) {
  if (a.value < model.notices.size()) model.notices.erase(model.notices.begin() + static_cast<std::ptrdiff_t>(a.value));
}

void Updating::operator()(const GoInHistory& a) {
  History& history = model.history;
  const std::int64_t steps = std::abs(static_cast<std::int64_t>(a.value));
  auto& from = a.value < 0 ? history.undo : history.redo;
  const std::size_t there = std::min(from.size(), static_cast<std::size_t>(steps));
  if (there > 0) effects.rerun = step_back(from, a.value < 0 ? history.redo : history.undo, there);
}

// Whether another experiment is asked for then.
bool Updating::step_back(std::deque<HistoryEntry>& from, std::deque<HistoryEntry>& to, std::size_t steps) {
  const bool of_network = model.shows_network();
  const auto before = model.document.experiment;
  const auto text = of_network ? model.text() : nullptr;
  for (std::size_t i = 0; i < steps; ++i) go(model, from, to);
  const bool other = model.document.experiment != before || (of_network && *model.text() != *text);
  if (model.shows_network() || of_network) return other;
  if (other)
    keep_previous(model);
  else
    clamp_look(model);  // no run comes that would: the step may have been made before there was one
  return other;
}

// Unsaved work is asked about before it goes; true: it may.
bool Updating::may_leave(Departure::For what) {
  if (!model.may_lose_work()) return true;
  model.leaving = {what, {}};
  if (model.saving == 0) model.dialog = Dialog::leave;  // else it is seen once that is done
  return false;
}

void Updating::operator()(const Save& a) {
  effects.save = a.value.empty() ? model.path : a.value;
  if (effects.save->empty()) {
    effects.save.reset();
    model.dialog = Dialog::save;
  }
}

void Updating::operator()(const SaveWithInputs& a) {
  if (a.value.empty()) return (*this)(ShowDialog{Dialog::save_with_inputs});
  effects.save = a.value;
  effects.save_inputs = true;
}

void Updating::operator()(const OpenMember& a) {
  model.dialog = Dialog::none;
  effects.open = path_of_utf8(a.path);
  effects.member = a.member;
}

void Updating::operator()(const Decide& a) {
  const Dialog asked = std::exchange(model.dialog, Dialog::none);
  if (a.value == Decision::cancel) {
    model.leaving = {};
    model.replacing = {};
    model.arrays_opened = nullptr;
  } else if (a.value == Decision::save && asked == Dialog::leave) {
    (*this)(Save{});  // and then what waits
  } else if (a.value == Decision::discard && asked == Dialog::leave) {
    effects.leave = std::exchange(model.leaving, {});
  } else if (a.value == Decision::replace && asked == Dialog::replace) {
    effects.replace = std::exchange(model.replacing, {});
  } else if (a.value == Decision::reload && asked == Dialog::replace && model.replacing.changed) {
    model.leaving = {};  // one goes on with what the file holds now
    effects.leave = Departure{Departure::For::open, std::exchange(model.replacing, {}).path};
  } else if (a.value == Decision::other_name && asked == Dialog::replace) {
    const Replacing replacing = std::exchange(model.replacing, {});
    if (replacing.what == Replacing::What::experiment)
      (*this)(ShowDialog{replacing.with_inputs ? Dialog::save_with_inputs : Dialog::save});
  } else {
    model.dialog = asked;
  }
}

std::string undo_name(const History& history) {
  return history.undo.empty() ? "" : history.undo.back().name;
}
std::string redo_name(const History& history) {
  return history.redo.empty() ? "" : history.redo.back().name;
}

// ---- What is presented to a class. Nothing here touches the document or its history.

namespace {

// The slide that may be changed: none where nothing is presented, or the picture is frozen.
Slide* editable_slide(Model& model) {
  Presenter& present = model.present;
  return present.on && !present.frozen && present.at < present.slides.size() ? &present.slides[present.at] : nullptr;
}

// Another question: what was said of the one before goes.
void reset_question(Model& model, Slide& slide) {
  slide.answer = 0;
  slide.hands.clear();
  slide.revealed = false;
  model.present.spotlight = {};
}

}  // namespace

void Updating::operator()(const Present& a) {
  if (model.learner.played) {  // a lesson is presented as it stands, at a size for a class
    model.learner.large = a.on;
    return;
  }
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
  if (!editable_slide(model)) return;
  const auto last = static_cast<std::int64_t>(present.slides.size()) - 1;
  const auto at = std::clamp<std::int64_t>(static_cast<std::int64_t>(present.at) + a.value, 0, last);
  if (at == static_cast<std::int64_t>(present.at)) return;
  present.at = static_cast<std::size_t>(at);
  present.spotlight = {};
  present.zoom = 1;
}

void Updating::operator()(const Ask& a) {
  Slide* slide = editable_slide(model);
  const Outcome* run = slide ? &presented(model) : nullptr;
  const Step* map = run && run->trace ? run->trace->map() : nullptr;
  if (!map) return;
  const Axis* queries = map->axis(AxisRole::query);
  const Index least = queries && queries->only ? *queries->only : 0;
  const Index query = std::clamp<Index>(a.value, least, last_query(*map));
  if (slide->query == query) return;
  slide->query = query;
  reset_question(model, *slide);
}

void Updating::operator()(const PresentHead& a) {
  Slide* slide = editable_slide(model);
  const Outcome* run = slide ? &presented(model) : nullptr;
  const Step* map = run && run->trace ? run->trace->map() : nullptr;
  if (!map) return;
  const Index head = std::clamp<Index>(a.value, 0, heads_served(*map) - 1);
  if (slide->head == head) return;
  slide->head = head;
  reset_question(model, *slide);
}

void Updating::operator()(const AskAboutSlide& a) {
  Slide* slide = editable_slide(model);
  if (!slide || slide_question_id(model) == a.value) return;
  if (const auto all = slide_question_ids(model); std::ranges::find(all, a.value) == all.end()) return;
  slide->asks = a.value;
  reset_question(model, *slide);
}

void Updating::operator()(const Answer& a) {
  Slide* slide = editable_slide(model);
  if (!slide || slide->revealed) return;
  if (a.value >= 0 && a.value <= static_cast<int>(question_of_slide(model).choices.size())) slide->answer = a.value;
}

void Updating::operator()(const CountHand& a) {
  Slide* slide = editable_slide(model);
  if (!slide || slide->revealed) return;
  if (a.value == 0 && !slide->hands.empty()) slide->hands.pop_back();
  if (a.value > 0 && a.value <= static_cast<int>(question_of_slide(model).choices.size()))
    slide->hands.push_back(a.value);
}

void Updating::operator()(const Reveal& a) {
  Slide* slide = editable_slide(model);
  if (slide && (!a.on || !question_of_slide(model).choices.empty())) slide->revealed = a.on;
}

void Updating::operator()(const Cover& a) {
  if (editable_slide(model)) model.present.covered[static_cast<std::size_t>(a.what)] = a.on;
}

void Updating::operator()(const Spotlight& a) {
  if (!editable_slide(model)) return;
  Selection at{.query = a.value.query, .key = a.value.query ? a.value.key : std::nullopt};
  model.present.spotlight = at;
}

void Updating::operator()(const PresentZoom& a) {
  if (editable_slide(model) && std::isfinite(a.value)) model.present.zoom = std::clamp(a.value, 1.0, most_present_zoom);
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
  if (!editable_slide(model) || !std::isfinite(a.value)) return;
  model.present.timer = std::clamp(a.value, 0.0, most_timer);
  model.present.timer_since = model.now;
}

void Updating::operator()(const PresentTheme& a) {
  if (editable_slide(model)) model.present.theme = a.value;
}

void Updating::operator()(const ShowNotes& a) {
  if (model.present.on || presents_lesson(model)) model.settings.notes = a.on;
}

void Updating::operator()(const SetNotes& a) {
  if (experiment().notes == a.text) return;
  remember(a, "notes", a.continues);  // nothing that is computed hangs on them
  edit_experiment().notes = a.text;
}

}  // namespace headlight::app
