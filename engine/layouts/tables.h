// The names that frameworks give to the arrays of a layer, and what becomes of each: one row a layout. Where in a
// file these names are, and how a matrix is cut into heads.
//
// Not for a layer as a whole: layouts.h.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/result.h"
#include "engine/core/tensor.h"
#include "engine/io/array_source.h"
#include "engine/layouts/layouts.h"

namespace headlight {

// How an array of the file becomes one of multi_head. nn.Linear holds (out, in), and Headlight multiplies from the
// right. Queries, keys and values of one kind stand in this order.
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
  by_head_q,  // of the first third of each head's rows: (M·3·d', in) → (M, in, d')
  by_head_k,
  by_head_v,
};

struct Piece {
  const char* array;  // of multi_head
  const char* name;   // in the file, after the prefix; {l} stands for the layer
  How how;
  bool needed = true;
  bool of_first_layer = false;  // the array of layer 0 serves all
};

struct Setting {
  const char* id;
  const char* word;  // of a choice; null: `flag` or `number` counts
  bool flag = false;
  double number = -1;  // where it is 0 or more
  bool assumed = false;
};

struct LayoutTable {
  const char* id;
  const char* layers;  // what stands before every name in a stack: "layers.{l}."; empty: layers are part of no name
  bool alone;          // the names may also stand without it
  std::span<const Piece> pieces;
  std::span<const Setting> settings;
  const char* attention = "self";
  // Names that stand elsewhere in files of this kind, by which it is told from others with the names of its layers.
  std::span<const char* const> hints = {};
  // A name that such a layer does not have: where it stands, the others are of a layer of another kind.
  const char* never = nullptr;
};

// An array of a layer that multi_head has no place for: without it the layer would be another.
struct Unread {
  const char* name;  // after the prefix
  const char* what;
};
std::span<const Unread> unread_arrays();

// In the order in which equal fits are chosen.
std::span<const LayoutTable> all_layouts();

using NamesOfFile = std::map<std::string, std::size_t, std::less<>>;  // → entry of the file
// Without what data parallel and compiled modules put before them.
NamesOfFile names_of(const ArraySource& source);

// "encoder" or "decoder", where the names of a layout say it.
std::string_view stack_of(const LayoutTable& layout);
// "t5", or "t5 decoder cross" where layouts of that name are of several stacks, or attend in several ways.
std::string title_of(const LayoutTable& layout);

// A place where the names of a layout are.
struct Fit {
  const LayoutTable* layout = nullptr;
  std::string prefix;               // before the layers: "bert."
  std::string before;               // every name of the chosen layer: "bert.encoder.layer.3."
  std::optional<Index> layer = {};  // none where names have no number
  std::vector<Index> layers = {};   // that there are
  std::size_t used = 0;             // arrays
  bool hinted = false;              // what stands elsewhere in the file says that it is this
};

// All there are, the fullest first; of equal ones that of the model's type, then what other names tell, then as the
// table has them and by their prefix.
std::vector<Fit> all_fits(const NamesOfFile& names, std::string_view model_type = {});

// "encoder.layer.{l}." → "encoder.layer.3."
std::string with_layer(std::string_view layers, Index layer);
// A piece's name in the file, where `before` stands before those of its layer.
std::string name_in(const LayoutTable& layout, const std::string& before, const Piece& piece);
// The first piece that is needed and not there; null where there is none.
const Piece* missing(const NamesOfFile& names, const LayoutTable& layout, const std::string& before);
// A layer that is there but for some of its arrays, and the name of the first of those.
struct Lacking {
  const LayoutTable* layout = nullptr;
  std::string name;
};
// The fullest such layer of those layouts; nothing where every layer is whole.
std::optional<Lacking> lacking(const NamesOfFile& names, const std::function<bool(const LayoutTable&)>& of);
// How many arrays a layer of that layout takes.
std::size_t count_used(const NamesOfFile& names, const LayoutTable& layout, const std::string& before);
// Of what comes out of a layer: the columns of w_o; 0 where it is no matrix.
Index width_of(const ArraySource& source, const NamesOfFile& names, const LayoutTable& layout,
               const std::string& before);

// `heads` are those of queries. Where `head_width` is 0 it is what that many heads leave to each; else keys and values
// have as many heads of that width as there are rows for. Errors say what is wrong with an array whose name stands
// before them.
Result<Tensor> converted(Tensor given, How how, Index heads, Index head_width);

// The shape that an array has in the file where a config says the sizes; −1 where it does not say an extent.
Shape shape_in_file(const Piece& piece, const LayerSizes& sizes);

}  // namespace headlight
