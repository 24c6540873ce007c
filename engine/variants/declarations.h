// Parameters, arrays and axes that more than one variant declares.
#pragma once

#include <string>
#include <vector>

#include "engine/math/window.h"
#include "engine/ops/ops.h"
#include "engine/variants/recorder.h"

namespace headlight::declare {

// "heads": how many attend side by side (M).
ParamSpec heads(Index fallback, std::string each_has = "weights of its own");
// How many numbers make up `what` in one head.
ParamSpec width(std::string id, Index fallback, std::string symbol, std::string what = "a query, a key and a value");
// "extent": the side of the window that a query sees.
ParamSpec extent(ParamValue fallback, std::string help);
// "padding": what a window finds outside the picture. The first choice is the fallback.
ParamSpec padding(bool masked_first);
// "out_channels": of the result of a picture.
ParamSpec out_channels();
// "output_projection": whether heads are mixed into the output.
ParamSpec output_projection();
// "bias": whether biases are generated.
ParamSpec bias();
// "only_query": the row of a single query (run/only_query.h), for variants whose every step can do with n_q = 1.
ParamSpec only_query();

// "mask" of a mechanism whose only mask by place is the causal one.
ParamSpec mask_besides_padding();

// "1, 2, 4 or 8": what divides n.
std::string divisors_of(Index n);

// A weight that has one shape.
ArraySpec weight(std::string id, std::string symbol, std::string title, std::string help,
                 std::vector<std::string> shape, Fill fill, Role role = Role::none);
// The same array, whose numbers stand under that letter where columns are narrow.
ArraySpec under_letter(std::string letter, ArraySpec spec);
// A scale of ones and a shift of zeros for each channel: `which`_gamma and `which`_beta.
std::vector<ArraySpec> norm(const std::string& which, const std::string& title, const std::string& channels);
// x_q (B, n_q, d_q), x_k (B, n_k, d_k) and x_v (B, n_k, d_v): each is the one before where nothing else is given.
std::vector<ArraySpec> sequences(std::string title_of_values, std::string help_of_values);
// x (B, C, H, W).
ArraySpec picture();

// The input of queries, read as the input of keys: with the same labels and grid.
Array as_keys(const Recorder& r, Array x);

// Adds the rules' masks to the scores where there are any: "masked_scores".
ops::MaskedScores masked_scores(Recorder& r, const Array& scores, const MaskRules& rules);
// The same, then softmax over the keys of each row: "weights".
Array masked_softmax(Recorder& r, const Array& scores, const MaskRules& rules);

// The steps "concat" of heads (B, M, n, d'), along the channels of that symbol, and "output".
void merge_heads(Recorder& r, const Array& heads, const char* channels);
// x times w_o, plus b_o, or x as it is where the output is not projected: "output".
void output_of(Recorder& r, const Array& x);

// The same where keys are those of a window, and what lies outside the picture takes no part if `masked`.
Array window_weights(Recorder& r, Array scores, const math::Window& window, bool masked);
// What can hide keys there.
std::span<const MaskOption* const> window_masks();
extern const char* const hidden_outside_note;  // of its "masked_scores"

// One position a pixel, in the picture's grid: the queries ("n_q", ij), or keys and values ("n_k" where each of them is
// a key of every query, "N" where windows choose among them; ab).
Axis pixels(const Recorder& r, const char* symbol);
// The k² keys of a window, in their grid.
Axis window_keys(const Recorder& r, Index extent);
// (B, C, H, W) of which C is `channels`, a bound symbol; or one position of it, where `queries` is one of many.
std::vector<Axis> picture_axes(const Recorder& r, const char* channels, const Axis& queries);

}  // namespace headlight::declare
