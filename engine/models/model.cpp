#include "engine/models/model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <system_error>

#include "engine/core/system/paths.h"
#include "engine/io/array_source.h"
#include "engine/io/file.h"
#include "engine/layouts/tables.h"
#include "engine/models/trained.h"

namespace headlight {

namespace fs = std::filesystem;

struct ReadSoFar {
  std::mutex mutex;
  std::set<std::size_t> entries;
};

namespace {

// Notes which arrays are asked for.
class TrackedSource final : public ArraySource {
 public:
  TrackedSource(std::unique_ptr<ArraySource> source, std::shared_ptr<ReadSoFar> read)
      : source_(std::move(source)), read_(std::move(read)) {
    entries_ = source_->entries();
    note_ = source_->note();
    files_ = source_->files();
  }
  Result<NamedArray> read(std::size_t entry) const override {
    {
      const std::scoped_lock lock(read_->mutex);
      read_->entries.insert(entry);
    }
    return source_->read(entry);
  }

 private:
  std::unique_ptr<ArraySource> source_;
  std::shared_ptr<ReadSoFar> read_;
};

}  // namespace

Result<fs::path> model_file(const fs::path& path) {
  constexpr std::array files{"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                             "pytorch_model.bin.index.json"};
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  for (const char* name : files)
    if (fs::exists(path / name, ignored)) return path / name;
  std::string other;  // a model by itself
  for (fs::directory_iterator at(path, ignored), end; !ignored && at != end; at.increment(ignored))
    if (at->path().extension() == ".gguf") other = utf8(at->path().filename());
  return fail("{}: has no {}, {}, {} or {}{}", one_line(utf8(path)), files[0], files[1], files[2], files[3],
              other.empty() ? "" : fmt::format(": name {} itself", one_line(other)));
}

namespace {

struct Opened {
  ModelConfig config;
  std::unique_ptr<ArraySource> arrays;
  fs::path file;
};

// A .gguf file says by itself what the config of a folder does.
Result<Opened> open_model(const fs::path& path) {
  std::error_code ignored;
  if (path.extension() == ".gguf" && fs::is_regular_file(path, ignored)) {
    HL_TRY(GgufFile file, open_gguf(path));
    HL_TRY(ModelConfig config, config_of_gguf(file, path));
    return Opened{std::move(config), std::move(file.arrays), path};
  }
  if (!fs::exists(path, ignored)) return fail("{}: does not exist", one_line(utf8(path)));
  if (!fs::is_directory(path, ignored))
    return fail("{}: is no folder; a model is a folder with config.json and its weights, or a .gguf file",
                one_line(utf8(path)));
  HL_TRY(ModelConfig config, ModelConfig::read(path));
  return Opened{std::move(config), nullptr, {}};
}

}  // namespace

Result<std::shared_ptr<const StoredModel>> StoredModel::open(const fs::path& folder) {
  HL_TRY(Opened opened, open_model(folder));
  HL_TRY(ModelPlan plan, plan_of(opened.config));
  if (!plan.refusal.empty()) return fail("{}: {}", opened.config.name(), plan.refusal);
  if (!opened.arrays) {
    HL_TRY(opened.file, model_file(folder));
    HL_TRY(opened.arrays, open_arrays(opened.file));
    if (is_trained(plan)) opened.arrays = with_names_of_ends(std::move(opened.arrays));
  }
  std::shared_ptr<StoredModel> model(new StoredModel(folder, std::move(plan)));
  model->read_so_far_ = std::make_shared<ReadSoFar>();
  model->arrays_ = std::make_shared<TrackedSource>(std::move(opened.arrays), model->read_so_far_);
  model->fits_ = fits_of_file(*model->arrays_);
  model->file_ = one_line(utf8(opened.file));
  model->names_ = names_of(*model->arrays_);
  model->fit_plan();
  for (ModelPlan& tower : model->plan_.towers) {
    model->towers_.push_back(model->as_tower(tower));
    tower = model->towers_.back()->plan();
    model->outer_ = model->towers_.back()->outer_;
  }
  return model;
}

std::shared_ptr<const StoredModel> StoredModel::as_tower(const ModelPlan& plan) const {
  std::shared_ptr<StoredModel> tower(new StoredModel(folder_, plan));
  tower->read_so_far_ = read_so_far_;
  tower->arrays_ = arrays_;
  tower->fits_ = fits_;
  tower->file_ = file_;
  tower->names_ = names_;
  tower->fit_plan();
  return tower;
}

const StoredModel& StoredModel::tower(ModelPart part) const {
  for (const auto& tower : towers_)
    if (tower->plan().only == part) return *tower;
  return *this;
}

void StoredModel::fit_plan() {
  if (!plan_.towers.empty()) return;
  if (!has(plan_.pixels ? plan_.projection + ".weight" : plan_.words + ".weight")) outer_ = outer_prefix();
  if (!plan_.words_else.empty() && !has(plan_.words + ".weight") && has(plan_.words_else + ".weight"))
    plan_.words = plan_.words_else;
  if (!plan_.final_norm_needed && !has(plan_.final_norm + ".weight")) plan_.final_norm.clear();
  plan_.head_note = note_of_head();
  const auto of_decoder = [](const ArrayEntry& entry) { return entry.name.find("decoder.") != std::string::npos; };
  if (!plan_.has_decoder() || std::ranges::any_of(arrays_->entries(), of_decoder)) return;
  plan_.drop_decoder();
  plan_.head_note.clear();
  plan_.assumed.emplace_back("no decoder: the file holds none");
}

std::string StoredModel::note_of_head() const {
  const auto there = [&](const std::string& name) { return !name.empty() && has(name + ".weight"); };
  const auto& [dense, activation, norm] = plan_.transform;
  if (plan_.pixels || (!dense.empty() && !there(dense))) return {};
  const bool assumed = plan_.tied_by_default;
  if (there(plan_.skipped_logits))
    return fmt::format("{} has {}.weight, but {} to {}.weight, which the logits are read from", file_,
                       plan_.skipped_logits, assumed ? "it is tied by default" : "config.json ties it", plan_.words);
  if (there(plan_.logits) && !plan_.says_tied) return {};
  if (there(plan_.logits))
    return fmt::format(
        "{3} to {0}.weight, but {1} has its own {2}.weight, which is used; Transformers reads {0}.weight", plan_.words,
        file_, plan_.logits, assumed ? "the logits are tied by default" : "config.json ties the logits");
  if (plan_.tied || plan_.logits.empty()) return {};
  return fmt::format("{} has no {}.weight, and config.json does not tie it to {}.weight: no logits are made", file_,
                     plan_.logits, plan_.words);
}

std::set<std::size_t> StoredModel::arrays_read() const {
  const std::scoped_lock lock(read_so_far_->mutex);
  return read_so_far_->entries;
}

std::optional<std::size_t> StoredModel::entry_of(const std::string& name) const {
  const auto at = [&](const std::string& whole) -> std::optional<std::size_t> {
    const auto found = names_.find(outer_ + whole);
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  };
  for (const std::string& prefix : plan_.prefixes)
    if (const auto entry = at(prefix + name)) return entry;
  return at(name);
}

std::string StoredModel::outer_prefix() const {
  const std::string first = !plan_.words.empty() ? plan_.words + ".weight" : plan_.projection + ".weight";
  for (const std::string& prefix : plan_.prefixes)
    for (const auto& [name, entry] : names_)
      if (name.ends_with("." + prefix + first)) return name.substr(0, name.size() - prefix.size() - first.size());
  return {};
}

Result<std::size_t> StoredModel::entry_in_shape(const std::string& name, const Shape& shape) const {
  const auto entry = entry_of(name);
  if (!entry) return fail("{}: {}{} is missing", file_, plan_.prefixes.front(), name);
  const ArrayEntry& found = arrays_->entries()[*entry];
  bool fits = found.shape.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || shape[i] == found.shape[i];
  if (fits) return *entry;
  std::vector<std::string> extents;
  for (const Index extent : shape) extents.push_back(extent < 0 ? "any" : fmt::format("{}", extent));
  return fail("{}: {} is {}, but config.json says ({})", file_, one_line(found.name), to_string(found.shape),
              fmt::join(extents, ", "));
}

namespace {

Status check_is_float(const std::string& dtype, const std::string& name, const std::string& file) {
  if (dtype.find("float") != std::string::npos) return {};
  return fail("{}: {} is of type {}: weights are floats", file, one_line(name), dtype);
}

}  // namespace

Status StoredModel::check(const std::string& name, const Shape& shape) const {
  HL_CHECK(shape_of(name, shape));
  return {};
}

Result<Shape> StoredModel::shape_of(const std::string& name, const Shape& shape) const {
  HL_TRY(const std::size_t entry, entry_in_shape(name, shape));
  const ArrayEntry& found = arrays_->entries()[entry];
  HL_CHECK(check_is_float(found.dtype, found.name, file_));
  return found.shape;
}

Result<Tensor> StoredModel::read(const std::string& name, const Shape& shape) const {
  HL_TRY(const std::size_t entry, entry_in_shape(name, shape));
  HL_TRY(NamedArray array, arrays_->read(entry));
  HL_CHECK(check_is_float(array.dtype, array.name, file_));
  return std::move(array.values);
}

Result<LayerOfStateDict> StoredModel::layer(LayerOfModel number, LayerNumbers numbers) const {
  if (const StoredModel& own = tower(number.part); &own != this) return own.layer(number, numbers);
  if (is_trained(plan_)) return trained_layer(*arrays_, plan_, number.layer, file_, numbers);
  WeightsSpec asked;
  asked.layout = plan_.layout;
  take_layer(plan_, number, asked);
  HL_TRY(LayerOfStateDict layer, layer_of(*arrays_, *fits_, asked, sizes_of(plan_, number), file_, numbers));
  const Index layers = plan_.layers_of(number.part);
  if (layer.layers < layers && !layer.lacking.empty()) return fail("{}: {} is missing", file_, one_line(layer.lacking));
  if (layer.layers != layers)
    return fail("{}: {}holds {} layers, but config.json says {}", file_,
                asked.stack.empty() ? "" : fmt::format("the {} ", asked.stack), layer.layers, layers);
  HL_CHECK(take_settings(plan_, number, layer));
  layer.params.emplace_back("heads", plan_.heads_of(number));
  return layer;
}

std::string variant_of(const ModelPlan& plan) {
  return plan.stages.empty() ? "multi_head" : "swin";
}

LayerSizes sizes_of(const ModelPlan& all, LayerOfModel layer) {
  const ModelPlan& plan = all.of(layer.part);
  const ModelStage stage = plan.stage_of(layer);
  LayerSizes sizes(stage.heads);
  sizes.key_heads = plan.key_heads;
  sizes.head_width = plan.stages.empty() ? plan.head_width : stage.width / stage.heads;
  sizes.width = stage.width;
  sizes.layers = plan.layers_of(layer.part);
  sizes.width_key = plan.stages.empty() ? plan.width_key : "the width of its stage";
  sizes.variant = variant_of(plan);
  return sizes;
}

void take_layer(const ModelPlan& plan, LayerOfModel layer, WeightsSpec& asked) {
  asked.layer = layer.layer;
  asked.stack = plan.of(layer.part).stack;
  if (!asked.stack.empty() || !plan.names_stacks) return;
  asked.stack = name_of(in_first_stack(layer.part) ? ModelPart::first : ModelPart::decoder);
  asked.attention = layer.part == ModelPart::cross ? "cross" : "self";
}

ModelPart part_of(const ModelPlan& plan, const LayerOfStateDict& layer) {
  if (!plan.towers.empty()) return part_named(layer.stack).value_or(plan.towers.front().only);
  if (!plan.has_decoder() || layer.stack == name_of(ModelPart::first)) return plan.only;
  return layer.attention == "cross" ? ModelPart::cross : ModelPart::decoder;
}

Status take_settings(const ModelPlan& plan, LayerOfModel number, LayerOfStateDict& layer) {
  if (const Index layers = plan.layers_of(number.part); number.layer >= layers)
    return fail("layer {} is none of the {} that config.json says", number.layer, layers);
  LayerSettings settings = plan.of(number.part).layer(number);
  if (const bool gate = layer.arrays.contains("w_3"); settings.gated.value_or(gate) != gate)
    return fail("layer {}: its ffn has {} gate, but config.json says that it has {}", number.layer, gate ? "a" : "no",
                gate ? "none" : "one");
  for (auto& [id, value] : settings.params) {
    std::erase(layer.assumed, id);
    const auto known = std::ranges::find(layer.params, id, [](const auto& param) { return param.first; });
    if (known == layer.params.end())
      layer.params.emplace_back(id, std::move(value));
    else
      known->second = std::move(value);
  }
  for (auto& [id, values] : settings.arrays)
    layer.arrays.insert_or_assign(id, std::make_shared<const Tensor>(std::move(values)));
  return {};
}

}  // namespace headlight
