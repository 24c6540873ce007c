#include "tests/app/mapless.h"

#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"

namespace headlight::test {

namespace {

constexpr Index heads = 2, width = 3;

// Σ_j k_j v_jᵀ: k, v (B, M, n, c) → (B, M, c, c).
Operation summed_up(const Array& k, const Array& v) {
  Axis across = v.axis_at(3);
  across.name = "channel of values";
  std::vector<Axis> axes{k.axis_at(0), k.axis_at(1), k.axis_at(3), across};
  const Index n = k.dim(2), size = k.dim(0) * k.dim(1) * width * width;
  return {.axes = std::move(axes),
          .run =
              [k = k.values, v = v.values, n, size](Compute&, float* out) {
                for (Index cell = 0; cell < size; ++cell) {
                  const Index plane = cell / (width * width), row = cell / width % width, column = cell % width;
                  out[cell] = 0;
                  for (Index j = 0; j < n; ++j)
                    out[cell] += (*k)[(plane * n + j) * width + row] * (*v)[(plane * n + j) * width + column];
                }
              },
          .explain =
              [k = k.id, v = v.id, n](Index cell) {
                const Index plane = cell / (width * width), row = cell / width % width, column = cell % width;
                Explanation e;
                for (Index j = 0; j < n; ++j)
                  e.terms.push_back({{Operand::of(k, (plane * n + j) * width + row),
                                      Operand::of(v, (plane * n + j) * width + column)}});
                return e;
              },
          .code = {fmt::format("{}.transpose(0, 1, 3, 2) @ {}", k.id, v.id),
                   fmt::format("{}.transpose(-2, -1) @ {}", k.id, v.id)},
          .formula = {fmt::format("\\sum_j {}^\\top {}", notation::written(k), notation::written(v))},
          .operations = linear_operations(n, false)};
}

// q_i S: q (B, M, n, c), S (B, M, c, c) → (B, M, n, c).
Operation asked_of(const Array& q, const Array& memory) {
  const Index n = q.dim(2), size = q.size();
  return {.axes = q.axes,
          .run =
              [q = q.values, memory = memory.values, n, size](Compute&, float* out) {
                for (Index cell = 0; cell < size; ++cell) {
                  out[cell] = 0;
                  for (Index c = 0; c < width; ++c)
                    out[cell] += (*q)[cell / width * width + c] *
                                 (*memory)[(cell / width / n * width + c) * width + cell % width];
                }
              },
          .explain =
              [q = q.id, memory = memory.id, n](Index cell) {
                Explanation e;
                for (Index c = 0; c < width; ++c)
                  e.terms.push_back({{Operand::of(q, cell / width * width + c),
                                      Operand::of(memory, (cell / width / n * width + c) * width + cell % width)}});
                return e;
              },
          .code = both(fmt::format("{} @ {}", q.id, memory.id)),
          .formula = {fmt::format("{}\\,{}", notation::written(q), notation::written(memory))},
          .operations = linear_operations(width, false),
          .role = Role::output};
}

constexpr const char* of_heads = "What each head makes of a token by a matrix of its own, learned with the others.";

// Katharopoulos et al. 2020, Transformers are RNNs, section 3.2, equation 5, with the features left as they are.
class Mapless final : public Variant {
 public:
  Mapless()
      : Variant({"mapless", "Without a map", "Keys and values are summed up before a query asks.", "q (kᵀv)",
                 "Katharopoulos et al. 2020, section 3.2"},
                {},
                {{"asked", "q", "What is asked", of_heads},
                 {"found", "k", "What it is found by", of_heads},
                 {"given", "v", "What is given", of_heads},
                 {"memory", "S", "Memory",
                  "All keys with their values, summed up before anybody asks: as large for a page as for a word."},
                 {"answer", "o", "Answers", of_heads},
                 {"result", "y", "Answers of all heads", of_heads}}) {}

  void record(Recorder& r) const override {
    r.stage("input", "Input", "x");
    const Array tokens = r.array("tokens"), keys = declare::as_keys(r, tokens);
    r.stage("project", "Project", "q k v");
    const Array q = r.step("asked", ops::project(tokens, r.array("to_asked")));  // (B, M, n, c)
    const Array k = r.step("found", ops::project(keys, r.array("to_found")));    // (B, M, n, c)
    const Array v = r.step("given", ops::project(keys, r.array("to_given")));    // (B, M, n, c)
    r.stage("memory", "Memory", "kᵀ v");
    const Array memory = r.step("memory", summed_up(k, v));  // (B, M, c, c)
    r.stage("answer", "Answer", "q S");
    const Array answer = r.step("answer", asked_of(q, memory));  // (B, M, n, c)
    r.stage("result", "Result", "concat");
    r.step("result", ops::concatenation(answer, r.axis("Mc", "channel")));  // (B, n, M·c)
  }

  ArraySpecs arrays(const ParamValues&, const IdSet&) const override {
    const auto matrix = [](const char* id, const char* symbol, Role role) {
      return declare::weight(id, symbol, id, "Turns a token into what each head needs.", {"M", "d_in", "c"}, Fill::init,
                             role);
    };
    return {{{.id = "tokens",
              .title = "Tokens",
              .help = "one row a token",
              .shapes = {{"B", "n_q", "d_in"}},
              .role = Role::query,
              .layout = Layout::rows,
              .symbol = "x"}},
            {matrix("to_asked", "W_q", Role::query), matrix("to_found", "W_k", Role::key),
             matrix("to_given", "W_v", Role::value)}};
  }
  void bind(const ParamValues&, Symbols& symbols) const override {
    symbols["M"] = heads;
    symbols["c"] = width;
    symbols["Mc"] = heads * width;
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { symbols["n_k"] = symbols["n_q"]; }
  Status validate(const ParamValues&, const Symbols&) const override { return {}; }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "mapless", "inputs": {"tokens": {"text": "one two three two", "d_model": 6}}})"};
  }
};

}  // namespace

const Variant& mapless_variant() {
  static const Mapless variant;
  return variant;
}

}  // namespace headlight::test
