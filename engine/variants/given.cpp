// Attention that is given: weights that somebody saved, shown as they are. What they were made of is not known.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/words.h"
#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"

namespace headlight {

namespace {

constexpr const char* input_id = "weights";

// ---- What is there -----------------------------------------------------------------------------------------------

std::string id_of_layer(Index layer, const std::string& what) {
  return fmt::format("layer{}/{}", layer, what);
}

std::string file_of(const Recorder& r, const std::string& id) {
  const auto found = r.problem().files.find(id);
  return found == r.problem().files.end() ? "the array" : found->second;
}

// The least and the greatest number that is one.
std::pair<float, float> range_of(const Tensor& values) {
  float least = std::numeric_limits<float>::infinity(), greatest = -least;
  for (const float value : values.values())
    if (std::isfinite(value)) {
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  return {least, greatest};
}

// Whether numbers can be weights: of a softmax, rounded.
bool can_be_weights(const Tensor& values) {
  const auto [least, greatest] = range_of(values);
  return least >= 0 && greatest <= 1.01F;
}

// ---- What is said of it ------------------------------------------------------------------------------------------

struct Rows {
  Index all = 0, off = 0, empty = 0;
  Index first = -1;  // whose sum is not 1, counted through all
  double first_sum = 0;

  void look_at(const Tensor& weights) {
    constexpr double tolerance = 0.01;
    const Index n = weights.dim(-1);
    for (Index row = 0; n > 0 && row < weights.size() / n; ++row, ++all) {
      double sum = 0;
      bool any = false;
      for (Index j = 0; j < n; ++j) {
        sum += weights[row * n + j];
        any |= weights[row * n + j] != 0;
      }
      empty += !any;
      if (!any || !(std::abs(sum - 1) > tolerance)) continue;
      if (off++ == 0) {
        first = all;
        first_sum = sum;
      }
    }
  }
};

// "layer 0, head 2, query 1", of a row counted through layers that have that shape.
std::string place_of_row(Index row, const Tensor& layer, bool layered) {
  const Index queries = layer.dim(2), heads = layer.dim(1), items = layer.dim(0);
  std::string place = layered ? fmt::format("layer {}, ", row / (queries * heads * items)) : "";
  if (items > 1) place += fmt::format("batch {}, ", row / (queries * heads) % items);
  return fmt::format("{}head {}, query {}", place, row / queries % heads, row % queries);
}

// Rows that do not add up to 1: of all layers together, said where the first of them is.
std::string warning_of_rows(const Recorder& r, Index layer) {
  const auto& inputs = r.problem().specs.inputs;
  Rows rows;
  for (const ArraySpec& spec : inputs) rows.look_at(*r.problem().find(spec.id));
  const Tensor& shape = *r.problem().find(inputs.front().id);
  const bool layered = inputs.front().id != input_id;
  std::vector<std::string> said;
  const Index each = shape.size() / std::max<Index>(1, shape.dim(-1));
  if (rows.off > 0 && rows.first / each == layer)
    said.push_back(fmt::format("{} of {} rows do not add up to 1, first: {}: {:.3g}", rows.off, rows.all,
                               place_of_row(rows.first, shape, layered), rows.first_sum));
  if (rows.empty > 0 && layer == 0)
    said.push_back(fmt::format("{} of {} rows are 0 throughout, as those of padding are", rows.empty, rows.all));
  return fmt::format("{}", fmt::join(said, "; "));
}

std::string minus(double number) {
  return with_minus_signs(fmt::format("{:.2g}", number));
}

std::string warning_of_range(const Recorder& r, const Array& given) {
  const auto [least, greatest] = range_of(*given.values);
  return fmt::format("{} holds {} to {}: scores? normalize softmax makes weights of them",
                     file_of(r, r.problem().specs.inputs.front().id), minus(least), minus(greatest));
}

// ---- Operations --------------------------------------------------------------------------------------------------

// The numbers as they were given.
Operation as_given(const Array& given, const std::string& file) {
  return {.axes = given.axes,
          .run = [g = given.values](Compute&, float* to) { std::copy_n(g->data(), g->size(), to); },
          .explain =
              [id = given.id, file](Index cell) {
                return Explanation{.terms = {{{Operand::of(id, cell)}}},
                                   .reason = file + ", which does not say what it was made of"};
              },
          .code = both(given.id),
          .formula = {notation::written(given)},
          .operations = 1,
          .shares_input = true,
          .same_as = given.values};
}

// Each divided by the sum of its row; rows of 0 stay.
Operation divided_by_sums(const Array& given) {
  const Index n = given.dim(-1);
  const auto sum_of = [n](const Tensor& values, Index cell) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += values[cell / n * n + j];
    return sum;
  };
  return {.axes = given.axes,
          .run =
              [g = given.values, n, sum_of](Compute& compute, float* to) {
                compute.parallel_each(g->size() / n, 64, [&](Index row) {
                  const double sum = sum_of(*g, row * n);
                  for (Index j = row * n; j < row * n + n; ++j)
                    to[j] = sum == 0 ? 0 : static_cast<float>((*g)[j] / sum);
                });
              },
          .explain =
              [g = given.values, id = given.id, sum_of](Index cell) {
                const double sum = sum_of(*g, cell);
                return Explanation{.scale = sum == 0 ? 0 : 1 / sum,
                                   .terms = {{{Operand::of(id, cell)}}},
                                   .scale_label = fmt::format("1 / {:.6g}, the sum of its row", sum)};
              },
          .code = {fmt::format("{0} / np.where({0}.sum(axis=-1, keepdims=True) == 0, 1, "
                               "{0}.sum(axis=-1, keepdims=True))",
                               given.id),
                   fmt::format("{0} / torch.where({0}.sum(dim=-1, keepdim=True) == 0, 1, "
                               "{0}.sum(dim=-1, keepdim=True))",
                               given.id)},
          .formula = {fmt::format("\\frac{{{}}}{{\\sum_{{{}}} {}}}", notation::written(given),
                                  notation::over_keys(given, true), notation::at_other_key(given))},
          .operations = 1,
          .kind = Kind::probability,
          .role = Role::weight};
}

// ---- Words -------------------------------------------------------------------------------------------------------

const char* const weights_note =
    "{weight:Weights} that were saved elsewhere and are shown as they are: how much each {query:query} takes from each "
    "{key:key}. The file does not say which scores, queries and keys they were made of, so where one of them comes "
    "from cannot be told.";
const char* const scores_note =
    "{score:Scores} that were saved elsewhere. What is −∞ is hidden. The file does not say which queries and keys they "
    "were made of.";

std::vector<StepWords> step_words() {
  return {{"scores", "s", "Given scores", scores_note}, {"weights", "A", "Attention weights", weights_note, "A"}};
}

VariantInfo variant_info() {
  return {.id = "given",
          .title = "Given attention",
          .summary =
              "Attention weights that somebody saved, of one layer or of many: nothing is computed but what is asked "
              "of them.",
          .shorthand = "A",
          .source = "the file that is given"};
}

std::vector<ParamSpec> all_params() {
  return {
      param::choice("normalize", "Make weights",
                    "What is done with the numbers: none shows them as they are, softmax makes weights of scores, rows "
                    "divides each by the sum of its row.",
                    {{"none", "As they are", "Shown as the file has them."},
                     {"softmax", "Softmax", "The file holds scores."},
                     {"rows", "Rows to 1", "Each number is divided by the sum of its row."}})};
}

// ---- The mechanism -----------------------------------------------------------------------------------------------

// One layer, under ids that begin with its number. Layers are counted from 0, as in the files.
void record_layer(Recorder& r, const ArraySpec& spec, std::optional<Index> layer) {
  const std::string& normalize = r.params().choice("normalize");
  const auto step = [&](std::size_t which, Operation operation) {
    const StepWords& usual = r.problem().variant->words()[which];
    operation.layer = layer;
    if (!layer) return r.step(usual, std::move(operation));
    const std::string id = id_of_layer(*layer, usual.id),
                      title = fmt::format("Layer {}{}", *layer, which == 0 ? ": scores" : ""),
                      symbol = fmt::format("{}^{{({})}}", usual.symbol(r), *layer);
    return r.step({id.c_str(), symbol.c_str(), title.c_str(), usual.note, usual.letter}, std::move(operation));
  };
  const Array given = r.array(spec.id);
  const std::string file = file_of(r, spec.id);
  const bool shown = given.values != nullptr;
  if (normalize == "none") {
    Operation op = as_given(given, file);
    const bool weights = !shown || can_be_weights(*given.values);
    op.kind = weights ? Kind::probability : Kind::score;
    op.role = Role::weight;
    if (shown) op.warning = weights ? warning_of_rows(r, layer.value_or(0)) : warning_of_range(r, given);
    step(1, std::move(op));
  } else if (normalize == "softmax") {
    Operation op = as_given(given, file);
    op.kind = Kind::score;
    op.role = Role::score;
    op.minus_infinity_masks = true;
    Operation softmax = ops::softmax(step(0, std::move(op)));
    softmax.code = both(fmt::format("masked_softmax({})", layer ? id_of_layer(*layer, "scores") : "scores"));
    step(1, std::move(softmax));
  } else {
    step(1, divided_by_sums(given));
  }
}

class Given final : public Variant {
 public:
  Given() : Variant(variant_info(), all_params(), step_words()) {}

  // One array, or one a layer.
  ArraySpecs arrays(const ParamValues& params, const IdSet& given) const override {
    const bool scores = params.choice("normalize") == "softmax";
    const auto spec = [&](const std::string& id, const std::string& recorded, const std::string& title) {
      return ArraySpec{.id = id,
                       .title = title,
                       .help =
                           "attention weights as they were saved: (queries, keys) to (layers, batch, heads, "
                           "queries, keys)",
                       .shapes = {{"B", "M", "n_q", "n_k"}},
                       .kind = Kind::input,
                       .role = Role::none,
                       .boolean_ok = true,
                       .layout = Layout::maps,
                       .recorded_as = recorded,
                       .symbol = "G",
                       .letter = "G",
                       .hides = scores};
    };
    ArraySpecs specs;
    for (Index layer = 0; given.contains(id_of_layer(layer, input_id)); ++layer) {
      specs.inputs.push_back(
          spec(id_of_layer(layer, input_id), id_of_layer(layer, "given"), fmt::format("Layer {}: as given", layer)));
      specs.inputs.back().symbol = fmt::format("G^{{({})}}", layer);
    }
    if (specs.inputs.empty()) specs.inputs.push_back(spec(input_id, "given", "As given"));
    return specs;
  }

  void bind(const ParamValues&, Symbols&) const override {}
  void bind_rest(const ParamValues&, Symbols&) const override {}

  Status check_gradients() const override {
    return fail("attention that was given has nothing behind it that a gradient could go back to: open the model");
  }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "given", "inputs": {"weights": {"array": [[[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]],
                "tokens": ["see", "what", "attends"]}}})",
            R"({"variant": "given", "params": {"normalize": "softmax"},
                "inputs": {"weights": {"array": [[[[1, 2], [0.5, 3]]], [[[0, 1], [2, 1]]]], "axes": "lhqk"}}})",
            R"({"variant": "given", "params": {"normalize": "rows"},
                "inputs": {"weights": {"array": [[2, 1, 1], [0, 3, 1]]}}})"};
  }

  void record(Recorder& r) const override {
    const auto& inputs = r.problem().specs.inputs;
    const bool layered = inputs.front().id != input_id;
    constexpr std::size_t few = 8;  // tiles that have room for a word
    Index layer = 0;
    for (const ArraySpec& spec : inputs) {
      const std::string id = fmt::format("layer{}", layer);
      if (layered)
        r.stage(id, fmt::format("Layer {}", layer), fmt::format("{}{}", inputs.size() <= few ? "layer " : "", layer),
                id_of_layer(layer, input_id));
      else
        r.stage(id, "Weights", "weights", std::string(input_id));
      record_layer(r, spec, layered ? std::optional<Index>(layer) : std::nullopt);
      ++layer;
    }
  }
};

}  // namespace

const Variant& given() {
  static const Given variant;
  return variant;
}

}  // namespace headlight
