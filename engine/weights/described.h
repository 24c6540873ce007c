// What heads made by hand compare in pictures, frames and signals, as numbers of their weights. For the files of this
// room that fill weights.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/inputs/features.h"
#include "engine/variants/head_option.h"
#include "engine/variants/variant.h"

namespace headlight::described {

struct Read {
  Index channel;
  double factor;
};

// One channel of a head: what the query and the key put into it. The score is the sum of their products.
struct Slot {
  std::vector<Read> query;
  std::vector<Read> key;
};
using Slots = std::vector<Slot>;

// What a head does instead where its channels cannot hold all slots.
struct Narrower {
  Slots slots;
  std::string sentence;
};

struct Described {
  std::string name;  // empty: it cannot do here what it is for, and nothing is claimed of it
  std::string sentence;
  Slots slots;
  std::vector<Narrower> narrower = {};  // widest first
};

constexpr double unit = pixels_per_unit;  // of y and x, in pixels

// The behaviour of head m; heads beyond the list repeat it, softer.
struct Chosen {
  const Described* behaviour;
  double softness;
  HeadInfo info;
};

constexpr double color_beta = 40;  // a colour a fifth of the scale away gets e^(−1.6), one half away e^(−10)

// −β |colour of query − colour of key|², up to the query's own part. The constant's slot comes last.
Slots same_color(double beta);
// The key's channel, whatever the query.
Slots by_key(std::vector<Read> key, double strength);
// Rows and columns of the picture; 16 × 16 where it says none.
Grid picture_grid(const Problem& problem);
// The offset that "above" means: four rows, fewer where there are few.
Index rows_above(Index rows);
// Of 1 to 4.
const char* count_word(Index count);
Slots same_value(double beta);
bool is_described(const Problem& problem, Index channels);
std::vector<Described> behaviours_of(const Problem& problem);
// What the values pass on: the colour, or the sample's value.
Index passed_channels(const Problem& problem);
Chosen choose(const std::vector<Described>& list, Index m);
// Positions of a weight (d, d') from `w_q`, `w_k`: w[channel · d' + slot].
void write_slots(const Chosen& head, double strength, float* w_q, float* w_k, Index d_head, HeadInfo& info);
HeadInfo looks_at_itself();
float* at(const std::shared_ptr<Tensor>& tensor, Index offset);

}  // namespace headlight::described
