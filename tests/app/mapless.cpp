#include "tests/app/mapless.h"

#include "engine/variants/code_lines.h"
#include "engine/variants/cost_sheet.h"
#include "engine/variants/parts.h"
#include "engine/variants/recorder.h"

namespace headlight::test {

namespace {

constexpr Index heads = 2, width = 3;

// Katharopoulos et al. 2020, Transformers are RNNs, section 3.2, equation 5, with the features left as they are.
class Mapless final : public Variant {
 public:
  const VariantInfo& info() const override { return info_; }
  const std::vector<ParamSpec>& params() const override { return params_; }

  ArraySpecs arrays(const ParamValues&, const std::set<std::string, std::less<>>&) const override {
    const auto matrix = [](const char* id, Role role) {
      return parts::weight(id, id, "Turns a token into what each head needs.", {"M", "d_in", "c"}, Fill::init, role);
    };
    return {{{.id = "tokens",
              .title = "Tokens",
              .help = "one row a token",
              .shapes = {{"B", "n_q", "d_in"}},
              .role = Role::query,
              .layout = Layout::rows}},
            {matrix("to_asked", Role::query), matrix("to_found", Role::key), matrix("to_given", Role::value)}};
  }
  void bind(const ParamValues&, Symbols& symbols) const override {
    symbols["M"] = heads;
    symbols["c"] = width;
    symbols["Mc"] = heads * width;
  }
  void bind_rest(const ParamValues&, Symbols& symbols) const override { symbols["n_k"] = symbols["n_q"]; }
  Status validate(const ParamValues&, const Symbols&) const override { return {}; }

  Cost cost(const Problem& problem) const override {
    const Index b = problem.dim("B"), n = problem.dim("n_q");
    CostSheet sheet;
    for (int i = 0; i < 3; ++i) sheet.add({b, heads, n, width}, linear_operations(problem.dim("d_in"), false));
    sheet.add({b, heads, width, width}, linear_operations(n, false));
    sheet.add({b, heads, n, width}, linear_operations(width, false));
    sheet.add({b, n, heads * width}, 1);
    return sheet.total();
  }
  std::vector<std::string> samples() const override {
    return {R"({"variant": "mapless", "inputs": {"tokens": {"text": "one two three two", "d_model": 6}}})"};
  }

  Status record(Recorder& r) const override {
    const Axis batch = r.axis("B", "batch"), head = r.axis("M", "head"), channel = r.axis("c", "channel");
    const auto info = [&](const char* id, const char* title, Axis positions, Role role) {
      return StepInfo{.id = id,
                      .title = title,
                      .formula = {},
                      .note = "What each head makes of a token by a matrix of its own, learned with the others.",
                      .axes = {batch, head, std::move(positions), channel},
                      .role = role};
    };
    const Axis queries = r.axis("n_q", "query", Role::query);
    Axis keys = r.axis("n_q", "key", Role::key);
    keys.symbol = "n_k";
    r.stage({"input", "Input", "x", {"tokens"}});
    parts::project(r, info("asked", "What is asked", queries, Role::query), "tokens", "to_asked", "");
    parts::project(r, info("found", "What it is found by", keys, Role::key), "tokens", "to_found", "");
    parts::project(r, info("given", "What is given", keys, Role::value), "tokens", "to_given", "");
    r.stage({"project", "Project", "q k v", {"asked", "found", "given"}});
    record_memory(r, batch, head, channel);
    r.stage({"memory", "Memory", "kᵀ v", {"memory"}});
    record_answer(r, info("answer", "Answers", queries, Role::output));
    r.stage({"answer", "Answer", "q S", {"answer"}});
    StepInfo result = info("result", "Answers of all heads", queries, Role::output);
    result.axes = {batch, queries, r.axis("Mc", "channel")};
    parts::concatenation(r, std::move(result), "answer");
    r.stage({"result", "Result", "concat", {"result"}});
    return {};
  }

 private:
  // Σ_j k_j v_jᵀ (B, M, c, c)
  static void record_memory(Recorder& r, const Axis& batch, const Axis& head, const Axis& channel) {
    const Tensor& found = r.values("found");
    const Tensor& given = r.values("given");
    const Index planes = found.dim(0) * heads, n = found.dim(2);
    Tensor memory({found.dim(0), heads, width, width});
    for (Index cell = 0; cell < memory.size(); ++cell) {
      const Index plane = cell / (width * width), row = cell / width % width, column = cell % width;
      for (Index j = 0; j < n && plane < planes; ++j)
        memory[cell] += found[(plane * n + j) * width + row] * given[(plane * n + j) * width + column];
    }
    Axis across = channel;
    across.name = "channel of values";
    r.step({.id = "memory",
            .title = "Memory",
            .formula = {},
            .note = "All keys with their values, summed up before anybody asks: as large for a page as for a word.",
            .axes = {batch, head, channel, across},
            .code = {"memory = found.transpose(0, 1, 3, 2) @ given", "memory = found.transpose(-2, -1) @ given"}},
           std::move(memory), [n](Index cell) {
             const Index plane = cell / (width * width), row = cell / width % width, column = cell % width;
             Explanation e;
             for (Index j = 0; j < n; ++j)
               e.terms.push_back({{Operand::of("found", (plane * n + j) * width + row),
                                   Operand::of("given", (plane * n + j) * width + column)}});
             return e;
           });
  }

  // q_i S (B, M, n, c)
  static void record_answer(Recorder& r, StepInfo info) {
    const Tensor& asked = r.values("asked");
    const Tensor& memory = r.values("memory");
    const Index n = asked.dim(2);
    Tensor answer(asked.shape());
    for (Index cell = 0; cell < answer.size(); ++cell)
      for (Index c = 0; c < width; ++c)
        answer[cell] += asked[cell / width * width + c] * memory[(cell / width / n * width + c) * width + cell % width];
    info.code = code::both("answer = asked @ memory");
    r.step(std::move(info), std::move(answer), [n](Index cell) {
      Explanation e;
      for (Index c = 0; c < width; ++c)
        e.terms.push_back({{Operand::of("asked", cell / width * width + c),
                            Operand::of("memory", (cell / width / n * width + c) * width + cell % width)}});
      return e;
    });
  }

  VariantInfo info_{"mapless", "Without a map", "Keys and values are summed up before a query asks.", "q (kᵀv)",
                    "Katharopoulos et al. 2020, section 3.2"};
  std::vector<ParamSpec> params_;
};

}  // namespace

const Variant& mapless_variant() {
  static const Mapless variant;
  return variant;
}

}  // namespace headlight::test
