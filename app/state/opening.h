// What a file that is opened holds: found by reading it, off the window's thread.
//
// Not for what becomes of the model: session.h.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/figures/figure_recipe.h"
#include "app/state/browse.h"
#include "engine/io/experiment.h"

namespace headlight::app {

// A file of arrays, by their names and shapes.
struct ArraysOpened {
  std::filesystem::path path;
  std::vector<NamedShape> arrays;
};

// Attention without an experiment, and the one that shows it.
struct DumpOpened {
  Experiment experiment;
};

// An experiment, a figure with its recipe, an input, arrays, or why there is nothing. Paths inside are absolute.
using Opened = std::variant<Error, Experiment, Recipe, InputSpec, ArraysOpened, DumpOpened>;

Opened read_to_open(const std::filesystem::path& path);

}  // namespace headlight::app
