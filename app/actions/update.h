// The only code that changes state: an action goes in, the model changes, and what remains to be done outside comes
// out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/actions/action.h"
#include "app/model/document.h"

namespace headlight::app {

// Work that needs the world outside the model. The session carries it out.
struct Effects {
  bool rerun = false;
  bool cancel = false;
  bool quit = false;
  bool fresh = false;  // the built-in example
  std::optional<std::filesystem::path> open;
  std::optional<std::filesystem::path> save;
  bool save_inputs = false;                     // into the same file
  bool weigh_inputs = false;                    // what would go into it is to be looked at
  bool thumbnails = false;                      // those of the recent files are to be read
  std::optional<std::filesystem::path> figure;  // to be saved there
  std::optional<std::filesystem::path> sheet;   // to be saved there
  std::optional<std::filesystem::path> arrays;  // those of the run's script are to be saved there
  std::optional<std::filesystem::path> heads;   // the report on heads is to be saved there
  std::optional<bool> ablate;                   // runs without each head: begin, or stop
  bool cancel_export = false;
  std::optional<std::string> clipboard;
  bool paste = false;                            // what the clipboard holds is to be laid over the map
  std::optional<std::string> beside;             // a choice whose other values are to be run
  std::optional<Departure> leave;                // to be done though work is lost
  std::optional<Replacing> replace;              // to be written though a file is lost
  std::optional<std::size_t> recover;            // of the model's recoverable
  std::optional<std::size_t> discard_recovered;  // of the model's recoverable
  std::optional<std::filesystem::path> browse;   // a folder to be listed
  std::optional<std::filesystem::path> peek;     // a file to be looked into
  std::optional<std::filesystem::path> slides;   // a file whose folder's experiments are to be presented
};

Effects update(Model& model, const Action& action);

// Takes a finished run: newer results replace what is shown, a failure keeps it and says why.
void receive(Model& model, Outcome outcome);

// A run of all layers is there: keeps what is looked at inside of it.
void receive_layers(Model& model);

// What must run besides, for what is shown to be compared: the same experiment with every position at its own place;
// nothing where it is known, or nothing was moved.
std::optional<Experiment> run_to_compare_with(const Model& model);
// Takes that run, finished or failed.
void receive_to_compare(Model& model, const Outcome& outcome);

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
void look_at_figure(Model& model);

// "temperature" of the entry that undo or redo would take, or empty.
std::string undo_name(const History& history);
std::string redo_name(const History& history);

// Seconds that each step rests while playing.
inline constexpr double play_rest = 0.9;

}  // namespace headlight::app
