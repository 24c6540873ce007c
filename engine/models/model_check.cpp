// Whether a model's arrays are those that its config says: by names, shapes and types, before any number is read.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "engine/models/model.h"
#include "engine/variants/score_term.h"
#include "engine/variants/variant.h"

namespace headlight {

namespace {

// Of the arrays round the layers, in the order in which ends.h reads them.
class EndsCheck {
 public:
  explicit EndsCheck(const StoredModel& model) : model_(model), plan_(model.plan()) {}

  // Of what enters the first layer of a part's stack.
  Status embeddings(ModelPart part) const {
    if (plan_.pixels) return check_picture();
    return plan_.mel_bins > 0 && in_first_stack(part) ? check_sound() : check_tokens(part);
  }
  Status last_norm(ModelPart part) const {
    const Index last = plan_.layers_of(part) - 1;
    return norm(in_first_stack(part) ? plan_.final_norm : plan_.decoder_norm, plan_.stage_of({last, part}).width);
  }
  // Of what brings one stage to the next.
  Status merging() const {
    for (std::size_t s = 0; s + 1 < plan_.stages.size(); ++s) {
      const std::string name = fmt::format("encoder.layers.{}.downsample.", s);
      const Index width = plan_.stages[s].width;
      HL_CHECK(norm(name + "norm", 4 * width));
      HL_CHECK(linear(name + "reduction", {2 * width, 4 * width}));
    }
    return {};
  }
  Status heads() const {
    const Index d = plan_.stage_of({plan_.layers - 1, plan_.only}).width;
    HL_CHECK(norm(plan_.pooled_norm, d));
    HL_CHECK(linear_if_there(plan_.embeds_projection, {-1, d}));
    HL_CHECK(linear_if_there(plan_.pooler, {plan_.width, d}));
    const bool pooled = has(plan_.pooler);
    if (pooled) HL_CHECK(linear_if_there(plan_.pair, {2, d}));
    if (pooled) HL_CHECK(linear_if_there(plan_.pooled_classes, {-1, d}));
    std::vector<std::string> classes = plan_.classes;
    if (!std::ranges::all_of(classes, [&](const std::string& name) { return has(name); })) classes = {"classifier"};
    for (const std::string& name : classes) HL_CHECK(linear_if_there(name, {-1, plan_.mean_in_class ? 2 * d : d}));
    HL_CHECK(check_same_rows(classes));
    return logits();
  }

 private:
  bool has(const std::string& name) const { return !name.empty() && model_.has(name + ".weight"); }
  Status check_if_there(const std::string& name, const Shape& shape) const {
    return model_.has(name) ? model_.check(name, shape) : Status{};
  }
  Status norm(const std::string& name, Index d) const {
    if (name.empty()) return {};
    HL_CHECK(model_.check(name + (model_.has(name + ".gamma") ? ".gamma" : ".weight"), {d}));
    if (plan_.root_norms) return {};
    return model_.check(name + (model_.has(name + ".beta") ? ".beta" : ".bias"), {d});
  }
  // Shape (out, in); its bias is as long as its weight has rows.
  Status linear(const std::string& name, const Shape& shape) const {
    HL_TRY(const Shape found, model_.shape_of(name + ".weight", shape));
    return check_if_there(name + ".bias", {found.front()});
  }
  Status linear_if_there(const std::string& name, const Shape& shape) const {
    return has(name) ? linear(name, shape) : Status{};
  }

  // Of classifiers whose mean is taken.
  Status check_same_rows(const std::vector<std::string>& classes) const {
    std::optional<Index> rows;
    for (const std::string& name : classes) {
      if (!has(name)) continue;
      HL_TRY(const Shape shape, model_.shape_of(name + ".weight", {-1, -1}));
      if (shape.front() != rows.value_or(shape.front()))
        return fail("{}: {} and {} are of different sizes", model_.file(), classes.front(), name);
      rows = shape.front();
    }
    return {};
  }

  Status check_tokens(ModelPart part) const {
    const Index d = plan_.width, wide = plan_.embedding_width > 0 ? plan_.embedding_width : d;
    const bool second = !in_first_stack(part) && !plan_.decoder_places.empty();
    const std::string& places = second ? plan_.decoder_places : plan_.places;
    const Index rows = second ? plan_.decoder_positions : plan_.positions;
    HL_CHECK(model_.check(plan_.words + ".weight", {plan_.vocabulary, wide}));
    if (wide != d || has(plan_.project_in)) HL_CHECK(linear(plan_.project_in, {d, wide}));
    if (!places.empty()) HL_CHECK(model_.check(places + ".weight", {rows + plan_.places_before, d}));
    if (!plan_.added_places.empty()) HL_CHECK(model_.check(plan_.added_places + ".weight", {rows, d}));
    if (!plan_.types.empty()) HL_CHECK(model_.check(plan_.types + ".weight", {plan_.type_count, d}));
    return norm(second ? plan_.decoder_input_norm : plan_.input_norm, d);
  }
  Status check_sound() const {
    const Index d = plan_.width;
    for (const auto& [name, in] : {std::pair("encoder.conv1", plan_.mel_bins), std::pair("encoder.conv2", d)}) {
      HL_CHECK(model_.check(std::string(name) + ".weight", {d, in, 3}));
      HL_CHECK(model_.check(std::string(name) + ".bias", {d}));
    }
    return model_.check(plan_.places + ".weight", {plan_.positions, d});
  }
  Status check_picture() const {
    const Index d = plan_.width, p = plan_.patch, side = plan_.image_size / p,
                known = static_cast<Index>(plan_.lone_tokens.size()) + side * side;
    HL_CHECK(model_.check(plan_.projection + ".weight", {d, plan_.channels, p, p}));
    HL_CHECK(check_if_there(plan_.projection + ".bias", {d}));
    if (!plan_.places.empty())
      HL_CHECK(model_.check(plan_.places + (plan_.flat_tables ? ".weight" : ""),
                            plan_.flat_tables ? Shape{known, d} : Shape{1, known, d}));
    for (const std::string& token : plan_.lone_tokens)
      HL_CHECK(model_.check(token, plan_.flat_tables ? Shape{d} : Shape{1, 1, d}));
    if (plan_.register_count > 0) HL_CHECK(model_.check(plan_.registers, {1, plan_.register_count, d}));
    return norm(plan_.input_norm, d);
  }
  Status logits() const {
    if (plan_.pixels || (!plan_.transform.dense.empty() && !has(plan_.transform.dense))) return {};
    const bool own = has(plan_.logits);
    if (!own && !plan_.tied) return {};
    if (!plan_.transform.dense.empty()) HL_CHECK(linear(plan_.transform.dense, {plan_.width, plan_.width}));
    if (!plan_.transform.dense.empty()) HL_CHECK(norm(plan_.transform.norm, plan_.width));
    HL_CHECK(linear_if_there(plan_.project_out, {plan_.embedding_width, plan_.width}));
    const Index width = has(plan_.project_out) ? plan_.embedding_width : plan_.width;
    HL_CHECK(model_.check((own ? plan_.logits : plan_.words) + ".weight", {plan_.logit_count(), width}));
    const std::string bias = !plan_.logits_bias.empty() ? plan_.logits_bias : plan_.logits + ".bias";
    return check_if_there(bias,
                          bias == "final_logits_bias" ? Shape{1, plan_.logit_count()} : Shape{plan_.logit_count()});
  }

  const StoredModel& model_;
  const ModelPlan& plan_;
};

// A table of relative positions has a row a bucket, or for windows of w × w (2w − 1)².
Status check_table(const LayerOfStateDict& layer, const std::string& file) {
  for (const auto& [id, value] : layer.params) {
    const auto* number = std::get_if<Index>(&value);
    if (layer.table_rows == 0 || !number || (id != "buckets" && id != "window")) continue;
    const Index rows = id == "buckets" ? *number : (2 * *number - 1) * (2 * *number - 1);
    if (rows != layer.table_rows)
      return fail("{}: bias_table has {} rows, but config.json says {} {}: it must have {}", file, layer.table_rows, id,
                  *number, rows);
  }
  return {};
}

// Parameters that exclude each other, as they are refused where the layer runs.
Status check_params(const ModelPlan& plan, LayerOfModel at, const LayerOfStateDict& layer) {
  if (!plan.of(at.part).stages.empty()) return {};
  ParamValues params = ParamValues::defaults(find_variant("multi_head")->params());
  for (const auto& [id, value] : layer.params) params.set(id, value);
  const ScoreTerm* term = score_term(params);
  if (!term) return {};
  const std::string part = plan.part_name(at.part);
  if (const Status fits = term->check(params); !fits)
    return fail("{}{}layer {}: {}", part, part.empty() ? "" : " ", at.layer, fits.error().message);
  return {};
}

Status check_layers_of(const StoredModel& model, bool first_stack) {
  for (const LayerOfModel at : model.plan().order()) {
    if (in_first_stack(at.part) != first_stack) continue;
    HL_TRY(const LayerOfStateDict layer, model.layer(at, LayerNumbers::left));
    HL_CHECK(check_table(layer, model.file()));
    HL_CHECK(check_params(model.plan(), at, layer));
  }
  return {};
}

}  // namespace

Status check_layers(const StoredModel& model) {
  HL_CHECK(check_layers_of(model, true));
  return check_layers_of(model, false);
}

Status check_arrays(const StoredModel& model) {
  for (const auto& tower : model.towers()) HL_CHECK(check_arrays(*tower));
  if (!model.towers().empty()) return model.has("logit_scale") ? model.check("logit_scale", {}) : Status{};
  const EndsCheck ends(model);
  const ModelPlan& plan = model.plan();
  HL_CHECK(ends.embeddings(plan.only));
  HL_CHECK(check_layers_of(model, true));
  HL_CHECK(ends.merging());
  HL_CHECK(ends.last_norm(plan.only));
  if (plan.has_decoder()) {
    HL_CHECK(ends.embeddings(ModelPart::decoder));
    HL_CHECK(check_layers_of(model, false));
    HL_CHECK(ends.last_norm(ModelPart::decoder));
  }
  return ends.heads();
}

}  // namespace headlight
