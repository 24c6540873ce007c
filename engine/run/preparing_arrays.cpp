// The arrays of a preparation: inputs and weights that are given, and those that are made.
#include <algorithm>

#include "engine/base/words.h"
#include "engine/core/mistake.h"
#include "engine/inputs/meanings.h"
#include "engine/io/axes.h"
#include "engine/math/positions.h"
#include "engine/run/hints.h"
#include "engine/run/inputs.h"
#include "engine/run/preparing.h"
#include "engine/variants/variant.h"
#include "engine/weights/textbook.h"

namespace headlight::preparing {

namespace {

// The input whose channels are counted by that symbol.
std::string input_of(const Problem& problem, const std::string& channels) {
  const auto found = std::ranges::find_if(problem.specs.inputs, [&](const ArraySpec& spec) {
    return spec.layout != Layout::none && spec.shapes.front().back() == channels;
  });
  return found == problem.specs.inputs.end() ? "the input" : found->id;
}

// (…, n, d) of `shape`, on the grid of the picture that the array's places are those of, or of as many columns as the
// parameter grid_columns says. Errors: no grid, a width that 4 does not divide, columns that do not divide n.
Result<std::shared_ptr<const Tensor>> grid_positions(const Problem& problem, const ArraySpec& spec,
                                                     const Shape& shape) {
  const auto& symbols = spec.shapes.front();
  const Index n = shape[shape.size() - 2], d = shape.back();
  if (d % 4 != 0)
    return fail("sinusoidal_2d needs a width that 4 divides: {} has {} channels", input_of(problem, symbols.back()), d);
  const bool automatic = problem.params.is_automatic("grid_columns");
  const auto grid = problem.grids.find(symbols[symbols.size() - 2]);
  if (automatic && (grid == problem.grids.end() || grid->second.frames > 1))
    return fail("positions sinusoidal_2d needs rows and columns: give a picture, or set grid_columns");
  const Index columns = automatic ? grid->second.columns : problem.params.integer("grid_columns");
  if (n % columns != 0) return fail("grid_columns {} does not divide the {} positions", columns, n);
  auto made = std::make_shared<Tensor>(shape);
  sinusoidal_positions_2d(n, columns, d, made->data());
  return made;
}

}  // namespace

Shape generated_shape(const ArraySpec& spec, const Symbols& symbols) {
  Shape shape;
  for (const auto& symbol : spec.shapes[0]) {
    const auto found = symbols.find(symbol);
    if (found == symbols.end() && role_of_symbol(symbol) != AxisRole::one)
      mistake("the array {} has the axis {}, a symbol that bind(), bind_rest() and the inputs leave unbound", spec.id,
              symbol);
    shape.push_back(found == symbols.end() ? 1 : found->second);
  }
  return shape;
}

namespace {

// Weights that mean something, where nothing else is asked for.
std::string wanted_init(const Experiment& experiment) {
  if (experiment.weights && !experiment.weights->from.empty()) return "xavier_normal";  // what is not drawn
  return experiment.weights ? experiment.weights->init : "textbook";
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

// What is said to mean the same beside one text holds for every text.
InputSpec with_all_meanings(InputSpec input, Work& work, const std::string& by) {
  auto* text = std::get_if<TextInput>(&input);
  if (!text) return input;
  std::vector<std::string> unread;
  read_meanings(text->means, unread);
  for (const auto& part : unread)
    work.problem.warnings.push_back(
        fmt::format("{}.means: \"{}\" is not two words that mean the same, as in \"Katze = cat\"", by, part));
  std::string all;
  for (const auto& [id, other] : work.experiment.inputs)
    if (const auto* said = std::get_if<TextInput>(&other)) all += said->means + "\n";
  text->means = std::move(all);
  work.problem.meanings = read_meanings(text->means, unread);
  return input;
}

Status put_made(Work& work, const ArraySpec& spec, const InputSpec& input, const std::string& by) {
  const bool noted = wanted_init(work.experiment) == "textbook" && tells_order(work.problem.params);
  auto kept = work.cache.input(with_all_meanings(input, work, by), work.experiment.folder, noted);
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
    auto numbers = numbers_of(*literal);
    if (!numbers) return fail_at(by, numbers.error());
    HL_CHECK(put(work, spec, std::move(*numbers), by));
    return put_labels_beside(work, spec);
  }
  if (std::holds_alternative<LabelsInput>(input))
    return fail("{} has labels and no numbers: add \"npy\" or \"array\", or an \"arrays\" file that holds {}", by,
                spec.id);
  return put_made(work, spec, input, by);
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
  const auto share = [](auto& all, const std::string& of, const std::string& with) {
    if (const auto found = all.find(of); found != all.end()) all.try_emplace(with, found->second);
  };
  for (std::size_t axis = 0; axis < std::min(from.size(), spec.shapes[0].size()); ++axis) {
    share(problem.labels, from[axis], spec.shapes[0][axis]);
    share(problem.grids, from[axis], spec.shapes[0][axis]);
    share(problem.placed, from[axis], spec.shapes[0][axis]);
    share(problem.given_labels, from[axis], spec.shapes[0][axis]);
  }
  share(problem.pictures, spec.alias_of, spec.id);
}

}  // namespace

Status put_input(Work& work, const ArraySpec& spec) {
  if (work.given(spec.id)) return about_array(spec.id, put_given_input(work, spec));
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
      HL_CHECK(about_array(spec.id, put_file_array(work, spec, found->second, work.where(spec.id))));
    } else if (work.experiment.inputs.contains(spec.id)) {
      HL_CHECK(about_array(spec.id, put_given_input(work, spec)));
    } else {
      continue;
    }
    work.problem.given_weights.push_back(spec.id);
  }
  return {};
}

Status check_weights_wanted(const Work& work) {
  if (work.trained || (work.experiment.weights && !work.experiment.weights->from.empty())) {
    for (const auto& spec : work.problem.specs.weights)
      if (!work.problem.arrays.contains(spec.id) && spec.fill != Fill::absent)
        return fail("{}: {} is missing ({}): these params ask for it, and nothing else is made beside {}",
                    work.name_of_layer(), spec.id, spec.help, work.trained ? "trained weights" : "a state dict");
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

namespace {

// What heads have learned to do is theirs as long as their weights and what they learned with stay as they were.
void name_trained_heads(Work& work) {
  const TrainedSet& set = *work.trained;
  const bool whole =
      std::ranges::all_of(set.arrays, [&](const auto& array) { return work.of_layer.contains(array.first); });
  ParamValues learned_with = ParamValues::defaults(work.variant.params());
  for (const auto& [id, value] : set.params) learned_with.infer(id, value);
  const ParamValues& params = work.experiment.params;
  const bool same =
      std::ranges::all_of(params.given(), [&](const auto& id) { return params.get(id) == learned_with.get(id); });
  if (!whole || !same) return;
  work.problem.heads.assign(static_cast<std::size_t>(work.problem.extent(AxisRole::head)), set.head);
}

}  // namespace

Status put_made_weights(Work& work) {
  if (work.trained) name_trained_heads(work);
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
                "(text needs 16 or more channels; a picture or a signal is given as such, not as an array of numbers)"
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

}  // namespace headlight::preparing
