// Attention weights in a file of their own, without an experiment round them: the experiment that shows them.
//
// Not for what the arrays in it mean: engine/run/given_maps.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment.h"

namespace headlight::app {

// What is said beside the file on the command line; paths are relative to the folder that the program was started in.
struct DumpOptions {
  std::string tokens = {}, key_tokens = {};  // paths of files
  std::string image = {}, key_image = {};
  std::string grid = {}, key_grid = {};  // "14x14": rows and columns
  std::optional<Index> offset = {}, key_offset = {};
  std::string axes = {};
  std::string member = {};                         // which arrays of several: "attentions.*"
  std::string positions = {}, key_positions = {};  // those that are kept: "0-8,12"
  std::string global_tokens = {};                  // the keys whose columns stand before those of a window
  bool whole_words = false;                        // pieces of a word are one position
  bool raw_tokens = false;                         // with the marks of their vocabulary
  std::string save = {};                           // the .headlight to write; empty: none

  bool any() const {
    DumpOptions unsaved = *this;
    unsaved.save.clear();
    return unsaved != DumpOptions{};
  }
  bool operator==(const DumpOptions&) const = default;
};

// Whether a file of that name holds arrays.
bool is_array_file(const std::filesystem::path& path);

// Whether it is a table as text: a .csv or .tsv, or JSON that is a list.
bool is_table(const std::filesystem::path& path);
// Whether attention without an experiment is read from a file of that name.
bool holds_maps(const std::filesystem::path& path);
// Whether the rows of a table are weights: more than one number in each, which add up to 1.
bool table_holds_attention(const std::filesystem::path& path);

// Errors: something is said of a file of attention, and what goes by that name is none; a model reads the picture.
Status check_unread(DumpOptions options, const std::string& name, bool is_model = false);

// An experiment of the variant `given`. Errors: a grid that is none; a state dict, which is told how it opens.
Result<Experiment> experiment_of_dump(const std::filesystem::path& path, const DumpOptions& options = {});

std::vector<std::pair<std::string, Shape>> shapes_in(const ArraySource& source);
// The arrays of a file that hold weights (2 to 5 axes, from 0 to 1, rows that add up to 1), as `member` names them: ""
// is all of them; "attentions.*" those of one shape whose names differ by a number, where others stand beside them.
std::vector<std::string> attention_in(const ArraySource& source);
// Whether all that a file holds is weights.
bool holds_attention(const std::filesystem::path& path);
// Whether some of a file's arrays are weights, and none of the others is one that a variant takes by its name.
bool holds_attention_among_others(const std::filesystem::path& path);

// Whether a file holds layers of a model, by the names of its arrays.
bool holds_layers(const std::filesystem::path& path);

// The name of the file of attention that an experiment is of; empty where it is of another kind.
std::string name_of_dump(const Experiment& experiment);

// Of a matrix that somebody typed, with words at its sides. Errors: options that are of files of arrays.
Result<Experiment> experiment_of_table(const std::filesystem::path& path, const DumpOptions& options = {});

// The file's experiment, or that of its weights, which is also written where that is asked.
Result<Experiment> open_experiment(const std::filesystem::path& path, const DumpOptions& options);

}  // namespace headlight::app
