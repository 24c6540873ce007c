#include "engine/variants/textbook_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/io/text.h"

namespace headlight {

namespace {

// The queries and keys of one head, (d, d') each, and the room that they have.
struct Head {
  Index d_model;
  Index d_head;
  Index d_k;
  TextChannels channels;
  float* w_q;
  float* w_k;
  double softness;  // 1 for the first eight heads, more for those that repeat them

  // Scores are divided by √d'; weights are made so that what is left is what is meant.
  double sharpened(double strength) const {
    return std::sqrt(strength * std::sqrt(static_cast<double>(d_head)) / softness);
  }
  float& q(Index from, Index to) const { return w_q[from * d_head + to]; }
  float& k(Index from, Index to) const { return w_k[from * d_head + to]; }
};

// Of a pair of sinusoids, in radians a position (Vaswani et al. 2017, section 3.5).
double frequency(const Head& head, Index pair) {
  return std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(head.d_model));
}

// Score: strength · cos(ω (i − back − j)) of one pair, read into the head's channels 2·slot and 2·slot + 1. The query
// is turned back by `back` positions, which for a (sin, cos) pair is a rotation (Vaswani et al. 2017, section 3.5:
// PE(pos + k) is a linear function of PE(pos)).
void read_pair(const Head& head, Index pair, Index slot, double back, double strength) {
  const double size = head.sharpened(strength), angle = frequency(head, pair) * back;
  const Index from_s = 2 * pair, from_c = 2 * pair + 1, s = 2 * slot, c = 2 * slot + 1;
  head.q(from_s, s) = static_cast<float>(size * std::cos(angle));
  head.q(from_c, s) = static_cast<float>(-size * std::sin(angle));
  head.q(from_c, c) = static_cast<float>(size * std::cos(angle));
  head.q(from_s, c) = static_cast<float>(size * std::sin(angle));
  head.k(from_s, s) = static_cast<float>(size);
  head.k(from_c, c) = static_cast<float>(size);
}

// Score: strength · Σ cos(ω (i − back − j)) over the fastest pairs.
void attend_at_offset(const Head& head, double back, double strength) {
  const Index pairs = std::min(head.channels.position_pairs, head.d_head / 2);
  for (Index pair = 0; pair < pairs; ++pair) read_pair(head, pair, pair, back, strength);
}

// Score: a bell round the query's own position whose standard deviation is `width` positions: Σ cos(ω (i − j)) over
// slow pairs, divided by width² Σ ω². Slow ones, because the fast ones repeat within a sentence: for d_model 32 their
// periods are 20, 35, 63 and 112 positions, and other sizes of d_model take the pairs of nearly the same periods.
void attend_around(const Head& head, double width) {
  const Index first = head.d_model / 16;
  std::vector<Index> pairs;
  for (Index i = 0; i < head.d_head / 2; ++i)
    if (const Index pair = first + i * std::max<Index>(32, head.d_model) / 32; pair < head.channels.position_pairs)
      pairs.push_back(pair);
  double squares = 0;
  for (const Index pair : pairs) squares += std::pow(frequency(head, pair), 2);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    read_pair(head, pairs[i], static_cast<Index>(i), 0, 1 / (width * width * squares));
}

// Score: strength · (identity of the query's token) · (what the key's token holds in the channels from `keys_from` on),
// both of length 1 where they are equal. A head narrower than the identity reads the first d' of its channels, made
// larger by what they are expected to lack in length.
void attend_to_equal(const Head& head, Index keys_from, double strength) {
  const Index read = std::min(head.channels.width, head.d_head);
  const double lacking = std::sqrt(static_cast<double>(head.channels.width) / static_cast<double>(read));
  const double size = head.sharpened(strength) * lacking / identity_size;
  for (Index c = 0; c < read; ++c) {
    head.q(head.channels.identity + c, c) = static_cast<float>(size);
    head.k(keys_from + c, c) = static_cast<float>(size);
  }
}

// Score: strength where the key's flag is up, whatever the query: the query reads the channel that is always 1.
void attend_to_flag(const Head& head, Index flag, double strength) {
  const double size = head.sharpened(strength) / flag_size;
  head.q(head.channels.flags + 3, 0) = static_cast<float>(size);
  head.k(head.channels.flags + flag, 0) = static_cast<float>(size);
}

// Score: strength · Σ cos(ω j): highest at position 0, whatever the query.
void attend_to_first(const Head& head, double strength) {
  const double size = head.sharpened(strength);
  const Index pairs = std::min(head.channels.position_pairs, head.d_head / 2);
  for (Index pair = 0; pair < pairs; ++pair) {
    head.q(head.channels.flags + 3, 2 * pair + 1) = static_cast<float>(size / flag_size);
    head.k(2 * pair + 1, 2 * pair + 1) = static_cast<float>(size);
  }
}

struct Behaviour {
  const char* name;
  const char* sentence;
  bool needs_positions;
};

// Places in the list below.
constexpr std::size_t previous_token = 0, same_token = 1, induction = 2, sink = 3, local_window = 4, two_back = 5,
                      function_head = 6;

constexpr std::array<Behaviour, 8> behaviours{{
    {"Previous token", "Looks at the token just before: its query is its own position turned back by one.", true},
    {"Same token", "Looks at itself and at other places where the same word stands: query and key read the word alike.",
     false},
    {"Induction",
     "Finds the earlier places of this word and looks at what came next: the key reads which word stood before it, a "
     "channel "
     "that an earlier layer would have written.",
     false},
    {"First-token sink", "Looks at the first token whatever it is asked: where heads rest that have nothing to say.",
     false},
    {"Local window", "Looks at its near neighbourhood, itself most.", true},
    {"Two back", "Looks two tokens back: its query is its own position turned back by two.", true},
    {"Function words",
     "Looks at the small words that hold a sentence together (the, on, because), whatever it is asked.", false},
    {"Broad", "Looks at everything nearly alike, a little more at what is near.", true},
}};

constexpr double sharp = 3.4;  // a neighbour one step off gets e^(−2.3) of the weight
constexpr double equal = 4.4;  // an unrelated word gets e^(−4.4 (1 − cosine)) of the weight
constexpr double same = 8;     // likewise; sharper, as this head always has a word to find: its own

void make_queries_and_keys(const Head& head, std::size_t behaviour, bool has_start) {
  switch (behaviour) {
    case previous_token:
      return attend_at_offset(head, 1, sharp);
    case same_token:
      return attend_to_equal(head, head.channels.identity, same);
    case induction:
      return attend_to_equal(head, head.channels.previous, equal);
    case sink:
      return has_start ? attend_to_flag(head, 1, 7) : attend_to_first(head, 2);
    case local_window:
      return attend_around(head, 1.8);
    case two_back:
      return attend_at_offset(head, 2, sharp);
    case function_head:
      return attend_to_flag(head, 2, 2.2);
    default:
      return attend_at_offset(head, 0, 0.15);
  }
}

// What a head cannot do with what it is given; empty where it lacks nothing.
std::string limits_of(std::size_t behaviour, bool has_start, bool has_positions, Index d_head) {
  const bool by_position = behaviours[behaviour].needs_positions || (behaviour == sink && !has_start);
  if (by_position && !has_positions) return " It needs positions: without them it looks at everything alike.";
  if (by_position && d_head < 2)
    return " One channel cannot tell positions apart: this head looks at everything alike.";
  if (by_position && d_head < 4) return " A head this narrow can tell positions apart only roughly.";
  const bool by_word = behaviour == same_token || behaviour == induction;
  if (by_word && d_head < 4) return " A head this narrow takes some words for others.";
  return {};
}

HeadInfo describe(std::size_t m, bool has_start, bool has_positions, Index d_head) {
  const std::size_t behaviour = m % behaviours.size();
  const Behaviour& b = behaviours[behaviour];
  HeadInfo info{b.name, b.sentence};
  if (m >= behaviours.size()) info.name += fmt::format(" {}", m / behaviours.size() + 1);
  if (m >= behaviours.size()) info.sentence += " Softer than the head it repeats.";
  info.sentence += limits_of(behaviour, has_start, has_positions, d_head);
  return info;
}

// Every head passes the token's identity on; the output has a quarter of its channels for every fourth head.
void make_values_and_output(const Problem& problem, const TextChannels& channels, Tensor* w_v, Tensor* w_o) {
  const Index heads = problem.dim("M"), d_head = problem.dim("d'"), d_v = problem.dim("d_v"),
              d_out = problem.dim("d_out");
  const Index width = std::min({channels.width, d_head, std::max<Index>(1, d_out / 4)});
  for (Index m = 0; m < heads; ++m)
    for (Index c = 0; c < width; ++c) {
      if (w_v && channels.identity + c < d_v) (*w_v)[(m * d_v + channels.identity + c) * d_head + c] = 1;
      const Index to = m % 4 * (d_out / 4) + c;
      if (w_o && to < d_out) (*w_o)[(m * d_head + c) * d_out + to] = 0.5F;  // two heads of eight share a quarter
    }
}

}  // namespace

std::shared_ptr<Tensor> array_to_make(const Problem& problem, const char* id, Shape shape) {
  const auto wanted = std::ranges::find(problem.specs.weights, id, &ArraySpec::id);
  if (problem.arrays.contains(id) || wanted == problem.specs.weights.end() || wanted->fill != Fill::init)
    return nullptr;
  return std::make_shared<Tensor>(std::move(shape));
}

bool fill_textbook_text(Problem& problem) {
  const Index d_q = problem.dim("d_q"), d_k = problem.dim("d_k"), heads = problem.dim("M"), d_head = problem.dim("d'");
  const TextChannels channels = text_channels(d_q);
  if (problem.input_kind != InputKind::text || channels.flags < 0 || d_k != d_q) return false;
  const auto w_q = array_to_make(problem, "w_q", {heads, d_q, d_head});
  const auto w_k = array_to_make(problem, "w_k", {heads, d_k, d_head});
  const auto w_v = array_to_make(problem, "w_v", {heads, problem.dim("d_v"), d_head});
  const auto w_o = array_to_make(problem, "w_o", {problem.dim("Md'"), problem.dim("d_out")});
  Tensor unused_q({d_q, d_head}), unused_k({d_k, d_head});
  const auto labels = problem.labels.find("n_k");
  const bool has_start =
      labels != problem.labels.end() && !labels->second.empty() && labels->second.front() == start_token_text;
  const bool has_positions = problem.find("p_q") != nullptr;
  for (Index m = 0; m < heads; ++m) {
    const auto which = static_cast<std::size_t>(m);
    const Head head{d_q,
                    d_head,
                    d_k,
                    channels,
                    w_q ? w_q->data() + m * d_q * d_head : unused_q.data(),
                    w_k ? w_k->data() + m * d_k * d_head : unused_k.data(),
                    1.0 + 0.5 * static_cast<double>(which / behaviours.size())};
    make_queries_and_keys(head, which % behaviours.size(), has_start);
    problem.heads.push_back(describe(which, has_start, has_positions, d_head));
  }
  make_values_and_output(problem, channels, w_v.get(), w_o.get());
  for (const auto& [id, tensor] : {std::pair{"w_q", w_q}, {"w_k", w_k}, {"w_v", w_v}, {"w_o", w_o}})
    if (tensor) problem.arrays[id] = tensor;
  return true;
}

}  // namespace headlight
