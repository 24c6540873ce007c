// Su et al. 2021, RoFormer, section 3.2: pairs of channels rotated by where a query or key stands.
#include <cmath>
#include <memory>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

// How many pairs of channels turn, by the parameters.
Index rotated_pairs(const ParamValues& params, Index width) {
  constexpr double rounding = 1e-6;  // a third of 6 channels is a pair
  return static_cast<Index>(params.real("rotary_fraction") * static_cast<double>(width) / 2 + rounding);
}

// How the pairs of one run lie and turn.
struct Rotation {
  Index width = 0, rows = 0;  // of a head, and of its plane
  Index first = 0;            // where row 0 stands on the circle
  bool interleaved = false;
  std::vector<double> frequencies;  // of each pair; in a dry run perhaps none
  bool back = false;                // the other way round, as gradients turn

  Index pairs() const { return static_cast<Index>(frequencies.size()); }
  // Of a channel that turns: its pair, and the channel that it turns with.
  Index pair(Index channel) const { return interleaved ? channel / 2 : channel % pairs(); }
  bool is_second(Index channel) const { return interleaved ? channel % 2 == 1 : channel >= pairs(); }
  Index other(Index channel) const {
    const Index apart = interleaved ? 1 : pairs();
    return is_second(channel) ? channel - apart : channel + apart;
  }
  Index place(Index row) const { return first + row % rows; }
  double angle(Index row, Index of_pair) const {
    return static_cast<double>(place(row)) * frequencies[static_cast<std::size_t>(of_pair)] * (back ? -1 : 1);
  }
};

// Of each row's pairs, one after the other.
struct Circle {
  std::vector<float> cosines, sines;
};
Circle circle_of(const Rotation& by) {
  const Index pairs = by.pairs();
  Circle circle;
  for (Index row = 0; row < by.rows; ++row)
    for (Index c = 0; c < pairs; ++c) {
      const double angle = by.angle(row, c);
      circle.cosines.push_back(static_cast<float>(std::cos(angle)));
      circle.sines.push_back(static_cast<float>(std::sin(angle)));
    }
  return circle;
}

void rotate_row(const float* from, const float* cosines, const float* sines, const Rotation& by, float* __restrict to) {
  const Index pairs = by.pairs(), step = by.interleaved ? 2 : 1, apart = by.interleaved ? 1 : pairs;
  for (Index c = 0; c < pairs; ++c) {
    const float a = from[c * step], b = from[c * step + apart];
    to[c * step] = a * cosines[c] - b * sines[c];
    to[c * step + apart] = a * sines[c] + b * cosines[c];
  }
  std::copy(from + 2 * pairs, from + by.width, to + 2 * pairs);
}

void rotate_rows(const Tensor& x, const Rotation& by, const Circle& circle, Compute& compute, float* out) {
  compute.parallel_each(x.size() / by.width, 64, [&](Index row) {
    const auto at = static_cast<std::size_t>(row % by.rows * by.pairs());
    rotate_row(x.data() + row * by.width, circle.cosines.data() + at, circle.sines.data() + at, by,
               out + row * by.width);
  });
}

Explanation explained(const std::string& x, const Rotation& by, Index cell) {
  const Index channel = cell % by.width, row = cell / by.width, place = by.place(row);
  Explanation e;
  if (channel >= 2 * by.pairs()) {
    e.terms = {{{Operand::of(x, cell)}}};
    return e;
  }
  const Index pair = by.pair(channel);
  const double frequency = by.frequencies[static_cast<std::size_t>(pair)];
  const double angle = by.angle(row, pair);
  const double sine = by.is_second(channel) ? std::sin(angle) : -std::sin(angle);
  const std::string of = fmt::format("({}{} · {:.4g})", by.back ? "−" : "", place, frequency);
  e.terms = {{{Operand::of(x, cell), Operand::constant(std::cos(angle), "cos" + of)}},
             {{Operand::of(x, row * by.width + by.other(channel)),
               Operand::constant(sine, (by.is_second(channel) ? "sin" : "−sin") + of)}}};
  e.reason = fmt::format("pair {} at place {}: turned {}by {:.4g}", pair, place, by.back ? "back " : "",
                         by.back ? -angle : angle);
  return e;
}

Code code_of(const Array& x, const Rotation& by, const std::string& given, double base) {
  const auto code_in = [&](const char* library, const char* precise) {
    const std::string frequencies =
        given.empty() ? fmt::format("{0} ** (-{1}.arange({2}{3}) / {2})", base, library, by.pairs(), precise) : given;
    return fmt::format("rotary({}, {}{}.arange({}, {}), {}, {})", x.id, by.back ? "-" : "", library, by.first,
                       by.first + by.rows, frequencies, by.interleaved ? "True" : "False");
  };
  return {code_in("np", ""), code_in("torch", ", dtype=torch.float64")};
}

Rotation inverse_of(Rotation by) {
  by.back = !by.back;
  return by;
}

// `given`: the id of frequencies that are not by the base. They are taken as they are: no gradient reaches them.
Operation rotation(const Array& x, const Rotation& by, const std::string& given, double base) {
  using notation::channel;
  const std::string row = x.axis_at(-2).index;
  return {.axes = x.axes,
          // The circle is gone round once, however often the run is carried out.
          .run =
              [x = x.values, by, circle = std::make_shared<Circle>()](Compute& compute, float* to) {
                if (circle->cosines.empty()) *circle = circle_of(by);
                rotate_rows(*x, by, *circle, compute, to);
              },
          .explain = [x = x.id, by](Index cell) { return explained(x, by, cell); },
          .code = code_of(x, by, given, base),
          .formula = {.right = fmt::format("{} \\cos\\varphi {} {} \\sin\\varphi", channel(x),
                                           by.back ? "\\pm" : "\\mp", channel(x, "c'")),
                      .below = fmt::format("\\varphi = {}\\,\\theta",
                                           by.first == 0 ? row : fmt::format("({} + {})", row, by.first)),
                      .by_channel = true},
          .operations = 2,
          .kind = x.kind,
          .role = x.role,
          .backward = [x = x.id, by, given, base](
                          BackwardPass& pass) { pass.add(x, rotation(pass.gradient(), inverse_of(by), given, base)); }};
}

std::string note_of(const Recorder& r, const char* one) {
  return fmt::format(
      "The channels of each {} are taken in pairs, and each pair is turned like the hand of a clock by its place: fast "
      "in the first pair, slower in each one after. Where both have turned, the {{score:score}} of a {{query:query}} "
      "and a {{key:key}} depends on how far they are apart, not on where they stand. Lengths stay as they were, and "
      "{{value:values}} are not turned.{}",
      one, r.params().real("rotary_fraction") < 1 ? " The last channels stay as they are." : "");
}

std::vector<ArraySpec> given_frequencies(const ParamValues& params) {
  if (params.choice("rotary") == "none") return {};
  return {declare::weight("rotary_frequencies", "\\theta", "Frequencies",
                          "How fast each pair of channels turns from place to place, in place of the paper's rule.",
                          {"r/2"}, Fill::absent, Role::position)};
}

bool rotates(const Problem& problem) {
  return problem.params.choice("rotary") != "none";
}

Status check_pairs(const Problem& problem) {
  if (!rotates(problem)) return {};
  const Index width = problem.dim("d'");
  if (const Tensor* given = problem.find("rotary_frequencies")) {
    if (given->size() <= width / 2) return {};
    return fail("rotary_frequencies has {} numbers, and d_head {} has {} pairs of channels", given->size(), width,
                width / 2);
  }
  if (rotated_pairs(problem.params, width) > 0) return {};
  if (width < 2) return fail("rotary turns pairs of channels, and d_head {} has none: set d_head to 2 or more", width);
  return fail("rotary turns pairs of channels, and rotary_fraction {} of d_head {} leaves none: raise it to {} or more",
              problem.params.real("rotary_fraction"), width, std::ceil(2e6 / static_cast<double>(width)) / 1e6);
}

}  // namespace

const HeadOption& rotary() {
  static const HeadOption option{
      .question = ParamQuestion::positions,
      .params = {param::choice(
                     "rotary", "Rotary",
                     "Turns pairs of channels of queries and keys by their places (Su et al. 2021).",
                     {{"none", "None", "Nothing turns."},
                      {"interleaved", "Interleaved", "Neighbouring channels are a pair, as in RoFormer and GPT-J."},
                      {"half", "Half", "A channel of the first half and one of the second, as in Llama."}},
                     {.advanced = true}),
                 param::real("rotary_base", "Rotary base",
                             "How much slower the last pair of channels turns than the first; only with rotary.",
                             10000.0, 1, 1e9, {.advanced = true, .logarithmic = true, .part_of = "rotary"}),
                 param::real("rotary_fraction", "Rotary fraction",
                             "Which share of the channels turns, the first ones; only with rotary.", 1.0, 0, 1,
                             {.advanced = true, .part_of = "rotary"}),
                 param::integer("rotary_offset", "Rotary offset",
                                "Where key 0 stands on the circle: queries and keys turn, and no score changes.", 0,
                                -1e6, 1e6, {.advanced = true, .part_of = "rotary"})},
      .weights = given_frequencies,
      .words = {{"q_rotated", "q'", "Turned queries", [](const Recorder& r) { return note_of(r, "{query:query}"); },
                 "q'"},
                {"k_rotated", "k'", "Turned keys", [](const Recorder& r) { return note_of(r, "{key:key}"); }, "k'"}},
      .check = check_pairs,
      .is_active = rotates};
  return option;
}

std::vector<double> options::rotary_frequencies(const ParamValues& params, Index width, const Tensor* given) {
  if (given) return {given->values().begin(), given->values().end()};
  return frequencies_by_base(params.real("rotary_base"), rotated_pairs(params, width));
}

std::vector<double> options::frequencies_by_base(double base, Index pairs) {
  std::vector<double> frequencies;
  for (Index c = 0; c < pairs; ++c)
    frequencies.push_back(std::pow(base, -static_cast<double>(c) / static_cast<double>(pairs)));
  return frequencies;
}

Array options::rotate(Recorder& r, const Array& x, Index first) {
  if (!rotates(r.problem())) return x;
  const Array given = r.array("rotary_frequencies");
  if (given && !given.values)  // a dry run
    return rotate_by(r, x, first, std::vector<double>(static_cast<std::size_t>(given.size())), given);
  return rotate_by(r, x, first, rotary_frequencies(r.params(), x.dim(-1), given.values.get()), given);
}

Array options::rotate_by(Recorder& r, const Array& x, Index first, std::vector<double> frequencies,
                         const Array& given) {
  const Rotation by{.width = x.dim(-1),
                    .rows = x.dim(-2),
                    .first = first + r.params().integer("rotary_offset"),
                    .interleaved = r.params().choice("rotary") == "interleaved",
                    .frequencies = std::move(frequencies)};
  const bool query = x.role == Role::query;
  if (query) r.stage("rotary", "Turn", "turn q k");
  return r.step(query ? "q_rotated" : "k_rotated", rotation(x, by, given.id, r.params().real("rotary_base")));
}

}  // namespace headlight
