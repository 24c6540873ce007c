// What is said of the positions of one's own arrays: never dropped, and never the source of their numbers.
#include <fstream>
#include <string>
#include <vector>

#include "engine/io/npz.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/scratch.h"

using namespace headlight;

namespace {

Tensor counted(Shape shape) {
  Tensor tensor(std::move(shape));
  for (Index i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<float>(i % 7) - 3;
  return tensor;
}

Result<Problem> problem(const std::string& inputs, const std::filesystem::path& folder, const std::string& more = "") {
  HL_TRY(const Experiment experiment,
         parse_experiment(R"({"variant": "multi_head", "params": {"heads": 1, "d_head": 2}, )" + more +
                              R"("weights": {"init": "normal"}, "inputs": )" + inputs + "}",
                          folder, ""));
  return prepare(experiment);
}

std::vector<std::string> labels(const Result<Problem>& made, const std::string& symbol) {
  if (!made) FAIL(made.error().message);
  const auto found = made->labels.find(symbol);
  return found == made->labels.end() ? std::vector<std::string>{} : found->second;
}

std::string why_not(const Result<Problem>& made) {
  return made ? "no error" : made.error().message;
}

constexpr const char* arrays = R"("arrays": "mine.npz", )";

}  // namespace

TEST_CASE("tokens stand beside arrays of a file, of an input and of the experiment itself") {
  const Scratch scratch;
  REQUIRE(write_npz(scratch / "mine.npz", {{"x_q", counted({1, 3, 4})}}));
  const std::vector<std::string> abc{"a", "b", "c"};
  auto made = problem(R"({"x_q": {"tokens": ["a", "b", "c"]}})", scratch / "", arrays);
  CHECK(labels(made, "n_q") == abc);
  CHECK(labels(made, "n_k") == abc);
  CHECK(made->warnings.empty());
  CHECK(labels(problem(R"({"x_q": {"npy": "mine.npz", "tokens": ["a", "b", "c"]}})", scratch / ""), "n_k") == abc);
  CHECK(labels(problem(R"({"x_q": {"array": [[[1, 2], [3, 4], [5, 6]]], "tokens": ["a", "b", "c"]}})", scratch / ""),
               "n_q") == abc);
  REQUIRE(write_npz(scratch / "mine.npz", {{"x_q", counted({1, 2, 4})}, {"x_k", counted({1, 3, 4})}}));
  made = problem(R"({"x_k": {"tokens": ["a", "b", "c"]}})", scratch / "", arrays);
  CHECK(labels(made, "n_k") == abc);
  CHECK(labels(made, "n_q").empty());
}

TEST_CASE("text beside an array labels it where the numbers agree, and is refused where they do not") {
  const Scratch scratch;
  REQUIRE(write_npz(scratch / "mine.npz", {{"x_q", counted({1, 3, 4})}}));
  CHECK(labels(problem(R"({"x_q": {"text": "the cat sat"}})", scratch / "", arrays), "n_q") ==
        std::vector<std::string>{"the", "cat", "sat"});
  CHECK(labels(problem(R"({"x_q": {"text": "cat sat"}})", scratch / "", arrays), "n_q").size() ==
        3);  // its start token
  CHECK(why_not(problem(R"({"x_q": {"text": "a b c d e"}})", scratch / "", arrays)) ==
        "inputs.x_q.text has 5 tokens, but x_q (mine.npz) has 3 positions");
  CHECK(why_not(problem(R"({"x_q": {"tokens": ["a"]}})", scratch / "", arrays)) ==
        "inputs.x_q.tokens has 1 tokens, but x_q (mine.npz) has 3 positions");
  CHECK(why_not(problem(R"({"x_q": {"tokens": ["a"]}})", scratch / "")) ==
        "inputs.x_q has labels and no numbers: add \"npy\" or \"array\", or an \"arrays\" file that holds x_q");
  CHECK(why_not(problem(R"({"x_q": {"tokens": ["a"], "key_tokens": ["b"]}})", scratch / "", arrays))
            .starts_with("inputs.x_q: keys are labelled where"));
}

TEST_CASE("tokens that are no texts are named by their file and their place in it") {
  const Scratch scratch;
  REQUIRE(write_npz(scratch / "mine.npz", {{"x_q", counted({1, 3, 4})}}));
  const auto given = [&](const std::string& tokens) {
    return why_not(problem(R"({"x_q": {"tokens": )" + tokens + "}}", scratch / "", arrays));
  };
  CHECK(given("[0, 1, 2]")
            .ends_with("inputs.x_q.tokens[0] is 0: it must be a text: give the tokens themselves, not their ids"));
  CHECK(given(R"(["a", null, "c"])").ends_with("inputs.x_q.tokens[1] is null: it must be a text"));
  CHECK(given(R"([["a", "b", "c"], ["d", 7, "f"]])")
            .ends_with("inputs.x_q.tokens[1][1] is 7: it must be a text: give the tokens themselves, not their ids"));
  CHECK(given(R"([["a", "b", "c"], "d"])")
            .ends_with("inputs.x_q.tokens[1] is \"d\": it must be a list of texts, as [0] is"));
  CHECK(given("[]").ends_with(
      "inputs.x_q.tokens is an empty list: it must be a list of texts, or the path of a file with them"));
  const auto in_file = [&](const std::string& text) {
    std::ofstream(scratch / "t.json", std::ios::binary) << text;
    return given(R"("t.json")");
  };
  const std::string file = "inputs.x_q.tokens: " + (scratch / "t.json").string() + ": ";
  CHECK(in_file("[0, 1, 2]") == file + "[0] is 0: it must be a text: give the tokens themselves, not their ids");
  CHECK(in_file(R"({"tokens": ["a", "b", 2.5]})") ==
        file + "tokens[2] is 2.5: it must be a text: give the tokens themselves, not their ids");
  CHECK(in_file(R"([["a", "b", "c"], ["d", {}, "f"]])") == file + "[1][1] is an object: it must be a text");
  CHECK(in_file("[]") == file + "is an empty list: a list of texts is needed, or an object with one as \"tokens\"");
  CHECK(in_file("{\"words\": []}") ==
        file + "is an object: a list of texts is needed, or an object with one as \"tokens\"");
  CHECK(given(R"("mine.npz")") == "inputs.x_q.tokens: " + (scratch / "mine.npz").string() +
                                      ": holds binary data: a JSON list of tokens is needed, or a text file with a "
                                      "token a line");
}

TEST_CASE("positions of an array lie on a grid, all of them or those after the class token") {
  const Scratch scratch;
  REQUIRE(write_npz(scratch / "mine.npz", {{"x_q", counted({1, 4, 4})}}));
  auto made = problem(R"({"x_q": {"grid": [2, 2]}})", scratch / "", arrays);
  CHECK(labels(made, "n_q") == std::vector<std::string>{"0, 0", "0, 1", "1, 0", "1, 1"});
  CHECK(made->grids.at("n_k").columns == 2);
  REQUIRE(write_npz(scratch / "mine.npz", {{"x_q", counted({1, 5, 4})}}));
  made = problem(R"({"x_q": {"grid": [2, 2], "tokens": ["CLS"]}})", scratch / "", arrays);
  CHECK(labels(made, "n_k").front() == "CLS");
  CHECK(made->placed.at("n_k").offset == 1);
}

TEST_CASE("weights that say neither how they are made nor where they come from are an error") {
  const auto wrong = parse_experiment(R"({"variant": "multi_head", "weights": {"frm": "mine.pt"}})", {}, "x");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().message == "x: weights has neither init nor from, but frm: did you mean from?");
}

TEST_CASE("labels and state dicts are written as they were read") {
  const std::string text =
      R"({"headlight":1,"variant":"multi_head","params":{},"inputs":{"x_k":{"image":"a.png","grid":[2,3],"offset":1},)"
      R"("x_q":{"npy":"x.npy","tokens":["a","b"],"raw_tokens":true,"positions":"0-1","pieces":"words"}},"weights":{"from":"m.pt","layout":"bert","layer":2}})";
  const auto read = parse_experiment(text, "/f/a", "");
  REQUIRE(read);
  const auto again = parse_experiment(to_json(*read, "/f/a"), "/f/a", "");
  REQUIRE(again);
  CHECK(again->inputs == read->inputs);
  CHECK(again->weights == read->weights);
  CHECK(again->weights->layer == 2);
  CHECK(to_json(*again, "/f/a") == to_json(*read, "/f/a"));
  CHECK(to_json(*read, "/f/b").find("../a/m.pt") != std::string::npos);
}
