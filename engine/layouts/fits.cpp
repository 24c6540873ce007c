#include "engine/layouts/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "engine/base/words.h"

namespace headlight {

std::string_view stack_of(const LayoutTable& layout) {
  if (*layout.stack) return layout.stack;
  struct Begin {
    std::string_view layers, stack;
  };
  for (const auto& [layers, stack] :
       {Begin{"encoder", "encoder"}, Begin{"decoder", "decoder"}, Begin{"text", "text"}, Begin{"vis", "vision"}})
    if (std::string_view(layout.layers).starts_with(layers)) return stack;
  return {};
}

std::string title_of(const LayoutTable& layout) {
  const auto differ = [&](auto of) {
    return std::ranges::any_of(all_layouts(), [&](const LayoutTable& other) {
      return std::string_view(other.id) == layout.id && of(other) != of(layout);
    });
  };
  std::string title = layout.id;
  if (differ(stack_of)) title += fmt::format(" {}", stack_of(layout));
  const auto attention_of = [](const LayoutTable& one) { return std::string_view(one.attention); };
  if (differ(attention_of) && stack_of(layout) != "encoder") title += fmt::format(" {}", layout.attention);
  return title;
}

namespace {

// Names of a file without what data parallel and compiled modules put before them.
std::string_view plain_name(std::string_view name) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view before : {std::string_view("module."), std::string_view("_orig_mod.")})
      if (name.starts_with(before)) {
        name.remove_prefix(before.size());
        again = true;
      }
  }
  return name;
}

}  // namespace

NamesOfFile names_of(const ArraySource& source) {
  NamesOfFile names;
  for (std::size_t i = 0; i < source.entries().size(); ++i) {
    const std::string& name = source.entries()[i].name;
    const std::string plain(plain_name(name));
    names.emplace(names.contains(plain) ? name : plain, i);
  }
  return names;
}

namespace {

// Of a layer that its stage counts: the stage's number times this, and its own.
constexpr Index most_of_stage = 4096;

void put_number(std::string& text, std::string_view for_what, Index number) {
  if (const auto at = text.find(for_what); at != std::string::npos)
    text.replace(at, for_what.size(), fmt::format("{}", number));
}

// Takes "12." off the end of "layers.12.", for "." as its tail.
std::optional<Index> take_number(std::string_view& text, std::string_view tail) {
  if (!text.ends_with(tail)) return std::nullopt;
  const std::string_view rest = text.substr(0, text.size() - tail.size());
  std::size_t digits = rest.size();
  while (digits > 0 && is_digit(rest[digits - 1])) --digits;
  const auto number = parse_number<Index>(rest.substr(digits));
  if (number) text = rest.substr(0, digits);
  return number;
}

}  // namespace

std::string with_layer(std::string_view layers, Index layer) {
  std::string text(layers);
  const bool staged = text.find("{s}") != std::string::npos;
  put_number(text, "{s}", layer / most_of_stage);
  put_number(text, "{l}", staged ? layer % most_of_stage : layer);
  return text;
}

std::string before_layer(const Fit& fit, Index layer) {
  const auto place = std::ranges::find(fit.layers, layer) - fit.layers.begin();
  const bool staged = static_cast<std::size_t>(place) < fit.staged.size();
  return fit.prefix + with_layer(fit.layout->layers, staged ? fit.staged[static_cast<std::size_t>(place)] : layer);
}

namespace {

// "bert.encoder.layer.3." → "bert." and 3, for "encoder.layer.{l}.".
std::optional<std::pair<std::string, Index>> stack_in(const std::string& before, std::string_view layers) {
  const auto number = layers.find("{l}"), stage = layers.find("{s}");
  if (number == std::string_view::npos) return std::nullopt;
  const bool staged = stage != std::string_view::npos;
  std::string_view rest = before, head = layers.substr(0, staged ? stage : number);
  const auto layer = take_number(rest, layers.substr(number + 3));
  const auto of_stage =
      staged ? take_number(rest, layers.substr(stage + 3, number - stage - 3)) : std::optional<Index>(0);
  if (!layer || !of_stage || !rest.ends_with(head)) return std::nullopt;
  if (staged && (*layer >= most_of_stage || *of_stage >= most_of_stage)) return std::nullopt;
  return std::pair{std::string(rest.substr(0, rest.size() - head.size())), *of_stage * most_of_stage + *layer};
}

// What stands before a piece's name: `before`, its layer's, or layer 0's for a piece that layer 0 alone has.
std::string before_piece(const LayoutTable& layout, const std::string& before, const Piece& piece) {
  if (!piece.of_first_layer) return before;
  const auto stack = stack_in(before, layout.layers);
  return stack ? stack->first + with_layer(layout.layers, 0) : before;
}

}  // namespace

std::string name_in(const LayoutTable& layout, const std::string& before, const Piece& piece) {
  return before_piece(layout, before, piece) + piece.name;
}

namespace {

// Both spellings of a norm are optional by themselves; one of them must be there.
bool is_there(const NamesOfFile& names, const LayoutTable& layout, const std::string& before, const Piece& piece) {
  return std::ranges::any_of(layout.pieces, [&](const Piece& other) {
    return std::string_view(other.array) == piece.array && names.contains(name_in(layout, before, other));
  });
}

}  // namespace

const Piece* missing(const NamesOfFile& names, const LayoutTable& layout, const std::string& before) {
  for (const Piece& piece : layout.pieces)
    if (piece.needed && !is_there(names, layout, before, piece)) return &piece;
  return nullptr;
}

std::size_t count_used(const NamesOfFile& names, const LayoutTable& layout, const std::string& before) {
  std::set<std::string> used;
  for (const Piece& piece : layout.pieces)
    if (names.contains(name_in(layout, before, piece))) used.insert(piece.name);
  return used.size();
}

namespace {

// Whether what stands round its layers says that they are those of another stack.
bool is_of_other_stack(const NamesOfFile& names, const LayoutTable& layout, const std::string& prefix) {
  return std::ranges::any_of(layout.not_after, [&](const std::string& end) { return prefix.ends_with(end); }) ||
         std::ranges::any_of(layout.not_beside, [&](const std::string& name) { return names.contains(prefix + name); });
}

bool has_aspect(Aspect how, const Shape& shape) {
  if (how == Aspect::any || shape.size() != 2) return true;
  return how == Aspect::wide ? shape[1] > shape[0] : shape[0] > shape[1];
}

// Every place where the layout's names are, one a stack.
std::vector<Fit> fits_of(const ArraySource& source, const NamesOfFile& names, const LayoutTable& layout) {
  std::map<std::string, Fit> stacks;
  std::vector<Fit> found;
  const std::string first = layout.pieces.front().name;
  for (const auto& [name, entry] : names) {
    if (!name.ends_with(first)) continue;
    const std::string before = name.substr(0, name.size() - first.size());
    if ((!before.empty() && !before.ends_with('.')) || missing(names, layout, before)) continue;
    if (layout.never && names.contains(before + layout.never)) continue;
    if (!has_aspect(layout.first, source.entries()[entry].shape)) continue;
    const std::size_t used = count_used(names, layout, before);
    if (const auto stack = stack_in(before, layout.layers)) {
      if (is_of_other_stack(names, layout, stack->first)) continue;
      Fit& fit = stacks[stack->first];
      if (fit.layers.empty()) fit = {&layout, stack->first, "", std::nullopt, {}, used};
      fit.layers.push_back(stack->second);
    } else if (layout.alone) {
      found.push_back({&layout, before, before, std::nullopt, {}, used});
    }
  }
  for (auto& [prefix, fit] : stacks) {
    std::ranges::sort(fit.layers);
    if (std::string_view(layout.layers).find("{s}") != std::string_view::npos) {
      fit.staged = fit.layers;  // they are counted through all stages
      std::iota(fit.layers.begin(), fit.layers.end(), Index{0});
    }
    found.push_back(std::move(fit));
  }
  return found;
}

bool has_hint(const NamesOfFile& names, const LayoutTable& layout) {
  return std::ranges::any_of(layout.hints, [&](const std::string_view hinted) {
    return std::ranges::any_of(names, [&](const auto& one) {
      const std::string_view name = one.first;
      return name.ends_with(hinted) && (name.size() == hinted.size() || name[name.size() - hinted.size() - 1] == '.');
    });
  });
}

// Whether what stands there is a whole layer of another kind, which takes as many of the names: not the other attention
// of the same decoder.
bool is_another(const NamesOfFile& names, const LayoutTable& than, const std::string& before, std::size_t used) {
  return std::ranges::any_of(all_layouts(), [&](const LayoutTable& layout) {
    const bool beside = std::string_view(layout.id) == than.id && std::string_view(layout.attention) != than.attention;
    return !beside && !missing(names, layout, before) && (layout.alone || stack_in(before, layout.layers)) &&
           count_used(names, layout, before) >= used;
  });
}

// How many names a layout has, where several arrays are cut from one.
std::size_t count_names(const LayoutTable& layout) {
  std::set<std::string_view> all;
  for (const Piece& piece : layout.pieces) all.insert(piece.name);
  return all.size();
}

}  // namespace

std::optional<Incomplete> find_incomplete(const NamesOfFile& names, const std::function<bool(const LayoutTable&)>& of) {
  std::optional<Incomplete> found;
  std::size_t most = 0;
  for (const LayoutTable& layout : all_layouts()) {
    if (!of(layout)) continue;
    std::set<std::string> seen;
    for (const auto& [name, entry] : names)
      for (const Piece& piece : layout.pieces) {
        if (!name.ends_with(piece.name)) continue;
        const std::string before = name.substr(0, name.size() - piece.name.size());
        const auto stack = stack_in(before, layout.layers);
        const bool numbered = stack && !is_of_other_stack(names, layout, stack->first);
        if ((!before.empty() && !before.ends_with('.')) || !(numbered || layout.alone) || !seen.insert(before).second)
          continue;
        const std::size_t used = count_used(names, layout, before);
        const Piece* lacks = missing(names, layout, before);
        // A few names that others have, too, are no layer.
        if (!lacks || used <= most || 2 * used < count_names(layout) || is_another(names, layout, before, used))
          continue;
        most = used;
        found = Incomplete{&layout, name_in(layout, before, *lacks)};
      }
  }
  return found;
}

Index width_of(const ArraySource& source, const NamesOfFile& names, const LayoutTable& layout,
               const std::string& before) {
  const auto out = std::ranges::find(layout.pieces, "w_o", &Piece::array);
  if (out == layout.pieces.end()) return 0;
  const Piece& piece = *out;
  const auto found = names.find(before + piece.name);
  if (found == names.end()) return 0;
  const Shape& shape = source.entries()[found->second].shape;
  if (shape.size() < 2) return 0;
  return piece.how == How::transposed ? shape[0] : shape.back();
}

std::vector<Fit> all_fits(const ArraySource& source, const NamesOfFile& names, std::string_view model_type) {
  std::vector<Fit> found;
  for (const LayoutTable& layout : all_layouts())
    for (Fit& fit : fits_of(source, names, layout)) found.push_back(std::move(fit));
  for (Fit& fit : found) fit.hinted = has_hint(names, *fit.layout);
  std::ranges::stable_sort(found, std::greater<>(), [&](const Fit& fit) {
    return std::tuple(fit.used, fit.layout->id == model_type, fit.hinted);
  });
  return found;
}

std::shared_ptr<const FitsOfFile> fits_of_file(const ArraySource& source, std::string_view model_type) {
  NamesOfFile names = names_of(source);
  auto all = all_fits(source, names, model_type);
  return std::make_shared<const FitsOfFile>(FitsOfFile{std::move(names), std::move(all)});
}

namespace {

// x (rows, columns) → out (columns, rows), a block that the caches hold after the other.
void transpose(const float* x, Index rows, Index columns, float* out) {
  constexpr Index block = 32;
  for (Index top = 0; top < rows; top += block)
    for (Index left = 0; left < columns; left += block)
      for (Index j = left; j < std::min(columns, left + block); ++j)
        for (Index i = top; i < std::min(rows, top + block); ++i) out[j * rows + i] = x[i * columns + j];
}

// Of queries 0, of keys 1, of values 2.
Index part_of(How how) {
  return how < How::cut_q ? 0 : (static_cast<int>(how) - static_cast<int>(How::cut_q)) % 3;
}

bool is_between(How how, How first, How last) {
  return how >= first && how <= last;
}
bool by_columns(How how) {
  return is_between(how, How::columns_q, How::columns_v);
}
bool by_head(How how) {
  return is_between(how, How::by_head_q, How::by_head_v);
}
bool grouped(How how) {
  return is_between(how, How::grouped_q, How::grouped_v);
}

Result<Tensor> half_of(const Tensor& given, How how) {
  const bool vector = given.rank() == 1;
  const Index rows = given.dim(0) / 2, columns = vector ? 1 : given.dim(1), first = how == How::first_half ? 0 : rows;
  if (given.dim(0) % 2 != 0) return fail("has {} rows: they are no two halves", given.dim(0));
  Tensor result = Tensor::uninitialized(vector ? Shape{rows} : Shape{columns, rows});
  transpose(given.data() + first * columns, rows, columns, result.data());
  return result;
}

// Which rows or columns a head's queries, keys or values are.
struct CutPlan {
  Index heads, width, first;  // of them all: made heads, channels of each, where they begin
};

Result<CutPlan> plan_cut(const Tensor& given, How how, Index all, Index heads, Index head_width) {
  if (grouped(how)) {  // keys and values have what queries leave
    const Index width = head_width > 0 || given.rank() == 1 ? head_width : given.dim(1) / heads;
    const Index left = width > 0 ? all - heads * width : 0, keys = width > 0 ? left / (2 * width) : 0;
    if (keys < 1 || left != 2 * keys * width)
      return fail("has {} rows: {} heads of {} channels leave none for keys and values of that width", all, heads,
                  width);
    return CutPlan{part_of(how) == 0 ? heads : keys, width,
                   part_of(how) == 0 ? 0 : (heads + (part_of(how) - 1) * keys) * width};
  }
  const Index parts = how == How::cut ? 1 : 3;
  if (all % parts != 0) return fail("has {} rows: they cannot be cut into queries, keys and values", all);
  const Index count = all / parts, width = head_width > 0 ? head_width : count / heads;
  if (count == 0 || (head_width == 0 && count % heads != 0))
    return fail("has {} rows for {} heads: heads must divide them", count, heads);
  if (count % width != 0) return fail("has {} rows, but a head is {} wide", count, width);
  return CutPlan{count / width, width, part_of(how) * count};
}

}  // namespace

bool is_cut(How how) {
  return is_between(how, How::cut, How::grouped_v);
}

Result<Tensor> converted(Tensor given, How how, Index heads, Index head_width) {
  const bool vector = given.rank() == 1;
  if (how == How::in_heads || how == How::out_of_heads) {
    if (given.rank() != 3 && !(how == How::in_heads && given.rank() == 2))
      return fail("has shape {}: heads stand first, then (in, out) of each", to_string(given.shape()));
    const Index in = how == How::out_of_heads ? given.dim(0) * given.dim(1) : 0;
    return how == How::in_heads ? std::move(given)
                                : std::move(given).reshaped({in, given.size() / std::max<Index>(in, 1)});
  }
  if (given.rank() < 1 || given.rank() > 2 || (how == How::transposed && vector))
    return fail("has shape {}: a {} is needed", to_string(given.shape()),
                how == How::transposed ? "matrix" : "vector or a matrix");
  if (how == How::as_is || how == How::scale) return given;
  if (how == How::one_more) {
    for (float& value : given.values()) value = 1 + value;
    return given;
  }
  if (how == How::first_half || how == How::second_half) return half_of(given, how);
  if (how == How::transposed) {
    Tensor result = Tensor::uninitialized({given.dim(1), given.dim(0)});
    transpose(given.data(), given.dim(0), given.dim(1), result.data());
    return result;
  }
  const bool columns = by_columns(how) && !vector;
  const Index all = columns ? given.dim(1) : given.dim(0);
  Index in = 1;
  if (!vector) in = columns ? given.dim(0) : given.dim(1);
  HL_TRY(const CutPlan cut, plan_cut(given, how, all, heads, head_width));
  Tensor result = Tensor::uninitialized(vector ? Shape{cut.heads, cut.width} : Shape{cut.heads, in, cut.width});
  for (Index m = 0; m < cut.heads; ++m) {
    const Index row = by_head(how) ? (m * 3 + part_of(how)) * cut.width : cut.first + m * cut.width;
    float* to = result.data() + m * in * cut.width;
    if (columns)
      for (Index i = 0; i < in; ++i) std::copy_n(given.data() + i * all + row, cut.width, to + i * cut.width);
    else
      transpose(given.data() + row * in, cut.width, in, to);
  }
  return result;
}

Status scale_outputs(const Tensor& scale, Tensor& weight, Tensor* bias) {
  const Index out = weight.dim(-1);
  if (scale.shape() != Shape{out} || (bias && bias->shape() != Shape{out}))
    return fail("has shape {}: there are {} channels", to_string(scale.shape()), out);
  for (Index i = 0; i < weight.size(); ++i) weight[i] *= scale[i % out];
  for (Index i = 0; bias && i < out; ++i) (*bias)[i] *= scale[i];
  return {};
}

namespace {

// How many rows or columns of the file hold the heads of what is cut.
Index cut_extent(const Piece& piece, const LayerSizes& sizes) {
  const Index queries = sizes.heads * sizes.head_width,
              keys = sizes.key_heads > 0 ? sizes.key_heads * sizes.head_width : queries;
  if (grouped(piece.how)) return queries + 2 * keys;
  if (piece.how != How::cut) return 3 * queries;
  const std::string_view array = piece.array;
  return array.ends_with("_k") || array.ends_with("_v") ? keys : queries;
}

}  // namespace

Shape shape_in_file(const Piece& piece, const LayerSizes& sizes) {
  const std::string_view array = piece.array;
  const bool vector = array.starts_with("b_") || array.starts_with("ln");
  const Index hidden = sizes.hidden > 0 ? sizes.hidden : -1;
  if (is_cut(piece.how)) {
    const Index cut = cut_extent(piece, sizes);
    if (vector) return {cut};
    return by_columns(piece.how) ? Shape{sizes.width, cut} : Shape{cut, sizes.width};
  }
  if (array == "bias_table") return {-1, sizes.heads};
  if (array == "sink_logits") return {sizes.heads};
  if (array.starts_with("q_") || array.starts_with("k_")) return {sizes.head_width};
  if (piece.how == How::scale) return {sizes.width};
  const bool halved = piece.how == How::first_half || piece.how == How::second_half;
  const Index rows = halved && hidden > 0 ? 2 * hidden : hidden;
  if (vector) return {array == "b_1" || array == "b_3" ? rows : sizes.width};
  Index in = sizes.width;
  if (array == "w_o") in = sizes.heads * sizes.head_width;
  if (array == "w_2") in = hidden;
  const Index out = array == "w_o" || array == "w_2" ? sizes.width : rows;
  return piece.how == How::transposed || halved ? Shape{out, in} : Shape{in, out};
}

}  // namespace headlight
