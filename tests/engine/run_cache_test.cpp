#include "engine/run/run_cache.h"

#include <thread>

#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/run/prepare.h"
#include "engine/run/queue/runner.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

Experiment parsed(const std::string& json, const Scratch& folder) {
  auto experiment = parse_experiment(json, folder / "", "");
  if (!experiment) FAIL(experiment.error().message);
  return std::move(*experiment);
}

Problem prepared(const Experiment& experiment, RunCache& cache) {
  auto problem = prepare(experiment, Budget{1e9}, &cache);
  if (!problem) FAIL(problem.error().message);
  return std::move(*problem);
}

Experiment at_temperature(Experiment experiment, double temperature) {
  experiment.params.set("temperature", temperature);
  return experiment;
}

// All that a run can read, decode and draw: a file of arrays, an array and a picture of their own, random weights.
Experiment of_everything(const Scratch& folder) {
  REQUIRE(write_npz(folder / "a.npz", {{"b_o", Tensor({8})}, {"unused", Tensor({8})}}));
  REQUIRE(write_npy(folder / "w.npy", Tensor({2, 8, 4})));
  REQUIRE(write_file(folder / "p.png", encode_png(filled_image(4, 4, {1, 2, 3, 255})).value()));
  return parsed(R"({"variant": "multi_head", "arrays": "a.npz",
                    "inputs": {"x_q": {"image": "p.png", "features": "described"}, "x_k": {"npy": "k.npy"},
                               "w_k": {"npy": "w.npy"}},
                    "weights": {"init": "xavier_normal", "seed": 3}, "params": {"heads": 2}})",
                folder);
}

float sum(const Tensor& tensor) {
  float sum = 0;
  for (const float x : tensor.values()) sum += x;
  return sum;
}

}  // namespace

TEST_CASE("ten values of a slider read no file, decode no picture and draw no weights after the first") {
  const Scratch folder;
  const Experiment experiment = of_everything(folder);
  REQUIRE(write_npy(folder / "k.npy", Tensor({1, 5, 8})));
  RunCache cache;
  const Problem first = prepared(experiment, cache);
  const RunCache::Counts once = cache.counts();
  CHECK(once.files_read == 3);
  CHECK(once.inputs_made == 1);
  CHECK(once.arrays_drawn >= 3);  // w_q, w_v, w_o
  for (int tick = 1; tick <= 10; ++tick) {
    const Problem next = prepared(at_temperature(experiment, 1 + 0.1 * tick), cache);
    CHECK(next.arrays.at("w_q") == first.arrays.at("w_q"));
    CHECK(next.arrays.at("w_k") == first.arrays.at("w_k"));
  }
  CHECK(cache.counts() == once);
}

TEST_CASE("what a runner has read and drawn it reads and draws once") {
  const Scratch folder;
  const Experiment experiment = of_everything(folder);
  REQUIRE(write_npy(folder / "k.npy", Tensor({1, 5, 8})));
  RunQueue queue({}, 1);
  Runner runner(queue);
  std::optional<Outcome> outcome;
  RunCache::Counts once;
  for (int tick = 0; tick <= 10; ++tick) {
    runner.submit(std::make_shared<const Experiment>(at_temperature(experiment, 1 + 0.1 * tick)));
    while (!(outcome = runner.poll())) std::this_thread::yield();
    INFO(outcome->error);
    REQUIRE(outcome->trace);
    if (tick == 0) once = queue.cache().counts();
  }
  CHECK(once.files_read == 3);
  CHECK(queue.cache().counts() == once);
}

TEST_CASE("a file that another of the same size took the place of is read again") {
  const Scratch folder;
  const Experiment experiment = parsed(
      R"({"variant": "multi_head", "arrays": "a.npz", "inputs": {"x_q": {"npy": "x.npy"}}, "weights": {"init": "zeros"}})",
      folder);
  Tensor x({1, 2, 3}), b({3});
  RunCache cache;
  for (const float value : {1.0F, 2.0F, 3.0F}) {
    std::ranges::fill(x.values(), value);
    std::ranges::fill(b.values(), 10 * value);
    REQUIRE(write_npy(folder / "x.npy", x));
    REQUIRE(write_npz(folder / "a.npz", {{"b_o", b}}));
    const Problem problem = prepared(experiment, cache);
    CHECK(sum(*problem.arrays.at("x_q")) == 6 * value);
    CHECK(sum(*problem.arrays.at("b_o")) == 30 * value);
  }
  CHECK(cache.counts().files_read == 6);
}

TEST_CASE("an input is made once, until it or its file changes") {
  const Scratch scratch;
  const auto path = scratch / "cached.csv";
  REQUIRE(write_file(path, "1\n2\n3\n"));
  RunCache cache;
  const InputSpec signal = SignalInput{path.string()};
  const auto first = cache.input(signal, {}, false), again = cache.input(signal, {}, false);
  REQUIRE(first);
  REQUIRE(again);
  CHECK(first->get() == again->get());
  SignalInput plain{path.string()};
  plain.features = "value";
  const auto other = cache.input(plain, {}, false);
  REQUIRE(other);
  CHECK((*other)->values.dim(1) == 1);
  REQUIRE(write_file(path, "1\n2\n3\n4\n"));
  const auto longer = cache.input(plain, {}, false);
  REQUIRE(longer);
  CHECK((*longer)->values.dim(0) == 4);
  std::filesystem::remove(path);
  CHECK_FALSE(cache.input(plain, {}, false));
}

TEST_CASE("a picture that changes within a folder of frames is seen") {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "film");
  const auto frame = [&](const char* name, std::uint8_t red) {
    REQUIRE(write_file(scratch / "film" / name, encode_png(filled_image(2, 2, {red, 0, 0, 255})).value()));
  };
  frame("a.png", 0);
  frame("b.png", 0);
  RunCache cache;
  const InputSpec frames = FramesInput{{(scratch / "film").string()}, {}};
  const auto before = cache.input(frames, {}, false);
  REQUIRE(before);
  frame("b.png", 200);
  const auto after = cache.input(frames, {}, false);
  REQUIRE(after);
  CHECK((*after)->pictures->fingerprint != (*before)->pictures->fingerprint);
}

TEST_CASE("weights are drawn again where anything that they depend on is another, and then alone") {
  RunCache cache;
  int fills = 0;
  const auto drawn = [&](const Drawing& drawing) { cache.drawn(drawing, [&](Tensor&) { ++fills; }); };
  const Drawing plain{"normal", 1, "w_q", {2, 3}, 2, 3};
  Drawing init = plain, seed = plain, id = plain, shape = plain, in = plain, out = plain;
  init.init = "xavier_normal";
  seed.seed = 2;
  id.id = "w_k";
  shape.shape = {3, 2};
  in.fan_in = 3;
  out.fan_out = 2;
  for (int again = 0; again < 2; ++again)
    for (const auto& drawing : {plain, init, seed, id, shape, in, out}) drawn(drawing);
  CHECK(fills == 7);
}

TEST_CASE("what is kept stays within its bytes and goes when no run asks for it") {
  RunCache cache(1000);  // 250 floats
  const auto drawn = [&](const char* id, Index size) {
    return cache.drawn({"zeros", 0, id, {size}, 0, 0}, [](Tensor&) {});
  };
  const auto a = drawn("a", 100);
  drawn("b", 100);
  CHECK(drawn("a", 100) == a);
  drawn("c", 100);  // b was asked for longest ago
  CHECK(cache.bytes() == 800);
  CHECK(drawn("a", 100) == a);
  CHECK(drawn("large", 251)->size() == 251);
  CHECK(drawn("large", 251) != drawn("large", 251));
  CHECK(drawn("a", 100) == a);
  for (std::uint64_t i = 0; i < RunCache::kept_for; ++i) cache.next_run();
  CHECK(cache.bytes() == 800);
  CHECK(drawn("a", 100) == a);
  cache.next_run();
  CHECK(cache.bytes() == 400);  // c is gone
}
