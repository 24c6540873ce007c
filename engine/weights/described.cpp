#include "engine/weights/described.h"

#include <utility>
#include <vector>

#include "engine/inputs/features.h"
#include "engine/inputs/text.h"
#include "engine/variants/head_option.h"

namespace headlight::described {

// ---- What a head compares -----------------------------------------------------------------------------------------

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

Slots by_key(std::vector<Read> key, double strength) {
  return {{{{channel_one, strength}}, std::move(key)}};
}

Grid picture_grid(const Problem& problem) {
  Grid grid{1, 16, 16};
  for (const auto& [symbol, of] : problem.grids) grid = of;
  if (const auto found = problem.symbols.find("H"); found != problem.symbols.end()) grid.rows = found->second;
  if (const auto found = problem.symbols.find("W"); found != problem.symbols.end()) grid.columns = found->second;
  return grid;
}

Index rows_above(Index rows) {
  if (rows >= 12) return 4;
  return rows >= 6 ? 2 : 1;
}

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
  const InputKind kind = problem.input_kind;
  if (kind == InputKind::signal) return channels == signal_channels;
  if (kind == InputKind::frames && channels == frame_channels) return true;
  return (kind == InputKind::image || kind == InputKind::frames) && channels == picture_channels;
}

std::vector<Described> behaviours_of(const Problem& problem) {
  return problem.input_kind == InputKind::signal ? signal_behaviours() : picture_behaviours(problem);
}

Index passed_channels(const Problem& problem) {
  return problem.input_kind == InputKind::signal ? 1 : 3;
}

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

float* at(const std::shared_ptr<Tensor>& tensor, Index offset) {
  return tensor ? tensor->data() + offset : nullptr;
}

}  // namespace headlight::described
