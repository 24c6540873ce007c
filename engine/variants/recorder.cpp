#include "engine/variants/recorder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "engine/core/mistake.h"
#include "engine/math/seen_rows.h"
#include "engine/trace/code_names.h"
#include "engine/variants/array_axes.h"
#include "engine/variants/step_text.h"

namespace headlight {

namespace {

// Batch items where the first axis is B, else one for all numbers.
Index items_of(const StepInfo& info, const Tensor& tensor) {
  const bool batched = !info.axes.empty() && role_along(info.axes.front()) == AxisRole::batch && tensor.dim(0) > 0;
  return batched ? tensor.dim(0) : 1;
}

// One for each of those. A run that is cancelled leaves them empty.
std::vector<Extent> extents_of(Compute& compute, const StepInfo& info, const Tensor& tensor) {
  constexpr Index piece = 1 << 16;  // numbers read in a piece of work
  const Index items = items_of(info, tensor), each = tensor.size() / items;
  const Index pieces = std::max<Index>(1, (each + piece - 1) / piece);
  std::vector<Extent> parts(static_cast<std::size_t>(items * pieces));
  compute.parallel_each(items * pieces, std::max<Index>(1, piece / std::max<Index>(1, each)), [&](Index i) {
    const Index first = i / pieces * each + each * (i % pieces) / pieces,
                last = i / pieces * each + each * (i % pieces + 1) / pieces;
    parts[static_cast<std::size_t>(i)] =
        extent_of(tensor.values().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
  });
  std::vector<Extent> extents(static_cast<std::size_t>(items));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Extent& extent = extents[i / static_cast<std::size_t>(pieces)];
    extent = united(extent, parts[i]);
  }
  return extents;
}

std::optional<NonFinite> find_non_finite(const Step& step) {
  const bool masks = step.info.minus_infinity_masks;
  NonFinite found;
  for (const auto& extent : step.extents) found.count += extent.broken + (masks ? 0 : extent.masked);
  if (found.count == 0) return std::nullopt;
  const auto values = step.tensor().values();
  const auto first = std::ranges::find_if(
      values, [&](float value) { return !std::isfinite(value) && !(masks && value < 0); });  // NaN < 0 is false
  found.first_cell = first - values.begin();
  return found;
}

[[maybe_unused]] bool axes_match(const StepInfo& info, const Tensor& values) {
  return std::ranges::equal(info.axes, values.shape(), {}, &Axis::size);
}

// A step before its numbers are known.
Step new_step(StepInfo info, std::shared_ptr<const Tensor> values, Explain explain) {
  assert(axes_match(info, *values));
  for (Axis& axis : info.axes) axis.along = role_along(axis);
  Step step;
  step.info = std::move(info);
  step.values = std::move(values);
  step.explain = std::move(explain);
  return step;
}

// `extents`: where they are known already.
Step make_step(Compute& compute, StepInfo info, std::shared_ptr<const Tensor> values, Explain explain,
               const std::vector<Extent>* extents = nullptr) {
  Step step = new_step(std::move(info), std::move(values), std::move(explain));
  step.extents = extents ? *extents : extents_of(compute, step.info, step.tensor());
  step.non_finite = find_non_finite(step);
  return step;
}

Index rows_of(const Tensor& tensor) {
  return tensor.size() / std::max<Index>(1, tensor.dim(-1));
}

// All rows of a result at once.
void run_whole(Compute& compute, const Operation& operation, Tensor& to) {
  if (operation.run) return operation.run(compute, to.data());
  const RowPieces pieces(rows_of(to), 1, std::max({Index{1}, to.dim(-1), operation.rows.length}),
                         operation.rows.sharing);
  compute.parallel(pieces.count(), 1, [&](Index begin, Index end) {
    operation.rows.run(pieces.begin(begin), pieces.end(end - 1), to.data());
  });
}

Replay::Computation rerun_whole(const Operation& operation, std::shared_ptr<Tensor> to) {
  Operation kept;
  kept.run = operation.run;
  kept.rows = operation.rows;
  return [kept = std::move(kept), to = std::move(to)](Compute& compute) { run_whole(compute, kept, *to); };
}

}  // namespace

Recorder::Recorder(const Problem& problem) : problem_(problem), compute_(nullptr) {
  if (problem.gradient) tape_ = std::make_unique<GradientTape>();
}

std::vector<StepInfo> Recorder::source_infos() const {
  std::vector<StepInfo> infos;
  for (const auto* list : {&problem_.specs.inputs, &problem_.specs.weights})
    for (const auto& spec : *list)
      if (const Tensor* tensor = problem_.find(spec.id))
        infos.push_back({.id = id_in_trace(spec),
                         .title = spec.title,
                         .formula = {},
                         .note = spec.help,
                         .axes = axes_of_array(problem_, spec, tensor, compute_ == nullptr),
                         .kind = spec.kind,
                         .role = spec.role,
                         .minus_infinity_masks = spec.kind == Kind::mask || spec.hides,
                         .code = {},
                         .letter = spec.letter});
  return infos;
}

std::vector<StepInfo> Recorder::outline() && {
  std::vector<StepInfo> infos = source_infos();
  std::move(outline_.begin(), outline_.end(), std::back_inserter(infos));
  return infos;
}

Recorder::Recorder(const Problem& problem, Compute& compute) : problem_(problem), compute_(&compute) {
  if (problem.gradient) tape_ = std::make_unique<GradientTape>();
  bytes_expected_ = cost_of(problem).bytes;
  trace_.variant = problem.variant->info().id;
  trace_.heads = problem.heads;
  trace_.warnings = problem.warnings;
  trace_.notes = problem.notes;
  auto infos = source_infos();
  auto info = infos.begin();
  for (const auto* list : {&problem.specs.inputs, &problem.specs.weights}) {
    for (const auto& spec : *list) {
      const auto found = problem.arrays.find(spec.id);
      if (found == problem.arrays.end()) continue;
      const auto known = problem.extents.find(spec.id);
      Step& source = trace_.sources.emplace_back(make_step(compute, std::move(*info++), found->second, {},
                                                           known == problem.extents.end() ? nullptr : &known->second));
      const auto edited = problem.edited.find(source.info.id);
      if (edited == problem.edited.end()) continue;
      source.edited = edited->second.cells;
      trace_.edits.insert(trace_.edits.end(), edited->second.applied.begin(), edited->second.applied.end());
    }
  }
}

Axis Recorder::axis(std::string symbol, std::string name, Role role) const {
  Axis axis;
  axis.size = dim(symbol);
  if (const auto labels = problem_.labels.find(symbol); labels != problem_.labels.end()) axis.labels = labels->second;
  if (symbol == "n_q") axis.only = problem_.only_query;
  axis.symbol = std::move(symbol);
  add_places(problem_, axis);
  axis.name = std::move(name);
  axis.role = role;
  set_letters(axis);
  return axis;
}

bool Recorder::declares(std::string_view id) const {
  return std::ranges::count(problem_.specs.inputs, id, &ArraySpec::id) +
             std::ranges::count(problem_.specs.weights, id, &ArraySpec::id) >
         0;
}

void Recorder::refuse_undeclared(std::string_view id) const {
  std::vector<std::string> declared;
  for (const auto* list : {&problem_.specs.inputs, &problem_.specs.weights})
    for (const auto& spec : *list) declared.push_back(spec.id);
  mistake("{}: record() asks for the array {}, which arrays() does not declare: {}", problem_.variant->info().id, id,
          nearest_or_all(id, declared));
}

Array Recorder::array(std::string_view id) {
  const auto found = problem_.arrays.find(id);
  const auto tensor = found == problem_.arrays.end() ? nullptr : found->second;
  const ArraySpec* asked = nullptr;
  const ArraySpec* serving = nullptr;  // the first whose numbers these are
  for (const auto* list : {&problem_.specs.inputs, &problem_.specs.weights})
    for (const auto& spec : *list) {
      if (spec.id == id) asked = &spec;
      if (!serving && tensor && problem_.find(spec.id) == tensor.get()) serving = &spec;
    }
  if (!asked) refuse_undeclared(id);
  // A dry run may come before weights are made.
  if (!tensor && (compute_ || asked->fill == Fill::absent)) return {};
  if (!serving) serving = asked;
  Array array{.id = id_in_trace(*serving),
              .axes = axes_of_array(problem_, *asked, tensor.get(), !compute_),
              .symbol = serving->symbol,
              .values = compute_ ? tensor : nullptr,
              .kind = asked->kind,
              .role = asked->role};
  if (const Step* step = trace_.find(array.id)) {
    array.finite = !step->non_finite;
    array.edited = step->edited != nullptr;
  }
  if (tape_) tape_->note_source(array);
  if (asked->kind == Kind::input) show(array.id);
  return array;
}

// Lists an input under the stage that reads it first.
void Recorder::show(const std::string& id) {
  const auto shows = [&](const Stage& stage) { return std::ranges::find(stage.steps, id) != stage.steps.end(); };
  if (!trace_.stages.empty() && std::ranges::none_of(trace_.stages, shows)) trace_.stages.back().steps.push_back(id);
}

void Recorder::stage(std::string id, std::string title, std::string tile, std::string shown) {
  end_stage();
  trace_.stages.push_back({std::move(id), std::move(title), std::move(tile), {}});
  shown_ = std::move(shown);
}

// Puts sources after the steps, and the step that is shown before them.
void Recorder::end_stage() {
  if (trace_.stages.empty()) return;
  auto& steps = trace_.stages.back().steps;
  steps.insert(steps.end(), made_sources_.begin(), made_sources_.end());
  made_sources_.clear();
  if (const auto shown = std::ranges::find(steps, shown_); shown != steps.end())
    std::rotate(steps.begin(), shown, shown + 1);
  if (steps.empty()) trace_.stages.pop_back();
}

const StepWords& Recorder::words_of(std::string_view id) const {
  const auto all = problem_.variant->words();
  const auto found = std::ranges::find(all, id, [](const StepWords& words) { return std::string_view(words.id); });
  if (found != all.end()) return *found;
  std::vector<std::string> known;
  for (const StepWords& words : all) known.emplace_back(words.id);
  mistake("{}: the step {} has no words, its symbol, title and note: {}", problem_.variant->info().id, id,
          nearest_or_all(id, known));
}

Array Recorder::step(std::string_view id, Operation operation) {
  return step(words_of(id), std::move(operation));
}

Array Recorder::step(const StepWords& words, Operation operation) {
  open_stage_of(words);
  if (!trace_.stages.empty()) trace_.stages.back().steps.emplace_back(words.id);
  return run_and_record(trace_.steps, words, std::move(operation));
}

void Recorder::open_stage_of(const StepWords& words) {
  const std::string_view id = words.stage.id;
  const bool is_open = !trace_.stages.empty() && trace_.stages.back().id == id;
  if (!id.empty() && !is_open) stage(words.stage.id, words.stage.title, words.stage.tile);
}

Array Recorder::source(std::string_view id, Operation operation) {
  made_sources_.emplace_back(id);
  return run_and_record(trace_.sources, words_of(id), std::move(operation));
}

// The words and lines of code of a result.
StepInfo Recorder::info_of(const StepWords& words, const Array& made, const Operation& operation) const {
  return {.id = made.id,
          .title = words.title(*this),
          .formula = formula_of(made, operation.formula),
          .note = with_numbers(words.note(*this), problem_),
          .axes = operation.axes,
          .kind = operation.kind,
          .role = operation.role,
          .minus_infinity_masks = operation.minus_infinity_masks,
          .code = code_of(operation.code, made.id),
          .letter = words.letter(*this),
          .layer = operation.layer};
}

Array Recorder::run_and_record(std::vector<Step>& list, const StepWords& words, Operation operation) {
  if (!tape_) return run_operation(list, words, std::move(operation));
  Backward backward = std::move(operation.backward);
  std::vector<std::string> reads;
  for (const std::string_view name : names_in(operation.code.numpy)) reads.emplace_back(id_of_name(name));
  Array made = run_operation(list, words, std::move(operation));
  tape_->note_result(made, std::move(backward), std::move(reads));
  return made;
}

// Carries the operation out, unless the run is dry or cancelled.
Array Recorder::run_operation(std::vector<Step>& list, const StepWords& words, Operation operation) {
  for (Axis& axis : operation.axes) set_shared_heads(problem_, axis);
  Array made{.id = words.id,
             .axes = operation.axes,
             .symbol = {},
             .definition = operation.formula.definition,
             .values = {},
             .kind = operation.kind,
             .role = operation.role,
             .seen = operation.seen};
  const auto cells = static_cast<double>(made.size());
  if (!operation.shares_input) cost_.bytes += cells * sizeof(float);
  cost_.operations += cells * operation.operations;
  operations_.emplace_back(made.id, cells * operation.operations);
  if (!compute_ && (!problem_.edits.empty() || problem_.gradient))
    outline_.push_back({.id = made.id,
                        .title = {},
                        .note = {},
                        .axes = operation.axes,
                        .kind = operation.kind,
                        .role = operation.role,
                        .minus_infinity_masks = operation.minus_infinity_masks});
  if (!compute_ || compute_->cancelled()) return made;
  made.symbol = words.symbol(*this);
  // What the trace holds is not written to again.
  const bool shared = operation.same_as && !is_edited(made.id);
  const auto values = shared ? std::const_pointer_cast<Tensor>(operation.same_as)
                             : std::make_shared<Tensor>(Tensor::uninitialized(made.shape()));
  const bool defers = !shared && !operation.run && &list == &trace_.steps && !is_edited(made.id);
  if (&list == &trace_.steps && !(defers && chain_.ends_with(operation.rows.of, rows_of(*values))))
    run_deferred_steps();
  if (!defers && !shared) {
    run_whole(*compute_, operation, *values);
    if (replay_) replay_->add(rerun_whole(operation, values));
  }
  StepInfo info = info_of(words, made, operation);
  if (trace_.find(info.id)) mistake("{}: the step {} is recorded twice", problem_.variant->info().id, info.id);
  made.values = values;
  if (defers) {
    chain_.add(made.id, operation.rows, rows_of(*values), values->dim(-1), values->data(), operation.seen);
    deferred_.push_back({trace_.steps.size(), std::move(operation.rows)});
    list.push_back(new_step(std::move(info), values, std::move(operation.explain)));
    if (!operation.warning.empty()) list.back().warnings.push_back(std::move(operation.warning));
    return made;
  }
  correct_code(info, operation.rows);
  const EditsDone edits = edit(info, values, operation.explain);
  Step& step = list.emplace_back(make_step(*compute_, std::move(info), values, std::move(operation.explain)));
  step.edited = edits.cells;
  step.rules = std::move(operation.rules);
  step.warnings = edits.warnings;
  made.edited = edits.cells != nullptr;
  if (made.edited && made.seen)
    made.seen = std::make_shared<const math::VisibleBlocks>(
        *values, values->shape(), step.info.minus_infinity_masks ? -std::numeric_limits<float>::infinity() : 0.0F);
  if (!operation.warning.empty()) step.warnings.push_back(std::move(operation.warning));
  made.finite = !step.non_finite;
  report_progress();
  return made;
}

// Computes the steps whose rows come from each other, and sets what follows from their numbers.
void Recorder::run_deferred_steps() {
  if (deferred_.empty()) return;
  const auto deferred = std::exchange(deferred_, {});
  const Step& first = trace_.steps[deferred.front().step];
  if (replay_) replay_->add(chain_.replay(items_of(first.info, first.tensor())));
  auto extents = chain_.run(*compute_, items_of(first.info, first.tensor()));
  for (std::size_t i = 0; i < deferred.size(); ++i) {
    Step& step = trace_.steps[deferred[i].step];
    step.extents = std::move(extents[i]);
    step.non_finite = find_non_finite(step);
    correct_code(step.info, deferred[i].rows);
  }
  report_progress();
}

void Recorder::report_progress() {
  compute_->progress(bytes_expected_ > 0 ? static_cast<float>(cost_.bytes / bytes_expected_) : 1.0F);
}

// Sets other lines of code for a step made row by row, where what it reads is not finite.
void Recorder::correct_code(StepInfo& info, const Operation::Rows& rows) const {
  if (rows.code_where_broken.numpy.empty()) return;
  const Step* read = trace_.find(rows.of);
  if (!read || !read->non_finite) return;
  info.code = code_of(rows.code_where_broken, info.id);
}

bool Recorder::is_edited(std::string_view id) const {
  return std::ranges::any_of(problem_.edits, [&](const Edit& edit) { return edit.on && edit.array == id; });
}

// Carries out the edits of a result, in its numbers, its lines of code and its explanations.
EditsDone Recorder::edit(StepInfo& info, const std::shared_ptr<Tensor>& values, Explain& explain) {
  if (!is_edited(info.id)) return {};
  Step made;
  made.info = info;
  made.values = values;
  made.explain = explain;
  EditsDone done = carry_out(problem_.edits, info, *values, trace_.scores_before(made));
  if (!done.cells) return done;
  auto cells = std::make_shared<EditedCells>(*done.cells);
  cells->made = explain;
  done.cells = cells;
  if (std::ranges::any_of(problem_.edits, [&](const Edit& edit) {
        return edit.on && edit.array == info.id &&
               std::ranges::count(edit.values, -std::numeric_limits<double>::infinity()) > 0;
      }))
    info.minus_infinity_masks = true;
  if (explain) explain = explain_edited(std::move(explain), cells, values, done.applied);
  if (!info.code.numpy.empty()) {
    info.code.numpy += done.code.numpy;
    info.code.torch += done.code.torch;
  }
  trace_.edits.insert(trace_.edits.end(), done.applied.begin(), done.applied.end());
  return done;
}

// Edits that are on and change nothing: they are of queries that are not computed.
void Recorder::report_unused_edits() {
  for (std::size_t i = 0; i < problem_.edits.size(); ++i)
    if (problem_.edits[i].on && std::ranges::count(trace_.edits, static_cast<Index>(i + 1), &AppliedEdit::number) == 0)
      trace_.warnings.push_back(
          fmt::format("edit {} changes nothing: it is of queries other than the one that is computed", i + 1));
}

const Step* Recorder::finished(std::string_view id) {
  run_deferred_steps();
  return trace_.find(id);
}

Trace Recorder::take() && {
  record_gradients();
  run_deferred_steps();
  end_stage();
  report_unused_edits();
  return std::move(trace_);
}

}  // namespace headlight
