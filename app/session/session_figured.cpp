// The figure of a model whose maps are too many to keep: what it takes of them is made layer after layer, again for
// each figure that takes something else.
#include <utility>

#include "app/model/layers_asked.h"
#include "app/session/session.h"
#include "engine/core/memory.h"

namespace headlight::app {

// Made beside the main runs; `made` is written before its outcome is polled.
struct FiguredAsked {
  std::uint64_t stamp = 0;  // the run's
  MapsTaken taken;
  std::uint64_t ticket = 0;
  FiguredNetwork made;
};

void Session::figure_few_maps() {
  NetworkShown& net = model_.net;
  const bool few = model_.shows_network() && net.run && !net.run->few_maps.empty();
  if (!few || (!net.figure_wanted && model_.screen != Screen::figure)) {
    net.figure_wanted = false;
    if (!figured_asked_) return;
    net.not_figured.clear();
    if (few) net.figured = {};  // it may be as large as what there was no room to keep
    figuring_.withdraw_all();
    figured_asked_.reset();
    return;
  }
  if (layers_.busy()) return;
  const MapsTaken taken = maps_taken(*net.run, model_.document.figure);
  if (figured_asked_ && figured_asked_->stamp == net.run->stamp && figured_asked_->taken == taken) return;
  figuring_.withdraw_all();
  net.not_figured = "What the figure takes of the layers is being made, one layer after another.";
  figured_asked_ = std::make_shared<FiguredAsked>();
  figured_asked_->stamp = net.run->stamp;
  figured_asked_->taken = taken;
  figured_asked_->ticket =
      figuring_.ask([asked = figured_asked_, open = layers_asked_->open, run = net.run](
                        ThreadPool& pool, std::stop_token stop, std::atomic<float>& progress) -> Status {
        // Drawing takes as much again as it is given.
        HL_TRY(asked->made, figured(*open, *run, asked->taken, free_memory() / 2, pool, stop, progress));
        return {};
      });
}

void Session::take_figured(const Outcome& outcome) {
  NetworkShown& net = model_.net;
  if (!figured_asked_ || outcome.ticket != figured_asked_->ticket || !net.run ||
      figured_asked_->stamp != net.run->stamp)
    return;
  net.not_figured = outcome.error;
  const bool wanted = std::exchange(net.figure_wanted, false);
  if (!outcome.error.empty()) {
    if (wanted) note(Notice::Level::error, fmt::format("No figure: {}", outcome.error));
    return;
  }
  net.figured = {};
  net.figured.ticket = net.run->stamp + (outcome.ticket << 32);  // another for each of a run's figures
  net.figured.problem = std::move(figured_asked_->made.problem);
  net.figured.trace = std::move(figured_asked_->made.trace);
  if (!wanted) return;
  model_.screen = Screen::figure;
  model_.playing = false;
}

}  // namespace headlight::app
