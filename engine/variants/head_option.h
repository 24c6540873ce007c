// An option of multi_head that changes one part of it: what it declares, and what it records. Each is a file in
// variants/options/, with its parameters, arrays, words and steps, and its name in the list there. multi_head.cpp calls
// what it records between the lines of attend(). A term that scores take by distance is a ScoreTerm instead.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/ops/ops.h"
#include "engine/variants/recorder.h"
#include "engine/variants/score_term.h"

namespace headlight {

struct HeadOption {
  ParamQuestion question = ParamQuestion::weights;  // that its parameters answer
  std::vector<ParamSpec> params = {};
  // Arrays that nobody has to give. Symbols as in multi_head.
  std::vector<ArraySpec> (*weights)(const ParamValues&) = nullptr;
  std::vector<StepWords> words = {};
  // What its arrays are where weights are made by hand.
  ArrayMap (*by_hand)(const Problem&) = nullptr;
  // What does not combine with it.
  Status (*check)(const Problem&) = nullptr;
  // Whether it takes part in attend(); null: in another part of the mechanism.
  bool (*is_active)(const Problem&) = nullptr;
};

// In the order in which the window offers them.
std::span<const HeadOption* const> head_options();

// A transformer layer's norms, residual sums and feed-forward part, offered after them.
const HeadOption& layer();

// Queries, keys and values that one array makes.
std::span<const FusedArray> fused_projections();

// Each records its steps, and gives back what comes in where it takes no part.
namespace options {

// Whether any option or score term takes part in attend().
bool any_active(const Problem& problem);

// Queries or keys (B, M, n, d') of one size: "q_normed", "k_normed". A second one joins the first's stage.
Array normalize_qk(Recorder& r, const Array& projected);
// Queries or keys whose pairs of channels are turned by their places, the first of which is `first`: "q_rotated",
// "k_rotated".
Array rotate(Recorder& r, const Array& x, Index first);
// The same by those frequencies, of an array where they are `given`, for any mechanism that declares the parameters
// "rotary", "rotary_base" and "rotary_offset", and these two steps' words.
Array rotate_by(Recorder& r, const Array& x, Index first, std::vector<double> frequencies, const Array& given = {});
// base^(−c/pairs) for each pair c, in radians a place. Su et al. 2021, section 3.2.2.
std::vector<double> frequencies_by_base(double base, Index pairs);
// How fast the pairs of heads so wide turn, in radians a place: as given, else by the paper's rule.
std::vector<double> rotary_frequencies(const ParamValues& params, Index width, const Tensor* given);

// What scores are multiplied by: that number, else 1/√width, written by its symbol; divided by the temperature.
ops::Factor scale_over_temperature(const Recorder& r, std::optional<double> scale, Index width,
                                   const std::string& symbol);
// What is said of a temperature that is not 1, after other words; empty of 1.
std::string temperature_note(const Recorder& r);
// The scores (B, S, n_q, n_k) with the terms that a ScoreTerm adds before and after the scale: "scaled_scores".
Array scale_scores(Recorder& r, const Array& scores, const ScoreTerm::Terms& terms);
// Scores mixed from head to head: "mixed_scores".
Array mix_scores(Recorder& r, const Array& scores);
// Scores of which none is beyond a limit: "capped_scores".
Array cap_scores(Recorder& r, const Array& scores);

// Weights of the keys of each row, after the masks: "masked_scores", "weights" and what comes with them.
Array normalize_rows(Recorder& r, const Array& scores, const MaskRules& rules);
// Weights mixed from head to head: "mixed_weights".
Array mix_weights(Recorder& r, const Array& weights);
// The first map of each head less a share of its second: "differential_weights".
Array subtract_maps(Recorder& r, const Array& weights);
// Weights of which some are set to 0: "dropped_weights".
Array drop_weights(Recorder& r, const Array& weights);
// What the heads give, brought to one size: "normed_heads".
Array normalize_heads(Recorder& r, const Array& heads);

// Heads share keys and values in groups of one size.
Status check_key_heads(const ParamValues& params);
// How maps, and those of keys, are counted: "2M" and "2G" where each head has two, else "M" and "G".
const char* maps_symbol(const ParamValues& params);
const char* key_maps_symbol(const ParamValues& params);

// A norm of x by the arrays `which`_gamma and `which`_beta.
Operation norm(Recorder& r, const Array& x, const std::string& which);
// Whether attention reads a normalised copy of the queries' input: "x_norm".
bool norms_before(const ParamValues& params);
// The heads side by side (B, n_q, M·d') mixed, and the rest of the layer, of the input x and the copy of it
// that attention read: up to "output".
void record_layer(Recorder& r, const Array& x, const Array& x_norm, const Array& concat);

}  // namespace options

}  // namespace headlight
