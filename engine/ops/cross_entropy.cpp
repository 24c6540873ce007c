// Cross-entropy: how surprised a network is by the answer, in nats.
#include <algorithm>

#include "engine/math/math.h"
#include "engine/ops/loss_ops.h"

namespace headlight::ops {

namespace {

bool is_asked(const Tensor& answers, Index place) {
  return answers[place] >= 0;
}
Index count_answers(const Tensor& answers) {
  return std::ranges::count_if(answers.values(), [](float answer) { return answer >= 0; });
}

// g (B, n) times the probabilities, less 1 at the answer → (B, n, V).
Operation cross_entropy_gradient(const Array& g, const Array& probabilities, const Array& answers, const Array& like) {
  const Index count = like.dim(-1);
  return {.axes = like.axes,
          .run =
              [g = g.values, p = probabilities.values, answers = answers.values, count](Compute& compute, float* to) {
                compute.parallel_each(g->size(), 64, [&](Index place) {
                  const float by = (*g)[place];
                  const bool asked = is_asked(*answers, place);
                  for (Index v = 0; v < count; ++v) to[place * count + v] = asked ? by * (*p)[place * count + v] : 0.0F;
                  if (asked) to[place * count + static_cast<Index>((*answers)[place])] -= by;
                });
              },
          .explain =
              [g = g.id, p = probabilities.id, answers = answers.values, count](Index cell) {
                const Index place = cell / count;
                if (!is_asked(*answers, place))
                  return Explanation{.terms = {{{Operand::constant(0, "nothing is asked")}}}};
                Explanation e{.terms = {{{Operand::of(g, place), Operand::of(p, cell)}}}};
                if (static_cast<Index>((*answers)[place]) == cell % count)
                  e.terms.push_back({{Operand::of(g, place), Operand::constant(-1, "the answer")}});
                return e;
              },
          .code = {fmt::format("np.where({2}[..., None] < 0, 0.0, {0}[..., None] * ({1} - ({2}[..., None] == "
                               "np.arange({3}))))",
                               g.id, probabilities.id, answers.id, count),
                   fmt::format("torch.where({2}[..., None] < 0, 0.0, {0}[..., None] * ({1} - ({2}[..., None] == "
                               "torch.arange({3})).double()))",
                               g.id, probabilities.id, answers.id, count)},
          .formula = {fmt::format("{}\\,\\bigl({} - [\\,c = \\text{{answer}}\\,]\\bigr)", notation::written(g),
                                  notation::written(probabilities))},
          .operations = 2};
}

// g (1) divided among what is asked → (B, n).
Operation divided_among_asked(const Array& g, const Array& answers, const Array& like) {
  const auto share = [answers = answers.values](Index place) {
    return is_asked(*answers, place) ? 1 / static_cast<double>(count_answers(*answers)) : 0.0;
  };
  const std::string line = fmt::format("{} * ({} >= 0) / ({} >= 0).sum()", g.id, answers.id, answers.id);
  return {.axes = like.axes,
          .run =
              [g = g.values, answers = answers.values](Compute&, float* to) {
                const double each = static_cast<double>((*g)[0]) / static_cast<double>(count_answers(*answers));
                for (Index place = 0; place < answers->size(); ++place)
                  to[place] = is_asked(*answers, place) ? static_cast<float>(each) : 0.0F;
              },
          .explain =
              [g = g.id, share](Index place) {
                return Explanation{.terms = {{{Operand::of(g, 0), Operand::constant(share(place), "its share")}}}};
              },
          .code = both(line),
          .formula = {fmt::format("\\frac{{1}}{{\\text{{asked}}}}\\,{}", notation::written(g))},
          .operations = 1};
}

}  // namespace

Operation cross_entropy(const Array& logits, const Array& probabilities, const Array& answers) {
  const Index count = logits.dim(-1);
  return {.axes = answers.axes,
          .run =
              [logits = logits.values, answers = answers.values, count](Compute& compute, float* to) {
                compute.parallel_each(answers->size(), 64, [&](Index place) {
                  if (!is_asked(*answers, place)) {
                    to[place] = 0;
                    return;
                  }
                  const float* row = logits->data() + place * count;
                  const double of_answer = row[static_cast<Index>((*answers)[place])];
                  to[place] = static_cast<float>(math::log_sum_exp(row, count) - of_answer);
                });
              },
          .explain =
              [probabilities = probabilities.id, answers = answers.values, count](Index place) {
                if (!is_asked(*answers, place))
                  return Explanation{.terms = {{{Operand::constant(0, "nothing is asked")}}}};
                const Index cell = place * count + static_cast<Index>((*answers)[place]);
                return Explanation{
                    .combine = Combine::logarithm, .terms = {{{Operand::of(probabilities, cell)}}}, .times = -1};
              },
          .code = {fmt::format("np.where({1} < 0, 0.0, -np.log(np.take_along_axis({0}, np.maximum({1}, "
                               "0).astype(int)[..., None], -1)[..., 0]))",
                               probabilities.id, answers.id),
                   fmt::format("torch.where({1} < 0, 0.0, -torch.log({0}.gather(-1, "
                               "{1}.clamp(min=0).long().unsqueeze(-1))[..., 0]))",
                               probabilities.id, answers.id)},
          .formula = {fmt::format("-\\ln {}", notation::written(probabilities))},
          .operations = 6,
          .backward =
              [logits = logits.id, p = probabilities.id, answers = answers.id](BackwardPass& pass) {
                pass.add(logits, cross_entropy_gradient(pass.gradient(), pass.array(p), pass.array(answers),
                                                        pass.array(logits)));
              }};
}

Operation mean_of_asked(const Array& surprise, const Array& answers) {
  return {.axes = {Axis{.symbol = "1", .name = "loss", .size = 1}},
          .run =
              [surprise = surprise.values, answers = answers.values](Compute&, float* to) {
                double sum = 0;
                for (Index place = 0; place < surprise->size(); ++place)
                  if (is_asked(*answers, place)) sum += (*surprise)[place];
                to[0] = static_cast<float>(sum / static_cast<double>(count_answers(*answers)));
              },
          .explain =
              [surprise = surprise.id, answers = answers.values](Index) {
                const Index asked = count_answers(*answers);
                Explanation e{.scale = 1 / static_cast<double>(asked), .scale_label = fmt::format("1/{}", asked)};
                for (Index place = 0; place < answers->size(); ++place)
                  if (is_asked(*answers, place)) e.terms.push_back({{Operand::of(surprise, place)}});
                return e;
              },
          .code = both(fmt::format("{}[{} >= 0].mean().reshape(1)", surprise.id, answers.id)),
          .formula = {fmt::format("\\frac{{1}}{{\\text{{asked}}}} \\sum {}", notation::written(surprise))},
          .operations = linear_operations(surprise.size(), false),
          .backward =
              [surprise = surprise.id, answers = answers.id](BackwardPass& pass) {
                pass.add(surprise, divided_among_asked(pass.gradient(), pass.array(answers), pass.array(surprise)));
              }};
}

}  // namespace headlight::ops
