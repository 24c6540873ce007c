#include "engine/models/trained.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/io/file.h"
#include "engine/io/param_fields.h"
#include "engine/math/math.h"
#include "engine/models/model.h"
#include "engine/variants/variant.h"

namespace headlight {

namespace {

constexpr const char* type_of_trained = "headlight";

struct NameOfEnd {
  std::string_view network, ends;
};
constexpr std::array<NameOfEnd, 5> names_of_ends{{{"embedding", "embedding.weight"},
                                                  {"positions", "positions.weight"},
                                                  {"ln_gamma", "last_norm.gamma"},
                                                  {"ln_beta", "last_norm.beta"},
                                                  {"w_out", "w_out.weight"}}};
constexpr std::string_view read_out = "w_out.weight";  // (in, out) in the file, (out, in) for who reads it

class RenamedEnds final : public ArraySource {
 public:
  explicit RenamedEnds(std::unique_ptr<ArraySource> source) : source_(std::move(source)) {
    entries_ = source_->entries();
    note_ = source_->note();
    files_ = source_->files();
    for (ArrayEntry& entry : entries_) {
      const auto known = std::ranges::find(names_of_ends, entry.name, &NameOfEnd::network);
      if (known != names_of_ends.end()) entry.name = known->ends;
      if (entry.name == read_out) std::ranges::reverse(entry.shape);
    }
  }
  Result<NamedArray> read(std::size_t entry) const override {
    HL_TRY(NamedArray array, source_->read(entry));
    array.name = entries_[entry].name;
    if (array.name != read_out || array.values.rank() != 2) return array;
    Tensor transposed = Tensor::uninitialized(entries_[entry].shape);
    for (Index row = 0; row < transposed.dim(0); ++row)
      for (Index column = 0; column < transposed.dim(1); ++column)
        transposed[row * transposed.dim(1) + column] = array.values[column * transposed.dim(0) + row];
    array.values = std::move(transposed);
    return array;
  }

 private:
  std::unique_ptr<ArraySource> source_;
};

// What it has learned, which is what one calls it.
std::string task_in(const ModelConfig& config) {
  const auto& fields = config.fields();
  const bool said = config.has("train") && fields.at("train").is_object() && fields.at("train").contains("task") &&
                    fields.at("train").at("task").is_string();
  return said ? one_line(fields.at("train").at("task").get<std::string>()) : type_of_trained;
}

std::string position_scheme(const ParamValues& params) {
  if (params.choice("rotary") != "none") return "rotary";
  return params.choice("relative") != "none" ? params.choice("relative") : params.choice("positions");
}

Status read_params_of_layers(const ModelConfig& network, ParamValues& params) {
  const nlohmann::ordered_json none = nlohmann::ordered_json::object();
  const auto& given = network.has("params") ? network.fields().at("params") : none;
  const Status read =
      read_params(given, "params", "a parameter of multi_head", find_variant("multi_head")->params(), params);
  return read ? read : fail_at(network.name(), read.error());
}

}  // namespace

bool is_trained(const ModelPlan& plan) {
  return plan.layout == type_of_trained;
}

std::unique_ptr<ArraySource> with_names_of_ends(std::unique_ptr<ArraySource> source) {
  return std::make_unique<RenamedEnds>(std::move(source));
}

Result<ModelPlan> plans::trained(const ModelConfig& config) {
  if (!config.has("network") || !config.fields().at("network").is_object())
    return fail(
        "{}: what was learned is no stack of layers, which a model is: headlight train --from FOLDER --explore "
        "part.headlight writes a part of it as an experiment",
        config.name());
  const ModelConfig network(config.fields().at("network"), config.name() + ": network");
  ParamValues params = ParamValues::defaults(find_variant("multi_head")->params());
  HL_CHECK(read_params_of_layers(network, params));
  ModelPlan plan;
  plan.layout = type_of_trained;
  plan.type = task_in(config);
  plan.prefixes = {""};
  plan.width_key = "width";
  HL_TRY(plan.layers, network.whole("layers", 1, most_layers_of_model));
  HL_TRY(plan.width, network.whole("width", 1, widest));
  HL_TRY(plan.vocabulary, network.whole("symbols", 1, largest_vocabulary));
  HL_TRY(plan.answers, network.whole("answers", 1, largest_vocabulary));
  HL_TRY(plan.positions, network.whole("places", 0, widest));
  HL_TRY(plan.norms_input, network.flag("norm_before", false));
  HL_TRY(plan.adds_input, network.flag("adds_input", false));
  HL_TRY(const bool last_norm, network.flag("last_norm", false));
  plan.has_residual = plan.adds_input || params.choice("block") != "bare";
  plan.heads = params.integer("heads");
  plan.head_width = params.integer("d_head");
  plan.key_heads = params.is_automatic("kv_heads") ? 0 : params.integer("kv_heads");
  plan.positions_key = "places";
  plan.words = "embedding";
  if (plan.positions > 0) plan.added_places = "positions";
  plan.position_scheme = position_scheme(params);
  if (last_norm) plan.final_norm = "last_norm";
  plan.logits = "w_out";
  if (network.has("example")) {
    HL_TRY(plan.example, network.word("example", ""));
  }
  plan.layer = [params](LayerOfModel) {
    LayerSettings settings;
    for (const auto& [id, value] : params)
      if (params.is_given(id)) settings.params.emplace_back(id, value);
    return settings;
  };
  return plan;
}

namespace {

// Whether the arrays are those that the layer's parameters ask for.
Status check_arrays_of(const LayerOfStateDict& layer, const std::string& before, const std::string& file) {
  ParamValues params = ParamValues::defaults(find_variant("multi_head")->params());
  IdSet given;
  for (const auto& [id, value] : layer.params) params.set(id, value);
  for (const auto& [id, values] : layer.arrays) given.insert(id);
  const auto specs = find_variant("multi_head")->arrays(params, given).weights;
  for (const ArraySpec& spec : specs)
    if (!given.contains(spec.id) && spec.fill != Fill::absent && spec.fill != Fill::alias)
      return fail("{}: {}{} is missing", file, before, spec.id);
  for (const std::string& id : given)
    if (std::ranges::find(specs, id, &ArraySpec::id) == specs.end())
      return fail("{}: {}{}: the params of config.json ask for no array of that name", file, before, one_line(id));
  return {};
}

}  // namespace

Result<LayerOfStateDict> trained_layer(const ArraySource& source, const ModelPlan& plan, Index number,
                                       const std::string& file, LayerNumbers numbers) {
  LayerOfStateDict layer;
  HL_CHECK(take_settings(plan, {number, plan.only}, layer));
  layer.layout = plan.layout;
  layer.layers = plan.layers;
  layer.number = number;
  layer.heads = plan.heads;
  if (!plan.added_places.empty())
    layer.notices.push_back(fmt::format(
        "layer {} of {} adds what is learned of positions to its queries and keys: inputs.p_q", number, file));
  const std::string before = fmt::format("layer{}/", number);
  for (std::size_t i = 0; i < source.entries().size(); ++i) {
    const ArrayEntry& entry = source.entries()[i];
    if (!entry.name.starts_with(before)) continue;
    if (entry.dtype.find("float") == std::string::npos)
      return fail("{}: {} is of type {}: weights are floats", file, one_line(entry.name), entry.dtype);
    const std::string id = entry.name.substr(before.size());
    const bool beside = plan.norms_input && (id == "ln_gamma" || id == "ln_beta");
    auto& values = (beside ? layer.beside : layer.arrays)[id];
    if (numbers == LayerNumbers::left) continue;
    HL_TRY(NamedArray array, source.read(i));
    values = std::make_shared<const Tensor>(std::move(array.values));
  }
  HL_CHECK(check_arrays_of(layer, before, file));
  if (plan.norms_input && layer.beside.size() < 2) return fail("{}: {}ln_gamma is missing", file, before);
  return layer;
}

}  // namespace headlight
