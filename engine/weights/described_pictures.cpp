
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/inputs/features.h"
#include "engine/inputs/text.h"
#include "engine/variants/head_option.h"
#include "engine/weights/described.h"
#include "engine/weights/text_heads.h"

namespace headlight {

using namespace described;

namespace {

// The comparison of a non-local block by its mode, and what to call it. Scores are not divided by anything.
Described non_local_behaviour(const Problem& problem, const std::string& mode) {
  const bool signal = problem.input_kind == InputKind::signal, video = problem.input_kind == InputKind::frames;
  const std::string what = signal ? "value" : "colour", found = video ? " in every frame" : "";
  const bool pooled = problem.params.flag("sub_sample");
  // What stands for several pixels is not always of the colour of any.
  std::string pooling;
  if (pooled)
    pooling = fmt::format(
        " Pooling takes the largest of each channel by itself: a key of {} that differ holds numbers of several of "
        "them, and may be missed.",
        signal ? "samples" : "pixels");
  if (mode == "gaussian")
    return {"The input itself",
            "Multiplies all channels of the input as they are, place as well as " + what +
                ": an alike key scores high, and one of large numbers, far from the middle, higher still." + pooling,
            {}};
  if (mode == "concatenation") {
    std::vector<Read> summed{{channel_value, 1}};
    if (!signal) summed = {{channel_r, 1}, {channel_g, -0.5}, {channel_b, -0.5}};
    return {
        signal ? "High samples" : "Red answers",
        fmt::format("{0} answer most, whoever asks, and {1} query hears all others too: a sum of what the query holds "
                    "and what the key holds cannot tell whether the two agree.{2}",
                    signal ? "High samples" : "Red pixels", signal ? "a high" : "a red", pooling),
        {{summed, summed}}};
  }
  if (mode == "dot_product")
    return {"Similar " + what,
            (pooled ? "A key of its own " + what : "Its own " + what) + found +
                " gets the most, and unlike ones take away: without softmax weights may be negative, and rows need not "
                "sum to 1." +
                pooling,
            signal ? same_value(1) : same_color(2)};
  const std::string finds =
      pooled ? "Finds keys of its own " + what + found : "Finds the same " + what + " anywhere" + found;
  return {"Same " + what, finds + ", however far away." + pooling, signal ? same_value(8) : same_color(color_beta)};
}

// Embedded text: query and key read the word.
Described non_local_word(Index channels) {
  const TextChannels text = text_channels(channels);
  Described b{"Same token", "Finds the same word anywhere in the text.", {}};
  constexpr double strength = 8;
  for (Index c = 0; c < text.width; ++c)
    b.slots.push_back({{{text.identity + c, strength / (identity_size * identity_size)}}, {{text.identity + c, 1}}});
  return b;
}

}  // namespace

bool fill_textbook_non_local(Problem& problem) {
  const Index channels = problem.dim("C"), inner = problem.dim("C'");
  const bool text = problem.input_kind == InputKind::text && text_channels(channels).flags >= 0;
  if (!text && !is_described(problem, channels)) return false;
  const std::string& mode = problem.params.choice("mode");
  const Described b = text ? non_local_word(channels) : non_local_behaviour(problem, mode);
  if (inner < static_cast<Index>(b.slots.size())) return false;
  const auto theta = array_to_make(problem, "w_theta", {inner, channels}),
             phi = array_to_make(problem, "w_phi", {inner, channels}),
             g = array_to_make(problem, "w_g", {inner, channels}), z = array_to_make(problem, "w_z", {channels, inner}),
             concat = array_to_make(problem, "w_concat", {2 * inner});
  for (std::size_t s = 0; s < b.slots.size(); ++s) {
    const auto row = static_cast<Index>(s) * channels;
    if (theta)
      for (const Read& read : b.slots[s].query) (*theta)[row + read.channel] = static_cast<float>(read.factor);
    if (phi)
      for (const Read& read : b.slots[s].key) (*phi)[row + read.channel] = static_cast<float>(read.factor);
    if (concat) (*concat)[static_cast<Index>(s)] = (*concat)[inner + static_cast<Index>(s)] = 1;
  }
  const Index first = text ? text_channels(channels).identity : 0,
              passed = std::min(inner, text ? text_channels(channels).width : passed_channels(problem));
  for (Index c = 0; c < passed; ++c) {
    if (g) (*g)[c * channels + first + c] = 1;
    if (z) (*z)[(first + c) * inner + c] = 0.5F;
  }
  // Of words it knows one comparison: not the sum of concatenation, all channels of gaussian, or words pooled together.
  const bool compares = mode == "embedded_gaussian" || mode == "dot_product";
  if (!text || (compares && !problem.params.flag("sub_sample"))) problem.heads.push_back({b.name, b.sentence});
  store_arrays(problem, {{"w_theta", theta}, {"w_phi", phi}, {"w_g", g}, {"w_z", z}, {"w_concat", concat}});
  return true;
}

bool fill_textbook_memory_block(Problem& problem) {
  const Index d = problem.dim("C"), heads = problem.dim("M"), d_head = problem.dim("d'");
  if (!is_described(problem, d)) return false;
  const bool zero = problem.params.choice("padding") == "zero", divided = problem.params.choice("normalizer") != "none";
  const std::string border = zero ? " Outside the picture stands a key of zeros, mid grey, which takes part." : "";
  const bool alone = problem.params.integer("extent") == 1;
  const std::vector<Described> list{
      {"Edges", "Looks at the neighbours least like its own colour: at an edge, across it." + border, same_color(-12)},
      {"Same colour", "Looks at the neighbours of its own colour." + border, same_color(color_beta)},
      {"Bright spots", "Looks at the brightest spot of its window." + border, by_key({{channel_contrast, 1}}, 25)},
      {"Average", "Looks at its window evenly: what comes out is a blur." + border, {}}};
  const auto w_q = array_to_make(problem, "w_q", {heads, d, d_head}),
             w_k = array_to_make(problem, "w_k", {heads, d, d_head}),
             w_v = array_to_make(problem, "w_v", {heads, d, d_head});
  for (Index m = 0; m < heads; ++m) {
    Chosen head = choose(list, m);
    write_slots(head, divided ? std::sqrt(static_cast<double>(d_head)) : 1, at(w_q, m * d * d_head),
                at(w_k, m * d * d_head), d_head, head.info);
    for (Index c = 0; w_v && c < std::min<Index>(3, d_head); ++c) (*w_v)[(m * d + c) * d_head + c] = 1;
    problem.heads.push_back(alone ? looks_at_itself() : std::move(head.info));
  }
  store_arrays(problem, {{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}});
  return true;
}

namespace {

constexpr double place_score = 22;  // a place against all others

// How much each head asks of the tables and of content.
struct Relative {
  std::string name;
  std::string sentence;
  double same_row, row_above, same_column;  // what a bump's top adds to the score
  double color;                             // β
};

// `outside` says what a window finds beyond the border.
std::vector<Relative> relative_behaviours(Index above, bool window, const std::string& outside) {
  const std::string where = window ? " in its window" : ", however far away";
  return {
      {"Same colour", "Looks at every pixel of its own colour" + where + ": content alone." + outside, 0, 0, 0,
       color_beta},
      {"Same row", "Looks along its own row: the row table alone." + outside, place_score, 0, 0, 0},
      {std::string(count_word(above)) + " above",
       fmt::format("Looks {} {} above itself: an entry of the row table, and the same column.{}", above,
                   above == 1 ? "pixel" : "pixels", outside),
       0, place_score, place_score, 0},
      {"Colour, nearby", "Wants its own colour and wants it close: content and position are added." + outside, 3, 0, 3,
       color_beta},
  };
}

// 1 at the offset 0, a half two pixels away, and never nothing: it serves narrow heads and wide ones, by its factor.
double bump(double offset) {
  return 1 / (1 + offset * offset / 4);
}

// A bump at the offset 0 and, in the row table, another at the offset `above`. Tables (2P − 1, mid/2), or null.
void write_tables(Index entries, Index half, Index above, Tensor* rows, Tensor* columns) {
  for (Index e = 0; e < entries; ++e) {
    const auto offset = static_cast<double>(e - (entries - 1) / 2);
    if (rows) (*rows)[e * half] = static_cast<float>(bump(offset));
    if (rows) (*rows)[e * half + 1] = static_cast<float>(bump(offset + static_cast<double>(above)));
    if (columns) (*columns)[e * half] = static_cast<float>(bump(offset));
  }
}

// The queries and keys of one head, (C, mid) each, or null.
void write_relative(const Relative& b, double strength, Index mid, float* q, float* k) {
  const Index half = mid / 2, color_slots[] = {2, 3, half + 2, half + 3};
  if (q) {
    q[channel_one * mid] = static_cast<float>(b.same_row * strength);
    q[channel_one * mid + 1] = static_cast<float>(b.row_above * strength);
    q[channel_one * mid + half] = static_cast<float>(b.same_column * strength);
  }
  if (b.color <= 0) return;
  const Slots color = same_color(b.color);
  for (std::size_t i = 0; i < color.size(); ++i) {
    for (const Read& read : color[i].query)
      if (q) q[read.channel * mid + color_slots[i]] = static_cast<float>(read.factor * strength);
    for (const Read& read : color[i].key)
      if (k) k[read.channel * mid + color_slots[i]] = static_cast<float>(read.factor);
  }
}

// The offset that "above" means within the window, and what the heads are.
Index relative_above(const Problem& problem) {
  const Index above = rows_above(picture_grid(problem).rows);
  if (problem.params.is_automatic("extent")) return above;
  return std::min(above, std::max<Index>(1, problem.params.integer("extent") / 2));
}

// Whether a head can do here what it is for: the shares of content and position that it needs are not taken away or
// turned round, and the row above is one of the picture's.
bool can(const Relative& b, const Problem& problem, Index above) {
  const bool by_place = b.same_row > 0 || b.row_above > 0 || b.same_column > 0;
  constexpr double least_share = 0.25;  // with less a place, 22 · λ, is drowned by a thousand others: ln 1000 = 6.9
  if (b.color > 0 && problem.params.real("content") < least_share) return false;
  if (by_place && problem.params.real("position") < least_share) return false;
  return b.row_above == 0 || above < picture_grid(problem).rows;
}

std::vector<Relative> relative_behaviours(const Problem& problem, Index above) {
  const bool window = !problem.params.is_automatic("extent");
  const bool zeros = window && problem.params.choice("padding") == "zero";
  return relative_behaviours(above, window,
                             zeros ? " Outside the picture stands a key of zeros, mid grey, which takes part." : "");
}

}  // namespace

bool fill_textbook_stand_alone(Problem& problem) {
  const Index d = problem.dim("C"), heads = problem.dim("M"), mid = problem.dim("mid"), out = problem.dim("out");
  const Index half = mid / 2, entries = problem.dim("2P-1"), above = relative_above(problem);
  if (!is_described(problem, d) || problem.input_kind == InputKind::signal || half < 4) return false;
  const auto w_q = array_to_make(problem, "w_q", {heads, d, mid}), w_k = array_to_make(problem, "w_k", {heads, d, mid}),
             w_v = array_to_make(problem, "w_v", {heads, d, mid}),
             w_o = array_to_make(problem, "w_o", {heads * mid, out}),
             rows = array_to_make(problem, "row_embedding", {entries, half}),
             columns = array_to_make(problem, "col_embedding", {entries, half});
  write_tables(entries, half, above, rows.get(), columns.get());
  const std::string& normalizer = problem.params.choice("normalizer");
  const auto normed = static_cast<double>(normalizer == "sqrt_in_channels" ? d : mid);
  const double norm = normalizer == "none" ? 1 : std::sqrt(normed);
  const auto list = relative_behaviours(problem, above);
  for (Index m = 0; m < heads; ++m) {
    const auto which = static_cast<std::size_t>(m), round = which / list.size();
    const Relative& b = list[which % list.size()];
    write_relative(b, norm / (1 + 0.5 * static_cast<double>(round)), mid, at(w_q, m * d * mid), at(w_k, m * d * mid));
    for (Index c = 0; c < 3; ++c) {
      if (w_v) (*w_v)[(m * d + c) * mid + c] = 1;
      if (w_o && c < out) (*w_o)[(m * mid + c) * out + c] = 1.0F / static_cast<float>(heads);
    }
    HeadInfo info{b.name, b.sentence};
    if (round > 0) info.name += fmt::format(" {}", round + 1);
    if (round > 0) info.sentence += " Softer than the head it repeats.";
    const bool alone = !problem.params.is_automatic("extent") && problem.params.integer("extent") == 1;
    if (alone) info = looks_at_itself();
    problem.heads.push_back(alone || can(b, problem, above) ? std::move(info) : HeadInfo{});
  }
  store_arrays(
      problem,
      {{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}, {"row_embedding", rows}, {"col_embedding", columns}});
  return true;
}

}  // namespace headlight
