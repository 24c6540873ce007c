#include "engine/layouts/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <span>

#include "engine/core/words.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

// How an array of the file becomes one of multi_head. nn.Linear holds (out, in), and Headlight multiplies from the
// right.
enum class How {
  as_is,       // a vector; or a matrix that is (in, out) already, as GPT-2 keeps it
  transposed,  // (out, in) → (in, out)
  cut,         // rows m·d' … are head m: (M·d', in) → (M, in, d'); (M·d') → (M, d')
  cut_q,       // the same of the first third of its rows
  cut_k,       // of the second
  cut_v,       // of the last
  columns_q,   // of the first third of the columns of (in, 3·M·d'), or of a vector: → (M, in, d')
  columns_k,
  columns_v,
};

struct Piece {
  const char* array;  // of multi_head
  const char* name;   // in the file, after the prefix; {l} stands for the layer
  How how;
  bool needed = true;
};

struct Setting {
  const char* id;
  const char* word;  // of a choice; null: `flag` or `number` counts
  bool flag = false;
  double number = -1;  // where it is 0 or more
  bool assumed = false;
};

struct Layout {
  const char* id;
  const char* layers;  // what stands before every name in a stack: "layers.{l}."; empty: layers are part of no name
  bool alone;          // the names may also stand without it
  std::span<const Piece> pieces;
  std::span<const Setting> settings;
  const char* attention = "self";
};

#define HL_LINEAR(array, bias, name, how) \
  {array, name ".weight", how}, {         \
    bias, name ".bias", how, false        \
  }
#define HL_NORM(which, name)                                                               \
  {which "_gamma", name ".weight", How::as_is}, {which "_beta", name ".bias", How::as_is}, \
      {which "_gamma", name ".gamma", How::as_is, false}, {                                \
    which "_beta", name ".beta", How::as_is, false                                         \
  }
#define HL_BIAS(bias, name) \
  { bias, name ".bias", How::as_is, false }

#define HL_TORCH_ATTENTION(before)                                                                          \
  {"w_q", before "in_proj_weight", How::cut_q}, {"w_k", before "in_proj_weight", How::cut_k},               \
      {"w_v", before "in_proj_weight", How::cut_v}, {"b_q", before "in_proj_bias", How::cut_q, false},      \
      {"b_k", before "in_proj_bias", How::cut_k, false}, {"b_v", before "in_proj_bias", How::cut_v, false}, \
      {"w_o", before "out_proj.weight", How::transposed}, {                                                 \
    "b_o", before "out_proj.bias", How::as_is, false                                                        \
  }

constexpr Piece torch_attention[] = {HL_TORCH_ATTENTION("")};
constexpr Piece torch_attention_apart[] = {
    {"w_q", "q_proj_weight", How::cut},          {"w_k", "k_proj_weight", How::cut},
    {"w_v", "v_proj_weight", How::cut},          {"b_q", "in_proj_bias", How::cut_q, false},
    {"b_k", "in_proj_bias", How::cut_k, false},  {"b_v", "in_proj_bias", How::cut_v, false},
    {"w_o", "out_proj.weight", How::transposed}, {"b_o", "out_proj.bias", How::as_is, false}};
constexpr Piece torch_encoder[] = {HL_TORCH_ATTENTION("self_attn."), {"w_1", "linear1.weight", How::transposed},
                                   HL_BIAS("b_1", "linear1"),        {"w_2", "linear2.weight", How::transposed},
                                   HL_BIAS("b_2", "linear2"),        HL_NORM("ln", "norm1"),
                                   HL_NORM("ln2", "norm2")};
constexpr Piece torch_decoder_self[] = {HL_TORCH_ATTENTION("self_attn."), HL_NORM("ln", "norm1")};
constexpr Piece torch_decoder_cross[] = {HL_TORCH_ATTENTION("multihead_attn."),
                                         {"w_1", "linear1.weight", How::transposed},
                                         HL_BIAS("b_1", "linear1"),
                                         {"w_2", "linear2.weight", How::transposed},
                                         HL_BIAS("b_2", "linear2"),
                                         HL_NORM("ln", "norm2"),
                                         HL_NORM("ln2", "norm3")};
constexpr Piece gpt2[] = {{"w_q", "attn.c_attn.weight", How::columns_q},
                          {"w_k", "attn.c_attn.weight", How::columns_k},
                          {"w_v", "attn.c_attn.weight", How::columns_v},
                          {"b_q", "attn.c_attn.bias", How::columns_q, false},
                          {"b_k", "attn.c_attn.bias", How::columns_k, false},
                          {"b_v", "attn.c_attn.bias", How::columns_v, false},
                          {"w_o", "attn.c_proj.weight", How::as_is},
                          HL_BIAS("b_o", "attn.c_proj"),
                          HL_NORM("ln", "ln_1"),
                          HL_NORM("ln2", "ln_2"),
                          {"w_1", "mlp.c_fc.weight", How::as_is},
                          HL_BIAS("b_1", "mlp.c_fc"),
                          {"w_2", "mlp.c_proj.weight", How::as_is},
                          HL_BIAS("b_2", "mlp.c_proj")};

#define HL_HUGGING_FACE(attention, q, k, v, o, ln, up, down, ln2)                                               \
  HL_LINEAR("w_q", "b_q", attention q, How::cut), HL_LINEAR("w_k", "b_k", attention k, How::cut),               \
      HL_LINEAR("w_v", "b_v", attention v, How::cut), {"w_o", o ".weight", How::transposed}, HL_BIAS("b_o", o), \
      {"w_1", up ".weight", How::transposed}, HL_BIAS("b_1", up), {"w_2", down ".weight", How::transposed},     \
      HL_BIAS("b_2", down), HL_NORM("ln", ln), HL_NORM("ln2", ln2)

constexpr Piece bert[] = {HL_HUGGING_FACE("attention.self.", "query", "key", "value", "attention.output.dense",
                                          "attention.output.LayerNorm", "intermediate.dense", "output.dense",
                                          "output.LayerNorm")};
constexpr Piece distilbert[] = {HL_HUGGING_FACE("attention.", "q_lin", "k_lin", "v_lin", "attention.out_lin",
                                                "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm")};
constexpr Piece vit[] = {HL_HUGGING_FACE("attention.attention.", "query", "key", "value", "attention.output.dense",
                                         "layernorm_before", "intermediate.dense", "output.dense", "layernorm_after")};

constexpr Setting of_attention[] = {{"block", "bare"}, {"ffn", nullptr, false}};
constexpr Setting of_torch[] = {{"block", "post_norm", false, -1, true},
                                {"ffn", nullptr, true},
                                {"ffn_activation", "relu", false, -1, true},
                                {"norm_epsilon", nullptr, false, 1e-5, true}};
constexpr Setting of_decoder_self[] = {{"block", "post_norm", false, -1, true},
                                       {"ffn", nullptr, false},
                                       {"mask", "causal", false, -1, true},
                                       {"norm_epsilon", nullptr, false, 1e-5, true}};
constexpr Setting of_gpt2[] = {{"block", "pre_norm"},
                               {"ffn", nullptr, true},
                               {"mask", "causal"},
                               {"ffn_activation", "gelu_tanh"},
                               {"norm_epsilon", nullptr, false, 1e-5}};
constexpr Setting of_bert[] = {{"block", "post_norm"},
                               {"ffn", nullptr, true},
                               {"ffn_activation", "gelu"},
                               {"norm_epsilon", nullptr, false, 1e-12}};
constexpr Setting of_vit[] = {
    {"block", "pre_norm"}, {"ffn", nullptr, true}, {"ffn_activation", "gelu"}, {"norm_epsilon", nullptr, false, 1e-12}};

// In the order in which equal fits are chosen.
constexpr Layout layouts[] = {
    {"torch.MultiheadAttention", "", true, torch_attention, of_attention},
    {"torch.MultiheadAttention", "", true, torch_attention_apart, of_attention},
    {"torch.TransformerEncoderLayer", "layers.{l}.", true, torch_encoder, of_torch},
    {"torch.TransformerDecoderLayer", "layers.{l}.", true, torch_decoder_cross, of_torch, "cross"},
    {"torch.TransformerDecoderLayer", "layers.{l}.", true, torch_decoder_self, of_decoder_self},
    {"gpt2", "h.{l}.", true, gpt2, of_gpt2},
    {"bert", "encoder.layer.{l}.", true, bert, of_bert},
    {"roberta", "encoder.layer.{l}.", true, bert, of_bert},
    {"distilbert", "transformer.layer.{l}.", true, distilbert, of_bert},
    {"vit", "encoder.layer.{l}.", true, vit, of_vit},
    {"deit", "encoder.layer.{l}.", true, vit, of_vit},
};

std::string known_layouts() {
  std::vector<std::string> ids;
  for (const Layout& layout : layouts)
    if (std::ranges::find(ids, layout.id) == ids.end()) ids.emplace_back(layout.id);
  return fmt::format("{}", fmt::join(ids, ", "));
}

// Names of a file without what data parallel and compiled modules put before them.
std::string_view plain_name(std::string_view name) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view before : {std::string_view("module."), std::string_view("_orig_mod.")})
      if (name.starts_with(before)) name.remove_prefix(before.size()), again = true;
  }
  return name;
}

using Names = std::map<std::string, std::size_t, std::less<>>;  // → entry of the file

Names names_of(const ArraySource& source) {
  Names names;
  for (std::size_t i = 0; i < source.entries().size(); ++i) {
    const std::string& name = source.entries()[i].name;
    const std::string plain(plain_name(name));
    names.emplace(names.contains(plain) ? name : plain, i);
  }
  return names;
}

// A place where the names of a layout are.
struct Fit {
  const Layout* layout = nullptr;
  std::string prefix;               // before the layers: "bert."
  std::string before;               // every name of the chosen layer: "bert.encoder.layer.3."
  std::optional<Index> layer = {};  // none where names have no number
  std::vector<Index> layers = {};   // that there are
  std::size_t used = 0;             // arrays
};

// Both spellings of a norm are optional by themselves; one of them must be there.
bool is_there(const Names& names, const Layout& layout, const std::string& before, const Piece& piece) {
  return std::ranges::any_of(layout.pieces, [&](const Piece& other) {
    return std::string_view(other.array) == piece.array && names.contains(before + other.name);
  });
}

const Piece* missing(const Names& names, const Layout& layout, const std::string& before) {
  for (const Piece& piece : layout.pieces)
    if (piece.needed && !is_there(names, layout, before, piece)) return &piece;
  return nullptr;
}

std::size_t count_used(const Names& names, const Layout& layout, const std::string& before) {
  std::set<std::string> used;
  for (const Piece& piece : layout.pieces)
    if (names.contains(before + piece.name)) used.insert(piece.name);
  return used.size();
}

std::string with_layer(std::string_view layers, Index layer) {
  std::string text(layers);
  if (const auto at = text.find("{l}"); at != std::string::npos) text.replace(at, 3, fmt::format("{}", layer));
  return text;
}

// "bert.encoder.layer.3." → "bert." and 3, for "encoder.layer.{l}.".
std::optional<std::pair<std::string, Index>> stack_in(const std::string& before, std::string_view layers) {
  const auto number = layers.find("{l}");
  if (number == std::string_view::npos) return std::nullopt;
  const std::string_view head = layers.substr(0, number), tail = layers.substr(number + 3);
  if (!before.ends_with(tail)) return std::nullopt;
  const std::string_view rest = std::string_view(before).substr(0, before.size() - tail.size());
  std::size_t digits = rest.size();
  while (digits > 0 && rest[digits - 1] >= '0' && rest[digits - 1] <= '9') --digits;
  Index layer = 0;
  const auto parsed = std::from_chars(rest.data() + digits, rest.data() + rest.size(), layer);
  if (digits == rest.size() || parsed.ec != std::errc() || !rest.substr(0, digits).ends_with(head)) return std::nullopt;
  return std::pair{std::string(rest.substr(0, digits - head.size())), layer};
}

// Every place where the layout's names are, one a stack.
std::vector<Fit> fits_of(const Names& names, const Layout& layout) {
  std::map<std::string, Fit> stacks;
  std::vector<Fit> found;
  const std::string first = layout.pieces.front().name;
  for (const auto& [name, entry] : names) {
    if (!name.ends_with(first)) continue;
    const std::string before = name.substr(0, name.size() - first.size());
    if ((!before.empty() && !before.ends_with('.')) || missing(names, layout, before)) continue;
    const std::size_t used = count_used(names, layout, before);
    if (const auto stack = stack_in(before, layout.layers)) {
      Fit& fit = stacks[stack->first];
      if (fit.layers.empty()) fit = {&layout, stack->first, "", std::nullopt, {}, used};
      fit.layers.push_back(stack->second);
    } else if (layout.alone) {
      found.push_back({&layout, before, before, std::nullopt, {}, used});
    }
  }
  for (auto& [prefix, fit] : stacks) {
    std::ranges::sort(fit.layers);
    found.push_back(std::move(fit));
  }
  return found;
}

bool is_wanted(const Fit& fit, const WeightsSpec& asked) {
  const auto agrees = [](const std::string& wanted, std::string_view has) { return wanted.empty() || has == wanted; };
  const bool stack = asked.stack.empty() || fit.prefix.find(asked.stack) != std::string::npos ||
                     (fit.layout->layers + std::string()).find(asked.stack) != std::string::npos;
  return agrees(asked.layout, fit.layout->id) && agrees(asked.attention, fit.layout->attention) && stack &&
         (asked.prefix.empty() || fit.prefix == asked.prefix || fit.prefix == asked.prefix + ".");
}

// All fits, the fullest first; equal ones as the table has them, then by their prefix.
std::vector<Fit> all_fits(const Names& names) {
  std::vector<Fit> found;
  for (const Layout& layout : layouts)
    for (Fit& fit : fits_of(names, layout)) found.push_back(std::move(fit));
  std::ranges::stable_sort(found, [](const Fit& a, const Fit& b) { return a.used > b.used; });
  return found;
}

// ---- What is refused ---------------------------------------------------------------------------------------------

tl::unexpected<Error> no_fit(const ArraySource& source, const Names& names, const WeightsSpec& asked,
                             const std::vector<Fit>& all, const std::string& file) {
  const std::string fitting = all.empty() ? "" : fmt::format("; its names fit {}", all.front().layout->id);
  if (!asked.layout.empty()) {
    const auto layout = std::ranges::find(layouts, asked.layout, [](const Layout& one) { return std::string(one.id); });
    if (layout == std::end(layouts))
      return fail("weights.layout is \"{}\": it must be one of {}", brief(asked.layout), known_layouts());
    const bool some = std::ranges::any_of(all, [&](const Fit& fit) { return fit.layout->id == asked.layout; });
    if (!some)
      return fail("{}: layout {} needs …{}, which is not there{}", file, layout->id, layout->pieces.front().name,
                  fitting);
  }
  if (!all.empty()) {
    std::vector<std::string> there;
    for (const Fit& fit : all) there.push_back(fmt::format("{} at \"{}\"", fit.layout->id, fit.prefix));
    return fail("{}: no layer of that stack, attention or prefix is there: it has {}", file, brief_list(there));
  }
  constexpr std::size_t most = 10;
  std::vector<std::string> held;
  for (const auto& entry : source.entries())
    if (held.size() < most) held.push_back(fmt::format("{} {}", one_line(entry.name), to_string(entry.shape)));
  return fail("{}: its names fit no layout that is known ({}): it holds {}{}", file, known_layouts(),
              fmt::join(held, ", "), names.size() > most ? ", …" : "");
}

// ---- Making the arrays -------------------------------------------------------------------------------------------

// Rows [begin, end) of the first axis, or numbers of a vector.
Tensor rows_of(const Tensor& all, Index begin, Index end) {
  Shape shape = all.shape();
  const Index each = all.size() / std::max<Index>(1, shape[0]);
  shape[0] = end - begin;
  return Tensor::from(shape, all.values().subspan(static_cast<std::size_t>(begin * each),
                                                  static_cast<std::size_t>((end - begin) * each)));
}

Tensor transposed(const Tensor& matrix) {
  const Index rows = matrix.dim(0), columns = matrix.dim(1);
  Tensor result = Tensor::uninitialized({columns, rows});
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
  return result;
}

// (M·d', in) → (M, in, d'), (M·d') → (M, d').
Tensor cut_in_heads(Tensor rows, Index heads) {
  const Index width = rows.dim(0) / heads;
  if (rows.rank() == 1) return std::move(rows).reshaped({heads, width});
  const Index in = rows.dim(1);
  Tensor result = Tensor::uninitialized({heads, in, width});
  for (Index m = 0; m < heads; ++m)
    for (Index c = 0; c < width; ++c)
      for (Index i = 0; i < in; ++i) result[(m * in + i) * width + c] = rows[(m * width + c) * in + i];
  return result;
}

Index third_of(How how) {
  return how == How::cut_k || how == How::columns_k ? 1 : how == How::cut_v || how == How::columns_v ? 2 : 0;
}

bool by_columns(How how) {
  return how == How::columns_q || how == How::columns_k || how == How::columns_v;
}

Result<Tensor> converted(Tensor given, How how, Index heads) {
  const bool vector = given.rank() == 1;
  if (given.rank() < 1 || given.rank() > 2 || (how == How::transposed && vector))
    return fail("has shape {}: a {} is needed", to_string(given.shape()),
                how == How::transposed ? "matrix" : "vector or a matrix");
  if (how == How::as_is) return given;
  if (how == How::transposed) return transposed(given);
  Tensor rows = by_columns(how) && !vector ? transposed(given) : std::move(given);
  Index count = rows.dim(0);
  if (how != How::cut) {
    if (count % 3 != 0) return fail("has {} rows: they cannot be cut into queries, keys and values", count);
    count /= 3;
    rows = rows_of(rows, third_of(how) * count, (third_of(how) + 1) * count);
  }
  if (count == 0 || count % heads != 0) return fail("has {} rows for {} heads: heads must divide them", count, heads);
  return cut_in_heads(std::move(rows), heads);
}

Result<LayerOfStateDict> arrays_of(const ArraySource& source, const Names& names, const Fit& fit, Index heads,
                                   const std::string& file) {
  LayerOfStateDict layer;
  std::map<std::size_t, NamedArray> read;  // what several arrays are cut from is read once
  for (const Piece& piece : fit.layout->pieces) {
    const auto found = names.find(fit.before + piece.name);
    if (found == names.end() || layer.arrays.contains(piece.array)) continue;
    if (!read.contains(found->second)) {
      HL_TRY(NamedArray array, source.read(found->second));
      if (array.dtype.find("float") == std::string::npos)
        return fail("{}: {} is of type {}: weights are floats", file, found->first, array.dtype);
      read.emplace(found->second, std::move(array));
    }
    auto values = converted(read.at(found->second).values, piece.how, heads);
    if (!values) return fail("{}: {} {}", file, found->first, values.error().message);
    layer.arrays.emplace(piece.array, std::move(*values));
  }
  for (const char* refused : {"bias_k", "bias_v"})
    if (names.contains(fit.before + refused) || names.contains(fit.before + "self_attn." + refused))
      return fail("{}: {}{} is a key or value of its own (add_bias_kv), which multi_head does not have", file,
                  fit.before, refused);
  return layer;
}

// ---- What is said ------------------------------------------------------------------------------------------------

// "embeddings, other layers": by the part of each name that tells, the first few.
std::string parts_not_used(const Names& names, const Fit& fit) {
  std::vector<std::string> parts;
  for (const auto& [name, entry] : names) {
    if (name.starts_with(fit.before) && !fit.before.empty()) continue;
    const bool used =
        std::ranges::any_of(fit.layout->pieces, [&](const Piece& piece) { return name == fit.before + piece.name; });
    if (used) continue;
    const std::string stack = fit.layer ? fit.prefix + with_layer(fit.layout->layers, 0) : "";
    const bool other = !stack.empty() && name.starts_with(stack.substr(0, stack.find('0')));
    std::string part =
        other ? "other layers"
              : name.substr(fit.prefix.size() < name.size() && name.starts_with(fit.prefix) ? fit.prefix.size() : 0);
    part = other ? part : part.substr(0, part.find('.'));
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(part);
  }
  return parts.empty() ? "" : fmt::format(" ({})", brief_list(parts));
}

void say(const ArraySource& source, const Names& names, const Fit& fit, const std::vector<Fit>& all,
         const WeightsSpec& asked, const std::string& file, LayerOfStateDict& layer) {
  const std::size_t unused = names.size() - std::min(names.size(), fit.used);
  const std::string which = fit.layer ? fmt::format(" layer {} of {}", *fit.layer, fit.layers.size()) : std::string();
  layer.notices.push_back(fmt::format("{}{} from {}: {} arrays used, {} not{}", fit.layout->id, which, file, fit.used,
                                      unused, unused > 0 ? parts_not_used(names, fit) : ""));
  std::vector<std::string> others;
  for (const Fit& other : all)
    if (asked.prefix.empty() && other.layout == fit.layout && other.prefix != fit.prefix)
      others.push_back(fmt::format("\"{}\"", other.prefix));
  if (!others.empty())
    layer.notices.push_back(
        fmt::format("{}: {} is also at {}: say \"prefix\"", file, fit.layout->id, brief_list(others)));
  if (!source.note().empty()) layer.notices.push_back(fmt::format("{}: {}", file, source.note()));
}

void set_params(const Layout& layout, const std::string& file, LayerOfStateDict& layer) {
  std::vector<std::string> assumed;
  for (const Setting& setting : layout.settings) {
    ParamValue value = setting.word          ? ParamValue(std::string(setting.word))
                       : setting.number >= 0 ? ParamValue(setting.number)
                                             : ParamValue(setting.flag);
    if (setting.assumed) assumed.push_back(fmt::format("{} {}", setting.id, to_string(value)));
    layer.params.emplace_back(setting.id, std::move(value));
  }
  if (!assumed.empty())
    layer.notices.push_back(
        fmt::format("{}: assumed, since the file does not say it: {}", file, fmt::join(assumed, ", ")));
}

}  // namespace

std::vector<std::string> layouts_of(const ArraySource& source) {
  std::vector<std::string> found;
  for (const Fit& fit : all_fits(names_of(source)))
    found.push_back(fit.layers.empty()
                        ? fit.layout->id + (fit.prefix.empty() ? "" : fmt::format(" at \"{}\"", fit.prefix))
                        : fmt::format("{}: {} layers{}", fit.layout->id, fit.layers.size(),
                                      fit.prefix.empty() ? "" : fmt::format(" at \"{}\"", fit.prefix)));
  return found;
}

Result<LayerOfStateDict> layer_of(const ArraySource& source, const WeightsSpec& asked, Index heads,
                                  const std::string& name) {
  const Names names = names_of(source);
  const auto all = all_fits(names);
  const auto found = std::ranges::find_if(all, [&](const Fit& fit) { return is_wanted(fit, asked); });
  if (found == all.end()) return no_fit(source, names, asked, all, name);
  Fit fit = *found;
  if (!fit.layers.empty()) {
    fit.layer = asked.layer.value_or(fit.layers.front());
    if (std::ranges::find(fit.layers, *fit.layer) == fit.layers.end())
      return fail("{}: {} has no layer {}: it has {} to {}", name, fit.layout->id, *fit.layer, fit.layers.front(),
                  fit.layers.back());
    fit.before = fit.prefix + with_layer(fit.layout->layers, *fit.layer);
    fit.used = count_used(names, *fit.layout, fit.before);
  }
  const auto output =
      names.find(fit.before + std::ranges::find(fit.layout->pieces, std::string_view("w_o"), [](const Piece& piece) {
                                return std::string_view(piece.array);
                              })->name);
  const Shape& shape = source.entries()[output->second].shape;
  const Index width = shape.empty() ? 0 : shape[fit.layout->id == std::string_view("gpt2") && shape.size() > 1 ? 1 : 0];
  if (heads == 0)
    return fail("{}: a {} of width {} does not say how many heads it has: set params.heads", name, fit.layout->id,
                width);
  HL_TRY(LayerOfStateDict layer, arrays_of(source, names, fit, heads, name));
  say(source, names, fit, all, asked, name, layer);
  set_params(*fit.layout, name, layer);
  return layer;
}

}  // namespace headlight
