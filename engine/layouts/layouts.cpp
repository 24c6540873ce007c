#include "engine/layouts/layouts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/base/words.h"
#include "engine/core/memory.h"
#include "engine/io/file.h"
#include "engine/layouts/tables.h"

namespace headlight {

namespace {

std::string known_layouts() {
  std::vector<std::string> ids;
  for (const LayoutTable& layout : all_layouts())
    if (std::ranges::find(ids, layout.id) == ids.end()) ids.emplace_back(layout.id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

// Whether its first array is somewhere.
bool has_first_array(const NamesOfFile& names, const LayoutTable& layout) {
  return std::ranges::any_of(names, [&](const auto& one) { return one.first.ends_with(layout.pieces.front().name); });
}

// A prefix as the whole file has it.
std::string whole_prefix(const ArraySource& source, const std::string& prefix) {
  return source.dict_key().empty() ? prefix : source.dict_key() + "." + prefix;
}

bool is_any_or(const std::string& wanted, std::string_view has) {
  return wanted.empty() || has == wanted;
}

// What of a prefix stands before names, once the dict that it begins with is opened: "generator.net." → "net.".
std::string prefix_within(const ArraySource& source, const std::string& prefix) {
  const std::string& within = source.dict_key();
  if (within.empty() || !prefix.starts_with(within)) return prefix;
  return prefix.substr(std::min(prefix.size(), within.size() + 1));
}

bool is_wanted(const Fit& fit, const WeightsSpec& asked) {
  const bool stack = asked.stack.empty() || stack_of(*fit.layout) == asked.stack ||
                     fit.prefix.find(asked.stack) != std::string::npos ||
                     (fit.layout->layers + std::string()).find(asked.stack) != std::string::npos;
  return is_any_or(asked.layout, fit.layout->id) && is_any_or(asked.attention, fit.layout->attention) && stack &&
         (asked.prefix.empty() || fit.prefix == asked.prefix || fit.prefix == asked.prefix + ".");
}

// ---- What is refused ---------------------------------------------------------------------------------------------

tl::unexpected<Error> no_fit_error(const ArraySource& source, const NamesOfFile& names, const WeightsSpec& asked,
                                   const std::vector<Fit>& all, const std::string& file) {
  const std::string fitting = all.empty() ? "" : fmt::format("; its names fit {}", all.front().layout->id);
  const auto nearly = find_incomplete(names, [&](const LayoutTable& one) {
    return is_any_or(asked.layout, one.id) && is_any_or(asked.attention, one.attention) &&
           (stack_of(one).empty() || is_any_or(asked.stack, stack_of(one)));
  });
  if (!asked.layout.empty()) {
    const auto layout =
        std::ranges::find(all_layouts(), asked.layout, [](const LayoutTable& one) { return std::string(one.id); });
    if (layout == all_layouts().end())
      return fail("weights.layout is \"{}\": it must be one of {}", brief(asked.layout), known_layouts());
    const bool some = std::ranges::any_of(all, [&](const Fit& fit) { return fit.layout->id == asked.layout; });
    if (!some && layout->first != Aspect::any && has_first_array(names, *layout))
      return fail("{}: …{} is not held as {} has it: gpt2 has (in, out), nanogpt (out, in)", file,
                  layout->pieces.front().name, layout->id);
    if (nearly && asked.prefix.empty()) return fail("{}: {} is missing", file, one_line(nearly->name));
    if (!some)
      return fail("{}: layout {} needs …{}, which is not there{}", file, layout->id, layout->pieces.front().name,
                  fitting);
  }
  if (!all.empty()) {
    std::vector<std::string> there;
    for (const Fit& fit : all)
      there.push_back(fmt::format("{} at \"{}\"", title_of(*fit.layout), whole_prefix(source, fit.prefix)));
    return fail("{}: no layer of that stack, attention or prefix is there: it has {}", file, brief_list(there));
  }
  for (const auto& [name, entry] : names)
    if (name.find(".base_layer.") != std::string::npos)
      return fail("{}: {} is part of an adapter (PEFT): add it to the weights first (merge_and_unload())", file,
                  one_line(name));
  if (nearly)
    return fail("{}: its names are those of {}, but {} is missing", file, nearly->layout->id, one_line(nearly->name));
  std::vector<std::string> held;
  for (const auto& entry : source.entries())
    held.push_back(fmt::format("{} {}", one_line(entry.name), to_string(entry.shape)));
  return fail("{}: its names fit no layout that is known: say which array is which by weights.names; it holds {}", file,
              brief_list(held));
}

// Two stacks of a model may have the same names, and differ in what they compute.
Status check_stack(const std::vector<Fit>& all, const Fit& found, const WeightsSpec& asked) {
  if (!asked.stack.empty()) return {};
  for (const Fit& other : all)
    if (other.prefix == found.prefix && other.layout->id == std::string_view(found.layout->id) &&
        other.layout->layers == std::string_view(found.layout->layers) &&
        stack_of(*other.layout) != stack_of(*found.layout))
      return fail("nothing in it tells whether its layers are those of {} or of {}: set weights.stack",
                  title_of(*found.layout), title_of(*other.layout));
  return {};
}

// ---- Making the arrays -------------------------------------------------------------------------------------------

// What the config says of an array's shape, where the array does not have it.
Status check_sizes(const Piece& piece, const Shape& shape, const LayerSizes& sizes, const std::string& name) {
  if (sizes.width == 0) return {};
  const Shape wanted = shape_in_file(piece, sizes);
  const auto agree = [](Index a, Index b) { return a < 0 || a == b; };
  if (std::ranges::equal(wanted, shape, agree)) return {};
  std::vector<std::string> extents;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    extents.push_back(shape.size() == wanted.size() ? fmt::to_string(shape[i]) : "any");
    if (wanted[i] >= 0) extents.back() = fmt::to_string(wanted[i]);
  }
  const std::string ffn = sizes.hidden > 0 ? fmt::format(", {} numbers in its ffn", sizes.hidden) : "";
  return fail("{} is {}, but {} is {}{}{}: it must be ({}{})", name, to_string(shape), sizes.width_key, sizes.width,
              sizes.key_heads > 0 && sizes.key_heads != sizes.heads
                  ? fmt::format(" and {} heads share {} of keys", sizes.heads, sizes.key_heads)
                  : fmt::format(" and there are {} heads", sizes.heads),
              ffn, fmt::join(extents, ", "), wanted.size() == 1 ? "," : "");
}

// Norms that a file leaves out stretch nothing and shift nothing; scales of channels are taken into the matrices whose
// outputs they multiply.
Status complete(const Fit& fit, const std::string& file, std::map<std::string, Tensor>& arrays) {
  for (const auto& [scaled, weight, bias] :
       {std::array{"scale_o", "w_o", "b_o"}, std::array{"scale_2", "w_2", "b_2"}}) {
    const auto scale = arrays.find(scaled), to = arrays.find(weight), beside = arrays.find(bias);
    if (scale == arrays.end() || to == arrays.end()) continue;
    const Status fits = scale_outputs(scale->second, to->second, beside == arrays.end() ? nullptr : &beside->second);
    if (!fits) return fail("{}: a scale of channels {}", file, fits.error().message);
    arrays.erase(scale);
  }
  const auto out = arrays.find("w_o");
  for (const Piece& piece : fit.layout->pieces) {
    const bool stretches = piece.array.ends_with("_gamma"), shifts = piece.array.ends_with("_beta");
    if ((!stretches && !shifts) || arrays.contains(piece.array) || out == arrays.end()) continue;
    Tensor plain({out->second.dim(-1)});
    std::ranges::fill(plain.values(), stretches ? 1.0f : 0.0f);
    arrays.emplace(piece.array, std::move(plain));
  }
  return {};
}

// What a layer takes: all of its arrays, and the largest once more while it is laid out.
Status check_room_for(const ArraySource& source, const NamesOfFile& names, const Fit& fit) {
  double bytes = 0, largest = 0;
  std::set<std::size_t> counted;
  for (const Piece& piece : fit.layout->pieces) {
    const auto found = names.find(name_in(*fit.layout, fit.before, piece));
    if (found == names.end() || !counted.insert(found->second).second) continue;
    double one = sizeof(float);
    for (const Index extent : source.entries()[found->second].shape) one *= static_cast<double>(extent);
    bytes += one;
    largest = std::max(largest, one);
  }
  return check_memory(bytes + largest);
}

// A convolution of extent 1 is a matrix: (out, in, 1, 1) → (out, in).
Tensor without_ones(Tensor weight) {
  Shape shape = weight.shape();
  while (shape.size() > 2 && shape.back() == 1) shape.pop_back();
  return std::move(weight).reshaped(std::move(shape));
}

Status check_float(const std::string& dtype, const std::string& name, const std::string& file) {
  if (dtype.find("float") != std::string::npos) return {};
  return fail("{}: {} is of type {}: weights are floats", file, name, dtype);
}

// Its arrays are null.
Result<LayerOfStateDict> arrays_there(const ArraySource& source, const NamesOfFile& names, const Fit& fit,
                                      LayerSizes sizes, const std::string& file) {
  LayerOfStateDict layer;
  for (const Piece& piece : fit.layout->pieces) {
    const auto found = names.find(name_in(*fit.layout, fit.before, piece));
    if (found == names.end() || !layer.arrays.emplace(piece.array, nullptr).second) continue;
    const ArrayEntry& entry = source.entries()[found->second];
    if (const auto status = check_sizes(piece, entry.shape, sizes, found->first); !status)
      return fail_at(file, status.error());
    HL_CHECK(check_float(entry.dtype, found->first, file));
    if (piece.array == "bias_table" && !entry.shape.empty()) layer.table_rows = entry.shape.front();
    if (piece.array != "w_1" || entry.shape.size() != 2) continue;
    const bool halved = piece.how == How::first_half || piece.how == How::second_half;
    const Index rows = halved ? entry.shape[0] / 2 : entry.shape[0];
    sizes.hidden = piece.how == How::transposed || halved ? rows : entry.shape[1];
  }
  return layer;
}

Result<LayerOfStateDict> arrays_of(const ArraySource& source, const NamesOfFile& names, const Fit& fit,
                                   LayerSizes sizes, const std::string& file) {
  if (const Status fits = check_room_for(source, names, fit); !fits) return fail_at(file, fits.error());
  std::map<std::string, Tensor> arrays;
  std::map<std::size_t, NamedArray> read;  // what several arrays are cut from is read once
  Index head_width = sizes.head_width;
  for (const Piece& piece : fit.layout->pieces) {
    const auto found = names.find(name_in(*fit.layout, fit.before, piece));
    if (found == names.end() || arrays.contains(piece.array)) continue;
    const ArrayEntry& entry = source.entries()[found->second];
    if (const auto status = check_sizes(piece, entry.shape, sizes, found->first); !status)
      return fail_at(file, status.error());
    if (!read.contains(found->second)) {
      HL_TRY(NamedArray array, source.read(found->second));
      HL_CHECK(check_float(array.dtype, found->first, file));
      read.emplace(found->second, std::move(array));
    }
    Tensor& held = read.at(found->second).values;
    if (!has_heads(*fit.layout)) held = without_ones(std::move(held));
    const bool again = std::ranges::any_of(
        fit.layout->pieces, [&](const Piece& other) { return &other > &piece && other.name == piece.name; });
    auto values = again ? converted(held, piece.how, sizes.heads, head_width)
                        : converted(std::move(held), piece.how, sizes.heads, head_width);
    if (!values) return fail("{}: {} {}", file, found->first, values.error().message);
    if (head_width == 0) head_width = values->dim(-1);
    if (piece.array == "w_1") sizes.hidden = values->dim(-1);
    if (!again) read.erase(found->second);
    arrays.emplace(piece.array, std::move(*values));
  }
  HL_CHECK(complete(fit, file, arrays));
  LayerOfStateDict layer;
  for (auto& [id, values] : arrays) layer.arrays.emplace(id, std::make_shared<const Tensor>(std::move(values)));
  return layer;
}

// ---- What is said ------------------------------------------------------------------------------------------------

// "embeddings, other layers": by the part of each name that tells, the first few.
std::string parts_not_used(const NamesOfFile& names, const Fit& fit) {
  std::vector<std::string> parts = unused_names(names, fit);
  for (const auto& [name, entry] : names) {
    if (is_of_layer(names, fit, name)) continue;
    const bool used = std::ranges::find(fit.layout->pieces, name, [&](const Piece& piece) {
                        return name_in(*fit.layout, fit.before, piece);
                      }) != fit.layout->pieces.end();
    if (used) continue;
    const std::string stack = fit.layer ? fit.prefix + with_layer(fit.layout->layers, 0) : "";
    const bool other = !stack.empty() && name.starts_with(stack.substr(0, stack.find('0')));
    std::string part = "other layers";
    if (!other) {
      const bool longer = fit.prefix.size() < name.size() && name.starts_with(fit.prefix);
      part = name.substr(longer ? fit.prefix.size() : 0);
      part = part.substr(0, part.find('.'));
    }
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  }
  return parts.empty() ? "" : fmt::format(" ({})", brief_list(parts));
}

void add_notices(const ArraySource& source, const NamesOfFile& names, const Fit& fit, const std::vector<Fit>& all,
                 const WeightsSpec& asked, std::string_view model_type, const std::string& file,
                 LayerOfStateDict& layer) {
  const std::size_t unused = names.size() - std::min(names.size(), fit.used);
  const std::string which = fit.layer ? fmt::format(" layer {} of {}", *fit.layer, fit.layers.size()) : std::string();
  layer.notices.push_back(fmt::format("{}{} from {}: {} arrays used, {} not{}", title_of(*fit.layout), which, file,
                                      fit.used, unused, unused > 0 ? parts_not_used(names, fit) : ""));
  std::vector<std::string> others;
  for (const Fit& other : all)
    if (asked.prefix.empty() && other.layout == fit.layout && other.prefix != fit.prefix)
      others.push_back(fmt::format("\"{}\"", whole_prefix(source, other.prefix)));
  if (!others.empty())
    layer.notices.push_back(
        fmt::format("{}: {} is also at {}: say \"prefix\"", file, fit.layout->id, brief_list(others)));
  std::set<std::string> parts;
  for (const Fit& other : all)
    if ((other.prefix == fit.prefix || asked.prefix.empty()) && std::string_view(other.layout->id) == fit.layout->id &&
        is_any_or(asked.stack, stack_of(*other.layout)) && is_any_or(asked.attention, other.layout->attention) &&
        title_of(*other.layout) != title_of(*fit.layout))
      parts.insert(title_of(*other.layout));
  if (!parts.empty())
    layer.notices.push_back(
        fmt::format("{}: there is also {}: say \"stack\" and \"attention\"", file, fmt::join(parts, ", ")));
  if (!fit.layout->hints.empty() && !fit.hinted && fit.layout->id != model_type)
    layer.notices.push_back(
        fmt::format("{}: nothing else in it tells that it is {}, and other models have these names too (BART, OPT, "
                    "Whisper): their norms and activations differ",
                    file, fit.layout->id));
  if (!source.note().empty()) layer.notices.push_back(fmt::format("{}: {}", file, source.note()));
}

void set_params(const LayoutTable& layout, LayerOfStateDict& layer) {
  for (const Setting& setting : layout.settings) {
    if (setting.assumed) layer.assumed.emplace_back(setting.id);
    layer.params.emplace_back(setting.id, setting.value);
  }
  // A bias that is not in the file is absent.
  const bool lacks_bias = std::ranges::any_of(layout.pieces, [&](const Piece& piece) {
    return piece.array.starts_with("b_") && !layer.arrays.contains(piece.array) && !layer.beside.contains(piece.array);
  });
  if (lacks_bias) layer.params.emplace_back("bias", false);
  if (const auto table = layer.arrays.find("bias_table"); !layout.complete && table != layer.arrays.end()) {
    const Index rows = table->second ? table->second->dim(0) : layer.table_rows;
    layer.params.insert(layer.params.end(), {{"buckets", rows}, {"max_distance", Index{128}}});
    layer.assumed.emplace_back("max_distance");
  }
}

// What stands before every name of the first layer.
std::string before_first(const Fit& fit) {
  return fit.layers.empty() ? fit.before : before_layer(fit, fit.layers.front());
}

// Whether a layout reads all that another reads of the same layers.
bool covers_fit(const Fit& a, const Fit& b) {
  return a.used >= b.used && std::string_view(a.layout->attention) == b.layout->attention &&
         before_first(a) == before_first(b);
}

}  // namespace

void note_assumed(LayerOfStateDict& layer, const std::string& file) {
  std::vector<std::string> said;
  for (const auto& [id, value] : layer.params)
    if (std::ranges::find(layer.assumed, id) != layer.assumed.end())
      said.push_back(fmt::format("{} {}", id, to_string(value)));
  if (said.empty()) return;
  layer.notices.push_back(fmt::format("{}: assumed, since the file does not say it: {}", file, fmt::join(said, ", ")));
}

bool is_variant_of_layers(std::string_view variant) {
  return std::ranges::any_of(all_layouts(), [&](const LayoutTable& layout) { return layout.variant == variant; });
}

std::vector<LayersInFile> layers_in(const ArraySource& source) {
  const NamesOfFile names = names_of(source);
  std::vector<LayersInFile> found;
  std::vector<std::string> first_layers;  // what stands before their names
  std::set<std::string> opening;          // the same of every layer that opens
  const std::vector<Fit> all = all_fits(source, names);
  for (const Fit& fit : all) {
    if (!fit.hinted && std::ranges::any_of(all, [&](const Fit& one) { return one.hinted && covers_fit(one, fit); }))
      continue;
    LayersInFile& one = found.emplace_back();
    one.title = title_of(*fit.layout);
    if (!fit.layers.empty())
      one.title += fmt::format(": {} layer{}", fit.layers.size(), fit.layers.size() == 1 ? "" : "s");
    if (!fit.prefix.empty()) one.title += fmt::format(" at \"{}\"", fit.prefix);
    one.layout = fit.layout->id;
    one.prefix = fit.prefix;
    one.stack = stack_of(*fit.layout);
    one.attention = fit.layout->attention;
    one.layers = fit.layers;
    one.variant = fit.layout->variant;
    const std::string before = one.before = before_first(fit);
    one.width = width_of(source, names, *fit.layout, before);
    Fit of_first = fit;
    of_first.before = before;
    const Status opens = check_unused(names, of_first);
    if (!opens) one.refusal = opens.error().message;
    first_layers.push_back(before);
    for (const Index layer : fit.layers)
      if (opens) opening.insert(before_layer(fit, layer));
  }
  // Layers that open as one layout are not refused as another.
  std::vector<LayersInFile> said;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].refusal.empty() || !opening.contains(first_layers[i])) said.push_back(std::move(found[i]));
  return said;
}

std::vector<std::string> layouts_of(const ArraySource& source) {
  std::vector<std::string> titles;
  for (LayersInFile& one : layers_in(source)) titles.push_back(std::move(one.title));
  return titles;
}

Result<LayerOfStateDict> layer_of(const ArraySource& source, const WeightsSpec& asked, const LayerSizes& sizes,
                                  const std::string& name, LayerNumbers numbers) {
  return layer_of(source, *fits_of_file(source, sizes.model_type), asked, sizes, name, numbers);
}

Result<LayerOfStateDict> layer_of(const ArraySource& source, const FitsOfFile& fits, const WeightsSpec& given,
                                  const LayerSizes& given_sizes, const std::string& name, LayerNumbers numbers) {
  LayerSizes sizes = given_sizes;
  WeightsSpec asked = given;
  asked.prefix = prefix_within(source, given.prefix);
  const NamesOfFile& names = fits.names;
  const std::vector<Fit>& all = fits.all;
  const auto found = std::ranges::find_if(all, [&](const Fit& fit) { return is_wanted(fit, asked); });
  if (found == all.end()) return no_fit_error(source, names, asked, all, name);
  if (found->layout->variant != sizes.variant)
    return fail("{}: its layers are of variant \"{}\" ({}), and this experiment is of \"{}\"", name,
                found->layout->variant, title_of(*found->layout), sizes.variant);
  if (const Status told = check_stack(all, *found, asked); !told) return fail_at(name, told.error());
  Fit fit = *found;
  if (!fit.layers.empty()) {
    fit.layer = asked.layer.value_or(fit.layers.front());
    const std::string before = before_layer(fit, *fit.layer);
    const bool begun = names.lower_bound(before) != names.end() && names.lower_bound(before)->first.starts_with(before);
    if (const Piece* piece = begun ? missing(names, *fit.layout, before) : nullptr)
      return fail("{}: {}{} is missing", name, before, piece->name);
    if (std::ranges::find(fit.layers, *fit.layer) == fit.layers.end())
      return fail("{}: {} has no layer {}: it has {} to {}", name, fit.layout->id, *fit.layer, fit.layers.front(),
                  fit.layers.back());
    fit.before = before;
    fit.used = count_used(names, *fit.layout, fit.before);
  }
  const Piece& first = fit.layout->pieces.front();
  if (first.how == How::in_heads)
    sizes.heads = source.entries()[names.find(name_in(*fit.layout, fit.before, first))->second].shape.front();
  const auto table = std::ranges::find(fit.layout->pieces, "bias_table", &Piece::array);
  if (sizes.heads == 0 && table != fit.layout->pieces.end()) {
    const auto entry = names.find(name_in(*fit.layout, fit.before, *table));
    if (entry != names.end() && source.entries()[entry->second].shape.size() == 2)
      sizes.heads = source.entries()[entry->second].shape.back();
  }
  if (sizes.heads == 0 && has_heads(*fit.layout))
    return fail("{}: a {} of width {} does not say how many heads it has: set params.heads", name, fit.layout->id,
                width_of(source, names, *fit.layout, fit.before));
  if (const Status opens = check_unused(names, fit); !opens) return fail_at(name, opens.error());
  const bool reads = numbers == LayerNumbers::read;
  HL_TRY(LayerOfStateDict layer,
         reads ? arrays_of(source, names, fit, sizes, name) : arrays_there(source, names, fit, sizes, name));
  layer.heads = sizes.heads;
  layer.number = fit.layer;
  layer.layers = std::max<Index>(1, static_cast<Index>(fit.layers.size()));
  const auto is_like = [&](const LayoutTable& one) {
    return one.id == std::string_view(fit.layout->id) && one.attention == std::string_view(fit.layout->attention) &&
           stack_of(one) == stack_of(*fit.layout);
  };
  const auto nearly = layer.layers < sizes.layers ? find_incomplete(names, is_like) : std::nullopt;
  if (nearly) layer.lacking = nearly->name;
  layer.layout = fit.layout->id;
  layer.stack = stack_of(*fit.layout);
  layer.attention = fit.layout->attention;
  if (reads) {
    add_notices(source, names, fit, all, asked, sizes.model_type, name, layer);
    if (fit.layout->complete) HL_CHECK(fit.layout->complete(fit, source, names, name, layer));
  }
  set_params(*fit.layout, layer);
  return layer;
}

}  // namespace headlight
