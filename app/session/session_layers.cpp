// The maps of all layers of a result that has several, such as attention that was saved: their measures, means and
// rollout are made off the window's thread once they are looked at together.
#include <utility>

#include "app/reading/step_words.h"
#include "app/session/session.h"
#include "engine/measures/layer_maps.h"

namespace headlight::app {

namespace {

std::vector<std::string> words_along(const Axis& axis, Index item) {
  if (const auto at = static_cast<std::size_t>(item); at < axis.given_labels.size()) return axis.given_labels[at];
  std::vector<std::string> words;
  for (Index i = 0; i < axis.size; ++i) words.push_back(label_of(&axis, i));
  return words;
}

// The layers of a trace for an item of its batch. Unfinished once the computation is cancelled.
PartRun layers_in(const Trace& trace, Index item, Compute& compute) {
  PartRun part;
  part.item = item;
  for (const Step* map : maps_of_layers(trace)) {
    if (compute.cancelled()) return part;
    add_layer(part, *map, with_hidden(trace, *map), true, {}, compute);
    if (!part.query_words.empty()) continue;
    part.query_words = words_along(*map->axis(AxisRole::query), item);
    part.key_words = words_along(*map->axis(AxisRole::key), item);
  }
  mix_layers(part, compute);
  return part;
}

}  // namespace

void Session::look_at_layers() {
  LayersReport& layers = model_.layers;
  const bool shown = model_.shows_layers();
  const Index item = model_.document.look.batch;
  const bool of_shown = layers.of_ticket == model_.shown.ticket && layers.item == item;
  if (!of_shown && layers.of_ticket != 0) {
    layered_enough_.request_stop();
    measuring_.drop("layers");
    // What was made of another item stays until this one is there, so that the screen does not go empty.
    layers = {0, 0, layers.of_ticket == model_.shown.ticket ? std::move(layers.made) : nullptr};
  }
  if (!shown || of_shown) return;
  layers.of_ticket = model_.shown.ticket;
  layers.item = item;
  layered_enough_ = std::stop_source();
  measuring_.run("layers",
                 [this, item, trace = model_.shown.trace, token = layered_enough_.get_token()]() -> Background::Taken {
                   ThreadPool pool(1);  // this thread alone: the session's pool is the runs'
                   Compute compute(pool, token);
                   auto made = std::make_shared<const PartRun>(layers_in(*trace, item, compute));
                   if (compute.cancelled()) return {};
                   return [this, made = std::move(made)] { model_.layers.made = made; };
                 });
}

}  // namespace headlight::app
