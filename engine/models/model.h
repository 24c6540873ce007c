// The folder of a model, looked through but not read: its config, and its arrays by name, one layer at a time.
//
// Not for running it: run/model_run.h.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/base/result.h"
#include "engine/io/array_source.h"
#include "engine/layouts/layouts.h"
#include "engine/models/plan.h"

namespace headlight {

// The file of a model's weights: the path itself, or of a folder the first that is there of model.safetensors, its
// index, pytorch_model.bin and its index.
Result<std::filesystem::path> model_file(const std::filesystem::path& path);

class StoredModel {
 public:
  // Errors: no config, one of an architecture that is not run here, no weights.
  static Result<std::shared_ptr<const StoredModel>> open(const std::filesystem::path& folder);

  const ModelPlan& plan() const { return plan_; }
  // Of a model that reads a text and a picture: each of its parts as a model of its own, as the plan has them.
  const std::vector<std::shared_ptr<const StoredModel>>& towers() const { return towers_; }
  // That a part is of; else this.
  const StoredModel& tower(ModelPart part) const;
  const std::filesystem::path& folder() const { return folder_; }
  const ArraySource& arrays() const { return *arrays_; }
  // Which of them were read so far, by their place. From any thread.
  std::set<std::size_t> arrays_read() const;
  const std::string& file() const { return file_; }  // of the weights, for messages

  // Whether an array of that name is there, with one of the plan's prefixes or as it stands.
  bool has(const std::string& name) const { return entry_of(name).has_value(); }
  // Its numbers. `shape` is what the config says of it, −1 where it does not.
  Result<Tensor> read(const std::string& name, const Shape& shape) const;
  // Whether it is there in that shape, as read() says it, without its numbers; and the shape that it has.
  Status check(const std::string& name, const Shape& shape) const;
  Result<Shape> shape_of(const std::string& name, const Shape& shape) const;

  // A layer as arrays and parameters of its mechanism, with all that the config says of it.
  Result<LayerOfStateDict> layer(LayerOfModel number, LayerNumbers numbers = LayerNumbers::read) const;

 private:
  StoredModel(std::filesystem::path folder, ModelPlan plan) : folder_(std::move(folder)), plan_(std::move(plan)) {}
  std::optional<std::size_t> entry_of(const std::string& name) const;
  Result<std::size_t> entry_in_shape(const std::string& name, const Shape& shape) const;
  // What stands before all of the plan's names: "model." of Lightning's checkpoints.
  std::string outer_prefix() const;
  // Where the config leaves it open, or says more than there is: by what the file holds.
  void fit_plan();
  // Which weight the logits are read from, where file and config say it in different ways; else empty.
  std::string note_of_head() const;
  // The same file, seen as one of its towers.
  std::shared_ptr<const StoredModel> as_tower(const ModelPlan& plan) const;

  std::filesystem::path folder_;
  ModelPlan plan_;
  std::shared_ptr<const ArraySource> arrays_;
  std::vector<std::shared_ptr<const StoredModel>> towers_;
  std::map<std::string, std::size_t, std::less<>> names_;  // of arrays, without what wrappers put before them
  std::string outer_;
  std::shared_ptr<struct ReadSoFar> read_so_far_;
  std::string file_;
  std::shared_ptr<const FitsOfFile> fits_;  // of its layers
};

// Whether names, shapes and types of a model's arrays are those that its config says, of its layers alone or of all
// that it runs with: what opening it refuses later, in the same words.
Status check_layers(const StoredModel& model);
Status check_arrays(const StoredModel& model);

// What the config beside a file of weights says of one of its layers, put into it: parameters of the layout that it
// says otherwise, and arrays that no file holds.
Status take_settings(const ModelPlan& plan, LayerOfModel number, LayerOfStateDict& layer);

// Says in `asked` which of a model's layers is meant: its number, and of a model with a decoder its stack and what it
// attends to.
void take_layer(const ModelPlan& plan, LayerOfModel layer, WeightsSpec& asked);
// Which of a model's parts a layer of a state dict is, by what its names say.
ModelPart part_of(const ModelPlan& plan, const LayerOfStateDict& layer);

// The sizes that a plan holds a layer's arrays to.
LayerSizes sizes_of(const ModelPlan& plan, LayerOfModel layer);
// The mechanism that the layers of a model are.
std::string variant_of(const ModelPlan& plan);

}  // namespace headlight
