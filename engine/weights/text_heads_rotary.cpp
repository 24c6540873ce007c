#include "engine/weights/text_heads_rotary.h"

#include <algorithm>
#include <cmath>

#include "engine/variants/head_option.h"

namespace headlight {

namespace {

constexpr double hardly = 0.02;  // radians a place: a right angle after 80
constexpr double slow = 0.5;     // no repeat within a dozen places

}  // namespace

std::vector<Index> TurningRoom::still() const {
  std::vector<Index> channels;
  for (Index c = 2 * pairs(); c < d_head; ++c) channels.push_back(c);
  for (Index pair = pairs() - 1; pair >= 0 && frequencies[static_cast<std::size_t>(pair)] <= hardly; --pair)
    channels.push_back(first_of(pair)), channels.push_back(second_of(pair));
  for (Index c = 0; channels.empty() && c < d_head; ++c) channels.push_back(c);
  return channels;
}

TurningRoom turning_room(const Problem& problem) {
  const std::string& pairing = problem.params.choice("rotary");
  if (pairing == "none") return {};
  const Index d_head = problem.dim("d'");
  return {options::rotary_frequencies(problem.params, d_head, problem.find("rotary_frequencies")),
          pairing == "interleaved", d_head};
}

void look_back_by_turning(const TurningRoom& room, double back, double drop, const WritePair& write) {
  // Those that words are read by are left alone, unless there are no others.
  const auto is_used = [&](double frequency) { return frequency > hardly || room.frequencies.front() <= hardly; };
  double falls = 0;  // one place beside
  for (const double frequency : room.frequencies)
    if (is_used(frequency)) falls += (1 - std::cos(frequency)) / std::sqrt(frequency);
  for (Index pair = 0; pair < room.pairs(); ++pair) {
    const double frequency = room.frequencies[static_cast<std::size_t>(pair)];
    if (is_used(frequency) && falls > 0) write(pair, drop / falls / std::sqrt(frequency), back);
  }
}

void look_around_by_turning(const TurningRoom& room, double width, const WritePair& write) {
  const auto is_used = [&](double frequency) {
    return (frequency > hardly && frequency <= slow) || room.frequencies.back() > slow;
  };
  double squares = 0;
  for (const double frequency : room.frequencies)
    if (is_used(frequency)) squares += frequency * frequency;
  for (Index pair = 0; pair < room.pairs() && squares > 0; ++pair)
    if (is_used(room.frequencies[static_cast<std::size_t>(pair)])) write(pair, 1 / (width * width * squares), 0);
}

}  // namespace headlight
