#include "app/reading/masks/mask_code.h"
#include "app/reading/step_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace headlight::app {

namespace {

// An array that the lines read, written out.
std::string array_literal(const Step& array) {
  const Tensor& tensor = array.tensor();
  const auto row = [&](Index first, Index count) {
    std::vector<std::string> numbers;
    for (Index i = first; i < first + count; ++i) {
      const float value = tensor[i];
      numbers.push_back(fmt::format("{}", value));
    }
    return fmt::format("[{}]", fmt::join(numbers, ", "));
  };
  if (tensor.rank() == 1) return row(0, tensor.dim(0));
  const Index last = tensor.shape().back();
  std::vector<std::string> rows;
  for (Index i = 0; i < tensor.size(); i += last) rows.push_back(row(i, last));
  const std::string list = fmt::format("[{}]", fmt::join(rows, ",\n   "));
  return tensor.rank() == 2 ? list : fmt::format("{}).view({}", list, fmt::join(tensor.shape(), ", "));
}

// Those that the rules read, each as a line.
std::string arrays_read(const Trace& trace, const std::string& lines) {
  std::string code;
  for (const std::string_view name : names_in(lines))
    for (const Step& source : trace.sources)
      if (source.info.id == name && !source.rules && code.find(fmt::format("{} = ", name)) == std::string::npos)
        code += fmt::format("{} = torch.tensor({})\n", name, array_literal(source));
  if (code.find("inf") != std::string::npos) code = "inf = float(\"inf\")\n" + code;
  return code;
}

// Lines that make the mask as it is added to scores, by the rules and what was painted; under the name of its array.
std::string lines_of_mask(const Trace& trace) {
  const Step* step = masked_step(trace);
  return arrays_read(trace, step->info.code.torch) + step->info.code.torch + "\n";
}

// The usual short line where a rule stands alone that hides just what comes after a query.
std::optional<std::string> short_form(const Step* masked, const MaskReading& mask, TorchMask as) {
  if (!masked || mask.layers.size() != 1 || mask.first_query != 0) return std::nullopt;
  if (masked->rules->list.size() != 1 || !masked->rules->list.front().triangle) return std::nullopt;
  const std::string ones = fmt::format("torch.ones({}, {}, dtype=torch.bool)", mask.queries, mask.keys);
  if (as == TorchMask::added)
    return fmt::format("attn_mask = torch.full(({}, {}), float(\"-inf\")).triu(1)", mask.queries, mask.keys);
  return fmt::format("attn_mask = {}.{}", ones, as == TorchMask::hidden ? "triu(1)" : "tril()");
}

// A number that is one of an array, times something.
std::optional<std::pair<const Step*, double>> scaled_number(const Trace& trace, const Step& step) {
  if (!step.base_explain()) return std::nullopt;
  const Explanation why = step.base_explain()(0);
  if (why.combine != Combine::sum || why.terms.size() != 1 || why.terms[0].factors.size() != 1) return std::nullopt;
  const Step* of = trace.find(why.terms[0].factors[0].array);
  if (!of) return std::nullopt;
  return std::pair(of, why.scale);
}

// A sum of products of numbers of two arrays, of those roles, without a factor: how many products; 0 where it is none.
std::size_t products(const Trace& trace, const Step& step, const Step* first, Role second) {
  if (!step.base_explain()) return 0;
  const Explanation why = step.base_explain()(0);
  const auto is_product = [&](const Term& term) {
    if (term.factors.size() != 2) return false;
    const Step *a = trace.find(term.factors[0].array), *b = trace.find(term.factors[1].array);
    return a && b && (first ? a == first : a->info.role == Role::query) && b->info.role == second;
  };
  const bool plain = why.combine == Combine::sum && why.scale == 1 && std::ranges::all_of(why.terms, is_product);
  return plain ? why.terms.size() : 0;
}

// Whether PyTorch's attention computes the run's map and what is taken by it: softmax(q kᵀ / √d + mask) v.
bool is_torch_attention(const Trace& trace) {
  const Step &map = *trace.map(), *scores = trace.scores_before(map);
  if (!scores || !map.base_explain() || map.base_explain()(0).combine != Combine::softmax) return false;
  const auto read = trace.inputs_of(*scores);
  if (read.size() == 2 && read[1] == masked_step(trace)) scores = read[0];  // before the mask
  const auto scaled = scaled_number(trace, *scores);
  const std::size_t width = scaled ? products(trace, *scaled->first, nullptr, Role::key) : 0;
  if (width == 0 || std::abs(scaled->second - 1 / std::sqrt(static_cast<double>(width))) > 1e-9) return false;
  const auto takes = [&](const Step& step) { return std::ranges::count(trace.inputs_of(step), &map) > 0; };
  const auto taking = std::ranges::find_if(trace.steps, takes);
  return taking != trace.steps.end() && products(trace, *taking, &map, Role::value) > 0;
}

std::string call_of_torch(TorchMask as, bool planes) {
  if (as == TorchMask::hidden)
    return planes ? "nn.MultiheadAttention(d, heads)(q, k, v, attn_mask=attn_mask)  # (B·heads, n_q, n_k)"
                  : "nn.MultiheadAttention(d, heads)(q, k, v, attn_mask=attn_mask)";
  return "F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)";
}

// The mechanism's own lines that read the mask, or that make its map where nothing is hidden.
std::string own_lines(const Trace& trace, TorchMask as) {
  const Step* masked = masked_step(trace);
  if (!masked) return trace.map()->info.code.torch;
  std::string lines = fmt::format("{} = ", masked->info.id);
  if (as == TorchMask::added)
    lines += "attn_mask";
  else
    lines += fmt::format("torch.zeros(attn_mask.shape).masked_fill({}attn_mask, -torch.inf)",
                         as == TorchMask::hidden ? "" : "~");
  for (const Step& step : trace.steps)
    if (std::ranges::count(trace.inputs_of(step), masked) > 0) lines += "\n" + step.info.code.torch;
  return lines;
}

}  // namespace

std::optional<MaskCode> mask_code(const Trace& trace, const MaskReading& mask, TorchMask as) {
  const Step* step = masked_step(trace);
  if (step && step->info.kind != Kind::mask) return std::nullopt;
  const Axis* keys = trace.map()->axis(AxisRole::key);
  if (keys && (keys->window || keys->position_of)) return std::nullopt;
  const bool planes = step && (step->tensor().dim(0) > 1 || step->tensor().dim(1) > 1);
  MaskCode code;
  const Shape shape = planes
                          ? Shape{trace.map()->tensor().dim(0), trace.map()->tensor().dim(1), mask.queries, mask.keys}
                          : Shape{mask.queries, mask.keys};
  const bool of_torch = is_torch_attention(trace), flat = planes && of_torch && as == TorchMask::hidden;
  if (const auto line = short_form(step, mask, as)) {
    code.lines = *line;
  } else {
    if (step) code.lines = lines_of_mask(trace);
    std::string spread = fmt::format("torch.zeros({}, {})", mask.queries, mask.keys);
    if (flat)
      spread = fmt::format("{0}.expand({1}, {2}, {3}, {4}).reshape({5}, {3}, {4})", step->info.id, shape[0], shape[1],
                           shape[2], shape[3], shape[0] * shape[1]);
    else if (step)
      spread = planes ? fmt::format("{}.expand({})", step->info.id, fmt::join(shape, ", "))
                      : fmt::format("{}.expand(1, 1, {}, {})[0, 0]", step->info.id, mask.queries, mask.keys);
    code.lines += "attn_mask = " + spread;
    if (as != TorchMask::added) code.lines += as == TorchMask::hidden ? " == float(\"-inf\")" : " > float(\"-inf\")";
  }
  code.call = of_torch ? call_of_torch(as, planes) : own_lines(trace, as);
  const Shape said = flat ? Shape{shape[0] * shape[1], shape[2], shape[3]} : shape;
  code.shape = fmt::format("({}), {}", fmt::join(said, ", "), as == TorchMask::added ? "float" : "bool");
  return code;
}

std::string polarity_in_words(TorchMask as) {
  static constexpr std::array words{
      "True hides: as in nn.MultiheadAttention, attn_mask and key_padding_mask alike.",
      "True may look: as in F.scaled_dot_product_attention, the opposite of nn.MultiheadAttention.",
      "Numbers are added to the scores, −∞ hides: both take it, in the type of the queries."};
  return words[static_cast<std::size_t>(as)];
}

}  // namespace headlight::app
