// What a figure can be made from again: the experiment and the request, as the JSON that its file carries.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/figures/figure_plan.h"
#include "app/figures/figure_request.h"
#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/models/model_experiment.h"

namespace headlight::app {

// What a figure is of, for as long as that lives: an experiment, or a model and what it reads.
class FigureSubject {
 public:
  FigureSubject(const Experiment& experiment) : of_(&experiment) {}  // NOLINT: either is one
  FigureSubject(const ModelExperiment& model) : of_(&model) {}       // NOLINT

  const std::string& name() const;
  std::string json(const std::filesystem::path& folder) const;
  std::vector<std::filesystem::path> files() const;
  // Those of them that numbers are read from: not its own, for the recipe has all that it says.
  std::vector<std::filesystem::path> data() const;

 private:
  std::variant<const Experiment*, const ModelExperiment*> of_;
};

// What a companion is of; nothing where its file could not be read.
std::optional<FigureSubject> figure_subject(const Companion& companion);

// A file that a figure's numbers were read from, with a checksum, so that it is said where it is another.
struct DataFile {
  std::filesystem::path path;
  std::string sum;  // "5547120 9e3779b97f4a7c15": bytes, and a hash of them
  bool operator==(const DataFile&) const = default;
};

struct Recipe {
  Experiment experiment;
  FigureRequest request;
  std::map<std::string, Experiment> companions;  // by the paths in the request
  std::string kernels;                           // that its numbers were computed by (math/kernels.h); empty: not said
  std::optional<ModelExperiment> model = {};     // in place of the experiment
  std::vector<DataFile> files = {};              // that its numbers are of, as they were
  std::map<std::string, ModelExperiment> model_companions = {};
};

// Paths inside are relative to `folder`, where the figure's file is to be, so that they are found from there.
std::string recipe_text(const FigureSubject& of, const FigureRequest& request, const Companions& companions,
                        const std::filesystem::path& folder);

// Relative paths are then relative to `folder`; `name` is put before every error.
Result<Recipe> parse_recipe(std::string_view text, const std::filesystem::path& folder, const std::string& name);

// Of a figure's file. None where the file is no PNG, SVG, PDF or LaTeX, or a PNG without one, which is a picture like
// any other. Errors: another of them without a recipe, a recipe that is damaged or of a newer version.
Result<std::optional<Recipe>> read_recipe(const std::filesystem::path& path);
// The same of its bytes. None also where they are no such file.
Result<std::optional<Recipe>> read_recipe(std::string_view bytes, const std::filesystem::path& folder,
                                          const std::string& name);

// Errors: a file that is there holds something else than it did. One that is gone is for whoever reads it.
Status check_unchanged(const std::vector<DataFile>& files);

}  // namespace headlight::app
