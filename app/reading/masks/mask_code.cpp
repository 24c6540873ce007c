#include "app/reading/masks/mask_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace headlight::app {

namespace {

// An array that the lines read, written out.
std::string written_out(const Step& array) {
  const Tensor& tensor = array.tensor();
  const auto row = [&](Index first, Index count) {
    std::vector<std::string> numbers;
    for (Index i = first; i < first + count; ++i) {
      const float value = tensor[i];
      numbers.push_back(std::isinf(value) ? (value < 0 ? "-inf" : "inf") : fmt::format("{}", value));
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
        code += fmt::format("{} = torch.tensor({})\n", name, written_out(source));
  if (code.find("inf") != std::string::npos) code = "inf = float(\"inf\")\n" + code;
  return code;
}

// Lines that make the mask as it is added to scores, by the rules and what was painted; under the name of its array.
std::string lines_of_mask(const Trace& trace) {
  const Step* step = masked_step(trace);
  return arrays_read(trace, step->info.code.torch) + step->info.code.torch + "\n";
}

// The usual short line where the causal rule stands alone.
std::optional<std::string> short_form(const MaskReading& mask, TorchMask as) {
  if (mask.layers.size() != 1 || mask.layers[0].id != "causal" || mask.first_query != 0) return std::nullopt;
  const std::string ones = fmt::format("torch.ones({}, {}, dtype=torch.bool)", mask.queries, mask.keys);
  switch (as) {
    case TorchMask::hidden:
      return fmt::format("attn_mask = {}.triu(1)", ones);
    case TorchMask::visible:
      return fmt::format("attn_mask = {}.tril()", ones);
    case TorchMask::added:
      return fmt::format("attn_mask = torch.full(({}, {}), float(\"-inf\")).triu(1)", mask.queries, mask.keys);
  }
  return std::nullopt;
}

std::string call_of(TorchMask as, bool planes) {
  if (as == TorchMask::hidden)
    return planes ? "nn.MultiheadAttention(d, heads)(q, k, v, attn_mask=attn_mask)  # (B·heads, n_q, n_k)"
                  : "nn.MultiheadAttention(d, heads)(q, k, v, attn_mask=attn_mask)";
  return "F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)";
}

}  // namespace

std::optional<MaskCode> mask_code(const Trace& trace, const MaskReading& mask, TorchMask as) {
  const Step* step = masked_step(trace);
  if (step && step->info.kind != Kind::mask) return std::nullopt;
  const Axis* keys = trace.map()->axis(AxisRole::key);
  if (keys && keys->window) return std::nullopt;
  const bool planes = step && (step->tensor().dim(0) > 1 || step->tensor().dim(1) > 1);
  MaskCode code;
  const Shape shape = planes
                          ? Shape{trace.map()->tensor().dim(0), trace.map()->tensor().dim(1), mask.queries, mask.keys}
                          : Shape{mask.queries, mask.keys};
  if (const auto line = short_form(mask, as)) {
    code.lines = *line;
  } else {
    if (step) code.lines = lines_of_mask(trace);
    std::string spread = fmt::format("torch.zeros({}, {})", mask.queries, mask.keys);
    if (planes && as == TorchMask::hidden)
      spread = fmt::format("{0}.expand({1}, {2}, {3}, {4}).reshape({5}, {3}, {4})", step->info.id, shape[0], shape[1],
                           shape[2], shape[3], shape[0] * shape[1]);
    else if (step)
      spread = planes ? fmt::format("{}.expand({})", step->info.id, fmt::join(shape, ", "))
                      : fmt::format("{}.expand(1, 1, {}, {})[0, 0]", step->info.id, mask.queries, mask.keys);
    code.lines += as == TorchMask::added    ? "attn_mask = " + spread
                  : as == TorchMask::hidden ? fmt::format("attn_mask = {} == float(\"-inf\")", spread)
                                            : fmt::format("attn_mask = {} > float(\"-inf\")", spread);
  }
  code.call = call_of(as, planes);
  const Shape said = planes && as == TorchMask::hidden ? Shape{shape[0] * shape[1], shape[2], shape[3]} : shape;
  code.shape = fmt::format("({}), {}", fmt::join(said, ", "), as == TorchMask::added ? "float" : "bool");
  return code;
}

std::string polarity_in_words(TorchMask as) {
  switch (as) {
    case TorchMask::hidden:
      return "True hides: as in nn.MultiheadAttention, attn_mask and key_padding_mask alike.";
    case TorchMask::visible:
      return "True may look: as in F.scaled_dot_product_attention, the opposite of nn.MultiheadAttention.";
    case TorchMask::added:
      return "Numbers are added to the scores, −∞ hides: both take it, in the type of the queries.";
  }
  return {};
}

}  // namespace headlight::app
