#include "engine/weights/described_heads.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/inputs/features.h"
#include "engine/inputs/text.h"
#include "engine/variants/head_option.h"
#include "engine/weights/text_heads.h"

namespace headlight {

namespace {

// ---- What a head compares -----------------------------------------------------------------------------------------

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

// The sum of two comparisons whose last slots are both asked by the constant alone: those become one.
Slots joined(Slots a, Slots b) {
  Slot constant = std::move(a.back());
  const double share = b.back().query.front().factor / constant.query.front().factor;
  for (Read read : b.back().key) constant.key.push_back({read.channel, read.factor * share});
  a.pop_back();
  b.pop_back();
  a.insert(a.end(), b.begin(), b.end());
  a.push_back(std::move(constant));
  return a;
}

// −β |colour of query − colour of key|², up to the query's own part. The constant's slot comes last.
Slots same_color(double beta) {
  return {{{{channel_r, 2 * beta}}, {{channel_r, 1}}},
          {{{channel_g, 2 * beta}}, {{channel_g, 1}}},
          {{{channel_b, 2 * beta}}, {{channel_b, 1}}},
          {{{channel_one, -beta}}, {{channel_color_square, 1}}}};
}

// −γ ((rows of query + down − row of key)² + …) in pixels, along the axes asked for; up to the query's own part.
Slots at_offset(double gamma, bool rows, double down, bool columns, double right) {
  const double g = gamma * unit * unit;
  Slot constant{{{channel_one, -g}}, {}};
  Slots slots;
  if (rows) {
    slots.push_back({{{channel_y, 2 * g}, {channel_one, 2 * g * down / unit}}, {{channel_y, 1}}});
    constant.key.push_back({channel_y_square, 1});
  }
  if (columns) {
    slots.push_back({{{channel_x, 2 * g}, {channel_one, 2 * g * right / unit}}, {{channel_x, 1}}});
    constant.key.push_back({channel_x_square, 1});
  }
  slots.push_back(std::move(constant));
  return slots;
}

// The key's channel, whatever the query.
Slots by_key(std::vector<Read> key, double strength) {
  return {{{{channel_one, strength}}, std::move(key)}};
}

constexpr double color_beta = 40;  // a colour a fifth of the scale away gets e^(−1.6), one half away e^(−10)

// Rows and columns of the picture; 16 × 16 where it says none.
Grid picture_grid(const Problem& problem) {
  Grid grid{1, 16, 16};
  for (const auto& [symbol, of] : problem.grids) grid = of;
  if (const auto found = problem.symbols.find("H"); found != problem.symbols.end()) grid.rows = found->second;
  if (const auto found = problem.symbols.find("W"); found != problem.symbols.end()) grid.columns = found->second;
  return grid;
}

// The offset that "above" means: four rows, fewer where there are few.
Index rows_above(Index rows) {
  return rows >= 12 ? 4 : rows >= 6 ? 2 : 1;
}

// Of 1 to 4.
const char* count_word(Index count) {
  constexpr const char* words[] = {"One", "Two", "Three", "Four"};
  return words[count - 1];
}

// A head that looks at one place, and what is left of it with two channels.
Described place(std::string name, std::string sentence, double gamma, double down, double right, bool rows_matter) {
  return {std::move(name),
          std::move(sentence),
          at_offset(gamma, true, down, true, right),
          {{at_offset(gamma, rows_matter, down, !rows_matter, right),
            rows_matter ? "it compares rows alone, and looks along a whole row."
                        : "it compares columns alone, and looks along a whole column."}}};
}

std::vector<Described> picture_behaviours(const Problem& problem) {
  const Grid grid = picture_grid(problem);
  const Index above = rows_above(grid.rows);
  const std::string frames = problem.input_kind == InputKind::frames ? ", in every frame" : "";
  std::vector<Described> list{
      {"Same colour", "Looks at every pixel of its own colour, however far away" + frames + ".",
       same_color(color_beta)},
      {"Same row", "Looks along its own row, whatever the colours" + frames + ".", at_offset(2, true, 0, false, 0)},
      place(std::string(count_word(above)) + " above",
            fmt::format("Looks {} {} above itself{}: the query's place is moved before it is compared.", above,
                        above == 1 ? "pixel" : "pixels", frames),
            1.5, -static_cast<double>(above), 0, true),
      {"Colour, nearby",
       "Wants its own colour and wants it close" + frames + ": both distances are added.",
       joined(same_color(color_beta), at_offset(0.04, true, 0, true, 0)),
       {{same_color(color_beta), "it compares colours alone, near or far."}}},
      {"Same column", "Looks along its own column, whatever the colours" + frames + ".",
       at_offset(2, false, 0, true, 0)},
      place("Nearby", "Looks at its neighbourhood, itself most" + frames + ": a bell two pixels wide.", 0.15, 0, 0,
            true),
      {"Bright spots", "Looks at pixels brighter than those round them, whoever asks: along edges, on the bright side.",
       by_key({{channel_contrast, 1}}, 25)},
      place("Left neighbour", "Looks at the pixel at its left" + frames + ".", 1.5, 0, -1, false),
  };
  // What leads out of the picture whoever asks is no claim.
  constexpr std::size_t above_place = 2, left_place = 7;
  if (above >= grid.rows) list[above_place].name.clear();
  if (grid.columns < 2) list[left_place].name.clear();
  return list;
}

Slots same_value(double beta) {
  return {{{{channel_value, 2 * beta}}, {{channel_value, 1}}},
          {{{channel_signal_one, -beta}}, {{channel_value_square, 1}}}};
}

Slots at_time(double gamma, double later) {
  const double g = gamma * unit * unit;
  return {{{{channel_position, 2 * g}, {channel_signal_one, 2 * g * later / unit}}, {{channel_position, 1}}},
          {{{channel_signal_one, -g}}, {{channel_position_square, 1}}}};
}

std::vector<Described> signal_behaviours() {
  return {{"Same value", "Looks at every sample of its own height, however long ago.", same_value(8)},
          {"Previous sample", "Looks at the sample just before.", at_time(1.5, -1)},
          {"Neighbours", "Looks at the samples round itself.", at_time(0.15, 0)},
          {"Same value, nearby",
           "Wants its own height and wants it close.",
           joined(same_value(8), at_time(0.02, 0)),
           {{same_value(8), "it compares heights alone, near or far."}}}};
}

// ---- Whether the input is described, and as what ------------------------------------------------------------------

bool is_described(const Problem& problem, Index channels) {
  switch (problem.input_kind) {
    case InputKind::image:
      return channels == picture_channels;
    case InputKind::frames:
      return channels == picture_channels || channels == frame_channels;
    case InputKind::signal:
      return channels == signal_channels;
    default:
      return false;
  }
}

std::vector<Described> behaviours_of(const Problem& problem) {
  return problem.input_kind == InputKind::signal ? signal_behaviours() : picture_behaviours(problem);
}

// What the values pass on: the colour, or the sample's value.
Index passed_channels(const Problem& problem) {
  return problem.input_kind == InputKind::signal ? 1 : 3;
}

// The m-th head's behaviour, repeated and softened.
struct Chosen {
  const Described* behaviour;
  double softness;
  HeadInfo info;
};

Chosen choose(const std::vector<Described>& list, Index m) {
  const auto count = list.size(), which = static_cast<std::size_t>(m);
  const Described& b = list[which % count];
  HeadInfo info{b.name, b.sentence};
  if (which >= count) {
    info.name += fmt::format(" {}", which / count + 1);
    info.sentence += " Softer than the head it repeats.";
  }
  return {&b, 1 + 0.5 * static_cast<double>(which / count), std::move(info)};
}

// What the head has room for, said where it is not all. Part of a comparison would be another one, so what does not fit
// is left out whole.
Slots fitted(const Described& b, Index d_head, HeadInfo& info) {
  const auto room = static_cast<std::size_t>(d_head);
  if (b.slots.size() <= room) return b.slots;
  info.sentence += fmt::format(" It would need {} channels and has {}: ", b.slots.size(), d_head);
  for (const auto& [slots, sentence] : b.narrower)
    if (slots.size() <= room) {
      info.sentence += sentence;
      return slots;
    }
  info.sentence += "it looks at everything alike.";
  return {};
}

// Positions of a weight (d, d') from `w_q`, `w_k`: w[channel · d' + slot].
void write_slots(const Chosen& head, double strength, float* w_q, float* w_k, Index d_head, HeadInfo& info) {
  const Slots slots = fitted(*head.behaviour, d_head, info);
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (w_q)
      for (const Read& read : slots[s].query)
        w_q[read.channel * d_head + static_cast<Index>(s)] +=
            static_cast<float>(read.factor * strength / head.softness);
    if (w_k)
      for (const Read& read : slots[s].key)
        w_k[read.channel * d_head + static_cast<Index>(s)] += static_cast<float>(read.factor);
  }
}

HeadInfo looks_at_itself() {
  return {"Itself", "A window of one pixel holds nothing else to look at."};
}

void keep(Problem& problem, std::initializer_list<std::pair<const char*, std::shared_ptr<Tensor>>> made) {
  for (const auto& [id, tensor] : made)
    if (tensor) problem.arrays[id] = tensor;
}

float* at(const std::shared_ptr<Tensor>& tensor, Index offset) {
  return tensor ? tensor->data() + offset : nullptr;
}

}  // namespace

bool fill_textbook_described_heads(Problem& problem) {
  const Index d = problem.dim("d_q"), heads = problem.dim("M"), key_heads = problem.dim("G"),
              d_head = problem.dim("d'"), d_v = problem.dim("d_v"), d_value = problem.dim("d_v'"),
              d_out = problem.dim("d_out"), group = heads / key_heads;
  if (!is_described(problem, d) || problem.dim("d_k") != d) return false;
  if (problem.params.flag("differential")) return false;  // they have one map each
  const auto w_q = array_to_make(problem, "w_q", {heads, d, d_head}),
             w_k = array_to_make(problem, "w_k", {key_heads, d, d_head}),
             w_v = array_to_make(problem, "w_v", {key_heads, d_v, d_value}),
             w_o = array_to_make(problem, "w_o", {heads * d_value, d_out});
  const auto list = behaviours_of(problem);
  // They read the channels as they are, of one picture, and want what is like them rather than unlike.
  const ParamValues& params = problem.params;
  const bool across = problem.find("x_k") && problem.find("x_k") != problem.find("x_q");
  const bool claims = !across && !options::norms_before(params) &&
                      (params.is_automatic("scale") || params.real("scale") > 0) && params.real("temperature") > 0;
  const Index passed = std::min({passed_channels(problem), d_value, d_v});
  for (Index m = 0; m < heads; ++m) {
    const Index shared = m / group;  // heads that share their keys do one thing
    Chosen head = choose(list, shared);
    write_slots(head, std::sqrt(static_cast<double>(d_head)), at(w_q, m * d * d_head),
                m % group == 0 ? at(w_k, shared * d * d_head) : nullptr, d_head, head.info);
    for (Index c = 0; c < passed; ++c) {
      if (w_v) (*w_v)[(shared * d_v + c) * d_value + c] = 1;
      if (w_o && c < d_out) (*w_o)[(m * d_value + c) * d_out + c] = 1.0F / static_cast<float>(heads);
    }
    if (problem.find("p_q")) head.info.sentence += " The positions that are added disturb what it reads.";
    problem.heads.push_back(claims && !head.behaviour->name.empty() ? std::move(head.info) : HeadInfo{});
  }
  keep(problem, {{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}});
  return true;
}

bool fill_textbook_described_additive(Problem& problem) {
  const Index d = problem.dim("d_q"), hidden = problem.dim("h");
  if (!is_described(problem, d) || problem.dim("d_k") != d || hidden < 2) return false;
  const bool signal = problem.input_kind == InputKind::signal;
  const double slope = signal ? 3 : 8, reach = 1.2, strength = signal ? 3 : 1.5;
  const auto w_q = array_to_make(problem, "w_q", {d, hidden}), w_k = array_to_make(problem, "w_k", {d, hidden}),
             w_score = array_to_make(problem, "w_score", {hidden});
  const Index read = std::min(passed_channels(problem), hidden / 2),
              one = signal ? Index{channel_signal_one} : channel_one;
  for (Index c = 0; c < read; ++c)
    for (Index side = 0; side < 2; ++side) {
      const Index to = 2 * c + side;
      const double sign = side == 0 ? 1 : -1;
      if (w_q) {
        (*w_q)[c * hidden + to] = static_cast<float>(slope);
        (*w_q)[one * hidden + to] = static_cast<float>(sign * reach);
      }
      if (w_k) (*w_k)[c * hidden + to] = static_cast<float>(-slope);
      if (w_score) (*w_score)[to] = static_cast<float>(sign * strength);
    }
  problem.heads.push_back(
      signal ? HeadInfo{"Same value",
                        "Looks at samples of its own height: two features make a bump that is high only "
                        "where both values agree."}
             : HeadInfo{"Same colour",
                        "Looks at pixels of its own colour: for red, green and blue two features each make "
                        "a bump that is high only where both agree."});
  if (read < passed_channels(problem))
    problem.heads.back().sentence +=
        fmt::format(" With {} features it compares {} alone.", hidden, read == 1 ? "red" : "red and green");
  keep(problem, {{"w_q", w_q}, {"w_k", w_k}, {"w_score", w_score}});
  return true;
}

namespace {

// What stands out by itself.
std::vector<Described> key_behaviours(bool signal) {
  if (signal)
    return {{"Peaks", "Looks at the highest samples, whoever asks.", by_key({{channel_value, 1}}, 2)},
            {"Rising", "Looks where the signal rises, whoever asks.", by_key({{channel_slope, 1}}, 4)}};
  return {{"Bright spots", "Looks at pixels brighter than those round them, whoever asks.",
           by_key({{channel_contrast, 1}}, 25)},
          {"Red things", "Looks at red pixels, whoever asks.",
           by_key({{channel_r, 1}, {channel_g, -0.5}, {channel_b, -0.5}}, 10)},
          {"The top", "Looks at the upper rows, whoever asks.", by_key({{channel_y, -1}}, 4)},
          {"Light", "Looks at light pixels, whoever asks.",
           by_key({{channel_r, 0.299}, {channel_g, 0.587}, {channel_b, 0.114}}, 10)}};
}

}  // namespace

bool fill_textbook_described_keys(Problem& problem) {
  const Index d = problem.dim("d"), heads = problem.dim("M"), d_head = problem.dim("d'");
  if (!is_described(problem, d)) return false;
  const auto list = key_behaviours(problem.input_kind == InputKind::signal);
  const auto u = array_to_make(problem, "u", {heads, d_head}), w_k = array_to_make(problem, "w_k", {heads, d, d_head}),
             w_v = array_to_make(problem, "w_v", {heads, d, d_head}),
             w_o = array_to_make(problem, "w_o", {heads * d_head, d});
  const Index passed = std::min(passed_channels(problem), d_head);
  for (Index m = 0; m < heads; ++m) {
    Chosen head = choose(list, m);
    const Slot& slot = head.behaviour->slots.front();
    if (u) (*u)[m * d_head] = static_cast<float>(slot.query.front().factor / head.softness);
    for (const Read& read : slot.key)
      if (w_k) (*w_k)[(m * d + read.channel) * d_head] = static_cast<float>(read.factor);
    for (Index c = 0; c < passed; ++c) {
      if (w_v) (*w_v)[(m * d + c) * d_head + c] = 1;
      if (w_o) (*w_o)[(m * d_head + c) * d + c] = 1.0F / static_cast<float>(heads);
    }
    problem.heads.push_back(std::move(head.info));
  }
  keep(problem, {{"u", u}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}});
  return true;
}

namespace {

// The comparison of a non-local block by its mode, and what to call it. Scores are not divided by anything.
Described non_local_behaviour(const Problem& problem, const std::string& mode) {
  const bool signal = problem.input_kind == InputKind::signal, video = problem.input_kind == InputKind::frames;
  const std::string what = signal ? "value" : "colour", found = video ? " in every frame" : "";
  const bool pooled = problem.params.flag("sub_sample");
  const std::string pooling = pooled
                                  ? " Pooling takes the largest of each channel by itself, so a key may hold numbers "
                                    "of several pixels."
                                  : "";
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
            "Its own " + what + found +
                " gets the most, and unlike ones take away: without softmax weights may be negative, and rows need not "
                "sum to 1." +
                pooling,
            signal ? same_value(1) : same_color(2)};
  return {"Same " + what, "Finds the same " + what + " anywhere" + found + ", however far away." + pooling,
          signal ? same_value(8) : same_color(color_beta)};
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
  keep(problem, {{"w_theta", theta}, {"w_phi", phi}, {"w_g", g}, {"w_z", z}, {"w_concat", concat}});
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
  keep(problem, {{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}});
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
  const double norm =
      normalizer == "none" ? 1 : std::sqrt(static_cast<double>(normalizer == "sqrt_in_channels" ? d : mid));
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
    problem.heads.push_back(alone ? looks_at_itself() : can(b, problem, above) ? std::move(info) : HeadInfo{});
  }
  keep(problem,
       {{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}, {"row_embedding", rows}, {"col_embedding", columns}});
  return true;
}

}  // namespace headlight
