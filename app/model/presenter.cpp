#include "app/model/presenter.h"

#include <algorithm>

#include "app/lessons/note_question.h"
#include "app/model/document.h"
#include "app/model/model.h"
#include "app/reading/questions/other_questions.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// What the positions of a run are called, and whether keys are the queries' own.
PositionWords position_words(const Problem& problem, const Experiment& experiment) {
  PositionWords words;
  const std::string& first = problem.specs.inputs.front().id;
  const auto input = experiment.inputs.find(first);
  const auto* text = input == experiment.inputs.end() ? nullptr : std::get_if<TextInput>(&input->second);
  switch (problem.input_kind) {
    case InputKind::text:
      if (!text || text->tokenizer == "bytes")
        words.one = "token";
      else
        words.one = text->tokenizer == "characters" ? "character" : "word";
      break;
    case InputKind::image:
    case InputKind::frames:
      words.one = "place";
      break;
    case InputKind::signal:
      words.one = "sample";
      break;
    case InputKind::array:
      words.one = problem.labels.empty() ? "position" : "token";
      break;
  }
  if (const ArraySpec* second = second_input(problem.specs)) {
    const auto asks = problem.arrays.find(first), answers = problem.arrays.find(second->id);
    words.one_sequence =
        asks == problem.arrays.end() || answers == problem.arrays.end() || asks->second == answers->second;
  }
  return words;
}

// What the notes of a run ask, by its place from 0.
Question own_question(const std::string& notes, const Outcome& run, std::size_t at) {
  Question question;
  question.about = AskAbout::own;
  const auto all = questions_in_notes(notes, {run.experiment, run.trace});
  if (at >= all.size()) {
    question.why_none = "The notes ask no such question.";
    return question;
  }
  if (!all[at]) {
    question.why_none = all[at].error().message;
    return question;
  }
  question.asked = all[at]->asked;
  question.because = all[at]->because;
  question.of_row = all[at]->row.has_value();
  question.query = all[at]->row.value_or(0);
  question.winner = all[at]->right;
  for (std::size_t i = 0; i < all[at]->options.size(); ++i)
    question.choices.push_back(plain_answer(all[at]->options[i], "", i == question.winner));
  return question;
}

bool asks(const Trace& trace, const Step& map, const Look& look, Index query) {
  return !question_of(trace, map, {look.batch, look.head, query}, {}).choices.empty();
}

}  // namespace

const Slide& slide_of(const Model& model) {
  return model.present.slides[model.present.at];
}

const std::string& notes_of_slide(const Model& model) {
  static const std::string none;
  const Slide& slide = slide_of(model);
  if (slide.open) return model.document.experiment->notes;
  const Outcome& run = presented(model);
  return run.experiment ? run.experiment->notes : none;
}

const Outcome& presented(const Model& model) {
  static const Outcome none;
  const Slide& slide = slide_of(model);
  if (slide.open) return model.shown;
  return model.present.other_from == slide.path ? model.present.other : none;
}

bool shows_presenter(const Model& model) {
  return model.present.on && !model.present.slides.empty() && model.dialog == Dialog::none;
}

namespace {

// Which of the notes' questions is asked, from 0.
std::optional<std::size_t> own_question_asked(const Model& model) {
  const std::string about = slide_question_id(model);
  return about.starts_with("own-") ? std::optional(std::stoul("0" + about.substr(4)) - 1) : std::nullopt;
}

}  // namespace

Look look_of_slide(const Model& model) {
  const Slide& slide = slide_of(model);
  const Outcome& run = presented(model);
  Look look = slide.open || !run.experiment ? model.document.look : look_of(run.experiment->view);
  const Step* map = run.trace ? run.trace->map() : nullptr;
  look.mode = ViewMode::map;
  look.step = map ? map->info.id : "";
  if (!map) return look;
  look.batch = std::clamp<Index>(look.batch, 0, batches_of(*map) - 1);
  look.head = std::clamp<Index>(slide.head.value_or(look.head), 0, heads_served(*map) - 1);
  look.selection = {.query = slide.query};
  if (const auto own = own_question_asked(model))
    if (const auto row = row_of_note_question(notes_of_slide(model), {run.experiment, run.trace}, *own))
      look.selection.query = row;
  look.pinned = false;
  const Axis* queries = map->axis(AxisRole::query);
  look.frame = 0;
  if (slide.query && queries && queries->grid)
    look.frame = *slide.query / (queries->grid->rows * queries->grid->columns);
  return look;
}

std::string slide_question_id(const Model& model) {
  const Slide& slide = slide_of(model);
  if (!slide.asks.empty()) return slide.asks;
  return count_questions_in_notes(notes_of_slide(model)) > 0 ? "own-1" : "winner";
}

std::shared_ptr<Model> scene_of_slide(const Model& model) {
  const Outcome& run = presented(model);
  auto scene = std::make_shared<Model>();
  scene->shown = run;
  if (run.experiment) scene->document.experiment = run.experiment;
  scene->document.look = look_of_slide(model);
  return scene;
}

Question question_of_slide(const Model& model) {
  const Outcome& run = presented(model);
  const Step* map = run.trace ? run.trace->map() : nullptr;
  const Slide& slide = slide_of(model);
  if (!map) return {};
  if (const auto own = own_question_asked(model)) return own_question(notes_of_slide(model), run, *own);
  const std::string about = slide_question_id(model);
  const Look look = look_of_slide(model);
  const RowOf row{look.batch, look.head, slide.query.value_or(0)};
  if (about == "head") return head_question(*run.trace, *map, row);
  if (!slide.query) {
    Question none;
    none.why_none = "No row of this map has a key that wins alone: there is nothing to ask.";
    return none;
  }
  Question winner = question_of(*run.trace, *map, row, position_words(*run.problem, *run.experiment));
  if (about == "mix") return mix_question(std::move(winner), *run.trace, row);
  const RunChange* change = run_change(about);
  if (!change) return winner;
  const ChangedRun& changed = model.present.changed;
  const bool ready = changed.change == about && changed.of_run == run.trace && changed.head == look.head;
  if (ready && !changed.outcome.trace && !changed.outcome.error.empty()) {
    winner.choices.clear();
    winner.about = AskAbout::change;
    winner.why_none = changed.outcome.error;
    return winner;
  }
  return change_question(std::move(winner), *map, row, *change, ready ? changed.outcome.trace.get() : nullptr);
}

Index last_query(const Step& map) {
  const Axis* queries = map.axis(AxisRole::query);
  if (!queries) return 0;
  return queries->only.value_or(std::max<Index>(1, queries->size) - 1);
}

void choose_slide_query(Model& model) {
  if (!model.present.on || model.present.slides.empty()) return;
  Slide& slide = model.present.slides[model.present.at];
  const Outcome& run = presented(model);
  const Step* map = run.trace ? run.trace->map() : nullptr;
  if (!map || slide.of_run == run.trace) return;
  const bool first = !slide.of_run;
  slide.of_run = {std::shared_ptr<const Trace>(), run.trace.get()};  // which it was: it is not kept
  const Axis* queries = map->axis(AxisRole::query);
  if (slide.query && (*slide.query > last_query(*map) || (queries && queries->only && *slide.query != *queries->only)))
    slide.query.reset();
  if (slide.query && !first) return;
  // The head is clamped there.
  const Look look = look_of_slide(model);
  slide.head = look.head;
  if (slide.query) return;
  slide.answer = 0;
  slide.hands.clear();
  slide.revealed = false;
  const Look& base = slide.open ? model.document.look : look_of(run.experiment->view);
  if (base.pinned && base.selection.query && asks(*run.trace, *map, look, *base.selection.query))
    slide.query = base.selection.query;
  else
    slide.query = example_query(*run.trace, *map, look.batch, look.head);
}

}  // namespace headlight::app
