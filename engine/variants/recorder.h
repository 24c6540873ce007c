// What record() talks to: the problem's arrays going in, finished steps coming out, and the machine to compute with.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/core/parallel.h"
#include "engine/variants/variant.h"

namespace headlight {

class Recorder {
 public:
  // The problem must outlive the recorder. `compute` carries the threads, the cancellation and the progress.
  Recorder(const Problem& problem, Compute& compute);

  const Problem& problem() const { return problem_; }
  const ParamValues& params() const { return problem_.params; }
  Compute& compute() { return compute_; }

  // An input or weight by id; it must be there.
  const Tensor& array(std::string_view id) const;
  // The same, or null where it takes no part.
  const Tensor* find(std::string_view id) const { return problem_.find(id); }
  // An array of the problem, or a step or source recorded so far.
  const Tensor& values(std::string_view id) const;
  bool has(std::string_view id) const { return trace_.find(id) != nullptr; }
  // Whether a step or source recorded so far is free of NaN and infinities that no mask put there.
  bool finite(std::string_view id) const;
  Index dim(std::string_view symbol) const { return problem_.dim(symbol); }
  // A named axis with the labels and grid that the problem knows for its symbol.
  Axis axis(std::string symbol, std::string name, Role role = Role::none) const;

  // Hands a step over; the reference stays valid until the trace is taken. The sizes of info.axes must be the tensor's
  // shape.
  const Tensor& step(StepInfo info, Tensor values, std::function<Explanation(Index cell)> explain);
  // An array that the run made for itself before the first step and that steps refer to (a mask put together from
  // rules).
  const Tensor& source(StepInfo info, Tensor values, std::function<Explanation(Index cell)> explain = {});
  // A warning on the step recorded last.
  void warn(std::string warning);
  // Groups recorded ids under a node of the stepper and a tile of the pipeline.
  void stage(Stage stage);

  // True when a newer request has made this run pointless; record() then returns as soon as it can.
  bool cancelled() const { return compute_.cancelled(); }

  Trace take() &&;

 private:
  // Progress is the share of the run's bytes that has been recorded.
  void count(const Tensor& values);

  const Problem& problem_;
  Compute& compute_;
  Trace trace_;
  double bytes_expected_ = 0;
  double bytes_recorded_ = 0;
};

}  // namespace headlight
