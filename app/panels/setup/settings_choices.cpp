// What answers a question of a mechanism's, as chips: those that are chosen are filled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/panels/common/form.h"
#include "app/panels/setup/parts.h"
#include "app/panels/setup/setup.h"
#include "app/reading/choices_offered.h"
#include "app/widgets/icons.h"
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
    const float wanted = std::ceil(ui.width_of(Type::label_strong, title)) + ui.px(20), high = ui.px(26);
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

// What is chosen, in brief; of a question that is a number's, that number.
std::string answer_in_words(const std::vector<ParamSpec>& specs, ParamQuestion question, const ParamValues& params) {
  const auto offered = choices_offered(specs, question, params);
  std::vector<std::string> words;
  for (const OfferedChoice& choice : offered)
    if (choice.chosen) words.push_back(choice.title);
  for (const ParamSpec& spec : specs)
    if (offered.empty() && spec.question == question && !params.is_automatic(spec.id) &&
        params.get(spec.id) != spec.fallback)
      words.push_back(fmt::format("{} {}", spec.title, to_string(params.get(spec.id))));
  return words.empty() ? none_of_them(question, offered) : fmt::format("{}", fmt::join(words, ", "));
}

// The question; a click folds it. At its right "≠" where an answer is not plain attention's, before it the answer of
// one that is folded. Returns whether it is open.
bool draw_heading(Form& form, ParamQuestion question, const ParamValues& params, const Model& model,
                  PanelMemory& memory) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  Rect line{form.column.x, form.y, form.column.w, ui.px(16)};
  const auto& specs = find_variant(model.document.experiment->variant)->params();
  const std::string path = fmt::format("params/fold/{}", in_words(question));
  const auto hit =
      ui.hit(path, {line.x, line.y - ui.px(4), line.w, line.h + ui.px(8)}, true, std::string(in_words(question)),
             memory.get<FoldsMemory>().folded.contains(question) ? "folded" : "");
  if (hit.clicked && memory.get<FoldsMemory>().folded.erase(question) == 0)
    memory.get<FoldsMemory>().folded.insert(question);
  const bool open = !memory.get<FoldsMemory>().folded.contains(question);
  bool plain = true;
  for (const ParamSpec& spec : specs)
    if (spec.question == question && differs_from_plain(specs, spec, model.document.experiment->params)) {
      ui.log("params/not-plain/" + spec.id, line);
      plain = false;
    }
  form.heading(in_words(question));
  if (hit.focused) ui.focus_ring(line, ui.px(control_radius));
  line.take_left(ui.width_of(Type::heading, in_words(question)) + ui.px(4));
  const Rect arrow = line.take_left(ui.px(16));
  draw_icon(ui, open ? Icon::chevron_down : Icon::chevron_right, arrow.middle(), hit.hovered ? t.text : t.text_faint);
  if (!plain) ui.text_in(Type::label_strong, line.take_right(ui.px(12)), t.warning, "≠", Ui::Align::right);
  if (open) return true;
  line = line.inset(ui.px(4), 0);
  const std::string answer = answer_in_words(specs, question, params);
  ui.log("params/answer/" + std::string(in_words(question)), line, answer);
  ui.text_in(Type::note, line, t.text_muted, ui.fitted(Type::note, answer, line.w), Ui::Align::right);
  return false;
}

}  // namespace

bool draw_question(Form& form, ParamQuestion question, const ParamValues& params, const Model& model,
                   PanelMemory& memory, Actions& actions) {
  if (!draw_heading(form, question, params, model, memory)) return false;
  const auto& specs = find_variant(model.document.experiment->variant)->params();
  const auto offered = choices_offered(specs, question, params);
  if (offered.empty()) return true;
  ChipRow row(form);
  if (const std::string none = none_of_them(question, offered); !none.empty()) {
    const bool chosen = std::ranges::none_of(offered, &OfferedChoice::chosen);
    const char* tip = question == ParamQuestion::visible ? "Every query sees every key." : "Without any of these.";
    if (row.chip(fmt::format("params/choice/{}", in_words(question)), none, tip, chosen) && !chosen)
      actions.push_back(ChooseNone{question});
  }
  for (const OfferedChoice& choice : offered)
    if (row.chip("params/choice/" + choice.id, choice.title, choice.help, choice.chosen) &&
        !(choice.chosen && choice.plain))
      actions.push_back(SetParam{choice.param, choice.chosen ? choice.off : choice.on, false});
  form.y += form.ui.px(30);
  return true;
}

}  // namespace headlight::app
