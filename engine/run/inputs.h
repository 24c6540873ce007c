// What an experiment's inputs become: text, pictures, frames and signals as rows of channels on a grid of positions,
// and those laid into the shape that a variant's array has.
//
// Not for agreeing shapes between arrays: prepare.h. Not for keeping them: run_cache.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/experiment.h"
#include "engine/variants/variant.h"

namespace headlight {

// The most positions of one input: a grid of 1024×1024.
inline constexpr Index max_positions = Index{1} << 20;

struct MadeInput {
  InputKind kind = InputKind::text;
  Tensor values;                    // (positions, channels); positions flattened row-major (frame, row, column)
  Grid grid;                        // 1×1×n for text and signals
  std::vector<std::string> labels;  // of each position: a token; "row,column"; "frame:row,column"; an index
  std::shared_ptr<const Pictures> pictures;  // the frames; null for text and signals
  std::vector<std::string> warnings;         // without the input's name
  std::string channels;                      // what they hold, in sentences; empty where a file says it better
};

// Reads and makes a text, picture, frames or signal; not for arrays. Paths are relative to `folder`. `word_before`:
// each token of a text holds which word stood before it, which weights made by hand read. Errors do not name the input.
Result<MadeInput> make_input(const InputSpec& input, const std::filesystem::path& folder, bool word_before);

// The files behind an input, whose content it depends on: pictures of a folder each by itself, after the folder.
std::vector<std::filesystem::path> files_of(const InputSpec& input, const std::filesystem::path& folder);

// Whether an input of that kind can be laid into the array: any into rows; text and signals into a grid of rank 3;
// pictures and frames into grids of rank 4 and 5.
bool fits(InputKind kind, const ArraySpec& spec);

// Which symbol of an array counts the positions of an input laid into it; none where they take several axes.
std::string positions_symbol(const ArraySpec& spec);

// The rank of a grid that an input of that kind lies in by nature: 3 for text and signals, 4 for pictures, 5 for
// frames; 0 for arrays.
std::size_t natural_rank(InputKind kind);
InputKind kind_of(const InputSpec& input);

// Gives parameters that nobody set the values under which the array `id`, a grid, has that rank, where one of them
// alone does it: a picture makes a non-local block two-dimensional.
void infer_rank(const Variant& variant, const std::string& id, std::size_t rank, ParamValues& params);

// Its numbers in its shape, which must be as many.
Result<std::shared_ptr<const Tensor>> numbers_of(const LiteralInput& input);

// Of each position of a grid: "row,column", or "frame:row,column".
std::vector<std::string> grid_labels(const Grid& grid, bool in_time);

// The input in the array's shape, which it must fit: rows (1, positions, channels); a grid (1, channels, length),
// (frames, channels, rows, columns), where frames become the batch, or (1, channels, frames, rows, columns).
Tensor laid_out(const MadeInput& input, const ArraySpec& spec);

// Why an input of that kind does not fit the array, and what would: a parameter of this variant, else another of
// `variants` that has an array for it, else numbers.
std::string why_not(InputKind kind, const ArraySpec& spec, const Variant& variant, const ParamValues& params,
                    std::span<const Variant* const> variants);

}  // namespace headlight
