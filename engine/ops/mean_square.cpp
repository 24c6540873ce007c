// The mean square of what an output is off by.
#include "engine/ops/loss_ops.h"

namespace headlight::ops {

namespace {

double sum_of(const Tensor& tensor) {
  double sum = 0;
  for (const float value : tensor.values()) sum += value;
  return sum;
}

// 2 g asked · difference / Σ asked, g (1).
Operation mean_square_gradient(const Array& g, const Array& difference, const Array& asked) {
  return {.axes = difference.axes,
          .run =
              [g = g.values, d = difference.values, asked = asked.values](Compute&, float* to) {
                const double by = 2 * static_cast<double>((*g)[0]) / sum_of(*asked);
                for (Index cell = 0; cell < d->size(); ++cell)
                  to[cell] = static_cast<float>(by * (*asked)[cell] * (*d)[cell]);
              },
          .explain =
              [g = g.id, d = difference.id, asked_id = asked.id, asked = asked.values](Index cell) {
                const double all = sum_of(*asked);
                return Explanation{.scale = 2 / all,
                                   .terms = {{{Operand::of(g, 0), Operand::of(asked_id, cell), Operand::of(d, cell)}}},
                                   .scale_label = fmt::format("2/{}", all)};
              },
          .code = both(fmt::format("2 * {0} * {2} * {1} / {2}.sum()", g.id, difference.id, asked.id)),
          .formula = {fmt::format("\\frac{{2}}{{\\text{{asked}}}}\\,{}\\,{}", notation::written(g),
                                  notation::written(difference))},
          .operations = 3};
}

}  // namespace

Operation difference(const Array& output, const Array& answers) {
  return {.axes = output.axes,
          .run =
              [output = output.values, answers = answers.values](Compute&, float* to) {
                for (Index cell = 0; cell < output->size(); ++cell) to[cell] = (*output)[cell] - (*answers)[cell];
              },
          .explain =
              [output = output.id, answers = answers.id](Index cell) {
                return Explanation{.terms = {{{Operand::of(output, cell)}},
                                             {{Operand::constant(-1, "−"), Operand::of(answers, cell)}}}};
              },
          .code = both(fmt::format("{} - {}", output.id, answers.id)),
          .formula = {fmt::format("{} - {}", notation::written(output), notation::written(answers))},
          .operations = 1,
          .backward = [output = output.id](
                          BackwardPass& pass) { pass.add(output, pass_through(pass.gradient(), pass.array(output))); }};
}

Operation mean_square(const Array& difference, const Array& asked) {
  return {.axes = {Axis{.symbol = "1", .name = "loss", .size = 1}},
          .run =
              [d = difference.values, asked = asked.values](Compute&, float* to) {
                double sum = 0;
                for (Index cell = 0; cell < d->size(); ++cell)
                  sum += static_cast<double>((*asked)[cell]) * (*d)[cell] * (*d)[cell];
                to[0] = static_cast<float>(sum / sum_of(*asked));
              },
          .explain =
              [d = difference.id, asked_id = asked.id, asked = asked.values](Index) {
                const double all = sum_of(*asked);
                Explanation e{.scale = 1 / all, .scale_label = fmt::format("1/{}", all)};
                for (Index cell = 0; cell < asked->size(); ++cell)
                  if ((*asked)[cell] != 0)
                    e.terms.push_back({{Operand::of(asked_id, cell), Operand::of(d, cell), Operand::of(d, cell)}});
                return e;
              },
          .code = both(fmt::format("(({0} * {1}**2).sum() / {0}.sum()).reshape(1)", asked.id, difference.id)),
          .formula = {fmt::format("\\frac{{1}}{{\\text{{asked}}}} \\sum {}^2", notation::written(difference))},
          .operations = 3.0 * static_cast<double>(difference.size()),
          .backward =
              [d = difference.id, asked = asked.id](BackwardPass& pass) {
                pass.add(d, mean_square_gradient(pass.gradient(), pass.array(d), pass.array(asked)));
              }};
}

}  // namespace headlight::ops
