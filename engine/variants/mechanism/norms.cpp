#include <algorithm>
#include <cmath>

#include "engine/variants/mechanism/mechanism.h"
#include "engine/variants/variant.h"

namespace headlight::mechanism {

namespace {

std::span<const float> vector_at(const Step& step, Index batch, Index head, Index place) {
  const Tensor& x = step.tensor();  // (B, heads, n, d')
  const Index own = place_of_head(*step.axis(AxisRole::head), head);
  return x.values().subspan(static_cast<std::size_t>(((batch * x.dim(1) + own) * x.dim(2) + place) * x.dim(3)),
                            static_cast<std::size_t>(x.dim(3)));
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += static_cast<double>(a[c]) * static_cast<double>(b[c]);
  return sum;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  const double lengths = std::sqrt(dot(a, a) * dot(b, b));
  return lengths > 0 ? std::clamp(dot(a, b) / lengths, -1.0, 1.0) : 1;
}

}  // namespace

std::optional<QkNorm> qk_norm(const Problem& problem, const Trace& trace) {
  const QkNorm found{trace.find("q"), trace.find("q_normed"), trace.find("k"), trace.find("k_normed"), {}};
  if (!found.q || !found.q_normed || !found.k || !found.k_normed) return std::nullopt;
  QkNorm named = found;
  if (const ParamSpec* spec = find_param(problem.variant->params(), "qk_norm"))
    named.title = std::ranges::find(spec->choices, problem.params.choice("qk_norm"), &Choice::id)->title;
  return named;
}

std::vector<double> row_lengths(const Step& step, Index batch, Index head) {
  std::vector<double> lengths;
  for (Index place = 0; place < step.tensor().dim(2); ++place) {
    const auto at = vector_at(step, batch, head, place);
    lengths.push_back(std::sqrt(dot(at, at)));
  }
  return lengths;
}

QkAngle qk_angle(const Step& q, const Step& k, const PairIndex& of) {
  const auto a = vector_at(q, of.batch, of.head, of.query), b = vector_at(k, of.batch, of.head, of.key);
  return {std::sqrt(dot(a, a)), std::sqrt(dot(b, b)), std::acos(cosine(a, b))};
}

std::optional<PlaceCodes> place_codes(const Problem& problem, const Trace& trace) {
  if (choice_of(problem, "positions") != "sinusoidal_2d") return std::nullopt;
  const Step* codes = trace.find("p_q");
  if (!codes || codes->tensor().rank() < 2) return std::nullopt;
  const Index places = codes->tensor().dim(-2);
  const Axis* axis = codes->axis(AxisRole::query);
  Index columns = 0;
  if (!problem.params.is_automatic("grid_columns"))
    columns = problem.params.integer("grid_columns");
  else if (axis && axis->grid)
    columns = axis->grid->columns;
  if (columns < 1 || places % columns != 0) return std::nullopt;
  return PlaceCodes{codes, places / columns, columns};
}

Tensor code_similarity(const PlaceCodes& codes, Index place) {
  const Tensor& x = codes.codes->tensor();
  const auto code = [&](Index at) {
    return x.values().subspan(static_cast<std::size_t>(at * x.dim(-1)), static_cast<std::size_t>(x.dim(-1)));
  };
  Tensor similarity = Tensor::uninitialized({codes.rows, codes.columns});
  for (Index at = 0; at < similarity.size(); ++at) similarity[at] = static_cast<float>(cosine(code(place), code(at)));
  return similarity;
}

std::optional<Gating> gating(const Trace& trace) {
  const Gating found{trace.find("ffn_gate"), trace.find("ffn_up"), trace.find("ffn_hidden")};
  if (!found.gate || !found.up || !found.hidden) return std::nullopt;
  return found;
}

}  // namespace headlight::mechanism
