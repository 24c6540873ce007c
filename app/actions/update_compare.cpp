// Comparing: what is held as A, what is tried against it, what the newest change did.
#include <algorithm>
#include <utility>

#include "app/actions/updating.h"
#include "app/actions/what_if.h"
#include "app/model/mechanism_report.h"
#include "app/reading/difference.h"

namespace headlight::app {

namespace {

// What is open as an experiment that can be held: that of the result, where the result is of it.
std::shared_ptr<const Experiment> present(const Model& model) {
  if (model.trace() && model.shown.ticket == model.asked) return model.shown.experiment;
  return model.document.experiment;
}

bool same_experiment(const Experiment& one, const Experiment& other) {
  return &one == &other || (one.folder == other.folder && to_json(one, {}) == to_json(other, {}));
}

// The same place in the run that is about to be shown, as far as it has one.
void transfer_look(Look& look, const Trace& from, const Trace& to, const Step& step) {
  const Step* same = counterpart(to, from, step);
  look.step = same ? same->info.id : "";
  const PositionMatch match = match_positions(to, from, look.batch);
  look.selection = partner_in_a(match, look.selection);
  look.pinned = look.pinned && look.selection.query && look.selection.key;
}

}  // namespace

void refresh_held_run(Model& model) {
  HeldRun& a = model.comparison.a;
  if (a.experiment == model.document.held) return;
  a = {model.document.held, {}};
  for (const Outcome* known : {&model.shown, &model.comparison.before.outcome})
    if (a.experiment && known->trace && same_experiment(*known->experiment, *a.experiment)) a.outcome = *known;
}

void keep_previous(Model& model) {
  if (!model.trace()) return;
  HeldRun& before = model.comparison.before;
  before = {model.shown.experiment, {}};
  if (static_cast<double>(model.trace()->bytes()) <= most_bytes_kept_before) before.outcome = model.shown;
}

void Updating::replace_experiment(std::shared_ptr<const Experiment> other) {
  const Trace* next = model.comparison.a.outcome.trace.get();
  if (next && model.step()) transfer_look(look(), *model.trace(), *next, *model.step());
  model.document.experiment = std::move(other);
  edited.reset();
  forget_notes();
}

void Updating::remove_held_note() {
  std::erase_if(model.notices, [](const Notice& notice) { return notice.text == held_words; });
}

void Updating::hold_if_comparing() {
  if (model.screen == Screen::compare && !model.document.held && model.trace()) model.document.held = present(model);
}

void Updating::operator()(const HoldA& a) {
  if (!model.trace() || model.document.held == model.shown.experiment) return;
  remember(a, "compare");
  model.document.held = present(model);
  if (model.screen == Screen::explore) note(std::string(held_words));
}

void Updating::operator()(const SwapHeld& a) {
  if (!model.document.held) return;
  edit(a, "swap");
  replace_experiment(std::exchange(model.document.held, present(model)));
}

void Updating::operator()(const DropA& a) {
  if (!model.document.held) return;
  remember(a, "compare");
  remove_held_note();
  model.document.held.reset();
}

void Updating::operator()(const KeepOneOfBoth& a) {
  if (!model.document.held) return;
  model.screen = Screen::explore;
  if (!a.on) {
    remember(a, "compare");
    model.document.held.reset();
    return;
  }
  edit(a, "settle");
  replace_experiment(std::exchange(model.document.held, nullptr));
}

namespace {

// Steps before the edited one do not change, so show that one.
void show_edited_step(Model& model, const std::string& array) {
  if (!model.trace() || !model.step()) return;
  const auto place = [&](const std::string& id) {
    return std::ranges::find(model.trace()->steps, id, [](const Step& step) { return step.info.id; });
  };
  const auto set = place(array);
  if (set != model.trace()->steps.end() && place(model.step()->info.id) < set) model.document.look.step = array;
}

}  // namespace

void Updating::operator()(const TryWhatIf& a) {
  const auto list = what_ifs(model);
  const auto found = std::ranges::find(list, a.value, &WhatIf::id);
  if (found == list.end()) return;
  const std::string key = "what-if";
  edit(a, key);
  model.document.held = present(model);
  if (found->edit) {
    auto& edits = edit_experiment().edits;
    if (std::erase(edits, *found->edit) == 0) edits.push_back(*found->edit);
    show_edited_step(model, found->edit->array);
  } else {
    found->action.visit(*this);
    if (model.history.undo.back().merge_key != key) model.history.undo.pop_back();  // both are one change
  }
  model.history.open = false;
  if (!model.trace()) return;
  model.screen = Screen::compare;
  remove_held_note();
}

void Updating::operator()(const CompareWithPlain& a) {
  const bool there = model.trace() && model.shown.problem && model.shown.ticket == model.asked;
  auto plain = there ? plain_beside(*model.shown.experiment, *model.shown.problem) : std::nullopt;
  if (!plain) return;
  remember(a, "compare");
  remove_held_note();
  model.document.held = std::make_shared<const Experiment>(std::move(*plain));
  model.screen = Screen::compare;
}

}  // namespace headlight::app
