#include "tests/engine/doubles.h"

#include "engine/trace/derivative.h"
#include "tests/engine/problems.h"

namespace headlight::test {

bool is_given(const Step& source) {
  return !source.explain;
}

Doubles::Doubles(const Trace& trace) : trace_(trace) {
  for (const auto* list : {&trace.sources, &trace.steps})
    for (const Step& step : *list) {
      if (step.info.id.starts_with("grad_")) continue;
      if (!is_given(step)) order_.push_back(&step);
      values_[step.info.id].assign(step.tensor().values().begin(), step.tensor().values().end());
    }
}

double Doubles::operator()(const Operand& operand) const {
  if (operand.array.empty()) return operand.value;
  const auto cell = static_cast<std::size_t>(operand.cell);
  for (const auto& [id, numbers] : recent_)
    if (numbers && id == operand.array) return (*numbers)[cell];
  const DoubleNumbers& found = values_.at(operand.array);
  recent_[oldest_++ % recent_.size()] = {operand.array, &found};
  return found[cell];
}

void Doubles::move_off_ties() {
  for (const Step& source : trace_.sources)
    if (is_given(source))
      for (Index i = 0; i < source.tensor().size(); ++i)
        of(source.info.id)[static_cast<std::size_t>(i)] += 1e-2 * drawn({source.tensor().size()}, 3)[i];
}

void Doubles::run() {
  for (const Step* step : order_) {
    DoubleNumbers& numbers = values_.at(step->info.id);
    for (std::size_t cell = 0; cell < numbers.size(); ++cell)
      numbers[cell] =
          evaluate(step->explain(static_cast<Index>(cell)), [this](const Operand& o) { return (*this)(o); });
  }
}

std::map<std::string, DoubleNumbers> Doubles::gradients(const std::string& of, const Tensor& weights) {
  std::map<std::string, DoubleNumbers> all;
  for (const auto& [id, numbers] : values_) all[id].assign(numbers.size(), 0.0);
  all.at(of).assign(weights.values().begin(), weights.values().end());
  for (auto step = order_.rbegin(); step != order_.rend(); ++step) {
    const DoubleNumbers& here = all.at((*step)->info.id);
    for (std::size_t cell = 0; cell < here.size(); ++cell)
      if (here[cell] != 0)
        differentiate((*step)->explain(static_cast<Index>(cell)), [this](const Operand& o) { return (*this)(o); },
                      [&](const Operand& operand, double partial) {
                        all.at(operand.array)[static_cast<std::size_t>(operand.cell)] += partial * here[cell];
                      });
  }
  return all;
}

}  // namespace headlight::test
