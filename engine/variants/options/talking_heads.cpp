// Maps mixed from head to head, before softmax, after it, or both. Shazeer et al. 2020, Talking-Heads Attention; with
// biases, Touvron et al. 2021, CaiT.
#include <algorithm>
#include <memory>
#include <utility>

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"
#include "engine/variants/mask_option.h"

namespace headlight {

namespace {

bool mixes(const ParamValues& params, std::string_view what) {
  const std::string& chosen = params.choice("talking_heads");
  return chosen == what || chosen == "both";
}

// maps (B, M, n_q, n_k), w (M, M), b (M) → (B, M, n_q, n_k): map t is Σ_m maps[m] · w[m, t] + b[t].
Operation mixture(const Array& maps, const Array& w, const Array& b) {
  const Index heads = maps.dim(1), rows = maps.dim(2), n_k = maps.dim(3), plane = rows * n_k;
  const std::string bias = b ? fmt::format(" + {}[:, None, None]", b.id) : std::string();
  const auto code_in = [&](const char* library) {
    return fmt::format(R"({}.einsum("bmij,mt->btij", {}, {}){})", library, maps.id, w.id, bias);
  };
  return {.axes = maps.axes,
          .run =
              [maps = maps.values, w = w.values, b = b.values, heads, rows, n_k](Compute& compute, float* to) {
                compute.parallel_each(maps->size() / n_k, 16, [&](Index row) {
                  const Index t = row / rows % heads;
                  float* out = to + row * n_k;
                  std::fill_n(out, n_k, 0.0F);
                  for (Index m = 0; m < heads; ++m) {
                    const float* map = maps->data() + (row + (m - t) * rows) * n_k;
                    const float share = (*w)[m * heads + t];
                    for (Index i = 0; i < n_k; ++i) out[i] += map[i] * share;
                  }
                  const float added = b ? (*b)[t] : 0.0F;
                  for (Index i = 0; b && i < n_k; ++i) out[i] += added;
                });
              },
          .explain =
              [maps = maps.id, w = w.id, b = b.id, heads, plane](Index cell) {
                const Index t = cell / plane % heads, first = cell - t * plane;
                Explanation e{.terms = product_terms(heads, {maps, first, plane}, {w, t, heads})};
                if (!b.empty()) e.terms.push_back({{Operand::of(b, t)}});
                return e;
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("\\sum_m {}\\,{}{}", notation::raised(maps, "m"),
                                  notation::mark(w.id, w.symbol + "^m"), notation::plus(b))},
          .operations = linear_operations(heads, static_cast<bool>(b)),
          .kind = maps.kind == Kind::probability ? Kind::activation : maps.kind,
          .role = maps.role};
}

bool mixes_heads(const Problem& problem) {
  return problem.params.choice("talking_heads") != "none";
}

// A key that one head hides and another sees has a part in what is mixed of both.
std::string leak_warning(const Problem& problem) {
  const Shape mask = mask_shape(mask::rules(problem, mask_options(), problem.dim("M")));
  return mask[1] > 1 ? "masks differ from head to head: a mixed weight may be above 0 though its head hid the key" : "";
}

std::vector<ArraySpec> mixing_weights(const ParamValues& params) {
  using declare::weight;
  std::vector<ArraySpec> list;
  const Fill bias = params.flag("bias") ? Fill::init : Fill::absent;
  const auto add = [&](const std::string& when, const std::string& title, const char* help) {
    list.push_back(declare::with_letter(
        "w", weight("w_" + when, "W_{\\mathrm{" + when + "}}", title + " weights", help, {"M", "M"}, Fill::init)));
    list.push_back(declare::with_letter("b", weight("b_" + when, "b_{\\mathrm{" + when + "}}", title + " bias",
                                                    "Added to each mixed map.", {"M"}, bias)));
  };
  if (mixes(params, "logits")) add("pre", "Score mixing", "How much of each head's scores each mixed head takes.");
  if (mixes(params, "weights")) add("post", "Weight mixing", "How much of each head's weights each mixed head takes.");
  return list;
}

// Each head keeps what is its own.
ArrayMap unit_matrices(const Problem& problem) {
  ArrayMap made;
  const Index heads = problem.dim("M");
  for (const auto& [id, what] : {std::pair{"w_pre", "logits"}, {"w_post", "weights"}}) {
    if (!mixes(problem.params, what)) continue;
    auto unit = std::make_shared<Tensor>(Shape{heads, heads});
    for (Index m = 0; m < heads; ++m) (*unit)[m * heads + m] = 1;
    made.emplace(id, std::move(unit));
  }
  return made;
}

Status check_bias(const Problem& problem) {
  if (!problem.find("b_post")) return {};
  const MaskRules rules = mask::rules(problem, mask_options(), problem.dim("M"));
  if (!rules.any()) return {};
  return fail("b_post would give weight to keys that the mask hides: leave it out, or set talking_heads to logits");
}

}  // namespace

const HeadOption& talking_heads() {
  static const HeadOption option{
      .params = {param::choice(
          "talking_heads", "Talking heads",
          "Whether heads exchange their scores or weights before anything is taken by them (Shazeer et "
          "al. 2020).",
          {{"none", "None", "Each head looks by itself."},
           {"logits", "Scores", "Scores are mixed from head to head before softmax."},
           {"weights", "Weights", "Weights are mixed from head to head after softmax."},
           {"both", "Both", "Scores and weights are mixed, as in CaiT (Touvron et al. 2021)."}},
          {.advanced = true, .breaks_named_heads = true})},
      .weights = mixing_weights,
      .words = {{"mixed_scores", "\\dot s", "Mixed scores",
                 "Each head's {score:scores} become a mixture of those of all {M} heads, by a learned matrix of one "
                 "number for each pair of heads. So a head can let another say where to look.",
                 "mix s"},
                {"mixed_weights", "\\dot\\alpha", "Mixed weights",
                 "The {weight:weights} of all {M} heads are mixed once more, after softmax: what a head takes is "
                 "decided by several maps together. Mixed rows need not add up to 1, and numbers may be negative.",
                 "mix α"}},
      .by_hand = unit_matrices,
      .check = check_bias,
      .is_active = mixes_heads};
  return option;
}

Array options::mix_scores(Recorder& r, const Array& scores) {
  if (!mixes(r.params(), "logits")) return scores;
  r.stage("mix_scores", "Mix", "mix s");
  return r.step("mixed_scores", mixture(scores, r.array("w_pre"), r.array("b_pre")));
}

Array options::mix_weights(Recorder& r, const Array& weights) {
  if (!mixes(r.params(), "weights")) return weights;
  r.stage("mix_weights", "Mix", "mix α");
  Operation op = mixture(weights, r.array("w_post"), r.array("b_post"));
  op.warning = leak_warning(r.problem());
  return r.step("mixed_weights", std::move(op));
}

}  // namespace headlight
