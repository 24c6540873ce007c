// What one preparation of a run carries along, and its parts: what people own (a layer of a state dict, attention that
// is given, what is said beside arrays), names and room (preparing_names.cpp), and arrays
// (preparing_arrays.cpp).
//
// Not for anybody but prepare.cpp.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/io/file.h"
#include "engine/layouts/layouts.h"
#include "engine/run/given_maps.h"
#include "engine/run/prepare.h"
#include "engine/run/run_cache.h"
#include "engine/run/trained.h"
#include "engine/variants/variant.h"

namespace headlight::preparing {

// Matches shapes in numbers against shapes in symbols, and remembers who bound each.
class Shapes {
 public:
  // `by` is where the extent was fixed, for messages: "x_q, axis 2". A symbol that is bound stays as it is.
  void bind(const std::string& symbol, Index extent, std::string by);
  void take(const Symbols& symbols, const std::string& by);

  // Binds the unbound symbols of the first alternative that fits; otherwise says what does not.
  Status match(const ArraySpec& spec, const Shape& shape, const std::string& by);

  Symbols symbols() const;

 private:
  struct Binding {
    Index extent = 0;
    std::string by;
  };

  std::string mismatch(const std::vector<std::string>& symbols, const Shape& shape) const;
  std::string wanted(const ArraySpec& spec) const;

  std::map<std::string, Binding, std::less<>> bound_;
};

struct Work {
  const Experiment& experiment;
  const Variant& variant;
  RunCache& cache;
  ReadArrays file = {};                                         // members of the arrays file
  ReadArrays read = {};                                         // of inputs that are files of their own
  std::map<std::string, ArrayLabels, std::less<>> labels = {};  // of inputs that are steps of another run
  std::map<std::string, GivenMaps, std::less<>> maps = {};      // of inputs that are attention, by id
  IdSet of_layer = {};                  // which of `file` come from a state dict or a trained set
  const TrainedSet* trained = nullptr;  // that the experiment takes its weights from, if it does
  std::map<std::string, std::string, std::less<>> cut_from = {};  // the whole's id, by that of its part in `file`
  Problem problem = {};
  Shapes shapes = {};

  std::string where(std::string_view id) const {
    if (const auto whole = cut_from.find(id); whole != cut_from.end())
      return fmt::format("{}, cut into {},", where(whole->second), id);
    if (of_layer.contains(id)) return fmt::format("{}: {}", name_of_layer(), id);
    return file.contains(id) ? fmt::format("{}: {}", one_line(experiment.arrays), id) : fmt::format("inputs.{}", id);
  }
  // What the weights of `of_layer` are called in messages.
  std::string name_of_layer() const {
    return trained ? "the trained set " + trained->id : one_line(experiment.weights->from);
  }
  bool given(std::string_view id) const {
    return file.contains(id) || read.contains(id) || experiment.inputs.contains(std::string(id));
  }
};

// The layer that the experiment takes from a state dict, if it does.
Status load_layer(Work& work);
// One layer of a state dict: its arrays stand with those of the file of arrays, which win name by name, as inputs do;
// parameters that are set win over what the layout says, and that is told where it makes another layer.
Status put_layer(Work& work, LayerOfStateDict layer);

// Weights that were learned once, if the experiment takes such: they stand with those of the file of arrays likewise.
Status load_trained(Work& work);

// Splits fused arrays (w_qkv) into their parts (w_q, w_k, w_v), which stand with the file's others.
Status split_fused_arrays(Work& work);

// Attention that is given becomes an array a layer, under ids of their own where there are several.
Status read_maps(Work& work);

// What is said of the positions of attention that is given.
Status put_labels_of_maps(Work& work);

// Parameters that were set from code are held to what files are held to as they are read.
Result<ParamValues> checked_params(const ParamValues& given, const Variant& variant);
// What the axes of an array mean, where the experiment says it.
std::string_view given_axes(const Work& work, const std::string& id);
IdSet given_names(const Work& work);
// Errors: an input that the variant does not know. Arrays of the file that it has no use for are warnings.
Status check_names(Work& work);
// A parameter that nobody set takes its extent from the first given array that shows its symbol: heads from w_q's first
// axis.
Status infer_params(Work& work);
// A parameter that nobody set and that says how many axes an input has takes its value from the input.
void infer_ranks(Work& work);

// The shape of a generated array, from symbols that are all bound.
Shape generated_shape(const ArraySpec& spec, const Symbols& symbols);
// An input, given or made, with its labels.
Status put_input(Work& work, const ArraySpec& spec);
Status put_given_weights(Work& work);
// Errors: weights that an experiment says nothing about, where it brings a file: they are made only when it brings
// none.
Status check_weights_wanted(const Work& work);
Status put_made_weights(Work& work);

// Errors: the run has no room, with what would fit.
Status check_budget(const Work& work, const Budget& budget, std::optional<TooLarge>* too_large);

// What the experiment says beside an array: never dropped, and never the source of its numbers.
Status put_labels_beside(Work& work, const ArraySpec& spec);

}  // namespace headlight::preparing
