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

#include "engine/base/result.h"
#include "engine/core/tensor.h"
#include "engine/io/array_source.h"
#include "engine/layouts/layouts.h"
#include "engine/params/params.h"

namespace headlight {

// How an array of the file becomes one of a mechanism. nn.Linear holds (out, in), and Headlight multiplies from the
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
  grouped_q,     // of the first M·d' rows of ((M + 2G)·d', in): → (M, in, d')
  grouped_k,     // of the next G·d'
  grouped_v,     // of the last
  first_half,    // of the first half of the rows of (2·out, in), or of a vector: → (in, out)
  second_half,   // of the last
  one_more,      // 1 + w, of a norm that holds what its γ differs from 1 by
  in_heads,      // (M, in, d') or (M, d') already
  out_of_heads,  // (M, d', out) → (M·d', out)
  scale,         // of each channel of an output: w_o or w_2 and its bias are multiplied by it
};
bool is_cut(How how);  // into heads

// `array` is of the mechanism; or "scale_o" and "scale_2", which multiply w_o and w_2 and their biases.
struct Piece {
  std::string array;
  std::string name;  // in the file, after the prefix; {l} stands for the layer
  How how;
  bool needed = true;
  bool of_first_layer = false;  // the array of layer 0 serves all
};
using Pieces = std::vector<Piece>;

struct Setting {
  const char* id;
  ParamValue value;
  bool assumed = false;
};
using Settings = std::vector<Setting>;

// Aspect of the first matrix: more columns than rows, more rows than columns. Tells layouts of the same names apart
// (GPT-2 and nanoGPT).
enum class Aspect { any, wide, tall };

struct Fit;
using NamesOfFile = std::map<std::string, std::size_t, std::less<>>;  // → entry of the file
// Sets what the names and shapes of a layer tell beside its arrays.
using CompleteLayer = Status (*)(const Fit& fit, const ArraySource& source, const NamesOfFile& names,
                                 const std::string& file, LayerOfStateDict& layer);

struct LayoutTable {
  const char* id;
  // What stands before every name in a stack: "layers.{l}.", or "layers.{s}.blocks.{l}." where each stage counts its
  // own; empty: layers are part of no name.
  const char* layers;
  bool alone;  // the names may also stand without it
  Pieces pieces;
  Settings settings;
  const char* attention = "self";
  // Names that stand elsewhere in files of this kind, by which it is told from others with the names of its layers.
  std::vector<std::string> hints = {};
  // A name that such a layer does not have: where it stands, the others are of a layer of another kind.
  const char* never = nullptr;
  Aspect first = Aspect::any;
  // Prefixes of parts that are not run; a notice names them.
  std::vector<std::string> not_run = {};
  // The mechanism that such a layer is. Of another than multi_head the norms and the feed-forward stand beside it.
  const char* variant = "multi_head";
  CompleteLayer complete = nullptr;
  // Of layers whose names another stack of the model has too: which stack this is, and what tells that one, which is
  // how a prefix ends, or a name after it.
  const char* stack = "";
  std::vector<std::string> not_after = {}, not_beside = {};
};
using Layouts = std::vector<LayoutTable>;

// In the order in which equal fits are chosen.
const Layouts& all_layouts();
// Of them: layers of torch itself; of models that read texts, of those that go on with one, of those with two stacks,
// of those that look at pictures.
Layouts torch_layouts();
Layouts encoder_layouts();
Layouts decoder_layouts();
Layouts two_stack_layouts();
Layouts vision_layouts();

// Without what data parallel and compiled modules put before them.
NamesOfFile names_of(const ArraySource& source);

// "encoder", "decoder", "text" or "vision", where a layout or its names say it.
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
  std::vector<Index> staged = {};   // of each layer its stage and number in that; empty: layers have one number
};

// All there are, the fullest first; of equal ones that of the model's type, then what other names tell, then as the
// table has them and by their prefix.
std::vector<Fit> all_fits(const ArraySource& source, const NamesOfFile& names, std::string_view model_type = {});

struct FitsOfFile {
  NamesOfFile names;
  std::vector<Fit> all;
};

// "encoder.layer.{l}." → "encoder.layer.3."
std::string with_layer(std::string_view layers, Index layer);
// What stands before every name of a layer of that fit.
std::string before_layer(const Fit& fit, Index layer);
// A piece's name in the file, where `before` stands before those of its layer.
std::string name_in(const LayoutTable& layout, const std::string& before, const Piece& piece);
// The first piece that is needed and not there; null where there is none.
const Piece* missing(const NamesOfFile& names, const LayoutTable& layout, const std::string& before);
// A layer that is there but for some of its arrays, and the name of the first of those.
struct Incomplete {
  const LayoutTable* layout = nullptr;
  std::string name;
};
// The fullest such layer of those layouts; nothing where every layer is whole.
std::optional<Incomplete> find_incomplete(const NamesOfFile& names, const std::function<bool(const LayoutTable&)>& of);
// How many arrays a layer of that layout takes.
std::size_t count_used(const NamesOfFile& names, const LayoutTable& layout, const std::string& before);
// Of what comes out of a layer: the columns of w_o; 0 where it is no matrix.
Index width_of(const ArraySource& source, const NamesOfFile& names, const LayoutTable& layout,
               const std::string& before);

// `heads` are those of queries. Where `head_width` is 0 it is what that many heads leave to each; else keys and values
// have as many heads of that width as there are rows for. Errors say what is wrong with an array whose name stands
// before them.
Result<Tensor> converted(Tensor given, How how, Index heads, Index head_width);
// weight (in, out) and bias (out), null where there is none, times scale (out).
Status scale_outputs(const Tensor& scale, Tensor& weight, Tensor* bias);

// Whether its arrays are cut into heads.
bool has_heads(const LayoutTable& layout);
// Whether a name is of the layer that the fit chose.
bool is_of_layer(const NamesOfFile& names, const Fit& fit, const std::string& name);
// The names of that layer that no part of it uses; constants that programs keep beside weights are not among them.
std::vector<std::string> unused_names(const NamesOfFile& names, const Fit& fit);
// An error where one of those changes what its attention computes.
Status check_unused(const NamesOfFile& names, const Fit& fit);
// Of a non-local block: dimension, norm and pooling.
Status complete_non_local(const Fit& fit, const ArraySource& source, const NamesOfFile& names, const std::string& file,
                          LayerOfStateDict& layer);
// Of a layer in windows: their side and shift; what is no part of its mechanism is put aside. Errors: a table of
// relative positions that is of no window.
Status complete_windows(const Fit& fit, const ArraySource& source, const NamesOfFile& names, const std::string& file,
                        LayerOfStateDict& layer);

// The shape that an array has in the file where a config says the sizes; −1 where it does not say an extent.
Shape shape_in_file(const Piece& piece, const LayerSizes& sizes);

}  // namespace headlight
