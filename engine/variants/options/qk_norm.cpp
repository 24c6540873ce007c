// Henry et al. 2020, Query-Key Normalization for Transformers (l2); Dehghani et al. 2023, Scaling Vision Transformers
// to 22 Billion Parameters, section 2 (layer norm).
#include "engine/ops/ops.h"
#include "engine/variants/declarations.h"
#include "engine/variants/head_option.h"

namespace headlight {

namespace {

// What stretches and shifts each channel of a query or key, for all heads alike or for each.
void add_stretch(std::vector<ArraySpec>& list, const std::string& which, const std::string& title, Role role,
                 const char* heads, bool shifted) {
  for (ArraySpec& spec : declare::norm(which, title, "d'")) {
    if (!shifted && spec.id.ends_with("beta")) continue;
    spec.shapes.push_back({heads, "d'"});
    spec.role = role;
    list.push_back(std::move(spec));
  }
}

std::vector<ArraySpec> stretches(const ParamValues& params) {
  const std::string& norm = params.choice("qk_norm");
  std::vector<ArraySpec> list;
  if (norm == "none" || norm == "l2") return list;
  add_stretch(list, "q", "Query", Role::query, options::maps_symbol(params), norm == "layer_norm");
  add_stretch(list, "k", "Key", Role::key, options::key_maps_symbol(params), norm == "layer_norm");
  return list;
}

std::string note_of(const Recorder& r, const char* role, const char* one) {
  const std::string& norm = r.params().choice("qk_norm");
  const std::string each = fmt::format("{{{}:{}}}", role, one);
  if (norm == "l2")
    return fmt::format(
        "Each {} is divided by its length, so all have length 1. The {{score:score}} is then the cosine of the angle "
        "between {{query:query}} and {{key:key}}: where they point counts, how long they are does not.",
        each);
  return fmt::format(
      "Each {} is brought to {} over its {} channels, then stretched by γ{}. No single token can make its scores huge "
      "by being long, which keeps training of large models from running away.",
      each, norm == "layer_norm" ? "mean 0 and variance 1" : "a mean square of 1", r.dim("d'"),
      norm == "layer_norm" ? " and shifted by β" : "");
}

bool normalizes_qk(const Problem& problem) {
  return problem.params.choice("qk_norm") != "none";
}

Operation normalized(Recorder& r, const Array& x) {
  const std::string& norm = r.params().choice("qk_norm");
  if (norm == "l2") return ops::unit_length(x);
  const double epsilon = r.params().real("norm_epsilon");
  const Array gamma = r.array(x.id + "_gamma");
  return norm == "rms_norm" ? ops::rms_norm(x, gamma, epsilon)
                            : ops::layer_norm(x, gamma, r.array(x.id + "_beta"), epsilon);
}

}  // namespace

const HeadOption& qk_norm() {
  static const HeadOption option{
      .params = {param::choice("qk_norm", "Query-key norm", "Brings every query and key to one size before they meet.",
                               {{"none", "None", "Queries and keys stay as they are."},
                                {"l2", "Length 1", "Scores are cosines, times a scale of 10 (Henry et al. 2020)."},
                                {"layer_norm", "Layer norm", "Mean 0 and variance 1 (Dehghani et al. 2023)."},
                                {"rms_norm", "RMS norm", "A mean square of 1, as in Qwen 3 and Gemma 3."}},
                               {.advanced = true, .breaks_named_heads = true})},
      .weights = stretches,
      .words = {{"q_normed", "\\bar q", "Normed queries",
                 [](const Recorder& r) { return note_of(r, "query", "query"); }, "norm q"},
                {"k_normed", "\\bar k", "Normed keys", [](const Recorder& r) { return note_of(r, "key", "key"); },
                 "norm k"}},
      .is_active = normalizes_qk};
  return option;
}

Array options::normalize_qk(Recorder& r, const Array& projected) {
  if (!normalizes_qk(r.problem())) return projected;
  if (projected.id == "q") r.stage("qk_norm", "Norm", "norm q k");
  return r.step(projected.id + "_normed", normalized(r, projected));
}

}  // namespace headlight
