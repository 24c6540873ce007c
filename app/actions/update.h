// The only code that changes state: an action goes in, the model changes, and what remains to be done outside comes
// out.
#pragma once

#include <optional>
#include <string>

#include "app/actions/action.h"
#include "app/model/document.h"

namespace headlight::app {

Effects update(Model& model, const Action& action);
// Where another experiment is held than before, its run as far as it is known.
void refresh_held_run(Model& model);

// Takes a finished run: newer results replace what is shown, a failure keeps it and says why.
void receive(Model& model, Outcome outcome);

// A run of all layers is there: keeps what is looked at inside of it.
void receive_layers(Model& model);

// What must run besides, for what is shown to be compared: the same experiment with every position at its own place;
// nothing where it is known, or nothing was moved.
std::optional<Experiment> missing_comparison_run(const Model& model);
// Takes that run, finished or failed.
void receive_to_compare(Model& model, const Outcome& outcome);

// Opens a lesson, at the step where it was left; what was open before is kept. One that is open already stays where it
// is.
void enter_lesson(Model& model, std::shared_ptr<const PlayedLesson> played, const std::filesystem::path& path);
// Whether what was to be done in a step is done now, by the run that is shown.
void judge_action(Model& model);
// Whether a step with that scene keeps what the action would change as it is.
bool is_locked(const LessonScene& scene, const Action& action);

// Lets time pass: playing moves on every 900 ms.
void tick(Model& model, double now);

// Where the figure goes: as chosen, else named after its step, beside the experiment.
std::string figure_path(const Model& model);
// The command that makes the figure again.
std::string command_of(const Model& model);
// Whether the command would make what is shown: it reads the experiment's file, with its view, or has the built-in
// example.
bool command_is_true(const Model& model);
// Shows what the figure shows.
void show_figure_view(Model& model);

// "temperature" of the entry that undo or redo would take, or empty.
std::string undo_name(const History& history);
std::string redo_name(const History& history);

// What each step rests while playing: at least so long, and as long as its words take to read where they are shown.
inline constexpr double least_rest = 0.9;           // s
inline constexpr double words_read_a_minute = 200;  // by somebody who meets them for the first time
double time_to_read(std::string_view words);        // s
double play_delay(const Model& model);              // s

}  // namespace headlight::app
