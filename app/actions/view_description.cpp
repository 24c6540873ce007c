#include "app/actions/view_description.h"

#include <fmt/format.h>

#include "app/model/lesson_scene.h"
#include "app/model/network_run.h"
#include "app/reading/axis_match.h"
#include "app/reading/description.h"
#include "app/reading/difference.h"
#include "app/reading/other_descriptions.h"

namespace headlight::app {

namespace {

std::vector<MeasuredLayer> layers_of(const PartRun& part) {
  std::vector<MeasuredLayer> layers;
  for (Index l = 0; l < std::ssize(part.measures); ++l)
    if (!part.measures[static_cast<std::size_t>(l)].empty()) layers.push_back({"", l, part.measures_of(l)});
  return layers;
}

std::string describe_network(const Model& model) {
  if (!model.net.run) return {};
  const NetworkRun& run = *model.net.run;
  const NetworkLook& look = model.document.network->look;
  const PartRun& part = run.of(look.part);
  std::string words = fmt::format("{}, a model of {} layers.\n", model.title(), run.plan().layers_of(look.part)) +
                      describe_layers(layers_of(part));
  const bool reads_text = part.query_words.size() > 1;
  const Index place = look.query.value_or(part.n_q - 1);
  const auto likely = run.logits ? run.likely(place) : std::vector<Likely>();
  if (likely.empty()) return words;
  constexpr std::size_t most = 3;
  std::string list;
  for (std::size_t i = 0; i < std::min(most, likely.size()); ++i)
    list += fmt::format("{}“{}” {:.3f}", i == 0 ? "" : ", ", likely[i].name, likely[i].probability);
  if (!reads_text || place >= std::ssize(part.query_words)) return words + fmt::format("Likeliest: {}.\n", list);
  return words + fmt::format("Likeliest after “{}” ({}): {}.\n", part.query_words[static_cast<std::size_t>(place)],
                             place, list);
}

std::string describe_comparison(const Model& model) {
  const auto& a = model.comparison.a.outcome.trace;
  const Step* step = model.step();
  if (!a || !step) return {};
  Focus focus = focus_of(model.document.look), in_a = focus;
  focus.flat = in_a.flat = true;
  in_a.selection = partner_in_a(match_positions(*a, *model.trace(), focus.batch), focus.selection);
  return "A is held, B is what is open.\n" + describe_difference(*a, in_a, *model.trace(), *step, focus);
}

std::string describe_step(const Model& model) {
  const Step* step = model.step();
  return step ? describe(*model.trace(), *step, focus_of(model.document.look)) : std::string();
}

// Its text, its question with what can be answered, and the picture as far as it is not hidden.
std::string describe_lesson(const Model& model) {
  const LessonStep& step = lesson_step(model);
  const PlayedStep& played = played_step(model);
  const bool asked = awaits_answer(model);
  std::string words = step.title + "\n";
  const auto say = [&](const PrintedText& text) {
    if (!text.empty()) words += plain_text(text) + "\n";
  };
  const auto say_parts = [&](std::size_t first, std::size_t end, const std::vector<PrintedText>& texts) {
    for (std::size_t i = first; i < end; ++i)
      if (step.parts[i].kind != LessonPart::Kind::note) say(texts[i]);
  };
  say_parts(0, step.asked_at, played.texts);
  if (step.ask) {
    say(played.question.question);
    for (std::size_t i = 0; i < played.question.options.size(); ++i)
      words += fmt::format("{}: {}\n", static_cast<char>('A' + i), plain_text(played.question.options[i]));
  }
  const LessonAnswered* answer = answered(model);
  if (answer) {
    if (step.ask->kind != AskKind::deed)
      words += fmt::format("You said {}; it is {}.\n",
                           answer->given_up ? "nothing" : answer_in_words(*step.ask, answer->value),
                           answer_in_words(*step.ask, right_answer(*step.ask, *played.truth)));
    say(answer->reply);
    if (const auto& because = answer->because ? answer->because : played.question.because) say(*because);
  }
  const bool done = answer && !answer->texts.empty();  // the run as it was done
  if (!asked && step.ask) say_parts(step.asked_at + 1, step.parts.size(), done ? answer->texts : played.texts);
  if (!lesson_scene(model).hidden.empty())
    return words + "A part of the picture is hidden" + (asked ? " until this is answered.\n" : " for a later step.\n");
  return words + describe_step(model);
}

}  // namespace

std::string describe_view(const Model& model) {
  if (model.screen == Screen::lessons && model.learner.played) return describe_lesson(model);
  if (model.shows_network()) return describe_network(model);
  if (!model.trace()) return {};
  if (model.screen == Screen::compare && model.comparison.a.outcome.trace) return describe_comparison(model);
  if (model.shows_layers() && model.layers.made) return describe_layers(layers_of(*model.layers.made));
  if (model.document.look.mode == ViewMode::heads && model.head_report.measures)
    return describe_heads(*model.trace(), *model.head_report.measures);
  return describe_step(model);
}

}  // namespace headlight::app
