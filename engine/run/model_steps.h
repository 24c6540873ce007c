// The steps of a model's run, as they are recorded: what it reads, the streams, what is kept of layers, what it says.
//
// Not for running it: model_run.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/models/ends.h"
#include "engine/models/inputs.h"
#include "engine/trace/trace.h"

namespace headlight {

// The axes of a stack's positions, with their labels.
struct StackPlaces {
  Axis items, positions;
};

// One stack after another: each is begun, has its layers, and is ended. The model and the input must outlive it.
class ModelRecording {
 public:
  ModelRecording(const StoredModel& model, const ModelInput& input);

  // What the stack of a part reads, and what enters its first layer (B, n, d).
  void begin_stack(ModelPart part, std::shared_ptr<const Tensor> embeddings);
  // The stream before a layer, and a step of the layer itself.
  void put_input(LayerOfModel layer, const std::shared_ptr<const Tensor>& stream);
  void put_step(LayerOfModel layer, const Step& step);
  // What layers add to their queries and keys (1, n, d).
  void put_places(std::shared_ptr<const Tensor> places);
  // What the norm makes of that stream, (B, n, d) or a picture (B, d, h, w), where it is no part of the layer's
  // mechanism.
  void put_normed_input(LayerOfModel layer, std::shared_ptr<const Tensor> read);
  // The stream after the last layer, and where there is a norm after that.
  void end_stack(std::shared_ptr<const Tensor> hidden, std::optional<Tensor> normed);
  // Of the stack that was begun last, with the `top` likeliest tokens or classes.
  void put_heads(HeadOutputs heads, Index top, ThreadPool& pool);

  Trace trace;

 private:
  void put(const char* id, const char* title, const char* note, std::shared_ptr<const Tensor> values);

  const StoredModel& model_;
  const ModelInput& input_;
  StackPlaces places_;
  std::string stack_;  // before the ids of its steps
};

// A step of a model's run by itself, and axes for it.
Step step_of(std::string id, std::string title, std::string note, std::vector<Axis> axes,
             std::shared_ptr<const Tensor> values);
Axis channels(const char* name, Index size);

}  // namespace headlight
