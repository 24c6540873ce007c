#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/panels/common/form.h"
#include "app/panels/setup/parts.h"
#include "engine/core/system/paths.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// Whether a file of arrays is open, and no weight that is drawn comes from it.
bool file_is_unused(const Model& model) {
  return !model.document.experiment->arrays.empty() && model.shown.problem &&
         model.shown.problem->given_weights.empty();
}

// What is drawn, not what was asked for: hand-made heads wear no file's name.
std::string weights_summary(const Model& model) {
  if (const auto& given = model.document.experiment->weights; given && !given->from.empty()) return "of a model";
  if (!model.document.experiment->arrays.empty() && !file_is_unused(model))
    return utf8(path_of_utf8(model.document.experiment->arrays).filename());
  if (model.trace() && !model.trace()->heads.empty())
    return model.trace()->heads.size() == 1 ? "1 hand-made head"
                                            : fmt::format("{} hand-made heads", model.trace()->heads.size());
  return fmt::format("seed {}", model.document.experiment->weights ? model.document.experiment->weights->seed : 0);
}

// Which weights a file gave and which were made beside them, and where none could be made by hand.
std::string weights_in_words(const Model& model) {
  if (const auto& given = model.document.experiment->weights; given && !given->from.empty())
    return fmt::format("Layer {} of {}, as its files have it.", given->layer.value_or(0),
                       utf8(path_of_utf8(given->from).filename()));
  if (!model.shown.problem) return "";
  const Problem& problem = *model.shown.problem;
  const auto& asked = model.document.experiment->weights;
  const std::string name = utf8(path_of_utf8(model.document.experiment->arrays).filename());
  if (name.empty() && (!asked || asked->init == "textbook") && problem.heads.empty() && problem.given_weights.empty() &&
      !problem.specs.weights.empty())
    return "Drawn at random (xavier_normal): none can be made by hand here.";
  if (name.empty()) return "";
  if (problem.given_weights.empty()) return fmt::format("No weight is taken from {}: these are made here.", name);
  std::vector<std::string> made;
  for (const ArraySpec& spec : problem.specs.weights)
    if (spec.fill == Fill::init && std::ranges::find(problem.given_weights, spec.id) == problem.given_weights.end())
      made.push_back(spec.id);
  return fmt::format("From the file: {}.{}", fmt::join(problem.given_weights, ", "),
                     made.empty() ? "" : fmt::format(" Made here: {}.", fmt::join(made, ", ")));
}

}  // namespace

void draw_weights(Form& form, const Model& model, Actions& actions) {
  Ui& ui = form.ui;
  const Rect line{form.column.x, form.y, form.column.w, ui.px(16)};
  ui.text_in(Type::note, line, ui.theme().text_faint, weights_summary(model), Ui::Align::right);
  form.heading("Weights");
  const WeightsSpec weights = model.document.experiment->weights.value_or(WeightsSpec{});
  const bool of_layer = !weights.from.empty();
  const bool file = of_layer || (!model.document.experiment->arrays.empty() && !file_is_unused(model));
  // Heads are made by hand for channels whose meaning is known: numbers from arrays get random ones.
  const bool unknown = model.shown.problem && model.shown.problem->input_kind == InputKind::array;
  const int current = file ? 2 : weights.init == "textbook" && !unknown ? 0 : 1;
  const Rect tabs = form.line(32, 8);
  const int chosen = segments(ui, "weights", tabs,
                              {{"textbook", "Textbook", unknown ? "No heads are made by hand for arrays" : ""},
                               {"random", "Random", ""},
                               {"file", "File", ""}},
                              current);
  if (chosen == 0) actions.push_back(SetWeights{"textbook", weights.seed});
  if (chosen == 1) actions.push_back(SetWeights{"xavier_normal", weights.seed});
  if (chosen == 2) actions.push_back(ShowDialog{Dialog::open});
  if (const std::string words = weights_in_words(model); !words.empty()) {
    const Rect at{form.column.x, form.y, form.column.w, 0};
    form.y += paragraph(ui, {at.x, at.y}, at.w, ui.theme().text_muted, words, true, Type::note) + ui.px(8);
    ui.log("weights/words", at, words);
  }
  if (of_layer) return;
  if (current != 1) return;
  const auto inits = std::vector<std::string>(weight_inits().begin() + 1, weight_inits().end());
  const std::string drawn = weights.init == "textbook" ? "xavier_normal" : weights.init;  // what takes its place
  const auto at = std::ranges::find(inits, drawn);
  const int init = drop_down(ui, "weights/init", form.row("Drawn as"), inits, static_cast<int>(at - inits.begin()));
  if (init >= 0) actions.push_back(SetWeights{inits[static_cast<std::size_t>(init)], weights.seed});
  Rect seed = form.row("Seed");
  if (const auto next = number_stepper(ui, "weights/seed", seed.take_left(ui.px(110)),
                                       static_cast<long long>(weights.seed), 0, INT64_MAX))
    actions.push_back(SetWeights{drawn, static_cast<std::uint64_t>(*next)});
}

}  // namespace headlight::app
