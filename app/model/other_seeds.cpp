#include "app/model/other_seeds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headlight::app {

namespace {

std::shared_ptr<const learn::FilmFrame> without_maps(const learn::FilmFrame& frame) {
  learn::FilmFrame light;
  light.step = frame.step;
  light.loss = frame.loss;
  light.figures = frame.figures;
  return std::make_shared<const learn::FilmFrame>(std::move(light));
}

std::string learned_in_words(const learn::Film& film) {
  if (const auto step = film.learned_at()) return fmt::format("{}", *step);
  if (film.broken) return "no number";
  return film.is_at_end() ? "never" : "not yet";
}

}  // namespace

bool has_all(const OtherSeeds& seeds) {
  return seeds.films.size() == other_seeds && newest_is_done(seeds);
}

bool newest_is_done(const OtherSeeds& seeds) {
  return seeds.films.empty() || !seeds.films.back()->has_more_steps();
}

learn::TrainingPlan next_seed(const OtherSeeds& seeds) {
  learn::TrainingPlan plan = *seeds.of;
  plan.seed += seeds.films.size() + (newest_is_done(seeds) ? 1 : 0);
  return plan;
}

void receive_seed(OtherSeeds& seeds, const learn::Film& film) {
  auto light = std::make_shared<learn::Film>(film);
  for (auto& frame : light->frames) frame = without_maps(*frame);
  light->newest = without_maps(*film.newest);
  if (!seeds.films.empty() && seeds.films.back()->plan->seed == film.plan->seed) seeds.films.pop_back();
  seeds.films.push_back(std::move(light));
}

std::string seeds_in_words(const TrainingShown& shown) {
  const learn::Film& film = *shown.film;
  const bool same = same_plan(*film.plan, *shown.seeds.of) && film.schedule.size() == 1;
  std::vector<std::string> learned;
  if (same) learned.push_back(learned_in_words(film));
  for (const auto& other : shown.seeds.films) learned.push_back(learned_in_words(*other));
  const std::uint64_t first = shown.seeds.of->seed + (same ? 0 : 1);
  const std::string seeds = learned.size() == 1 ? fmt::format("Seed {}", first)
                                                : fmt::format("Seeds {}–{}", first, first + learned.size() - 1);
  return learned.empty() ? "" : fmt::format("{}: learned at step {}.", seeds, fmt::join(learned, ", "));
}

}  // namespace headlight::app
