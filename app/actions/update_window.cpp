// The window, and the document's way to its files and back.
#include <algorithm>
#include <utility>

#include "app/actions/updating.h"

namespace headlight::app {

void Updating::operator()(const Fold& a) {
  model.sides[a.side] = !a.away;
}

void Updating::operator()(const ShowDialog& a) {
  if (a.value == Dialog::none && model.dialog != Dialog::none) return (*this)(Decide{Decision::cancel});
  model.dialog = a.value;
  effects.thumbnails = a.value == Dialog::open;
  effects.weigh_inputs = a.value == Dialog::save_with_inputs;
}

void Updating::operator()(const ShowMenu& a) {
  model.menu_of = a.value;
  model.dialog = Dialog::menu;
}

void Updating::operator()(const Dismiss& a) {
  if (a.value < model.notices.size()) model.notices.erase(model.notices.begin() + static_cast<std::ptrdiff_t>(a.value));
}

void Updating::operator()(const Undo&) {
  effects.rerun = step_back(model.history.undo, model.history.redo);
}

void Updating::operator()(const Redo&) {
  effects.rerun = step_back(model.history.redo, model.history.undo);
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
    keep_before(model);
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

void Updating::operator()(const New&) {
  effects.fresh = may_leave(Departure::For::fresh);
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

void Updating::operator()(const Quit&) {
  effects.quit = may_leave(Departure::For::quit);
}

std::string undo_name(const History& history) {
  return history.undo.empty() ? "" : history.undo.back().name;
}
std::string redo_name(const History& history) {
  return history.redo.empty() ? "" : history.redo.back().name;
}

}  // namespace headlight::app
