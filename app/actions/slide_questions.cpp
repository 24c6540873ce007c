#include "app/actions/slide_questions.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/actions/update.h"
#include "app/actions/what_if.h"
#include "app/lessons/note_question.h"
#include "app/reading/questions/other_questions.h"

namespace headlight::app {

std::vector<std::string> slide_question_ids(const Model& model) {
  std::vector<std::string> ids;
  const Outcome& run = presented(model);
  const Step* map = run.trace ? run.trace->map() : nullptr;
  if (!map) return ids;
  for (std::size_t i = 0; i < count_questions_in_notes(notes_of_slide(model)); ++i)
    ids.push_back(fmt::format("own-{}", i + 1));
  ids.emplace_back("winner");
  for (const WhatIf& what : what_ifs(*scene_of_slide(model)))
    if (run_change(what.id)) ids.push_back(what.id);
  const Look look = look_of_slide(model);
  const RowOf row{look.batch, look.head, slide_of(model).query.value_or(0)};
  if (!mix_question({}, *run.trace, row).choices.empty()) ids.emplace_back("mix");
  if (!head_question(*run.trace, *map, row).choices.empty()) ids.emplace_back("head");
  return ids;
}

std::string label_of_ask(std::string_view id) {
  if (const RunChange* change = run_change(id)) return std::string(change->label);
  if (id.starts_with("own-")) return fmt::format("Question {} of the notes", id.substr(4));
  AskAbout about = AskAbout::winner;
  if (id == "mix") about = AskAbout::mix;
  if (id == "head") about = AskAbout::head;
  return std::string(title_of(about));
}

std::shared_ptr<const Experiment> changed_experiment(const Model& model, std::string_view change) {
  const std::shared_ptr<Model> scene = scene_of_slide(model);
  const auto all = what_ifs(*scene);
  const auto found = std::ranges::find(all, change, &WhatIf::id);
  if (found == all.end()) return nullptr;
  update(*scene, found->edit ? Action(AddEdit{*found->edit}) : found->action);
  return scene->document.experiment;
}

}  // namespace headlight::app
