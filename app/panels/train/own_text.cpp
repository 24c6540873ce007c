// The text that is learned: typed, pasted, or from a file.
#include "app/panels/common/map_parts.h"
#include "app/panels/train/parts.h"
#include "engine/core/memory.h"

namespace headlight::app {

namespace {

constexpr std::size_t most_in_field = 20000;  // bytes; more would take its time in every frame

// "4.0 KiB: the first 4 thousand letters are used, the last tenth of them held out."
std::string use_in_words(const std::string& text, double kilobytes) {
  const bool all = static_cast<double>(text.size()) <= kilobytes * 1000;
  const std::string used = all ? "all of it is" : fmt::format("the first {:g} thousand letters are", kilobytes);
  return fmt::format("{}: {} used, the last tenth held out.", bytes_text(static_cast<double>(text.size())), used);
}

}  // namespace

void draw_own_text(Form& form, const Model& model, Actions& actions) {
  const learn::TrainingPlan& plan = training_asked(model);
  if (!plan.task->reads_text()) return;
  Ui& ui = form.ui;
  const std::string& text = text_to_learn(plan);
  form.y += ui.px(8);
  if (text.size() <= most_in_field)
    draw_text(form, "train/text", text, "Type or paste a text", false, actions, [](const std::string& now) {
      return SetTrainText{now, true};
    });
  if (!text.empty())
    form.log_words("train/text/use", ui.theme().text_muted, use_in_words(text, plan.options.values.real("kilobytes")),
                   Type::note, 6);
  Rect line = form.line(32);
  draw_command(ui, "train/text/open", line.take_left(ui.px(120)), "open", "Open a text …", model, actions);
  line.take_left(ui.px(8));
  if (text.size() > most_in_field && button(ui, "train/text/type", line.take_left(ui.px(120)), "Type one instead"))
    actions.push_back(SetTrainText{});
}

}  // namespace headlight::app
