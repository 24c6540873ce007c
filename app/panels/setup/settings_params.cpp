// The parameters of a mechanism: under the questions that they answer, as choices and as the rows that these bring.
#include <fmt/format.h>

#include <algorithm>

#include "app/model/mechanism_report.h"
#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"
#include "app/panels/setup/parts.h"
#include "app/panels/setup/setup.h"
#include "app/reading/choices_offered.h"
#include "engine/variants/plain.h"
#include "engine/variants/presets.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// Whether an automatic scale is 1/√d', as far as is known: cosines and heads have one of their own.
bool factor_is_by_width(const ParamValues& params, const Model& model) {
  const auto* variant = find_variant(model.document.experiment->variant);
  const bool has_norm = variant && std::ranges::count(variant->params(), "qk_norm", &ParamSpec::id) > 0;
  return !(has_norm && params.choice("qk_norm") == "l2") &&
         !(model.shown.problem && model.shown.problem->find("logit_scale"));
}

// "≠" before the name of a choice that is not plain, in the panel's margin.
void mark_not_plain(const Form& form, Rect line, const std::string& id) {
  Ui& ui = form.ui;
  const Rect mark{form.column.x - ui.px(13), line.y, ui.px(12), line.h};
  ui.log("params/not-plain/" + id, mark);
  ui.text_in(Type::label_strong, mark, ui.theme().warning, "≠", Ui::Align::center);
}

// How many choices are not plain, and the way back.
void draw_not_plain(Form& form, const Model& model, Actions& actions) {
  const auto choices = choices_not_plain(model);
  if (choices.empty()) return;
  Ui& ui = form.ui;
  form.y += ui.px(6);
  Rect line = form.line(32);
  const Rect back = line.take_right(ui.width_of(Type::control, "Back to plain") + ui.px(20));
  if (button(ui, "params/plain", back, "Back to plain", ButtonLook::ghost)) actions.push_back(BackToPlain{});
  const std::string words = choices.size() == 1 ? std::string("1 choice differs from plain")
                                                : fmt::format("{} choices differ from plain", choices.size());
  const bool fits = ui.width_of(Type::note, words) <= line.w;
  ui.text_in(Type::note, line, ui.theme().text_muted, fits ? words : fmt::format("≠ {} not plain", choices.size()));
}

void draw_param(Form& form, const ParamSpec& spec, const ParamValues& params, const Model& model, Actions& actions) {
  const bool by_width = spec.id == "scale" && factor_is_by_width(params, model);
  const Rect line = form.row(by_width ? "Scale 1/√d" : spec.title);
  const Variant* variant = find_variant(model.document.experiment->variant);
  if (variant && differs_from_plain(variant->params(), spec, model.document.experiment->params))
    mark_not_plain(form, line, spec.id);
  form.ui.tooltip("params/" + spec.id, line, spec.help, Ui::Side::right);
  draw_param_control(form.ui, line, spec, params, model, actions);
}

// Layers that people know by name. What is none of them is the person's own.
void draw_presets(Form& form, const Variant& variant, const ParamValues& params, Actions& actions) {
  const auto all = variant.presets();
  if (all.empty()) return;
  const Preset* now = preset_of(variant.params(), all, params);
  std::vector<std::string> titles, notes;
  for (const Preset& preset : all) {
    titles.push_back(preset.title);
    notes.push_back(preset.source);
  }
  const Rect line = form.row("Layer like");
  form.ui.tooltip("preset", line, "Sets the parameters of a layer that is known by its model's name.", Ui::Side::right);
  const int own = static_cast<int>(all.size());
  if (!now) titles.push_back("Your own");
  const int chosen =
      drop_down(form.ui, "preset", line, titles, now ? static_cast<int>(now - all.data()) : own, false, notes);
  if (chosen >= 0 && chosen < own) actions.push_back(UsePreset{all[static_cast<std::size_t>(chosen)].id});
}

// What stands below the choices of a question: what belongs to those that are chosen, and numbers that are no choice.
// What takes no part is not asked for, unless it was set.
bool is_asked_for(const ParamSpec& spec, const std::vector<ParamSpec>& specs, const ParamValues& params, bool all) {
  const bool set = params.get(spec.id) != spec.fallback;
  if (is_said_by_choices(spec)) return false;
  if (has_more_to_say(spec)) return set;
  if (!set && !takes_part(specs, spec, params)) return false;
  return all || set || !spec.advanced || !spec.part_of.empty() || spec.id == "scale" ||
         spec.question == ParamQuestion::keys;
}

void draw_rows(Form& form, ParamQuestion question, const ParamValues& params, const Model& model, bool all,
               Actions& actions) {
  const auto& specs = find_variant(model.document.experiment->variant)->params();
  for (const ParamSpec& spec : specs)
    if (spec.question == question && is_asked_for(spec, specs, params, all))
      draw_param(form, spec, params, model, actions);
}

// Whether anything stands below the question.
bool is_asked(ParamQuestion question, const std::vector<ParamSpec>& specs, const ParamValues& params, bool all) {
  return !choices_offered(specs, question, params).empty() || std::ranges::any_of(specs, [&](const ParamSpec& spec) {
    return spec.question == question && is_asked_for(spec, specs, params, all);
  });
}

// All of them, or those that are asked for most, under the questions that they answer.
void draw_questions(Form& form, const ParamValues& params, const Model& model, PanelMemory& memory, Actions& actions) {
  const bool all = memory.get<FoldsMemory>().more_parameters;
  const auto& specs = find_variant(model.document.experiment->variant)->params();
  draw_rows(form, ParamQuestion::size, params, model, all, actions);
  for (const ParamQuestion question :
       {ParamQuestion::positions, ParamQuestion::visible, ParamQuestion::keys, ParamQuestion::weights}) {
    if (!is_asked(question, specs, params, all)) continue;
    form.y += form.ui.px(10);
    if (!draw_question(form, question, params, model, memory, actions)) continue;
    draw_rows(form, question, params, model, all, actions);
    if (question == ParamQuestion::keys) draw_shared_heads(form, model);
  }
  if (!all) return;
  form.y += form.ui.px(10);
  form.heading(in_words(ParamQuestion::layer));
  for (const ParamSpec& spec : specs)
    if (spec.question == ParamQuestion::layer &&
        (takes_part(specs, spec, params) || params.get(spec.id) != spec.fallback))
      draw_param(form, spec, params, model, actions);
}

// Where there are few they need no questions.
void draw_few(Form& form, const ParamValues& params, const Model& model, PanelMemory& memory, Actions& actions) {
  const Variant& variant = *find_variant(model.document.experiment->variant);
  for (const ParamSpec& spec : variant.params()) {
    const bool counts = takes_part(variant.params(), spec, params) || params.get(spec.id) != spec.fallback;
    const bool first = !spec.advanced || spec.id == "scale" || differs_from_plain(variant.params(), spec, params);
    if (counts && (memory.get<FoldsMemory>().more_parameters || first)) draw_param(form, spec, params, model, actions);
  }
}

// The text's own width, beside which there is nothing to choose of another input.
void draw_model_width(Form& form, const Model& model, Actions& actions) {
  for (const auto& [id, input] : model.document.experiment->inputs)
    if (const auto* text = std::get_if<TextInput>(&input)) {
      Rect line = form.row("Model width");
      form.ui.tooltip("params/d_model", line, "How many numbers make up one token (d_model).", Ui::Side::right);
      if (const auto next =
              number_stepper(form.ui, "params/d_model", line.take_left(form.ui.px(110)), text->d_model, 1, 65536))
        actions.push_back(SetModelWidth{static_cast<Index>(*next)});
      return;
    }
}

}  // namespace

void draw_params(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  const Rect more{form.column.right() - form.ui.px(52), form.y - form.ui.px(6), form.ui.px(60), form.ui.px(28)};
  if (button(form.ui, "params/more", more, memory.get<FoldsMemory>().more_parameters ? "Fewer" : "All ›",
             ButtonLook::ghost))
    memory.get<FoldsMemory>().more_parameters = !memory.get<FoldsMemory>().more_parameters;
  form.heading("Parameters");
  const Variant* variant = find_variant(model.document.experiment->variant);
  if (!variant) return;
  const ParamValues params = model.params();
  draw_presets(form, *variant, params, actions);
  const bool asks =
      std::ranges::any_of(variant->params(), [](const auto& s) { return s.question != ParamQuestion::size; });
  (asks ? draw_questions : draw_few)(form, params, model, memory, actions);
  draw_not_plain(form, model, actions);
  if (memory.get<FoldsMemory>().more_parameters) draw_model_width(form, model, actions);
}

}  // namespace headlight::app
