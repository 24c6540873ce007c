// The program as its user meets it: from an empty folder, without a display, with good input and bad.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

#include "engine/io/array_source.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "tests/catch.h"
#include "tests/scratch.h"

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Said {
  int status = -1;
  std::string out;
  std::string err;
};

// An empty folder in which the program is run.
class Folder : public headlight::Scratch {
 public:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name, std::ios::binary) << text;
  }
  int files() const {
    return static_cast<int>(std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
  }

  // `before` is for the shell, and holds for the program alone.
  Said run(const std::string& arguments, const std::string& before = "") const {
    const fs::path out = beside_ / "out", err = beside_ / "err";
    const std::string command =
        fmt::format("cd {} && {} env -u DISPLAY -u WAYLAND_DISPLAY {} {} >{} 2>{}", path().string(), before,
                    HEADLIGHT_PROGRAM, arguments, out.string(), err.string());
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, ::contents(out), ::contents(err)};
  }

 private:
  headlight::Scratch beside_;
};

int lines_in(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// One line on standard error, exit 1, nothing written.
void check_refused(const Folder& folder, const std::string& arguments, std::initializer_list<const char*> words) {
  const int files = folder.files();
  const Said said = folder.run(arguments);
  INFO(arguments << "\n" << said.err);
  CHECK(said.status == 1);
  CHECK(lines_in(said.err) == 1);
  CHECK(said.out.empty());
  CHECK(folder.files() == files);
  for (const char* word : words) CHECK(said.err.find(word) != std::string::npos);
}

const char* const sentence = R"({"variant":"multi_head","params":{"mask":"causal"},
  "inputs":{"x_q":{"text":"one two three"}},"weights":{"init":"normal","seed":3}})";

}  // namespace

TEST_CASE("a choice that does nothing beside the others is refused, with what to leave out") {
  const Folder folder;
  folder.write("words.csv", ",a,b\na,1,0\nb,0.5,0.5\n");
  folder.write("layers.json", R"({"variant": "given", "inputs": {"weights": {"array":
    [[[[1, 0], [0.5, 0.5]], [[1, 0], [0, 1]]], [[[1, 0], [0.5, 0.5]], [[1, 0], [0, 1]]]]}}})");
  const std::pair<const char*, const char*> idle[] = {{"layers.json --step rollout", "--head 1"},
                                                      {"layers.json --step rollout", "--average"},
                                                      {"layers.json --step measure/entropy", "--head 1"},
                                                      {"layers.json --step measure/entropy", "--spacing log"},
                                                      {"--step output", "--head 1"},
                                                      {"words.csv", "--part cross"},
                                                      {"words.csv", "--key 1"},
                                                      {"words.csv", "--query 1"},
                                                      {"words.csv --as bars --query 1", "--key 1"},
                                                      {"words.csv", "--frame 0"},
                                                      {"words.csv", "--layer-names A"},
                                                      {"words.csv --as bars", "--row-name x"},
                                                      {"words.csv --as lines", "--bar below"},
                                                      {"words.csv", "--top 2"}};
  for (const auto& [command, choice] : idle) {
    const std::string option = std::string(choice).substr(0, std::string(choice).find(' '));
    const std::string asked = fmt::format("render {} {} -o f.svg", command, choice);
    check_refused(folder, asked, {option.c_str(), "leave "});
  }
  check_refused(folder, "render layers.json --step rollout --each head -o '{head}.svg'", {"--each head", "alike"});
  for (const char* file : {"", "layers.json"})
    for (const auto& [said, named] : {std::pair("--tokens t.json", "--tokens is of a file of attention"),
                                      {"--patches 2x3", "the grid of a picture is of"},
                                      {"--save s.headlight --positions 0", "--positions, --save are of"}})
      check_refused(folder, fmt::format("render {} {} -o f.svg", file, said), {named, "leave "});
  check_refused(folder, "render words.csv --changed-data -o f.svg", {"--changed-data", "leave it out"});
  folder.write("two.csv", "1,0\n0.5,0.5\n");
  check_refused(folder, "heads two.csv --raw-tokens", {"--raw-tokens", "--tokens"});
  check_refused(folder, "heads words.csv --ablation", {"--ablation"});
  CHECK(folder.run("render words.csv --query 1 --key 1 --numbers top --top 1 -o f.svg").status == 0);
}

TEST_CASE("a folder that holds a model in one file says how that is opened") {
  const Folder folder;
  fs::create_directory(folder / "llama");
  folder.write("llama/tiny.gguf", "GGUF");
  check_refused(folder, "info llama", {"llama: has no model.safetensors", ": name tiny.gguf itself"});
}

TEST_CASE("help and version are for newcomers") {
  const Folder folder;
  const Said help = folder.run("--help");
  CHECK(help.status == 0);
  for (const char* word : {"list", "trace", "code", "render", "screenshot", "Examples", "\"variant\""})
    CHECK(help.out.find(word) != std::string::npos);
  // A command's has its own examples alone.
  const Said of_render = folder.run("render --help");
  CHECK(of_render.out.find("headlight render mine.headlight -o fig.pdf") != std::string::npos);
  CHECK(of_render.out.find("headlight trace") == std::string::npos);
  const Said version = folder.run("--version");
  CHECK(version.status == 0);
  CHECK(version.out.starts_with("headlight "));
}

TEST_CASE("where no font has a script, one line names the package, but not for an SVG") {
  const Folder folder;
  folder.write("none.conf", "<?xml version=\"1.0\"?><fontconfig></fontconfig>");
  folder.write("zh.json", R"({"headlight": 1, "variant": "multi_head", "inputs": {"x_q": {"text": "注意 주의"}}})");
  const auto without_fonts = [&](const char* arguments) {
    setenv("FONTCONFIG_FILE", (folder / "none.conf").c_str(), 1);
    Said said = folder.run(arguments);
    unsetenv("FONTCONFIG_FILE");
    return said;
  };
  for (const char* arguments :
       {"render zh.json -q -o f.pdf", "render zh.json -q -o f.png", "worksheet zh.json -q -o w.pdf"}) {
    const Said said = without_fonts(arguments);
    INFO(arguments << "\n" << said.err);
    CHECK(said.status == 0);
    CHECK(lines_in(said.err) == 1);
    CHECK(said.err.find("headlight: note: Some characters of Chinese and Korean are in no font here") == 0);
    CHECK(said.err.find("fonts-noto-cjk") != std::string::npos);
  }
  CHECK(without_fonts("render zh.json -q -o f.svg").err.empty());
  CHECK(without_fonts("render -q -o latin.pdf").err.empty());
}

TEST_CASE("a usage error is exit 2 and one line") {
  const Folder folder;
  for (const char* arguments : {"trace", "trace a.json", "code", "code a.json --as julia", "--colour", "render",
                                "screenshot -o a.png --size 3x", "list extra words"}) {
    const Said said = folder.run(arguments);
    INFO(arguments << "\n" << said.err);
    CHECK(said.status == 2);
    CHECK(lines_in(said.err) == 1);
  }
}

TEST_CASE("list names every variant, in words and as JSON") {
  const Folder folder;
  const Said words = folder.run("list");
  CHECK(words.status == 0);
  for (const char* word : {"multi_head", "heads", "w_q", "masked_scores", "required"})
    CHECK(words.out.find(word) != std::string::npos);
  CHECK(words.out.find("make up a query, a key and a value in one head (d')") != std::string::npos);
  CHECK(words.out.find("()") == std::string::npos);
  const Said json = folder.run("list --json");
  CHECK(json.status == 0);
  CHECK(json.out.find("\"id\": \"multi_head\"") != std::string::npos);
  CHECK(json.out.find("\"formula\"") != std::string::npos);
}

TEST_CASE("tokens prints what a model's tokenizer makes of texts") {
  const Folder folder;
  fs::create_directory(folder / "model");
  folder.write("model/vocab.txt", "[UNK]\n[CLS]\n[SEP]\nthe\ncat\n##s\n");
  const Said table = folder.run("tokens model 'The cats'");
  CHECK(table.status == 0);
  CHECK(lines_in(table.out) == 6);
  CHECK(table.out.find("     3        5  ##s    7-8\n") != std::string::npos);
  folder.write("texts.json", "[\"The cats\", \"\"]");
  const Said json = folder.run("tokens model --texts texts.json --json");
  CHECK(json.out.starts_with(R"([{"text":"The cats","ids":[1,3,4,5,2],"tokens":["[CLS]","the","cat","##s","[SEP]"],)"
                             R"("offsets":[[-1,-1],[0,3],[4,7],[7,8],[-1,-1]]},{"text":"","ids":[1,2])"));
  CHECK(folder.run("tokens model").status == 2);
  folder.write("texts.json", "{}");
  check_refused(folder, "tokens model --texts texts.json", {"texts.json", "a list of texts"});
  check_refused(folder, "tokens . 'a'", {"no tokenizer.json", "give ids"});
  folder.write("model/tokenizer.json",
               R"({"pre_tokenizer": {"type": "UnicodeScripts"}, "model": {"vocab": {"a": 0}}})");
  check_refused(folder, "tokens model a",
                {"tokenizer.json: pre_tokenizer UnicodeScripts is not one that Headlight reads: give ids"});
}

TEST_CASE("info says of JSON what it is, and where tokens are none") {
  const Folder folder;
  folder.write("t.json", R"(["a", "b"])");
  CHECK(folder.run("info t.json").out ==
        "t.json: 2 tokens: headlight view ATTENTION --tokens t.json calls positions so\n");
  folder.write("a.headlight", sentence);
  CHECK(folder.run("info a.headlight").out.starts_with("a.headlight: an experiment: headlight a.headlight opens it"));
  CHECK(folder.run("info a.headlight --json").out.find("an experiment") != std::string::npos);
  folder.write("ids.json", "[101, 7592]");
  check_refused(folder, "info ids.json", {"ids.json: [0] is 101: it must be a text", "not their ids"});
  folder.write("o.json", "{}");
  check_refused(folder, "info o.json", {"o.json: is no experiment, no list of tokens and no index of arrays"});
  folder.write("x.json", "{");
  check_refused(folder, "info x.json", {"x.json: this is not JSON"});
  folder.write("m.json", "[[0.5, 0.5], [0, 1]]");
  CHECK(
      folder.run("info m.json").out ==
      "m.json: a table of 2 × 2 numbers, whose rows add up to 1: headlight view m.json shows it as attention, queries "
      "down and keys across\n");
  folder.write("m.csv", ",a,b\na,3,4\nb,5,6\n");
  CHECK(folder.run("info m.csv").out.starts_with("m.csv: a table of 2 × 2 numbers: headlight view m.csv shows it"));
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "model");
  CHECK(folder.run("info model/config.json").out.find("headlight info model says") != std::string::npos);
}

TEST_CASE("info says of a folder of weights what opens it, and how") {
  const Folder folder;
  const auto copy = [&](const char* name) {
    fs::copy(fmt::format("{}/tests/reference/models/{}", HEADLIGHT_SOURCE_DIR, name), folder / name);
    return folder.run(fmt::format("info {}", name)).out;
  };
  const std::string bart = copy("bart");
  CHECK(bart.find("bart encoder: ") != std::string::npos);
  for (const char* other : {"detr ", "whisper "}) CHECK(bart.find(other) == std::string::npos);
  CHECK(copy("clip").find("heads not known") == std::string::npos);
  copy("llama");
  const std::string config = contents(folder / "llama/config.json");
  const auto with = [&](const std::string& changed) {
    folder.write("llama/config.json", changed);
    return folder.run("info llama").out;
  };
  CHECK(with(config).find("mistral: ") == std::string::npos);
  const auto at = config.find("\"llama\"");
  REQUIRE(at != std::string::npos);
  CHECK(with(std::string(config).replace(at, 7, "\"olmo\""))
            .find("config.json says model_type olmo, which may differ: weights.layout \"llama\" opens it") !=
        std::string::npos);
}

TEST_CASE("info promises of a folder what opens, and says what opening it would refuse") {
  const Folder folder;
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "model");
  const std::string config = contents(folder / "model/config.json");
  const auto with = [&](const std::string& field, const std::string& to) {
    const auto at = config.find('"' + field + '"');
    REQUIRE(at != std::string::npos);
    const auto begin = config.find(':', at) + 1;
    folder.write("model/config.json",
                 std::string(config).replace(begin, config.find_first_of(",}", begin) - begin, to));
    return folder.run("info model").out;
  };
  for (const auto& [field, to, says] :
       {std::array{"n_embd", "10", "transformer.wte.weight is (11, 8), but config.json says (11, 10)"},
        std::array{"n_layer", "1", "holds 2 layers, but config.json says 1"},
        std::array{"n_head", "3", "3 heads do not divide n_embd 8"}}) {
    const std::string said = with(field, to);
    INFO(said);
    CHECK(said.find(says) != std::string::npos);
    for (const char* promise : {"runs as a model", "2 layers at", "2 layers;"})
      CHECK(said.find(promise) == std::string::npos);
    CHECK(folder.run("trace model --ids 3 -o m.npz").err.find(says) != std::string::npos);
  }
  const std::string layers_alone = with("vocab_size", "12");  // which no layer reads
  CHECK(layers_alone.find("transformer.wte.weight is (11, 8), but config.json says (12, 8)") != std::string::npos);
  CHECK(layers_alone.find("runs as a model") == std::string::npos);
  CHECK(layers_alone.find("gpt2: 2 layers") != std::string::npos);
}

TEST_CASE("trace runs the folder of a model, its layers and measures") {
  const Folder folder;
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "model");
  const auto names_of = [&](const std::string& words) {
    const Said said = folder.run("trace model --ids 3,1,4 -o m.npz " + words);
    INFO(said.err);
    CHECK(said.status == 0);
    const auto arrays = headlight::read_arrays(folder / "m.npz");
    std::set<std::string> names;
    for (const auto& array : arrays.value()) names.insert(array.name);
    return names;
  };
  const auto plain = names_of("");
  CHECK((plain.size() == 9 && plain.contains("layer1/input") && plain.contains("top_tokens")));
  CHECK(names_of("--all-weights").size() == 11);
  const auto opened = names_of("--layer 1");
  CHECK((opened.contains("layer1/ffn_hidden") && !opened.contains("layer0/q")));
  CHECK(names_of("--layer 0-1").contains("layer0/q"));
  const auto measured = names_of("--measures");
  CHECK(
      (measured.contains("measure/ablation") && measured.contains("rollout") && !measured.contains("layer0/weights")));
  // No token is there twice: the measure is of such maps, and no query counts. No token stands for no text.
  CHECK((measured.contains("measure/same") && !measured.contains("measure/special")));
  const auto arrays = headlight::read_arrays(folder / "m.npz");
  for (const auto& array : arrays.value())
    if (array.name == "measure/same")
      CHECK((array.values.shape() == headlight::Shape{2, 2} && std::isnan(array.values[0])));
  CHECK(folder.run("info model").out.find("gpt2: 2 layers of 2 heads, width 8") != std::string::npos);
  check_refused(folder, "trace model --ids 3 --layer 2 -o n.npz", {"--layer 2", "from 0 to 1"});
  check_refused(folder, "trace model --ids 3,x -o n.npz", {"--ids 3,x"});
  check_refused(folder, "trace model --text a -o n.npz", {"no tokenizer", "ids"});
  check_refused(folder, "trace model -o n.npz", {"inputs.tokens is missing"});
  check_refused(folder, "trace model --ids 3 -o model/model.safetensors", {"model.safetensors"});
  folder.write("a.json", sentence);
  check_refused(folder, "trace a.json --layer 1 -o n.npz", {"--layer is of a model"});
}

TEST_CASE("trace --measures says what each key receives") {
  const Folder folder;
  // A row of 0 is nobody's.
  folder.write("a.json", R"({"variant": "given", "inputs": {"weights":
    {"array": [[[0.5, 0.5], [0, 0]], [[0.25, 0.75], [1, 0]]]}}})");
  REQUIRE(folder.run("trace a.json --measures -o m.npz").status == 0);
  const auto arrays = headlight::read_arrays(folder / "m.npz");
  const auto received = std::ranges::find(arrays.value(), "received", &headlight::NamedArray::name);
  REQUIRE(received != arrays.value().end());
  CHECK(received->values.shape() == headlight::Shape{1, 2, 2});
  CHECK(std::ranges::equal(received->values.values(), std::vector<float>{0.5F, 0.5F, 0.625F, 0.375F}));
}

TEST_CASE("trace, info and render know the parts of a model with an encoder and a decoder") {
  const Folder folder;
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/t5", folder / "model");
  const Said said = folder.run("trace model/input.json --layer decoder/2 --layer encoder/0 --measures -o m.npz");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto arrays = headlight::read_arrays(folder / "m.npz");
  std::set<std::string> names;
  for (const auto& array : arrays.value()) names.insert(array.name);
  for (const char* there : {"encoder/final_norm", "decoder/hidden", "decoder_token_ids", "encoder/layer0/ffn_hidden",
                            "decoder/layer2/q", "decoder/layer2/cross/weights", "encoder/rollout",
                            "encoder/measure/distance", "decoder/measure/entropy", "decoder/cross/measure/ablation"})
    CHECK(names.contains(there));
  for (const char* none : {"encoder/layer1/q", "decoder/layer1/weights", "decoder/rollout", "measure/entropy",
                           "decoder/cross/measure/distance"})
    CHECK_FALSE(names.contains(none));
  const std::string info = folder.run("info model").out;
  for (const char* words : {"t5: encoder of 2 layers, decoder of 3, 2 heads each", "t5 encoder: 2 layers",
                            "t5 decoder cross: 3 layers", "t5 decoder self: 3 layers"})
    CHECK(info.find(words) != std::string::npos);
  for (const auto& [words, caption] : {std::pair{"--layers all --part cross", "Cross-attention weights in model"},
                                       {"--step decoder/layer1/weights", "Decoder attention weights in model, layer 1"},
                                       {"--step rollout", "Encoder attention rollout in model, after layer 1"}}) {
    INFO(words);
    REQUIRE(folder.run(fmt::format("render model/input.json {} --words -o f.svg", words)).status == 0);
    CHECK(contents(folder / "f.txt").find(caption) != std::string::npos);
  }
  check_refused(folder, "trace model --ids 3 --layer 0 -o n.npz", {"--layer 0", "encoder/", "decoder/"});
  check_refused(folder, "trace model --ids 3 --layer decoder/3 -o n.npz", {"decoder/ and layers from 0 to 2"});
  check_refused(folder, "render model/input.json --part vision -o n.svg", {"--part vision: the run has none"});
  check_refused(folder, "render model/input.json --part middle -o n.svg",
                {"--part", "encoder, decoder, cross, text or vision"});
  REQUIRE(folder.run("render model/input.json --part cross --words -o f.svg").status == 0);
  CHECK(contents(folder / "f.txt").find("Cross-attention weights") != std::string::npos);
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "gpt2");
  check_refused(folder, "render gpt2/input.json --part decoder -o n.svg", {"--part decoder: the run has none"});
  folder.write("d.json", R"({"model": "gpt2", "inputs": {"tokens": {"ids": [3]}, "decoder_tokens": {"ids": [3]}}})");
  check_refused(folder, "trace d.json -o n.npz", {"gpt2 has no decoder"});
}

TEST_CASE("render draws the layers and heads of a model, and each figure makes itself again") {
  const Folder folder;
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "model");
  folder.write("m.json", R"({"model": "model", "inputs": {"tokens": {"ids": [3, 1, 4]}}})");
  const auto draws = [&](const std::string& words) {
    const Said said = folder.run("render " + words);
    INFO(words << ": " << said.err);
    CHECK(said.status == 0);
    return said;
  };
  const std::tuple<const char*, const char*, const char*> figures[] = {
      {"model --ids 3,1,4 --layers all", "pdf", "Attention weights in model, 2 layers × 2 heads. Rows are queries"},
      {"m.json", "svg", "Attention weights in model, 2 layers × 2 heads."},
      {"m.json --layers 1 --head 0", "tex", "Attention weights in model, layer 1, head 0."},
      {"m.json --step layer1/weights", "png", "Attention weights in model, layer 1 in 2 panels."},
      {"m.json --layers all --average", "png", "Attention weights in model, mean over 2 heads in 2 panels."},
      {"m.json --step rollout", "svg", "Attention rollout in model, after layer 1."},
      {"m.json --as layers --average --query 1", "pdf", "query “1” in model, mean over 2 heads. Rows are layers"}};
  for (const auto& [words, format, caption] : figures) {
    const std::string ending = format;  // Clang 14 captures no name of a structured binding
    const auto name = [&ending](const char* stem) { return fmt::format("{}.{}", stem, ending); };
    draws(fmt::format("{} --words -o {}", words, name("f")));
    CHECK(contents(folder / "f.txt").find(caption) != std::string::npos);
    draws(fmt::format("{} -o {}", name("f"), name("g")));
    // A .tex names the file of its numbers after itself.
    if (std::string_view(format) != "tex") CHECK(contents(folder / name("f")) == contents(folder / name("g")));
  }
  // Of a class token, which stands beside the picture.
  // Less another model that reads the same, which the recipe holds; of the heads that are off it is said.
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "other");
  draws("model --ids 3,1,4 --layers 1 --minus other --npy --words -o d.pdf");
  CHECK(contents(folder / "d.txt").find("Attention weights in model, layer 1 minus those of other") !=
        std::string::npos);
  const auto none = headlight::read_arrays(folder / "d.npy");
  REQUIRE(none);
  CHECK(std::ranges::all_of(none->front().values.values(), [](float number) { return number == 0; }));
  draws("d.pdf -o e.pdf");
  CHECK(contents(folder / "d.pdf") == contents(folder / "e.pdf"));
  folder.write("off.json",
               R"({"model": "model", "inputs": {"tokens": {"ids": [3, 1]}}, "params": {"ablate": [[0, 1]]}})");
  draws("off.json --layers all --words -o off.svg");
  CHECK(contents(folder / "off.txt").find("Off: layer 0 head 1.") != std::string::npos);
  // A model that lies elsewhere is read, and that is said.
  fs::create_directory(folder / "below");
  folder.write("below/m.json", R"({"model": "../model", "inputs": {"tokens": {"ids": [3, 1]}}})");
  CHECK(folder.run("trace below/m.json -o t.npz").err.find("reads what lies outside its folder: ../model") !=
        std::string::npos);
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/deit", folder / "deit");
  draws("deit/input.json --as picture --query 0 --words -o p.svg");
  CHECK(contents(folder / "p.txt").find("how strongly query “CLS” looks at each place of the picture") !=
        std::string::npos);
  folder.write("dump.json",
               R"({"variant": "given", "inputs": {"weights": {"array": [[[[1, 0], [0, 1]]], [[[0, 1], [1, 0]]]]}}})");
  draws("dump.json --layers 1 --words -o d.svg");
  CHECK(contents(folder / "d.txt").find(", layer 1.") != std::string::npos);
  draws("m.json --each layer --each head -o '{experiment}{layer}{head}.svg'");
  CHECK((fs::exists(folder / "m00.svg") && fs::exists(folder / "m11.svg")));
  CHECK(draws("model -o n.svg").err.find("it reads the tokens 0 1 2 3 twice") != std::string::npos);
  folder.write("a.json", sentence);
  const std::tuple<const char*, const char*> refused[] = {
      {"m.json --layers 2", "--layers is 2: this run has layers 0 to 1"},
      {"m.json --layers 0 --head 7", "--head is 7: it must be from 0 to 1"},
      {"m.json --as layers --query 3", "--query is 3: it must be from 0 to 2"},
      {"m.json --layers 0 --step scores", "layer 0 has no step \"scores\": it has weights, rollout"},
      {"m.json --layers 0,x", "--layers is 0,x: it must be all or numbers"},
      {"m.json --step rollout --minus head:0", "rollout"},
      {"m.json --ids 1", "leave out --text, --ids and --image"},
      {"model --reads a", "no tokenizer"},
      {"model --text a", "no tokenizer"},  // that is what it reads; of all else it is the size of letters
      {"a.json --text a", "--text is a: it must be a number"},
      {"a.json --layers all", "--layers asks for layers of one run, and this one has none"},
      {"a.json --reads a", "--reads, --pair and --ids are of a model, which this is not"}};
  for (const auto& [words, why] : refused) check_refused(folder, fmt::format("render {} -o x.svg", words), {why});
  check_refused(folder, "render m.json -o model/config.json.svg --each layer", {"several figures would be called"});
}

TEST_CASE("no command writes over a file of its model, and each writes its own files again") {
  const Folder folder;
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "model");
  const std::string config = contents(folder / "model/config.json");
  folder.write("m.json", R"({"model": "model", "inputs": {"tokens": {"ids": [3, 1]}}})");
  for (const std::string command : {"heads", "trace"}) {
    INFO(command);
    for (const char* file : {"model/config.json", "model/model.safetensors", "m.json"})
      check_refused(folder, fmt::format("{} m.json -o {}", command, file), {file, "the experiment reads this file"});
  }
  CHECK(contents(folder / "model/config.json") == config);
  for (const char* words :
       {"heads m.json --csv -o model/h.csv", "trace m.json -o model/s.npz", "render m.json -o model/f.svg"})
    for (int time = 0; time < 2; ++time) {
      INFO(words);
      CHECK(folder.run(words).status == 0);
    }
}

TEST_CASE("files of attention are taken from each other, and titles name them without their folders") {
  const Folder folder;
  fs::create_directory(folder / "dumps");
  for (const auto& [name, own] : {std::pair("a", 1.0F), std::pair("b", 0.25F)})
    REQUIRE(headlight::write_npy(
        folder / fmt::format("dumps/{}.npy", name),
        headlight::Tensor::from({2, 1, 2, 2}, std::vector<float>{own, 1 - own, 0, 1, 0.5F, 0.5F, own, 1 - own})));
  const Said said = folder.run("render dumps/a.npy --layers all --minus dumps/b.npy --npy --words -o f.svg");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto numbers = headlight::read_arrays(folder / "f.npy");
  REQUIRE(numbers);
  CHECK((numbers->front().values[0] == 0.75F && numbers->front().values[4] == 0));
  const std::string words = contents(folder / "f.txt");
  CHECK(words.find("Attention weights in a.npy minus those of b") != std::string::npos);
  CHECK(words.find("dumps/") == std::string::npos);
  fs::create_directory(folder / "again");
  CHECK(folder.run("render f.svg -o again/f.svg").status == 0);
  CHECK(folder.run("render again/f.svg -o again/g.svg").status == 0);
  CHECK(contents(folder / "again/f.svg") == contents(folder / "again/g.svg"));
  check_refused(folder, "render dumps/a.npy --layers all --minus nothing.npy -o n.svg", {"--minus", "nothing.npy"});
}

TEST_CASE("a token that is no character is drawn as one, and the figure makes itself again") {
  const Folder folder;
  folder.write("n.headlight",
               "{\"variant\": \"given\", \"inputs\": {\"weights\": {\"array\": [[1, 0], [0, 1]], "
               "\"tokens\": [\"a\xEF\xBF\xBE\", \"b\xF0\x9F\xBF\xBF\"]}}}");
  for (const std::string format : {"pdf", "svg", "png"}) {
    INFO(format);
    REQUIRE(folder.run(fmt::format("render n.headlight -o f.{}", format)).status == 0);
    REQUIRE(folder.run(fmt::format("render f.{0} -o g.{0}", format)).status == 0);
    CHECK(contents(folder / ("f." + format)) == contents(folder / ("g." + format)));
  }
  CHECK(folder.run("worksheet n.headlight --blanks 0 -o s.pdf").status == 0);
}

TEST_CASE("a figure whose data has changed is not drawn again unless that is asked for") {
  const Folder folder;
  const auto save = [&](const char* numbers) {
    folder.write("a.json", R"({"variant": "given", "inputs": {"weights": {"npy": "a.npy"}}})");
    headlight::Tensor map = headlight::Tensor::from({2, 2}, std::vector<float>{0.25F, 0.75F, 1, 0});
    map[0] = numbers[0] == '1' ? 0.5F : 0.25F;
    REQUIRE(headlight::write_npy(folder / "a.npy", map));
  };
  save("0");
  REQUIRE(folder.run("render a.json -o f.svg").status == 0);
  fs::create_directory(folder / "sub");
  REQUIRE(folder.run("render f.svg -o sub/g.svg").status == 0);
  REQUIRE(folder.run("render sub/g.svg -o h.svg").status == 0);
  CHECK(contents(folder / "f.svg") == contents(folder / "h.svg"));  // the same files, seen from another folder
  save("1");
  check_refused(folder, "render f.svg -o i.svg",
                {"f.svg: a.npy has changed since the figure was made", "--changed-data"});
  check_refused(folder, "render sub/g.svg -o i.svg", {"a.npy has changed"});
  CHECK(folder.run("render f.svg -o i.svg -q --changed-data").status == 0);
  CHECK(folder.run("render i.svg -o j.svg").status == 0);
  folder.write("a.json", "{}");  // the recipe has what it said
  CHECK(folder.run("render i.svg -o k.svg").status == 0);
}

TEST_CASE("trace writes one array a step") {
  const Folder folder;
  folder.write("a.json", sentence);
  const Said said = folder.run("trace a.json -o steps.npz");
  INFO(said.err);
  REQUIRE(said.status == 0);
  const auto arrays = headlight::read_arrays(folder / "steps.npz");
  REQUIRE(arrays);
  std::vector<std::string> names;
  for (const auto& array : *arrays) names.push_back(array.name);
  CHECK(names == std::vector<std::string>{"q", "k", "v", "scores", "scaled_scores", "masked_scores", "weights",
                                          "head_outputs", "concat", "output"});
  CHECK(folder.run("trace a.json -o steps2.npz").status == 0);
  CHECK(contents(folder / "steps.npz") == contents(folder / "steps2.npz"));
}

TEST_CASE("heads prints a table, sorted as asked, and writes CSV") {
  const Folder folder;
  folder.write("e.headlight", R"({"variant": "multi_head", "params": {"heads": 8, "mask": "causal"},
                                  "inputs": {"x_q": {"text": "the old cat saw a young cat near some old house by the river"}}, "weights": {"init": "textbook"}})");
  const Said table = folder.run("heads e.headlight --sort previous");
  CHECK(table.status == 0);
  CHECK(table.out.starts_with("head  name"));
  CHECK(table.out.find("\n   0  Previous token") == table.out.find('\n'));  // the first row
  CHECK(table.out.find("ablation: Each head needs a run without it") != std::string::npos);
  const Said least = folder.run("heads e.headlight --sort previous --ascending");
  CHECK(least.out.find("Previous token") > table.out.find("Previous token"));
  const Said csv = folder.run("heads e.headlight --csv --ablation -o heads.csv");
  CHECK((csv.status == 0 && csv.out.empty()));
  const std::string text = contents(folder / "heads.csv");
  CHECK(
      text.starts_with("head,name,entropy,ln_n_k,effective_keys,confidence,distance,self,previous,first,same,"
                       "induction,special,share,ablation\n0,Previous token,"));
  CHECK(lines_in(text) == 9);
  CHECK(text.find(",\n") == std::string::npos);  // every head was switched off
  CHECK(folder.run("heads e.headlight --sort relevance").status == 2);
  // How far apart two heads are is the same both ways, and at most ln 2.
  const Said alike = folder.run("heads e.headlight --alike --csv");
  CHECK(alike.status == 0);
  CHECK(alike.out.starts_with("part,head,other,distance\n,0,1,0."));
  CHECK(lines_in(alike.out) == 1 + 8 * 7 / 2);
  const std::string pairs = folder.run("heads e.headlight --alike").out;
  CHECK(pairs.find("at most ln 2 = 0.6931") != std::string::npos);
  CHECK(folder.run("heads e.headlight --alike --ablation").status == 2);
  // Of several layers each has its rows, and words are as trace takes them.
  REQUIRE(headlight::write_npy(folder / "attn.npy",
                               headlight::Tensor::from({2, 1, 2, 2}, std::vector<float>{1, 0, 0, 1, 0.5, 0.5, 0, 1})));
  folder.write("w.json", R"(["a", "a"])");
  const Said layers = folder.run("heads attn.npy --tokens w.json --csv");
  CHECK(layers.out.starts_with("layer,head,entropy,"));
  CHECK(layers.out.find("\n0,0,0,") != std::string::npos);
  CHECK(layers.out.find("\n1,0,0.3465736,") != std::string::npos);
  CHECK(lines_in(layers.out) == 3);
  CHECK(folder.run("heads attn.npy --sort entropy").out.find("\n    1     0") < 200);
  check_refused(folder, "heads attn.npy --ablation", {"--ablation needs a run without each head"});
  CHECK(folder.run("heads nothing.headlight").status == 1);
}

TEST_CASE("heads says what weights count for a logit of a model, and for the difference of two") {
  const Folder folder;
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "model");
  const Said table = folder.run("heads model --ids 3,1,4 --why 7 --not 2");
  CHECK(table.status == 0);
  CHECK(table.out.starts_with("after 2 “4”: the logit of “7” less that of “2” is "));
  CHECK(table.out.find("\nmost relevant to it after the last layer: ") != std::string::npos);
  const Said csv = folder.run("heads model --ids 3,1,4 --why 7 --after 0 --csv");
  CHECK(csv.out.starts_with("layer,head,for,against,query,key,weight,gradient\n0,0,"));
  CHECK(lines_in(csv.out) == 5);
  CHECK(csv.out.find(",0,0,1,") != std::string::npos);  // of the first position nothing but itself counts
  REQUIRE(folder.run("heads model --ids 3,1,4 --why 7 -o why.npz").status == 0);
  const auto arrays = headlight::read_arrays(folder / "why.npz");
  REQUIRE((arrays && arrays->size() == 3));
  for (const auto& array : *arrays)
    CHECK(array.values.shape() ==
          (array.name == "relevance" ? headlight::Shape{2, 3, 3} : headlight::Shape{2, 2, 3, 3}));
  check_refused(folder, "heads model --ids 3,1 --why 11", {"--why 11", "0 to 10"});
  check_refused(folder, "heads model --ids 3,1 --why 1 --not x", {"--not x", "0 to 10"});
  check_refused(folder, "heads model --ids 3,1 --why 1 --after 2", {"place 2 is not there", "0 to 1"});
  check_refused(folder, "heads model --ids 3,1 --why 1 --csv -o w.npz", {"--csv", "leave it out"});
  folder.write("model/tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "Ġ": 10}, "merges": []},
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
    "decoder": {"type": "ByteLevel"}})");
  CHECK(folder.run("heads model --text ab --why a --not '·'")
            .out.starts_with("after 1 “b”: the logit of “a” less that of “·” is "));
  check_refused(folder, "heads model --text ab --why ' b'", {"--why  b: it is 2 tokens (Ġ, b), and must be one"});
  // Of a model that sees both ways it is the token that would stand there.
  const std::string both_ways = HEADLIGHT_SOURCE_DIR "/tests/reference/models/roberta";
  CHECK(
      folder.run("heads " + both_ways + " --ids 3,1,4 --why 7").out.starts_with("in place of 2 “4”: the logit of “7”"));
  CHECK(folder.run("heads model --ids 3 --why 7").out.starts_with("after 0 “3”: the logit of “7”"));
  folder.write("e.headlight", sentence);
  check_refused(folder, "heads e.headlight --why 1", {"--why is of a model"});
}

TEST_CASE("render draws the relevance that heads counts, of the likeliest token") {
  const Folder folder;
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "model");
  const Said drawn =
      folder.run("render model --ids 3,1,4 --step relevance --layers all --after 1 --npy --words -o r.svg");
  INFO(drawn.err);
  REQUIRE(drawn.status == 0);
  const std::string words = contents(folder / "r.txt"), before = "Gradient × attention of “";
  REQUIRE(words.find(before) != std::string::npos);
  const std::string token = words.substr(words.find(before) + before.size(), 1);
  REQUIRE(folder.run(fmt::format("heads model --ids 3,1,4 --why {} --after 1 -o why.npz", token)).status == 0);
  const auto arrays = headlight::read_arrays(folder / "why.npz"), figure = headlight::read_arrays(folder / "r.npy");
  REQUIRE((arrays && figure && figure->size() == 1));
  const headlight::Tensor& made = figure->front().values;
  REQUIRE(made.shape() == headlight::Shape{2, 3, 3});
  for (const auto& array : *arrays)
    for (headlight::Index c = 0; array.name == "relevance" && c < made.size(); ++c) {
      const headlight::Index i = c / 3 % 3, j = c % 3;
      if (j <= i) CHECK(made[c] == Approx(array.values[c] - (i == j ? 1 : 0)).margin(1e-6));
    }
  REQUIRE(folder.run("render r.svg -o again.svg").status == 0);
  CHECK(contents(folder / "r.svg") == contents(folder / "again.svg"));
  REQUIRE(folder.run("render model --ids 3,1,4 --step relevance --as layers --query 2 --words -o l.svg").status == 0);
  const std::string rows = contents(folder / "l.txt");
  CHECK(rows.find("(2), row of query “4”") != std::string::npos);
  CHECK(rows.find("numbers beyond it") == std::string::npos);  // the scale is that of all layers
  folder.write("two.headlight", R"({"model": "model", "inputs": {"tokens": {"ids": [[3, 1], [1, 4]]}}})");
  check_refused(folder, "render two.headlight --step relevance -o x.svg", {"is drawn of one text, and 2 are read"});
  check_refused(folder, "render model --ids 3,1 --step relevance --after 2 -o x.svg", {"--after is 2", "0 to 1"});
  check_refused(folder, "render model --ids 3,1 --after 1 -o x.svg", {"--after does nothing here", "--step relevance"});
  check_refused(folder, "render model --ids 3,1 --step relevance --head 1 -o x.svg", {"--head does nothing here"});
  folder.write("e.headlight", sentence);
  check_refused(folder, "render e.headlight --step relevance -o x.svg",
                {"--step relevance is of the folder of a model"});
}

TEST_CASE("render draws the example without a display, twice the same") {
  const Folder folder;
  REQUIRE(folder.run("render -o a.png").status == 0);
  REQUIRE(folder.run("render -o b.png --head 2").status == 0);
  REQUIRE(folder.run("render -o c.png").status == 0);
  CHECK(contents(folder / "a.png") == contents(folder / "c.png"));
  CHECK(contents(folder / "a.png") != contents(folder / "b.png"));
  CHECK(contents(folder / "a.png").starts_with("\x89PNG"));
}

TEST_CASE("render writes every format, twice the same, whatever the clock says") {
  const Folder folder;
  folder.write("a.json", sentence);
  for (const char* name : {"f.pdf", "f.svg", "f.png", "f.tex"}) {
    INFO(name);
    REQUIRE(folder.run(fmt::format("render a.json -o {} --width 3.25in --font serif", name)).status == 0);
    const std::string once = contents(folder / name);
    REQUIRE(folder.run(fmt::format("render a.json -o {} --width 3.25in --font serif", name)).status == 0);
    CHECK(contents(folder / name) == once);
    REQUIRE(folder.run(fmt::format("render {} -o again/{}", name, name)).status == 0);  // by the recipe
    CHECK(contents(folder / "again" / name) == once);
    REQUIRE(folder.run(fmt::format("render a.json -o {} --recipe=false", name)).status == 0);
    check_refused(folder, fmt::format("render {} -o again/{}", name, name), {"no recipe"});
  }
}

TEST_CASE("render draws many figures by a pattern, folders of experiments, numbers and words") {
  const Folder folder;
  folder.write("a.json", sentence);
  REQUIRE(folder.run("render a.json --each head --each step -o 'fig/{step}_{head:02}.svg'").status == 0);
  CHECK(fs::exists(folder / "fig/weights_00.svg"));
  CHECK(fs::exists(folder / "fig/weights_01.svg"));
  CHECK_FALSE(fs::exists(folder / "fig/weights_08.svg"));
  CHECK(fs::exists(folder / "fig/concat_00.svg"));
  CHECK_FALSE(fs::exists(folder / "fig/concat_01.svg"));  // it has no heads
  fs::create_directory(folder / "many");
  for (const char* name : {"many/one.headlight", "many/two.json"}) folder.write(name, sentence);
  REQUIRE(folder.run("render many -o '{experiment}.pdf' --csv --npy --words").status == 0);
  for (const char* name : {"one.pdf", "one.csv", "one.npy", "one.txt", "two.pdf"}) CHECK(fs::exists(folder / name));
  check_refused(folder, "render many -o same.pdf", {"2 experiments would write over each other", "{experiment}"});
  check_refused(folder, "render a.json --each head -o same.pdf",
                {"several figures would be called same.pdf", "{head}"});
  check_refused(folder, "render a.json -o '{stp}.pdf'", {"{stp} is not known", "{step}"});
  check_refused(folder, "render a.json --each token -o '{token}.pdf'", {"--each is token", "step, layer, head"});
  check_refused(folder, "render a.json -o f.pdf --range 1:0", {"--range is 1:0", "LOW:HIGH"});
  check_refused(folder, "render a.json -o f.pdf --font none.ttf", {"none.ttf"});
}

TEST_CASE("render draws a figure again from its own recipe, as it was or otherwise") {
  const Folder folder;
  const auto experiment = [](int seed) {
    return fmt::format(
        R"({{"variant":"multi_head","params":{{"heads":2,"d_head":4}},"inputs":{{"x_q":{{"text":"a b c"}}}},
                          "weights":{{"init":"normal","seed":{}}}}})",
        seed);
  };
  folder.write("a.headlight", experiment(1));
  folder.write("b.headlight", experiment(2));
  REQUIRE(folder.run("render a.headlight --minus b.headlight -o a.svg").err.empty());
  fs::remove(folder / "a.headlight");
  fs::remove(folder / "b.headlight");  // the figure alone is enough
  CHECK(folder.run("render a.svg -o again.svg").err.empty());
  CHECK(contents(folder / "again.svg") == contents(folder / "a.svg"));
  CHECK(folder.run("render a.svg --width 89mm -o narrow.svg").status == 0);
  CHECK(contents(folder / "narrow.svg") != contents(folder / "a.svg"));
  CHECK(folder.run("render a.svg --recipe=false -o blind.svg").status == 0);
  check_refused(folder, "render blind.svg -o x.svg", {"blind.svg: there is no recipe in it"});
}

TEST_CASE("a recipe names its instruction set, and its figure is drawn with that again") {
  const Folder folder;
  folder.write("a.json", R"({"variant":"multi_head","params":{"heads":1,"d_head":96},
    "inputs":{"x_q":{"d_model":96,"text":"a b c d e f g h"}},"weights":{"init":"normal"}})");
  CHECK(folder.run("render a.json --step scores --csv -o base.svg", "export HEADLIGHT_KERNELS=baseline;").err.empty());
  CHECK(folder.run("render base.svg --csv -o again.svg").err.empty());
  CHECK(contents(folder / "again.svg") == contents(folder / "base.svg"));
  CHECK(contents(folder / "again.csv") == contents(folder / "base.csv"));
  std::string other = contents(folder / "base.svg");
  const auto named = other.find("baseline");
  REQUIRE(named != std::string::npos);
  folder.write("other.svg", other.replace(named, 8, "avx9"));
  const Said said = folder.run("render other.svg -o x.svg");
  CHECK(said.status == 0);
  CHECK(said.err.find("other.svg: was computed with avx9, which this processor lacks") != std::string::npos);
}

TEST_CASE("render goes on after a bad experiment, and says at the end how many there were") {
  const Folder folder;
  folder.write("a.headlight", R"({"variant":"multi_head","inputs":{"x_q":{"text":"a"}}})");
  folder.write("b.headlight", "{");
  folder.write("c.headlight", R"({"variant":"multi_head","inputs":{"x_q":{"text":"c"}}})");
  const Said said = folder.run("render . -o {experiment}.svg");
  CHECK(said.status == 1);
  CHECK(lines_in(said.err) == 2);
  CHECK(said.err.find("b.headlight: this is not JSON") != std::string::npos);
  CHECK(said.err.find("1 of 3 experiments were not drawn") != std::string::npos);
  CHECK(fs::exists(folder / "c.svg"));
  check_refused(folder, "render a.headlight ./a.headlight -o {experiment}.svg", {"both are called a"});
  check_refused(folder, "render a.headlight -o 'x{head.svg'", {"without its other half"});
  check_refused(folder, "render a.headlight -o 'x{head:xx}.svg'", {"how many digits"});
  check_refused(folder, "render a.headlight -o '{head}.svg'", {"--each head"});
  check_refused(folder, "render a.headlight -o '{batch}.svg'", {"--each batch"});
  check_refused(folder, "render a.headlight -o a.svg --words a.txt", {"a.txt: does not exist", "take no name"});
  check_refused(folder, "render a.headlight -o ''", {"-o is empty"});
  check_refused(folder, "render a.headlight -o a.svg --layers nowhere.headlight",
                {"nowhere.headlight", "does not exist"});
  check_refused(folder, "trace a.headlight -o a.headlight", {"the experiment reads this file"});
}

TEST_CASE("bad input is one clear line and nothing else") {
  const Folder folder;
  folder.write("broken.json", "{\"variant\": ");
  folder.write("unknown.json", R"({"variant":"multi_hed"})");
  folder.write("heads.json", R"({"variant":"multi_head","params":{"heads":0},"inputs":{"x_q":{"text":"a"}}})");
  folder.write("missing.json", R"({"variant":"multi_head"})");
  folder.write("nofile.json", R"({"variant":"multi_head","arrays":"none.npz"})");
  folder.write("truncated.json", R"({"variant":"multi_head","arrays":"truncated.npz"})");
  folder.write("good.json", sentence);
  REQUIRE(folder.run("trace good.json -o whole.npz").status == 0);
  folder.write("truncated.npz", contents(folder / "whole.npz").substr(0, 200));
  const Said misspelt = folder.run("rendr good.json");
  CHECK(misspelt.status == 2);
  CHECK(misspelt.err == "headlight: there is no command \"rendr\": did you mean render?\n");
  const Said alone = folder.run("rendr");
  CHECK(alone.status == 2);
  CHECK(alone.err == misspelt.err);
  const Said unlike = folder.run("runn");
  CHECK(unlike.status == 2);
  CHECK(unlike.err == "headlight: runn: is neither a command nor a file: headlight --help lists the commands\n");
  CHECK(folder.run("runn good.json").err == unlike.err);
  CHECK(folder.run("help").out == folder.run("--help").out);
  CHECK(folder.run("help trace").out == folder.run("trace --help").out);
  CHECK(folder.run("help trace").out.find("Usage: headlight trace [OPTIONS]") != std::string::npos);
  CHECK(folder.run("help runn").err == unlike.err);
  CHECK(folder.run("help rendr").err == misspelt.err);
  CHECK(folder.run("view rendr").err == "headlight: rendr: does not exist\n");
  CHECK(folder.run("runn.headlight").err == "headlight: runn.headlight: does not exist\n");
  check_refused(folder, "trace absent.json -o o.npz", {"absent.json"});
  check_refused(folder, "trace broken.json -o o.npz", {"broken.json", "JSON"});
  check_refused(folder, "trace unknown.json -o o.npz", {"multi_hed", "did you mean multi_head?"});
  check_refused(folder, "trace heads.json -o o.npz", {"heads is 0"});
  check_refused(folder, "trace missing.json -o o.npz", {"x_q is missing"});
  check_refused(folder, "trace nofile.json -o o.npz", {"none.npz"});
  check_refused(folder, "trace truncated.json -o o.npz", {"truncated.npz"});
  check_refused(folder, "trace good.json -o no/such/folder/o.npz", {"no/such/folder"});
  check_refused(folder, "render good.json -o o.png --head 99", {"head", "99"});
  check_refused(folder, "render good.json -o o.png --step nothing", {"nothing"});
  check_refused(folder, "render good.json -o o.gif", {".png"});
  check_refused(folder, "screenshot broken.json -o o.png", {"broken.json", "JSON"});
  const std::string too_long(5000, 'a');
  check_refused(folder, too_long, {"aaa…", "File name too long"});
  check_refused(folder, "trace " + too_long + " -o o.npz", {"aaa…", "File name too long"});
  folder.write("notes.txt", "not a map");
  check_refused(folder, "view notes.txt", {"notes.txt: view opens arrays (.npy, "});
}

TEST_CASE("a matrix that is not cut into heads is told how, with its own number of them") {
  const Folder folder;
  const auto tensor = [](headlight::Shape shape) { return headlight::Tensor(std::move(shape)); };
  REQUIRE(headlight::write_npz(folder / "m.npz", {{"x_q", tensor({1, 3, 12})},
                                                  {"w_q", tensor({12, 12})},
                                                  {"w_k", tensor({4, 12, 3})},
                                                  {"w_v", tensor({4, 12, 3})},
                                                  {"w_o", tensor({12, 12})}}));
  folder.write("a.json", R"({"variant": "multi_head", "arrays": "m.npz"})");
  check_refused(folder, "trace a.json -o o.npz",
                {"w_q has shape (12, 12)", "(M, d_q, d') = (4, 12, 3)", "w_q.reshape(d_q, M, d')"});
}

TEST_CASE("arrays with a missing weight or a wrong shape are named") {
  const Folder folder;
  using headlight::Tensor;
  const Tensor x({1, 3, 4});
  const Tensor w({2, 4, 5});
  const Tensor wrong({2, 6, 5});
  REQUIRE(headlight::write_npz(folder / "a.npz", {{"x_q", x}, {"w_q", w}}));
  REQUIRE(headlight::write_npz(folder / "b.npz", {{"x_q", x}, {"w_q", w}, {"w_k", wrong}, {"w_v", w}}));
  folder.write("a.json", R"({"variant":"multi_head","params":{"heads":2,"d_head":5},"arrays":"a.npz"})");
  folder.write("b.json", R"({"variant":"multi_head","params":{"heads":2,"d_head":5},"arrays":"b.npz"})");
  check_refused(folder, "trace a.json -o o.npz", {"a.npz", "w_k is missing", "w_q, x_q"});
  check_refused(folder, "trace b.json -o o.npz", {"b.npz: w_k has shape (2, 6, 5)", "d_k is 4"});
}

TEST_CASE("code writes a script with its arrays beside it, or prints the script alone") {
  const Folder folder;
  folder.write("a.json", sentence);
  const Said written = folder.run("code a.json --as pytorch -o mine.py");
  INFO(written.err);
  REQUIRE(written.status == 0);
  CHECK(written.out.empty());
  CHECK(folder.files() == 3);
  const std::string script = contents(folder / "mine.py");
  CHECK(script.find("torch.softmax(masked_scores, dim=-1)") != std::string::npos);
  CHECK(script.find("/ \"mine.npz\"\n") != std::string::npos);
  const auto arrays = headlight::read_arrays(folder / "mine.npz");
  REQUIRE(arrays);
  std::vector<std::string> names;
  for (const auto& array : *arrays) names.push_back(array.name);
  CHECK(names == std::vector<std::string>{"x_q", "w_q", "w_k", "w_v", "w_o", "mask", "q", "k", "v", "scores",
                                          "scaled_scores", "masked_scores", "weights", "head_outputs", "concat",
                                          "output"});
  const Said printed = folder.run("code a.json");
  CHECK(printed.status == 0);
  CHECK(printed.out.find("weights = softmax(masked_scores)") != std::string::npos);
  CHECK(printed.out.find("headlight code a.json --as numpy -o a.py") != std::string::npos);
  CHECK(folder.files() == 3);
}

TEST_CASE("a file with edits is run with them, and says which") {
  const Folder folder;
  const std::string head = R"({"variant": "multi_head", "inputs": {"x_q": {"text": "a b"}}, "edits": [)";
  folder.write("e.headlight", head + R"({"array": "head_outputs", "at": [null, 0, null, null], "make": "zero"},
                                        {"array": "weights", "make": "uniform", "on": false}]})");
  const Said said = folder.run("trace e.headlight -o e.npz");
  CHECK(said.status == 0);
  CHECK(said.err == "headlight: note: edit 1: head_outputs, head 0 set to 0\n");
  const auto arrays = headlight::read_arrays(folder / "e.npz");
  REQUIRE(arrays);
  const auto found = std::ranges::find(*arrays, "head_outputs", &headlight::NamedArray::name);
  REQUIRE(found != arrays->end());
  const auto numbers = found->values.values();
  const auto first = numbers.first(numbers.size() / 8);  // of eight heads
  CHECK(std::ranges::count(first, 0.0F) == static_cast<std::ptrdiff_t>(first.size()));
  CHECK(std::ranges::count(numbers, 0.0F) < static_cast<std::ptrdiff_t>(numbers.size()));
  CHECK(folder.run("code e.headlight -q").out.find("head_outputs[:, 0, :, :] = 0.0\n") != std::string::npos);
  // A caption names what its numbers depend on: the output does, the weights before it do not.
  for (const std::string step : {"weights", "output"}) {
    INFO(step);
    CHECK(folder.run(fmt::format("render e.headlight -o {0}.png --step {0} --words -q", step)).status == 0);
    const bool named =
        contents(folder / (step + ".txt")).find("Edited: head_outputs, head 0 set to 0.") != std::string::npos;
    CHECK(named == (step == "output"));
  }
  folder.write("bad.headlight", head + R"({"array": "masked_scores", "set": "-inf"}]})");
  const Said refused = folder.run("trace bad.headlight -o bad.npz");
  CHECK(refused.status == 1);
  CHECK(refused.err.find(
            "headlight: bad.headlight: edit 1: array \"masked_scores\" is not in this run: it has x_q, ") == 0);
}

TEST_CASE("code does not write its arrays over a file that is another's") {
  const Folder folder;
  folder.write("a.json", sentence);
  REQUIRE(folder.run("trace a.json -o mine.npz -q").status == 0);
  const std::string steps = contents(folder / "mine.npz");
  const Said written = folder.run("code a.json -o mine.py -q");
  CHECK(written.status == 0);
  CHECK(written.err.find("mine.npz is there already: the script's arrays are in mine-arrays.npz") != std::string::npos);
  CHECK(contents(folder / "mine.py").find("mine-arrays.npz") != std::string::npos);
  CHECK(std::filesystem::exists(folder / "mine-arrays.npz"));
  // Once more, now that the script is there.
  CHECK(folder.run("code a.json -o mine.py -q").status == 0);
  CHECK(contents(folder / "mine.npz") == steps);
  // Its own arrays it writes anew.
  CHECK(folder.run("code a.json -o own.py -q").status == 0);
  CHECK(folder.run("code a.json -o own.py -q").err.empty());
  CHECK_FALSE(std::filesystem::exists(folder / "own-arrays.npz"));
  for (int i = 0; i < 3; ++i)
    CHECK(folder.run("code a.json -o 'a\"b.py' -q").err.empty());  // as Python writes the name
  // And where both names are others', it says so.
  REQUIRE(folder.run("trace a.json -o both.npz -q").status == 0);
  REQUIRE(folder.run("trace a.json -o both-arrays.npz -q").status == 0);
  check_refused(folder, "code a.json -o both.py", {"both.npz and both-arrays.npz are there already"});
}

TEST_CASE("code that cannot be written leaves nothing behind") {
  const Folder folder;
  folder.write("a.json", sentence);
  folder.write("broken.json", "{");
  std::filesystem::create_directory(folder / "taken.py");
  check_refused(folder, "code a.json -o a.txt", {"a.txt", ".py"});
  check_refused(folder, "code a.json -o no/such/folder/a.py", {"no/such/folder"});
  check_refused(folder, "code a.json -o taken.py", {"taken.py"});
  check_refused(folder, "code a.json -o '.py'", {".py"});
  check_refused(folder, "code broken.json -o a.py", {"broken.json", "JSON"});
}

TEST_CASE("a NaN is carried through and named where it begins") {
  const Folder folder;
  headlight::Tensor x({1, 3, 4});
  x[5] = std::numeric_limits<float>::quiet_NaN();
  REQUIRE(headlight::write_npz(folder / "x.npz", {{"x_q", x}}));
  folder.write("nan.json", R"({"variant":"multi_head","arrays":"x.npz","weights":{"init":"normal"}})");
  const Said said = folder.run("trace nan.json -o o.npz");
  CHECK(said.status == 0);
  CHECK(said.err.find("x_q is NaN at [0, 1, 1], where it begins; it goes on to the output") != std::string::npos);
  headlight::Tensor weights({2, 3, 3});
  weights[3] = std::numeric_limits<float>::quiet_NaN();
  REQUIRE(headlight::write_npy(folder / "attn.npy", weights));
  CHECK(folder.run("trace attn.npy -o o.npz")
            .err.find("given is NaN at [0, 0, 1, 0], where it begins; it goes on to "
                      "weights") != std::string::npos);
}

#ifndef HEADLIGHT_ADDRESS_SANITIZER  // sanitizers reserve more than any limit allows
TEST_CASE("too little memory is one line and status 1, wherever it ends") {
  const Folder folder;
  std::string words;
  for (int i = 0; i < 150; ++i) words += "word ";
  folder.write("a.json", R"({"variant":"multi_head","inputs":{"x_q":{"d_model":512,"text":")" + words + "\"}}}");
  constexpr int cannot_start = 127;  // the program's own libraries do not fit
  int refused = 0;
  // KiB, until it suffices: what the libraries that draw cannot survive lies between.
  for (int limit = 20000; limit <= 170000; limit += limit < 70000 ? 2500 : 10000) {
    for (const char* arguments :
         {"trace a.json -o o.npz", "render a.json -o o.png", "render --each head -o '{head}.pdf'"}) {
      const Said said = folder.run(arguments, fmt::format("ulimit -v {};", limit));
      INFO(limit << ": " << arguments << "\n" << said.err);
      CHECK((said.status == 0 || said.status == 1 || said.status == cannot_start));
      if (said.status != 0) CHECK(lines_in(said.err) == 1);
      refused += said.status == 1;
    }
  }
  CHECK(refused > 0);
}
#endif

TEST_CASE("flags take their value as people write it, and misspelt ones are told") {
  const Folder folder;
  folder.write("a.json", sentence);
  for (const char* off : {"--recipe false", "--recipe=false", "--no-recipe"}) {
    const Said said = folder.run(fmt::format("render a.json {} -o f.svg", off));
    INFO(off << "\n" << said.err);
    CHECK(said.status == 0);
    CHECK(contents(folder / "f.svg").find("headlight:recipe") == std::string::npos);
  }
  CHECK(folder.run("render --grid a.json -o g.svg").status == 0);  // a file is no value of a flag
  CHECK(contents(folder / "g.svg").find("headlight:recipe") != std::string::npos);
  CHECK(folder.run("render a.json --heads 0 -o h.svg").err == "headlight: there is no --heads: did you mean --head?\n");
  CHECK(folder.run("render a.json -o f.PDF").status == 0);
  CHECK(fs::exists(folder / "f.PDF"));
}

TEST_CASE("list takes the name of one variant") {
  const Folder folder;
  const Said one = folder.run("list additive");
  CHECK(one.status == 0);
  CHECK(one.out.starts_with("additive: "));
  CHECK(one.out.find("multi_head") == std::string::npos);
  const Said model = folder.run("list model");
  CHECK((model.out.starts_with("model: ") && model.out.find("distilbert") != std::string::npos));
  CHECK(model.out.find("multi_head:") == std::string::npos);
  check_refused(folder, "list nothing", {"there is no variant", "additive"});
}

TEST_CASE("names that are likely to be mistakes are refused") {
  const Folder folder;
  folder.write("a.json", sentence);
  check_refused(folder, "trace a.json -o o.txt", {".npz"});
  check_refused(folder, "render a.json -o no/where/at/all.pdf", {"there is no folder"});
  CHECK(folder.run("render a.json -o new/f.pdf").status == 0);
  CHECK(folder.run("render a.json --each step --each head -o 'other/{step}/{head}.svg'").status == 0);
}

TEST_CASE("an experiment comes by standard input where - stands for its file") {
  const Folder folder;
  folder.write("in", R"({"variant": "multi_head", "inputs": {"x_q": {"text": "a b"}}})");
  CHECK(folder.run("trace - -o steps.npz -q <in").status == 0);
  CHECK(headlight::read_arrays(folder / "steps.npz"));
  CHECK(folder.run("code - <in").out.find("weights") != std::string::npos);
  CHECK(folder.run("render - -o '{experiment}.svg' -q <in").status == 0);
  CHECK(fs::exists(folder / "input.svg"));
  CHECK(folder.run("worksheet - -o sheet.pdf --no-key -q <in").status == 0);
  CHECK(contents(folder / "input.svg").find("Attention weights") != std::string::npos);
  folder.write("bad", "no json");
  check_refused(folder, "trace - -o s.npz <bad", {"standard input: this is not JSON"});
  check_refused(folder, "render - -o s.pdf </dev/null", {"standard input: it is empty"});
  check_refused(folder, "- <in", {"-: the window opens files"});
  check_refused(folder, "info - <in", {"-: info looks into files and folders"});
  fs::create_directory(folder / "model");
  folder.write("model/vocab.txt", "[UNK]\n[CLS]\n[SEP]\nthe\n");
  folder.write("texts.json", "[\"the\"]");
  CHECK(folder.run("tokens model --texts - --json <texts.json").out ==
        folder.run("tokens model --texts texts.json --json").out);
  check_refused(folder, "tokens model --texts - <in", {"standard input: is an object: a list of texts is needed"});
}

TEST_CASE("what is written goes to standard output where - stands for its file, as into a file") {
  const Folder folder;
  folder.write("a.json", sentence);
  // The same bytes as those of a file of that name, and nothing written beside.
  const auto same = [&](const std::string& command, const std::string& to_file, const std::string& file) {
    INFO(command);
    const Said named = folder.run(to_file);
    REQUIRE(named.status == 0);
    const int files = folder.files();
    const Said said = folder.run(command);
    CHECK(said.status == 0);
    CHECK(said.out == contents(folder / file));
    CHECK_FALSE(said.out.empty());
    CHECK(folder.files() == files);
  };
  same("trace a.json -o -", "trace a.json -o t.npz", "t.npz");
  same("trace - -o - <a.json", "trace a.json -o t.npz", "t.npz");
  same("render a.json -o - -q", "render a.json -o figure.pdf -q", "figure.pdf");
  for (const std::string format : {"pdf", "svg", "png"})
    same(fmt::format("render a.json -o - -q --format {}", format), fmt::format("render a.json -q -o figure.{}", format),
         "figure." + format);
  same("embed a.json -o -", "embed a.json -o e.headlight", "e.headlight");
  same("heads a.json -o -", "heads a.json -o h.txt", "h.txt");
  CHECK(folder.run("code a.json -o -").out.find("weights") != std::string::npos);
  // A figure and a model come by standard input as by their files.
  same("render - -o - -q <figure.pdf", "render figure.pdf -o same.pdf -q", "same.pdf");
  fs::copy(HEADLIGHT_SOURCE_DIR "/tests/reference/models/gpt2", folder / "model");
  folder.write("m.json", R"({"model": "model", "inputs": {"tokens": {"ids": [3, 1, 4]}}})");
  same("trace - --layer 1 -o - <m.json", "trace m.json --layer 1 -o t.npz", "t.npz");
  same("render - --layers all -o - -q <m.json", "render m.json --layers all -o figure.pdf -q", "figure.pdf");
}

TEST_CASE("what standard output cannot take is refused in a line") {
  const Folder folder;
  folder.write("a.json", sentence);
  fs::create_directory(folder / "many");
  for (const char* name : {"many/a.json", "many/b.json"}) folder.write(name, sentence);
  check_refused(folder, "render a.json -o - --each head", {"-o -: --each draws several figures"});
  check_refused(folder, "render many -o -", {"-o -: 2 experiments are several figures"});
  check_refused(folder, "render a.json -o - --words", {"-o -: --csv, --npy and --words stand beside"});
  check_refused(folder, "render a.json -o f.pdf --format svg", {"--format is of -o -"});
  check_refused(folder, "worksheet a.json -o -", {".pdf"});
  check_refused(folder, "worksheet a.json --rows 1,2,1 -o s.pdf", {"--rows: 1 stands there twice"});
  for (const char* rows : {"1,,2", "1,", ",", "1,x", "-1", "100001"}) {
    const auto said = folder.run(fmt::format("worksheet a.json --rows={} -o s.pdf", rows));
    CHECK(said.status == 2);
    CHECK(said.err.find(fmt::format("--rows: {}: it must be queries from 0 to 100000, with commas", rows)) !=
          std::string::npos);
  }
  const auto empty = folder.run("worksheet a.json --step weights,,output -o s.pdf");
  CHECK(empty.status == 2);
  CHECK(empty.err.find("--step: weights,,output: it must be ids of steps, with commas between them") !=
        std::string::npos);
  CHECK(folder.run("render a.json -o - --format tex").status == 2);
}

TEST_CASE("a terminal is no place for an archive or a figure") {
  const Folder folder;
  folder.write("a.json", sentence);
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) {  // as in a bare root
    WARN("this system has no terminals to give: not tried");
    return;
  }
  REQUIRE((terminal >= 0 && ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0));
  for (const char* command : {"trace a.json -o -", "render a.json -o -"}) {
    const std::string line = fmt::format("cd {} && {} {} >{} 2>err", (folder / "").string(), HEADLIGHT_PROGRAM, command,
                                         ::ptsname(terminal));
    const int status = std::system(line.c_str());
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
    CHECK(contents(folder / "err") ==
          "headlight: -o -: standard output is a terminal: send it on with | or >, or name a file\n");
  }
  ::close(terminal);
}

TEST_CASE("errors name the files of an experiment without what their paths go back over") {
  const Folder folder;
  fs::create_directories(folder / "d/e");
  const auto refused = [&](const std::string& input, const std::string& file) {
    folder.write("d/x.headlight", input);
    const Said said = folder.run("trace d/e/.././x.headlight -o o.npz");
    INFO(said.err);
    CHECK(said.err.find(" " + file + ": does not exist") != std::string::npos);
  };
  refused(R"({"variant": "multi_head", "inputs": {"x_q": {"npy": "e/../../mine.npy"}}})", "mine.npy");
  refused(R"({"variant": "multi_head", "arrays": "./e/../mine.npz", "inputs": {"x_q": {"text": "a"}}})", "d/mine.npz");
  refused(R"({"variant": "non_local", "inputs": {"x": {"image": "../d/no.png"}}})", "d/no.png");
  refused(R"({"variant": "non_local", "inputs": {"x": {"signal": ".//no.csv"}}})", "d/no.csv");
  refused(R"({"variant": "non_local", "inputs": {"x": {"frames": ["e/../a.png", "b.png"]}}})", "d/a.png");
}

TEST_CASE("files outside the experiment's folder are named") {
  const Folder folder;
  fs::create_directory(folder / "in");
  folder.write("x.csv", "y\n1\n2\n3\n");
  folder.write("in/a.json", R"({"variant":"multi_head","inputs":{"x_q":{"signal":"../x.csv"}}})");
  const Said said = folder.run("trace in/a.json -o o.npz");
  CHECK(said.status == 0);
  CHECK(said.err.find("outside its folder: ") != std::string::npos);
  CHECK(said.err.find("/x.csv") != std::string::npos);
  folder.write("b.json", R"({"variant":"multi_head","inputs":{"x_q":{"signal":"x.csv"}}})");
  CHECK(folder.run("trace b.json -o o.npz").err.find("outside") == std::string::npos);
}

TEST_CASE("embed makes one file that runs and draws where its inputs are not, and its figures draw themselves again") {
  const Folder folder, elsewhere;
  fs::copy_file(HEADLIGHT_SOURCE_DIR "/assets/examples/scene.png", folder / "scene.png");
  folder.write("e.headlight", R"({"variant": "non_local", "inputs": {"x": {"image": "scene.png", "size": [4, 6]}}})");
  const Said said = folder.run("embed e.headlight -o one.headlight");
  CHECK((said.status == 0 && said.err.empty()));
  CHECK(said.out.starts_with("scene.png  "));
  CHECK(lines_in(said.out) == 1);
  REQUIRE(folder.run("trace e.headlight -o a.npz -q").status == 0);
  fs::copy_file(folder / "one.headlight", elsewhere / "one.headlight");
  const Said ran = elsewhere.run("trace one.headlight -o a.npz -q");
  CHECK((ran.status == 0 && ran.err.empty()));
  CHECK(contents(elsewhere / "a.npz") == contents(folder / "a.npz"));
  for (const char* format : {"pdf", "svg", "png", "tex"}) {
    INFO(format);
    REQUIRE(elsewhere.run(fmt::format("render one.headlight -o a.{} -q", format)).status == 0);
    const Folder empty;
    fs::copy_file(elsewhere / fmt::format("a.{}", format), empty / fmt::format("a.{}", format));
    fs::create_directory(empty / "again");  // of the same name, for LaTeX names what lies beside it
    CHECK(empty.run(fmt::format("render a.{0} -o again/a.{0}", format)).err.empty());
    CHECK(contents(empty / fmt::format("again/a.{}", format)) == contents(elsewhere / fmt::format("a.{}", format)));
  }
  CHECK(folder.run("embed - -o two.headlight", "cat e.headlight |").status == 0);
  CHECK(contents(folder / "two.headlight") == contents(folder / "one.headlight"));
  check_refused(folder, "embed e.headlight -o scene.png", {"scene.png", "the experiment reads this file"});
  check_refused(folder, "embed none.headlight -o x.headlight", {"none.headlight", "does not exist"});
  folder.write("bad.headlight", R"({"variant": "non_local", "inputs": {"x": {"image": "no.png"}}})");
  check_refused(folder, "embed bad.headlight -o x.headlight", {"bad.headlight: no.png: does not exist"});
}

TEST_CASE("describe says what a step shows") {
  const Folder folder;
  const Said said = folder.run("describe --head 2 --query 9 --key 3");
  CHECK(said.status == 0);
  CHECK(said.out.starts_with("Attention weights of head 2, Induction: 12 queries by 12 keys."));
  CHECK(said.out.find("At cat (9) and sat (3) the weight is 0.9520: ") != std::string::npos);
  CHECK(folder.run("describe --step q --head 1")
            .out.starts_with("Queries of head 1, Same token: 12 queries by 8 channels."));
  check_refused(folder, "describe --query 12", {"--query is 12", "from 0 to 11"});
  check_refused(folder, "describe --step q --key 1", {"--key is 1", "q has none"});
  check_refused(folder, "describe --step wieghts", {"wieghts", "weights"});
}

TEST_CASE("lessons are checked, answered and printed") {
  const Folder folder;
  const std::string shipped = HEADLIGHT_SOURCE_DIR "/assets/lessons";
  const Said checked = folder.run("lesson check " + shipped);
  CHECK(checked.status == 0);
  CHECK(checked.err.empty());
  CHECK_THAT(
      checked.out,
      ContainsSubstring("one-row-by-hand.lesson.md: 7 steps, 7 questions, 28 numbers computed, 17 asserted and so\n"));
  const Said wrong = folder.run("lesson run " + shipped + "/masks.lesson.md --answers wrong -o answers.csv -q");
  CHECK(wrong.status == 0);
  const std::string answers = contents(folder / "answers.csv");
  CHECK(answers.starts_with("lesson,step,title,kind,answer,truth,right,reply\nmasks,0,"));
  CHECK(std::count(answers.begin(), answers.end(), '\n') == 5);
  CHECK(folder.run("lesson print " + shipped + "/masks.lesson.md -o sheet.pdf").status == 0);
  CHECK(folder.run("lesson print " + shipped + "/masks.lesson.md -o both.pdf --key --paper letter").status == 0);
  CHECK(contents(folder / "sheet.pdf").starts_with("%PDF"));
  CHECK(fs::file_size(folder / "both.pdf") > fs::file_size(folder / "sheet.pdf"));

  const Said class_of = folder.run("lesson print " + shipped + "/masks.lesson.md -o class.pdf --copies 3 --seed 2");
  CHECK(class_of.status == 0);
  CHECK_THAT(class_of.err, ContainsSubstring("all copies have the lesson's own numbers"));
  CHECK(fs::file_size(folder / "class.pdf") > fs::file_size(folder / "both.pdf"));
  const Said no_copies = folder.run("lesson check " + shipped + "/masks.lesson.md --copies 3");
  CHECK(no_copies.status == 2);
  CHECK_THAT(no_copies.err, ContainsSubstring("--copies: it is of lesson print"));
  CHECK(folder.run("lesson new mine.lesson.md").status == 0);
  const std::string mine = contents(folder / "mine.lesson.md");
  const Said over = folder.run("lesson run mine.lesson.md -o ./mine.lesson.md -q");
  CHECK(over.status == 1);
  CHECK_THAT(over.err, ContainsSubstring("mine.lesson.md"));
  CHECK(contents(folder / "mine.lesson.md") == mine);
  CHECK(folder.run("lesson check mine.lesson.md").status == 0);
  check_refused(folder, "lesson new mine.lesson.md", {"mine.lesson.md", "already"});
  check_refused(folder, "lesson new mine.txt", {"mine.txt", ".lesson.md"});
  for (const char* taken : {"check mine.lesson.md --screenshots there 800x600", "new other.lesson.md --seed 3",
                            "run mine.lesson.md --key", "check mine.lesson.md -o answers.csv"}) {
    const Said said = folder.run(std::string("lesson ") + taken);
    INFO(taken << ": " << said.err);
    CHECK(said.status == 2);
    CHECK(said.err.find("it is of lesson ") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(folder / "other.lesson.md"));
  check_refused(folder, "lesson run mine.lesson.md -q --screenshots there 10x10", {"10x10", "WIDTHxHEIGHT"});

  folder.write("bad.lesson.md", "# One\n\nSo {0.5 = max weights[h0, q9, :]} it is.\n");
  const Said bad = folder.run("lesson check bad.lesson.md");
  CHECK(bad.status == 1);
  CHECK(bad.err == "headlight: bad.lesson.md:3:5: this says 0.5: it is 0.834\n");
  CHECK(folder.run("lesson run bad.lesson.md").status == 1);
  CHECK(folder.run("lesson print bad.lesson.md -o bad.pdf").status == 1);
  CHECK_FALSE(fs::exists(folder / "bad.pdf"));
  check_refused(folder, "lesson check none.lesson.md", {"none.lesson.md"});
  fs::create_directory(folder / "empty");
  check_refused(folder, "lesson check empty", {"no lesson", ".lesson.md"});
  check_refused(folder, "lesson print " + shipped + "/masks.lesson.md -o sheet.png", {".pdf"});
}
