// Damaged experiment files: each is read, or refused in one line; nothing crashes, hangs or grows.
#include <random>

#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/fuzz/damage.h"

using namespace headlight;

namespace {

const char* const sound = R"({"headlight": 1, "variant": "multi_head",
 "params": {"heads": 2, "d_head": 4, "mask": "causal", "temperature": 0.5, "scale": null, "ffn": true, "block": "post_norm"},
 "inputs": {"x_q": {"text": "the cat, ещё раз", "tokenizer": "words", "start_token": true, "d_model": 16, "seed": 3},
            "x_k": [[[1, 2.5, -3e2, 4], [5, 6, 7, 8]]], "valid_lens": [2],
            "x_v": {"image": "some.png", "size": [2, 3], "features": "rgb"}, "attn_mask": {"npy": "a.npz", "member": "b"},
            "p_q": {"frames": ["a.png", "b.gif"], "size": [1, 1]}, "p_k": {"signal": "a.csv", "column": 1, "samples": 4}},
 "files": {"some.png": {"base64": "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADUlEQVR4nGP4zwAE/wEHAAH/4iOeWQAAAABJRU5ErkJggg=="},
           "deep/a.npz": {"base64": "UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA=="}},
 "weights": {"init": "xavier_normal", "seed": 7}, "arrays": "", "view": {"step": "weights", "head": 1, "query": 0},
 "other": {"deep": [null, true, "\u00e9\n"]}})";

}  // namespace

TEST_CASE("the undamaged experiment is sound") {
  REQUIRE(parse_experiment(sound, {}, "sound"));
}

TEST_CASE("damaged experiments are read or refused in one line") {
  std::mt19937 random(20);
  int read = 0, refused = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = damaged_text(sound, random);
    const auto experiment = parse_experiment(text, {}, "damaged.json");
    if (!experiment) {
      ++refused;
      if (!is_one_line(experiment.error().message)) FAIL_CHECK(text << "\n→ " << experiment.error().message);
      continue;
    }
    for (const auto& notice : experiment->notices)
      if (!is_one_line(notice)) FAIL_CHECK(notice);
    const auto problem = prepare(*experiment, Budget{1e7});
    ++read;
    if (!problem && !is_one_line(problem.error().message)) FAIL_CHECK(text << "\n→ " << problem.error().message);
    const std::string saved = to_json(*experiment, {});
    if (!parse_experiment(saved, {}, "saved.json")) FAIL_CHECK("what was read cannot be saved: " << text);
  }
  CHECK(read > 100);
  CHECK(refused > 1000);
}
