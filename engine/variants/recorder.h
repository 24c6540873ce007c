// What record() talks to: the problem's arrays going in, operations to carry out, and the machine to compute with.
//
// It runs a mechanism in one of two ways. With a machine it computes, and keeps every step with its numbers,
// explanation, formula and words. Without one it is a dry run on extents alone, which says what a run would cost. Once
// a run is cancelled, what is left of it is dry, too.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/parallel.h"
#include "engine/core/replay.h"
#include "engine/ops/operation.h"
#include "engine/variants/gradient_tape.h"
#include "engine/variants/row_chain.h"
#include "engine/variants/variant.h"

namespace headlight {

class Recorder {
 public:
  // The problem must outlive the recorder. `compute` carries the threads, the cancellation and the progress.
  Recorder(const Problem& problem, Compute& compute);
  // A dry run.
  explicit Recorder(const Problem& problem);

  const Problem& problem() const { return problem_; }
  const ParamValues& params() const { return problem_.params; }
  Index dim(std::string_view symbol) const { return problem_.dim(symbol); }
  // Whether a step or source of that id has been recorded.
  bool has(std::string_view id) const { return trace_.find(id) != nullptr; }

  // A named axis with the labels and grid that the problem knows for its symbol.
  Axis axis(std::string symbol, std::string name, Role role = Role::none) const;
  // An input or weight by its id, empty where it takes no part. arrays() must declare it under these parameters. Where
  // another array serves in its place, it is that one, along the axes of the array asked for. Inputs are shown with the
  // stage that reads them first.
  Array array(std::string_view id);
  // Whether arrays() declares it under these parameters.
  bool declares(std::string_view id) const;

  // Begins a stop of the stepper and a tile of the pipeline, for the steps that follow. It shows the first of them, or
  // the step `shown`.
  void stage(std::string id, std::string title, std::string tile, std::string shown = {});
  // Carries an operation out and records it as a step, in the words that the variant has for its id, or in others.
  Array step(std::string_view id, Operation operation);
  Array step(const StepWords& words, Operation operation);
  // The same for an array that the run makes for itself and that steps refer to, from no number of theirs: a mask put
  // together from rules.
  Array source(std::string_view id, Operation operation);

  // After record(), where the problem asks for gradients: goes back through what was recorded and records by how much
  // the loss changes with each array that had a part in it. Stops and steps go by what they are the gradients of.
  // take() does it where nobody has.
  void record_gradients();

  // After record(): a run that asked for gradients ends without them.
  void forget_gradients() { tape_ = nullptr; }
  // A step with its numbers, those that wait for others made as well; null where there is none of that id.
  const Step* finished(std::string_view id);

  // From here on, operations are also put into `replay`; null ends that. Numbers that were set by hand are not set
  // again.
  void replay_into(Replay* replay) { replay_ = replay; }

  // After a dry run of a problem with edits: what may be edited, without numbers, inputs and weights first.
  std::vector<StepInfo> outline() &&;
  bool cancelled() const { return compute_ && compute_->cancelled(); }
  // What has been recorded: bytes, and operations.
  Cost cost() const { return cost_; }
  // Operations of each step and source, in their order.
  const std::vector<std::pair<std::string, double>>& operations() const { return operations_; }

  Trace take() &&;

 private:
  // A step that is there without its numbers.
  struct Deferred {
    std::size_t step;  // among the trace's
    Operation::Rows rows;
  };

  const StepWords& words_of(std::string_view id) const;
  [[noreturn]] void refuse_undeclared(std::string_view id) const;
  void run_deferred_steps();
  void report_progress();
  void correct_code(StepInfo& info, const Operation::Rows& rows) const;
  bool is_edited(std::string_view id) const;
  StepInfo info_of(const StepWords& words, const Array& made, const Operation& operation) const;
  // Carries the operation out and notes it for the way back.
  Array run_and_record(std::vector<Step>& list, const StepWords& words, Operation operation);
  Array run_operation(std::vector<Step>& list, const StepWords& words, Operation operation);
  std::vector<StepInfo> source_infos() const;
  EditsDone edit(StepInfo& info, const std::shared_ptr<Tensor>& values, Explain& explain);
  void report_unused_edits();
  void show(const std::string& id);
  void open_stage_of(const StepWords& words);
  void end_stage();

  const Problem& problem_;
  Compute* compute_;  // null in a dry run
  Trace trace_;
  std::string shown_;                      // of the stage that is open
  std::vector<std::string> made_sources_;  // of that stage
  std::vector<StepInfo> outline_;          // of the dry run of a problem with edits
  RowChain chain_;                         // steps that are made together with the one after them
  std::vector<Deferred> deferred_;         // those
  Cost cost_;
  std::vector<std::pair<std::string, double>> operations_;
  double bytes_expected_ = 0;
  std::unique_ptr<GradientTape> tape_;  // null where no gradients are asked for
  Replay* replay_ = nullptr;            // that is kept; null: none
};

}  // namespace headlight
