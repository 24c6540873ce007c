// Arrays of one's own through scaled dot-product attention, and where one number comes from.
#include <headlight/engine/engine.h>

using namespace headlight;

int main() {
  Experiment experiment = default_experiment("multi_head");
  experiment.params.set("mask", std::string("causal"));  // sizes that nobody sets are those of the arrays
  experiment.inputs["x_q"] = LiteralInput{{1, 3, 2}, {1, 0, 0, 1, 1, 1}};  // (B, n_q, d_q)
  experiment.inputs["w_q"] = LiteralInput{{1, 2, 2}, {1, 0, 0, 1}};        // (M, d_q, d')
  experiment.weights = WeightsSpec{"xavier_normal", 7};                    // for those that are not given

  const auto problem = prepare(experiment);
  if (!problem) {
    fmt::print(stderr, "{}\n", problem.error().message);
    return 1;
  }
  ThreadPool pool;
  Compute compute(pool);
  const auto trace = run(*problem, compute);
  if (!trace) return 1;

  const Step& weights = *(*trace)->find("weights");  // (B, M, n_q, n_k)
  const Index cell = flat_at_index(weights.tensor().shape(), Shape{0, 0, 2, 1});
  fmt::print("{} of {}: {:.4f}, recomputed in double precision {:.4f}\n", weights.info.title,
             to_string(weights.tensor().shape()), weights.tensor()[cell], evaluate(weights.explain(cell), **trace));
  for (const Term& term : weights.explain(cell).terms) fmt::print("  score {:.4f}\n", value_of(term, **trace));
}
