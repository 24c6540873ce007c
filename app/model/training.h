// A network that learns, as the window shows it: what there is of its film, and what of that is looked at.
//
// What is to be learned is the document's (Document::training), so that undo goes back over it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/learn/film.h"

namespace headlight::app {

struct Model;

// A weight: of that map and head, what the query gives to the key.
struct TrainCell {
  Index map = 0, head = 0, query = 0, key = 0;
  bool operator==(const TrainCell&) const = default;
};

// What a counter-test came to at its end.
struct TestResult {
  Index step = 0;
  learn::Figures figures;     // none: its loss was no number
  std::string other_changes;  // what else was changed: "width 32, seed 2"
};

// The same with other seeds, one after the other (other_seeds.h).
struct OtherSeeds {
  std::shared_ptr<const learn::TrainingPlan> of;          // what is shown; null: none are asked for
  std::vector<std::shared_ptr<const learn::Film>> films;  // without maps, the newest still growing
  bool running = false;
};

// What the network comes to without its heads, after so many steps.
struct TrainHeads {
  Index step = 0;
  learn::HeadImportance importance;
};

// Something to be done to a head where the training stands.
struct HeadChangeRequest {
  learn::TrainedHead head;
  learn::HeadChange::To to = learn::HeadChange::To::off;
  bool resume = false;  // learning resumes afterwards
};

struct TrainingShown {
  std::shared_ptr<const learn::Film> film;  // null: none yet
  std::shared_ptr<const learn::FilmFrame>
      frame;            // that is shown: the step looked at, or the last one until it is there
  std::string error;    // why what is asked has no film
  Index at = 0;         // the step that is looked at
  bool follows = true;  // that is the newest
  bool playing = false;
  double pace = 20;  // steps a second; 0: as fast as it goes
  std::optional<TrainCell> pinned;
  std::shared_ptr<const TrainHeads> heads;                       // that were measured last; null: none were
  bool gradient = false;                                         // maps show slopes, not weights
  std::optional<Index> mark_a, mark_b;                           // steps that are to be compared
  std::shared_ptr<const learn::Film> before;                     // of the options before the newest change; null: none
  std::string before_words;                                      // "positions none, same seed"
  std::map<const learn::CounterTest*, TestResult> test_results;  // of those that were tried
  OtherSeeds seeds;
};

// What is asked of the thread that trains.
enum class TrainingCommand { play, play_until_learned, pause, step, again, play_again };

// Of every task: what may be changed while it learns.
inline constexpr std::string_view rate_option = "lr", batch_option = "batch";
inline constexpr double paces[] = {1, 2, 5, 10, 20, 50, 100, 200, 0};

// The plan of a task as it is offered first.
learn::TrainingPlan default_plan(const learn::Task& task);
// The text that is learned, all of it; empty: none.
const std::string& text_to_learn(const learn::TrainingPlan& plan);
// The folder of the model that is open, where it is a network that was trained here; else empty.
std::filesystem::path trained_folder(const Model& model);
// What is to be learned.
const learn::TrainingPlan& training_asked(const Model& model);
// Whether both ask for the same.
bool same_plan(const learn::TrainingPlan& a, const learn::TrainingPlan& b);
// Whether the running training can take over the newer plan: only options differ that may change while it learns.
bool can_continue(const learn::TrainingPlan& begun, const learn::TrainingPlan& now);
// Whether it can have more steps or fewer without beginning again: no rate falls towards the last of them.
bool can_change_steps(const learn::TrainingPlan& plan);
// The options of `before` that differ in `now`, with their old values: "positions none, same seed"; empty where the
// tasks differ.
std::string words_before(const learn::TrainingPlan& before, const learn::TrainingPlan& now);
// "Post-norm", "8", "0.003", "on": the value of an option as people read it.
std::string value_in_words(const ParamSpec& spec, const ParamValue& value);
// A sentence that names options as the window does: "Heads 3 does not divide Width 64".
std::string in_words_of_options(std::string message, const learn::Task& task);
// The last step with a finite loss.
Index last_viewable_step(const learn::Film& film);
// Looks at that step, or at the nearest that there is. Returns the step where its frame must be made again.
std::optional<Index> look_at_step(TrainingShown& shown, Index step);
// Whether frames are to come with their slopes.
bool wants_slopes(const TrainingShown& shown);
// The steps that Compare would show, A and B: those marked, else step 0 and the one that is looked at. Nothing where
// both are one.
std::optional<std::pair<Index, Index>> compared_steps(const TrainingShown& shown);
// Takes over what has become of it: the film that was shown, grown, or another.
void receive_film(TrainingShown& shown, std::shared_ptr<const learn::Film> film);
// Whether it has learned something that its heads could lose.
bool can_change_heads(const TrainingShown& shown);
// "layer 1 · head 0".
std::string name_of_head(const learn::Film& film, learn::TrainedHead head);
// What was done on the way, by its step: "layer 1 · head 0 drawn anew", "rate 0.01, batch 64". Of a rate that was drawn
// along its slider, where it came to rest.
std::map<Index, std::string> events_in_words(const learn::Film& film);
// Of the heads that are on, the one without which the loss was least; nothing where they were not measured, or one is
// left.
std::optional<learn::TrainedHead> least_important(const TrainingShown& shown);
// The cell's weight in a frame; nothing where there is no such cell. Hidden ones are −∞.
std::optional<float> weight_in(const learn::FilmFrame& frame, const TrainCell& cell);

}  // namespace headlight::app
