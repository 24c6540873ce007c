// The left of the mask laboratory: every rule there is with its switch and what it is set to, and the mask as PyTorch
// takes it.
#include <fmt/ranges.h>

#include "app/panels/inspector/parts.h"
#include "app/panels/masks/parts.h"
#include "app/panels/setup/parts.h"
#include "app/reading/masks/mask_code.h"
#include "app/reading/masks/mask_layers.h"

namespace headlight::app {

namespace {

std::optional<std::size_t> layer_of(const MaskReading* mask, std::string_view id) {
  if (!mask) return std::nullopt;
  const auto found = std::ranges::find(mask->layers, id, &SeenLayer::id);
  if (found == mask->layers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - mask->layers.begin());
}

// A rule's picture, name, words and switch.
void draw_layer(Form& form, const std::string& id, const std::string& title, const std::string& words, bool on,
                const std::string& why_not, const MaskReading* mask, Actions& actions) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  Rect line = form.line(48);
  const Rect picture = line.take_left(ui.px(36)).inset(0, ui.px(6));
  if (const auto layer = layer_of(mask, id); layer && on)
    draw_layer_map(ui, picture, *mask, layer);
  else
    ui.frame(picture, t.line_strong);
  line.take_left(ui.px(12));
  const Rect at = line.take_right(ui.px(40)).inset(0, (line.h - ui.px(22)) / 2);
  line.take_right(ui.px(8));
  ui.text(Type::label_strong, {line.x, line.y + ui.px(6)}, on ? t.text : t.text_muted,
          ui.fitted(Type::label_strong, title, line.w));
  ui.text(Type::note, {line.x, line.y + ui.px(25)}, on ? t.text_muted : t.text_faint,
          ui.fitted(Type::note, words, line.w));
  const std::string path = "masks/layer/" + id;
  ui.log(path, {picture.x, line.y, form.column.w, line.h}, words, on ? "on" : "off");
  ui.tooltip(path + "/words", line, why_not.empty() ? words : why_not, Ui::Side::right);
  if (const auto to = toggle(ui, path + "/on", at, on)) actions.push_back(SwitchLayer{id, *to});
}

// What the parameters of the rule are set to, a row each, but for what its own switch sets.
void draw_params(Form& form, const MaskOption& option, const Model& model, Actions& actions) {
  const auto& specs = find_variant(model.document.experiment->variant)->params();
  const ParamValues params = model.params();
  for (const ParamSpec& of_rule : option.params()) {
    const ParamSpec* spec = of_rule.type == ParamType::flag ? nullptr : find_param(specs, of_rule.id);
    if (!spec || !is_active(specs, *spec, model.document.experiment->params)) continue;
    const Rect line = form.row(spec->title);
    form.ui.tooltip("params/" + spec->id + "/help", line, spec->help, Ui::Side::right);
    draw_param_control(form.ui, line, *spec, params, model, actions);
  }
}

const Tensor* array_of(const MaskOption& option, const Model& model) {
  const Problem* problem = problem_of(model);
  if (!problem) return nullptr;
  const auto usual = option.sample_arrays(*problem);
  return usual.empty() ? nullptr : problem->find(usual.front().first);
}

void draw_pads(Form& form, const Tensor& flags, Actions& actions) {
  const Index keys = flags.dim(1);
  Index count = 0;
  for (Index j = 0; j < keys; ++j) count += flags[j] != 0 ? 1 : 0;
  const bool left = flags[0] != 0 && flags[keys - 1] == 0;
  Rect line = form.row("Pads");
  if (const auto to = number_stepper(form.ui, "masks/pads", line, count, 0, keys))
    actions.push_back(PadKeys{left, static_cast<Index>(*to)});
  const int side = segments(form.ui, "masks/pad side", form.row("Where"),
                            {{"left", "Left", ""}, {"right", "Right", ""}}, left ? 0 : 1);
  if (side >= 0) actions.push_back(PadKeys{side == 0, count});
}

void draw_length(Form& form, const Tensor& lens, const Model& model, Actions& actions) {
  if (lens.rank() != 1) return;
  if (const auto to = number_stepper(form.ui, "masks/length", form.row("Length"), static_cast<long long>(lens[0]), 0,
                                     model.extent(AxisRole::key)))
    actions.push_back(SetValidLength{static_cast<Index>(*to)});
}

// Where documents begin, and whether one begins at the query that is selected.
void draw_documents(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const auto starts = document_starts(model);
  ui.text_in(Type::label, form.row("Begin at"), ui.theme().text,
             starts.empty() ? "0" : fmt::format("0, {}", fmt::join(starts, ", ")));
  const auto& at = model.document.look.selection.query;
  const bool can = at && *at > 0, begins = can && std::ranges::count(starts, *at) > 0;
  std::string label = "Select a query to begin at";
  if (can) label = fmt::format("Begin {} {}", begins ? "none at" : "one at query", *at);
  const Rect line = form.row("");
  const Rect place{form.column.x, line.y, form.column.w, line.h};
  if (button(ui, "masks/document", place, label, ButtonLook::secondary, std::nullopt, can))
    actions.push_back(StartDocument{!begins, *at});
}

void draw_rule_settings(Form& form, const MaskOption& option, const Model& model, Actions& actions) {
  draw_params(form, option, model, actions);
  const Tensor* array = array_of(option, model);
  if (!array || !why_not_switched(model, option).empty()) return;
  const std::string& id = option.layer().id;
  if (id == "padding") draw_pads(form, *array, actions);
  if (id == "lengths") draw_length(form, *array, model, actions);
  if (id == "documents") draw_documents(form, model, actions);
}

void draw_layers(Form& form, const Model& model, const MaskReading* mask, Actions& actions) {
  for (const MaskOption* option : mask_rules(model)) {
    const bool on = is_switched_on(model, *option);
    const auto seen = layer_of(mask, option->layer().id);
    std::string words = option->layer().about;
    if (on && mask) words = seen ? mask->layers[*seen].says : "nothing to let in from";
    draw_layer(form, option->layer().id, option->layer().title, words, on, why_not_switched(model, *option), mask,
               actions);
    if (on) draw_rule_settings(form, *option, model, actions);
  }
  for (const std::string_view id : {std::string_view("given_mask"), std::string_view("cut")})
    if (const auto seen = layer_of(mask, id)) {
      const SeenLayer& layer = mask->layers[*seen];
      form.ui.text_in(Type::note, form.row(layer.name, 28), form.ui.theme().text_muted, layer_in_words(layer));
    }
  const auto& edits = model.document.experiment->edits;
  if (std::ranges::none_of(edits, is_paint)) return;
  const auto seen = layer_of(mask, painted_layer);
  const bool on = std::ranges::any_of(edits, [](const Edit& edit) { return is_paint(edit) && edit.on; });
  draw_layer(form, std::string(painted_layer), "Painted",
             seen ? layer_in_words(mask->layers[*seen]) : "cells set by hand", on, "", mask, actions);
}

void draw_torch(Form& form, const Model& model, const MaskReading& mask, MaskForm& as, Actions& actions) {
  Ui& ui = form.ui;
  form.heading("True means, in PyTorch");
  const int chosen = segments(ui, "masks/form", form.line(32, 8),
                              {{"hidden", "Hide this", ""}, {"visible", "Look here", ""}, {"added", "Added", ""}},
                              static_cast<int>(as));
  if (chosen >= 0) as = static_cast<MaskForm>(chosen);
  const auto form_of_torch = static_cast<TorchMask>(as);
  form.words(ui.theme().text_muted, polarity_in_words(form_of_torch), Type::note, 8);
  const auto code = mask_code(*model.trace(), mask, form_of_torch);
  if (!code) {
    form.words(ui.theme().text_muted,
               "The keys of a query are a window of the picture here, which no mask of PyTorch’s tells.");
    return;
  }
  const Rect box{form.column.x, form.y, form.column.w, 0};
  form.y += draw_code_lines(ui, box, code->lines + "\n" + code->call, "masks/code") + ui.px(6);
  ui.text(Type::note, {form.column.x, form.y}, ui.theme().text_faint, "attn_mask: " + code->shape);
  form.y += ui.px(24);
  if (button(ui, "masks/copy", form.line(32, 8), "Copy as PyTorch")) actions.push_back(CopyMask{as});
}

}  // namespace

float draw_mask_layers(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(16)};
  ui.text(Type::title, {form.column.x, form.y}, ui.theme().text, "Mask layers");
  form.y += ui.px(34);
  const MaskReading* mask = shown_mask(model, memory);
  draw_layers(form, model, mask, actions);
  if (mask_rules(model).empty())
    form.words(ui.theme().text_muted, "This mechanism has no rules that hide keys.", Type::label);
  if (mask) {
    form.divider(box.x, box.w);
    draw_torch(form, model, *mask, memory.get<MaskLab>().form, actions);
  }
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
