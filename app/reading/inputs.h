// What the first input of an experiment is, whether a mechanism takes it, and what to show instead where it does not.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/experiment.h"
#include "engine/variants/variant.h"

namespace headlight::app {

// What an experiment file may say at most (engine/io/experiment_inputs.cpp).
inline constexpr Index widest_embedding = 65536, longest_grid_side = 1024;

// Whether the variant's first input takes such an input, parameters that nobody set being free.
bool takes(const Variant& variant, const ParamValues& params, const InputSpec& input);

// The kind that a variant's first input is made for.
InputKind natural_kind(const Variant& variant);

// The given variant where its first input takes it, else the one that shows it best.
const Variant& variant_for(const Variant& variant, const ParamValues& params, const InputSpec& input);

// "CHW"
std::string axes_in_letters(std::string_view axes);
// Whether what it takes first is attention that was saved.
bool takes_maps(const Variant& variant);
// The one that does.
const Variant& maps_variant();
// What the axes of an array of one to five axes most likely mean, as the variant's first input (engine/io/axes.h): a
// guess, to be asked about.
std::string likely_axes(const Shape& shape, const Variant& variant);
// Whether they can mean nothing else: one item of positions and channels, where the variant takes those.
bool axes_are_plain(const Shape& shape, const Variant& variant);

// Whether the run made that input as the experiment says: not where a file of arrays holds one of its name, which wins.
// Of arrays nothing is known.
bool is_used_as_given(const Problem& problem, const std::string& id, const InputSpec& input);
// Ids of the inputs that the run took from the experiment's file of arrays.
std::vector<std::string> inputs_of_file(const Problem& problem, const Experiment& experiment);

// The input of that kind that comes with the program; `examples` is the folder of its files.
InputSpec example_input(InputKind kind, const std::filesystem::path& examples);

// "a sentence", "a picture", "a video", "a signal", "an array", "an array of rows and columns".
std::string kind_in_words(const InputSpec& input);

// From the extension: .png .jpg .bmp a picture, .gif and folders frames, .csv .wav a signal, .npy an array. Nothing for
// others.
std::optional<InputSpec> input_of_file(const std::filesystem::path& path);

}  // namespace headlight::app
