// A programmer's mistakes end the program with a line that names the thing, in every build; what a person gets wrong is
// an error.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>

#include "engine/core/mistake.h"
#include "engine/io/experiment.h"
#include "engine/ops/ops.h"
#include "engine/run/prepare.h"
#include "engine/variants/declarations.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;
using namespace headlight::test;

namespace {

// What a process says before it ends itself; empty where it goes on.
std::string last_words(const std::function<void()>& act) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGABRT, SIGSEGV}) std::signal(signal, SIG_DFL);
    ::dup2(ends[1], STDERR_FILENO);
    act();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string said;
  char buffer[512];
  for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK((WIFSIGNALED(status) ? WTERMSIG(status) : 0) == (said.empty() ? 0 : SIGABRT));
  return said;
}

const std::string begin = "headlight: a mistake in the program: ";

// x (B, n_q, d) as it is, and what a test has record() do beside.
class Faulty final : public Variant {
 public:
  explicit Faulty(std::function<void(Recorder&, const Array&)> does)
      : Variant({"faulty", "Faulty", "A variant with a mistake.", "x", "none"}, {declare::heads(2)},
                {{"output", "o", "Output", "The input as it is."}}),
        does_(std::move(does)) {}

  ArraySpecs arrays(const ParamValues&, const IdSet&) const override {
    return {.inputs = {declare::sequence()}, .weights = declare::norm("norm", "", "d")};
  }
  void bind(const ParamValues& params, Symbols& symbols) const override { symbols["M"] = params.integer("heads"); }
  void bind_rest(const ParamValues&, Symbols&) const override {}
  std::vector<std::string> samples() const override { return {}; }
  void record(Recorder& r) const override {
    r.stage("input", "Input", "x");
    does_(r, r.array("x"));
  }

 private:
  std::function<void(Recorder&, const Array&)> does_;
};

std::string said_of(std::function<void(Recorder&, const Array&)> does) {
  const Faulty variant(std::move(does));
  Problem problem;
  problem.variant = &variant;
  problem.params = ParamValues::defaults(variant.params());
  problem.specs = variant.arrays(problem.params, {});
  problem.symbols = {{"B", 1}, {"n_q", 2}, {"d", 3}, {"M", 2}};
  problem.arrays["x"] = std::make_shared<const Tensor>(drawn({1, 2, 3}, 1));
  problem.arrays["norm_gamma"] = problem.arrays["norm_beta"] = std::make_shared<const Tensor>(drawn({3}, 2));
  return last_words([&] { static_cast<void>(run(problem)); });
}

}  // namespace

TEST_CASE("a variant without a mistake says nothing") {
  CHECK(
      said_of([](Recorder& r, const Array& x) { r.step("output", ops::rms_norm(x, r.array("norm_gamma"))); }).empty());
}

TEST_CASE("an array, a step, a symbol and a parameter that nobody declared are named, with what is near") {
  CHECK(said_of([](Recorder& r, const Array& x) { r.step("output", ops::rms_norm(x, r.array("norm_gama"))); }) ==
        begin +
            "faulty: record() asks for the array norm_gama, which arrays() does not declare: did you mean "
            "norm_gamma?\n");
  CHECK(said_of([](Recorder& r, const Array& x) { r.step("outputs", ops::copy(x)); }) ==
        begin + "faulty: the step outputs has no words, its symbol, title and note: did you mean output?\n");
  CHECK(said_of([](Recorder& r, const Array& x) {
          r.step("output", ops::copy(x));
          r.step("output", ops::copy(x));
        }) == begin + "faulty: the step output is recorded twice\n");
  CHECK(said_of([](Recorder& r, const Array&) { r.axis("n_k", "key"); }) ==
        begin + "faulty: the symbol n_k is bound by no parameter and no array: did you mean n_q?\n");
  CHECK(said_of([](Recorder& r, const Array&) { static_cast<void>(r.params().integer("head")); }) ==
        begin + "the parameter head is not declared in params(): did you mean heads?\n");
  CHECK(said_of([](Recorder& r, const Array&) { static_cast<void>(r.params().flag("heads")); }) ==
        begin + "the parameter heads is 2, which is not true or false\n");
}

TEST_CASE("an array with an axis that nobody binds is named with it") {
  const Faulty variant([](Recorder&, const Array&) {});
  Problem problem;
  problem.variant = &variant;
  problem.params = ParamValues::defaults(variant.params());
  problem.specs = variant.arrays(problem.params, {});
  problem.symbols = {{"B", 1}, {"n_q", 2}};
  problem.arrays["x"] = std::make_shared<const Tensor>(drawn({1, 2, 3}, 1));
  CHECK(last_words([&] { static_cast<void>(cost_of(problem)); }) ==
        begin + "faulty: the array x has the axis d, a symbol that bind(), bind_rest() and the inputs leave unbound\n");
}

TEST_CASE("operations name shapes that do not meet") {
  CHECK(said_of([](Recorder& r, const Array& x) { r.step("output", ops::product(x, r.array("norm_gamma"))); }) ==
        begin + "ops::product of x (1, 2, 3) and norm_gamma (3,): both must have one shape\n");
  CHECK(said_of([](Recorder& r, const Array& x) { r.step("output", ops::sum(r.array("norm_gamma"), x)); }) ==
        begin +
            "ops::sum of norm_gamma (3,) and x (1, 2, 3): b must have a's shape, or that of one of its batch "
            "items\n");
}

TEST_CASE("numbers that do not fill their shape are an input's error") {
  Experiment experiment = default_experiment("multi_head");
  experiment.inputs["x_q"] = LiteralInput{{1, 3, 2}, {1, 0, 0, 1, 1}};
  const auto few = prepare(experiment);
  REQUIRE_FALSE(few);
  CHECK(few.error().message == "inputs.x_q: shape (1, 3, 2) holds 6 numbers, and 5 are given");
  Experiment maps = default_experiment("given");
  maps.inputs["weights"] = LiteralInput{{2, 2}, {1, 0, 0, 1, 1}};
  const auto many = prepare(maps);
  REQUIRE_FALSE(many);
  CHECK(many.error().message == "inputs.weights: shape (2, 2) holds 4 numbers, and 5 are given");
}

TEST_CASE("a parameter that is set holds against the arrays, and one that is left follows them") {
  Experiment experiment = default_experiment("multi_head");
  experiment.inputs["x_q"] = LiteralInput{{1, 3, 2}, {1, 0, 0, 1, 1, 1}};
  experiment.inputs["w_q"] = LiteralInput{{2, 2, 1}, {1, 0, 0, 1}};
  const auto left = prepare(experiment);
  REQUIRE(left);
  CHECK(left->params.integer("heads") == 2);
  REQUIRE(experiment.params.set("heads", Index{8}));  // the default, and yet somebody said so
  const auto set = prepare(experiment);
  REQUIRE_FALSE(set);
  CHECK(set.error().message.find("it must be (M, d_q, d') = (8, 2, ") != std::string::npos);
  experiment.params.reset(find_variant("multi_head")->params().front());
  CHECK(prepare(experiment));
}
