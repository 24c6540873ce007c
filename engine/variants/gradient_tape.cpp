#include "engine/variants/gradient_tape.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/variants/loss_words.h"
#include "engine/variants/recorder.h"

namespace headlight {

std::string gradient_of(const std::string& id) {
  return "grad_" + id;
}

std::string forward_of(const std::string& id) {
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
  const auto is_gradient = [](const Step& step) { return forward_of(step.info.id) != step.info.id; };
  const auto seed = std::ranges::find_if(trace.steps, is_gradient);
  if (seed == trace.steps.end()) return std::nullopt;
  const auto has_part = [](float value) { return value != 0; };
  const auto values = seed->tensor().values();
  Loss loss{.of = trace.find(forward_of(seed->info.id))};
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
class PassOverOne final : public BackwardPass {
 public:
  using Record = std::function<Array(const StepWords&, Operation)>;

  PassOverOne(const GradientTape& tape, const Array& gradient, const std::string& result, Parts& parts, Record record,
              const Recorder& recorder)
      : tape_(tape),
        gradient_(gradient),
        result_(*tape.find(result)),
        parts_(parts),
        record_(std::move(record)),
        recorder_(recorder) {}

  const Array& result() const override { return result_; }
  const Array& gradient() const override { return gradient_; }
  const Array& array(const std::string& id) const override { return *tape_.find(id); }
  void add(const std::string& id, Operation part) override {
    if (!id.empty()) parts_[id].push_back({result_.id, std::move(part)});
  }
  Array helper(const std::string& id, const std::string& title, const std::string& symbol, const std::string& note,
               Operation made) override {
    const std::string whole_id = fmt::format("{}_{}", gradient_of(result_.id), id);
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
  const GradientAsked& asked = *problem_.gradient;
  const Array* of = tape.find(asked.of);
  if (!of || (compute_ && !of->values)) return;  // cancelled before

  const auto title_of = [this](const std::string& id) {
    const Step* step = trace_.find(id);
    return step ? step->info.title : id;
  };
  const bool whole = asked.cell.empty();
  const Step* asked_step = trace_.find(asked.of);
  const std::string loss = asked_step ? loss_in_words(*asked_step, asked.cell) : asked.of;
  const auto record = [this](const StepWords& words, Operation made) {
    made.kind = Kind::activation;
    made.role = Role::none;
    made.minus_infinity_masks = false;
    made.seen = nullptr;
    made.formula.definition.clear();
    return step(words, std::move(made));
  };
  const auto record_part = [&](const std::string& id, const std::string& array, const std::string& way,
                               Operation made) {
    const Array& read = *tape.find(array);
    made.axes = read.axes;
    const std::string by = way.empty() ? "" : fmt::format(", by way of {} alone", title_of(way));
    return record(
        {.id = id.c_str(),
         .symbol = fmt::format("\\partial L/\\partial {}", read.symbol),
         .title = way.empty() ? "∂ " + title_of(array) : fmt::format("∂ {} by {}", title_of(array), title_of(way)),
         .note = fmt::format("By how much L, {}, grows for each 1 that a number of {} grows{}, all that follows "
                             "from it moving along. Below 0, L shrinks.",
                             loss, title_of(array), by),
         .letter = "∂"},
        std::move(made));
  };
  // All parts of an array, and their sum where there are several.
  const auto record_sum = [&](const std::string& array, std::vector<Part> parts) {
    const std::string id = gradient_of(array);
    if (parts.size() == 1) return record_part(id, array, {}, std::move(parts.front().made));
    std::vector<Array> made;
    for (Part& part : parts)
      made.push_back(record_part(fmt::format("{}_by_{}_{}", id, part.by_way_of, made.size()), array, part.by_way_of,
                                 std::move(part.made)));
    return record_part(id, array, {}, ops::sum_of(made));
  };

  std::optional<Index> cell;
  if (!whole && compute_) cell = flat_at_index(of->shape(), asked.cell);  // of other extents a dry run may be
  Parts parts;
  parts[asked.of].push_back({{}, ops::seed(*of, cell, asked.weights)});
  const std::vector<Stage> stages = trace_.stages;
  const auto stage_with = [&](const std::string& id) {
    return std::ranges::find_if(stages, [&](const Stage& s) { return std::ranges::count(s.steps, id) > 0; });
  };
  const auto open_stage = [&](const std::string& id) {
    const auto forward = stage_with(id);
    if (forward == stages.end()) return;
    if (trace_.stages.back().id != gradient_of(forward->id))
      stage(gradient_of(forward->id), "∂ " + forward->title, "∂ " + forward->tile, gradient_of(forward->steps.front()));
  };

  for (auto entry = tape.entries().rbegin(); entry != tape.entries().rend(); ++entry) {
    const auto found = parts.find(entry->id);
    if (found == parts.end()) continue;  // L does not depend on it
    if (compute_ && compute_->cancelled()) return;
    open_stage(entry->id);
    const Array gradient = record_sum(entry->id, std::move(parts.extract(found).mapped()));
    run_deferred_steps();
    PassOverOne pass(tape, gradient, entry->id, parts, record, *this);
    if (entry->backward && !pass.result().edited) {
      entry->backward(pass);
      continue;
    }
    const Step* made = trace_.find(entry->id);
    ops::by_explanation(pass, {.explain = made ? made->explain : Explain{},
                               .code = made ? made->info.code.torch : std::string(),
                               .reads = entry->reads,
                               .find = [&](const std::string& id) { return tape.find(id); }});
  }
  if (!parts.empty()) stage("grad_sources", "∂ Inputs, weights", "∂ x w");
  for (const auto* list : {&problem_.specs.inputs, &problem_.specs.weights})
    for (const ArraySpec& spec : *list) {
      const auto found = parts.find(id_in_trace(spec));
      if (found == parts.end()) continue;
      if (compute_ && compute_->cancelled()) return;
      const std::string id = found->first;
      record_sum(id, std::move(parts.extract(found).mapped()));
    }
}

}  // namespace headlight
