#include "engine/learn/film.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "engine/learn/part_experiment.h"
#include "engine/learn/training_folder.h"

namespace headlight::learn {

namespace {

constexpr Index all_kept_up_to = 100, kept_every = 5, steps_to_heal = 100;

std::size_t bytes_of(const Tensor& tensor) {
  return static_cast<std::size_t>(tensor.size()) * sizeof(float);
}

std::size_t bytes_of(const Numbers& numbers) {
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : numbers) bytes += bytes_of(*tensor);
  return bytes;
}

std::size_t bytes_of(const Snapshot& snapshot) {
  return bytes_of(snapshot.weights) + bytes_of(snapshot.means) + bytes_of(snapshot.squares);
}

// The first along the first axis, without that axis.
Tensor first_of(const Tensor& all) {
  Shape shape(all.shape().begin() + 1, all.shape().end());
  const auto each = static_cast<std::size_t>(all.size() / all.dim(0));
  return Tensor::from(std::move(shape), all.values().first(each));
}

// Shares of each answer where answers are chosen among; else what comes out.
const Step* prediction_step(const Network& network) {
  const Trace& trace = network.trace_of(loss_part);
  const Step* shares = trace.find("probabilities");
  return shares ? shares : trace.find("output");
}

}  // namespace

FilmExample example_of(const TrainingPlan& plan) {
  const Numbers all = plan.task->held_out(plan.seed, plan.options).front();
  const auto first = [&](const char* name) -> std::shared_ptr<const Tensor> {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : std::make_shared<const Tensor>(first_of(*found->second));
  };
  FilmExample example;
  example.maps = plan.task->maps(plan.options);
  example.words = plan.task->words(all, plan.options);
  example.right = first("answers");
  example.held_out_count = all.find("answers")->second->dim(0);
  if (!all.contains("x")) return example;
  example.asked = first("asked");
  example.picture = first("x");
  example.frames = example.picture->rank() == 4 ? example.picture->dim(1) : 1;
  example.rows = example.picture->dim(-2);
  example.columns = example.picture->dim(-1);
  return example;
}

std::size_t FilmFrame::bytes() const {
  std::size_t bytes = prediction ? bytes_of(*prediction) : 0;
  for (const auto& map : maps) bytes += bytes_of(*map);
  if (!slopes) return bytes;
  for (const Slopes::OfMap& map : slopes->maps)
    for (const auto& each : {map.weights, map.scores}) bytes += each ? bytes_of(*each) : 0;
  return bytes;
}

std::shared_ptr<const FilmFrame> Film::frame_at(Index wanted) const {
  if (newest && newest->step == wanted) return newest;
  const auto found = std::ranges::lower_bound(frames, wanted, {}, [](const auto& frame) { return frame->step; });
  return found != frames.end() && (*found)->step == wanted ? *found : nullptr;
}

std::optional<Index> Film::learned_at() const {
  for (const auto& frame : frames)
    if (has_learned(*frame)) return frame->step;
  if (newest && has_learned(*newest)) return newest->step;
  return std::nullopt;
}

Result<std::unique_ptr<Filming>> Filming::begin(TrainingPlan plan, Compute& compute, Room room) {
  HL_TRY(auto training, Training::make(std::move(plan), compute));
  std::unique_ptr<Filming> filming(new Filming(std::move(training), room));
  const Training& made = *filming->training_;
  filming->film_.plan = std::make_shared<const TrainingPlan>(made.plan());
  filming->film_.schedule[0] = first_settings(made.plan());
  for (const auto& [name, weight] : made.weights()) filming->film_.weights += weight->size();
  HL_TRY(auto first, filming->capture(compute));
  filming->film_.heads = made.heads();
  FilmExample example = example_of(made.plan());
  example.shares = made.held_out().trace_of(loss_part).find("probabilities") != nullptr;
  filming->film_.example = std::make_shared<const FilmExample>(std::move(example));
  filming->keep(std::move(first));
  filming->keep_snapshot();
  return filming;
}

Result<std::shared_ptr<const FilmFrame>> Filming::capture(Compute& compute) {
  auto frame = std::make_shared<FilmFrame>();
  frame->step = training_->step();
  HL_TRY(frame->figures, training_->measure(compute));
  frame->loss = frame->figures.find("loss")->second;
  const TrainingPlan& plan = training_->plan();
  const Network& network = training_->held_out();
  for (const ShownMap& map : plan.task->maps(plan.options))
    if (auto cells = map_of_first(network.trace_of(map.given))) frame->maps.push_back(std::move(cells));
  if (const Step* said = prediction_step(network))
    frame->prediction = std::make_shared<const Tensor>(first_of(said->tensor()));
  if (!slopes_wanted_) return frame;
  HL_TRY(Slopes slopes, training_->slopes(compute));
  frame->slopes = std::make_shared<const Slopes>(std::move(slopes));
  return frame;
}

bool Filming::keeps(Index step) const {
  return step % (frame_stride_ * (step <= all_kept_up_to ? 1 : kept_every)) == 0;
}

void Filming::keep(std::shared_ptr<const FilmFrame> frame) {
  film_.newest = frame;
  if (!keeps(frame->step) && std::ranges::count(film_.plan->changes, frame->step, &HeadChange::step) == 0) return;
  film_.frame_bytes += frame->bytes();
  film_.frames.push_back(std::move(frame));
  make_room();
}

void Filming::make_room() {
  while (film_.frame_bytes > room_.frames && film_.frames.size() > 2) {
    frame_stride_ *= 2;
    std::erase_if(film_.frames, [this](const auto& kept) { return !keeps(kept->step); });
    film_.frame_bytes = 0;
    for (const auto& kept : film_.frames) film_.frame_bytes += kept->bytes();
  }
}

void Filming::keep_snapshot() {
  const Index step = training_->step();
  if (step % snapshot_every_ != 0) return;
  Snapshot snapshot = training_->snapshot();
  film_.snapshot_bytes += bytes_of(snapshot);
  snapshots_[step] = std::move(snapshot);
  while (film_.snapshot_bytes > room_.snapshots && snapshots_.size() > 2) {
    snapshot_every_ *= 2;
    std::erase_if(snapshots_, [this](const auto& kept) { return kept.first % snapshot_every_ != 0; });
    film_.snapshot_bytes = 0;
    for (const auto& [at, kept] : snapshots_) film_.snapshot_bytes += bytes_of(kept);
  }
  film_.snapshots = snapshots_.size();
}

Status Filming::take_step(bool measured, Compute& compute) {
  HL_TRY(const double loss, advance(compute));
  if (compute.cancelled()) return fail("cancelled");
  losses_.push_back(loss);
  film_.step = training_->step();
  film_.broken = training_->broken();
  if (film_.broken) return {};  // what is kept is what was whole
  keep_snapshot();
  if (measured || keeps(film_.step) || film_.is_at_end()) return measure(compute);
  return {};
}

Status Filming::measure(Compute& compute) {
  if (film_.broken || film_.newest->step == film_.step) return {};
  return add_frame(compute);
}

Status Filming::add_frame(Compute& compute) {
  HL_TRY(auto frame, capture(compute));
  if (std::isfinite(frame->loss))
    keep(std::move(frame));
  else
    film_.broken = NonFiniteAt{film_.step, training_->held_out().first_non_finite()};
  return {};
}

Status Filming::set(const StepSettings& settings, Compute& compute) {
  HL_CHECK(training_->set(settings, compute));
  film_.schedule.erase(film_.schedule.lower_bound(film_.step), film_.schedule.end());
  film_.schedule[film_.step] = settings;
  return {};
}

void Filming::set_schedule(const Schedule& schedule) {
  for (const auto& [step, settings] : schedule) film_.schedule[step] = settings;
}

void Filming::set_steps(Index steps) {
  TrainingPlan plan = *film_.plan;
  plan.steps = std::max(steps, film_.step);
  training_->set_steps(plan.steps);
  film_.plan = std::make_shared<const TrainingPlan>(std::move(plan));
}

Status Filming::change(TrainedHead head, HeadChange::To to, Compute& compute) {
  if (film_.broken) return {};
  HL_CHECK(training_->change(head, to));
  TrainingPlan plan = training_->plan();
  plan.steps = film_.plan->steps + (film_.is_at_end() ? steps_to_heal : 0);
  film_.plan = std::make_shared<const TrainingPlan>(std::move(plan));
  if (film_.frames.back()->step == film_.step) {
    film_.frame_bytes -= film_.frames.back()->bytes();
    film_.frames.pop_back();
  }
  return add_frame(compute);
}

Result<HeadImportance> Filming::importance(Compute& compute) {
  return importance_of(*training_, false, compute);
}

Result<double> Filming::advance(Compute& compute) {
  HL_CHECK(training_->set(settings_at(film_.schedule, training_->step(), {}), compute));
  return training_->take_step(compute);
}

template <class Look>
Status Filming::visit_step(Index step, Compute& compute, const Look& look) {
  const Snapshot now = training_->snapshot();
  if (now.step != step) HL_CHECK(training_->restore(std::prev(snapshots_.upper_bound(step))->second));
  while (training_->step() < step && !compute.cancelled()) HL_CHECK(advance(compute));
  const Status looked = look();
  HL_CHECK(training_->restore(now));
  return looked;
}

Result<std::shared_ptr<const FilmFrame>> Filming::replay(Index step, Compute& compute) {
  if (auto kept = film_.frame_at(step); kept && (kept->slopes || !slopes_wanted_)) return kept;
  std::shared_ptr<const FilmFrame> frame;
  const auto look = [&]() -> Status {
    HL_TRY(frame, capture(compute));
    return {};
  };
  HL_CHECK(visit_step(step, compute, look));
  replace(frame);
  return frame;
}

// In place of the frame that was kept of that step, if one was.
void Filming::replace(const std::shared_ptr<const FilmFrame>& frame) {
  if (film_.newest->step == frame->step) film_.newest = frame;
  const auto kept = std::ranges::find(film_.frames, frame->step, [](const auto& each) { return each->step; });
  if (kept == film_.frames.end()) return;
  film_.frame_bytes += frame->bytes() - (*kept)->bytes();
  *kept = frame;
  make_room();
}

Status Filming::save(const std::filesystem::path& folder) const {
  Curves curves{.losses = losses_, .schedule = film_.schedule};
  if (curves.schedule.at(0) == first_settings(*film_.plan)) curves.schedule.erase(0);
  for (const auto& frame : film_.frames) curves.figures[frame->step] = frame->figures;
  curves.figures[film_.newest->step] = film_.newest->figures;
  return write_training(folder, *training_, curves);
}

Result<Experiment> Filming::explore(Index step, Index map, Compute& compute) {
  const ShownMap& shown = film_.example->maps[static_cast<std::size_t>(map)];
  const ExampleWords& words = film_.example->words;
  Experiment experiment;
  const auto look = [&]() -> Status {
    HL_CHECK(training_->measure(compute));
    experiment = experiment_of(training_->held_out(), shown.given, 0,
                               {shown.by_answers ? words.answered : words.read, words.read});
    return {};
  };
  HL_CHECK(visit_step(step, compute, look));
  return experiment;
}

}  // namespace headlight::learn
