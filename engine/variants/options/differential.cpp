// Two maps a head, of which the second is taken off the first. Ye et al. 2024, Differential Transformer, section 2.1,
// equations 1 to 3.
#include <cmath>

#include "engine/math/math.h"
#include "engine/ops/ops.h"
#include "engine/trace/code_names.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

// exp(a · b), of vectors (d') → (1).
Operation exponential_of_product(const Array& a, const Array& b) {
  return {.axes = {Axis{.symbol = "1", .name = "number", .size = 1}},
          .run =
              [a = a.values, b = b.values](Compute&, float* to) {
                double sum = 0;
                for (Index c = 0; c < a->size(); ++c) sum += static_cast<double>((*a)[c]) * (*b)[c];
                to[0] = static_cast<float>(std::exp(sum));
              },
          .explain =
              [a = a.id, b = b.id, d = a.size()](Index) {
                return Explanation{.combine = Combine::exponential, .terms = product_terms(d, {a, 0}, {b, 0})};
              },
          .code = {fmt::format("np.exp(({} * {}).sum())[None]", a.id, b.id),
                   fmt::format("({} * {}).sum().exp()[None]", a.id, b.id)},
          .formula = {fmt::format("\\exp\\bigl({} \\cdot {}\\bigr)", notation::written(a), notation::written(b))},
          .operations = linear_operations(a.size(), false) + rule_of(Combine::exponential).operations};
}

// first − second + start, or start alone → (1).
Operation lambda_of(const Array& first, const Array& second, double start) {
  const Operand constant = Operand::constant(start, "λ at the start");
  if (!first)
    return {.axes = {Axis{.symbol = "1", .name = "number", .size = 1}},
            .run = [start](Compute&, float* to) { to[0] = static_cast<float>(start); },
            .explain = [constant](Index) { return Explanation{.terms = {{{constant}}}}; },
            .code = {fmt::format("np.array([{}])", start), fmt::format("torch.tensor([{}])", start)},
            .formula = {fmt::format("{}", start)},
            .operations = 1};
  return {
      .axes = first.axes,
      .run = [a = first.values, b = second.values, start](
                 Compute&, float* to) { to[0] = static_cast<float>((*a)[0] - (*b)[0] + start); },
      .explain =
          [a = first.id, b = second.id, constant](Index) {
            return Explanation{
                .terms = {{{Operand::of(a, 0)}}, {{Operand::constant(-1, "minus"), Operand::of(b, 0)}}, {{constant}}}};
          },
      .code = both(fmt::format("{} - {} + {}", first.id, second.id, start)),
      .formula = {fmt::format("{} - {} + {}", notation::written(first), notation::written(second), start)},
      .operations = 2};
}

// maps (B, 2M, n_q, n_k), lambda (1) → (B, M, n_q, n_k): map 2m less λ of map 2m + 1.
Operation difference(const Array& maps, const Array& lambda, const Axis& heads) {
  std::vector<Axis> axes = maps.axes;
  axes[1] = heads;
  const Index plane = maps.dim(2) * maps.dim(3);
  const auto first_of = [plane](Index cell) { return (2 * (cell / plane)) * plane + cell % plane; };
  return {.axes = std::move(axes),
          .run =
              [maps = maps.values, lambda = lambda.values, first_of, plane](Compute& compute, float* to) {
                compute.parallel_each(maps->size() / 2, 4096, [&](Index cell) {
                  to[cell] = (*maps)[first_of(cell)] - (*lambda)[0] * (*maps)[first_of(cell) + plane];
                });
              },
          .explain =
              [maps = maps.id, lambda = lambda.id, first_of, plane](Index cell) {
                return Explanation{.terms = {{{Operand::of(maps, first_of(cell))}},
                                             {{Operand::constant(-1, "minus"), Operand::of(lambda, 0),
                                               Operand::of(maps, first_of(cell) + plane)}}}};
              },
          .code = both(fmt::format("{0}[:, 0::2] - {1} * {0}[:, 1::2]", maps.id, python_name(lambda.id))),
          .formula = {fmt::format("{} - {}\\,{}", notation::raised(maps, "1"), notation::written(lambda),
                                  notation::raised(maps, "2"))},
          .operations = 3,
          .kind = Kind::activation,
          .role = Role::weight};
}

// (1 − start) · gamma · x over its root mean square, x (B, M, n_q, d_v').
Operation rescaled_norm(const Array& x, const Array& gamma, double epsilon, double start) {
  Operation op = ops::rms_norm(x, gamma, epsilon);
  op.backward = {};
  const double kept = 1 - start;
  op.run = [run = std::move(op.run), kept, size = x.size()](Compute& compute, float* to) {
    run(compute, to);
    math::scale(compute, to, static_cast<float>(kept), size, to);
  };
  op.explain = [explain = std::move(op.explain), kept, start](Index cell) {
    Explanation e = explain(cell);
    e.times = kept;
    e.scale_label = fmt::format("1 − {}", start);
    return e;
  };
  op.code = {fmt::format("{} * (1 - {})", op.code.numpy, start), fmt::format("{} * (1 - {})", op.code.torch, start)};
  op.formula.right = fmt::format("(1 - {})\\,", start) + op.formula.right;
  op.role = Role::output;
  return op;
}

bool is_differential(const Problem& problem) {
  return problem.params.flag("differential");
}

std::vector<ArraySpec> vectors(const ParamValues& params) {
  if (!params.flag("differential")) return {};
  std::vector<ArraySpec> list;
  for (const char* which : {"1", "2"})
    for (const char* side : {"q", "k"})
      list.push_back(declare::weight(
          fmt::format("lambda_{}{}", side, which), fmt::format("\\lambda_{{{}{}}}", side, which),
          fmt::format("Lambda {}{}", side, which), "One of four vectors that λ is learned by.", {"d'"}, Fill::absent));
  list.push_back(declare::weight("head_gamma", "\\gamma", "Head norm scale", "Stretches each normalised channel.",
                                 {"d_v'"}, Fill::ones));
  return list;
}

Status check_parts(const Problem& problem) {
  if (!is_differential(problem)) return {};
  if (problem.params.choice("talking_heads") != "none")
    return fail(
        "talking_heads mixes the maps that differential keeps in pairs: set talking_heads to none, or differential to "
        "false");
  Index given = 0;
  for (const char* id : {"lambda_q1", "lambda_k1", "lambda_q2", "lambda_k2"})
    if (problem.find(id)) ++given;
  if (given % 4 != 0)
    return fail("lambda_q1, lambda_k1, lambda_q2 and lambda_k2 are given together or not at all: {} of them {} there",
                given, given == 1 ? "is" : "are");
  return {};
}

std::string start_note(const Recorder& r) {
  return fmt::format("λ says how much of the second map is taken off. It starts at {}{}.",
                     r.params().real("lambda_init"),
                     r.has("lambda_q1") ? ", and two pairs of learned vectors move it from there" : "");
}

}  // namespace

const HeadOption& differential() {
  static const HeadOption option{
      .params = {param::flag("differential", "Differential",
                             "Gives each head two maps and takes a share of the second off the first (Ye et al. 2024).",
                             false, {.advanced = true, .breaks_named_heads = true}),
                 param::real("lambda_init", "Lambda",
                             "How much of the second map is taken off at the start of training.", 0.2, 0, 1,
                             {.advanced = true, .part_of = "differential", .breaks_named_heads = true})},
      .weights = vectors,
      .words = {{"lambda_1", "\\lambda_1", "First part of λ", "How much the first pair of vectors adds to λ."},
                {"lambda_2", "\\lambda_2", "Second part of λ", "How much the second pair of vectors takes off λ."},
                {"lambda", "\\lambda", "Lambda", start_note, "λ"},
                {"differential_weights", "\\Delta", "Differential weights",
                 "The first map of each head less λ times its second: what both look at by habit cancels out, and what "
                 "only one of them found stays. A row adds up to 1 − λ, and a {weight:weight} may be negative.",
                 "Δ"},
                {"normed_heads", "\\bar o", "Normed heads",
                 "Each head's {output:output} is brought to a mean square of 1, stretched by γ, and multiplied by 1 "
                 "less the λ of the start, so that heads are of one size whatever their maps add up to.",
                 "norm o"}},
      .check = check_parts,
      .is_active = is_differential};
  return option;
}

const char* options::maps_symbol(const ParamValues& params) {
  return params.flag("differential") ? "2M" : "M";
}
const char* options::key_maps_symbol(const ParamValues& params) {
  return params.flag("differential") ? "2G" : "G";
}

Array options::subtract_maps(Recorder& r, const Array& weights) {
  if (!is_differential(r.problem())) return weights;
  r.stage("difference", "Difference", "α¹ − λα²", "differential_weights");
  const bool learned = static_cast<bool>(r.array("lambda_q1"));
  const auto part = [&](const char* id, const char* q, const char* k) {
    return learned ? r.source(id, exponential_of_product(r.array(q), r.array(k))) : Array{};
  };
  const Array first = part("lambda_1", "lambda_q1", "lambda_k1"), second = part("lambda_2", "lambda_q2", "lambda_k2");
  const Array lambda = r.step("lambda", lambda_of(first, second, r.params().real("lambda_init")));
  return r.step("differential_weights", difference(weights, lambda, r.axis("M", "head")));
}

Array options::normalize_heads(Recorder& r, const Array& heads) {
  if (!is_differential(r.problem())) return heads;
  r.stage("head_norm", "Norm", "norm o");
  return r.step("normed_heads", rescaled_norm(heads, r.array("head_gamma"), r.params().real("norm_epsilon"),
                                              r.params().real("lambda_init")));
}

}  // namespace headlight
