// One layer of a state dict as the arrays and parameters of its mechanism, which is multi_head for most: which names a
// framework gives to which matrix, what is transposed, and how rows and columns are cut into heads.
//
// Not for reading files: array_source.h.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment.h"

namespace headlight {

struct LayerOfStateDict {
  std::map<std::string, std::shared_ptr<const Tensor>, std::less<>> arrays;  // by the mechanism's ids
  // Norms and the feed-forward round a mechanism that has no place for them, by the ids of multi_head.
  std::map<std::string, std::shared_ptr<const Tensor>, std::less<>> beside = {};
  std::vector<std::pair<std::string, ParamValue>> params = {};  // that the layout sets
  std::vector<std::string> notices = {};                        // what was used, what was not
  std::vector<std::string> assumed = {};                        // parameters of `params` that the file does not say
  Index layers = 1;                                             // that the file has, whole
  std::string lacking = {};          // where layers are too few: the first array that one lacks whose others are there
  std::string layout = {};           // that was found
  std::string stack = {};            // encoder | decoder | text | vision, where its names say it
  std::string attention = "self";    // self | cross
  Index heads = 0;                   // of queries
  std::optional<Index> number = {};  // which of the layers; none: the file has one, without a number
  Index table_rows = 0;              // of bias_table, where its numbers were left; 0: it has none
};

// Sizes of a layer as a config or the user gives them (0: not given), and the model's type.
struct LayerSizes {
  LayerSizes(Index heads_of_queries = 0) : heads(heads_of_queries) {}  // NOLINT: a number of heads is one

  Index heads = 0;
  // Of a config: every array is held to them. `key_heads` 0 is as many as queries have.
  Index key_heads = 0, head_width = 0, width = 0;
  Index layers = 0;            // that its stack has
  Index hidden = 0;            // of the ffn, once its first matrix is known
  std::string width_key = {};  // what the config calls the width
  // What a config calls the model: layouts whose names are the same are told apart by it.
  std::string model_type = {};
  std::string variant = "multi_head";  // the mechanism that the layer is to be
};

// Whether the numbers of a layer are read. Where they are left its arrays are null, and are held to the sizes of a
// config by what the file says of their shapes and types.
enum class LayerNumbers { read, left };

// The layer that `asked` names, of the file `name`; its prefix may begin with what the source is within. Without a
// layout it is found by the names of the arrays: the one that uses the most of them. Errors begin with the file's name.
Result<LayerOfStateDict> layer_of(const ArraySource& source, const WeightsSpec& asked, const LayerSizes& sizes,
                                  const std::string& name, LayerNumbers numbers = LayerNumbers::read);

// What all layers of a file have in common, found once: its names, and the layouts that they fit.
struct FitsOfFile;
std::shared_ptr<const FitsOfFile> fits_of_file(const ArraySource& source, std::string_view model_type = {});
// The same with those fits, which are of the sizes' type of model.
Result<LayerOfStateDict> layer_of(const ArraySource& source, const FitsOfFile& fits, const WeightsSpec& asked,
                                  const LayerSizes& sizes, const std::string& name,
                                  LayerNumbers numbers = LayerNumbers::read);

// Says what was assumed and nobody has said since.
void note_assumed(LayerOfStateDict& layer, const std::string& file);

// The layer whose arrays somebody names: those that are named, cut into `heads`. Errors name the key.
Result<LayerOfStateDict> layer_of_names(const ArraySource& source, const OwnNames& own, Index layer, Index heads,
                                        const std::string& file);

// Whether some files hold layers of that mechanism.
bool is_variant_of_layers(std::string_view variant);

// Layers of one layout in a file, as `WeightsSpec` asks for them.
struct LayersInFile {
  std::string title;  // "torch.TransformerEncoderLayer: 2 layers at \"encoder.\""
  std::string layout, prefix, stack, attention;
  std::string before = {};         // stands before every name of the first
  std::vector<Index> layers = {};  // their numbers; none where names have no number
  Index width = 0;                 // of what comes out
  std::string variant = {};        // the mechanism that they are
  std::string refusal = {};        // why they do not open; empty: they do
};
// Those that a file's names fit, the fullest first.
std::vector<LayersInFile> layers_in(const ArraySource& source);
// Their titles.
std::vector<std::string> layouts_of(const ArraySource& source);

}  // namespace headlight
