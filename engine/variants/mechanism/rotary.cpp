#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "engine/variants/head_option.h"
#include "engine/variants/mask_option.h"
#include "engine/variants/mechanism/mechanism.h"
#include "engine/variants/variant.h"

namespace headlight::mechanism {

namespace {

Arrow arrow_at(const Step& step, Index batch, Index head, Index row, std::pair<Index, Index> channels) {
  const Tensor& x = step.tensor();  // (B, heads, n, d')
  const Index heads = x.dim(1), rows = x.dim(2), width = x.dim(3);
  const float* at = x.data() + ((batch * heads + head) * rows + row) * width;
  return {static_cast<double>(at[channels.first]), static_cast<double>(at[channels.second])};
}

// The heads of queries and of keys that a pair is of.
std::pair<Index, Index> heads_of(const Rotation& t, const PairIndex& of) {
  return {place_of_head(*t.q->axis(AxisRole::head), of.head), place_of_head(*t.k->axis(AxisRole::head), of.head)};
}

double dot(const Arrow& a, const Arrow& b) {
  return a.x * b.x + a.y * b.y;
}

// From a to b, −π to π.
double angle_between(const Arrow& a, const Arrow& b) {
  return std::atan2(a.x * b.y - a.y * b.x, dot(a, b));
}

}  // namespace

double Arrow::length() const {
  return std::hypot(x, y);
}

double Arrow::angle() const {
  return std::atan2(y, x);
}

std::pair<Index, Index> Rotation::channels(Index pair) const {
  return interleaved ? std::pair{2 * pair, 2 * pair + 1} : std::pair{pair, pair + pairs()};
}

std::optional<Rotation> rotation(const Problem& problem, const Trace& trace) {
  Rotation t;
  t.q_rotated = trace.find("q_rotated");
  t.k_rotated = trace.find("k_rotated");
  if (!t.q_rotated || !t.k_rotated) return std::nullopt;
  const auto first_of = [&](std::initializer_list<const char*> ids) {
    const auto* id = std::ranges::find_if(ids, [&](const char* one) { return trace.find(one) != nullptr; });
    return id == ids.end() ? nullptr : trace.find(*id);
  };
  t.q = first_of({"q_position", "q_normed", "q"});  // what tells places, where that is apart from the content
  t.k = first_of({"k_position", "k_normed", "k"});
  const Index width = t.q->tensor().dim(3);
  const ParamValues& params = problem.params;
  t.frequencies = find_param(problem.variant->params(), "rotary_fraction")
                      ? options::rotary_frequencies(params, width, problem.find("rotary_frequencies"))
                      : options::frequencies_by_base(params.real("rotary_base"), width / 2);
  t.interleaved = params.choice("rotary") == "interleaved";
  t.first_key = params.integer("rotary_offset");
  t.first_query = t.first_key + mask::first_query(problem);
  return t;
}

Dial dial(const Rotation& t, const PairIndex& of, Index pair) {
  const auto [asking, asked] = heads_of(t, of);
  const auto channels = t.channels(pair);
  Dial d;
  d.q = arrow_at(*t.q, of.batch, asking, of.query, channels);
  d.k = arrow_at(*t.k, of.batch, asked, of.key, channels);
  d.q_rotated = arrow_at(*t.q_rotated, of.batch, asking, of.query, channels);
  d.k_rotated = arrow_at(*t.k_rotated, of.batch, asked, of.key, channels);
  d.between = angle_between(d.q_rotated, d.k_rotated);
  d.product = dot(d.q_rotated, d.k_rotated);
  return d;
}

std::vector<double> max_pair_products(const Rotation& t, Index batch, Index head) {
  const auto [asking, asked] = heads_of(t, {batch, head, 0, 0});
  std::vector<double> reach;
  for (Index pair = 0; pair < t.pairs(); ++pair) {
    const auto longest = [&](const Step& step, Index of) {
      double most = 0;
      for (Index row = 0; row < step.tensor().dim(2); ++row)
        most = std::max(most, arrow_at(step, batch, of, row, t.channels(pair)).length());
      return most;
    };
    reach.push_back(longest(*t.q, asking) * longest(*t.k, asked));
  }
  return reach;
}

double product_at(const Rotation& t, const PairIndex& of, double offset, Index from, Index to) {
  const auto [asking, asked] = heads_of(t, of);
  double sum = 0;
  for (Index pair = from; pair < to; ++pair) {
    const Arrow q = arrow_at(*t.q, of.batch, asking, of.query, t.channels(pair));
    const Arrow k = arrow_at(*t.k, of.batch, asked, of.key, t.channels(pair));
    sum += q.length() * k.length() *
           std::cos(angle_between(q, k) + offset * t.frequencies[static_cast<std::size_t>(pair)]);
  }
  return sum;
}

double unrotated_product(const Rotation& t, const PairIndex& of) {
  const auto [asking, asked] = heads_of(t, of);
  double sum = 0;
  for (Index c = 2 * t.pairs(); c < t.q->tensor().dim(3); ++c)
    sum += arrow_at(*t.q, of.batch, asking, of.query, {c, c}).x * arrow_at(*t.k, of.batch, asked, of.key, {c, c}).x;
  return sum;
}

double score_scale(const Trace& trace, const PairIndex& of) {
  const Step* scaled = trace.find("scaled_scores");
  if (!scaled || !scaled->base_explain()) return 1;
  const Tensor& x = scaled->tensor();  // (B, S, n_q, n_k)
  const Index head = place_of_head(*scaled->axis(AxisRole::head), of.head);
  const Index cell = ((of.batch * x.dim(1) + head) * x.dim(2) + of.query) * x.dim(3) + of.key;
  const Explanation e = scaled->base_explain()(cell);
  double scale = e.scale;
  // Beside the score itself: a scale where more is added afterwards, one of the head's own.
  for (const Operand& factor : e.terms.front().factors) {
    const Step* recorded = factor.array.empty() ? nullptr : trace.find(factor.array);
    if (!recorded || recorded->tensor().shape() != x.shape()) scale *= value_of(factor, trace);
  }
  return scale;
}

}  // namespace headlight::mechanism
