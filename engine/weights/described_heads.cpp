
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/inputs/features.h"
#include "engine/variants/head_option.h"
#include "engine/weights/described.h"
#include "engine/weights/text_heads.h"

namespace headlight {

using namespace described;

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
  store_arrays(problem, {{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}});
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
  store_arrays(problem, {{"w_q", w_q}, {"w_k", w_k}, {"w_score", w_score}});
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
  store_arrays(problem, {{"u", u}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}});
  return true;
}

}  // namespace headlight
