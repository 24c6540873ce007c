#include "engine/variants/gradient_tape.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/variants/loss_words.h"
#include "engine/variants/recorder.h"

namespace headlight {

std::string gradient_id(const std::string& id) {
  return "grad_" + id;
}

std::string forward_id(const std::string& id) {
  return id.starts_with("grad_") ? id.substr(5) : id;
}

std::string loss_in_words(const Step& of, const std::vector<Index>& cell) {
  if (cell.empty()) return fmt::format("the sum of all {}", of.info.title);
  std::string words = of.info.title;
  for (std::size_t i = 0; i < cell.size(); ++i)
    if (const Axis& axis = of.info.axes[i]; axis.size > 1) words += fmt::format(", {} {}", axis.name, cell[i]);
  return words;
}

std::string loss_in_words(const Loss& loss) {
  return loss_in_words(*loss.of,
                       loss.cell ? index_at_flat(loss.of->tensor().shape(), *loss.cell) : std::vector<Index>{});
}

std::optional<Loss> loss_of(const Trace& trace) {
  const auto is_gradient = [](const Step& step) { return forward_id(step.info.id) != step.info.id; };
  const auto seed = std::ranges::find_if(trace.steps, is_gradient);
  if (seed == trace.steps.end()) return std::nullopt;
  const auto has_part = [](float value) { return value != 0; };
  const auto values = seed->tensor().values();
  Loss loss{.of = trace.find(forward_id(seed->info.id))};
  if (std::ranges::count_if(values, has_part) == 1) loss.cell = std::ranges::find_if(values, has_part) - values.begin();
  return loss;
}

void GradientTape::note_result(const Array& result, Backward backward, std::vector<std::string> reads) {
  arrays_.insert_or_assign(result.id, result);
  entries_.push_back({result.id, std::move(backward), std::move(reads)});
}

const Array* GradientTape::find(const std::string& id) const {
  const auto found = arrays_.find(id);
  return found == arrays_.end() ? nullptr : &found->second;
}

namespace {

// What has been said of ∂L/∂ an array so far: a part for each operation that reads it.
struct Part {
  std::string by_way_of;  // id of that operation's result; empty: L itself
  Operation made;
};
using Parts = std::map<std::string, std::vector<Part>, std::less<>>;

// The gradient of one result, whose parts wait until all readers of an array have been met.
class StepBackward final : public BackwardPass {
 public:
  using Record = std::function<Array(const StepWords&, Operation)>;

  StepBackward(const GradientTape& tape, const Array& gradient, const std::string& result, Parts& parts, Record record,
               const Recorder& recorder)
      : tape_(tape),
        gradient_(gradient),
        result_(*tape.find(result)),
        parts_(parts),
        record_(std::move(record)),
        recorder_(recorder) {}

  const Array& result() const override { return result_; }
  const Array& gradient() const override { return gradient_; }
  const Array* find(const std::string& id) const override { return tape_.find(id); }
  void add(const std::string& id, Operation part) override {
    if (!id.empty()) parts_[id].push_back({result_.id, std::move(part)});
  }
  Array helper(const std::string& id, const std::string& title, const std::string& symbol, const std::string& note,
               Operation made) override {
    const std::string whole_id = fmt::format("{}_{}", gradient_id(result_.id), id);
    return record_({.id = whole_id.c_str(), .symbol = symbol, .title = title, .note = note}, std::move(made));
  }
  bool cancelled() const override { return recorder_.cancelled(); }

 private:
  const GradientTape& tape_;
  const Array& gradient_;
  const Array& result_;
  Parts& parts_;
  Record record_;
  const Recorder& recorder_;
};

// From L back to everything that had a part in it.
class BackwardRun {
 public:
  // `finish` makes the steps that still wait for their numbers.
  BackwardRun(Recorder& recorder, const Trace& trace, GradientTape tape, std::function<void()> finish)
      : recorder_(recorder),
        trace_(trace),
        tape_(std::move(tape)),
        finish_(std::move(finish)),
        forward_(trace.stages),
        asked_(*recorder.problem().gradient) {}

  void go() {
    const Array* of = tape_.find(asked_.of);
    const bool computes = trace_.find(asked_.of) != nullptr;
    if (!of || (computes && !of->values)) return;  // cancelled before
    loss_ = computes ? loss_in_words(*trace_.find(asked_.of), asked_.cell) : asked_.of;
    std::optional<Index> cell;  // of other extents a dry run may be
    if (computes && !asked_.cell.empty()) cell = flat_at_index(of->shape(), asked_.cell);
    parts_[asked_.of].push_back({{}, ops::seed(*of, cell, asked_.weights)});
    for (auto entry = tape_.entries().rbegin(); entry != tape_.entries().rend(); ++entry)
      if (parts_.contains(entry->id) && !recorder_.cancelled()) run_backward(*entry);  // else L does not depend on it
    record_sources();
  }

 private:
  std::string title_of(const std::string& id) const {
    const Step* step = trace_.find(id);
    return step ? step->info.title : id;
  }

  Array record(const StepWords& words, Operation made) const {
    made.kind = Kind::activation;
    made.role = Role::none;
    made.minus_infinity_masks = false;
    made.seen = nullptr;
    made.formula.definition.clear();
    return recorder_.step(words, std::move(made));
  }

  // ∂L/∂ array, or what of it comes by way of one reader.
  Array record_gradient(const std::string& id, const std::string& array, const std::string& way, Operation made) const {
    const Array& read = *tape_.find(array);
    const std::string title = "∂ " + title_of(array), by = way.empty() ? "" : " by " + title_of(way);
    made.axes = read.axes;
    return record({.id = id.c_str(),
                   .symbol = fmt::format("\\partial L/\\partial {}", read.symbol),
                   .title = title + by,
                   .note = fmt::format("By how much L, {}, grows for each 1 that a number of {} grows{}, all that "
                                       "follows from it moving along. Below 0, L shrinks.",
                                       loss_, title_of(array), way.empty() ? "" : fmt::format(",{} alone", by)),
                   .letter = "∂"},
                  std::move(made));
  }

  // All parts of an array, and their sum where there are several.
  Array record_sum(const std::string& array) {
    std::vector<Part> parts = std::move(parts_.extract(array).mapped());
    const std::string id = gradient_id(array);
    if (parts.size() == 1) return record_gradient(id, array, {}, std::move(parts.front().made));
    std::vector<Array> made;
    for (Part& part : parts)
      made.push_back(record_gradient(fmt::format("{}_by_{}_{}", id, part.by_way_of, made.size()), array, part.by_way_of,
                                     std::move(part.made)));
    return record_gradient(id, array, {}, ops::sum_of(made));
  }

  // The stop that goes back over the one which shows a step.
  void open_stage(const std::string& id) const {
    const auto shows = [&](const Stage& stage) { return std::ranges::count(stage.steps, id) > 0; };
    const auto stage = std::ranges::find_if(forward_, shows);
    if (stage == forward_.end() || trace_.stages.back().id == gradient_id(stage->id)) return;
    recorder_.stage(gradient_id(stage->id), "∂ " + stage->title, "∂ " + stage->tile, gradient_id(stage->steps.front()));
  }

  void run_backward(const GradientTape::Entry& entry) {
    open_stage(entry.id);
    const Array gradient = record_sum(entry.id);
    finish_();
    StepBackward pass(
        tape_, gradient, entry.id, parts_,
        [this](const StepWords& words, Operation made) { return record(words, std::move(made)); }, recorder_);
    if (entry.backward && !pass.result().edited) return entry.backward(pass);
    const Step* made = trace_.find(entry.id);
    ops::by_explanation(pass, {.explain = made ? made->explain : Explain{},
                               .code = made ? made->info.code.torch : std::string(),
                               .reads = entry.reads});
  }

  bool needs_gradient(const std::string& source) const {
    const auto& wanted = asked_.with_respect_to;
    return parts_.contains(source) && (wanted.empty() || wanted.contains(source));
  }

  void record_sources() {
    if (!parts_.empty()) recorder_.stage("grad_sources", "∂ Inputs, weights", "∂ x w");
    const ArraySpecs& specs = recorder_.problem().specs;
    for (const auto* list : {&specs.inputs, &specs.weights})
      for (const ArraySpec& spec : *list)
        if (needs_gradient(id_in_trace(spec)) && !recorder_.cancelled()) record_sum(id_in_trace(spec));
  }

  Recorder& recorder_;
  const Trace& trace_;
  const GradientTape tape_;
  const std::function<void()> finish_;
  const std::vector<Stage> forward_;
  const GradientAsked& asked_;
  std::string loss_;
  Parts parts_;
};

}  // namespace

void Recorder::record_gradients() {
  if (!tape_) return;
  run_deferred_steps();
  end_stage();
  GradientTape tape = std::move(*std::exchange(tape_, nullptr));  // what follows is not noted
  for (const auto* list : {&problem_.specs.inputs, &problem_.specs.weights})
    for (const ArraySpec& spec : *list)  // rules of masks read some, which nobody asked the recorder for
      if (const Step* source = trace_.find(id_in_trace(spec)))
        tape.note_source(
            {.id = source->info.id, .axes = source->info.axes, .symbol = spec.symbol, .values = source->values});
  BackwardRun(*this, trace_, std::move(tape), [this] { run_deferred_steps(); }).go();
}

}  // namespace headlight
