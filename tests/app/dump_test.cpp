// Attention in a file of its own: what the window and the commands make of it without an experiment.
#include "app/session/dump.h"

#include <string>
#include <vector>

#include "app/reading/costs.h"
#include "app/session/opening.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/io/safetensors.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// Rows that add up to 1, of which no two are alike.
Tensor attention(Shape shape) {
  Tensor tensor(std::move(shape));
  const Index n = tensor.dim(-1);
  for (Index row = 0; row < tensor.size() / n; ++row) {
    const float own = static_cast<float>(row % 5) / 10;
    for (Index j = 0; j < n; ++j) tensor[row * n + j] = (1 - own) / static_cast<float>(n);
    tensor[row * n + row % n] += own;
  }
  return tensor;
}

}  // namespace

TEST_CASE("a file whose rows add up to 1 is attention, and others are arrays") {
  const Scratch scratch;
  const Tensor maps = attention({2, 3, 4, 4}), other = Tensor::from({2, 2}, std::vector<float>{3, 1, 0, 1});
  REQUIRE(write_npy(scratch / "attn.npy", maps));
  REQUIRE(write_npy(scratch / "x.npy", other));
  REQUIRE(write_npz(scratch / "both.npz", {{"a", maps}, {"b", other}}));
  CHECK(holds_attention(scratch / "attn.npy"));
  CHECK_FALSE(holds_attention(scratch / "x.npy"));
  CHECK_FALSE(holds_attention(scratch / "both.npz"));
  CHECK(holds_attention_among_others(scratch / "both.npz"));
  REQUIRE(write_npz(scratch / "named.npz", {{"a", maps}, {"w_q", other}}));
  CHECK_FALSE(holds_attention_among_others(scratch / "named.npz"));  // arrays of an experiment
  CHECK_FALSE(holds_attention(scratch / "none.npy"));
  CHECK(is_array_file("a/b.PT"));
  CHECK_FALSE(is_array_file("a/b.headlight"));
}

TEST_CASE("of a file of several kinds of arrays those are shown that are attention, and which is said") {
  const Scratch scratch;
  const Tensor maps = attention({1, 3, 4, 4}), stream = Tensor::from({1, 4, 1}, std::vector<float>{3, 1, 0, 1});
  const auto member_of = [&](const DumpOptions& options = {}) {
    const auto made = experiment_of_dump(scratch / "out.npz", options);
    return made ? std::get<FileInput>(made->inputs.begin()->second).member : made.error().message;
  };
  REQUIRE(write_npz(scratch / "out.npz", {{"attn.0", maps}, {"attn.1", maps}, {"stream.0", stream}}));
  CHECK(member_of() == "attn.*");
  CHECK(experiment_of_dump(scratch / "out.npz")->notices.front() ==
        "out.npz: of 3 arrays attn.* is attention, and the others are not shown");
  // Two lists of one shape are no stack of layers.
  REQUIRE(write_npz(scratch / "out.npz", {{"enc.0", maps}, {"enc.1", maps}, {"dec.0", maps}, {"dec.1", maps}}));
  CHECK(
      member_of().ends_with("holds attention in several places (dec.*, enc.*): say which by --member, or \"member\" in "
                            "an experiment"));
  DumpOptions options;
  options.member = "dec.*";
  CHECK(member_of(options) == "dec.*");
  CHECK_FALSE(holds_attention(scratch / "out.npz"));
  // Arrays with names of their own are a layer each.
  REQUIRE(write_npz(scratch / "out.npz", {{"first", maps}, {"second", maps}}));
  CHECK(member_of().empty());
  Driver driver;
  REQUIRE(write_npz(scratch / "more.npz", {{"attn.0", maps}, {"attn.1", maps}, {"stream.0", stream}}));
  driver.session().act(Open{scratch / "more.npz"});
  driver.session().finish_files();
  driver.settle();
  REQUIRE(driver.model().error.empty());
  CHECK(driver.model().trace()->stages.size() == 2);
}

TEST_CASE("rows of a Longformer and of its global tokens are told apart, and opened as what they are") {
  const Scratch scratch;
  Tensor rows({1, 2, 6, 4}), globals({1, 2, 6, 1});
  std::ranges::fill(rows.values(), 0.25F);
  std::ranges::fill(globals.values(), 1.0F / 6);
  REQUIRE(write_npz(scratch / "out.npz", {{"attentions.0", rows},
                                          {"attentions.1", rows},
                                          {"global_attentions.0", globals},
                                          {"global_attentions.1", globals}}));
  const auto member_of = [&](const DumpOptions& options) {
    const auto made = experiment_of_dump(scratch / "out.npz", options);
    return made ? std::get<FileInput>(made->inputs.begin()->second).member : made.error().message;
  };
  CHECK(member_of({}).find("in several places (attentions.*, global_attentions.*): say which by --member") !=
        std::string::npos);
  DumpOptions options;
  options.member = "attentions.*";
  CHECK(member_of(options).ends_with(
      "out.npz: attentions.0 has 4 columns, first those of 1 global token (global_attentions.0), then of a window "
      "round "
      "each query: give axes \"bhqw\" (--axes) and their places as global_tokens (--global-tokens), such as 0"));
  options.axes = "bhqw";
  options.global_tokens = "0";
  CHECK(member_of(options) == "attentions.*");
  options.member.clear();
  CHECK(member_of(options) == "attentions.*");
  CHECK(
      experiment_of_dump(scratch / "out.npz", options)->notices.front() ==
      "out.npz: of 4 arrays attentions.* is shown, and the others are not; global_attentions.* is attention of global "
      "tokens (--member)");
  options = {};
  options.member = "global_attentions.*";
  CHECK(member_of(options) == "global_attentions.*");
  REQUIRE(write_npz(scratch / "alone.npz", {{"global_attentions.0", globals}, {"global_attentions.1", globals}}));
  CHECK(holds_attention(scratch / "alone.npz"));
}

TEST_CASE("what is said beside a file stands in its experiment, and a state dict says how it opens") {
  const Scratch scratch;
  REQUIRE(write_npy(scratch / "attn.npy", attention({2, 3, 4, 4})));
  DumpOptions options;
  options.tokens = "t.json";
  options.grid = "2x2";
  options.axes = "lhqk";
  const auto made = experiment_of_dump(scratch / "attn.npy", options);
  REQUIRE(made);
  const auto& file = std::get<FileInput>(made->inputs.begin()->second);
  CHECK(file.labels.tokens.path == "t.json");
  CHECK(file.labels.picture.grid == GridSize{2, 2});
  CHECK(file.axes == "lhqk");
  options.grid = "2by2";
  CHECK(experiment_of_dump(scratch / "attn.npy", options).error().message ==
        "the picture's grid is 2by2: it must be ROWSxCOLUMNS, such as 14x14");
  const Tensor in = attention({12, 4}), out = attention({4, 4});
  REQUIRE(write_safetensors(scratch / "mine.safetensors", {{"in_proj_weight", in}, {"out_proj.weight", out}}));
  CHECK(experiment_of_dump(scratch / "mine.safetensors")
            .error()
            .message.find("holds weights of a model (torch.MultiheadAttention), not attention") != std::string::npos);
}

TEST_CASE("attention that is dropped on the window is shown, with every layer a stop") {
  const Scratch scratch;
  REQUIRE(write_npy(scratch / "attn.npy", attention({2, 3, 4, 4})));
  Driver driver;
  driver.session().act(Open{scratch / "attn.npy"});
  driver.session().finish_files();
  driver.settle();
  REQUIRE(driver.model().error.empty());
  CHECK(driver.model().title() == "attn.npy");
  CHECK(driver.model().path.empty());  // saving must not write over the numbers
  CHECK(driver.model().trace()->stages.size() == 2);
  REQUIRE(driver.shows("layers/1/2"));  // on all heads; one is opened
  driver.press(Key::enter);
  driver.settle();
  CHECK(driver.widget("heatmap").value == "4×4");
  CHECK(driver.widget("code/lines").value == "layer0_weights = layer0_given");
  CHECK(cost_chart(*driver.model().shown.problem).curves.empty());  // it is looked at, and no picture
  driver.press(Key::right);
  driver.settle();
  CHECK(driver.model().step()->info.layer == 1);
  // Another one takes its place.
  REQUIRE(write_npy(scratch / "more.npy", attention({3, 5, 5})));
  driver.session().act(Open{scratch / "more.npy"});
  driver.session().finish_files();
  driver.settle();
  CHECK(driver.model().title() == "more.npy");
  CHECK(driver.widget("heatmap").value == "5×5");  // of one layer
}

TEST_CASE("hidden states are not drawn as the attention that a model did not give back") {
  const std::string file = std::string(HEADLIGHT_SOURCE_DIR) + "/tests/data/arrays/torch/no_attention.pt";
  const auto dump = experiment_of_dump(file);
  REQUIRE_FALSE(dump);
  CHECK(dump.error().message.starts_with(file + ": attentions is None: load the model with"));
  const auto opened = read_to_open(file, {});
  REQUIRE(std::holds_alternative<Error>(opened));
  CHECK(std::get<Error>(opened).message == dump.error().message);
  // Whoever names them means them.
  CHECK(experiment_of_dump(file, {.member = "last_hidden_state"}));
}

TEST_CASE("a table that somebody typed opens with the words at its sides") {
  const Scratch folder;
  const auto opened = [&](const char* name, const std::string& text, const DumpOptions& options = {}) {
    REQUIRE(write_file(folder / name, text));
    return open_experiment(folder / name, options);
  };
  const auto numbers = [](const Result<Experiment>& experiment) {
    if (!experiment) FAIL(experiment.error().message);
    return std::get<LiteralInput>(experiment->inputs.begin()->second);
  };
  using Words = std::vector<std::vector<std::string>>;
  for (const auto& [name, text] :
       {std::pair("a.csv", ",the,cat\nthe,0.25,0.75\ncat,1,0\n"),
        std::pair("a.tsv", "\tthe\tcat\nthe\t0.25\t0.75\ncat\t1\t0\n"),
        std::pair("b.csv", "the,cat\nthe,0.25,0.75\ncat,1,0\n"),  // nothing above the names
        std::pair("c.csv", "the,cat\n0.25,0.75\n1,0\n"),
        std::pair("a.json", R"([["", "the", "cat"], ["the", 0.25, 0.75], ["cat", 1, 0]])")}) {
    INFO(name);
    const LiteralInput table = numbers(opened(name, text));
    CHECK(table.shape == Shape{2, 2});
    CHECK((*table.values)[1] == 0.75F);
    CHECK(table.labels.tokens.lists == Words{{"the", "cat"}});
    CHECK(table.labels.key_tokens.empty());
  }
  const LiteralInput across = numbers(opened("d.csv", ",x,y,z\na,0.5,0.25,0.25\nb,0,1,0\n"));
  CHECK(across.labels.tokens.lists == Words{{"a", "b"}});
  CHECK(across.labels.key_tokens.lists == Words{{"x", "y", "z"}});
  // Numbers of rows and columns, as pandas writes them, with an index or without.
  for (const char* text :
       {",0,1,2\n0,0.5,0.25,0.25\n1,0.1,0.2,0.7\n2,0.3,0.3,0.4\n",
        ",the,cat,sat\n0,0.5,0.25,0.25\n1,0.1,0.2,0.7\n2,0.3,0.3,0.4\n",
        "the,cat,sat\n0,0.5,0.25,0.25\n1,0.1,0.2,0.7\n2,0.3,0.3,0.4\n",
        "0,1,2\n0.5,0.25,0.25\n0.1,0.2,0.7\n0.3,0.3,0.4\n", "0,0.5,0.25,0.25\n1,0.1,0.2,0.7\n2,0.3,0.3,0.4\n"}) {
    INFO(text);
    const LiteralInput table = numbers(opened("l.csv", text));
    CHECK(table.shape == Shape{3, 3});
    CHECK((*table.values)[2] == 0.25F);
    const bool words = std::string_view(text).find("the") != std::string_view::npos;
    CHECK(table.labels.tokens.lists == (words ? Words{{"the", "cat", "sat"}} : Words()));
    CHECK(table_holds_attention(folder / "l.csv"));
  }
  CHECK(numbers(opened("m.csv", ",3,7\n3,0.5,0.5\n7,0.2,0.8\n")).labels.tokens.lists == Words{{"3", "7"}});
  // Distances and scores may begin so, and two numbers are a row of weights.
  CHECK(numbers(opened("n.csv", "0,1,2\n1,0,1\n2,1,0\n")).shape == Shape{3, 3});
  CHECK(numbers(opened("o.csv", "0,1\n0.5,0.5\n")).shape == Shape{2, 2});
  CHECK(numbers(opened("e.json", "[[0.5, 0.5], [0, 1]]", {.tokens = "t.json"})).labels.tokens.path == "t.json");
  const auto why_not = [&](const char* name, const std::string& text) {
    const auto refused = opened(name, text);
    return refused ? "no error" : refused.error().message.substr((folder / name).string().size() + 2);
  };
  CHECK(why_not("f.csv", "a,b\n0.5,0.5\n0.5\n") == "line 3: the line has 1 fields, and those above 2");
  // A typing error makes no names of a row or column of numbers; what is words alone is names.
  const std::string no_number =
      " is not a number: write it as 0.5 or 2e-3 (names of rows and columns need an empty first field)";
  CHECK(why_not("p.csv", "0.1,0.x2,0.7\n0.2,0.3,0.5\n") == "line 1, field 2: \"0.x2\"" + no_number);
  CHECK(why_not("p.csv", "0.1,0.x2,0.7\n") == "line 1, field 2: \"0.x2\"" + no_number);
  CHECK(why_not("p.csv", "0.1,nan,0.7\n0.2,0.3,0.5\n") == "line 1, field 2: \"nan\"" + no_number);
  CHECK(why_not("p.tsv", "the\t0.1\t0.x9\ncat\t0.5\t0.5\n") == "line 1, field 3: \"0.x9\"" + no_number);
  CHECK(why_not("p.csv", "O.1,0.2,0.7\n0.2,0.3,0.5\n0.3,0.3,0.4\n") == "line 1, field 1: \"O.1\"" + no_number);
  CHECK(why_not("p.csv", "a,b\n0.2,0.8\n0.x3,0.7\n") == "line 3, field 1: \"0.x3\"" + no_number);
  CHECK(why_not("p.csv", "v\n0.x1\n0.3\n") == "line 2, field 1: \"0.x1\"" + no_number);
  CHECK(why_not("p.csv", "0.x1\n0.3\n") == "line 1, field 1: \"0.x1\"" + no_number);
  CHECK(why_not("p.json", R"([[0.1, "0.x2", 0.7], [0.2, 0.3, 0.5]])") == "line 1, field 2: \"0.x2\"" + no_number);
  CHECK(numbers(opened("q.csv", "a,1st\n2nd,0.5\n")).labels.tokens.lists == Words{{"2nd"}});
  CHECK(numbers(opened("q.csv", "2,nd,cat\n0.2,0.3,0.5\n")).labels.key_tokens.lists == Words{{"2", "nd", "cat"}});
  CHECK(numbers(opened("q.csv", ",1,2,3rd\n4,0.2,0.3,0.5\n5th,0.2,0.3,0.5\n")).labels.key_tokens.lists ==
        Words{{"1", "2", "3rd"}});
  CHECK(numbers(opened("q.csv", "1,2,3rd\n4,0.2,0.3,0.5\n5,0.2,0.3,0.5\n")).labels.tokens.lists == Words{{"4", "5"}});
  // Beside a word, the one word among whole numbers is a name; NaN is never one.
  CHECK(numbers(opened("r.csv", "year,2019,2020,2021,total\n1,2,3,4,10\n5,6,7,8,26\n")).labels.key_tokens.lists ==
        Words{{"year", "2019", "2020", "2021", "total"}});
  CHECK(numbers(opened("r.csv", "In,0.5,0.5\n19,0.2,0.8\n14,0.3,0.7\n18,1,0\n")).labels.tokens.lists ==
        Words{{"In", "19", "14", "18"}});
  CHECK(numbers(opened("r.csv", "token,1,+,1\n1,0.5,0.2,0.3\n+,0.1,0.2,0.7\n1,0,0.5,0.5\n")).labels.tokens.lists ==
        Words{{"1", "+", "1"}});
  CHECK(why_not("r.csv", "the,0.1,oh,0.7\ncat,0.2,0.3,0.5\n") == "line 1, field 3: \"oh\"" + no_number);
  CHECK(why_not("r.csv", "a,b\n0.2,0.8\noh,0.7\n0.4,0.6\n") == "line 3, field 1: \"oh\"" + no_number);
  CHECK(why_not("r.csv", "NaN,0.5\n0.5,0.5\n") == "line 1, field 1: \"NaN\"" + no_number);
  CHECK(why_not("r.csv", "-inf,NaN\n0.5,0.5\n") == "line 1, field 2: \"NaN\"" + no_number);
  CHECK(why_not("g.csv", "a,b\n0.5,oh\n") == "line 2, field 2: \"oh\" is not a number: write it as 0.5 or 2e-3");
  CHECK(why_not("h.csv", "") == "is empty: it must be a table of numbers");
  CHECK(why_not("i.csv", "a,b\n") == "has no rows below its header");
  CHECK(why_not("j.json", "[[0.5], []]") == "row 2 is empty");
  CHECK(why_not("k.json", "[[0.5, [1]]]").find("row 1 holds") == 0);
}
