// Dai et al. 2019, Transformer-XL, section 3.3: a score is four terms, of what stands there and of how far away it is.
#include <cmath>

#include "engine/math/math.h"
#include "engine/math/positions.h"
#include "engine/ops/offset_rows.h"
#include "engine/variants/declarations.h"
#include "engine/variants/score_term.h"

namespace headlight {

namespace {

using ops::OffsetRows;

// All offsets that a pair has.
OffsetRows rows_of(const Array& map, Index first) {
  const Index queries = map.dim(2), keys = map.dim(3);
  return {queries, keys, first, 1 - first - queries, keys - 1 - first};
}

// Row t: sines and cosines, alternating, of how far the key of that offset lies before its query → (n_q + n_k − 1, d).
// Vaswani et al. 2017, section 3.5.
Operation sinusoids(const OffsetRows& rows, const Axis& channels) {
  Axis offsets{.symbol = "n_q+n_k-1", .name = "offset", .size = rows.count()};
  for (Index t = 0; t < rows.count(); ++t) {
    const Index offset = rows.nearest + t;
    offsets.labels.push_back(fmt::format("{}{}", offset < 0 ? "−" : "", std::abs(offset)));
  }
  const Index d = channels.size, last = -rows.nearest;
  const auto wave = [d](Index c) { return std::pow(10000.0, static_cast<double>(c - c % 2) / static_cast<double>(d)); };
  const auto number = [=](Index cell) {
    const double angle = static_cast<double>(last - cell / d) / wave(cell % d);
    return cell % d % 2 == 0 ? std::sin(angle) : std::cos(angle);
  };
  const auto code_in = [&](const char* library, const char* precise) {
    return fmt::format(
        "channel = {0}.arange({1}{2})\n"
        "angle = ({3} - {0}.arange({4}{2}))[:, None] / 10000.0 ** ((channel - channel % 2) / {1})\n"
        "{{to}} = {0}.where(channel % 2 == 0, {0}.sin(angle), {0}.cos(angle))",
        library, d, precise, last, rows.count());
  };
  return {
      .axes = {std::move(offsets), channels},
      .run = [count = rows.count(), d, last](Compute& compute,
                                             float* to) { sinusoidal_positions_from(compute, last, count, d, to); },
      .explain =
          [=](Index cell) {
            const Index c = cell % d;
            return Explanation{
                .terms = {{{Operand::constant(number(cell), fmt::format("{}({} / {:.4g})", c % 2 == 0 ? "sin" : "cos",
                                                                        last - cell / d, wave(c)))}}}};
          },
      .code = {code_in("np", ""), code_in("torch", ", dtype=torch.float64")},
      .formula = {.right = "\\sin\\bigl(-\\delta / 10000^{c/d}\\bigr) \\text{ or, in odd channels, } \\cos",
                  .all_at_once = true},
      .operations = 1,
      .role = Role::position};
}

// x (n, d_in) · w (M, d_in, d') → (M, n, d').
Operation vectors_of_offsets(const Array& x, const Array& w) {
  const Index n = x.dim(0), d_in = x.dim(1), heads = w.dim(0), width = w.dim(2);
  const auto code_in = [&](const char* library) {
    return fmt::format(R"({}.einsum("td,mde->mte", {}, {}))", library, x.id, w.id);
  };
  return {.axes = {w.axis_at(0), x.axis_at(0), w.axis_at(2)},
          .run =
              [x = x.values, w = w.values, n, d_in, heads, width](Compute& compute, float* to) {
                math::project(compute, x->data(), w->data(), nullptr, 1, n, d_in, heads, width, to);
              },
          .explain =
              [x = x.id, w = w.id, n, d_in, width](Index cell) {
                const Index e = cell % width, t = cell / width % n, m = cell / (width * n);
                return Explanation{.terms = product_terms(d_in, {x, t * d_in}, {w, m * d_in * width + e, width})};
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("{}\\,{}", notation::written(x), notation::written(w))},
          .operations = linear_operations(d_in, false),
          .role = Role::position};
}

class TransformerXl final : public ScoreTerm {
 public:
  TransformerXl()
      : ScoreTerm(
            Choice{"transformer_xl", "Transformer-XL", "Codes of offsets and two learned vectors (Dai et al. 2019)."},
            {
                {"relative_embedding", "R", "Codes of offsets",
                 [](const Recorder& r) {
                   return fmt::format(
                       "Sines and cosines, as for positions, but of how far a {{key:key}} lies before its "
                       "{{query:query}}: {} "
                       "offsets for {} × {} pairs, so that places count from the {{query:query}} and not from the "
                       "start.",
                       r.dim("n_q") + r.dim("n_k") - 1, r.dim("n_q"), r.dim("n_k"));
                 },
                 "R"},
                {"r", "r", "Offsets in each head",
                 "Each head turns the code of an offset into what its {query:queries} can meet, by a matrix of its "
                 "own: what "
                 "is near is no {key:key} with content, but a place."},
                {"key_scores", "s^u", "Key scores",
                 "What a {key:key} scores whoever asks: its dot product with one vector of the head. All rows are "
                 "alike, so it "
                 "draws stripes down the map."},
                {"offset_scores", "s^v", "Offset scores",
                 "What an offset scores whoever asks: its dot product with another vector of the head. It is the same "
                 "along "
                 "each diagonal."},
            }) {}

  Terms record(Recorder& r, const QueriesAndKeys& of) const override {
    const auto& [q, k, scores, first] = of;
    const OffsetRows rows = rows_of(scores, first);
    r.stage("offsets", "Offsets", "r");
    const Array code = r.step("relative_embedding", sinusoids(rows, r.axis("d_q", "channel")));  // (n_q + n_k − 1, d_q)
    const Array of_offset = r.step("r", vectors_of_offsets(code, r.array("w_r")));  // (M, n_q + n_k − 1, d')
    const Array u = r.array("bias_u"), v = r.array("bias_v");
    const std::string row = notation::mark(of_offset.id, of_offset.symbol + "_{j - i}");
    r.stage("position", "Position", "q r + u k + v r", "position_scores");
    const Array by_place = r.step("position_scores", ops::scores_by_offset(q, of_offset, scores, rows, row));
    const Array by_key = r.step(
        "key_scores", ops::dot_products_for_all_queries(u, k, scores.axis_at(2), scores.axis_at(1), by_place.id));
    return {.before_scale = {by_place, by_key,
                             r.step("offset_scores", ops::scores_by_offset_for_all_queries(v, of_offset, scores, rows,
                                                                                           row, by_key.id))}};
  }

  std::vector<ArraySpec> weights() const override {
    using declare::weight;
    return {weight("w_r", "W_r", "Offset weights", "Turn the code of an offset into what each head's queries meet.",
                   {"M", "d_q", "d'"}, Fill::init, Role::position),
            weight("bias_u", "u", "Content bias", "What every query of a head asks of keys, besides its own.",
                   {"M", "d'"}, Fill::init, Role::query),
            weight("bias_v", "v", "Offset bias", "What every query of a head asks of offsets, besides its own.",
                   {"M", "d'"}, Fill::init, Role::query)};
  }
  std::string note(const Recorder&, std::string_view) const override {
    return "The {query:query} meets the offset of each {key:key}, so it depends on what it asks whether near or far "
           "places count. Two further terms do without the query, and all four are added before the scale.";
  }
};

}  // namespace

const ScoreTerm& transformer_xl() {
  static const TransformerXl term;
  return term;
}

}  // namespace headlight
