// A model, run layer by layer: embeddings, each layer as the experiment that it is, the last norm, and what the heads
// say. A decoder is a second stack, of which every layer asks its own tokens and then the encoder. A model of two
// towers is two models, and what they say of each other.
//
// A layer is prepared and recorded as any experiment is, of the residual stream before it: whoever opens it later from
// that stream gets the same bits. Numbers of one layer are in memory at a time; the trace keeps the stream before each
// layer, and of the layers what is asked for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/parallel.h"
#include "engine/layouts/layouts.h"
#include "engine/models/ends.h"
#include "engine/models/inputs.h"
#include "engine/trace/trace.h"
#include "engine/variants/edits.h"
#include "engine/variants/variant.h"

namespace headlight {

// Arrays that successive runs of one model share, as read and laid out, up to a limit. For one thread at a time.
class KeptModel {
 public:
  // Of layers, arrays of at most so many bytes; 0: they are read for each run. The model must outlive it.
  explicit KeptModel(const StoredModel& model, double most_bytes = 0);

  // As StoredModel::layer(); its arrays are shared.
  Result<LayerOfStateDict> layer(LayerOfModel number);

  // What an array that is kept spans, where a run has found it; null where not.
  const std::vector<Extent>* extents_of(const Tensor& values) const;
  // Remembers that of what the run of a layer found.
  void learn_extents(const Trace& trace);

  ModelEnds ends;
  std::vector<Edit> switching_off;                 // a head each, the same in every layer; learned from the first run
  std::vector<std::unique_ptr<KeptModel>> towers;  // of a model that has them

 private:
  const StoredModel& model_;
  std::map<LayerOfModel, LayerOfStateDict> layers_;
  std::map<const Tensor*, std::vector<Extent>> extents_;  // of each array of these layers
  // The last one that is read in several steps: before its mechanism, for it and after it.
  std::optional<std::pair<LayerOfModel, LayerOfStateDict>> last_;
  double room_;  // bytes
};

// What is kept of the layers besides the stream.
struct LayerRecording {
  bool maps = false;              // the weights of every layer
  std::set<LayerOfModel> all_of;  // every step of these layers
  // Is shown the run of each layer before that goes, on the thread of the run.
  std::function<Status(LayerOfModel layer, const Problem& problem, const Trace& trace)> look = {};
  std::optional<LogitTerms>* terms = nullptr;  // where it is given: what the logits are sums of
};

// A run goes on from here: those before the layer, and what they made, are as in that trace.
struct ResumeAt {
  const Trace* trace = nullptr;
  std::size_t at = 0;  // in ModelPlan::order()
};

// What goes from layer to layer: the residual stream, and to a decoder what the encoder has made.
struct Streams {
  std::shared_ptr<const Tensor> x, memory;
};

// What runs a model: its ends, and threads.
class ModelRunner {
 public:
  // The model and the input must outlive it, and so must what other runs of the model have kept, if it is given.
  ModelRunner(const StoredModel& model, const ModelInput& input, ThreadPool& pool, std::stop_token stop = {},
              std::atomic<float>* progress = nullptr, KeptModel* kept = nullptr);

  // Steps: token_ids, token_offsets, type_ids or pixel_values; embeddings; layer{l}/input and what is kept of the
  // layers; hidden, final_norm, all of a decoder or of a second tower again, with the stack's name before each
  // (plan.h); logits, pooled, pair_logits, class_logits; the `top` likeliest tokens or classes; of towers that are both
  // given logits_per_image. Heads of `ablate` hand on 0.
  Result<Trace> run(const ModelExperiment& experiment, const LayerRecording& kept, const ResumeAt& from = {});

  // A layer on the streams (B, n, d) before it, and its run with some heads off.
  Result<std::shared_ptr<const Problem>> prepare(LayerOfModel layer, const Streams& streams) const;
  Result<std::shared_ptr<const Trace>> record(LayerOfModel layer, const Problem& problem,
                                              const std::vector<Index>& heads_off);
  // What a layer reads of the streams before it: the stream, or what its norm makes of that where the mechanism has
  // none.
  Result<std::shared_ptr<const Tensor>> layer_input(LayerOfModel layer, const Streams& streams) const;
  // The stream after a layer that has run on the streams before it, as the next one takes it.
  Result<std::shared_ptr<const Tensor>> stream_after(LayerOfModel layer, const Streams& streams, const Trace& ran);
  // The streams in front of the decoder, whose embeddings are given, after the encoder's last layer.
  Result<Streams> decoder_streams(const Tensor& hidden, std::shared_ptr<const Tensor> embeddings);
  // What the heads say of the stream after the last layer.
  Result<HeadOutputs> heads(const Tensor& hidden);
  // Of a logit with respect to what the last layer gives; and to the stream before a layer, where that with respect to
  // what its mechanism reads and to the stream after it are known.
  Result<LogitGradient> logit_gradient(const Tensor& hidden, const LogitAsked& asked) {
    return kept_.ends.logit_gradient(hidden, asked);
  }
  Result<std::shared_ptr<const Tensor>> gradient_before(LayerOfModel layer, const Tensor& stream, const Tensor& of_read,
                                                        const Tensor& of_after);
  // Of a model with towers: that which runs a part; null where nothing is given to read. Else this.
  ModelRunner* tower(ModelPart part);

  const StoredModel& model() const { return model_; }
  const ModelInput& input() const { return input_; }
  ThreadPool& pool() const { return pool_; }
  bool cancelled() const { return stop_.stop_requested(); }

 private:
  std::string name_of_layer(LayerOfModel layer) const;
  const TokenIds* output_tokens() const;  // of the last stack; null: it reads none
  Result<Tensor> embed(ModelPart part);
  Result<Trace> run_towers(const ModelExperiment& experiment, const LayerRecording& kept, const ResumeAt& from);
  Result<Trace> run_stacks(const ModelExperiment& experiment, const LayerRecording& kept, const ResumeAt& from);
  Result<std::optional<Tensor>> last_norm(const Tensor& hidden, ModelPart part);

  const StoredModel& model_;
  const ModelInput& input_;
  ThreadPool& pool_;
  std::stop_token stop_;
  std::atomic<float>* progress_;
  std::size_t ran_before_ = 0, of_layers_ = 0;  // of a tower: layers before its own, and of all
  KeptModel own_;
  KeptModel& kept_;
  std::vector<std::unique_ptr<ModelRunner>> towers_;  // null: nothing is given to it
};

// A cache of the layers' problems, of at most a third of the free memory.
class KeptProblems {
 public:
  KeptProblems();
  // Of a layer, on the streams before it.
  Result<Problem> get(const ModelRunner& runner, LayerOfModel layer, const Streams& streams);

 private:
  std::map<LayerOfModel, std::shared_ptr<const Problem>> kept_;
  double room_;  // bytes
};

// What a model's answer loses without one head after another.
class HeadAblation {
 public:
  // Of a trace that kept the streams, with its logits or class logits, where heads of `ablated` are off already. Plan
  // and trace must outlive it.
  HeadAblation(const ModelPlan& plan, const Trace& trace, std::shared_ptr<const Tensor> logits,
               std::vector<ModelHead> ablated);
  // Σ p ln(p / p′), nats, where p are the probabilities of those logits and p′ those without the head, too; the mean
  // over positions and items. Michel, Levy and Neubig 2019, section 3.2.
  Result<double> kl_without(ModelRunner& runner, ModelHead without);

 private:
  const ModelPlan& plan_;
  const Trace& trace_;
  std::shared_ptr<const Tensor> logits_;
  std::vector<ModelHead> ablated_;
  KeptProblems problems_;
};

// Of a trace that kept the streams: for each layer and head Σ p ln(p / p′), nats, where p are the probabilities that
// the heads of the model give and p′ those without that head; the mean over positions and items. Of each part (L, M).
// Of logits, else of class_logits; nothing where the model has neither. Michel, Levy and Neubig 2019, section 3.2.
Result<std::map<ModelPart, Tensor>> ablation_of(ModelRunner& runner, const Trace& trace,
                                                const std::vector<ModelHead>& ablated);

// The heads of a layer, of those that are off.
std::vector<Index> heads_off_in(const std::vector<ModelHead>& off, LayerOfModel layer);
// "decoder layer 0 head 1" of each.
std::vector<std::string> words_of_heads(const std::vector<ModelHead>& heads, const ModelPlan& plan);

// Of logits (B, n, V) of two runs Σ p ln(p / p′), nats, the mean over rows; p is of the first.
double mean_divergence(const Tensor& logits, const Tensor& other, ThreadPool& pool);

}  // namespace headlight
