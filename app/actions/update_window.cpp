// The window, and the document's way to its files and back.
#include <algorithm>
#include <utility>

#include "app/actions/updating.h"

namespace headlight::app {

void Updating::operator()(const SetTheme& a) {
  model.settings.theme = a.theme;
}

void Updating::operator()(const SetScale& a) {
  model.settings.scale = std::clamp(a.scale, least_scale, most_scale);
}

void Updating::operator()(const SetExpert& a) {
  model.settings.expert = a.on;
}

void Updating::operator()(const SetReduceMotion& a) {
  model.settings.reduce_motion = a.on;
}

void Updating::operator()(const Fold& a) {
  model.sides[a.side] = !a.away;
}

void Updating::operator()(const ShowDialog& a) {
  if (a.dialog == Dialog::none && model.dialog != Dialog::none) return (*this)(Decide{Decision::cancel});
  model.dialog = a.dialog;
  effects.thumbnails = a.dialog == Dialog::open;
  effects.weigh_inputs = a.dialog == Dialog::save_with_inputs;
}

void Updating::operator()(const ShowMenu& a) {
  model.menu_of = a.of;
  model.dialog = Dialog::menu;
}

void Updating::operator()(const Dismiss& a) {
  if (a.notice < model.notices.size())
    model.notices.erase(model.notices.begin() + static_cast<std::ptrdiff_t>(a.notice));
}

void Updating::operator()(const Undo&) {
  effects.rerun = step_back(model.history.undo, model.history.redo);
}

void Updating::operator()(const Redo&) {
  effects.rerun = step_back(model.history.redo, model.history.undo);
}

void Updating::operator()(const GoInHistory& a) {
  History& history = model.history;
  const std::int64_t steps = std::abs(static_cast<std::int64_t>(a.by));
  auto& from = a.by < 0 ? history.undo : history.redo;
  const std::size_t there = std::min(from.size(), static_cast<std::size_t>(steps));
  if (there > 0) effects.rerun = step_back(from, a.by < 0 ? history.redo : history.undo, there);
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

void Updating::operator()(const Open& a) {
  effects.open = a.path;
}

void Updating::operator()(const Save& a) {
  effects.save = a.path.empty() ? model.path : a.path;
  if (effects.save->empty()) {
    effects.save.reset();
    model.dialog = Dialog::save;
  }
}

void Updating::operator()(const SaveWithInputs& a) {
  if (a.path.empty()) return (*this)(ShowDialog{Dialog::save_with_inputs});
  effects.save = a.path;
  effects.save_inputs = true;
}

void Updating::operator()(const Decide& a) {
  const Dialog asked = std::exchange(model.dialog, Dialog::none);
  if (a.decision == Decision::cancel) {
    model.leaving = {};
    model.replacing = {};
    model.arrays_opened = nullptr;
  } else if (a.decision == Decision::save && asked == Dialog::leave) {
    (*this)(Save{});  // and then what waits
  } else if (a.decision == Decision::discard && asked == Dialog::leave) {
    effects.leave = std::exchange(model.leaving, {});
  } else if (a.decision == Decision::replace && asked == Dialog::replace) {
    effects.replace = std::exchange(model.replacing, {});
  } else if (a.decision == Decision::reload && asked == Dialog::replace && model.replacing.changed) {
    model.leaving = {};  // one goes on with what the file holds now
    effects.leave = Departure{Departure::For::open, std::exchange(model.replacing, {}).path};
  } else if (a.decision == Decision::other_name && asked == Dialog::replace) {
    const Replacing replacing = std::exchange(model.replacing, {});
    if (replacing.what == Replacing::What::experiment)
      (*this)(ShowDialog{replacing.with_inputs ? Dialog::save_with_inputs : Dialog::save});
  } else {
    model.dialog = asked;
  }
}

void Updating::operator()(const Recover& a) {
  effects.recover = a.index;
}

void Updating::operator()(const DiscardRecovered& a) {
  effects.discard_recovered = a.index;
}

void Updating::operator()(const Browse& a) {
  effects.browse = a.folder;
}

void Updating::operator()(const Peek& a) {
  effects.peek = a.path;
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
