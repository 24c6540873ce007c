#include <headlight/engine/engine.h>

int main() {
  const auto problem = headlight::prepare(headlight::example_experiment());
  headlight::ThreadPool pool;
  headlight::Compute compute(pool);
  const auto trace = headlight::run(*problem, compute);
  const auto& weights = (*trace)->find("weights")->tensor();
  fmt::print("weights {}: the first token looks at itself with {}\n", headlight::to_string(weights.shape()),
             weights[0]);
}
