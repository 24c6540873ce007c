#include "engine/run/preparing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/core/system/paths.h"
#include "engine/inputs/padding.h"
#include "engine/inputs/text.h"
#include "engine/io/axes.h"
#include "engine/io/experiment_files.h"
#include "engine/io/torch_file.h"
#include "engine/run/inputs.h"
#include "engine/run/labels.h"
#include "engine/run/map_positions.h"
#include "engine/run/state_dict.h"

namespace headlight::preparing {

namespace {

bool is_one(const std::string& symbol) {
  return role_of_symbol(symbol) == AxisRole::one;
}

}  // namespace

void Shapes::bind(const std::string& symbol, Index extent, std::string by) {
  bound_.try_emplace(symbol, Binding{extent, std::move(by)});
}

Status Shapes::match(const ArraySpec& spec, const Shape& shape, const std::string& by) {
  std::string complaint;
  for (const auto& symbols : spec.shapes) {
    complaint = mismatch(symbols, shape);
    if (!complaint.empty()) continue;
    for (std::size_t axis = 0; axis < symbols.size(); ++axis)
      if (!is_one(symbols[axis])) bind(symbols[axis], shape[axis], fmt::format("{}, axis {}", by, axis));
    return {};
  }
  if (spec.shapes.size() > 1 || complaint.empty())
    return fail("{} has shape {}: it must be {}", by, to_string(shape), wanted(spec));
  return fail("{} has shape {}, but {}: it must be {}", by, to_string(shape), complaint, wanted(spec));
}

Symbols Shapes::symbols() const {
  Symbols result;
  for (const auto& [symbol, binding] : bound_) result[symbol] = binding.extent;
  return result;
}

void Shapes::take(const Symbols& symbols, const std::string& by) {
  for (const auto& [symbol, extent] : symbols) bind(symbol, extent, by);
}

std::string Shapes::mismatch(const std::vector<std::string>& symbols, const Shape& shape) const {
  if (symbols.size() != shape.size()) return fmt::format("it has {} axes, not {}", shape.size(), symbols.size());
  for (std::size_t axis = 0; axis < symbols.size(); ++axis) {
    if (shape[axis] == 0) return fmt::format("axis {} is empty", axis);
    if (is_one(symbols[axis]) && shape[axis] != 1) return fmt::format("axis {} must be 1", axis);
    const auto found = bound_.find(symbols[axis]);
    if (found != bound_.end() && found->second.extent != shape[axis])
      return fmt::format("{} is {} ({})", symbols[axis], found->second.extent, found->second.by);
  }
  return {};
}

// "(B, n_q, d_q) = (2, ?, 32)", every alternative.
std::string Shapes::wanted(const ArraySpec& spec) const {
  std::vector<std::string> alternatives;
  for (const auto& symbols : spec.shapes) {
    std::vector<std::string> extents;
    for (const auto& symbol : symbols) {
      const auto found = bound_.find(symbol);
      const bool known = found != bound_.end();
      if (is_one(symbol))
        extents.push_back(symbol);
      else
        extents.push_back(known ? fmt::to_string(found->second.extent) : "any");
    }
    alternatives.push_back(fmt::format("({}) = ({})", fmt::join(symbols, ", "), fmt::join(extents, ", ")));
  }
  return fmt::format("{}", fmt::join(alternatives, " or "));
}

namespace {

// The name of the file that an array of attention is in, as messages say it.
std::string file_of_maps(const Work& work, const std::string& id) {
  if (work.file.contains(id)) return one_line(work.experiment.arrays);
  const auto* file = std::get_if<FileInput>(&work.experiment.inputs.at(id));
  return file ? one_line(file->path) : fmt::format("inputs.{}", id);
}

Result<ReadArrays> arrays_of_maps(const Work& work, const std::string& id, const std::string& name) {
  if (const auto found = work.file.find(id); found != work.file.end()) return ReadArrays{{id, found->second}};
  const InputSpec& input = work.experiment.inputs.at(id);
  if (const auto* literal = std::get_if<LiteralInput>(&input)) {
    auto numbers = numbers_of(*literal);
    if (!numbers) return fail_at(work.where(id), numbers.error());
    return ReadArrays{{id, {std::move(*numbers), false}}};
  }
  const auto* file = std::get_if<FileInput>(&input);
  if (!file)
    return fail("inputs.{} is {}: attention is given as numbers, {{\"npy\": …}} or {{\"array\": …}}", id,
                std::holds_alternative<LabelsInput>(input) ? "labels alone" : "no array");
  const auto arrays = work.cache.arrays(resolve_path(work.experiment.folder, file->path));
  if (!arrays) return tl::unexpected<Error>(arrays.error());
  if (file->member.empty())
    if (const std::string why = why_no_attention(resolve_path(work.experiment.folder, file->path)); !why.empty())
      return fail("{}: {}", name, why);
  std::vector<std::pair<std::string, Shape>> shapes;
  for (const auto& [member, array] : **arrays) shapes.emplace_back(member, array.values->shape());
  if (const std::string why = window_hint(shapes, file->member); file->axes.empty() && !why.empty())
    return fail("{}: {}", name, why);
  return members_of(**arrays, file->member, name);
}

// A picture that stands beside an array, brought to its grid, for the views that lie on it.
Status put_label_picture(Work& work, const std::string& id, const std::string& symbol, const PictureLabel& picture,
                         const std::string& where) {
  if (picture.path.empty()) return {};
  const auto grid = work.problem.grids.find(symbol);
  const auto placed = work.problem.placed.find(symbol);
  const Grid& on = grid != work.problem.grids.end() ? grid->second : placed->second.grid;
  const auto made =
      work.cache.input(ImageInput{picture.path, GridSize{on.rows, on.columns}}, work.experiment.folder, false);
  if (!made) return fail("{}image: {}", where, made.error().message);
  work.problem.pictures[id] = (*made)->pictures;
  return {};
}

// The words of a text that stands beside an array: as many as it has positions, with or without the start token.
Result<TokenList> words_beside(const TextInput& text, Index positions, const std::string& array,
                               const std::string& where) {
  TokenList list;
  const auto words = [&](bool start) {
    std::vector<std::string> found;
    for (auto& token : tokenize(text.text, *tokenizer_by_name(text.tokenizer), start).tokens)
      found.push_back(token.text);
    return found;
  };
  list.lists = {words(false)};
  const auto count = static_cast<Index>(list.lists.front().size());
  if (count != positions && text.start_token) list.lists = {words(true)};
  if (static_cast<Index>(list.lists.front().size()) != positions)
    return fail("{}.text has {} tokens, but {} has {} positions", where, count, array, positions);
  return list;
}

// The weights of a layer stand with the arrays of the file, which win name by name, as inputs do.
void put_layer_weights(Work& work, std::map<std::string, std::shared_ptr<const Tensor>, std::less<>> arrays) {
  for (auto& [id, values] : arrays) {
    if (work.file.contains(id) || work.experiment.inputs.contains(id)) continue;
    work.file.emplace(id, ReadArray{std::move(values), false});
    work.of_layer.insert(id);
  }
}

// Parameters of the layer that the experiment leaves are its own; what is set otherwise is told.
void put_layer_params(Work& work, const std::vector<std::pair<std::string, ParamValue>>& params) {
  for (const auto& [id, value] : params) {
    if (!work.experiment.params.is_given(id)) {
      if (!work.problem.params.infer(id, value))
        mistake("a layer sets params.{}, which is none of the mechanism's", id);
    } else if (work.experiment.params.get(id) != value) {
      work.problem.warnings.push_back(fmt::format("params.{} is set to {}: {} has {}", id,
                                                  to_string(work.experiment.params.get(id)), work.name_of_layer(),
                                                  to_string(value)));
    }
  }
}

}  // namespace

Status load_trained(Work& work) {
  const auto& asked = work.experiment.weights;
  if (!asked || asked->init != "trained" || !asked->from.empty()) return {};
  HL_TRY(work.trained, trained_set_of(work.experiment));
  put_layer_weights(work, work.trained->arrays);
  put_layer_params(work, work.trained->params);
  return {};
}

Status load_layer(Work& work) {
  const Experiment& experiment = work.experiment;
  if (!experiment.weights || experiment.weights->from.empty()) return {};
  const auto has = [&](const char* id) { return find_param(work.variant.params(), id) != nullptr; };
  if ((!has("block") || !has("ffn")) && !is_variant_of_layers(work.variant.info().id))
    return fail("weights.from gives a layer of multi_head, swin or non_local: {} has no such layer",
                work.variant.info().id);
  HL_TRY(LayerOfStateDict layer, read_layer(experiment));
  return put_layer(work, std::move(layer));
}

Status put_layer(Work& work, LayerOfStateDict layer) {
  const Experiment& experiment = work.experiment;
  put_layer_weights(work, std::move(layer.arrays));
  for (const std::string& notice : layer.notices) work.problem.notes.push_back(notice);
  const std::string file = one_line(experiment.weights->from);
  work.problem.model.name = one_line(name_without_folders(resolve_path(experiment.folder, experiment.weights->from)));
  if (layer.number)
    work.problem.model.layer = fmt::format("{}{}layer {}", layer.stack, layer.stack.empty() ? "" : " ", *layer.number);
  if (layer.attention == "cross") work.problem.model.layer += " cross-attention";
  if (layer.attention == "cross") {
    const auto inputs = work.variant.arrays(work.problem.params, {}).inputs;
    const auto keys = std::ranges::find(inputs, inputs.front().id, &ArraySpec::alias_of);
    if (!work.file.contains(keys->id) && !experiment.inputs.contains(keys->id))
      work.problem.warnings.push_back(
          fmt::format("the layer of {} asks what an encoder has made: give it as inputs.{}; {} stands in its place",
                      file, keys->id, inputs.front().id));
  }
  put_layer_params(work, layer.params);
  return {};
}

Status split_fused_arrays(Work& work) {
  GivenIds given{{}, work.experiment.params.given()};
  for (const auto* list : {&work.file, &work.read})
    for (const auto& [id, array] : *list) given.arrays.insert(id);
  for (const auto& [id, input] : work.experiment.inputs) given.arrays.insert(id);
  for (const FusedArray& fused : work.variant.fused()) {
    std::shared_ptr<const Tensor> whole;
    const auto input = work.experiment.inputs.find(fused.id);
    if (const auto found = work.file.find(fused.id); found != work.file.end()) {
      whole = found->second.values;
    } else if (const auto read = work.read.find(fused.id); read != work.read.end()) {
      whole = read->second.values;
    } else if (input != work.experiment.inputs.end()) {
      const auto* literal = std::get_if<LiteralInput>(&input->second);
      if (!literal) return fail("inputs.{} is no array: give its numbers", fused.id);
      auto numbers = numbers_of(*literal);
      if (!numbers) return fail_at(work.where(fused.id), numbers.error());
      whole = std::move(*numbers);
    }
    if (!whole) continue;
    HL_TRY(const ArrayMap parts, fused.split(*whole, work.problem.params, given));
    for (const auto& [id, values] : parts) {
      work.file.insert_or_assign(id, ReadArray{values, false});
      work.cut_from[id] = fused.id;
    }
  }
  return {};
}

Status read_maps(Work& work) {
  for (const ArraySpec& spec : work.variant.arrays(work.problem.params, {}).inputs) {
    if (spec.layout != Layout::maps || !work.given(spec.id)) continue;
    const std::string name = file_of_maps(work, spec.id);
    HL_TRY(const ReadArrays arrays, arrays_of_maps(work, spec.id, name));
    const auto input = work.experiment.inputs.find(spec.id);
    const auto* file = input == work.experiment.inputs.end() ? nullptr : std::get_if<FileInput>(&input->second);
    const auto* literal = input == work.experiment.inputs.end() ? nullptr : std::get_if<LiteralInput>(&input->second);
    std::string axes = literal ? literal->axes : "";
    if (file) axes = file->axes;
    if (const Status known = axes.empty() ? Status{} : check_map_axes(axes); !known)
      return fail("inputs.{}.axes: {}", spec.id, known.error().message);
    const ArrayLabels* said = input == work.experiment.inputs.end() ? nullptr : labels_of(input->second);
    const bool are_scores = work.problem.params.choice("normalize") == "softmax";
    HL_TRY(GivenMaps maps, given_maps(arrays,
                                      {axes, said ? said->global_tokens : "",
                                       are_scores ? -std::numeric_limits<float>::infinity() : 0.0F},
                                      name));
    ArrayLabels& labels = work.labels[spec.id];
    if (said && said->whole_words && are_scores)
      return fail("inputs.{}.pieces words is of weights: scores of pieces do not add up to those of a word", spec.id);
    HL_TRY(labels,
           choose_positions(maps, said ? *said : ArrayLabels{}, work.experiment.folder, "inputs." + spec.id, name));
    if (maps.query_grid && !labels.picture.grid) labels.picture.grid = maps.query_grid;
    if (maps.key_grid && !labels.key_picture.grid) labels.key_picture.grid = maps.key_grid;
    for (const std::string& notice : maps.notices) work.problem.warnings.push_back(notice);
    for (std::size_t l = 0; l < maps.layers.size(); ++l) {
      const std::string id = maps.layered ? fmt::format("layer{}/{}", l, spec.id) : spec.id;
      work.read.insert_or_assign(id, ReadArray{maps.layers[l], false});
      work.problem.files[id] = name;
    }
    work.file.erase(spec.id);
    work.maps.emplace(spec.id, std::move(maps));
  }
  return {};
}

Status put_labels_beside(Work& work, const ArraySpec& spec) {
  const auto found = work.experiment.inputs.find(spec.id);
  if (found == work.experiment.inputs.end() || spec.layout == Layout::maps) return {};
  const InputSpec& input = found->second;
  const auto* text = std::get_if<TextInput>(&input);
  const auto* image = std::get_if<ImageInput>(&input);
  const auto of_step = work.labels.find(spec.id);
  const auto* given = of_step == work.labels.end() ? labels_of(input) : &of_step->second;
  if (!text && !image && (!given || given->empty())) return {};
  const std::string where = "inputs." + spec.id, symbol = positions_symbol(spec);
  const std::string file =
      work.file.contains(spec.id) ? fmt::format("{} ({})", spec.id, one_line(work.experiment.arrays)) : spec.id;
  if (symbol.empty()) return fail("{}: {} has no single axis of positions that labels could stand on", where, spec.id);
  if (given && (given->selects_positions() || !given->global_tokens.empty()))
    return fail(
        "{}: positions, pieces and global tokens are chosen of attention that is given (the variant given) alone",
        where);
  if (given && (!given->key_tokens.empty() || !given->key_picture.empty()))
    return fail("{}: keys are labelled where their own input is, or as the queries are", where);
  ArrayLabels labels = given ? *given : ArrayLabels{};
  const Symbols symbols = work.shapes.symbols();
  const Index count = symbols.at(symbol);
  if (text) {
    HL_TRY(labels.tokens, words_beside(*text, count, file, where));
  }
  if (image) labels.picture = {image->path, image->size, std::nullopt};
  const auto items = symbols.find(symbol_of(AxisRole::batch));
  const LabelledPositions positions{symbol, count, items == symbols.end() ? 1 : items->second,
                                    fmt::format("{} positions", count)};
  HL_CHECK(put_labels(work.problem, positions, labels.tokens, labels.picture, work.experiment.folder, where, "", file,
                      labels.raw_tokens));
  return put_label_picture(work, spec.id, symbol, labels.picture, where + ".");
}

namespace {

// Whether some words are those of padding, of which measures count no row: that is said.
bool note_padding(Work& work, const ArrayLabels& labels, const std::string& file) {
  const auto lists = read_tokens(labels.tokens, work.experiment.folder);
  if (!lists) return false;  // which is told where they are put
  std::size_t padding = 0, all = 0;
  std::vector<Index> first;
  for (const auto& list : *lists) {
    all += list.size();
    const std::vector<bool> among = padding_among(list);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!among[i]) continue;
      ++padding;
      if (&list == &lists->front()) first.push_back(static_cast<Index>(i));
    }
  }
  if (padding == 0) return false;
  const std::string where = lists->size() == 1 ? fmt::format(" ({})", ranges_in_words(first)) : "";
  work.problem.warnings.push_back(
      fmt::format("{}: {} of {} tokens are padding{}: no measure counts their rows, and positions (--positions) leaves "
                  "them out",
                  file, padding, all, where));
  return true;
}

}  // namespace

Status put_labels_of_maps(Work& work) {
  for (const auto& [id, maps] : work.maps) {
    const ArrayLabels* labels = &work.labels.at(id);
    const Tensor& layer = *maps.layers.front();
    const Index items = layer.dim(0), queries = layer.dim(2), keys = layer.dim(3);
    const std::string file = work.problem.files.begin()->second, where = "inputs." + id,
                      first = work.problem.files.begin()->first;
    const bool square = queries == keys;
    const std::string is = fmt::format("{} is {}", to_string(maps.shape), maps.axes);
    const LabelledPositions asking{std::string(symbol_of(AxisRole::query)), queries, items,
                                   square || !labels->key_tokens.empty()
                                       ? fmt::format("{} queries: {}", queries, is)
                                       : fmt::format("{} queries and {} keys: give tokens ({}) and key_tokens ({})",
                                                     queries, keys, queries, keys)};
    const LabelledPositions asked{std::string(symbol_of(AxisRole::key)), keys, items,
                                  fmt::format("{} keys: {}", keys, is)};
    const auto& folder = work.experiment.folder;
    const bool padded = note_padding(work, *labels, file);
    if (std::string unseen = padded ? "" : unseen_keys_in_words(maps, file); !unseen.empty())
      work.problem.warnings.push_back(std::move(unseen));
    if (labels->empty()) continue;
    if (Status put = put_labels(work.problem, asking, labels->tokens, labels->picture, folder, where, "", file,
                                labels->raw_tokens);
        !put) {
      const Index cells = labels->picture.grid ? labels->picture.grid->rows * labels->picture.grid->columns : 0;
      if (square || labels->picture.empty() || !labels->key_picture.empty() || cells <= queries || cells > keys)
        return put;
      return fail("{}; its {} keys have room for it: say key_image and key_grid (--key-image)", put.error().message,
                  keys);
    }
    HL_CHECK(put_label_picture(work, first, asking.symbol, labels->picture, where + "."));
    const bool own_tokens = !labels->key_tokens.empty(), own_picture = !labels->key_picture.empty();
    HL_CHECK(put_labels(work.problem, asked, own_tokens || !square ? labels->key_tokens : labels->tokens,
                        own_picture || !square ? labels->key_picture : labels->picture, folder, where,
                        own_tokens || own_picture ? "key_" : "", file, labels->raw_tokens));
    if (own_picture)  // by the axis where the queries lie on another one
      HL_CHECK(put_label_picture(work, labels->picture.path.empty() ? first : asked.symbol, asked.symbol,
                                 labels->key_picture, where + ".key_"));
  }
  return {};
}

}  // namespace headlight::preparing
