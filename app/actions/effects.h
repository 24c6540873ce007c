// What remains to be done outside of the model, once an action has changed it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/model/model.h"

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

}  // namespace headlight::app
