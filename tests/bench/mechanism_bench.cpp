// What a mechanism takes beside plain attention on the same tokens: runs in turns, two threads or more, without what
// prepares them. The middle of all turns' ratios, which travel better than milliseconds.
// bench_mechanisms [WORDS]: only those whose name holds the words.
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "engine/run/prepare.h"
#include "engine/run/run.h"

using namespace headlight;

namespace {

using Params = std::vector<std::pair<const char*, ParamValue>>;

struct Case {
  const char* name;
  Params params;
  const char* variant = "multi_head";
};

const Case cases[] = {
    {"mask causal", {{"mask", "causal"}}},
    {"window_left 15, causal", {{"mask", "causal"}, {"window_left", 15}}},
    {"chunk 16", {{"chunk", 16}}},
    {"window 8 on both sides, sinks, dilation",
     {{"window_left", 8}, {"window_right", 8}, {"window_dilation", 2}, {"sink_tokens", 2}}},
    {"positions sinusoidal", {{"positions", "sinusoidal"}}},
    {"rotary half", {{"rotary", "half"}}},
    {"rotary interleaved, half of the channels", {{"rotary", "interleaved"}, {"rotary_fraction", 0.5}}},
    {"relative alibi", {{"relative", "alibi"}}},
    {"relative t5", {{"relative", "t5"}}},
    {"relative shaw_keys", {{"relative", "shaw_keys"}}},
    {"relative shaw", {{"relative", "shaw"}}},
    {"relative transformer_xl", {{"relative", "transformer_xl"}}},
    {"kv_heads 4", {{"kv_heads", 4}}},
    {"kv_heads 1", {{"kv_heads", 1}}},
    {"qk_norm l2", {{"qk_norm", "l2"}}},
    {"qk_norm rms_norm", {{"qk_norm", "rms_norm"}}},
    {"softcap 50", {{"softcap", 50.0}}},
    {"normalize softmax_sink", {{"normalize", "softmax_sink"}}},
    {"normalize sigmoid", {{"normalize", "sigmoid"}}},
    {"normalize sparsemax", {{"normalize", "sparsemax"}}},
    {"normalize entmax15", {{"normalize", "entmax15"}}},
    {"talking_heads logits", {{"talking_heads", "logits"}}},
    {"talking_heads both", {{"talking_heads", "both"}}},
    {"differential, 12 heads of two maps, 32 channels", {{"differential", true}, {"d_head", 32}}},
    {"differential, 6 heads of two maps", {{"differential", true}, {"heads", 6}}},
    {"differential, 12 heads of two maps", {{"differential", true}}},  // twice plain's multiply-adds
    {"block pre_norm", {{"block", "pre_norm"}}},
    {"linear_attention", {}, "linear_attention"},
    {"linear_attention, causal", {{"mask", "causal"}}, "linear_attention"},
};

Result<Problem> problem_of(const Case& which, Index n, Index heads, Index d_head) {
  Experiment experiment = default_experiment(which.variant);
  const auto set = [&](const char* name, const ParamValue& value) -> Status {
    if (experiment.params.set(name, value)) return {};
    return fail("{} has no parameter {}", which.variant, name);
  };
  HL_CHECK(set("heads", heads));
  HL_CHECK(set("d_head", d_head));
  for (const auto& [name, value] : which.params) HL_CHECK(set(name, value));
  std::vector<float> tokens;
  std::uint32_t state = 1;
  for (Index i = 0; i < n * heads * d_head; ++i)
    tokens.push_back(static_cast<float>((state = state * 1664525 + 1013904223) >> 8) / (1 << 23) - 1);
  experiment.inputs = {{"x_q", LiteralInput{{1, n, heads * d_head}, std::move(tokens)}}};
  experiment.weights = WeightsSpec{"xavier_normal", 7};
  return prepare(experiment);
}

double seconds_of(const Problem& problem, Compute& compute) {
  const auto start = std::chrono::steady_clock::now();
  if (!run(problem, compute)) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Status compare(const Case& which, Index n, Index heads, Index d_head, Compute& compute, const char* goal) {
  HL_TRY(const Problem plain, problem_of({"plain", {}}, n, heads, d_head));
  HL_TRY(const Problem other, problem_of(which, n, heads, d_head));
  std::vector<double> ratios, milliseconds;
  constexpr int first = -8;  // turns whose memory comes fresh from the kernel
  for (int turn = first; turn < 15; ++turn) {
    const double before = seconds_of(plain, compute), time = seconds_of(other, compute);
    if (turn < 0) continue;
    ratios.push_back(time / before);
    milliseconds.push_back(time * 1000);
  }
  fmt::print("{:<44} n {:>4} {:8.2f} ms {:6.2f} times plain   {}\n", which.name, n, middle(milliseconds),
             middle(ratios), goal);
  return {};
}

Status all(std::string_view words, Compute& compute) {
  const auto asked = [&](const Case& which) { return std::string_view(which.name).find(words) != words.npos; };
  for (const Case& which : cases)
    if (asked(which)) HL_CHECK(compare(which, 128, 12, 64, compute, "goal: at most 1.3"));
  for (const Index n : {1024, 2048})
    for (const Case& which : {Case{"window_left 63, causal", {{"mask", "causal"}, {"window_left", 63}}},
                              Case{"window 32 on both sides", {{"window_left", 32}, {"window_right", 32}}},
                              Case{"mask causal", {{"mask", "causal"}}}})
      if (asked(which)) HL_CHECK(compare(which, n, 12, 64, compute, "goal: below 1"));
  return {};
}

}  // namespace

int main(int count, char** words) {
  ThreadPool pool;
  Compute compute(pool);
  const Status done = all(count > 1 ? words[1] : "", compute);
  if (!done) fmt::print(stderr, "{}\n", done.error().message);
  return done ? 0 : 1;
}
