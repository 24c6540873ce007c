#include "app/model/training.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "app/model/counter_tests.h"
#include "app/model/first_text.h"
#include "app/model/model.h"
#include "app/model/network_run.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/models/trained.h"

namespace headlight::app {

learn::TrainingPlan default_plan(const learn::Task& task) {
  learn::TrainingPlan plan;
  plan.task = &task;
  plan.options = {ParamValues::defaults(task.options())};
  if (task.reads_text()) plan.options.texts["text"] = first_text_to_learn();
  plan.steps = task.info().usual_steps;
  return plan;
}

const std::string& text_to_learn(const learn::TrainingPlan& plan) {
  static const std::string none;
  const auto found = plan.options.texts.find("text");
  return found == plan.options.texts.end() ? none : found->second;
}

std::filesystem::path trained_folder(const Model& model) {
  if (!model.shows_network() || !model.net.run || !is_trained(model.net.run->plan())) return {};
  return model.document.network->asked.model;
}

const learn::TrainingPlan& training_asked(const Model& model) {
  static const learn::TrainingPlan first = default_plan(*learn::all_tasks().front());
  return model.document.training ? *model.document.training : first;
}

bool can_change_steps(const learn::TrainingPlan& plan) {
  return plan.optimizer.choice("decay") == "none";
}

bool can_continue(const learn::TrainingPlan& begun, const learn::TrainingPlan& now) {
  if (begun.task != now.task || begun.seed != now.seed || begun.options.texts != now.options.texts) return false;
  if (begun.steps != now.steps && !can_change_steps(now)) return false;
  return std::ranges::all_of(now.task->options(), [&](const ParamSpec& spec) {
    return spec.id == rate_option || spec.id == batch_option ||
           begun.options.values.get(spec.id) == now.options.values.get(spec.id);
  });
}

bool same_plan(const learn::TrainingPlan& a, const learn::TrainingPlan& b) {
  return can_continue(a, b) && a.steps == b.steps && learn::first_settings(a) == learn::first_settings(b);
}

std::string value_in_words(const ParamSpec& spec, const ParamValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return "automatic";
  if (const bool* on = std::get_if<bool>(&value)) return *on ? "on" : "off";
  const auto* id = std::get_if<std::string>(&value);
  if (!id) return to_string(value);
  const auto found = std::ranges::find(spec.choices, *id, &Choice::id);
  return found == spec.choices.end() ? *id : lower_first(found->title);
}

std::string words_before(const learn::TrainingPlan& before, const learn::TrainingPlan& now) {
  if (before.task != now.task) return {};
  std::vector<std::string> words;
  for (const ParamSpec& spec : now.task->options())
    if (const ParamValue& value = before.options.values.get(spec.id); value != now.options.values.get(spec.id))
      words.push_back(fmt::format("{} {}", lower_first(spec.title), value_in_words(spec, value)));
  if (before.options.texts != now.options.texts) words.emplace_back("another text");
  if (before.steps != now.steps) words.push_back(fmt::format("{} steps", before.steps));
  if (before.changes.size() != now.changes.size()) words.emplace_back("heads changed");
  words.push_back(before.seed == now.seed ? "same seed" : fmt::format("seed {}", before.seed));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string in_words_of_options(std::string message, const learn::Task& task) {
  constexpr std::string_view mark = "options.";
  for (std::size_t at = 0; (at = message.find(mark, at)) != std::string::npos;) {
    std::size_t end = at + mark.size();
    while (end < message.size() && (std::isalnum(static_cast<unsigned char>(message[end])) || message[end] == '_'))
      ++end;
    const std::string id = message.substr(at + mark.size(), end - at - mark.size());
    const ParamSpec* spec = find_param(task.options(), id);
    const std::string title = spec ? spec->title : "The " + id;
    message.replace(at, end - at, title);
    at += title.size();
  }
  return capitalized(std::move(message));
}

Index last_viewable_step(const learn::Film& film) {
  return film.broken ? film.newest->step : film.step;
}

bool wants_slopes(const TrainingShown& shown) {
  return shown.gradient || shown.pinned;
}

namespace {

// Shows the kept frame of the step that is looked at. False where none is kept as it is wanted: what is shown stays,
// if it is.
bool show_kept(TrainingShown& shown) {
  const auto kept = shown.film->frame_at(shown.at);
  const bool whole = kept && (kept->slopes || !wants_slopes(shown));
  if (kept && (whole || !shown.frame || !shown.frame->slopes)) shown.frame = kept;
  return whole;
}

}  // namespace

std::optional<Index> look_at_step(TrainingShown& shown, Index step) {
  if (!shown.film) return std::nullopt;
  shown.at = std::clamp<Index>(step, 0, last_viewable_step(*shown.film));
  return show_kept(shown) ? std::nullopt : std::optional(shown.at);
}

std::optional<std::pair<Index, Index>> compared_steps(const TrainingShown& shown) {
  if (!shown.film) return std::nullopt;
  const Index last = last_viewable_step(*shown.film);
  const Index a = std::min(shown.mark_a.value_or(0), last), b = std::min(shown.mark_b.value_or(shown.at), last);
  return a == b ? std::nullopt : std::optional(std::pair(a, b));
}

void receive_film(TrainingShown& shown, std::shared_ptr<const learn::Film> film) {
  const bool other = !shown.film || !film || shown.film->example != film->example;
  const bool same = shown.film && film && can_continue(*shown.film->plan, *film->plan);
  shown.film = std::move(film);
  if (other) {
    shown.frame = nullptr;
    shown.heads = nullptr;
    shown.follows = true;
    if (!same) shown.mark_a = shown.mark_b = std::nullopt;
  }
  if (!shown.film) return;
  record_test_result(shown);
  if (shown.follows || shown.at > shown.film->step) shown.at = shown.film->newest->step;
  show_kept(shown);
  if (shown.pinned && !weight_in(*shown.film->newest, *shown.pinned)) shown.pinned.reset();
}

bool can_change_heads(const TrainingShown& shown) {
  return shown.film && !shown.film->broken && shown.film->step > 0 && !shown.film->heads.empty();
}

std::string name_of_head(const learn::Film& film, learn::TrainedHead head) {
  return fmt::format("{} · head {}", film.example->maps[static_cast<std::size_t>(head.map)].title, head.head);
}

std::map<Index, std::string> events_in_words(const learn::Film& film) {
  constexpr Index drawn_along = 5;  // steps that are nearer than these belong together
  std::map<Index, std::string> events;
  const auto tell = [&](Index step, const std::string& what) {
    std::string& words = events[step];
    words += (words.empty() ? "" : ", ") + what;
  };
  learn::StepSettings before = film.schedule.begin()->second;
  for (auto change = std::next(film.schedule.begin()); change != film.schedule.end(); ++change) {
    const auto& [step, now] = *change;
    const auto next = std::next(change);
    if (next != film.schedule.end() && next->first - step < drawn_along) continue;
    if (now.rate != before.rate) tell(step, fmt::format("rate {:.3g}", now.rate));
    if (now.batch != before.batch) tell(step, fmt::format("batch {}", now.batch));
    before = now;
  }
  const char* const to[] = {"off", "on again", "drawn anew"};
  for (const learn::HeadChange& change : film.plan->changes)
    tell(change.step, fmt::format("{} {}", name_of_head(film, change.head), to[static_cast<std::size_t>(change.to)]));
  return events;
}

std::optional<learn::TrainedHead> least_important(const TrainingShown& shown) {
  if (!shown.film || !shown.heads) return std::nullopt;
  const learn::TrainedHeads off = learn::heads_off_at(shown.film->plan->changes, shown.film->step);
  if (off.size() + 1 >= shown.film->heads.size()) return std::nullopt;
  const auto& alone = shown.heads->importance.alone;  // what is missed most stands first
  const auto found = std::find_if(alone.rbegin(), alone.rend(),
                                  [&](const learn::WithoutHead& without) { return !off.contains(without.head); });
  return found == alone.rend() ? std::nullopt : std::optional(found->head);
}

std::optional<float> weight_in(const learn::FilmFrame& frame, const TrainCell& cell) {
  const auto inside = [](Index at, Index size) { return at >= 0 && at < size; };
  if (!inside(cell.map, std::ssize(frame.maps))) return std::nullopt;
  const Tensor& map = *frame.maps[static_cast<std::size_t>(cell.map)];
  if (!inside(cell.head, map.dim(0)) || !inside(cell.query, map.dim(1)) || !inside(cell.key, map.dim(2)))
    return std::nullopt;
  return map[(cell.head * map.dim(1) + cell.query) * map.dim(2) + cell.key];
}

}  // namespace headlight::app
