#include "engine/io/experiment.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/run/prepare.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

std::string error_of(const std::string& json) {
  const auto experiment = parse_experiment(json, {}, "cat.json");
  return experiment ? "" : experiment.error().message;
}

std::string prepare_error_of(const std::string& json, double budget = 1e9) {
  const auto experiment = parse_experiment(json, {}, "cat.json");
  if (!experiment) return experiment.error().message;
  const auto problem = prepare(*experiment, Budget{budget});
  return problem ? "" : problem.error().message;
}

bool one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

const char* const whole = R"({
  "headlight": 1,
  "variant": "multi_head",
  "params": { "heads": 4, "mask": "causal", "temperature": 0.5 },
  "inputs": { "x_q": { "text": "the cat", "tokenizer": "characters", "colour": "red" } },
  "weights": { "init": "normal", "seed": 7 },
  "view": { "step": "weights", "head": 2 },
  "mine": [1, 2, { "deep": null }]
})";

}  // namespace

TEST_CASE("an experiment is read whole, and keys that are not known are reported") {
  const auto experiment = parse_experiment(whole, "/somewhere", "cat.json");
  REQUIRE(experiment);
  CHECK(experiment->params.integer("heads") == 4);
  CHECK(experiment->params.choice("mask") == "causal");
  CHECK(experiment->params.real("temperature") == 0.5);
  const auto& text = std::get<TextInput>(experiment->inputs.at("x_q"));
  CHECK(text.tokenizer == "characters");
  CHECK(text.start_token);
  CHECK(experiment->weights->seed == 7);
  CHECK(experiment->view.head == 2);
  REQUIRE(experiment->notices.size() == 2);
  CHECK(experiment->notices[0].find("inputs.x_q.colour") != std::string::npos);
  CHECK(experiment->notices[1].find("mine") != std::string::npos);
}

TEST_CASE("an experiment names the parts of the window that it hides") {
  const auto with = [](const char* hide) {
    return parse_experiment(fmt::format(R"({{"variant": "multi_head", "view": {{"hide": {}}}}})", hide), {}, "e");
  };
  const auto two = with(R"(["strip", "numbers"])");
  REQUIRE(two);
  CHECK(two->view.hide == std::vector<std::string>{"strip", "numbers"});
  CHECK(two->notices.empty());
  CHECK(parse_experiment(to_json(*two, {}), {}, "e")->view == two->view);
  Experiment none = *two;
  none.view.hide.clear();
  CHECK(to_json(none, {}).find("hide") == std::string::npos);
  CHECK(with(R"(["stripp"])").error().message ==
        "e: view.hide: the window has no part \"stripp\": did you mean strip?");
  CHECK(with(R"(["strip", null])")
            .error()
            .message.starts_with("e: view.hide[1] is null: it must be one of strip, setup"));
  CHECK(with("3").error().message.starts_with("e: view.hide is 3: it must be a list of strip, setup"));
}

TEST_CASE("saving keeps what is not known, and saving what was saved gives the same bytes") {
  const auto first = parse_experiment(whole, "/somewhere", "cat.json");
  REQUIRE(first);
  const std::string saved = to_json(*first, "/somewhere");
  CHECK(saved.find("\"deep\": null") != std::string::npos);
  CHECK(saved.find("\"colour\": \"red\"") != std::string::npos);
  const auto second = parse_experiment(saved, "/somewhere", "cat.json");
  REQUIRE(second);
  CHECK(to_json(*second, "/somewhere") == saved);
  CHECK(second->params == first->params);
  CHECK(second->inputs == first->inputs);
}

TEST_CASE("notes for whoever presents it are kept as they were written, line breaks included") {
  const auto read = parse_experiment(R"({"variant": "multi_head", "notes": "Ask first.\nThen show."})", {}, "cat.json");
  REQUIRE(read);
  CHECK(read->notices.empty());
  CHECK(read->notes == "Ask first.\nThen show.");
  Experiment changed = *read;
  changed.notes = "Ask.";
  const auto again = parse_experiment(to_json(changed, {}), {}, "cat.json");
  REQUIRE(again);
  CHECK(again->notes == "Ask.");
  changed.notes.clear();
  CHECK(to_json(changed, {}).find("notes") == std::string::npos);
  CHECK(error_of(R"({"variant": "multi_head", "notes": 3})") == "cat.json: notes is 3: it must be a text");
}

TEST_CASE("paths inside follow the file when it is saved elsewhere") {
  auto experiment = parse_experiment(
      R"({"variant":"multi_head","arrays":"data/a.npz","inputs":{"x_q":{"npy":"x.npy"}}})", "/home/cat", "cat.json");
  REQUIRE(experiment);
  const std::string moved = to_json(*experiment, "/home/cat/sub");
  CHECK(moved.find("\"../data/a.npz\"") != std::string::npos);
  CHECK(moved.find("\"../x.npy\"") != std::string::npos);
}

TEST_CASE("paths are relative beside the file, and absolute where they share nothing but the root with it") {
  const auto written = [](const char* path, const char* from, const char* to) {
    auto experiment =
        parse_experiment(fmt::format(R"({{"variant":"multi_head","arrays":"{}"}})", path), from, "e.json");
    REQUIRE(experiment);
    const auto json = nlohmann::json::parse(to_json(*experiment, to));
    return json.at("arrays").get<std::string>();
  };
  CHECK(written("a.npz", "/home/cat/deep", "/home/cat/deep") == "a.npz");
  CHECK(written("a.npz", "/home/cat/deep", "/home/cat") == "deep/a.npz");
  CHECK(written("a.npz", "/home/cat/deep", "/home/dog/x") == "../../cat/deep/a.npz");
  CHECK(written("/home/cat/a.npz", "/home/dog", "/home/cat/sub") == "../a.npz");
  CHECK(written("a.npz", "/home/cat/deep", "/mnt/stick/lessons/one") == "/home/cat/deep/a.npz");
  CHECK(written("../a.npz", "/home/cat/deep", "/mnt/stick") == "/home/cat/a.npz");
  CHECK(written("/usr/share/a.npz", "/home/cat", "/home/cat/sub/sub") == "/usr/share/a.npz");
  CHECK(written("/usr/share/a.npz", "/home/cat", "/") == "usr/share/a.npz");
}

TEST_CASE("what is wrong in an experiment is one line that names the file, the key and what is allowed") {
  const auto has = [](const std::string& message, std::initializer_list<const char*> parts) {
    INFO(message);
    CHECK(one_line(message));
    for (const char* part : parts) CHECK(message.find(part) != std::string::npos);
  };
  has(error_of("{"), {"cat.json", "JSON", "line 1"});
  has(error_of("[]"), {"cat.json", "object"});
  has(error_of("{}"), {"\"variant\" is missing", "multi_head"});
  has(error_of(R"({"variant":"multi_heads"})"), {"multi_heads", "did you mean multi_head?"});
  has(error_of(R"({"variant":"multi_head","headlight":2})"), {"headlight is 2", "format 1"});
  has(error_of(R"({"variant":"multi_head","params":{"heads":0}})"), {"params.heads is 0", "from 1 to"});
  has(error_of(R"({"variant":"multi_head","params":{"heads":2.5}})"), {"params.heads is 2.5", "whole number"});
  has(error_of(R"({"variant":"multi_head","params":{"haeds":2}})"), {"params.haeds", "did you mean heads?"});
  has(error_of(R"({"variant":"multi_head","params":{"mask":"cusal"}})"), {"params.mask is \"cusal\"", "none, causal"});
  has(error_of(R"({"variant":"multi_head","params":{"temperature":1e999}})"), {"cat.json"});
  has(error_of(R"({"variant":"multi_head","params":{"heads":null}})"), {"params.heads is automatic"});
  has(error_of(R"({"variant":"multi_head","inputs":{"x_q":3}})"), {"inputs.x_q is 3", "text"});
  has(error_of(R"({"variant":"multi_head","inputs":{"x_q":[[1,2],[3]]}})"), {"inputs.x_q", "row of 1"});
  has(error_of(R"({"variant":"multi_head","inputs":{"x_q":[[1,"a"]]}})"), {"inputs.x_q", "\"a\"", "numbers only"});
  has(error_of(R"({"variant":"multi_head","inputs":{"x_q":{"text":"a","tokenizer":"word"}}})"), {"tokenizer", "words"});
  has(error_of(R"({"variant":"multi_head","weights":{"init":"xavier"}})"), {"weights.init", "xavier_normal"});
  has(error_of(R"({"variant":"multi_head","weights":{"seed":-1}})"), {"weights.seed is -1"});
}

TEST_CASE("a problem needs its inputs, its weights, agreeing shapes and enough memory") {
  const auto has = [](const std::string& message, std::initializer_list<const char*> parts) {
    INFO(message);
    CHECK(one_line(message));
    for (const char* part : parts) CHECK(message.find(part) != std::string::npos);
  };
  has(prepare_error_of(R"({"variant":"multi_head"})"), {"x_q is missing", "inputs"});
  has(prepare_error_of(R"({"variant":"multi_head","inputs":{"xq":[[[1]]]}})"), {"inputs.xq", "did you mean x_q?"});
  has(prepare_error_of(R"({"variant":"multi_head","inputs":{"x_q":[[1,2]]}})"),
      {"x_q has shape (1, 2)", "(B, n_q, d_q)"});
  has(prepare_error_of(R"({"variant":"multi_head","inputs":{"x_q":[[[1,2]]],"x_k":[[[1,2]],[[3,4]]]}})"),
      {"x_k has shape (2, 1, 2)", "B is 1"});
  has(prepare_error_of(R"({"variant":"multi_head","inputs":{"x_q":{"text":"a b c d e f g h"}}})", 1000),
      {"needs about", "fewer"});
  has(prepare_error_of(R"({"variant":"multi_head","arrays":"nowhere.npz"})"), {"nowhere.npz"});
}

TEST_CASE("a parameter that is set from code is known, or refused with the one that was meant") {
  Experiment experiment = example_experiment();
  const ParamValues before = experiment.params;
  CHECK(experiment.params.set("heads", Index{4}));
  CHECK(experiment.params.integer("heads") == 4);
  experiment.params = before;

  CHECK_FALSE(experiment.params.set("headz", Index{4}));
  CHECK(std::ranges::equal(experiment.params, before));
  CHECK_FALSE(experiment.params.set("zzzzzzzz", Index{4}));
  // Of the first one is told before anything runs, whoever looked.
  const auto problem = prepare(experiment, Budget{1e9});
  REQUIRE_FALSE(problem);
  CHECK(problem.error().message == "params.headz is not a parameter of multi_head: did you mean heads?");
}

TEST_CASE("a value that is set from code is one that a file may have") {
  const auto error = [](ParamValue value, const char* id = "heads") {
    Experiment experiment = example_experiment();
    CHECK(experiment.params.set(id, std::move(value)));
    const auto problem = prepare(experiment, Budget{1e9});
    return problem ? "" : problem.error().message;
  };
  CHECK(error(Index{4}).empty());
  CHECK(error(Index{0}) == "params.heads is 0: it must be a whole number from 1 to 512");
  CHECK(error(Index{2}, "temperature").empty());  // a whole number is a real one
  CHECK(error(std::string("four")) == "params.heads is \"four\": it must be a whole number from 1 to 512");
}

TEST_CASE("an experiment made by hand has its variant's parameters before it runs") {
  Experiment experiment;
  experiment.variant = "multi_head";
  experiment.inputs["x_q"] = LiteralInput{{1, 1, 2}, {1, 2}};
  const auto problem = prepare(experiment, Budget{1e9});
  REQUIRE_FALSE(problem);
  CHECK(problem.error().message == "params is empty: start from default_experiment(\"multi_head\")");
}

TEST_CASE("what arrays bring names the parameters that nobody set") {
  const auto experiment = parse_experiment(
      R"({"variant":"multi_head","inputs":{"x_q":[[[1,2],[3,4]]]},"weights":{"init":"normal"},"params":{"heads":2,"d_head":3}})",
      {}, "cat.json");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment, Budget{1e9});
  REQUIRE(problem);
  CHECK(problem->dim("M") == 2);
  CHECK(problem->dim("n_k") == 2);
  CHECK(problem->find("w_q")->shape() == Shape{2, 2, 3});
  CHECK(problem->find("x_k") == problem->find("x_q"));
}

TEST_CASE("the same experiment gives the same weights, another seed others") {
  const auto weights = [](const char* seed) {
    const auto experiment = parse_experiment(
        fmt::format(
            R"({{"variant":"multi_head","inputs":{{"x_q":{{"text":"a b"}}}},"weights":{{"init":"normal","seed":{}}}}})",
            seed),
        {}, "cat.json");
    const auto problem = prepare(*experiment, Budget{1e9});
    const auto values = problem->find("w_q")->values();
    return std::vector<float>(values.begin(), values.end());
  };
  CHECK(weights("1") == weights("1"));
  CHECK(weights("1") != weights("2"));
}

TEST_CASE("words of a text label both axes of self attention") {
  const auto problem = prepare(example_experiment(), Budget{1e9});
  REQUIRE(problem);
  CHECK(problem->dim("n_q") == 12);
  CHECK(problem->labels.at("n_q").at(2) == "cat");
  CHECK(problem->labels.at("n_k") == problem->labels.at("n_q"));
  CHECK(problem->heads.size() == 8);
}

TEST_CASE("what would cost more than its bytes is refused before it is built") {
  const auto repeated = [](const char* text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(has(error_of(R"({"variant": "multi_head", "x": )" + repeated("[", 100000)), "nested more than 64 deep"));
  CHECK(has(error_of(R"({"headlight": )" + repeated("{\"a\":", 100000)), "nested more than 64 deep"));
  std::string keys = R"({"variant": "multi_head")";
  for (int i = 0; i < 50000; ++i) keys += fmt::format(", \"k{}\": 1", i);
  CHECK(error_of(keys + "}").empty());  // 50,000 keys are no more work than as many values
  CHECK(has(error_of(R"({"variant": "multi_head", "x": [0)" + repeated(",0", 9 << 20) + "]}"), "million values"));
  CHECK(error_of(R"({"variant": "multi_head", "x": ")" + repeated("[{,", 50000) + "\\\"[[\"}").empty());  // a text
}

TEST_CASE("of many unknown keys the first are named") {
  std::string json = R"({"variant": "multi_head", "varient": 1)";
  for (int i = 0; i < 100; ++i) json += fmt::format(", \"k{}\": 1", i);
  const auto experiment = parse_experiment(json + "}", {}, "cat.json");
  REQUIRE(experiment);
  REQUIRE(experiment->notices.size() == 6);
  CHECK(experiment->notices[0] ==
        "cat.json: varient is not a key that Headlight knows (did you mean variant?); it is kept as it is");
  CHECK(experiment->notices[5] == "cat.json: 96 more keys are none that Headlight knows; they are kept as they are");
}

TEST_CASE("errors quote the beginning of long words") {
  const std::string word(1 << 20, 'w');
  for (const std::string& json :
       {R"({"variant": ")" + word + "\"}", R"({"variant": "multi_head", "params": {")" + word + "\": 1}}",
        R"({"variant": "multi_head", "params": {"mask": ")" + word + "\"}}",
        R"({"variant": "multi_head", "inputs": {")" + word + "\": 1}}",
        R"({"variant": "multi_head", "inputs": {"x_q": {"text": "a", "tokenizer": ")" + word + "\"}}}"}) {
    const std::string error = error_of(json);
    CHECK(error.find("www…") != std::string::npos);
    CHECK(error.size() < 600);
  }
  CHECK(error_of(R"({"variant": "multi_head", "params": {"heads": "8"}})").find("heads is \"8\":") !=
        std::string::npos);
}

TEST_CASE("a run that does not fit says what would, and a text that does not fit is refused before it is embedded") {
  const std::string words = [] {
    std::string text;
    for (int i = 0; i < 2000; ++i) text += "word ";
    return text;
  }();
  const std::string json = R"({"variant": "multi_head", "inputs": {"x_q": {"text": ")" + words + "\"}}}";
  const std::string error = prepare_error_of(json, 50e6);
  INFO(error);
  CHECK(error.find(" keys would fit, not 2001; ") != std::string::npos);
  CHECK(prepare_error_of(R"({"variant": "multi_head", "inputs": {"x_q": {"d_model": 65536, "tokenizer": "characters",
                             "text": ")" +
                         std::string(1000000, 'a') + "\"}}}")
            .find("of memory and") != std::string::npos);
  CHECK(prepare_error_of(R"({"variant": "multi_head", "inputs": {"x_q": {"text": ")" + std::string(9 << 20, 'a') +
                         "\"}}}")
            .find("bytes: at most") != std::string::npos);
}
