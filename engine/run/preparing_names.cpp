// What a preparation is given, by name: parameters and arrays that the variant knows, and those that follow from them.
#include <algorithm>
#include <functional>

#include "engine/base/words.h"
#include "engine/io/axes.h"
#include "engine/run/hints.h"
#include "engine/run/inputs.h"
#include "engine/run/only_query.h"
#include "engine/run/preparing.h"

namespace headlight::preparing {

namespace {

// The shape of an array that a file or the experiment gives; null where it is made, or not there.
const Shape* given_shape(const Work& work, const std::string& id) {
  if (const auto found = work.file.find(id); found != work.file.end()) return &found->second.values->shape();
  if (const auto found = work.read.find(id); found != work.read.end()) return &found->second.values->shape();
  const auto input = work.experiment.inputs.find(id);
  const auto* literal = input == work.experiment.inputs.end() ? nullptr : std::get_if<LiteralInput>(&input->second);
  return literal ? &literal->shape : nullptr;
}

// Arrays of the file that the variant has no use for: one warning for those of which the same is to be said.
void note_unused(Work& work, const std::function<bool(std::string_view)>& known) {
  constexpr std::size_t most = 4;
  std::vector<std::pair<std::string, std::vector<std::string>>> names_by_hint;
  for (const auto& [name, array] : work.file) {
    if (known(name) || work.of_layer.contains(name)) continue;
    const std::string hint = hint_for_name(name, work.variant, work.problem.params, work.problem.specs);
    const auto same = std::ranges::find(names_by_hint, hint, [](const auto& one) { return one.first; });
    if (same == names_by_hint.end())
      names_by_hint.push_back({hint, {name}});
    else
      same->second.push_back(name);
  }
  const std::string file = one_line(work.experiment.arrays), id = work.variant.info().id;
  std::size_t left = 0;
  for (std::size_t i = 0; i < names_by_hint.size(); ++i) {
    const auto& [hint, names] = names_by_hint[i];
    if (i < most)
      work.problem.warnings.push_back(fmt::format("{}: {} {} not used by {}: {}", file, brief_list(names),
                                                  names.size() == 1 ? "is" : "are", id, hint));
    else
      left += names.size();
  }
  if (left > 0)
    work.problem.warnings.push_back(
        fmt::format("{}: {} more {} not used by {}", file, left, left == 1 ? "array is" : "arrays are", id));
}

}  // namespace

std::string_view given_axes(const Work& work, const std::string& id) {
  const auto input = work.experiment.inputs.find(id);
  const auto* file = input == work.experiment.inputs.end() ? nullptr : std::get_if<FileInput>(&input->second);
  return file && work.read.contains(id) ? std::string_view(file->axes) : std::string_view();
}

IdSet given_names(const Work& work) {
  IdSet names;
  for (const auto& [name, array] : work.file) names.insert(name);
  for (const auto& [name, array] : work.read) names.insert(name);
  for (const auto& [name, input] : work.experiment.inputs)
    if (!work.maps.contains(name)) names.insert(name);
  return names;
}

Result<ParamValues> checked_params(const ParamValues& given, const Variant& variant) {
  const std::string& id = variant.info().id;
  const auto unknown = [&](const std::string& name) {
    return fail("params.{} is not a parameter of {}: {}", brief(name), id, hint_for_param(name, variant));
  };
  if (given.begin() == given.end() && !variant.params().empty())
    return fail("params is empty: start from default_experiment(\"{}\")", id);
  if (!given.refused().empty()) return unknown(given.refused());
  ParamValues params = given;
  for (const auto& [name, value] : given) {
    const ParamSpec* spec = find_param(variant.params(), name);
    if (!spec) return unknown(name);
    auto checked = check_param(*spec, value);
    if (!checked) return fail("params.{}", checked.error().message);
    params.infer(name, std::move(*checked));
  }
  return params;
}

Status check_names(Work& work) {
  const auto& specs = work.problem.specs;
  const auto known = [&](std::string_view id) {
    return std::ranges::any_of(specs.inputs, [&](const auto& spec) { return spec.id == id; }) ||
           std::ranges::any_of(specs.weights, [&](const auto& spec) { return spec.id == id; });
  };
  for (const auto& [name, input] : work.experiment.inputs) {
    if (!known(name) && !work.maps.contains(name))
      return fail("inputs.{} is not an input of {}: {}", brief(name), work.variant.info().id,
                  hint_for_name(name, work.variant, work.problem.params, specs));
    const bool labels = std::holds_alternative<TextInput>(input) || std::holds_alternative<ImageInput>(input) ||
                        std::holds_alternative<LabelsInput>(input);
    if (work.file.contains(name) && !work.of_layer.contains(name) && !labels)
      work.problem.warnings.push_back(fmt::format("inputs.{} is not used: {} holds {}, and the file wins", name,
                                                  one_line(work.experiment.arrays), name));
  }
  note_unused(work, known);
  return {};
}

namespace {

// How many heads a matrix has that is not cut into them: what is then said of its shape is of these.
void infer_uncut_heads(Work& work, const ParamSpec& param) {
  for (const auto& spec : work.problem.specs.weights) {
    const Shape* shape = given_shape(work, spec.id);
    const auto& symbols = spec.shapes[0];
    if (!shape || spec.shapes.size() != 1 || symbols.size() != 3 || shape->size() != 2) continue;
    const auto width = std::ranges::find(work.variant.params(), symbols[2], &ParamSpec::symbol);
    if (symbols[0] != param.symbol || width == work.variant.params().end()) continue;
    const Index channels = work.problem.params.is_automatic(width->id) ? 0 : work.problem.params.integer(width->id);
    if (channels < 1 || (*shape)[1] % channels != 0) continue;
    if (auto heads = check_param(param, (*shape)[1] / channels)) work.problem.params.infer(param.id, std::move(*heads));
    return;
  }
}

}  // namespace

Status infer_params(Work& work) {
  std::vector<const ParamSpec*> left;
  for (const auto& param : work.variant.params()) {
    const bool set = work.experiment.params.is_given(param.id) && !work.problem.params.is_automatic(param.id);
    if (param.symbol.empty() || set) continue;
    left.push_back(&param);
    for (const auto& spec : work.problem.specs.weights) {
      const Shape* shape = given_shape(work, spec.id);
      if (!shape || shape->size() != spec.shapes[0].size()) continue;
      const std::string twice = "2" + param.symbol;  // two maps a head
      const auto axis = std::ranges::find_if(
          spec.shapes[0], [&](const std::string& symbol) { return symbol == param.symbol || symbol == twice; });
      if (axis == spec.shapes[0].end()) continue;
      const Index found = (*shape)[static_cast<std::size_t>(axis - spec.shapes[0].begin())],
                  extent = *axis == twice ? found / 2 : found;
      auto value = check_param(param, extent);
      if (!value) return fail("{}: {}", work.where(spec.id), value.error().message);
      work.problem.params.infer(param.id, std::move(*value));
      left.pop_back();
      break;
    }
  }
  for (const ParamSpec* param : left) infer_uncut_heads(work, *param);
  return {};
}

void infer_ranks(Work& work) {
  for (const auto& [id, input] : work.experiment.inputs) {
    if (work.file.contains(id)) continue;
    const Shape* shape = given_shape(work, id);
    const auto axes = given_axes(work, id);
    std::size_t rank = shape ? shape->size() : natural_rank(kind_of(input));
    if (!axes.empty()) rank = natural_rank(kind_of_axes(axes));
    infer_rank(work.variant, id, rank, work.problem.params);
  }
  for (const auto& [id, array] : work.file)
    infer_rank(work.variant, id, array.values->shape().size(), work.problem.params);
}

// Whether a run that is prepared has room, and what would.

namespace {

// Bytes of the weights that are still to be made.
double bytes_to_make(const Work& work) {
  double bytes = 0;
  const Symbols symbols = work.shapes.symbols();
  for (const auto& spec : work.problem.specs.weights) {
    if (work.problem.arrays.contains(spec.id) || spec.fill == Fill::absent) continue;
    double count = sizeof(float);
    for (const Index extent : generated_shape(spec, symbols)) count *= static_cast<double>(extent);
    bytes += count;
  }
  return bytes;
}

// The refusal of a run over budget, or nothing.
std::optional<TooLarge> over_budget(const Work& work, const Budget& budget) {
  const Problem& problem = work.problem;
  TooLarge run;
  run.bytes = cost_of_asked_queries(problem).bytes + bytes_to_make(work);
  const bool one = asked_query(work.variant, problem.params).has_value();
  run.pairs = (one ? 1.0 : static_cast<double>(problem.extent(AxisRole::query))) *
              static_cast<double>(problem.extent(AxisRole::key));
  run.fits = run.bytes <= budget.bytes;
  if (run.fits && (budget.pairs <= 0 || run.pairs <= budget.pairs)) return std::nullopt;
  if (!one && can_keep_one_query(work.variant)) run.one_query = middle_query(problem);
  return run;
}

// The most positions that a run of this kind has room for, as many queries to a key as it has; 0 where not even a few.
Index positions_that_fit(const Work& work, const Budget& budget) {
  Problem smaller = work.problem;  // arrays are shared, and only their presence counts
  const Index queries = work.problem.extent(AxisRole::query), keys = work.problem.extent(AxisRole::key);
  const auto fits = [&](Index count) {
    smaller.symbols[std::string(symbol_of(AxisRole::key))] = count;
    smaller.symbols[std::string(symbol_of(AxisRole::query))] =
        queries == 1 ? 1 : std::max<Index>(1, count * queries / keys);
    return cost_of_asked_queries(smaller).bytes + bytes_to_make(work) <= budget.bytes;
  };
  Index least = 0, most = keys;
  while (most - least > 1) {
    const Index middle = least + (most - least) / 2;
    (fits(middle) ? least : most) = middle;
  }
  return least;
}

}  // namespace

Status check_budget(const Work& work, const Budget& budget, std::optional<TooLarge>* too_large) {
  const auto refused = over_budget(work, budget);
  if (too_large) *too_large = refused;
  if (!refused) return {};
  const Index queries = work.problem.extent(AxisRole::query), keys = work.problem.extent(AxisRole::key),
              heads = work.problem.extent(AxisRole::head);
  if (refused->fits)
    return fail("{} queries × {} keys in {}: this run needs about {}", queries, keys,
                heads == 1 ? "one head" : fmt::format("each of {} heads", heads), bytes_text(refused->bytes));
  const Index fits = positions_that_fit(work, budget);
  return fail("this run needs about {} and {} is free for it: {}use fewer positions, fewer heads or smaller widths{}",
              bytes_text(refused->bytes), bytes_text(budget.bytes),
              fits > 0 ? fmt::format("about {} keys would fit, not {}; ", fits, keys) : "",
              refused->one_query ? ", or set only_query to see one query's row" : "");
}

}  // namespace headlight::preparing
