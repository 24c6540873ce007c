#include "engine/run/trained.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "embedded_weights.h"
#include "engine/base/words.h"
#include "engine/core/mistake.h"
#include "engine/io/embedded.h"
#include "engine/io/param_fields.h"
#include "engine/io/safetensors.h"

namespace headlight {

namespace {

TrainedSet with_arrays(TrainedSet set, std::string_view bytes) {
  const auto file = embed_file(set.id + ".safetensors", std::string(bytes));
  auto arrays = read_safetensors(file->path);
  if (!arrays) mistake("the trained weights {} cannot be read: {}", set.id, arrays.error().message);
  for (NamedArray& array : *arrays) set.arrays[array.name] = std::make_shared<const Tensor>(std::move(array.values));
  return set;
}

std::vector<TrainedSet> read_sets() {
  using namespace std::string_literals;
  return {
      with_arrays({.id = "induction",
                   .title = "Induction head",
                   .variant = "multi_head",
                   .params = {{"heads", Index{2}},
                              {"d_head", Index{32}},
                              {"mask", "causal"s},
                              {"rotary", "interleaved"s},
                              {"block", "pre_norm"s}},
                   .head = {"Induction",
                            "Has learned to find the earlier places of this symbol and to look at what came next: the "
                            "layer before has told each key what stands in front of it. A symbol that was not there "
                            "before has nothing to find.",
                            KeyNeed::after_same_word}},
                  embedded_files::induction_safetensors),
      with_arrays(
          {.id = "sorter",
           .title = "Sorter",
           .variant = "multi_head",
           .params = {{"heads", Index{1}}, {"d_head", Index{64}}, {"mask", "causal"s}, {"block", "pre_norm"s}},
           .head = {"Next larger",
                    "Has learned to look at the next larger symbol among those that are to be sorted: it is said next. "
                    "The bar looks at the smallest."}},
          embedded_files::sorter_safetensors),
      with_arrays({.id = "dates",
                   .title = "Date aligner",
                   .variant = "additive",
                   .params = {{"hidden", Index{64}}},
                   .head = {"What says it",
                            "Has learned to look at the letters and digits of a date that say this character of the "
                            "answer. A hyphen is said by none of them, and rests on the blanks behind the date."}},
                  embedded_files::dates_safetensors),
      with_arrays({.id = "blur",
                   .title = "Blur",
                   .variant = "stand_alone_2d",
                   .params = {{"heads", Index{1}},
                              {"mid_channels", Index{16}},
                              {"out_channels", Index{3}},
                              {"max_position", Index{16}},
                              {"bias", true}},
                   .head = {"Three by three",
                            "Has learned to look at the nine pixels round the query alike: the tables of offsets tell "
                            "where they lie, whatever the pixels hold."}},
                  embedded_files::blur_safetensors),
      with_arrays(
          {.id = "dots",
           .title = "Mover of dots",
           .variant = "non_local",
           .params = {{"dimension", Index{3}}, {"inter_channels", Index{16}}, {"batch_norm", false}, {"bias", true}},
           .head = {"Same dot before",
                    "Has learned to look from a dot of the last frame at itself in the first, found by its "
                    "colour."}},
          embedded_files::dots_safetensors),
  };
}

bool is_size(const std::pair<std::string, ParamValue>& param) {
  return std::holds_alternative<Index>(param.second);
}

bool agrees(const TrainedSet& set, const ParamValues& given) {
  return std::ranges::all_of(set.params, [&](const auto& param) {
    const auto& [id, value] = param;
    return !is_size(param) || !given.is_given(id) || given.is_automatic(id) || given.get(id) == value;
  });
}

// "induction needs heads 2, d_head 32".
std::string needs(const TrainedSet& set) {
  std::string sizes;
  for (const auto& param : set.params)
    if (is_size(param))
      sizes += fmt::format("{}{} {}", sizes.empty() ? "" : ", ", param.first, to_string(param.second));
  return fmt::format("{} needs {}", set.id, sizes);
}

std::vector<std::string> variants_with_sets() {
  std::vector<std::string> variants;
  for (const TrainedSet& set : trained_sets())
    if (std::ranges::count(variants, set.variant) == 0) variants.push_back(set.variant);
  return variants;
}

}  // namespace

const std::vector<TrainedSet>& trained_sets() {
  static const std::vector<TrainedSet> sets = read_sets();
  return sets;
}

Result<const TrainedSet*> trained_set_of(const Experiment& experiment) {
  const std::string& named = experiment.weights->set;
  std::vector<const TrainedSet*> fitting;
  std::vector<std::string> ids, all_need;
  for (const TrainedSet& set : trained_sets()) {
    if (set.variant != experiment.variant) continue;
    ids.push_back(set.id);
    if (!named.empty() && set.id != named) continue;
    all_need.push_back(needs(set));
    if (agrees(set, experiment.params)) fitting.push_back(&set);
  }
  if (fitting.size() == 1) return fitting.front();
  if (ids.empty())
    return fail("weights.init trained: there are such weights of {} alone: choose xavier_normal for {}",
                fmt::join(variants_with_sets(), ", "), experiment.variant);
  if (all_need.empty())
    return fail("weights.set \"{}\" is no trained set of {}: {}", brief(named), experiment.variant,
                suggestion(named, ids));
  if (fitting.empty())
    return fail("weights.init trained: {}: give these params, or choose xavier_normal", fmt::join(all_need, "; "));
  return fail("weights.init trained: {} has {}: say which as weights.set", experiment.variant, fmt::join(ids, " and "));
}

const TrainedSet* trained_set_for(const Problem& problem) {
  const auto has = [&](const auto& array) {
    const Tensor* weight = problem.find(array.first);
    return weight && weight->shape() == array.second->shape();
  };
  for (const TrainedSet& set : trained_sets())
    if (set.variant == problem.variant->info().id && std::ranges::all_of(set.arrays, has)) return &set;
  return nullptr;
}

std::string why_no_trained_set(const Problem& problem) {
  if (trained_set_for(problem)) return {};
  std::vector<std::string> examples;
  for (const TrainedSet& set : trained_sets())
    if (set.variant == problem.variant->info().id) examples.push_back("trained-" + set.id);
  if (examples.empty()) return "None were trained for this mechanism";
  return fmt::format("None were trained of these sizes: open the example {}", fmt::join(examples, " or "));
}

}  // namespace headlight
