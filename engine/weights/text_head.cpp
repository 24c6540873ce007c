#include "engine/weights/text_head.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/variants/head_option.h"

namespace headlight {

namespace {

// Of a pair of sinusoids, in radians a position (Vaswani et al. 2017, section 3.5).
double frequency(const TextHead& head, Index pair) {
  return std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(head.d_model));
}

// Score: strength · cos(ω (i − back − j)) of one pair, read into the head's channels 2·slot and 2·slot + 1. The query
// is turned back by `back` positions, which for a (sin, cos) pair is a rotation (Vaswani et al. 2017, section 3.5:
// PE(pos + k) is a linear function of PE(pos)).
void read_pair(const TextHead& head, Index pair, Index slot, double back, double strength) {
  const double size = head.sharpened(strength), angle = frequency(head, pair) * back;
  const Index from_s = 2 * pair, from_c = 2 * pair + 1, s = 2 * slot, c = 2 * slot + 1;
  head.q(from_s, s) = static_cast<float>(size * std::cos(angle));
  head.q(from_c, s) = static_cast<float>(-size * std::sin(angle));
  head.q(from_c, c) = static_cast<float>(size * std::cos(angle));
  head.q(from_s, c) = static_cast<float>(size * std::sin(angle));
  head.k(from_s, s) = static_cast<float>(size);
  head.k(from_c, c) = static_cast<float>(size);
}

// What positions add to a channel (Vaswani et al. 2017, section 3.5).
double position_in(const TextHead& head, Index channel, Index position) {
  const double angle = static_cast<double>(position) * frequency(head, channel / 2);
  return channel % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

// The shares of a few columns that come nearest to a target, by least squares: (AᵀA) shares = Aᵀ target, by
// elimination. The columns must not depend on each other.
std::vector<double> nearest_shares(const std::vector<std::vector<double>>& columns, const std::vector<double>& target) {
  const std::size_t n = columns.size();
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1));
  const auto dot = [](const auto& x, const auto& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) rows[i][j] = dot(columns[i], columns[j]) + (i == j ? 1e-6 : 0);
    rows[i][n] = dot(columns[i], target);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const double factor = k == i ? 0 : rows[k][i] / rows[i][i];
      for (std::size_t j = i; factor != 0 && j <= n; ++j) rows[k][j] -= factor * rows[i][j];
    }
  std::vector<double> shares(n);
  for (std::size_t i = 0; i < n; ++i) shares[i] = rows[i][n] / rows[i][i];
  return shares;
}

// Reads a channel into the head's channel `to`, and takes off what positions add to it: the slow sinusoids that reach
// the words' channels are put together from the constant and the slowest of those that words leave alone, which they
// are for the first 64 positions to within a hundredth.
void read_word(const TextHead& head, float* w, Index from, Index to, double size) {
  constexpr Index positions = 64, pairs = 2;
  w[from * head.d_head + to] = static_cast<float>(size);
  if (!head.sinusoidal) return;
  std::vector<Index> channels{head.channels.constant};
  for (Index c = 2 * std::max<Index>(0, head.channels.position_pairs - pairs); c < 2 * head.channels.position_pairs;
       ++c)
    channels.push_back(c);
  std::vector<std::vector<double>> columns(channels.size());
  std::vector<double> target;
  for (Index i = 0; i < positions; ++i) {
    target.push_back(position_in(head, from, i));
    for (std::size_t c = 0; c < channels.size(); ++c)
      columns[c].push_back(position_in(head, channels[c], i) + (c == 0 ? identity_size : 0));
  }
  const auto shares = nearest_shares(columns, target);
  for (std::size_t c = 0; c < channels.size(); ++c)
    w[channels[c] * head.d_head + to] -= static_cast<float>(size * shares[c]);
}

}  // namespace

void attend_at_offset(const TextHead& head, double back, double strength) {
  const Index pairs = std::min(head.channels.position_pairs, head.d_head / 2);
  for (Index pair = 0; pair < pairs; ++pair) read_pair(head, pair, pair, back, strength);
}

void attend_around(const TextHead& head, double width) {
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

void attend_to_first(const TextHead& head, Index to, double strength, double elsewhere) {
  if (head.first < 0) return;  // nothing tells which it is
  const double size = head.sharpened(strength - elsewhere);
  const double constant = identity_size + (head.sinusoidal ? position_in(head, head.channels.constant, 0) : 0);
  head.q(head.channels.constant, to) = static_cast<float>(size / constant);
  read_word(head, head.w_k, head.first, to, size / head.first_size);
  head.k(head.channels.constant, to) += static_cast<float>(size * elsewhere / (strength - elsewhere) / constant);
}

void attend_to_equal(const TextHead& head, Index keys_from, bool may_rest) {
  constexpr double strength = 30, elsewhere = -22, first = 5;
  const bool can_rest = may_rest && head.d_head > 1 && head.first >= 0;
  const Index read = std::min(head.channels.width, head.d_head - (can_rest ? 1 : 0));
  const double lacking = std::sqrt(static_cast<double>(head.channels.width) / static_cast<double>(read));
  const double size = head.sharpened(strength) * lacking / identity_size;
  for (Index c = 0; c < read; ++c) {
    read_word(head, head.w_q, head.channels.identity + c, c, size);
    read_word(head, head.w_k, keys_from + c, c, size);
  }
  if (can_rest) attend_to_first(head, read, first, elsewhere);
}

void attend_to_flag(const TextHead& head, Index flag, double strength) {
  const double size = head.sharpened(strength) / flag_size;
  head.q(head.channels.flags + 3, 0) = static_cast<float>(size);
  head.k(head.channels.flags + flag, 0) = static_cast<float>(size);
}

namespace {

constexpr double hardly = 0.02;  // radians a place: a right angle after 80
constexpr double slow = 0.5;     // no repeat within a dozen places

}  // namespace

std::vector<Index> RotaryChannels::slow_channels() const {
  std::vector<Index> channels;
  for (Index c = 2 * pairs(); c < d_head; ++c) channels.push_back(c);
  for (Index pair = pairs() - 1; pair >= 0 && frequencies[static_cast<std::size_t>(pair)] <= hardly; --pair) {
    channels.push_back(first_of(pair));
    channels.push_back(second_of(pair));
  }
  for (Index c = 0; channels.empty() && c < d_head; ++c) channels.push_back(c);
  return channels;
}

RotaryChannels rotary_channels(const Problem& problem) {
  const std::string& pairing = problem.params.choice("rotary");
  if (pairing == "none") return {};
  const Index d_head = problem.dim("d'");
  return {options::rotary_frequencies(problem.params, d_head, problem.find("rotary_frequencies")),
          pairing == "interleaved", d_head};
}

void rotary_at_offset(const RotaryChannels& channels, double back, double drop, const WritePair& write) {
  // Those that words are read by are left alone, unless there are no others.
  const auto is_used = [&](double frequency) { return frequency > hardly || channels.frequencies.front() <= hardly; };
  double falls = 0;  // one place beside
  for (const double frequency : channels.frequencies)
    if (is_used(frequency)) falls += (1 - std::cos(frequency)) / std::sqrt(frequency);
  for (Index pair = 0; pair < channels.pairs(); ++pair) {
    const double frequency = channels.frequencies[static_cast<std::size_t>(pair)];
    if (is_used(frequency) && falls > 0) write(pair, drop / falls / std::sqrt(frequency), back);
  }
}

void rotary_around(const RotaryChannels& channels, double width, const WritePair& write) {
  const auto is_used = [&](double frequency) {
    return (frequency > hardly && frequency <= slow) || channels.frequencies.back() > slow;
  };
  double squares = 0;
  for (const double frequency : channels.frequencies)
    if (is_used(frequency)) squares += frequency * frequency;
  for (Index pair = 0; pair < channels.pairs() && squares > 0; ++pair)
    if (is_used(channels.frequencies[static_cast<std::size_t>(pair)])) write(pair, 1 / (width * width * squares), 0);
}

}  // namespace headlight
