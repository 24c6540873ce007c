// A model of many layers: what it reads, how it is looked at, its layers opened, its heads switched off.
#include <algorithm>
#include <cmath>
#include <functional>

#include "app/actions/tokens.h"
#include "app/actions/updating.h"
#include "app/model/relevance.h"

namespace headlight::app {

namespace {

std::optional<Index> inside(std::optional<Index> at, Index count) {
  if (!at) return at;
  return std::clamp<Index>(*at, 0, std::max<Index>(1, count) - 1);
}

// The last token, after which one more comes; where the model sees both ways the first that is masked; of a picture the
// token that stands for all of it.
Index initial_query(const PartRun& part) {
  const auto& words = part.query_words;
  if (!words.empty() && words.front() == "CLS") return 0;
  const auto masked =
      std::ranges::find_if(words, [](const std::string& word) { return word == "[MASK]" || word == "<mask>"; });
  return masked == words.end() ? part.queries() - 1 : masked - words.begin();
}

// Another layer, with the query on the same part of the picture where layers are of several sizes.
void move_to_layer(const PartRun& part, NetworkLook& look, Index layer) {
  if (look.query) look.query = part.matching_query(*look.query, look.layer, layer);
  if (part.staged && part.queries_of(look.layer) != part.queries_of(layer)) look.key.reset();
  look.layer = layer;
  look.head = *inside(look.head, part.heads_of(layer));
}

// From which value on heads are ringed where nobody has set one: LayersLook's where the measure ends at 1, else what
// a quarter of the heads reach.
double usual_bound(const PartRun& part, Measure measure) {
  std::vector<double> values;
  for (Index l = 0; l < part.layers() && row_of(measure).max != MeasureMax::one; ++l)
    for (Index m = 0; m < part.heads_of(l); ++m)
      if (const double value = part.measure(measure, l, m); std::isfinite(value)) values.push_back(value);
  if (values.empty()) return LayersLook{}.from;
  const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
  std::ranges::nth_element(values, quarter, std::greater<>());
  return std::floor(*quarter * 100) / 100;
}

void set_measure(const PartRun& part, LayersLook& look, Measure measure) {
  const auto kind_of = [](Measure of) { return row_of(of).max; };
  const bool alike = look.measure && kind_of(*look.measure) == MeasureMax::one && kind_of(measure) == MeasureMax::one;
  if (look.measure != measure && !alike) look.from = usual_bound(part, measure);
  look.measure = measure;
}

// What is looked at is there.
void clamp_to_run(const NetworkRun& run, NetworkLook& look) {
  const PartRun& part = run.of(look.part);
  look.part = part.part;
  look.layer = *inside(look.layer, part.layers());
  look.head = *inside(look.head, part.heads_of(look.layer));
  look.depth = std::min(look.depth, run.last_stop(look.part));
  look.item = *inside(look.item, run.items());
  // Somebody asks, so that what the model says has a place.
  look.query = inside(look.query.value_or(initial_query(part)), part.queries_of(look.layer));
  look.key = inside(look.key, part.keys_of(look.layer));
  const bool mixes =
      look.view == LayersView::rollout || look.view == LayersView::rollout_row || look.view == LayersView::average;
  if (part.staged && mixes) look.view = LayersView::maps;
  if (look.view == LayersView::relevance && !why_no_relevance(run).empty()) look.view = LayersView::maps;
  // Some measures are of maps of as many queries as keys.
  if (part.measures_of(0)[*look.measure].missing == Missing::not_square) look.measure = Measure::confidence;
}

}  // namespace

ItemLookedAt item_looked_at(const Model& model) {
  if (!model.shows_network()) return {model.document.look.batch, model.extent(AxisRole::batch)};
  return {model.document.network->look.item, model.net.run ? model.net.run->items() : 1};
}

std::string item_in_words(const Model& model) {
  const auto [item, items] = item_looked_at(model);
  return items > 1 ? fmt::format("item {} of 0–{}", item, items - 1) : "";
}

bool layers_lie_on_picture(const Model& model) {
  if (model.shows_network()) {
    if (!model.net.run) return false;
    const PartRun& part = model.net.run->of(model.document.network->look.part);
    return !part.staged && model.net.run->input.of(part.part).pixels;
  }
  if (!model.has_layers()) return false;
  const Axis& queries = *maps_of_layers(*model.trace()).front()->axis(AxisRole::query);
  return queries.placed || queries.grid;
}

const Scaling& scaling_of(const Model& model) {
  return model.shows_network() ? model.document.network->look.scaling : model.document.look.scaling;
}

NetworkLook look_of_layers(const Model& model) {
  if (model.shows_network()) return model.document.network->look;
  NetworkLook look;
  if (!model.has_layers()) return look;
  const Look& of_result = model.document.look;
  static_cast<LayersLook&>(look) = of_result.layers;
  const auto maps = maps_of_layers(*model.trace());
  const auto layer = model.step()->info.layer;
  const auto at = std::ranges::find_if(maps, [&](const Step* map) { return map->info.layer == layer; });
  look.layer = at == maps.end() ? 0 : at - maps.begin();
  look.depth = look.layer + 1;
  look.head = *inside(of_result.head, maps.front()->extent(AxisRole::head));
  look.query = of_result.selection.query;
  look.key = of_result.selection.key;
  look.scaling = of_result.scaling;
  return look;
}

void receive_layers(Model& model) {
  const NetworkRun& run = *model.net.run;
  auto own = std::make_shared<Network>(*model.document.network);
  NetworkLook& look = own->look;
  // Places of a picture have no tokens that could come again.
  if (run.input.of(run.of(look.part).part).pixels && look.measure == Measure::induction)
    set_measure(run.of(look.part), look, Measure::distance);
  clamp_to_run(run, look);
  model.document.network = std::move(own);
  model.touch();
}

// One's own: what others hold of it does not change.
Network& Updating::network() {
  auto own = std::make_shared<Network>(*model.document.network);
  Network& result = *own;
  model.document.network = std::move(own);
  return result;
}

void Updating::set_look(const Action& action, const NetworkLook& look) {
  if (look == model.document.network->look) return;
  view(action);
  network().look = look;
}

void Updating::operator()(const SetModelInput& a) {
  if (!model.shows_network()) return;
  ModelExperiment asked = model.document.network->asked;
  const bool texts = asked.tokens && asked.tokens->text;
  switch (a.what) {
    case ModelReads::text:
      asked.tokens = TokensInput{a.text, texts ? asked.tokens->pair : std::nullopt, {}, {}};
      break;
    case ModelReads::pair:
      asked.tokens = TokensInput{
          texts ? *asked.tokens->text : std::string(), a.text.empty() ? std::nullopt : std::optional(a.text), {}, {}};
      break;
    case ModelReads::ids:
      if (!ids_in(a.text)) return note("Numbers of tokens are whole, with commas between: 1, 2, 3.");
      asked.tokens = TokensInput{{}, {}, *ids_in(a.text), {}};
      break;
    case ModelReads::decoder:
      if (a.text.empty())
        asked.decoder_tokens.reset();
      else if (asked.tokens ? texts : !ids_in(a.text))
        asked.decoder_tokens = TokensInput{a.text, {}, {}, {}};
      else if (ids_in(a.text))
        asked.decoder_tokens = TokensInput{{}, {}, *ids_in(a.text), {}};
      else
        return note("Numbers of tokens are whole, with commas between: 1, 2, 3.");
      break;
    case ModelReads::picture:
      asked.pixels = PixelsInput{a.text, "", ""};
      break;
  }
  const bool reads_both = model.net.run && !model.net.run->plan().towers.empty();
  if (!reads_both && a.what != ModelReads::picture && asked.pixels)
    return note("This model reads a picture: drop one.");
  if (!reads_both && a.what == ModelReads::picture && asked.tokens)
    return note("This model reads a text, not a picture.");
  if (same_request(asked, model.document.network->asked)) return;
  forget_notes();
  const auto& before = model.document.network->asked.tokens;
  if (const auto lists = before ? before->ids.size() : 0; lists > 1 && asked.tokens != before)
    note(fmt::format("The batch of {} lists of tokens is this one from here on.", lists));
  remember(a, "model reads", a.continues);
  Network& own = network();
  own.asked = std::move(asked);
  // Where nobody chose another, who asks is chosen again: the last token of the new text.
  const NetworkRun* run = model.net.run.get();
  if (run && own.look.query == initial_query(run->of(own.look.part))) own.look.query.reset();
  effects.rerun = true;
}

void Updating::operator()(const ChoosePart& a) {
  if (!model.net.run || !model.net.run->has(a.value)) return;
  NetworkLook look = model.document.network->look;
  if (a.value == look.part) return;
  // The decoder's tokens ask in both of its parts.
  if (in_first_stack(a.value) || in_first_stack(look.part)) look.query.reset();
  if (look.measure == Measure::induction && model.net.run->input.of(a.value).pixels)
    set_measure(model.net.run->of(a.value), look, Measure::distance);
  look.key.reset();
  look.part = a.value;
  clamp_to_run(*model.net.run, look);
  set_look(a, look);
}

// Of a result that has several layers: its step and head.
void Updating::choose_head_of_result(Index layer, Index head) {
  const auto maps = maps_of_layers(*model.trace());
  layer = *inside(layer, static_cast<Index>(maps.size()));
  const Step& map = *maps[static_cast<std::size_t>(layer)];
  head = *inside(head, map.extent(AxisRole::head));
  if (look().step == map.info.id && look().head == head) return;
  view(ChooseHead{layer, head});
  look().step = map.info.id;
  look().head = head;
}

void Updating::operator()(const SetBatch& a) {
  const Index item = *inside(a.value, item_looked_at(model).items);
  if (!model.shows_network()) return set(a, &Look::batch, item);
  NetworkLook look = model.document.network->look;
  look.item = item;
  set_look(a, look);
}

void Updating::operator()(const ChooseHead& a) {
  if (model.has_layers()) return choose_head_of_result(a.layer, a.head);
  if (!model.net.run || !model.shows_network()) return;
  const PartRun& part = model.net.run->of(model.document.network->look.part);
  NetworkLook look = model.document.network->look;
  move_to_layer(part, look, *inside(a.layer, part.layers()));
  look.head = *inside(a.head, part.heads_of(look.layer));
  look.depth = look.layer + 1;
  set_look(a, look);
}

void Updating::operator()(const MoveAmongHeads& a) {
  const NetworkLook look = look_of_layers(model);
  (*this)(ChooseHead{look.layer + a.layers, look.head + a.heads});
}

void Updating::operator()(const ChoosePair& a) {
  if (model.has_layers()) {
    const Step& map = *maps_of_layers(*model.trace()).front();
    const Selection pair{inside(a.value.query, map.extent(AxisRole::query)),
                         inside(a.value.key, map.extent(AxisRole::key))};
    return (*this)(Select{pair, pair.query && pair.key});
  }
  if (!model.net.run || !model.shows_network()) return;
  NetworkLook look = model.document.network->look;
  const PartRun& part = model.net.run->of(look.part);
  look.query = inside(a.value.query, part.queries_of(look.layer));
  look.key = inside(a.value.key, part.keys_of(look.layer));
  set_look(a, look);
}

void Updating::operator()(const MovePair& a) {
  const NetworkLook look = look_of_layers(model);
  (*this)(ChoosePair{{look.query.value_or(0) + a.queries, look.key.value_or(0) + a.keys}});
}

// How the heads of all layers are looked at from here on, of the network or of the result.
void Updating::set_layers_look(const Action& action, const LayersLook& next) {
  if (next == static_cast<const LayersLook&>(look_of_layers(model))) return;
  view(action);
  if (model.shows_network())
    static_cast<LayersLook&>(network().look) = next;
  else
    look().layers = next;
}

void Updating::operator()(const MarkBy& a) {
  if (!a.value) return;
  LayersLook next = look_of_layers(model);
  const PartRun* part = model.net.run ? &model.net.run->of(look_of_layers(model).part) : nullptr;
  if (model.has_layers()) part = model.layers.made.get();
  if (part)
    set_measure(*part, next, *a.value);
  else
    next.measure = a.value;
  set_layers_look(a, next);
}

void Updating::operator()(const ViewLayers& a) {
  const bool waits = model.shows_network() && !model.net.run;  // whether it can be shown is not known yet
  if (a.value == LayersView::relevance && !waits && !why_no_relevance(model).empty()) return;
  set(a, &LayersLook::view, a.value);
  if (model.has_layers()) (*this)(SetMode{ViewMode::layers});
}

void Updating::operator()(const OpenLayer& a) {
  if (model.has_layers()) {
    choose_head_of_result(a.value, look().head);
    return (*this)(SetMode{ViewMode::map});
  }
  if (!model.shows_network() || !model.net.run) return;
  const NetworkLook look = model.document.network->look;
  const ModelPlan& plan = model.net.run->plan();
  const LayerOfModel layer{*inside(a.value, plan.layers_of(look.part)), look.part};
  if (look.layer != layer.layer) (*this)(ChooseHead{layer.layer, look.head});
  const std::string part = plan.part_name(look.part);
  show_layer(model, experiment_of_layer(*model.net.run, layer),
             fmt::format("{}{}layer {}", part, part.empty() ? "" : " ", layer.layer));
  model.document.look.head = look.head;
  model.document.look.batch = look.item;
  model.document.look.scaling = look.scaling;
  model.document.look.selection = {look.query, look.key};
  model.document.look.pinned = look.query && look.key;
  effects.rerun = true;
}

void Updating::operator()(const CloseLayer&) {
  if (!model.document.layer_open) return;
  show_network_again(model);
  effects.rerun = true;
}

void Updating::operator()(const SwitchHead& a) {
  if (!model.shows_network() || !model.net.run) return;
  const ModelPlan& plan = model.net.run->plan();
  const ModelHead head{a.layer, a.head, model.document.network->look.part};
  std::vector<ModelHead> off = model.document.network->asked.ablate;
  const bool is_off = std::ranges::find(off, head) != off.end();
  if (a.on != is_off || head.layer < 0 || head.layer >= plan.layers_of(head.part) || head.head < 0 ||
      head.head >= plan.heads_of(head.of()))
    return;
  if (a.on)
    std::erase(off, head);
  else
    off.push_back(head);
  remember(a, "head off");
  network().asked.ablate = std::move(off);
  effects.rerun = true;
}

void Updating::operator()(const ListLikeliest& a) {
  const Index top = std::clamp<Index>(a.value, 1, 100);
  if (!model.shows_network() || top == model.document.network->asked.top) return;
  remember(a, "likeliest");
  network().asked.top = top;
  effects.rerun = true;
}

void Updating::operator()(const AppendToken& a) {
  if (!why_not_appended(a, model).empty()) return;
  const Index id = *token_to_append(a, model);
  const NetworkRun& run = *model.net.run;
  const ModelExperiment& asked = model.document.network->asked;
  const auto& before = run.plan().has_decoder() ? asked.decoder_tokens : asked.tokens;
  TokensInput after = with_token(run, before, id);
  if ((!before || before->text) && !after.text)
    note(fmt::format("The text with {} would be read as other tokens: what is read are token ids from here on.",
                     run.token(id)));
  else
    forget_notes();
  remember(a, "append token");
  Network& own = network();
  (run.plan().has_decoder() ? own.asked.decoder_tokens : own.asked.tokens) = std::move(after);
  own.look.query.reset();  // the last token asks, once it is there
  effects.rerun = true;
}

void Updating::go_to_depth(Index depth) {
  if (!model.net.run) return;
  const ModelPart part = model.document.network->look.part;
  const Index layers = model.net.run->plan().layers_of(part);
  depth = std::clamp<Index>(depth, 0, model.net.run->last_stop(part));
  NetworkLook look = model.document.network->look;
  if (depth == look.depth) return;
  look.depth = depth;
  if (depth >= 1 && depth <= layers) move_to_layer(model.net.run->of(part), look, depth - 1);
  set_look(GoStage{static_cast<int>(depth)}, look);
}

}  // namespace headlight::app
