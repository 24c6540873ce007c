// The names that frameworks give to the arrays of a layer, and what becomes of each: one row a layout.
//
// Not for finding them in a file: layouts.h.
#pragma once

#include <span>

namespace headlight {

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
  std::span<const char* const> told_by = {};
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

}  // namespace headlight
