// What scores are multiplied by: 1/√d', a number, or one for each head. Vaswani et al. 2017, section 3.2.1.
#include <cmath>

#include "engine/math/math.h"
#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

constexpr double scale_of_cosines = 10;  // 1/τ where Swin V2 starts, Liu et al. 2022, section 3.2

bool scales_by_head(const Problem& problem) {
  return problem.find("logit_scale") != nullptr;
}

bool has_cosines(const ParamValues& params) {
  return params.choice("qk_norm") == "l2";
}

bool divides_by_root(const Problem& problem) {
  const ParamValues& params = problem.params;
  return params.is_automatic("scale") && !has_cosines(params) && !scales_by_head(problem);
}

bool changes_scale(const Problem& problem) {
  return !divides_by_root(problem) || problem.params.real("temperature") != 1;
}

ops::Factor factor_of_scores(const Recorder& r) {
  std::optional<double> scale;
  if (has_cosines(r.params())) scale = scale_of_cosines;
  if (!r.params().is_automatic("scale")) scale = r.params().real("scale");
  return options::scale_over_temperature(r, scale, r.dim("d'"), "d'");
}

// Arrays (1|B, S or M, n_q, n_k) that are added to scores x (B, S, n_q, n_k) before the scale.
struct AddedTerms {
  AddedTerms(const Array& x, const std::vector<Array>& arrays) : in_formula(notation::written(x)), in_code(both(x.id)) {
    for (const Array& y : arrays) {
      parts.push_back({y.id, y.values, ops::PlanesOfHeads(x, y)});
      const Code repeated = ops::heads_repeated(y, x.dim(1) / y.dim(1));
      in_formula += " + " + notation::written(y);
      in_code = {in_code.numpy + " + " + repeated.numpy, in_code.torch + " + " + repeated.torch};
    }
    if (!parts.empty()) in_code = {"(" + in_code.numpy + ")", "(" + in_code.torch + ")"};
  }
  // One plane of x with the terms added, written to `to`; without terms x itself.
  const float* sum(Compute& compute, const float* from, Index plane, Index size, float* to) const {
    for (const Part& part : parts) {
      math::add(compute, from, part.values->data() + part.planes.plane(plane) * size, size, to);
      from = to;
    }
    return from;
  }
  // The same of one row.
  const float* sum_of_row(const float* from, Index row, Index queries, Index n, float* to) const {
    for (const Part& part : parts) {
      const Index other = part.planes.plane(row / queries) * queries + row % queries;
      math::add(from, part.values->data() + other * n, n, to);
      from = to;
    }
    return from;
  }
  struct Part {
    std::string id;
    std::shared_ptr<const Tensor> values;
    ops::PlanesOfHeads planes;
    Operand of(Index cell, Index size) const { return Operand::of(id, planes.plane(cell / size) * size + cell % size); }
  };
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const Part& part : parts) all.push_back(part.id);
    return all;
  }
  std::vector<Part> parts = {};
  std::string in_formula;  // the sum
  Code in_code;
};

// ∂L/∂ what was multiplied, before it is handed on to each array of the sum.
Array gradient_of_sum(BackwardPass& pass, Operation made) {
  return pass.helper("scaled", "∂ sum", "\\partial L/\\partial (s + \\dots)",
                     "What reaches the sum before it is scaled.", std::move(made));
}

Operation scaled_by_head(const Array& x, const Array& by, const std::vector<Array>& arrays, const Array& bias);

Backward backward_by_head(const Array& x, const Array& by, const AddedTerms& terms, const Array& bias) {
  return [x = x.id, by = by.id, terms = terms.ids(), bias = bias.id](BackwardPass& pass) {
    const Array& g = pass.gradient();
    const Array of_sum = gradient_of_sum(pass, scaled_by_head(g, pass.array(by), {}, {}));
    pass.add(x, ops::pass_through(of_sum, pass.array(x)));
    pass.add(by, ops::products_by_map(g, pass.array(x), pass.array(by)));
    for (const std::string& term : terms) {
      pass.add(term, ops::sum_to_heads(of_sum, pass.array(term)));
      pass.add(by, ops::products_by_map(g, pass.array(term), pass.array(by)));
    }
    if (!bias.empty()) pass.add(bias, ops::sum_to_heads(g, pass.array(bias)));
  };
}

// by (M) times the sum of x (B, S, n_q, n_k) and of arrays, plus bias (1|B, M, n_q, n_k) where there is one; S/M
// consecutive maps belong to one head.
Operation scaled_by_head(const Array& x, const Array& by, const std::vector<Array>& arrays, const Array& bias) {
  const Index plane = x.dim(2) * x.dim(3), maps = x.dim(1), heads = by.size(), each = maps / heads;
  const ops::PlanesOfHeads added(x, bias ? bias : x);
  const AddedTerms terms(x, arrays);
  const auto head_of = [=](Index map) { return map % maps * heads / maps; };
  const auto of = [&](const std::string& scores) {
    return fmt::format("{}\\,{}{}", notation::written(by),
                       arrays.empty() ? scores : fmt::format("\\bigl({}\\bigr)", scores), notation::plus(bias));
  };
  const Code bias_in_code = bias ? ops::heads_repeated(bias, maps / bias.dim(1)) : Code{};
  const auto code_in = [&](const std::string& scores, const std::string& scales, const std::string& plus) {
    return fmt::format("{} * {}[:, None, None]{}", scores, scales, plus.empty() ? "" : " + " + plus);
  };
  return {
      .axes = x.axes,
      .run =
          [x = x.values, by = by.values, terms, bias = bias.values, plane, head_of, added](Compute& compute,
                                                                                           float* to) {
            for (Index at = 0; at < x->size(); at += plane) {
              const float* from = terms.sum(compute, x->data() + at, at / plane, plane, to + at);
              math::scale(compute, from, (*by)[head_of(at / plane)], plane, to + at);
              if (bias) math::add(compute, to + at, bias->data() + added.plane(at / plane) * plane, plane, to + at);
            }
          },
      .explain =
          [x = x.id, by = by.id, terms, bias = bias.id, plane, head_of, added](Index cell) {
            Explanation e;
            const Index head = head_of(cell / plane);
            e.terms = {{{Operand::of(x, cell), Operand::of(by, head)}}};
            for (const auto& part : terms.parts) e.terms.push_back({{part.of(cell, plane), Operand::of(by, head)}});
            if (!bias.empty())
              e.terms.push_back({{Operand::of(bias, added.plane(cell / plane) * plane + cell % plane)}});
            return e;
          },
      .code = {code_in(terms.in_code.numpy, each == 1 ? by.id : fmt::format("np.repeat({}, {})", by.id, each),
                       bias_in_code.numpy),
               code_in(terms.in_code.torch, each == 1 ? by.id : fmt::format("{}.repeat_interleave({})", by.id, each),
                       bias_in_code.torch)},
      .formula = {.right = of(terms.in_formula),
                  .definition = x.definition.empty() || !arrays.empty() ? std::string() : of(x.definition)},
      .operations = (bias ? 3.0 : 2.0) + 2.0 * static_cast<double>(arrays.size()),
      .kind = x.kind,
      .role = x.role,
      .backward = backward_by_head(x, by, terms, bias)};
}

// The scales of the heads, over the temperature.
Array scales_of_heads(Recorder& r, const Array& given) {
  const double temperature = r.params().real("temperature");
  if (temperature == 1) return given;
  return r.source("tempered_scales", ops::scaled(given, {.value = 1 / temperature,
                                                         .label = fmt::format("1/{}", temperature),
                                                         .in_code = fmt::format("/ {}", temperature),
                                                         .left = "\\frac{1}{\\tau}\\,"}));
}

// factor · (x + y + …), cell by cell.
Operation scaled_sum(const Array& x, const std::vector<Array>& arrays, const ops::Factor& factor) {
  Operation op = ops::scaled(x, factor);
  const AddedTerms terms(x, arrays);
  op.backward = [x = x.id, terms = terms.ids(), factor](BackwardPass& pass) {
    const Array of_sum = gradient_of_sum(pass, ops::scaled(pass.gradient(), factor));
    pass.add(x, ops::pass_through(of_sum, pass.array(x)));
    for (const std::string& term : terms) pass.add(term, ops::sum_to_heads(of_sum, pass.array(term)));
  };
  const Index plane = x.dim(2) * x.dim(3);
  if (!arrays.empty()) op.rows.of = arrays.back().id;  // the last of all that it reads
  op.rows.run = [x = x.values, terms, queries = x.dim(2), n = x.dim(3), factor = static_cast<float>(factor.value)](
                    Index begin, Index end, float* to) {
    for (Index row = begin; row < end; ++row)
      math::scale(terms.sum_of_row(x->data() + row * n, row, queries, n, to + row * n), factor, n, to + row * n);
  };
  op.explain = [x = x.id, terms, plane, factor](Index cell) {
    Explanation e;
    e.scale = factor.value;
    e.scale_label = factor.label;
    e.root_of = factor.root_of;
    e.terms = {{{Operand::of(x, cell)}}};
    for (const auto& part : terms.parts) e.terms.push_back({{part.of(cell, plane)}});
    return e;
  };
  const bool bracketed = !factor.left.starts_with("\\frac{") || factor.right.empty();
  op.formula = {factor.left + (bracketed ? fmt::format("\\bigl({}\\bigr)", terms.in_formula) : terms.in_formula) +
                factor.right};
  op.code = {fmt::format("{} {}", terms.in_code.numpy, factor.in_code),
             fmt::format("{} {}", terms.in_code.torch, factor.in_code)};
  op.operations = 1 + static_cast<double>(arrays.size());
  return op;
}

std::string factor_note(const Recorder& r) {
  const Index d = r.dim("d'");
  const double root = std::sqrt(static_cast<double>(d));
  if (r.has("logit_scale")) return "Each head multiplies its {score:scores} by a scale of its own, which is learned.";
  if (!r.params().is_automatic("scale"))
    return fmt::format("The {{score:scores}} are multiplied by {}. The usual factor would be 1/√{} ≈ {:.3f}.",
                       r.params().real("scale"), d, 1 / root);
  if (has_cosines(r.params()))
    return fmt::format(
        "A cosine is at most 1, too little for softmax to tell keys apart: {{score:scores}} are multiplied by {}.",
        scale_of_cosines);
  return fmt::format(
      "A dot product of {0} products has a spread that grows like √{0}. Dividing by √{0} ≈ {1:.3f} undoes that growth, "
      "so that the width alone does not drive softmax to all or nothing.",
      d, root);
}

std::string scale_note(const Recorder& r) {
  std::string note = factor_note(r) + options::temperature_note(r);
  if (r.has("key_scores"))
    note += " What places and keys add by themselves is added first, and scaled with them.";
  else if (r.has("position_scores"))
    note += " The position scores are added first, and scaled with them.";
  if (r.has("position_bias")) note += " The position bias is added to the result as it is.";
  return note;
}

std::vector<ArraySpec> scale_of_heads(const ParamValues&) {
  return {declare::weight("logit_scale", "a", "Head scales", "What each head's scores are multiplied by.", {"M"},
                          Fill::absent, Role::score)};
}

Status check_scales(const Problem& problem) {
  if (scales_by_head(problem) && !problem.params.is_automatic("scale"))
    return fail("logit_scale is a scale for each head, and scale is set too: leave one of them out");
  return {};
}

}  // namespace

const HeadOption& scale() {
  static const HeadOption option{
      .params = {param::real(
                     "scale", "Scale",
                     "What scores are multiplied by; automatic is 1/√d', or 10 where the query-key norm is length 1.",
                     param::automatic, -1e6, 1e6, {.advanced = true}),
                 param::real("temperature", "Temperature",
                             "Scores are divided by it: above 1 flattens the weights, below 1 sharpens them.", 1.0,
                             0.01, 100, {.logarithmic = true})},
      .weights = scale_of_heads,
      .words = {{"tempered_scales", "a'", "Tempered scales",
                 "What each head's {score:scores} are multiplied by, divided by the temperature."},
                {"scaled_scores", "\\tilde s", "Scaled scores", scale_note, {}, {"scale", "Scale", "÷ √d"}}},
      .check = check_scales,
      .is_active = changes_scale};
  return option;
}

std::string options::temperature_note(const Recorder& r) {
  const double temperature = r.params().real("temperature");
  if (temperature == 1) return "";
  return fmt::format(" The temperature {} divides them once more, which makes the {{weight:weights}} {}.", temperature,
                     temperature > 1 ? "flatter" : "sharper");
}

ops::Factor options::scale_over_temperature(const Recorder& r, std::optional<double> scale, Index width,
                                            const std::string& symbol) {
  const double temperature = r.params().real("temperature");
  const bool tempered = temperature != 1;
  ops::Factor factor = ops::over_root_of(width, symbol);
  if (scale)
    factor = {.value = *scale,
              .label = fmt::format("{}", *scale),
              .in_code = fmt::format("* {}", *scale),
              .left = tempered ? "\\frac{a}{\\tau}\\," : "a\\,"};
  if (!tempered) return factor;
  factor.value /= temperature;
  factor.in_code += fmt::format(" / {}", temperature);
  if (scale) {
    factor.label += fmt::format(" / {}", temperature);
  } else {
    factor.label = fmt::format("1/(√{} · {})", width, temperature);
    factor.right = fmt::format("}}{{\\tau \\sqrt{{{}}}}}", symbol);
  }
  return factor;
}

Array options::scale_scores(Recorder& r, const Array& scores, const ScoreTerm::Terms& terms) {
  const auto& [before, bias] = terms;
  const std::string by = divides_by_root(r.problem()) ? "÷ √d" : "· a";
  r.stage("scale", bias || !before.empty() ? "Scale, add" : "Scale", bias ? by + " + p" : by);
  if (const Array given = r.array("logit_scale"))
    return r.step("scaled_scores", scaled_by_head(scores, scales_of_heads(r, given), before, bias));
  const ops::Factor factor = factor_of_scores(r);
  if (!before.empty()) return r.step("scaled_scores", scaled_sum(scores, before, factor));
  return r.step("scaled_scores", bias ? ops::scaled_plus(scores, factor, bias) : ops::scaled(scores, factor));
}

}  // namespace headlight
