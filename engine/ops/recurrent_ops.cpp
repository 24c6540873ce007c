#include "engine/ops/recurrent_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight::ops {

namespace {

using notation::written;

// A state of a formula: that before the step of the query.
std::string state_before(const Array& states, const Axis& queries) {
  return notation::mark(states.id, fmt::format("{}_{{{}}}", states.symbol, queries.index));
}

// σ or tanh of the three sums.
Operation unit(const Array& word, const Array& states, const Array& context, const Array& reset, const UnitWeights& by,
               Combine rule) {
  const Index n = word.dim(1), d_y = word.dim(2), d_s = states.dim(2), d_k = context.dim(2);
  // The cell of the state before, and of what is read at the same step.
  const auto before = [=](Index row, Index t) { return (row / n * (n + 1) + row % n) * d_s + t; };
  const std::string state = states.id + "[:, :-1]",
                    lines = fmt::format("{} @ {} + {} @ {} + {} @ {}", word.id, by.w.id,
                                        reset ? fmt::format("({} * {})", reset.id, state) : state, by.u.id, context.id,
                                        by.c.id);
  const std::string whole = state_before(states, word.axis_at(1)),
                    from = reset ? fmt::format("\\bigl({} \\odot {}\\bigr)", written(reset), whole) : whole;
  const bool tanh = rule == Combine::tanh;
  return {.axes = {word.axis_at(0), word.axis_at(1), states.axis_at(2)},
          .run =
              [word = word.values, states = states.values, context = context.values, reset = reset.values,
               w = by.w.values, u = by.u.values, c = by.c.values, before, d_y, d_s, d_k,
               function = rule_of(rule).function](Compute& compute, float* to) {
                compute.parallel(word->size() / d_y, 4, [&](Index begin, Index end) {
                  for (Index at = begin * d_s; at < end * d_s; ++at) {
                    const Index row = at / d_s, out = at % d_s;
                    double sum = 0;
                    for (Index t = 0; t < d_y; ++t) sum += double{(*word)[row * d_y + t]} * (*w)[t * d_s + out];
                    for (Index t = 0; t < d_s; ++t)
                      sum += (reset ? double{(*reset)[row * d_s + t]} : 1.0) * (*states)[before(row, t)] *
                             (*u)[t * d_s + out];
                    for (Index t = 0; t < d_k; ++t) sum += double{(*context)[row * d_k + t]} * (*c)[t * d_s + out];
                    to[at] = static_cast<float>(function(sum));
                  }
                });
              },
          .explain =
              [word = word.id, states = states.id, context = context.id, reset = reset.id, w = by.w.id, u = by.u.id,
               c = by.c.id, before, d_y, d_s, d_k, rule](Index cell) {
                const Index row = cell / d_s, out = cell % d_s;
                Explanation e{.combine = rule, .terms = product_terms(d_y, {word, row * d_y}, {w, out, d_s})};
                for (Index t = 0; t < d_s; ++t) {
                  Term term{{Operand::of(states, before(row, t)), Operand::of(u, t * d_s + out)}};
                  if (!reset.empty()) term.factors.insert(term.factors.begin(), Operand::of(reset, row * d_s + t));
                  e.terms.push_back(std::move(term));
                }
                for (Index t = 0; t < d_k; ++t)
                  e.terms.push_back({{Operand::of(context, row * d_k + t), Operand::of(c, t * d_s + out)}});
                return e;
              },
          .code = tanh ? Code{fmt::format("np.tanh({})", lines), fmt::format("torch.tanh({})", lines)}
                       : Code{fmt::format("1 / (1 + np.exp(-({})))", lines), fmt::format("torch.sigmoid({})", lines)},
          .formula = {fmt::format("{}\\bigl({}\\,{} + {}\\,{} + {}\\,{}\\bigr)", tanh ? "\\tanh" : "\\sigma",
                                  written(word), written(by.w), from, written(by.u), written(context), written(by.c))},
          .operations = linear_operations(d_y + d_s + d_k, false) + (reset ? static_cast<double>(d_s) : 0) +
                        rule_of(rule).operations};
}

double sigmoid(double x) {
  return rule_of(Combine::sigmoid).function(x);
}

// Of each number of each step: its update gate and its candidate.
struct OnTheWay {
  std::vector<double> update, candidate;
};

// One item of a batch, step after step.
class Unrolling {
 public:
  Unrolling(const Decoder& d, Index item) : d_(d), item_(item) {}

  void run(float* states, OnTheWay& way) const {
    const Index n = d_.word.dim(1), d_s = d_.start.dim(1);
    std::copy_n(d_.start.data() + item_ * d_s, d_s, states);
    for (Index i = 0; i < n; ++i) {
      const float* state = states + i * d_s;
      const std::vector<double> c_i = context(i, state);
      const auto update_sums = unit(d_.update, i, state, {}, c_i), reset_sums = unit(d_.reset, i, state, {}, c_i);
      std::vector<double> reset;
      for (const double sum : reset_sums) reset.push_back(sigmoid(sum));
      const auto candidate_sums = unit(d_.candidate, i, state, reset, c_i);
      for (Index c = 0; c < d_s; ++c) {
        const auto at = static_cast<std::size_t>(c), of_all = static_cast<std::size_t>((item_ * n + i) * d_s + c);
        const double update = sigmoid(update_sums[at]), candidate = std::tanh(candidate_sums[at]);
        way.update[of_all] = update;
        way.candidate[of_all] = candidate;
        states[(i + 1) * d_s + c] = static_cast<float>((1 - update) * state[c] + update * candidate);
      }
    }
  }

 private:
  // The annotations in the shares of their scores; zeros where no key is visible.
  std::vector<double> context(Index i, const float* state) const {
    const Index h = d_.w_score.size(), keys = d_.keys.dim(2), d_s = d_.start.dim(1), d_k = d_.annotations.dim(2);
    std::vector<double> query(static_cast<std::size_t>(h)), scores(static_cast<std::size_t>(keys)),
        context(static_cast<std::size_t>(d_k));
    for (Index f = 0; f < h; ++f)
      for (Index t = 0; t < d_s; ++t) query[static_cast<std::size_t>(f)] += double{state[t]} * d_.w_q.data()[t * h + f];
    double most = -std::numeric_limits<double>::infinity(), all = 0;
    for (Index j = 0; j < keys; ++j) {
      double& score = scores[static_cast<std::size_t>(j)];
      for (Index f = 0; f < h; ++f)
        score += d_.w_score.data()[f] *
                 std::tanh(query[static_cast<std::size_t>(f)] + d_.keys.data()[(item_ * keys + j) * h + f]);
      if (d_.mask) {
        const Index item = d_.mask.dim(0) == 1 ? 0 : item_, row = d_.mask.dim(2) == 1 ? 0 : i;
        score += d_.mask.data()[(item * d_.mask.dim(2) + row) * keys + j];
      }
      most = std::max(most, score);
    }
    if (std::isinf(most) && most < 0) return context;
    for (double& score : scores) all += score = std::exp(score - most);
    for (Index j = 0; j < keys; ++j)
      for (Index c = 0; c < d_k; ++c)
        context[static_cast<std::size_t>(c)] +=
            scores[static_cast<std::size_t>(j)] / all * d_.annotations.data()[(item_ * keys + j) * d_k + c];
    return context;
  }
  // The three sums of a unit; the state times `reset`, unless that is empty.
  std::vector<double> unit(const UnitWeights& by, Index i, const float* state, const std::vector<double>& reset,
                           const std::vector<double>& context) const {
    const Index d_y = d_.word.dim(2), d_s = d_.start.dim(1), n = d_.word.dim(1);
    std::vector<double> sums(static_cast<std::size_t>(d_s));
    for (Index out = 0; out < d_s; ++out) {
      double& sum = sums[static_cast<std::size_t>(out)];
      for (Index t = 0; t < d_y; ++t)
        sum += double{d_.word.data()[(item_ * n + i) * d_y + t]} * by.w.data()[t * d_s + out];
      for (Index t = 0; t < d_s; ++t)
        sum += (reset.empty() ? 1.0 : reset[static_cast<std::size_t>(t)]) * state[t] * by.u.data()[t * d_s + out];
      for (std::size_t t = 0; t < context.size(); ++t)
        sum += context[t] * by.c.data()[static_cast<Index>(t) * d_s + out];
    }
    return sums;
  }

  const Decoder& d_;
  Index item_;
};

// The whole loop in Python: what the steps after it say row by row.
Code code_of(const Decoder& d) {
  const auto code_in = [&](const char* library, const char* sigmoid, const char* stack) {
    const auto sums = [&](const UnitWeights& by, const char* state) {
      return fmt::format("{}[:, step] @ {} + {} @ {} + c @ {}", d.word.id, by.w.id, state, by.u.id, by.c.id);
    };
    const auto gate = [&](const UnitWeights& by) { return fmt::format(fmt::runtime(sigmoid), sums(by, "s")); };
    std::string scores =
        fmt::format("{0}.tanh((s @ {1})[:, None] + {2}[:, 0]) @ {3}", library, d.w_q.id, d.keys.id, d.w_score.id);
    if (d.mask) scores += fmt::format(" + {}[:, 0, {}]", d.mask.id, d.mask.dim(2) == 1 ? "0" : "step");
    return fmt::format(
        "s = {}\nrows = [s]\nfor step in range({}):\n    alpha = masked_softmax({})\n"
        "    c = (alpha[:, None] @ {})[:, 0]\n    z = {}\n    r = {}\n"
        "    s_new = {}.tanh({})\n    s = (1 - z) * s + z * s_new\n    rows.append(s)\n"
        "{{to}} = {}",
        d.start.id, d.word.dim(1), scores, d.annotations.id, gate(d.update), gate(d.reset), library,
        sums(d.candidate, "(r * s)"), stack);
  };
  return {code_in("np", "1 / (1 + np.exp(-({})))", "np.stack(rows, axis=1)"),
          code_in("torch", "torch.sigmoid({})", "torch.stack(rows, dim=1)")};
}

}  // namespace

Operation gate(const Array& word, const Array& states, const Array& context, const UnitWeights& weights) {
  return unit(word, states, context, {}, weights, Combine::sigmoid);
}

Operation candidate(const Array& word, const Array& states, const Array& context, const Array& reset,
                    const UnitWeights& weights) {
  return unit(word, states, context, reset, weights, Combine::tanh);
}

Operation decoder_states(const Decoder& decoder, const Axis& states, const Axis& channels) {
  const Index n = decoder.word.dim(1), d_s = channels.size, batches = decoder.word.dim(0);
  const auto way = std::make_shared<OnTheWay>();
  const auto made = std::make_shared<std::vector<float>>();
  return {.axes = {decoder.word.axis_at(0), states, channels},
          .run =
              [decoder, way, made, n, d_s, batches](Compute& compute, float* to) {
                const auto steps = static_cast<std::size_t>(batches * n * d_s);
                *way = {std::vector<double>(steps), std::vector<double>(steps)};
                compute.parallel_each(
                    batches, 1, [&](Index item) { Unrolling(decoder, item).run(to + item * (n + 1) * d_s, *way); });
                made->assign(to, to + batches * (n + 1) * d_s);
              },
          .explain =
              [start = decoder.start.id, way, made, n, d_s](Index cell) {
                const Index c = cell % d_s, row = cell / d_s % (n + 1), item = cell / (d_s * (n + 1));
                Explanation e;
                if (row == 0) {
                  e.terms = {{{Operand::of(start, item * d_s + c)}}};
                  return e;
                }
                const auto at = static_cast<std::size_t>((item * n + row - 1) * d_s + c);
                const double z = way->update[at];
                e.terms = {{{Operand::constant(1 - z, "1 − update"),
                             Operand::constant(double{(*made)[static_cast<std::size_t>(cell - d_s)]}, "state before")}},
                           {{Operand::constant(z, "update"), Operand::constant(way->candidate[at], "candidate")}}};
                e.reason = fmt::format("made in the loop, at step {}", row - 1);
                return e;
              },
          .code = code_of(decoder),
          .formula = {.right = fmt::format("\\bigl[\\, {} \\,;\\, s_1 \\,;\\, s_2 \\,;\\, \\dots \\,\\bigr]",
                                           notation::mark(decoder.start.id, "s_0")),
                      .below = fmt::format("s_{{{0} + 1}} = (1 - z_{0}) \\odot s_{0} + z_{0} \\odot \\tilde s_{0}",
                                           decoder.word.axis_at(1).index),
                      .all_at_once = true},
          .operations = 1};  // what the loop takes is counted with the steps that show it
}

Operation project_states(const Array& states, const Array& w, const Axis& queries) {
  const Index n = queries.size, d_s = states.dim(2), h = w.dim(1);
  const auto before = [=](Index row) { return (row / n * (n + 1) + row % n) * d_s; };
  return {.axes = {states.axis_at(0), Axis{.symbol = "M", .name = "head", .size = 1}, queries, w.axis_at(1)},
          .run =
              [states = states.values, w = w.values, before, d_s, h, rows = states.dim(0) * n](Compute&, float* to) {
                for (Index cell = 0; cell < rows * h; ++cell) {
                  double sum = 0;
                  for (Index t = 0; t < d_s; ++t)
                    sum += double{(*states)[before(cell / h) + t]} * (*w)[t * h + cell % h];
                  to[cell] = static_cast<float>(sum);
                }
              },
          .explain =
              [states = states.id, w = w.id, before, d_s, h](Index cell) {
                return Explanation{.terms = product_terms(d_s, {states, before(cell / h)}, {w, cell % h, h})};
              },
          .code = both(fmt::format("({}[:, :-1] @ {})[:, None]", states.id, w.id)),
          .formula = {fmt::format("{}\\,{}", state_before(states, queries), written(w))},
          .operations = linear_operations(d_s, false),
          .role = Role::query};
}

Operation state_after(const Array& states, const Array& update, const Array& candidate) {
  const Index n = update.dim(1), d_s = states.dim(2);
  const auto before = [=](Index cell) { return cell + cell / (n * d_s) * d_s; };
  const std::string row = state_before(states, update.axis_at(1)), z = written(update);
  return {
      .axes = update.axes,
      .run =
          [states = states.values, update = update.values, candidate = candidate.values, before](Compute&, float* to) {
            for (Index cell = 0; cell < update->size(); ++cell) {
              const double share = (*update)[cell];
              to[cell] = static_cast<float>((1 - share) * (*states)[before(cell)] + share * (*candidate)[cell]);
            }
          },
      .explain =
          [states = states.id, update = update.id, candidate = candidate.id, before](Index cell) {
            const Operand was = Operand::of(states, before(cell)), share = Operand::of(update, cell);
            return Explanation{.terms = {{{was}},
                                         {{Operand::constant(-1, "−1"), share, was}},
                                         {{share, Operand::of(candidate, cell)}}}};
          },
      .code = both(fmt::format("(1 - {0}) * {1}[:, :-1] + {0} * {2}", update.id, states.id, candidate.id)),
      .formula = {fmt::format("(1 - {0}) \\odot {1} + {0} \\odot {2}", z, row, written(candidate))},
      .operations = 5,
      .role = Role::output};
}

}  // namespace headlight::ops
