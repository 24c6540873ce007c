// A model of many layers: what it reads, how it is looked at, its layers opened, its heads switched off.
#include <algorithm>

#include "app/state/generation.h"
#include "app/state/network_run.h"
#include "app/state/updating.h"

namespace headlight::app {

namespace {

std::optional<Index> inside(std::optional<Index> at, Index count) {
  if (!at) return at;
  return std::clamp<Index>(*at, 0, std::max<Index>(1, count) - 1);
}

// The last token, after which one more comes; where the model sees both ways the first that is masked.
Index first_to_ask(const NetworkRun& run) {
  const auto masked =
      std::ranges::find_if(run.words, [](const std::string& word) { return word == "[MASK]" || word == "<mask>"; });
  return masked == run.words.end() ? run.positions() - 1 : masked - run.words.begin();
}

bool is_list_of_ids(const std::string& text) {
  return ids_in(text).has_value();
}

}  // namespace

void receive_layers(Model& model) {
  const NetworkRun& run = *model.net.run;
  auto own = std::make_shared<Network>(*model.document.network);
  NetworkLook& look = own->look;
  // Places of a picture have no tokens that could come again.
  if (run.plan().pixels && look.measure == HeadOrder::induction) look.measure = HeadOrder::distance;
  look.layer = *inside(look.layer, run.plan().layers);
  look.head = *inside(look.head, run.plan().heads);
  look.depth = std::min(look.depth, run.plan().layers + 2);
  // Somebody asks, so that what the model says has a place.
  look.query = inside(look.query.value_or(first_to_ask(run)), run.positions());
  look.key = inside(look.key, run.positions());
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

void Updating::operator()(const GiveModel& a) {
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
      if (!is_list_of_ids(a.text)) return note("Numbers of tokens are whole, with commas between: 1, 2, 3.");
      asked.tokens = TokensInput{{}, {}, *ids_in(a.text), {}};
      break;
    case ModelReads::picture:
      asked.pixels = PixelsInput{a.text, "", ""};
      break;
  }
  if (a.what != ModelReads::picture && asked.pixels) return note("This model reads a picture: drop one.");
  if (a.what == ModelReads::picture && asked.tokens) return note("This model reads a text, not a picture.");
  if (ask_the_same(asked, model.document.network->asked)) return;
  forget_notes();
  edit_figure(a, "model reads", a.going_on);
  network().asked = std::move(asked);
  effects.rerun = true;
}

void Updating::operator()(const ChooseHead& a) {
  if (!model.net.run) return;
  const ModelPlan& plan = model.net.run->plan();
  NetworkLook look = model.document.network->look;
  look.layer = *inside(a.layer, plan.layers);
  look.head = *inside(a.head, plan.heads);
  look.depth = look.layer + 1;
  if (look == model.document.network->look) return;
  view(a);
  network().look = look;
}

void Updating::operator()(const MoveAmongHeads& a) {
  if (!model.document.network) return;
  const NetworkLook& look = model.document.network->look;
  (*this)(ChooseHead{look.layer + a.layers, look.head + a.heads});
}

void Updating::operator()(const ChoosePair& a) {
  if (!model.net.run) return;
  const Index n = model.net.run->positions();
  NetworkLook look = model.document.network->look;
  look.query = inside(a.pair.query, n);
  look.key = inside(a.pair.key, n);
  if (look == model.document.network->look) return;
  view(a);
  network().look = look;
}

void Updating::operator()(const MovePair& a) {
  if (!model.document.network) return;
  const NetworkLook& look = model.document.network->look;
  (*this)(ChoosePair{{look.query.value_or(0) + a.queries, look.key.value_or(0) + a.keys}});
}

void Updating::operator()(const MarkBy& a) {
  if (!model.document.network || a.measure == HeadOrder::number) return;
  if (a.measure == model.document.network->look.measure) return;
  view(a);
  network().look.measure = a.measure;
}

void Updating::operator()(const MarkHeads& a) {
  if (!model.document.network || a.marks == model.document.network->look.marks) return;
  view(a);
  network().look.marks = a.marks;
}

void Updating::operator()(const RingFrom& a) {
  if (!model.document.network || a.bound == model.document.network->look.from) return;
  view(a);
  network().look.from = a.bound;
}

void Updating::operator()(const ViewLayers& a) {
  if (!model.document.network || a.view == model.document.network->look.view) return;
  view(a);
  network().look.view = a.view;
}

void Updating::operator()(const OpenLayer& a) {
  if (!model.shows_network() || !model.net.run) return;
  const Index layer = *inside(a.layer, model.net.run->plan().layers);
  const NetworkLook look = model.document.network->look;
  if (look.layer != layer) (*this)(ChooseHead{layer, look.head});
  show_layer(model, experiment_of_layer(*model.net.run, layer), layer);
  model.document.look.head = look.head;
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
  const ModelHead head{a.layer, a.head};
  std::vector<ModelHead> off = model.document.network->asked.ablate;
  const bool is_off = std::ranges::find(off, head) != off.end();
  if (a.on != is_off || head.layer < 0 || head.layer >= plan.layers || head.head < 0 || head.head >= plan.heads) return;
  if (a.on)
    std::erase(off, head);
  else
    off.push_back(head);
  edit_figure(a, "head off", false);
  network().asked.ablate = std::move(off);
  effects.rerun = true;
}

void Updating::operator()(const ListLikeliest& a) {
  const Index top = std::clamp<Index>(a.top, 1, 100);
  if (!model.shows_network() || top == model.document.network->asked.top) return;
  edit_figure(a, "likeliest", false);
  network().asked.top = top;
  effects.rerun = true;
}

void Updating::operator()(const AppendToken& a) {
  if (!why_nothing_is_appended(a, model).empty()) return;
  const Index id = *token_to_append(a, model);
  const TokensInput& before = *model.document.network->asked.tokens;
  TokensInput after = with_token(*model.net.run, before, id);
  if (before.text && !after.text)
    note(fmt::format("The text with {} would be read as other tokens: what is read are token ids from here on.",
                     model.net.run->token(id)));
  else
    forget_notes();
  edit_figure(a, "append token");
  Network& own = network();
  own.asked.tokens = std::move(after);
  own.look.query.reset();  // the last token asks, once it is there
  effects.rerun = true;
}

void Updating::go_to_depth(Index depth) {
  if (!model.net.run) return;
  const Index layers = model.net.run->plan().layers;
  depth = std::clamp<Index>(depth, 0, layers + 2);
  if (depth == model.document.network->look.depth) return;
  view(GoStage{static_cast<int>(depth)});
  NetworkLook& look = network().look;
  look.depth = depth;
  if (depth >= 1 && depth <= layers) look.layer = depth - 1;
}

}  // namespace headlight::app
