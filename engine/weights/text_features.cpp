// Weights made by hand for additive attention and for keys alone, on text.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/inputs/text.h"
#include "engine/weights/text_heads.h"

namespace headlight {

// Same token: for each channel of the embedding's identity two features, tanh(a(q − k) + b) and tanh(a(q − k) − b),
// and the second is taken from the first. Their difference is a bump that is high only where both numbers agree.
bool fill_text_additive(Problem& problem) {
  constexpr double slope = 1.5, reach = 1.5, strength = 0.5;
  const Index d = problem.dim("d_q"), hidden = problem.dim("h");
  const TextChannels channels = text_channels(d);
  if (problem.input_kind != InputKind::text || channels.flags < 0 || problem.dim("d_k") != d || hidden < 2)
    return false;
  const auto w_q = array_to_make(problem, "w_q", {d, hidden});
  const auto w_k = array_to_make(problem, "w_k", {d, hidden});
  const auto w_score = array_to_make(problem, "w_score", {hidden});
  const Index read = std::min(channels.width, hidden / 2);
  for (Index c = 0; c < read; ++c)
    for (Index side = 0; side < 2; ++side) {
      const Index to = 2 * c + side;
      const double sign = side == 0 ? 1 : -1;
      if (w_q) {
        (*w_q)[(channels.identity + c) * hidden + to] = static_cast<float>(slope);
        (*w_q)[(channels.flags + 3) * hidden + to] = static_cast<float>(sign * reach / flag_size);
      }
      if (w_k) (*w_k)[(channels.identity + c) * hidden + to] = static_cast<float>(-slope);
      if (w_score) (*w_score)[to] = static_cast<float>(sign * strength);
    }
  store_arrays(problem, {{"w_q", w_q}, {"w_k", w_k}, {"w_score", w_score}});
  const bool across = problem.find("x_k") && problem.find("x_k") != problem.find("x_q");
  if (across && !problem.labels.contains("n_k")) return true;  // keys that are no text: nothing is known of them
  HeadInfo info{"Same token",
                fmt::format("Looks {}: two features make a bump that is high only where a number of the query and one "
                            "of the key agree.",
                            across ? "where its own word stands in the other text; a word that does not stand there "
                                     "looks at what is nearest to it by chance"
                                   : "at itself and at other places of the same word"),
                KeyNeed::same_word};
  if (!problem.meanings.empty()) info.sentence += " Words that mean the same are one word to it.";
  info.meanings = problem.meanings;
  if (read < 4) info.sentence += " With so few features it takes some words for others.";
  problem.heads.push_back(std::move(info));
  return true;
}

namespace {

struct FeatureBehaviour {
  const char* name;
  const char* sentence;
  Index flag;       // which of the embedding's flags the key reads
  double strength;  // of the score where the flag is up
};

constexpr std::array<FeatureBehaviour, 4> feature_behaviours{{
    {"Function words", "Looks at the small words that hold a sentence together, whoever asks.", 2, 2.5},
    {"Content words", "Looks away from the small words: what is left are those that carry meaning.", 2, -2.5},
    {"First token", "Looks at the start token, whoever asks; without one it looks at everything alike.", 1, 6},
    {"Punctuation", "Looks at commas, stops and other signs; without any it looks at everything alike.", 0, 5},
}};

}  // namespace

bool fill_text_keys(Problem& problem) {
  const Index d = problem.dim("d"), heads = problem.dim("M"), d_head = problem.dim("d'");
  const TextChannels channels = text_channels(d);
  if (problem.input_kind != InputKind::text || channels.flags < 0) return false;
  const auto u = array_to_make(problem, "u", {heads, d_head});
  const auto w_k = array_to_make(problem, "w_k", {heads, d, d_head});
  const auto w_v = array_to_make(problem, "w_v", {heads, d, d_head});
  const auto w_o = array_to_make(problem, "w_o", {heads * d_head, d});
  const Index width = std::min({channels.width, d_head, std::max<Index>(1, d / 4)});
  for (Index m = 0; m < heads; ++m) {
    const auto which = static_cast<std::size_t>(m);
    const FeatureBehaviour& b = feature_behaviours[which % feature_behaviours.size()];
    const double softness = 1 + 0.5 * static_cast<double>(which / feature_behaviours.size());
    if (u) (*u)[m * d_head] = static_cast<float>(b.strength / softness);
    if (w_k) (*w_k)[(m * d + channels.flags + b.flag) * d_head] = 1 / flag_size;
    for (Index c = 0; c < width; ++c) {
      if (w_v) (*w_v)[(m * d + channels.identity + c) * d_head + c] = 1;
      if (w_o) (*w_o)[(m * d_head + c) * d + m % 4 * (d / 4) + c] = 0.5F;
    }
    HeadInfo info{b.name, b.sentence};
    if (which >= feature_behaviours.size()) {
      info.name += fmt::format(" {}", which / feature_behaviours.size() + 1);
      info.sentence += " Softer than the head it repeats.";
    }
    problem.heads.push_back(std::move(info));
  }
  store_arrays(problem, {{"u", u}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}});
  return true;
}

}  // namespace headlight
