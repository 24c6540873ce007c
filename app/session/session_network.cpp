// What a model of many layers needs done: its runs, in the queue of all runs.
#include "app/model/layers_asked.h"
#include "app/session/session.h"
#include "engine/io/experiment_files.h"

namespace headlight::app {

void Session::run_layers() {
  runner_.cancel();
  model_.cancelled = false;
  const ModelExperiment& asked = model_.document.network->asked;
  layers_.withdraw_all();
  if (model_.net.run && model_.error.empty() && ask_the_same(model_.net.run->asked, asked)) return;
  const std::filesystem::path folder = path_from(asked.folder, asked.model);
  auto next = std::make_shared<LayersAsked>();
  const bool same = layers_asked_ && layers_asked_->open->folder == folder;
  next->open = same ? layers_asked_->open : std::make_shared<OpenModel>(folder);
  next->open->room_for_maps = surroundings_.room_for_maps;
  if (!same) model_.net = {};
  const auto work = [next, asked, before = model_.net.run](ThreadPool& pool, std::stop_token stop,
                                                           std::atomic<float>& progress) -> Status {
    HL_TRY(next->run, run_network(*next->open, asked, before, pool, std::move(stop), progress));
    next->figured = figured(*next->run);
    return {};
  };
  layers_asked_ = next;
  next->ticket = layers_.ask(work);
  model_.busy = true;
}

void Session::take_layers(const Outcome& outcome) {
  if (!layers_asked_ || outcome.ticket != layers_asked_->ticket || !model_.shows_network()) return;
  model_.error = outcome.error;
  model_.error_about = outcome.error_about;
  model_.too_large.reset();
  model_.net.unread = !outcome.error.empty() && !layers_asked_->open->model;
  if (!outcome.error.empty()) return;
  if (model_.net.run != layers_asked_->run) {
    model_.net.without = {};
    model_.net.looked.clear();
    model_.net.not_made.clear();
  }
  model_.net.run = layers_asked_->run;
  model_.net.figured = {};
  model_.net.figured.ticket = model_.net.run->stamp;
  model_.net.figured.problem = layers_asked_->figured.problem;
  model_.net.figured.trace = layers_asked_->figured.trace;
  receive_layers(model_);
  keep_thumbnail();
}

}  // namespace headlight::app
