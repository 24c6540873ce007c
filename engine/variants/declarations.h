// Parameters, arrays and axes that more than one variant declares, and steps that more than one records.
#pragma once

#include <iterator>
#include <string>
#include <utility>
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
// "hidden": how many features a pair of query and key has (h).
ParamSpec hidden(std::string help);
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
ParamSpec causal_mask();

// "1, 2, 4 or 8": what divides n.
std::string divisors_text(Index n);

// A weight that has one shape.
ArraySpec weight(std::string id, std::string symbol, std::string title, std::string help,
                 std::vector<std::string> shape, Fill fill, Role role = Role::none);
// The same array, whose numbers stand under that letter where columns are narrow.
ArraySpec with_letter(std::string letter, ArraySpec spec);
// A scale of ones and a shift of zeros for each channel: `which`_gamma and `which`_beta.
std::vector<ArraySpec> norm(const std::string& which, const std::string& title, const std::string& channels);
// x_q (B, n_q, d_q), x_k (B, n_k, d_k) and x_v (B, n_k, d_v): each is the one before where nothing else is given.
std::vector<ArraySpec> sequences(
    std::string title_of_values = "Value input",
    std::string help_of_values = "What the values are made from; the key input where nothing else is given.");
// x (B, n, d): every position asks, and is asked.
ArraySpec sequence(Role role = Role::query);
// x (B, C, H, W).
ArraySpec picture();

// ---- Arrays that most mechanisms have

// What makes queries, keys and values: w_q, w_k and w_v (…, in, out), and their biases (…, out).
struct Projections {
  std::string from = "a token";  // "Turn a token into each head's query."
  std::string whose = "each head's";
  std::vector<std::string> q = {}, k = {}, v = {};  // the shapes of the weights; empty: there is none
};
std::vector<ArraySpec> projections(const Projections& all);
// b_q, b_k and b_v, generated where the parameter "bias" asks for them.
std::vector<ArraySpec> projection_biases(const Projections& all, const ParamValues& params);
// w_o (from, to) and b_o (to), likewise: they mix the heads, or what `what` says, into the output.
std::vector<ArraySpec> output_weights(const ParamValues& params, const std::string& from,
                                      const std::string& to = "d_out", const std::string& what = "heads");
// w_score (h): how much each feature of a pair counts.
ArraySpec score_weights();

// ---- Symbols

// What "heads" and "d_head" fix: M, d' and Md'.
void bind_heads(const ParamValues& params, Symbols& symbols);
// The same where "d_value" is another width, automatic that of so many maps: M, d', d_v' and Md_v', and d_out where the
// output is not projected.
void bind_heads_with_values(const ParamValues& params, Symbols& symbols, Index maps = 1);
// What sequences() leave open: keys are as many and as wide as queries, values and output as wide as these.
void bind_sequences(Symbols& symbols);
// Every pixel of picture() asks, and the output has its channels.
void bind_pixels(Symbols& symbols);
// A window has a middle.
Status check_extent(const ParamValues& params);

// ---- Words of steps that several mechanisms have

StepWords query_words();                             // "q", of d_q numbers in heads of d'
StepWords key_words();                               // "k"
StepWords value_words(const std::string& more);      // "v"
StepWords mask_words(const std::string& more = "");  // of what hides a key
extern const char* const masked_note;
StepWords masked_scores_words(Prose note = masked_note);
StepWords weight_words(const std::string& more, const char* title = "Attention weights");
StepWords head_output_words(const std::string& more = "", StageWords stage = {});
// Heads of that width side by side.
StepWords concat_words(const char* symbol, const char* width, const std::string& more = "");
StepWords output_words();  // where "output_projection" is a parameter

// More specifications, behind those that are there.
template <class T>
void append(std::vector<T>& to, std::vector<T> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

// ---- Axes, and what is said of them

// The input of queries, read as the input of keys: with the same labels and grid.
Array as_keys(const Recorder& r, Array x);
// What can hide keys of a window.
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

// Steps that more than one variant records.
namespace headlight::record {

// All rules' masks as one source of that name, on axes of a map; empty where there are none.
Array mask(Recorder& r, const char* id, const MaskRules& rules, const std::vector<Axis>& axes);
// Adds the rules' masks to the scores where there are any: "masked_scores".
ops::MaskedScores masked_scores(Recorder& r, const Array& scores, const MaskRules& rules);
// The same, then softmax over the keys of each row: "weights".
Array masked_softmax(Recorder& r, const Array& scores, const MaskRules& rules);
// The same where keys are those of a window, and what lies outside the picture takes no part if `masked`.
Array softmax_in_neighborhood(Recorder& r, Array scores, const math::Window& window, bool masked);

// The steps "concat" of heads (B, M, n, d'), along the channels of that symbol, and "output".
void merged_heads(Recorder& r, const Array& heads, const char* channels);
// x times w_o, plus b_o, or x as it is where the output is not projected: "output".
void output(Recorder& r, const Array& x);

}  // namespace headlight::record
