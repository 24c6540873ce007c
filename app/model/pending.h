// What waits to be decided, what could be brought back, and what was chosen last. Part of model.h.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/io/experiment.h"

namespace headlight::app {

// What to do once unsaved work was saved or discarded.
struct Departure {
  enum class For { nothing, quit, open, fresh, recover } what = For::nothing;
  std::filesystem::path path;  // that is to be opened, or of the work that is to be recovered
  std::string member = {};     // which lists of attention in it; empty: what it is found to hold
};

// A file to be written. Where it has a question, it is asked first whether one is written over.
struct Replacing {
  enum class What { nothing, experiment, figure, sheet, arrays, heads } what = What::nothing;
  std::filesystem::path path;
  std::string question;      // "cat.headlight is there already."
  bool changed = false;      // it is the file that is open, and somebody else has written to it
  bool with_inputs = false;  // of an experiment: what it reads goes into it
};

// Unsaved work of a window that is gone.
struct Recoverable {
  std::filesystem::path file;  // that holds it
  std::string name;            // "cat.headlight"
  std::string time;            // when it was kept: "2026-03-14 15:09"
};

// A token of a text that was typed, by the input's id; the start token counts.
struct TokenAt {
  std::string input;
  Index at = 0;
  bool operator==(const TokenAt&) const = default;
};

// What a mask rule was when it was switched off in this window: it comes back as that.
struct LayerOff {
  std::map<std::string, ParamValue> params;
  std::map<std::string, InputSpec> arrays;
};

}  // namespace headlight::app
