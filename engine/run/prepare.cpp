#include "engine/run/prepare.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/core/words.h"
#include "engine/io/axes.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/math/positions.h"
#include "engine/run/arrange.h"
#include "engine/run/edits.h"
#include "engine/run/grid_positions.h"
#include "engine/run/hints.h"
#include "engine/run/inputs.h"
#include "engine/run/only_query.h"
#include "engine/run/prepare_layer.h"
#include "engine/run/preparing.h"
#include "engine/run/run_cache.h"
#include "engine/run/shapes.h"
#include "engine/weights/init.h"
#include "engine/weights/textbook.h"

namespace headlight {

using namespace preparing;

namespace {

// Weights that mean something, where nothing else is asked for.
std::string wanted_init(const Experiment& experiment) {
  if (experiment.weights && !experiment.weights->from.empty()) return "xavier_normal";  // what is not drawn
  return experiment.weights ? experiment.weights->init : "textbook";
}

Status load_file(Work& work) {
  if (work.experiment.arrays.empty()) return {};
  HL_TRY(const auto arrays, work.cache.arrays(path_from(work.experiment.folder, work.experiment.arrays)));
  work.file = *arrays;
  return {};
}

// An array of an .npy, .npz or .safetensors. Errors do not name the input.
Result<ReadArray> read_array(const Work& work, const FileInput& file) {
  HL_TRY(const auto arrays, work.cache.arrays(path_from(work.experiment.folder, file.path)));
  std::vector<std::string> names;
  for (const auto& [name, array] : *arrays) names.push_back(name);
  const std::string path = one_line(file.path), held = brief_list(names);
  if (file.member.empty() && arrays->size() != 1)
    return fail("{} holds {} arrays{}: name one as \"member\"", path, arrays->size(),
                names.empty() ? "" : fmt::format(" ({})", held));
  if (file.member.empty()) return arrays->begin()->second;
  const auto found = arrays->find(file.member);
  if (found == arrays->end())
    return fail("{} holds no array {}: it has {}", path, one_line(file.member), names.empty() ? "none" : held);
  return found->second;
}

// Read before anything else is: sizes that nobody set are theirs.
Status read_inputs(Work& work) {
  for (const auto& [id, input] : work.experiment.inputs) {
    if (const auto* step = std::get_if<StepInput>(&input)) {
      const auto numbers = work.cache.step(*step, work.experiment.folder);
      if (!numbers) return fail_at(work.where(id), numbers.error());
      work.read.emplace(id, ReadArray{(*numbers)->values, false});
      work.labels.emplace(id, (*numbers)->labels);
      continue;
    }
    const auto* file = std::get_if<FileInput>(&input);
    if (!file || work.file.contains(id) || work.maps.contains(id)) continue;
    auto array = read_array(work, *file);
    if (!array) return fail_at(work.where(id), array.error());
    if (const Status known = file->axes.empty() ? Status{} : check_axes(file->axes, array->values->shape()); !known)
      return fail("{}.axes: {}", work.where(id), known.error().message);
    work.read.emplace(id, std::move(*array));
  }
  return {};
}

// What its axes mean, where the experiment says it.
std::string_view given_axes(const Work& work, const std::string& id) {
  const auto input = work.experiment.inputs.find(id);
  const auto* file = input == work.experiment.inputs.end() ? nullptr : std::get_if<FileInput>(&input->second);
  return file && work.read.contains(id) ? std::string_view(file->axes) : std::string_view();
}

// The shape of an array that a file or the experiment gives; null where it is made, or not there.
const Shape* given_shape(const Work& work, const std::string& id) {
  if (const auto found = work.file.find(id); found != work.file.end()) return &found->second.values->shape();
  if (const auto found = work.read.find(id); found != work.read.end()) return &found->second.values->shape();
  const auto input = work.experiment.inputs.find(id);
  const auto* literal = input == work.experiment.inputs.end() ? nullptr : std::get_if<LiteralInput>(&input->second);
  return literal ? &literal->shape : nullptr;
}

std::set<std::string, std::less<>> given_names(const Work& work) {
  std::set<std::string, std::less<>> names;
  for (const auto& [name, array] : work.file) names.insert(name);
  for (const auto& [name, array] : work.read) names.insert(name);
  for (const auto& [name, input] : work.experiment.inputs)
    if (!work.maps.contains(name)) names.insert(name);
  return names;
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

// Those that were set from code are held to what files are held to as they are read.
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
    const auto spec = std::ranges::find(variant.params(), name, &ParamSpec::id);
    if (spec == variant.params().end()) return unknown(name);
    auto checked = check_param(*spec, value);
    if (!checked) return fail("params.{}", checked.error().message);
    HL_CHECK(params.set(name, std::move(*checked)));
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

// A parameter that nobody set takes its extent from the first given array that shows its symbol: heads from w_q's first
// axis.
Status infer_params(Work& work) {
  for (const auto& param : work.variant.params()) {
    const bool set = work.experiment.given.contains(param.id) && !work.problem.params.is_automatic(param.id);
    if (param.symbol.empty() || set) continue;
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
      HL_CHECK(work.problem.params.set(param.id, std::move(*value)));
      break;
    }
  }
  return {};
}

// A parameter that nobody set and that says how many axes an input has takes its value from the input.
void infer_ranks(Work& work) {
  for (const auto& [id, input] : work.experiment.inputs) {
    if (work.file.contains(id)) continue;
    const Shape* shape = given_shape(work, id);
    const auto axes = given_axes(work, id);
    const std::size_t rank = !axes.empty() ? natural_rank(kind_of_axes(axes))
                             : shape       ? shape->size()
                                           : natural_rank(kind_of(input));
    infer_rank(work.variant, work.experiment.given, id, rank, work.problem.params);
  }
  for (const auto& [id, array] : work.file)
    infer_rank(work.variant, work.experiment.given, id, array.values->shape().size(), work.problem.params);
}

Status put(Work& work, const ArraySpec& spec, std::shared_ptr<const Tensor> tensor, const std::string& by) {
  if (const Status fits = work.shapes.match(spec, tensor->shape(), by); !fits)
    return fail("{}{}", fits.error().message, hint_for_shape(spec, tensor->shape()));
  work.problem.arrays[spec.id] = std::move(tensor);
  return {};
}

Status put_file_array(Work& work, const ArraySpec& spec, const ReadArray& array, const std::string& by) {
  if (array.boolean && !spec.boolean_ok)
    return fail("{} holds booleans: their meaning differs between libraries, so save numbers ({})", by, spec.help);
  return put(work, spec, array.values, by);
}

Status put_made(Work& work, const ArraySpec& spec, const InputSpec& input, const std::string& by) {
  const bool textbook = wanted_init(work.experiment) == "textbook";
  auto kept = work.cache.input(input, work.experiment.folder, textbook);
  if (!kept) return fail_at(by, kept.error());
  const MadeInput* made = kept->get();
  for (const auto& warning : made->warnings) work.problem.warnings.push_back(fmt::format("{}: {}", by, warning));
  if (!fits(made->kind, spec))
    return fail("{} {}", by, why_not(made->kind, spec, work.variant, work.problem.params, all_variants()));
  HL_CHECK(put(work, spec, std::make_shared<const Tensor>(laid_out(*made, spec)), by));
  // Whoever comes first names the positions: keys, where values are another input of as many.
  if (const std::string symbol = positions_symbol(spec); !symbol.empty() && !work.problem.labels.contains(symbol)) {
    work.problem.labels[symbol] = made->labels;
    if (made->pictures) work.problem.grids[symbol] = made->grid;
  }
  if (made->pictures) work.problem.pictures[spec.id] = made->pictures;
  for (ArraySpec& shown : work.problem.specs.inputs)
    if (shown.id == spec.id && !made->channels.empty()) shown.help += " " + made->channels;
  if (spec.id == work.problem.specs.inputs.front().id) work.problem.input_kind = made->kind;
  return {};
}

// An array whose axes the experiment names.
Status put_laid_out(Work& work, const ArraySpec& spec, const ReadArray& array, std::string_view axes,
                    const std::string& by) {
  const InputKind kind = kind_of_axes(axes);
  if (!fits(kind, spec))
    return fail("{} {}", by, why_not(kind, spec, work.variant, work.problem.params, all_variants()));
  const Grid grid = grid_of_axes(axes, array.values->shape());
  const auto values = std::make_shared<const Tensor>(laid_out(*array.values, axes, spec));
  HL_CHECK(put_file_array(work, spec, {values, array.boolean}, by));
  const std::string symbol = positions_symbol(spec);
  if (kind == InputKind::signal || symbol.empty() || work.problem.labels.contains(symbol)) return {};
  work.problem.labels[symbol] = grid_labels(grid, kind == InputKind::frames);
  work.problem.grids[symbol] = grid;
  return {};
}

Status put_given_input(Work& work, const ArraySpec& spec) {
  const std::string by = work.where(spec.id);
  if (const auto found = work.file.find(spec.id); found != work.file.end()) {
    HL_CHECK(put_file_array(work, spec, found->second, by));
    return put_labels_beside(work, spec);
  }
  if (const auto read = work.read.find(spec.id); read != work.read.end()) {
    const auto axes = spec.layout == Layout::maps ? std::string_view() : given_axes(work, spec.id);
    HL_CHECK(axes.empty() ? put_file_array(work, spec, read->second, by)
                          : put_laid_out(work, spec, read->second, axes, by));
    return put_labels_beside(work, spec);
  }
  const InputSpec& input = work.experiment.inputs.find(spec.id)->second;
  if (const auto* literal = std::get_if<LiteralInput>(&input)) {
    HL_CHECK(put(work, spec, std::make_shared<const Tensor>(Tensor::from(literal->shape, literal->values)), by));
    return put_labels_beside(work, spec);
  }
  if (std::holds_alternative<LabelsInput>(input))
    return fail("{} has labels and no numbers: add \"npy\" or \"array\", or an \"arrays\" file that holds {}", by,
                spec.id);
  return put_made(work, spec, input, by);
}

// The shape of a generated array, from symbols that are all bound.
Shape generated_shape(const ArraySpec& spec, const Symbols& symbols) {
  Shape shape;
  for (const auto& symbol : spec.shapes[0]) {
    const auto found = symbols.find(symbol);
    shape.push_back(found == symbols.end() ? 1 : found->second);
  }
  return shape;
}

// Fan-in and fan-out of a weight: its last two axes (heads, where there are any, stand before them).
std::shared_ptr<const Tensor> drawn(const Work& work, const ArraySpec& spec, Shape shape, const std::string& init,
                                    std::optional<Index> only_fan_in = {}) {
  const auto rank = shape.size();
  Index fan_out = shape[rank - 1];
  Index fan_in = rank >= 2 ? shape[rank - 2] : fan_out;
  if (spec.outputs_first) std::swap(fan_in, fan_out);
  fan_in = only_fan_in.value_or(fan_in);
  const std::uint64_t seed = work.experiment.weights ? work.experiment.weights->seed : 0;
  return work.cache.drawn({init, seed, spec.id, std::move(shape), fan_in, fan_out},
                          [&](Tensor& tensor) { fill_init(tensor, init, seed, spec.id, fan_in, fan_out); });
}

Status put_generated(Work& work, const ArraySpec& spec, const std::string& init) {
  Shape shape = generated_shape(spec, work.shapes.symbols());
  if (spec.fill == Fill::init) return put(work, spec, drawn(work, spec, std::move(shape), init), spec.id);
  if (spec.fill == Fill::normal) return put(work, spec, drawn(work, spec, std::move(shape), "normal", 1), spec.id);
  if (spec.fill == Fill::sinusoidal_2d) {
    HL_TRY(auto positions, grid_positions(work.problem, spec, shape));
    return put(work, spec, std::move(positions), spec.id);
  }
  if (spec.fill == Fill::sinusoidal)
    return put(
        work, spec,
        work.cache.drawn({"sinusoidal", 0, {}, std::move(shape), 0, 0},
                         [](Tensor& tensor) { sinusoidal_positions(tensor.dim(-2), tensor.dim(-1), tensor.data()); }),
        spec.id);
  Tensor tensor(std::move(shape));
  if (spec.fill == Fill::ones) std::ranges::fill(tensor.values(), 1.0F);
  return put(work, spec, std::make_shared<const Tensor>(std::move(tensor)), spec.id);
}

// An array that another serves has that one's labels and grid on its axes, and its pictures: the keys of self attention
// are its queries.
void share_labels(Work& work, const ArraySpec& spec) {
  Problem& problem = work.problem;
  const auto served = std::ranges::find(problem.specs.inputs, spec.alias_of, &ArraySpec::id);
  const auto& from = served->shapes[0];
  for (std::size_t axis = 0; axis < std::min(from.size(), spec.shapes[0].size()); ++axis) {
    if (const auto labels = problem.labels.find(from[axis]); labels != problem.labels.end())
      problem.labels.try_emplace(spec.shapes[0][axis], labels->second);
    if (const auto grid = problem.grids.find(from[axis]); grid != problem.grids.end())
      problem.grids.try_emplace(spec.shapes[0][axis], grid->second);
    if (const auto placed = problem.placed.find(from[axis]); placed != problem.placed.end())
      problem.placed.try_emplace(spec.shapes[0][axis], placed->second);
    if (const auto given = problem.given_labels.find(from[axis]); given != problem.given_labels.end())
      problem.given_labels.try_emplace(spec.shapes[0][axis], given->second);
  }
  if (const auto pictures = problem.pictures.find(spec.alias_of); pictures != problem.pictures.end())
    problem.pictures.try_emplace(spec.id, pictures->second);
}

Status put_input(Work& work, const ArraySpec& spec) {
  if (work.given(spec.id)) return put_given_input(work, spec);
  switch (spec.fill) {
    case Fill::required:
      return fail("{} is missing: give it in \"inputs\", or in an \"arrays\" file ({})", spec.id, spec.help);
    case Fill::absent:
      return {};
    case Fill::alias: {
      const auto found = work.problem.arrays.find(spec.alias_of);
      if (found == work.problem.arrays.end()) return {};
      HL_CHECK(put(work, spec, found->second, spec.alias_of));
      share_labels(work, spec);
      return {};
    }
    default:
      return put_generated(work, spec, "normal");
  }
}

Status put_given_weights(Work& work) {
  for (const auto& spec : work.problem.specs.weights) {
    if (std::ranges::count(work.variant.fused(), spec.id, &FusedArray::id) > 0) continue;  // taken apart
    const auto found = work.file.find(spec.id);
    if (found != work.file.end()) {
      HL_CHECK(put_file_array(work, spec, found->second, work.where(spec.id)));
    } else if (work.experiment.inputs.contains(spec.id)) {
      HL_CHECK(put_given_input(work, spec));
    } else {
      continue;
    }
    work.problem.given_weights.push_back(spec.id);
  }
  return {};
}

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
  run.bytes = cost_as_asked(problem).bytes + bytes_to_make(work);
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
    return cost_as_asked(smaller).bytes + bytes_to_make(work) <= budget.bytes;
  };
  Index least = 0, most = keys;
  while (most - least > 1) {
    const Index middle = least + (most - least) / 2;
    (fits(middle) ? least : most) = middle;
  }
  return least;
}

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

// Weights that an experiment says nothing about: made when it brings no file at all, demanded when it does.
Status check_weights_wanted(const Work& work) {
  if (work.experiment.weights && !work.experiment.weights->from.empty()) {
    for (const auto& spec : work.problem.specs.weights)
      if (!work.problem.arrays.contains(spec.id) && spec.fill != Fill::absent)
        return fail("{}: {} is missing ({}): these params ask for it, and nothing else is made beside a state dict",
                    one_line(work.experiment.weights->from), spec.id, spec.help);
    return {};
  }
  if (work.experiment.weights || work.experiment.arrays.empty()) return {};
  for (const auto& spec : work.problem.specs.weights) {
    if (work.problem.arrays.contains(spec.id) || spec.fill != Fill::init) continue;
    std::vector<std::string> has;
    for (const auto& [name, array] : work.file) has.push_back(name);
    return fail("{}: {} is missing (it holds {}): add it there, or add \"weights\": {{\"init\": …}} to make it",
                work.experiment.arrays, spec.id, has.empty() ? "no array" : brief_list(has));
  }
  return {};
}

Status put_made_weights(Work& work) {
  std::string init = wanted_init(work.experiment);
  if (init == "textbook") {
    const bool made = fill_textbook(work.problem);
    const bool any = std::ranges::any_of(work.problem.specs.weights, [&](const ArraySpec& spec) {
      return spec.fill == Fill::init && !work.problem.arrays.contains(spec.id);
    });
    if (!made && any && work.experiment.weights)
      work.problem.warnings.push_back(
          has_textbook(work.variant)
              ? "No head can be made by hand from this input with these parameters, so xavier_normal weights are used "
                "(text wants 16 or more channels, pictures and signals are to be described)"
              : fmt::format("{}: no weights are made by hand for this mechanism, so xavier_normal weights are used",
                            work.variant.info().title));
    init = "xavier_normal";
    // What the heads were made to do is theirs alone: not of heads that are made of somebody else's numbers in part.
    if (!work.problem.given_weights.empty()) work.problem.heads.clear();
  }
  for (const auto& spec : work.problem.specs.weights)
    if (!work.problem.arrays.contains(spec.id) && spec.fill != Fill::absent) HL_CHECK(put_generated(work, spec, init));
  return {};
}

}  // namespace

Budget Budget::of_this_machine() {
  return {free_memory() / 2};
}

namespace {

// What is at hand before anything is read.
struct AtHand {
  LayerOfStateDict layer;
  std::shared_ptr<const Tensor> x;
};

Status put_at_hand(Work& work, AtHand at_hand) {
  const auto specs = work.variant.arrays(work.problem.params, {});
  work.file.emplace(specs.inputs.front().id, ReadArray{std::move(at_hand.x), false});
  return put_layer(work, std::move(at_hand.layer));
}

Result<Problem> prepare_unnamed(const Experiment& experiment, const Budget& budget, RunCache& cache,
                                std::optional<TooLarge>* too_large, AtHand* at_hand = nullptr) {
  const Variant* variant = find_variant(experiment.variant);
  if (!variant) return fail("variant \"{}\" is not known", experiment.variant);
  Work work{.experiment = experiment,
            .variant = *variant,
            .cache = cache,
            .file = {},
            .read = {},
            .labels = {},
            .maps = {},
            .of_layer = {},
            .cut_from = {},
            .problem = {},
            .shapes = {}};
  HL_TRY(work.problem.params, checked_params(experiment.params, *variant));
  work.problem.variant = variant;
  HL_CHECK(load_file(work));
  HL_CHECK(at_hand ? put_at_hand(work, std::move(*at_hand)) : load_layer(work));
  HL_CHECK(read_maps(work));
  HL_CHECK(read_inputs(work));
  HL_CHECK(take_apart(work));
  infer_ranks(work);
  work.problem.specs = variant->arrays(work.problem.params, given_names(work));
  HL_CHECK(check_names(work));
  HL_CHECK(infer_params(work));
  Symbols fixed;
  variant->bind(work.problem.params, fixed);
  work.shapes.take(fixed, "params");
  for (const auto& spec : work.problem.specs.inputs) HL_CHECK(put_input(work, spec));
  HL_CHECK(put_labels_of_maps(work));
  HL_CHECK(put_given_weights(work));
  Symbols all = work.shapes.symbols();
  variant->bind_rest(work.problem.params, all);
  work.shapes.take(all, "params");
  work.problem.symbols = all;
  HL_CHECK(variant->validate(work.problem.params, all));
  HL_CHECK(check_weights_wanted(work));
  HL_CHECK(check_budget(work, budget, too_large));
  HL_CHECK(put_made_weights(work));
  // Last: weights made by hand look at where tokens stand, and must be those of the run before.
  if (experiment.arrange) HL_CHECK(arrange(*experiment.arrange, work.problem));
  // Cells are those of the arrays as they are shown.
  HL_CHECK(apply_edits(experiment.edits, work.problem));
  HL_CHECK(keep_only_query(work.problem));
  return std::move(work.problem);
}

}  // namespace

Result<Problem> prepare(const Experiment& experiment, const Budget& budget, RunCache* cache,
                        std::optional<TooLarge>* too_large) {
  RunCache own;
  (cache ? cache : &own)->next_run();
  auto problem = prepare_unnamed(experiment, budget, cache ? *cache : own, too_large);
  if (!problem && !experiment.name.empty()) return fail_at(experiment.name, problem.error());
  return problem;
}

Result<Problem> prepare_layer(const Experiment& experiment, LayerOfStateDict layer, std::shared_ptr<const Tensor> x) {
  RunCache none(0);
  AtHand at_hand{std::move(layer), std::move(x)};
  return prepare_unnamed(experiment, Budget::of_this_machine(), none, nullptr, &at_hand);
}

}  // namespace headlight
