// Where in a file of arrays the names of a layout are.
//
// Not for what becomes of the arrays: layouts.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/array_source.h"
#include "engine/layouts/tables.h"

namespace headlight {

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
  bool told = false;                // what stands elsewhere in the file says that it is this
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

}  // namespace headlight
