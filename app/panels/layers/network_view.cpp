#include <cmath>

#include "app/actions/tokens.h"
#include "app/panels/common/notices.h"
#include "app/panels/dialogs/parts.h"
#include "app/panels/layers/parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/step_words.h"

namespace headlight::app {

std::vector<std::string> shown_words(Ui& ui, const std::vector<std::string>& words) {
  std::vector<std::string> shown;
  for (const std::string& word : words) shown.push_back(ui.fonts().display_text(word));
  return shown;
}

const PartRun& shown_part(const Model& model) {
  return model.net.run->of(model.document.network->look.part);
}

namespace {

// Which part of a model of several is shown.
void draw_parts(Ui& ui, Rect header, const Model& model, Actions& actions) {
  const NetworkRun& run = *model.net.run;
  std::vector<Segment> list;
  int shown = 0;
  for (const ModelPart part : run.plan().parts()) {
    const std::string name(name_of(part));
    if (part == shown_part(model).part) shown = static_cast<int>(list.size());
    list.push_back({name, capitalized(name), run.has(part) ? "" : fmt::format("This run has no {}", name)});
  }
  const Rect place = header.take_left(std::min(header.w, ui.px(80) * static_cast<float>(list.size())))
                         .inset(0, (header.h - ui.px(32)) / 2);
  const int chosen = segments(ui, "layers/part", place, list, shown);
  if (chosen >= 0) actions.push_back(ChoosePart{run.plan().parts()[static_cast<std::size_t>(chosen)]});
}

void draw_header(Ui& ui, Rect header, const Model& model, Actions& actions) {
  const NetworkLook& look = model.document.network->look;
  const bool of_layers = !model.net.run || !shows_end(model);  // the other stops have one view
  if (of_layers) {
    const float width = std::min(width_of_layers_views(ui, model.net.run.get()), header.w * 0.6F);
    draw_layers_views(ui, header.take_right(width).inset(0, (header.h - ui.px(32)) / 2), look,
                      model.net.run ? &shown_part(model) : nullptr, model.net.run.get(), actions);
  }
  header.take_right(ui.px(16));
  draw_batch(ui, header, model, actions);
  const ModelPlan* plan = model.net.run ? &model.net.run->plan() : nullptr;
  const std::string title = plan ? fmt::format("{} · {} layers × {} heads", plan->type, shown_part(model).layers(),
                                               plan->of(shown_part(model).part).heads_in_words())
                                 : std::string("A model of many layers");
  const bool several = plan && plan->has_several_parts();
  const float room = header.w - (several ? std::min(header.w, ui.px(200)) : 0);
  const Rect named = header.take_left(std::min(room, ui.width_of(Type::title, title) + ui.px(12)));
  ui.text_in(Type::title, named, ui.theme().text, ui.fitted(Type::title, title, named.w));
  ui.log("layers/title", header, title);
  if (several) return draw_parts(ui, header, model, actions);
  if (!of_layers) return;
  if (const auto shown = layers_shown(model)) draw_view_caption(ui, header, *shown);
}

// Why there is nothing, and what else there is to do.
void draw_refused(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  const Point middle = box.middle();
  const float width = std::min(box.w, ui.px(640));
  const float height = paragraph(ui, {}, width, t.text_muted, model.error, false);
  const Rect title{box.x, middle.y - ui.px(46) - height, box.w, ui.px(24)};
  ui.text_in(Type::title, title, t.text,
             model.net.unread ? "This model cannot be read" : "The model has no result of this input",
             Ui::Align::center);
  const Point at{std::round(middle.x - width / 2), title.bottom() + ui.px(8)};
  paragraph(ui, at, width, t.text_muted, model.error);
  ui.log("layers/refused", {at.x, at.y, width, height}, model.error);
  draw_start_buttons(ui, {middle.x, middle.y + ui.px(6)}, actions);
  draw_recent_files(ui, {box.x, middle.y + ui.px(62), box.w, box.bottom() - middle.y - ui.px(62)}, model, actions);
}

void draw_empty(Ui& ui, Rect box, const Model& model, Actions& actions) {
  if (!model.busy && !model.error.empty()) return draw_refused(ui, box, model, actions);
  const char* idle = model.cancelled ? "The run was cancelled." : "Nothing was run yet.";
  draw_centered_note(ui, box, model.busy ? "The model runs." : idle);
}

// That maps are made when they are looked at, and why. Returns its height.
float draw_few_maps(Ui& ui, Rect box, const NetworkRun& run) {
  if (run.few_maps.empty()) return 0;
  const Theme& t = ui.theme();
  const std::string words = run.few_maps + ".";
  const float width = box.w - ui.px(28), text = paragraph(ui, {}, width, t.text, words, false, Type::label);
  const Rect card{box.x, box.y, box.w, text + ui.px(12)};
  ui.fill(card, t.weight.soft, ui.px(8));
  paragraph(ui, {card.x + ui.px(14), card.y + ui.px(6)}, width, t.text, words, true, Type::label);
  ui.log("layers/few", card, words);
  return card.h + ui.px(10);
}

// A decoder that has only begun: why its maps are so small, and how it goes on. Returns its height.
float draw_beginning(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const NetworkRun& run = *model.net.run;
  const ModelPart part = model.document.network->look.part;
  if (in_first_stack(part) || run.of(part).queries() != 1) return 0;
  const Theme& t = ui.theme();
  const std::string words =
      fmt::format("The decoder has said nothing but its start token: {}. Each token that it says is one more row.{}",
                  part == ModelPart::cross ? "each map is its one row of questions to the encoder"
                                           : "each map is one cell, and the weight in it can only be 1",
                  run.logits ? "" : " Type at the left what it has said.");
  const std::string append = "Append the likeliest";
  const bool offered = run.logits && why_not_appended({}, model).empty();
  const float button_width = offered ? ui.width_of(Type::control, append) + ui.px(28) : 0;
  const float width = std::max(ui.px(160), box.w - button_width - ui.px(48));
  const float text = paragraph(ui, {}, width, t.text, words, false, Type::label);
  const Rect card{box.x, box.y, box.w, std::max(text, ui.px(32)) + ui.px(16)};
  ui.fill(card, t.query.soft, ui.px(8));
  paragraph(ui, {card.x + ui.px(14), std::round(card.middle().y - text / 2)}, width, t.text, words, true, Type::label);
  ui.log("layers/beginning", card, words);
  const Rect place{card.right() - button_width - ui.px(10), card.middle().y - ui.px(16), button_width, ui.px(32)};
  if (offered && button(ui, "layers/begin", place, append, ButtonLook::secondary)) actions.push_back(AppendToken{});
  return card.h + ui.px(10);
}

}  // namespace

void draw_network_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Rect whole = box;
  Rect inside = box.inset(ui.px(24), 0);
  draw_header(ui, inside.take_top(ui.px(52)), model, actions);
  inside.take_top(std::min(inside.h, draw_notices(ui, inside, model, actions)));
  if (!model.net.run) {
    draw_empty(ui, inside, model, actions);
    return draw_busy(ui, whole, model);
  }
  float low = inside.h >= ui.px(280) ? ui.px(100) : 0;
  if (inside.h >= ui.px(420)) low = ui.px(126);
  if (inside.h >= ui.px(640)) low = ui.px(168);
  if (low > 0) {
    const Rect next = inside.take_bottom(low);
    ui.line({whole.x, next.y}, {whole.right(), next.y}, ui.theme().line);
    draw_predictions(ui, next.inset(0, low > ui.px(110) ? ui.px(10) : ui.px(6)), model, actions);
  }
  inside.take_top(std::min(inside.h, draw_beginning(ui, inside, model, actions)));
  if (shows_end(model)) {
    inside.take_bottom(ui.px(8));
    draw_network_end(ui, inside, model, memory, actions);
    return draw_busy(ui, whole, model);
  }
  inside.take_top(std::min(inside.h, draw_few_maps(ui, inside, *model.net.run)));
  draw_layers(ui, inside, model, *layers_shown(model), memory, actions);
  draw_busy(ui, whole, model);
}

void draw_network_stepper(Ui& ui, Rect bar, const Model& model, Actions& actions) {
  ui.fill(bar, ui.theme().canvas);
  ui.line({bar.x, bar.y}, {bar.right(), bar.y}, ui.theme().line);
  if (!model.net.run) return;
  const PartRun& part = shown_part(model);
  const Index layers = part.layers();
  const int last = static_cast<int>(model.net.run->last_stop(part.part));
  StepperData data;
  data.titles = {"Embeddings"};
  for (Index l = 0; l < layers; ++l) data.titles.push_back(fmt::format("{}", l));
  data.titles.emplace_back(part.norm_gain ? "Norm" : "Hidden");
  if (last == static_cast<int>(layers) + 2) data.titles.emplace_back("Logits");
  data.current = model.stage();
  data.playing = model.playing;
  const Index depth = data.current;
  if (depth == 0)
    data.where = "What enters layer 0";
  else if (depth <= layers)
    data.where = fmt::format("Layer {} of 0–{}", depth - 1, layers - 1);
  else if (depth > layers + 1)
    data.where = "What the model says";
  else
    data.where = part.norm_gain ? "The last norm" : "After the last layer";
  data.below = "line width: size of the residual stream";
  data.thickness = part.stream_sizes;
  push_steps(stepper(ui, "stepper", bar, data), last, model, actions);
}

}  // namespace headlight::app
