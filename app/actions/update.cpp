#include "app/actions/update.h"

#include <algorithm>

#include "app/actions/action_table.h"
#include "app/actions/updating.h"
#include "app/model/history.h"

namespace headlight::app {

Experiment& Updating::edit_experiment() {
  if (!edited) {
    edited = std::make_shared<Experiment>(experiment());
    model.document.experiment = edited;
  }
  return *edited;
}

namespace {

template <class T>
struct HasDeed {
  static_assert(
      requires(Updating & updating, const T& action) { updating(action); },
      "what the action does is not declared in updating.h");
};
template <class... T>
constexpr std::size_t count_deeds(ListOf<T...>) {
  return (sizeof(HasDeed<T>) + ...);
}
static_assert(count_deeds(AllActions()) > 0);

}  // namespace

bool Updating::remember(std::string name, const std::string& merge_key, bool continues) {
  edited.reset();  // what the entry shares is not edited any more
  History& history = model.history;
  const bool joins = history.open && !history.undo.empty() && history.undo.back().merge_key == merge_key;
  history.redo.clear();
  history.open = continues;
  if (!joins) push(model, {std::move(name), merge_key, model.document}, continues);
  return joins;
}

void Updating::edit(const Action& action, const std::string& key, bool continues) {
  if (!remember(undo_name_of(action, model), key, continues)) keep_before(model);
  effects.rerun = true;
}

void Updating::compare(const Action& action) {
  remember(undo_name_of(action, model), "compare", false);
}

void Updating::edit_figure(const Action& action, const std::string& key, bool continues) {
  remember(undo_name_of(action, model), key, continues);
}

void Updating::view(const Action& action) {
  std::string name = undo_name_of(action, model);
  const std::string key = "view." + name;
  model.history.open = !model.history.undo.empty() && model.history.undo.back().merge_key == key;
  remember(std::move(name), key, true);
}

void Updating::forget_notes() {
  std::erase_if(model.notices, [](const Notice& notice) { return notice.level == Notice::Level::note; });
}

void Updating::note(std::string text) {
  forget_notes();
  model.notices.push_back({Notice::Level::note, std::move(text)});
}

Effects update(Model& model, const Action& action) {
  Updating updating{model, {}};
  if (const std::string why = why_of_another_document(action, model); !why.empty()) {
    updating.note(why + ".");
    return std::move(updating.effects);
  }
  action.visit(updating);
  follow_held(model);
  settle_slide(model);
  if (!action.as<SetHover>() && !action.as<Light>()) model.touch();
  return std::move(updating.effects);
}

void tick(Model& model, double now) {
  model.now = now;
  settle_slide(model);
  if (!model.playing || model.present.on || model.stages() == 0 || now - model.play_since < play_rest) return;
  const int last = model.stages() - 1;
  if (model.stage() >= last) {
    model.playing = false;
    return;
  }
  update(model, MoveStage{1});
  model.play_since = now;
}

}  // namespace headlight::app
