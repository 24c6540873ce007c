// What the choices of a run did, put together for a picture: which steps show it, and the numbers between them. Each
// function answers for one kind of choice, from the recorded steps, and has nothing to say where it was not made.
//
// The ids of steps stay here: whoever draws asks for the kind.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/trace/trace.h"

namespace headlight {
struct Problem;
}

namespace headlight::mechanism {

// Which query and key a mechanism is told of, in which head of which batch item.
struct PairIndex {
  Index batch = 0, head = 0, query = 0, key = 0;
};

// ---- What a scaled score is the sum of, where places have a part of it besides the content.

struct ScoreParts {
  std::vector<const Step*> scaled;  // (1|B, M, n_q, n_k): added up before the scale
  const Step* added = nullptr;      // after it; null: nothing
  const Step* sum = nullptr;        // what they come to
};
// Empty where scores are of the content alone.
ScoreParts score_parts(const Trace& trace);

// ---- A term by distance (ALiBi, T5, Shaw): what is added to the score of a pair for its offset.

struct OffsetTerm {
  const Step* added = nullptr;    // (1|B, M, n_q, n_k): what the offset adds to a score
  const Step* for_all = nullptr;  // what it adds for every query alike, where that is a step of its own; null: nothing
  const Step* rows = nullptr;     // (n_q, n_k): the row of a table that each pair shares with others; null: none
  Index first_query = 0;          // where query 0 stands among the keys
  bool of_query = false;          // it depends on the query, too: a row of its own for each
  std::string title;              // "ALiBi"
};
std::optional<OffsetTerm> offset_term(const Problem& problem, const Trace& trace);

// An offset from query to key that some pair has.
struct OffsetEntry {
  Index offset = 0;  // δ = key − place of the query
  double added = 0;
  Index row = -1;  // of the table; −1 without one
};
// Of a head, ascending by offset; of that query's own where the term depends on it.
std::vector<OffsetEntry> offset_entries(const OffsetTerm& term, Index batch, Index head, Index query);

// The value of a choice; empty where the variant has no such parameter.
std::string choice_of(const Problem& problem, std::string_view id);
// Whether keys after the query are hidden from it.
bool hides_later_keys(const Problem& problem);

// ---- Rotary (Su et al. 2021, section 3.2): pairs of channels rotated by their places.

struct Rotation {
  const Step *q = nullptr, *q_rotated = nullptr;  // (B, heads, n_q, d'), as they were and as they are
  const Step *k = nullptr, *k_rotated = nullptr;  // (B, key heads, n_k, d')
  std::vector<double> frequencies;                // of each pair, radians a place
  bool interleaved = false;                       // neighbours are a pair, else halves are
  Index first_query = 0, first_key = 0;           // where on the circle query 0 and key 0 stand

  Index pairs() const { return static_cast<Index>(frequencies.size()); }
  // Both channels of a pair.
  std::pair<Index, Index> channels(Index pair) const;
};
std::optional<Rotation> rotation(const Problem& problem, const Trace& trace);

// One pair of channels of a query and a key.
struct Arrow {
  double x = 0, y = 0;
  double length() const;
  double angle() const;  // radians, −π to π
};
struct Dial {
  Arrow q, k, q_rotated, k_rotated;
  double between = 0;  // radians from the rotated query to the rotated key, −π to π
  double product = 0;  // of the rotated arrows: what the pair adds to the dot product
};
Dial dial(const Rotation& rotation, const PairIndex& of, Index pair);

// How much each pair can add at most in a head: the longest of its queries times the longest of its keys.
std::vector<double> max_pair_products(const Rotation& rotation, Index batch, Index head);

// What pairs `from` to `to` − 1 would add to the dot product if the key stood `offset` places after the query:
// Σ |q_c| |k_c| cos(φ_c + offset · θ_c), φ_c the angle from query to key before it is rotated. At the offset that they
// have it is the sum of their products.
double product_at(const Rotation& rotation, const PairIndex& of, double offset, Index from, Index to);
// What channels that are not rotated add.
double unrotated_product(const Rotation& rotation, const PairIndex& of);

// What the scores of a run are multiplied by, in that head: 1/√d' unless it was chosen otherwise.
double score_scale(const Trace& trace, const PairIndex& of);

// ---- How a row of scores became weights, where it was not by softmax alone.

struct RowRule {
  std::string title;                    // "sparsemax", "soft cap 5"
  std::string what;                     // what it does to a row, one sentence
  double unclaimed = 0;                 // the share that no key took
  std::vector<double> scores, weights;  // one a key; −∞ where it is hidden
  std::vector<double> plain;            // softmax of the same scores, uncapped
};
bool has_row_rule(const Problem& problem);
std::optional<RowRule> row_rule(const Problem& problem, const Trace& trace, Index batch, Index head, Index query);

// What any score would become in that row, all else as it is: with a soft cap before softmax c tanh(s/c), a score
// again; else the weight, at the threshold or the sum that the row has.
struct RowCurve {
  bool of_cap = false;              // a score comes out
  double first = 0, step = 0;       // of the scores that go in, from the row's least to its greatest
  std::vector<double> here, plain;  // at first, first + step …; plain: the score itself, or its weight by softmax
  std::vector<double> in, out;      // one a key: where it lies on the curve; not finite where it is hidden
};
// Of a row of which something finite is seen.
std::optional<RowCurve> row_curve(const Problem& problem, const Trace& trace, Index batch, Index head, Index query);

// What the weights of each row add up to in that head → (n_q); empty where they always add up to 1.
std::vector<double> row_sums(const Problem& problem, const Trace& trace, Index batch, Index head);

// ---- Key heads that several query heads read (Shazeer 2019; Ainslie et al. 2023).

struct SharedKeys {
  Index query_heads = 1, key_heads = 1;
  Index kept = 0;       // numbers of keys and values kept for a token
  Index kept_each = 0;  // and with a key head for each query head

  Index group() const { return query_heads / key_heads; }
};
// Of every run whose heads have keys and values.
std::optional<SharedKeys> shared_keys(const Problem& problem, const Trace& trace);

// ---- Keys and values that heads unfold from one latent (DeepSeek-AI 2024, section 2.1.2).

struct LatentKeys {
  const Step* latent = nullptr;                           // (B, n_k, r), all that is kept of a token besides its place
  const Step* place = nullptr;                            // (B, 1, n_k, d_R), as it was rotated
  const Step *keys = nullptr, *values = nullptr;          // (B, M, n_k, ·)
  const Step *by_content = nullptr, *by_place = nullptr;  // (B, M, n_q, n_k), the two parts of a score
  Index kept = 0, kept_each = 0;                          // numbers a token, and what all keys and values would be
};
std::optional<LatentKeys> latent_keys(const Trace& trace);

// ---- Two maps and what is made of them.

struct TwoMaps {
  const Step* maps = nullptr;    // (B, S, n_q, n_k)
  const Step* result = nullptr;  // (B, M, n_q, n_k)
  Index first = 0, second = 0;   // of the maps: those of the head
  double by = 0;                 // what the second is multiplied by
  std::string title;
};
// Of differential attention (Ye et al. 2024, equation 1): both maps of a head and its λ.
std::optional<TwoMaps> two_maps(const Problem& problem, const Trace& trace, Index head);

// What each map contributes to a head's, one number a head: a column of the matrix that mixes them (Shazeer et al.
// 2020). `made` is what comes out, `of` what goes in.
struct Mixing {
  const Step *of = nullptr, *made = nullptr;  // (B, M, n_q, n_k)
  std::vector<double> shares;                 // of that head
};
std::vector<Mixing> mixing(const Trace& trace, Index head);

// ---- The state that linear attention keeps in place of a map (Katharopoulos et al. 2020, section 3).

struct RunningState {
  const Step* state = nullptr;  // (B, M, D, d'), causal (B, M, n_q, D, d')
  Index features = 0, width = 0;
  bool causal = false;
};
std::optional<RunningState> running_state(const Trace& trace);

// ---- Windows of a picture, shifted in a circle (Liu et al. 2021, section 3.2).

struct WindowGroups {
  Index rows = 0, columns = 0;  // of the picture
  Index side = 1, shift = 0;
  std::vector<Index> group;   // of each pixel: those of one number see each other
  std::vector<Index> window;  // of each pixel: those of one number are computed together, whether or not they do
  Index only = -1;            // the one pixel that asks; −1: all do

  // The pixel that a pixel's key of that number is: its place in the window.
  Index pixel(Index asks, Index key) const;
};
// Whether they are shifted at all.
bool shifts_windows(const Problem& problem);
std::optional<WindowGroups> window_groups(const Problem& problem, const Trace& trace);

// ---- Queries and keys that are brought to one size (Henry et al. 2020; Dehghani et al. 2023, section 2).

struct QkNorm {
  const Step *q = nullptr, *q_normed = nullptr;  // (B, heads, n_q, d'), as they were and as they are
  const Step *k = nullptr, *k_normed = nullptr;  // (B, key heads, n_k, d')
  std::string title;                             // "RMS norm"
};
std::optional<QkNorm> qk_norm(const Problem& problem, const Trace& trace);
// Euclidean lengths of all queries or keys of a step in a head.
std::vector<double> row_lengths(const Step& step, Index batch, Index head);
// A query and a key over all channels, in the plane that both span: the query along the first axis.
struct QkAngle {
  double q = 0, k = 0;  // lengths
  double between = 0;   // radians, 0 to π; 0 where either has no length
};
QkAngle qk_angle(const Step& q, const Step& k, const PairIndex& of);

// ---- Codes of rows and columns (Carion et al. 2020, appendix).

struct PlaceCodes {
  const Step* codes = nullptr;  // (n, d) or (B, n, d)
  Index rows = 1, columns = 1;  // of the grid that the places lie on
};
// Of a run whose positions are sinusoidal in two directions.
std::optional<PlaceCodes> place_codes(const Problem& problem, const Trace& trace);
// How alike the code of a place is to that of each: the cosine of their angle → (rows, columns).
Tensor code_similarity(const PlaceCodes& codes, Index place);

// ---- A feed-forward part whose numbers pass a gate (Shazeer 2020): (B, n_q, d_ff) each, hidden = gate · up.

struct Gating {
  const Step *gate = nullptr, *up = nullptr, *hidden = nullptr;
};
std::optional<Gating> gating(const Trace& trace);

}  // namespace headlight::mechanism
