#include "engine/math/math.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

// c · tanh(s / c), cell by cell.
Operation soft_cap(const Array& scores, double cap) {
  const std::string s = notation::written(scores);
  const auto code_in = [&](const char* library) {
    return fmt::format("{0} * {1}.tanh({2} / {0})", cap, library, scores.id);
  };
  return {.axes = scores.axes,
          .rows = {scores.id,
                   [s = scores.values, cap, n = scores.dim(-1)](Index begin, Index end, float* to) {
                     const Index size = (end - begin) * n;
                     float* rows = to + begin * n;
                     math::scale(s->data() + begin * n, static_cast<float>(1 / cap), size, rows);
                     math::tanh(rows, size);
                     math::scale(rows, static_cast<float>(cap), size, rows);
                   }},
          .explain =
              [s = scores.id, cap](Index cell) {
                return Explanation{.combine = Combine::tanh,
                                   .scale = 1 / cap,
                                   .terms = {{{Operand::of(s, cell)}}},
                                   .scale_label = fmt::format("1/{}", cap),
                                   .times = cap};
              },
          .code = {code_in("np"), code_in("torch")},
          .formula = {fmt::format("c \\tanh\\frac{{{}}}{{c}} \\qquad c = {}", s, cap)},
          .operations = rule_of(Combine::tanh).operations + 1,
          .kind = Kind::score,
          .role = Role::score};
}

bool caps_scores(const Problem& problem) {
  return problem.params.real("softcap") != 0;
}

}  // namespace

const HeadOption& softcap() {
  static const HeadOption option{
      .params = {param::real(
          "softcap", "Soft cap", "Scores beyond this size are bent back smoothly to stay below it; 0 is none.", 0.0, 0,
          1e6,
          {.advanced = true,
           .breaks_named_heads = true,
           .offer =
               ParamOffer{"Soft cap",
                          "Scores beyond a size are bent back smoothly to stay below it (Gemma Team 2024, Gemma 2).",
                          5.0}})},
      .words = {{"capped_scores", "\\bar s", "Capped scores",
                 "No {score:score} gets beyond ±{softcap}, however large it was. Small ones pass almost unchanged, "
                 "large ones are bent back ever more, so two keys that both stand out keep sharing the {weight:weight} "
                 "(Gemma 2). The mask comes after it."}},
      .is_active = caps_scores};
  return option;
}

Array options::cap_scores(Recorder& r, const Array& scores) {
  if (!caps_scores(r.problem())) return scores;
  r.stage("softcap", "Soft cap", "c tanh(s/c)");
  return r.step("capped_scores", soft_cap(scores, r.params().real("softcap")));
}

}  // namespace headlight
