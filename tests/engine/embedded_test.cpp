// Experiments that carry their inputs in themselves: the same numbers as from files, read where those files are not;
// and what is refused.
#include <fstream>

#include "engine/core/base64.h"
#include "engine/io/embedded.h"
#include "engine/io/experiment_inputs.h"
#include "engine/io/file.h"
#include "engine/io/images/image_file.h"
#include "engine/io/npz.h"
#include "engine/run/embed.h"
#include "tests/catch.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

Tensor array(Shape shape) {
  Tensor made(std::move(shape));
  for (Index i = 0; i < made.size(); ++i) made[i] = 0.01F * static_cast<float>(i % 37) - 0.1F;
  return made;
}

// A file of each kind that an experiment reads.
void put_files(const fs::path& folder) {
  const fs::path examples = fs::path(HEADLIGHT_SOURCE_DIR) / "assets/examples";
  fs::create_directories(folder / "pictures");
  for (const char* name : {"scene_0.png", "scene_1.png"}) fs::copy_file(examples / name, folder / "pictures" / name);
  fs::copy_file(examples / "signal.csv", folder / "signal.csv");
  write(folder / "tokens.json", R"(["a", "b", "c"])");
  const Tensor x = array({1, 3, 8}), w = array({2, 8, 4}), w_o = array({8, 8});
  REQUIRE(write_npz(folder / "x.npz", {{"x", x}}));
  REQUIRE(write_npz(folder / "w.npz", {{"w_q", w}, {"w_k", w}, {"w_v", w}, {"w_o", w_o}}));
  fs::copy_file(fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models/gpt2/model.safetensors",
                folder / "layer.safetensors");
}

const char* const experiments[] = {
    R"({"variant": "non_local", "inputs": {"x": {"image": "pictures/scene_0.png", "size": [4, 6]}}})",
    R"({"variant": "non_local", "inputs": {"x": {"frames": "pictures", "size": [2, 3]}}})",
    R"({"variant": "multi_head", "inputs": {"x_q": {"signal": "signal.csv", "samples": 8}}})",
    R"({"variant": "multi_head", "inputs": {"x_q": {"npy": "x.npz", "tokens": "tokens.json"}},
        "weights": {"init": "normal", "seed": 1}})",
    R"({"variant": "multi_head", "params": {"heads": 2, "d_head": 4}, "inputs": {"x_q": {"npy": "x.npz"}},
        "arrays": "w.npz", "weights": {"init": "zeros", "seed": 0}})",
    R"({"variant": "multi_head", "params": {"heads": 2}, "inputs": {"x_q": {"text": "a b c", "d_model": 8}},
        "weights": {"from": "layer.safetensors", "layer": 1}})"};

std::vector<float> output_of(const Experiment& experiment) {
  const RanExperiment run = ran(experiment);
  const auto values = run.trace->steps.back().tensor().values();
  return {values.begin(), values.end()};
}

std::string refused(const std::string& files) {
  const auto read = parse_experiment(
      R"({"variant": "non_local", "inputs": {"x": {"image": "a.png"}}, "files": )" + files + "}", {}, "e");
  return read ? std::string() : read.error().message;
}

}  // namespace

TEST_CASE("an experiment with its inputs in it gives the same numbers where there is no file") {
  for (const char* const json : experiments) {
    INFO(json);
    std::string whole;
    std::vector<float> expected;
    {
      const Scratch folder;
      put_files(folder / "here");
      const auto experiment = parse_experiment(json, folder / "here", "e");
      REQUIRE(experiment);
      expected = output_of(*experiment);
      const auto made = embedded(*experiment);
      if (!made) FAIL(made.error().message);
      CHECK(made->files.size() >= 1);
      CHECK(output_of(*made) == expected);
      whole = to_json(*made, folder / "elsewhere");
    }
    const auto read = parse_experiment(whole, "/nowhere", "e");
    if (!read) FAIL(read.error().message);
    CHECK(read->notices.empty());
    CHECK(output_of(*read) == expected);
    CHECK(to_json(*read, "/other") == whole);  // saved again it is the same file
    CHECK(to_json(*parse_experiment(to_json(*read, "/other"), {}, "e"), {}) == whole);
  }
}

TEST_CASE("a name leads to the file that is embedded, and any other path to the disk") {
  const Scratch folder;
  put_files(folder / "here");
  const fs::path picture = folder / "here" / "pictures/scene_0.png";
  const auto bytes = read_file(picture, 1 << 20);
  REQUIRE(bytes);
  const auto with = [&](const std::string& path) {
    return parse_experiment(
        fmt::format(R"({{"variant": "non_local", "inputs": {{"x": {{"image": "{}", "size": [2, 3]}}}},
                                            "files": {{"cat.png": {{"base64": "{}"}}}}}})",
                    path, to_base64(*bytes)),
        folder / "here", "e");
  };
  const auto inside = with("cat.png"), outside = with("./cat.png");
  REQUIRE((inside && outside));
  CHECK(inside->notices.empty());
  CHECK(prepare(*inside).has_value());
  CHECK(outside->notices == std::vector<std::string>{"e: files.cat.png is read by nothing here"});
  CHECK_FALSE(prepare(*outside));
  CHECK(to_json(*outside, {}).find("base64") == std::string::npos);  // what nothing reads is not kept
  // It is read as long as somebody holds it, and no longer.
  std::string path;
  {
    const auto held = with("cat.png");
    path = std::get<ImageInput>(held->inputs.at("x")).path;
    CHECK(InputFile::open(path)->size() == bytes->size());
    std::string tail(4, '\0');
    CHECK(InputFile::open(path)->read_at(bytes->size() - 4, tail));
    CHECK(tail == bytes->substr(bytes->size() - 4));
    CHECK_FALSE(InputFile::open(path)->read_at(bytes->size() - 3, tail));
    CHECK_FALSE(InputFile::open(path)->read_at(bytes->size() + 9, tail));
  }
  CHECK(InputFile::open(path));  // `inside` holds the same bytes under the same name
  const auto other = embed_file("cat.png", "no picture");
  CHECK(other->path != path);
  const auto picture_of_none = read_image(other->path);
  REQUIRE_FALSE(picture_of_none);
  CHECK(picture_of_none.error().message.starts_with("cat.png (embedded): "));
}

TEST_CASE("embedded files that cannot be are refused in one line") {
  CHECK(refused("[]") == "e: files is an array: it must be an object");
  CHECK(refused(R"({"a.png": "YQ=="})") == R"(e: files.a.png is "YQ==": it must be {"base64": "…"})");
  CHECK(refused(R"({"a.png": {"base64": 7}})") == "e: files.a.png.base64 is 7: it must be a string");
  CHECK(refused(R"({"a.png": {"base64": "YQ*="}})") ==
        "e: files.a.png.base64 is no base64: sign 3 is none of A-Z, a-z, 0-9, + and /");
  CHECK(refused(R"({"a.png": {"base64": "YQ=="}})").empty());
  for (const char* bad : {"Y", "YR==", "YQ=", "Y Q=", "=YQ=", "YQ==="}) {
    INFO(bad);
    CHECK_FALSE(refused(fmt::format(R"({{"a.png": {{"base64": "{}"}}}})", bad)).empty());
  }
  for (const char* bad : {"/etc/passwd", "../a.png", "a/../b.png", "./a.png", "", "a//b.png", "a/", ".."}) {
    INFO(bad);
    CHECK(refused(fmt::format(R"({{"{}": {{"base64": ""}}}})", bad)).find("this is no name of a file") !=
          std::string::npos);
  }
  const std::string large = to_base64(std::string(most_embedded / 2 + 1, 'a'));
  CHECK(refused(fmt::format(R"({{"a.png": {{"base64": "{0}"}}, "b": {{"base64": "{0}"}}}})", large)) ==
        "e: files holds more than 4 MB: keep large files beside the experiment");
  for (int length = 0; length < 40; ++length) {
    std::string bytes;
    for (int i = 0; i < length; ++i) bytes += static_cast<char>(i * 41 + length);
    CHECK(*from_base64(to_base64(bytes)) == bytes);
  }
}

TEST_CASE("what cannot go into an experiment is said") {
  const Scratch folder;
  const fs::path here = folder / "here";
  put_files(here);
  write(here / "large.csv", std::string(most_embedded + 1, '1'));
  write(here / "model/config.json", "{}");
  write(here / "model/model.safetensors", "");
  write(here / "w.safetensors.index.json", "{}");
  const auto why = [&](const std::string& rest) {
    const auto experiment = parse_experiment(R"({"variant": "multi_head", )" + rest + "}", here, "e");
    REQUIRE(experiment);
    const auto made = embedded(*experiment);
    return made ? std::string() : made.error().message;
  };
  CHECK(why(R"("inputs": {"x_q": {"signal": "large.csv"}})") ==
        "the 1 files have 4.0 MB, most of it large.csv: at most 4 MB go into an experiment");
  CHECK(why(R"("inputs": {"x_q": {"signal": "none.csv"}})").find("none.csv: does not exist") != std::string::npos);
  CHECK(why(R"("weights": {"from": "model"})").find("is a folder") != std::string::npos);
  CHECK(why(R"("weights": {"from": "model/model.safetensors"})").find("config.json beside it") != std::string::npos);
  CHECK(why(R"("arrays": "w.safetensors.index.json")").find("index of shards") != std::string::npos);
  CHECK(why(R"("inputs": {"x_q": {"step": "layer1/input", "of": "m.headlight"}})").find("step of a model") !=
        std::string::npos);
  CHECK(why(R"("inputs": {"x_q": {"text": "a"}})").empty());
}

TEST_CASE("files from elsewhere go by their names, two of one name by different ones") {
  const Scratch folder;
  put_files(folder / "here");
  put_files(folder / "there");
  write(folder / "there" / "signal.csv", "1\n2\n3\n");
  const auto experiment = parse_experiment(
      R"({"variant": "multi_head", "inputs": {"x_q": {"signal": "signal.csv"}, "x_k": {"signal": "../there/signal.csv"},
          "x_v": {"signal": "../there/signal.csv"}}})",
      folder / "here", "e");
  REQUIRE(experiment);
  const auto made = embedded(*experiment);
  REQUIRE(made);
  REQUIRE(made->files.size() == 2);
  const auto again = parse_experiment(to_json(*made, {}), {}, "e");
  REQUIRE(again);
  const auto path_of = [&](const char* id) { return std::get<SignalInput>(again->inputs.at(id)).path; };
  CHECK(embedded_name(path_of("x_q")) != embedded_name(path_of("x_k")));
  CHECK(path_of("x_v") == path_of("x_k"));
  CHECK(embedded_file(path_of("x_k"))->bytes == "1\n2\n3\n");
  CHECK(embedded_file(path_of("x_q"))->bytes != "1\n2\n3\n");
}
