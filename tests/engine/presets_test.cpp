// Known layers as parameters: each runs, is known again, and leaves sizes alone.
#include <algorithm>
#include <set>
#include <string>

#include "engine/io/experiment.h"
#include "tests/catch.h"
#include "tests/runs.h"

using namespace headlight;

namespace {

const Variant& multi_head() {
  return *find_variant("multi_head");
}

Experiment small_text() {
  auto experiment = parse_experiment(
      R"({"headlight": 1, "variant": "multi_head", "params": {"heads": 4, "d_head": 8, "temperature": 2},
          "weights": {"init": "xavier_normal", "seed": 3},
          "inputs": {"x_q": {"text": "the cat sat on the mat", "d_model": 24}}})",
      {}, "");
  REQUIRE(experiment);
  return std::move(*experiment);
}

}  // namespace

TEST_CASE("every preset runs, is known again, and changes what it names alone") {
  const auto& specs = multi_head().params();
  const auto all = multi_head().presets();
  REQUIRE(all.size() >= 15);
  const Experiment before = small_text();
  for (const Preset& preset : all) {
    INFO(preset.id);
    Experiment experiment = small_text();
    experiment.params = with_preset(specs, all, preset, experiment.params);
    CHECK(matching_preset(specs, all, experiment.params) == &preset);
    std::set<std::string> named;
    for (const auto& [id, value] : preset.params) {
      named.insert(id);
      const auto spec = std::ranges::find(specs, id, &ParamSpec::id);
      REQUIRE(spec != specs.end());
      const auto checked = check_param(*spec, value);
      CHECK((checked && *checked == value && *checked != spec->fallback));
    }
    if (preset.queries_per_key_head != 0) named.insert("kv_heads");
    for (const auto& [id, value] : experiment.params)
      if (!named.contains(id)) CHECK(value == before.params.get(id));
    if (experiment.params.choice("positions") == "sinusoidal_2d") experiment.params.set("grid_columns", Index{1});
    CHECK(ran(std::move(experiment)).trace->map() != nullptr);
  }
}

TEST_CASE("a preset takes back what another set, and its key heads follow the heads") {
  const auto& specs = multi_head().params();
  const auto all = multi_head().presets();
  const auto named = [&](const char* id) -> const Preset& { return *std::ranges::find(all, id, &Preset::id); };
  const ParamValues plain = small_text().params;
  const ParamValues llama_3 = with_preset(specs, all, named("llama_3"), plain);
  CHECK(llama_3.integer("kv_heads") == 1);
  CHECK(llama_3.real("rotary_base") == 500000);
  CHECK(with_preset(specs, all, named("bert"), llama_3) == with_preset(specs, all, named("bert"), plain));
  ParamValues six = plain;
  six.set("heads", Index{6});
  CHECK(with_preset(specs, all, named("llama_3"), six).is_automatic("kv_heads"));
  CHECK(matching_preset(specs, all, plain) == &named("plain"));
  CHECK(with_preset(specs, all, named("plain"), llama_3) == plain);
  ParamValues own = llama_3;
  own.set("norm", std::string("layer_norm"));
  CHECK(matching_preset(specs, all, own) == nullptr);
  CHECK(preset_titles(specs, named("gpt_j")) ==
        "Rotary: Interleaved; Rotary fraction: 0.25; Mask: Causal; Block: Parallel; Feed-forward; Activation: GELU by "
        "tanh");
  CHECK(in_words(named("llama_3")) ==
        "rotary half, mask causal, block pre_norm, norm rms_norm, ffn, ffn_activation silu, ffn_gated, rotary_base "
        "500000, kv_heads heads/4");
}
