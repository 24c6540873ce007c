// The gradient of an operation, made from its explanations: a number of the result that says what it was made of says
// by how much each of these changes it.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/core/mistake.h"
#include "engine/ops/backward.h"
#include "engine/ops/operation.h"
#include "engine/trace/code_names.h"
#include "engine/trace/derivative.h"

namespace headlight::ops {

namespace {

// Of one array that is read: which cells of the result each of its cells changes, and by how much.
struct Partials {
  std::vector<std::size_t> begin;  // of each cell's entries, and the end of the last
  std::vector<Index> results;
  std::vector<float> slopes;

  template <class Visit>
  void each(Index cell, const Visit& visit) const {
    const auto at = static_cast<std::size_t>(cell);
    for (std::size_t i = begin[at]; i < begin[at + 1]; ++i) visit(results[i], slopes[i]);
  }
};

using PartialsById = std::map<std::string, std::shared_ptr<Partials>, std::less<>>;
using TensorsById = std::map<std::string, std::shared_ptr<const Tensor>, std::less<>>;
using TensorOf = std::function<const Tensor&(const std::string& id)>;
using Cancelled = std::function<bool()>;

// Calls visit(operand, cell of the result, slope) for all that the result was made of; false once cancelled.
template <class Visit>
bool each_slope(const Explain& explain, Index cells, const TensorOf& tensor_of, const Cancelled& cancelled,
                const Visit& visit) {
  const ValueOf value_of = [&](const Operand& operand) {
    return operand.array.empty() ? operand.value : static_cast<double>(tensor_of(operand.array)[operand.cell]);
  };
  for (Index cell = 0; cell < cells; ++cell) {
    if (cell % 1024 == 0 && cancelled()) return false;
    differentiate(explain(cell), value_of,
                  [&](const Operand& operand, double partial) { visit(operand, cell, partial); });
  }
  return true;
}

// Explanations are asked twice, so that no more than what is kept is ever held.
PartialsById partials_of(const Explain& explain, Index cells, const TensorOf& tensor_of, const Cancelled& cancelled) {
  PartialsById all;
  const bool counted = each_slope(explain, cells, tensor_of, cancelled, [&](const Operand& operand, Index, double) {
    auto& partials = all[operand.array];
    if (!partials) {
      partials = std::make_shared<Partials>();
      partials->begin.resize(static_cast<std::size_t>(tensor_of(operand.array).size() + 1));
    }
    ++partials->begin[static_cast<std::size_t>(operand.cell + 1)];
  });
  if (!counted) return {};
  std::map<std::string, std::vector<std::size_t>, std::less<>> next;
  for (auto& [id, partials] : all) {
    std::partial_sum(partials->begin.begin(), partials->begin.end(), partials->begin.begin());
    partials->results.resize(partials->begin.back());
    partials->slopes.resize(partials->begin.back());
    next[id] = partials->begin;
  }
  const auto fill = [&](const Operand& operand, Index cell, double partial) {
    const std::size_t at = next.find(operand.array)->second[static_cast<std::size_t>(operand.cell)]++;
    Partials& partials = *all.find(operand.array)->second;
    partials.results[at] = cell;
    partials.slopes[at] = static_cast<float>(partial);
  };
  return each_slope(explain, cells, tensor_of, cancelled, fill) ? all : PartialsById{};
}

// The partials of one result, which the parts of its gradient share. Parts run one after the other.
class SharedPartials {
 public:
  SharedPartials(const BackwardPass& pass, const ExplainedResult& explained)
      : explain_(explained.explain), cells_(pass.result().size()) {
    for (const std::string& id : explained.reads)
      if (const Array* read = pass.find(id)) values_.emplace(id, read->values);
    const auto read = [&](const std::string& id) -> const Tensor& {
      auto found = values_.find(id);
      if (found == values_.end()) found = values_.emplace(id, pass.array(id).values).first;
      return *found->second;
    };
    all_ = partials_of(explain_, cells_, read, [&] { return pass.cancelled(); });
  }

  const PartialsById& all() const { return all_; }

  // Makes them again in another pass than the one that they were first read in.
  void keep_up(const Compute& compute) {
    if (!pass_) pass_ = compute.pass();
    if (pass_ == compute.pass()) return;
    const auto read = [this](const std::string& id) -> const Tensor& {
      const auto found = values_.find(id);
      if (found == values_.end()) mistake("the explanation of a gradient reads {}, which it did not read before", id);
      return *found->second;
    };
    PartialsById made = partials_of(explain_, cells_, read, [&] { return compute.cancelled(); });
    if (compute.cancelled()) return;
    for (const auto& [id, partials] : all_) {
      const std::size_t size = partials->begin.size();
      const auto found = made.find(id);
      *partials = found == made.end() ? Partials{std::vector<std::size_t>(size), {}, {}} : std::move(*found->second);
    }
    pass_ = compute.pass();
  }

 private:
  Explain explain_;
  Index cells_;
  TensorsById values_;
  PartialsById all_;
  std::optional<std::uint64_t> pass_ = {};
};

// Lines that ask autograd, as a function of the one array. NumPy knows no gradients.
std::string in_torch(const std::string& code, const Array& read, const Array& result, const Array& gradient) {
  const std::string of = python_name(read.id), name = python_name(result.id);
  std::string body = "    " + assign_to(name, code);
  for (auto at = body.find('\n'); at != std::string::npos; at = body.find('\n', at + 1)) body.insert(at + 1, "    ");
  return fmt::format(
      "def {0}_of({1}):\n{2}\n    return {0}\n{{to}} = torch.autograd.functional.vjp({0}_of, {1}, {3})[1]", name, of,
      body, gradient.id);
}

Operation part_of(const Array& read, const Array& result, const Array& gradient, const std::string& code,
                  const std::shared_ptr<SharedPartials>& shared, double operations) {
  const std::shared_ptr<const Partials> partials = shared ? shared->all().find(read.id)->second : nullptr;
  const std::string label = fmt::format("∂ {} / ∂ {}", result.id, read.id);
  const std::string slope = fmt::format("\\frac{{\\partial {}}}{{\\partial {}}}", result.symbol, read.symbol);
  return {.axes = read.axes,
          .run =
              [gradient = gradient.values, shared, partials, cells = read.size()](Compute& compute, float* to) {
                shared->keep_up(compute);
                compute.parallel_each(cells, 256, [&](Index cell) {
                  double sum = 0;
                  partials->each(cell, [&](Index at, float by) { sum += static_cast<double>(by) * (*gradient)[at]; });
                  to[cell] = static_cast<float>(sum);
                });
              },
          .explain =
              [gradient = gradient.id, partials, label](Index cell) {
                Explanation e;
                partials->each(cell, [&](Index at, float by) {
                  e.terms.push_back({{Operand::of(gradient, at), Operand::constant(by, label)}});
                });
                if (e.terms.empty()) e.terms.push_back({{Operand::constant(0, "nothing reads it")}});
                return e;
              },
          .code = {{}, in_torch(code, read, result, gradient)},
          .formula = {fmt::format("\\sum {}\\,{}", notation::written(gradient), slope)},
          .operations = operations};
}

}  // namespace

void by_explanation(BackwardPass& pass, const ExplainedResult& explained) {
  const Array &result = pass.result(), &gradient = pass.gradient();
  if (!gradient.values) {  // a dry run
    for (const std::string& id : explained.reads)
      if (const Array* read = pass.find(id); read && id != result.id)
        pass.add(id, part_of(*read, result, gradient, explained.code, nullptr,
                             2 * static_cast<double>(result.size()) / static_cast<double>(read->size())));
    return;
  }
  if (!explained.explain) return;  // made of nothing that was recorded
  const auto shared = std::make_shared<SharedPartials>(pass, explained);
  for (const auto& [id, partials] : shared->all()) {
    const Array& read = *pass.find(id);
    pass.add(id, part_of(read, result, gradient, explained.code, shared,
                         2 * static_cast<double>(partials->results.size()) / static_cast<double>(read.size())));
  }
}

}  // namespace headlight::ops
