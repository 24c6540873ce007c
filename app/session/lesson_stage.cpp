#include "app/session/lesson_stage.h"

#include <utility>

#include "app/actions/action_table.h"
#include "app/actions/update.h"
#include "app/model/document.h"
#include "app/session/lesson_play.h"
#include "engine/base/words.h"
#include "engine/core/parallel.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"

namespace headlight::app {

namespace {

Outcome run_of(std::shared_ptr<const Experiment> experiment, const std::stop_token& stop) {
  Outcome outcome;
  outcome.experiment = std::move(experiment);
  const Status done = [&]() -> Status {
    HL_TRY(auto problem, prepare(*outcome.experiment));
    outcome.problem = std::make_shared<const Problem>(std::move(problem));
    ThreadPool pool(1);
    Compute compute(pool, stop);
    HL_TRY(outcome.trace, run(*outcome.problem, compute));
    return {};
  }();
  if (!done) outcome.error = done.error().message;
  return outcome;
}

// Whether it asks for something beside the model: a file, the clipboard, another document.
bool reaches_out(const Effects& e) {
  return e.quit || e.fresh || e.open || e.save || e.clipboard || e.paste || e.leave || e.replace || e.recover ||
         e.discard_recovered || e.browse || e.peek || e.slides || e.keep_names || e.save_training ||
         e.training_figure || e.train_on || e.thumbnails || e.new_lesson || e.print_lesson || e.save_answers;
}

// Whether it is about the window, files or a class, of which a lesson has its own.
bool is_beside_lesson(const Action& action) {
  switch (action_table()[action.index()].section) {
    case Section::run:
    case Section::compare:
    case Section::figure:
    case Section::worksheet:
    case Section::present:
    case Section::learn:
    case Section::edit:
    case Section::file:
    case Section::window:
    case Section::help:
      return true;
    default:
      return false;
  }
}

}  // namespace

Status LessonStage::open(Experiment experiment) {
  if (const auto outside = files_outside(experiment); !outside.empty())
    return fail("{} lies outside of the lesson's folder, and a lesson reads nothing there", utf8(outside.front()));
  Model model;
  load_first(model, std::move(experiment), {});
  return rerun(model);
}

Status LessonStage::act(const std::string& line) {
  HL_TRY(const Action action, lesson_action(line, scene_.outcome.trace.get()));
  Model model;
  model.document = scene_.document;
  model.shown = scene_.outcome;
  if (is_beside_lesson(action)) return fail("“{}” shows nothing in a lesson", brief(line));
  if (const std::string why = why_not(action, model); !why.empty())
    return fail("“{}” does nothing here: {}", brief(line), why);
  const Effects effects = update(model, action);
  if (reaches_out(effects)) return fail("“{}” reaches beyond the lesson: it writes and opens nothing", brief(line));
  if (const auto outside = files_outside(*model.document.experiment); !outside.empty())
    return fail("{} lies outside of the lesson's folder, and a lesson reads nothing there", utf8(outside.front()));
  if (effects.rerun) return rerun(model);
  scene_.document = model.document;
  return {};
}

Status LessonStage::rerun(Model& model) {
  Outcome outcome = run_of(model.document.experiment, stop_);
  if (!outcome.trace) return fail("{}", outcome.error);
  outcome.ticket = ++model.asked;
  receive(model, outcome);
  scene_.document = model.document;
  scene_.outcome = std::move(outcome);
  return {};
}

}  // namespace headlight::app
