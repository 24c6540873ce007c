// Which matrices a request asks for, one a panel, before anything is drawn of them.
//
// Not for how they are shown: figure_of.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/figure_layers.h"
#include "app/figures/figure_request.h"
#include "app/reading/slice.h"
#include "engine/io/experiment.h"
#include "engine/models/model_experiment.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"

namespace headlight::app {

// A run that a figure reads beside the one that it is of.
struct Companion {
  std::shared_ptr<const Experiment> experiment;  // null where its file could not be read
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Trace> trace;  // null until it has run, and with an error
  std::string error;
  std::uint64_t ticket = 0;                           // another for another run
  std::shared_ptr<const ModelExperiment> model = {};  // in place of the experiment
};

// By the paths of companions_of() (figure_request.h).
using Companions = std::map<std::string, Companion>;

// A step of a run, and the matrix of it that is looked at.
struct StepView {
  const Trace* trace = nullptr;
  const Problem* problem = nullptr;
  const Step* step = nullptr;
  Focus focus;
  Slice slice;  // by the focus
};
// The row that bars show: the selected one, else the first.
Index row_of_bars(const StepView& view);

struct PanelPlan {
  StepView view;
  std::optional<StepView> minus;  // what is taken away
  Index layer = 0;
  bool in_time = false;  // one frame of a video
};

struct FigurePlan {
  std::vector<PanelPlan> panels;  // layer after layer, in each step after step, in each head after head
  Index layers = 1;
  bool many_steps = false, many_heads = false, many_queries = false;
  FigureKind kind = FigureKind::automatic;
  std::vector<std::string> layer_names;  // none: they are counted
  bool of_one_run = false;               // those layers are of the run itself: they and their heads are counted from 0
  Index averaged = 0;                    // of how many heads a mean is asked for
  OwnedSteps made;                       // those of the steps above that stand in no trace
};

// Without steps it is of the weights. A head that is itself taken away is left out, unless it is asked for.
// Errors: a step, head, batch item, query, key or frame that there is none of; a companion that failed or has not run;
// layers with different heads.
Result<FigurePlan> plan_figure(const Trace& trace, const Problem& problem, const FigureRequest& request,
                               const Companions& companions);

// ---- What a figure, its panels and its rows are called, written from the data

// What the numbers of a step are: quantity_of(), or "relevance".
std::string quantity_drawn(const Step& step);
std::string layer_name(const FigurePlan& plan, Index layer);
std::string title_of_step(const FigurePlan& plan, const Step& step);
// "Layer 3, Head 5", as far as panels differ.
std::string panel_title(const FigurePlan& plan, const PanelPlan& panel);
// Whose row or keys are drawn, where that are not those of all queries; else empty.
std::string query_in_words(const StepView& view, FigureKind kind);
// “cat”, of the key whose weights lie over the picture of those who ask; else empty.
std::string key_in_words(const StepView& view, const FigureRequest& request);
// "Attention weights, head 3: Induction", and less what.
std::string title_of(const FigurePlan& plan, const FigureRequest& request);

}  // namespace headlight::app
