// What can be changed where something is to be done: the numbers of an input, a parameter, a text, as the solution of
// the question changes them.
#include <nlohmann/json.hpp>
#include <set>

#include "app/panels/lesson/parts.h"
#include "app/panels/setup/parts.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

std::string first_word(const std::string& line) {
  return line.substr(0, line.find(' '));
}
std::string second_word(const std::string& line) {
  const auto from = line.find(' ');
  if (from == std::string::npos) return {};
  const auto end = line.find(' ', from + 1);
  return line.substr(from + 1, end == std::string::npos ? end : end - from - 1);
}

// The array whose numbers an edit sets.
std::string array_of_edit(const std::string& line) {
  const auto json = nlohmann::json::parse(line.substr(std::min(line.find(' '), line.size())), nullptr, false);
  const auto found = json.is_object() ? json.find("array") : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Sets one number; edits before it of the same cell stay in the list and are written over.
Action set_number(const std::string& array, const std::vector<Index>& at, double value) {
  nlohmann::json edit{{"array", array}, {"at", at}, {"set", value}};
  return *parse_action("edit " + edit.dump());
}

// Rows of numbers with what their positions are called, each to be typed.
void draw_numbers_of(Form& form, const Step& step, Actions& actions) {
  Ui& ui = form.ui;
  const Tensor& numbers = step.tensor();
  const Shape& shape = numbers.shape();
  const Index columns = shape.empty() ? 1 : shape.back(), rows = numbers.size() / std::max<Index>(1, columns);
  if (columns > 6 || rows > 12) return;  // more than a card holds
  const Axis* along = step.info.axes.size() > 1 ? &step.info.axes[step.info.axes.size() - 2] : nullptr;
  for (Index row = 0; row < rows; ++row) {
    Rect line = form.line(36, 2);
    const std::string label =
        along ? label_of_place({*along, {row % std::max<Index>(1, along->size)}}) : std::to_string(row);
    ui.text_in(Type::lesson_text, line.take_left(ui.px(86)), ui.theme().text, ui.fonts().display_text(label));
    for (Index column = 0; column < columns; ++column) {
      const Index flat = row * columns + column;
      const Rect box =
          line.take_left(std::min(ui.px(112), line.w / static_cast<float>(columns - column))).inset(ui.px(2), ui.px(2));
      const std::string path = fmt::format("lesson/set/{}/{}", step.info.id, flat);
      const double now = static_cast<double>(numbers[flat]);
      const auto changed = number_stepper(ui, path, box, std::llround(now), -99, 99);
      if (changed && static_cast<double>(*changed) != now)
        actions.push_back(set_number(step.info.id, index_at_flat(shape, flat), static_cast<double>(*changed)));
    }
  }
}

void draw_parameter(Form& form, const std::string& id, const Model& model, Actions& actions) {
  const Variant* variant = find_variant(model.document.experiment->variant);
  if (!variant) return;
  for (const ParamSpec& spec : variant->params())
    if (spec.id == id) {
      Rect line = form.row(spec.title);
      draw_param_control(form.ui, line, spec, model.document.experiment->params, model, actions);
      form.y += form.ui.px(6);
    }
}

}  // namespace

void draw_lesson_controls(Form& form, const Model& model, PanelMemory& memory, Actions& actions) {
  std::set<std::string> shown;
  for (const auto& line : lesson_step(model).ask->solution) {
    const std::string verb = first_word(line.text),
                      what = verb == "edit" ? array_of_edit(line.text) : second_word(line.text);
    if (!shown.insert(verb + " " + what).second || !model.trace()) continue;
    const Step* step = verb == "edit" ? model.trace()->find(what) : nullptr;
    if (step) draw_numbers_of(form, *step, actions);
    if (verb == "param") draw_parameter(form, what, model, actions);
    if (verb == "mask") draw_parameter(form, "mask", model, actions);
    if (verb == "text") {
      AnswerMemory& kept = answer_memory(model, memory);
      const auto* input = model.input(what);
      const auto* text = input ? std::get_if<TextInput>(input) : nullptr;
      if (text && kept.typed.empty()) kept.typed = text->text;
      if (text_field(form.ui, "lesson/text", form.line(36, 8), kept.typed, false, "a sentence").changed)
        actions.push_back(SetText{what, kept.typed, true});
    }
  }
  if (!model.history.undo.empty() && button(form.ui, "lesson/undo", form.line(32, 4), "Undo"))
    actions.push_back(Undo{});
}

}  // namespace headlight::app
