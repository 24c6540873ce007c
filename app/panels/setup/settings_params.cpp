// The parameters of a mechanism: under the questions that they answer, as choices and as the rows that these bring.
#include <fmt/ranges.h>

#include <cmath>

#include "app/model/mechanism_report.h"
#include "app/panels/setup/parts.h"
#include "app/reading/choices_offered.h"
#include "engine/params/plain.h"
#include "engine/params/presets.h"
#include "engine/variants/mechanism/mechanism.h"

namespace headlight::app {

namespace {

// The next chip in its rows. Returns whether it was clicked.
bool draw_choice_chip(Ui& ui, Flow& flow, const std::string& path, const std::string& title, const std::string& help,
                      bool chosen) {
  const Theme& t = ui.theme();
  const Rect box = flow.next(std::ceil(ui.width_of(Type::label_strong, title)) + ui.px(20));
  const auto hit = ui.hit(path, box, true, title, chosen ? "selected" : "");
  const float radius = ui.px(control_radius);
  ui.fill(box, chosen ? t.ink : control_ground(ui, hit, t.canvas), radius);
  ui.frame(box, chosen ? t.ink : t.line_strong, radius);
  ui.text_in(chosen ? Type::label_strong : Type::control, box, chosen ? t.on_ink : t.text, title, Ui::Align::center);
  if (hit.focused) ui.focus_ring(box, radius);
  ui.tooltip(path, {flow.box.x, box.y, flow.box.w, box.h}, help, Ui::Side::right);
  return hit.clicked;
}

// What is chosen, in brief; of a question that is a number's, that number.
std::string answer_in_words(const std::vector<ParamSpec>& specs, ParamQuestion question, const ParamValues& params,
                            const Model& model) {
  const auto offered = choices_offered(specs, question, params);
  std::vector<std::string> words;
  for (const OfferedChoice& choice : offered)
    if (choice.chosen) words.push_back(choice.title);
  for (const ParamSpec& spec : specs)
    if (offered.empty() && spec.question == question && !params.is_automatic(spec.id) &&
        params.get(spec.id) != spec.fallback)
      words.push_back(fmt::format("{} {}", spec.title, to_string(params.get(spec.id))));
  if (words.empty() && question == ParamQuestion::keys && model.problem_as_set())  // of a number that follows
    for (const ParamSpec& spec : specs)
      if (spec.question == question && model.problem_as_set()->symbols.contains(spec.symbol))
        words.push_back(fmt::format("{} {}", spec.title, model.problem_as_set()->dim(spec.symbol)));
  return words.empty() ? all_off_label(question, offered) : fmt::format("{}", fmt::join(words, ", "));
}

// The question; a click folds it. At its right "≠" where an answer is not plain attention's, before it the answer of
// one that is folded. Returns whether it is open.
bool draw_heading(Form& form, ParamQuestion question, const ParamValues& params, const Model& model,
                  PanelMemory& memory) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const std::string title(in_words(question));
  auto& folded = memory.get<FoldsMemory>().folded;
  const bool open = !folded.contains(question);
  Rect line = form.line(open ? 26 : 30);
  const auto& specs = find_variant(model.document.experiment->variant)->params();
  const auto hit = ui.hit("params/fold/" + title, line, true, title, open ? "" : "folded");
  if (hit.clicked && folded.erase(question) == 0) folded.insert(question);
  bool plain = true;
  for (const ParamSpec& spec : specs)
    if (spec.question == question && differs_from_plain(specs, spec, model.document.experiment->params)) {
      ui.log("params/not-plain/" + spec.id, line);
      plain = false;
    }
  if (hit.focused) ui.focus_ring(line, ui.px(control_radius));
  const Rect arrow = line.take_left(ui.px(16));
  draw_icon(ui, open ? Icon::chevron_down : Icon::chevron_right, {arrow.x + ui.px(5), arrow.middle().y},
            hit.hovered ? t.text : t.text_faint);
  words_at_left(ui, Type::label, line, hit.hovered ? t.text : t.text_muted, title, 8);
  if (!plain) words_at_right(ui, Type::label_strong, line, t.warning, "≠", 6);
  if (open) return true;
  const std::string answer = answer_in_words(specs, question, params, model);
  ui.log("params/answer/" + title, line, answer);
  ui.text_in(Type::label_strong, line, t.text, ui.fitted(Type::label_strong, answer, line.w), Ui::Align::right);
  return false;
}

constexpr Index most_heads = 16;  // more are too narrow for their numbers

void draw_head(Ui& ui, Rect box, const std::string& name, const RoleColors& role, bool current) {
  const float radius = ui.px(4);
  ui.fill(box, current ? role.soft : ui.theme().canvas, radius);
  ui.frame(box, role.main, radius, current ? ui.px(2) : 1);
  const Type type = ui.width_of(Type::label_strong, name) <= box.w ? Type::label_strong : Type::number_small;
  ui.text_in(type, box, role.main, name, Ui::Align::center);
}

// Whether an automatic scale is 1/√d', as far as is known: cosines and heads have one of their own.
bool factor_is_by_width(const ParamValues& params, const Model& model) {
  const auto* variant = find_variant(model.document.experiment->variant);
  const bool has_norm = variant && find_param(variant->params(), "qk_norm") != nullptr;
  return !(has_norm && params.choice("qk_norm") == "l2") &&
         !(model.problem_as_set() && model.problem_as_set()->find("logit_scale"));
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
  const auto choices = non_plain_choices(model);
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
  const Preset* now = matching_preset(variant.params(), all, params);
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
bool shows_param(const ParamSpec& spec, const std::vector<ParamSpec>& specs, const ParamValues& params, bool all) {
  const bool set = params.get(spec.id) != spec.fallback;
  if (is_fully_offered(spec)) return false;
  if (takes_number(spec)) return set;
  if (!set && !is_active(specs, spec, params)) return false;
  return all || set || !spec.advanced || !spec.part_of.empty() || spec.id == "scale" ||
         spec.question == ParamQuestion::keys;
}

void draw_rows(Form& form, ParamQuestion question, const ParamValues& params, const Model& model, bool all,
               Actions& actions) {
  const auto& specs = find_variant(model.document.experiment->variant)->params();
  for (const ParamSpec& spec : specs)
    if (spec.question == question && shows_param(spec, specs, params, all))
      draw_param(form, spec, params, model, actions);
}

// Whether anything stands below the question.
bool has_rows(ParamQuestion question, const std::vector<ParamSpec>& specs, const ParamValues& params, bool all) {
  return !choices_offered(specs, question, params).empty() || std::ranges::any_of(specs, [&](const ParamSpec& spec) {
    return spec.question == question && shows_param(spec, specs, params, all);
  });
}

// A question of the mechanism's, and the choices that answer it; folded, what is chosen. Returns
// whether what belongs to it is to be drawn.
bool draw_question(Form& form, ParamQuestion question, const ParamValues& params, const Model& model,
                   PanelMemory& memory, Actions& actions) {
  if (!draw_heading(form, question, params, model, memory)) return false;
  const auto offered = choices_offered(find_variant(model.document.experiment->variant)->params(), question, params);
  if (offered.empty()) return true;
  Ui& ui = form.ui;
  Flow flow{.box = form.line(0), .height = ui.px(26), .gap = ui.px(6), .between = ui.px(6)};
  if (const std::string none = all_off_label(question, offered); !none.empty()) {
    const bool chosen = std::ranges::none_of(offered, &OfferedChoice::chosen);
    const char* tip = question == ParamQuestion::visible ? "Every query sees every key." : "Without any of these.";
    if (draw_choice_chip(ui, flow, fmt::format("params/choice/{}", in_words(question)), none, tip, chosen) && !chosen)
      actions.push_back(ChooseNone{question});
  }
  for (const OfferedChoice& choice : offered)
    if (draw_choice_chip(ui, flow, "params/choice/" + choice.id, choice.title, choice.help, choice.chosen) &&
        !(choice.chosen && choice.plain))
      actions.push_back(SetParam{choice.param, choice.chosen ? choice.off : choice.on, false});
  form.y = flow.bottom() + ui.px(4);
  return true;
}

// Which query heads of the run read each key head, where several read one.
void draw_shared_heads(Form& form, const Model& model) {
  const Trace* trace = model.trace_as_set();
  if (!trace || !model.problem_as_set()) return;
  const auto shared = mechanism::shared_keys(*model.problem_as_set(), *trace);
  if (!shared || shared->group() < 2) return;
  Ui& ui = form.ui;
  form.y += ui.px(4);
  if (shared->query_heads <= most_heads) {
    const Index now = model.document.look.head;
    const float gap = ui.px(shared->query_heads > 8 ? 3 : 6), high = ui.px(20);
    const float pitch = (form.column.w + gap) / static_cast<float>(shared->query_heads);
    const float keys_y = form.y + high + ui.px(18);
    for (Index key = 0; key < shared->key_heads; ++key) {
      const Index first = key * shared->group();
      const float left = form.column.x + pitch * static_cast<float>(first);
      const float middle = left + (pitch * static_cast<float>(shared->group()) - gap) / 2;
      const std::string name = fmt::format("k v {}", key);
      const float width = std::min(ui.px(48), pitch * static_cast<float>(shared->group()) - gap);
      for (Index i = 0; i < shared->group(); ++i) {
        const Rect box{left + pitch * static_cast<float>(i), form.y, pitch - gap, high};
        ui.line({box.middle().x, box.bottom()}, {middle, keys_y}, ui.theme().line_strong);
        draw_head(ui, box, fmt::format("{}", first + i), ui.theme().query, first + i == now);
        ui.log(fmt::format("params/query head/{}", first + i), box, name);
      }
      const Rect box{middle - width / 2, keys_y, width, high};
      draw_head(ui, box, name, ui.theme().key, now / shared->group() == key);
    }
    form.y = keys_y + high + ui.px(6);
  }
  const std::string words = fmt::format("{} numbers cached per token, not {}.", shared->kept, shared->kept_each);
  const Rect line = form.line(18, 4);
  ui.text_in(Type::note, line, ui.theme().text_muted, words);
  ui.log("params/kept", line, words);
}

// All of them, or those that are asked for most, under the questions that they answer.
void draw_questions(Form& form, const ParamValues& params, const Model& model, PanelMemory& memory, Actions& actions) {
  const bool all = memory.get<FoldsMemory>().more_parameters;
  const auto& specs = find_variant(model.document.experiment->variant)->params();
  draw_rows(form, ParamQuestion::size, params, model, all, actions);
  for (const ParamQuestion question :
       {ParamQuestion::positions, ParamQuestion::visible, ParamQuestion::keys, ParamQuestion::weights}) {
    if (!has_rows(question, specs, params, all)) continue;
    form.y += form.ui.px(6);
    if (!draw_question(form, question, params, model, memory, actions)) continue;
    draw_rows(form, question, params, model, all, actions);
    if (question == ParamQuestion::keys) draw_shared_heads(form, model);
  }
  if (!all) return;
  form.y += form.ui.px(10);
  form.heading(in_words(ParamQuestion::layer));
  for (const ParamSpec& spec : specs)
    if (spec.question == ParamQuestion::layer &&
        (is_active(specs, spec, params) || params.get(spec.id) != spec.fallback))
      draw_param(form, spec, params, model, actions);
}

// Where there are few they need no questions.
void draw_few(Form& form, const ParamValues& params, const Model& model, PanelMemory& memory, Actions& actions) {
  const Variant& variant = *find_variant(model.document.experiment->variant);
  for (const ParamSpec& spec : variant.params()) {
    const bool counts = is_active(variant.params(), spec, params) || params.get(spec.id) != spec.fallback;
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
  bool& more_shown = memory.get<FoldsMemory>().more_parameters;
  const Rect more{form.column.right() - form.ui.px(52), form.y - form.ui.px(6), form.ui.px(60), form.ui.px(28)};
  if (button(form.ui, "params/more", more, more_shown ? "Fewer" : "All ›", ButtonLook::ghost)) more_shown = !more_shown;
  form.heading("Parameters");
  const Variant* variant = find_variant(model.document.experiment->variant);
  if (!variant) return;
  const ParamValues params = model.params();
  draw_presets(form, *variant, params, actions);
  const bool asks =
      std::ranges::any_of(variant->params(), [](const auto& s) { return s.question != ParamQuestion::size; });
  (asks ? draw_questions : draw_few)(form, params, model, memory, actions);
  draw_not_plain(form, model, actions);
  if (more_shown) draw_model_width(form, model, actions);
}

}  // namespace headlight::app
