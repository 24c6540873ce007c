// Queries and keys of one head made by hand, of what the features of text and positions put into channels: what it
// scores highest.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "engine/inputs/text.h"
#include "engine/variants/variant.h"

namespace headlight {

// The queries and keys of one head, (d, d') each, and the room that they have.
struct TextHead {
  Index d_model;
  Index d_head;
  TextChannels channels;
  bool sinusoidal;  // positions are added, and they are the sinusoids
  float* w_q;
  float* w_k;
  double softness;  // 1 for the first eight heads, more for those that repeat them
  // The channel of what only the first token has: a mark that it has none before it, or that it is the start token.
  // −1: nothing tells.
  Index first;
  float first_size;

  // Weights are scaled so that scores have this strength after the division by √d'.
  double sharpened(double strength) const {
    return std::sqrt(strength * std::sqrt(static_cast<double>(d_head)) / softness);
  }
  float& q(Index from, Index to) const { return w_q[from * d_head + to]; }
  float& k(Index from, Index to) const { return w_k[from * d_head + to]; }
};

// Score: strength · Σ cos(ω (i − back − j)) over the fastest pairs.
void attend_at_offset(const TextHead& head, double back, double strength);

// Score: a bell round the query's own position whose standard deviation is `width` positions: Σ cos(ω (i − j)) over
// slow pairs, divided by width² Σ ω². Slow ones, because the fast ones repeat within a sentence: for d_model 32 their
// periods are 20, 35, 63 and 112 positions, and other sizes of d_model take the pairs of nearly the same periods.
void attend_around(const TextHead& head, double width);

// Adds to the score by the head's channel `to`, whatever the query: strength at the first token, and `elsewhere`, which
// is less, at all others.
void attend_to_first(const TextHead& head, Index to, double strength, double elsewhere = 0);

// Score: 30 · (identity of the query's token) · (what the key's token holds in the channels from `keys_from` on) − 22,
// both of length 1 where they are equal: 8 for an equal word, at most 2 for one whose cosine with it is at most 0.8.
// The first token scores 5 whatever the query is: a row that finds no equal word rests there. A head that may not rest
// scores 30, with nothing taken off. A head narrower than the identity reads the first of its channels, made larger by
// what they lack in length.
void attend_to_equal(const TextHead& head, Index keys_from, bool may_rest);
// How alike two words may be, as the cosine of what is read of them, before one is nearly taken for the other.
inline constexpr double max_cosine = 0.86;

// Score: strength where the key's flag is up, whatever the query: the query reads the channel that is always 1.
void attend_to_flag(const TextHead& head, Index flag, double strength);

// How the channels of a head turn where queries and keys are turned by their places.
struct RotaryChannels {
  std::vector<double> frequencies;  // of each pair, radians a place
  bool interleaved = false;
  Index d_head = 0;

  Index pairs() const { return static_cast<Index>(frequencies.size()); }
  Index first_of(Index pair) const { return interleaved ? 2 * pair : pair; }
  Index second_of(Index pair) const { return interleaved ? 2 * pair + 1 : pair + pairs(); }
  // Channels that a sentence hardly turns, the slowest first: words are read there. All, where every one turns fast.
  std::vector<Index> slow_channels() const;
};
// Without pairs where nothing turns.
RotaryChannels rotary_channels(const Problem& problem);

// Writes what a pair of channels reads of a channel that is the same in every token: `q` and `k` get size · (cos, sin)
// of the angle that they point to before the turn.
using WritePair = std::function<void(Index pair, double strength, double back)>;

// Score: Σ s_c cos((j − i + back) θ_c), highest `back` places before the query, lower by `drop` one place beside that.
// Fast pairs tell neighbours apart, and slower ones what is as far as a fast one's whole turn.
void rotary_at_offset(const RotaryChannels& channels, double back, double drop, const WritePair& write);
// Score: a bell round the query's own place whose standard deviation is `width` places, by pairs too slow to repeat
// within a sentence.
void rotary_around(const RotaryChannels& channels, double width, const WritePair& write);

}  // namespace headlight
