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
Index first_to_ask(const PartRun& part) {
  const auto& words = part.query_words;
  const auto masked =
      std::ranges::find_if(words, [](const std::string& word) { return word == "[MASK]" || word == "<mask>"; });
  return masked == words.end() ? part.queries() - 1 : masked - words.begin();
}

bool is_list_of_ids(const std::string& text) {
  return ids_in(text).has_value();
}

}  // namespace

namespace {

// What is looked at is there.
void keep_inside(const NetworkRun& run, NetworkLook& look) {
  if (!run.plan().has_decoder()) look.part = ModelPart::first;
  const PartRun& part = run.of(look.part);
  look.layer = *inside(look.layer, part.layers());
  look.head = *inside(look.head, run.plan().heads);
  look.depth = std::min(look.depth, run.last_stop(look.part));
  // Somebody asks, so that what the model says has a place.
  look.query = inside(look.query.value_or(first_to_ask(part)), part.queries());
  look.key = inside(look.key, part.keys());
  // Some measures are of maps of as many queries as keys.
  if (part.measures.front()[*measure_of(look.measure)].missing == Missing::as_many)
    look.measure = HeadOrder::confidence;
}

}  // namespace

void receive_layers(Model& model) {
  const NetworkRun& run = *model.net.run;
  auto own = std::make_shared<Network>(*model.document.network);
  NetworkLook& look = own->look;
  // Places of a picture have no tokens that could come again.
  if (run.plan().pixels && look.measure == HeadOrder::induction) look.measure = HeadOrder::distance;
  keep_inside(run, look);
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
    case ModelReads::decoder:
      if (a.text.empty())
        asked.decoder_tokens.reset();
      else if (texts)
        asked.decoder_tokens = TokensInput{a.text, {}, {}, {}};
      else if (is_list_of_ids(a.text))
        asked.decoder_tokens = TokensInput{{}, {}, *ids_in(a.text), {}};
      else
        return note("Numbers of tokens are whole, with commas between: 1, 2, 3.");
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
  Network& own = network();
  own.asked = std::move(asked);
  // Where nobody chose another, who asks is chosen again: the last token of the new text.
  const NetworkRun* run = model.net.run.get();
  if (run && own.look.query == first_to_ask(run->of(own.look.part))) own.look.query.reset();
  effects.rerun = true;
}

void Updating::operator()(const ChoosePart& a) {
  if (!model.net.run || !model.net.run->plan().has_decoder()) return;
  NetworkLook look = model.document.network->look;
  if (a.part == look.part) return;
  // The decoder's tokens ask in both of its parts.
  if (in_first_stack(a.part) || in_first_stack(look.part)) look.query.reset();
  look.key.reset();
  look.part = a.part;
  keep_inside(*model.net.run, look);
  view(a);
  network().look = look;
}

void Updating::operator()(const ChooseHead& a) {
  if (!model.net.run) return;
  const ModelPlan& plan = model.net.run->plan();
  NetworkLook look = model.document.network->look;
  look.layer = *inside(a.layer, plan.layers_of(look.part));
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
  NetworkLook look = model.document.network->look;
  const PartRun& part = model.net.run->of(look.part);
  look.query = inside(a.pair.query, part.queries());
  look.key = inside(a.pair.key, part.keys());
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
  const NetworkLook look = model.document.network->look;
  const ModelPlan& plan = model.net.run->plan();
  const LayerOfModel layer{*inside(a.layer, plan.layers_of(look.part)), look.part};
  if (look.layer != layer.layer) (*this)(ChooseHead{layer.layer, look.head});
  const std::string part = plan.part_name(look.part);
  show_layer(model, experiment_of_layer(*model.net.run, layer),
             fmt::format("{}{}layer {}", part, part.empty() ? "" : " ", layer.layer));
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
  const ModelHead head{a.layer, a.head, model.document.network->look.part};
  std::vector<ModelHead> off = model.document.network->asked.ablate;
  const bool is_off = std::ranges::find(off, head) != off.end();
  if (a.on != is_off || head.layer < 0 || head.layer >= plan.layers_of(head.part) || head.head < 0 ||
      head.head >= plan.heads)
    return;
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
  const NetworkRun& run = *model.net.run;
  const ModelExperiment& asked = model.document.network->asked;
  const auto& before = run.plan().has_decoder() ? asked.decoder_tokens : asked.tokens;
  TokensInput after = with_token(run, before, id);
  if ((!before || before->text) && !after.text)
    note(fmt::format("The text with {} would be read as other tokens: what is read are token ids from here on.",
                     run.token(id)));
  else
    forget_notes();
  edit_figure(a, "append token");
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
  if (depth == model.document.network->look.depth) return;
  view(GoStage{static_cast<int>(depth)});
  NetworkLook& look = network().look;
  look.depth = depth;
  if (depth >= 1 && depth <= layers) look.layer = depth - 1;
}

}  // namespace headlight::app
