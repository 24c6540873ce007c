// What answers a question of a mechanism's, as chips: those that are chosen are filled.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/panels/form.h"
#include "app/panels/settings_parts.h"
#include "app/reading/choices_offered.h"
#include "engine/variants/plain.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// Chips in rows, from the form's left edge on.
struct ChipRow {
  Form& form;
  float x;

  explicit ChipRow(Form& of) : form(of), x(of.column.x) {}

  // Returns whether it was clicked.
  bool chip(const std::string& path, const std::string& title, const std::string& help, bool chosen) {
    Ui& ui = form.ui;
    const Theme& t = ui.theme();
    const float wanted = std::ceil(ui.width_of(Type::label_strong, title)) + ui.px(20), high = ui.px(30);
    const float width = std::min(wanted, form.column.w);
    if (x > form.column.x && x + width > form.column.right()) {
      x = form.column.x;
      form.y += high + ui.px(6);
    }
    const Rect box{x, form.y, width, high};
    x += width + ui.px(6);
    const auto hit = ui.hit(path, box, true, title, chosen ? "selected" : "");
    const float radius = ui.px(control_radius);
    ui.fill(box, chosen ? t.ink : control_ground(ui, hit, t.canvas), radius);
    ui.frame(box, chosen ? t.ink : t.line_strong, radius);
    ui.text_in(chosen ? Type::label_strong : Type::control, box, chosen ? t.on_ink : t.text, title, Ui::Align::center);
    if (hit.focused) ui.focus_ring(box, radius);
    ui.tooltip(path, {form.column.x, box.y, form.column.w, box.h}, help, Ui::Side::right);
    return hit.clicked;
  }
};

// The question, and at its right "≠" where an answer is not plain attention's.
void draw_heading(Form& form, ParamQuestion question, const Model& model) {
  Ui& ui = form.ui;
  const Rect line{form.column.x, form.y, form.column.w, ui.px(16)};
  const auto& specs = find_variant(model.document.experiment.variant)->params();
  bool plain = true;
  for (const ParamSpec& spec : specs)
    if (spec.question == question && differs_from_plain(specs, spec, model.document.experiment.params)) {
      ui.log("params/not-plain/" + spec.id, line);
      plain = false;
    }
  if (!plain) ui.text_in(Type::label_strong, line, ui.theme().warning, "≠", Ui::Align::right);
  form.heading(in_words(question));
}

}  // namespace

void draw_question(Form& form, ParamQuestion question, const Model& model, Actions& actions) {
  draw_heading(form, question, model);
  const auto& specs = find_variant(model.document.experiment.variant)->params();
  const auto offered = choices_offered(specs, question, model.params());
  if (offered.empty()) return;
  ChipRow row(form);
  if (const std::string none = none_of_them(question, offered); !none.empty()) {
    const bool chosen = std::ranges::none_of(offered, &OfferedChoice::chosen);
    if (row.chip(fmt::format("params/choice/{}", in_words(question)), none, "None of the others.", chosen) && !chosen)
      actions.push_back(ChooseNone{question});
  }
  for (const OfferedChoice& choice : offered)
    if (row.chip("params/choice/" + choice.id, choice.title, choice.help, choice.chosen) &&
        !(choice.chosen && choice.plain))
      actions.push_back(SetParam{choice.param, choice.chosen ? choice.off : choice.on, false});
  form.y += form.ui.px(34);
}

}  // namespace headlight::app
