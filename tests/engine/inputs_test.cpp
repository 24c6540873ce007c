#include "engine/run/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "engine/inputs/features.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/picture_files.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::test;
using namespace std::string_literals;

namespace {

// A variant of one input whose rank a parameter sets, as the spatial ones have it.
class Spatial final : public Variant {
 public:
  Spatial()
      : Variant({.id = "spatial", .title = {}, .summary = {}, .shorthand = {}, .source = {}},
                {{.id = "dimension", .title = "", .help = "", .fallback = Index{1}, .least = 1, .most = 3}}, {}) {}

  ArraySpecs arrays(const ParamValues& params, const IdSet&) const override {
    const std::vector<std::vector<std::string>> shapes{
        {"B", "C", "L"}, {"B", "C", "H", "W"}, {"B", "C", "T", "H", "W"}};
    const auto dimension = static_cast<std::size_t>(params.integer("dimension"));
    return {
        .inputs = {{.id = "x", .title = "x", .help = "", .shapes = {shapes[dimension - 1]}, .layout = Layout::grid}},
        .weights = {}};
  }
  void bind(const ParamValues&, Symbols&) const override {}
  void bind_rest(const ParamValues&, Symbols&) const override {}
  Status validate(const ParamValues&, const Symbols&) const override { return {}; }
  std::vector<std::string> samples() const override { return {}; }
  void record(Recorder&) const override {}

  ArraySpec input(Index dimension) const {
    ParamValues values = ParamValues::defaults(params());
    values.set("dimension", dimension);
    return arrays(values, {}).inputs.front();
  }
};

// 3 columns, 2 rows, each pixel's red its flat position times 40.
Image numbered() {
  Image image = filled_image(3, 2, {});
  for (Index i = 0; i < 6; ++i) image.set(i % 3, i / 3, {static_cast<std::uint8_t>(40 * i), 0, 0, 255});
  return image;
}

MadeInput made(const InputSpec& input, const std::filesystem::path& folder) {
  auto result = make_input(input, folder, false);
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  return std::move(*result);
}

std::string error_of(const std::string& input, const std::filesystem::path& folder) {
  const auto experiment = parse_experiment(R"({"variant":"multi_head","inputs":{"x_q":)" + input + "}}", folder, "");
  if (!experiment) return experiment.error().message;
  const auto problem = prepare(*experiment, Budget{1e9});
  return problem ? "" : problem.error().message;
}

}  // namespace

TEST_CASE("a picture becomes rows with their grid, labels and picture") {
  const Scratch folder;
  REQUIRE(write_file(folder / "a.png", encode_png(numbered()).value()));
  const auto experiment = parse_experiment(
      R"({"variant":"multi_head","inputs":{"x_q":{"image":"a.png"}},"weights":{"init":"normal"}})", folder / "", "");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment, Budget{1e9});
  REQUIRE(problem);
  CHECK(problem->input_kind == InputKind::image);
  CHECK(problem->find("x_q")->shape() == Shape{1, 6, picture_channels});
  CHECK(problem->find("x_q")->at({0, 4, channel_r}) == Approx(160.0 / 255 - 0.5));
  CHECK(problem->labels.at("n_q").at(4) == "1, 1");
  CHECK(problem->labels.at("n_k").at(5) == "1, 2");
  CHECK(problem->grids.at("n_q").columns == 3);
  CHECK(problem->grids.at("n_k").rows == 2);
  REQUIRE(problem->pictures.at("x_q")->cells.size() == 1);
  CHECK(problem->pictures.at("x_k")->cells[0].rgba == numbered().rgba);
}

TEST_CASE("a picture goes to the grid that is asked for, else to one of at most 32") {
  const Scratch folder;
  REQUIRE(write_file(folder / "a.png", encode_png(filled_image(64, 32, rgb(0x336699))).value()));
  const MadeInput usual = made(ImageInput{.path = "a.png", .size = {}}, folder / "");
  CHECK(usual.grid.rows == 16);
  CHECK(usual.pictures->cells[0].width == 32);
  REQUIRE(usual.pictures->fine.size() == 1);  // people see the picture's own pixels
  CHECK(usual.pictures->fine[0].width == 64);
  CHECK(made(FramesInput{{"a.png"}, {}}, folder / "").grid.rows == 8);  // frames: at most 16
  const MadeInput asked = made(ImageInput{.path = "a.png", .size = GridSize{5, 2}, .features = "rgb"}, folder / "");
  CHECK(asked.values.shape() == Shape{10, 3});
  CHECK(asked.values.at({9, 2}) == Approx(0.6));
}

TEST_CASE("frames come from a list, a folder in natural order, or an animation") {
  const Scratch folder;
  const auto write = [&](const std::string& name, std::uint32_t color) {
    REQUIRE(write_file(folder / name, encode_png(filled_image(2, 2, rgb(color))).value()));
  };
  std::filesystem::create_directory(folder / "film");
  write("film/f10.png", 0x0000FF);
  write("film/f2.PNG", 0xFF0000);
  REQUIRE(write_file(folder / "film/notes.txt", "not a picture"));
  const MadeInput film = made(FramesInput{.paths = {"film"}, .size = {}, .features = "rgb"}, folder / "");
  CHECK(film.values.shape() == Shape{8, 3});
  CHECK(film.values.at({0, 0}) == 1);  // f2 before f10
  CHECK(film.labels.at(6) == "t1 1, 0");
  CHECK(film.grid.frames == 2);
  const MadeInput list =
      made(FramesInput{.paths = {"film/f10.png", "film/f2.PNG"}, .size = {}, .features = "rgb"}, folder / "");
  CHECK(list.values.at({0, 0}) == 0);
  REQUIRE(write_file(folder / "a.gif",
                     gif_bytes(1, 1, "\x00\x00\x00\xFF\x00\x00"s, {{.indices = "\0"s}, {.indices = "\1"}})));
  const MadeInput gif = made(FramesInput{.paths = {"a.gif"}, .size = {}}, folder / "");
  CHECK(gif.values.shape() == Shape{2, frame_channels});
  CHECK(gif.values.at({1, channel_t}) == 0.125F);
  CHECK(gif.pictures->cells.size() == 2);
}

TEST_CASE("of a long video frames are chosen: from where on, every how many-th, and how many") {
  const Scratch folder;
  std::vector<GifFrame> all;
  for (char i = 0; i < 7; ++i) all.push_back({.indices = std::string(1, i)});
  std::string palette;
  for (int i = 0; i < 8; ++i) palette += std::string(3, static_cast<char>(i * 30));
  REQUIRE(write_file(folder / "a.gif", gif_bytes(1, 1, palette, all)));
  const auto greys = [&](const FramesInput& input) {
    const MadeInput film = made(input, folder / "");
    CHECK(film.pictures->of == 7);
    std::vector<int> found;
    for (Index i = 0; i < film.values.dim(0); ++i)
      found.push_back(static_cast<int>(std::lround(film.values.at({i, 0}) * 255 / 30)));
    return found;
  };
  FramesInput input{.paths = {"a.gif"}, .size = {}, .features = "rgb"};
  CHECK(greys(input) == std::vector{0, 1, 2, 3, 4, 5, 6});
  input.start = 1;
  input.every = 3;
  CHECK(greys(input) == std::vector{1, 4});
  input.every = 2;
  input.length = 2;
  CHECK(greys(input) == std::vector{1, 3});
  const auto why = [&](const char* chosen) {
    return error_of(fmt::format(R"({{"frames": "a.gif", {}}})", chosen), folder / "");
  };
  CHECK(why(R"("start": 7)").ends_with("start is 7, but there are 7 frames: at most 6"));
  CHECK(why(R"("start": 1, "every": 3, "length": 3)")
            .ends_with("length is 3, but from frame 1 on there are 2, every 3 frames: at most that"));
  CHECK(why(R"("every": 0)").find("every is 0") != std::string::npos);
}

TEST_CASE("a long signal says that it was averaged down, unless it was asked for") {
  const Scratch folder;
  std::string text = "t,y\n";
  for (int i = 0; i < 128; ++i) text += fmt::format("{},{}\n", i, i % 2);
  REQUIRE(write_file(folder / "y.csv", text));
  const MadeInput usual = made(SignalInput{.path = "y.csv", .features = "value"}, folder / "");
  CHECK(usual.values.shape() == Shape{64, 1});
  CHECK(usual.values.at({3, 0}) == 0.5F);
  REQUIRE(usual.warnings.size() == 1);
  CHECK(usual.warnings[0] ==
        "128 samples were averaged down to 64: Positions in the window (\"samples\" in a file) keeps more");
  const MadeInput asked = made(SignalInput{.path = "y.csv", .column = "t", .samples = 128}, folder / "");
  CHECK(asked.values.shape() == Shape{128, signal_channels});
  CHECK(asked.warnings.empty());
  CHECK(asked.labels.at(127) == "127");
  CHECK(error_of(R"({"signal":"y.csv","column":"z"})", folder / "") ==
        "inputs.x_q: " + (folder / "y.csv").string() + ": there is no column z: it has t, y");
}

TEST_CASE("a stretch of a signal is read, and one that is not there is refused") {
  const Scratch folder;
  std::string numbers;
  for (int i = 0; i < 10; ++i) numbers += fmt::format("{}\n", i);
  REQUIRE(write_file(folder / "s.csv", numbers));
  SignalInput signal{"s.csv"};
  signal.features = "value";
  signal.start = 4;
  signal.length = 4;
  signal.samples = 2;
  const MadeInput stretch = made(signal, folder / "");
  REQUIRE(stretch.values.shape() == Shape{2, 1});
  CHECK(stretch.values[1] - stretch.values[0] > 0);
  signal.samples.reset();
  signal.length.reset();
  CHECK(made(signal, folder / "").values.dim(0) == 6);
  CHECK(error_of(R"({"signal":"s.csv","start":10})", folder / "") ==
        "inputs.x_q: start is 10, but the signal has 10 samples: at most 9");
  CHECK(error_of(R"({"signal":"s.csv","start":8,"length":3})", folder / "") ==
        "inputs.x_q: length is 3 from sample 8 on, but the signal has 10 samples: at most 2");
}

TEST_CASE("inputs are laid into grids with channels before positions") {
  const Spatial variant;
  MadeInput input;
  input.kind = InputKind::frames;
  input.grid = {2, 1, 3};
  input.values = Tensor({6, 2});
  for (Index i = 0; i < 12; ++i) input.values[i] = static_cast<float>(i);  // position p has 2p and 2p + 1
  const Tensor film = laid_out(input, variant.input(3));
  CHECK(film.shape() == Shape{1, 2, 2, 1, 3});
  CHECK(film.at({0, 1, 1, 0, 2}) == 11);
  CHECK(film.at({0, 0, 1, 0, 0}) == 6);
  const Tensor batch = laid_out(input, variant.input(2));
  CHECK(batch.shape() == Shape{2, 2, 1, 3});
  CHECK(batch.at({1, 1, 0, 2}) == 11);
  CHECK(batch.at({1, 0, 0, 0}) == 6);
  input.kind = InputKind::image;
  input.grid = {1, 2, 3};
  CHECK(laid_out(input, variant.input(2)).at({0, 1, 1, 2}) == 11);
  CHECK(laid_out(input, variant.input(3)).shape() == Shape{1, 2, 1, 2, 3});
  input.kind = InputKind::signal;
  input.grid = {1, 1, 6};
  const Tensor line = laid_out(input, variant.input(1));
  CHECK(line.shape() == Shape{1, 2, 6});
  CHECK(line.at({0, 1, 4}) == 9);
}

TEST_CASE("what does not fit says why, and what would") {
  const Spatial variant;
  const ParamValues defaults = ParamValues::defaults(variant.params());
  CHECK_FALSE(fits(InputKind::image, variant.input(1)));
  CHECK_FALSE(fits(InputKind::text, variant.input(2)));
  CHECK(fits(InputKind::image, variant.input(3)));
  CHECK(why_not(InputKind::image, variant.input(1), variant, defaults, all_variants()) ==
        "is a picture, which has rows and columns, but x of spatial takes (B, C, L): set params.dimension to 2");
  // A variant of rank 4 alone: no parameter helps, another variant does.
  ArraySpec other = variant.input(2);
  other.id = "y";
  CHECK(why_not(InputKind::text, other, variant, defaults, all_variants()) ==
        "is text, which has one axis of positions, but y of spatial takes (B, C, H, W): use the variant multi_head");
  const Scratch folder;
  CHECK(error_of(R"([[[1]]],"valid_lens":{"text":"a"})", folder / "") ==
        "inputs.valid_lens is text, which has one axis of positions, but valid_lens of multi_head takes numbers only: "
        "give {\"npy\": …} or an array");
}

TEST_CASE("broken inputs are one line that names the input and the file") {
  const Scratch folder;
  const std::string at = (folder / "").string();
  REQUIRE(write_file(folder / "empty.png", ""));
  REQUIRE(write_file(folder / "huge.png", png_bytes({.width = 100000, .height = 100000, .rows = "\0"s})));
  std::filesystem::create_directory(folder / "bare");
  CHECK(error_of(R"({"image":"empty.png"})", folder / "") ==
        "inputs.x_q: " + at + "empty.png: this file is empty: it must be a PNG, JPEG, GIF or BMP picture");
  CHECK(
      error_of(R"({"image":"huge.png"})", folder / "").starts_with("inputs.x_q: " + at + "huge.png: a PNG of 100000"));
  CHECK(error_of(R"({"frames":"bare"})", folder / "") ==
        "inputs.x_q: " + at + "bare: there are no pictures in this folder (.png, .jpg, .gif, .bmp)");
  CHECK(error_of(R"({"image":"nowhere.png"})", folder / "").starts_with("inputs.x_q: " + at + "nowhere.png: "));
}

TEST_CASE("an .npz names its array, unless it has only one") {
  const Scratch folder;
  const Tensor a = Tensor::from({1, 1, 2}, std::vector<float>{1, 2});
  REQUIRE(write_npz(folder / "two.npz", {{"a", a}, {"b", a}}));
  CHECK(error_of(R"({"npy":"two.npz","member":"b"})", folder / "") == "");
  CHECK(error_of(R"({"npy":"two.npz"})", folder / "") ==
        "inputs.x_q: two.npz holds 2 arrays (a, b): name one as \"member\"");
  CHECK(error_of(R"({"npy":"two.npz","member":"c"})", folder / "") ==
        "inputs.x_q: two.npz holds no array c: it has a, b");
}

TEST_CASE("inputs of every kind are saved as they were read") {
  const std::string json = R"({"variant":"multi_head","inputs":{
    "x_q":{"image":"a.png","size":[4,6],"mine":1},"x_k":{"frames":["a.png","b.png"],"features":"rgb"},
    "x_v":{"signal":"y.csv","column":2,"start":5,"length":30,"samples":9},"p_q":{"frames":"film","start":2,"every":4,"length":5},
    "p_k":{"npy":"a.npz","member":"m","axes":"nc"}}})";
  const auto first = parse_experiment(json, "/home/cat", "cat.json");
  REQUIRE(first);
  CHECK(first->notices.size() == 1);
  CHECK(std::get<ImageInput>(first->inputs.at("x_q")).size == GridSize{4, 6});
  const std::string saved = to_json(*first, "/home/cat");
  const auto second = parse_experiment(saved, "/home/cat", "cat.json");
  REQUIRE(second);
  CHECK(second->inputs == first->inputs);
  CHECK(to_json(*second, "/home/cat") == saved);
  CHECK(saved.find("\"mine\": 1") != std::string::npos);
  CHECK(saved.find("\"column\": 2") != std::string::npos);
  CHECK(saved.find("\"frames\": \"film\"") != std::string::npos);
  const std::string moved = to_json(*first, "/home/dog");
  for (const char* path : {"\"../cat/a.png\"", "\"../cat/b.png\"", "\"../cat/y.csv\"", "\"../cat/film\""})
    CHECK(moved.find(path) != std::string::npos);
}

TEST_CASE("what is wrong in an input's fields") {
  CHECK(error_of(R"({"image":"a.png","size":[0,4]})", "") ==
        ": inputs.x_q.size is an array: it must be [rows, columns], each from 1 to 1024");
  CHECK(error_of(R"({"image":"a.png","features":"grey"})", "") ==
        ": inputs.x_q.features is \"grey\": it must be one of described, rgb");
  CHECK(error_of(R"({"frames":[]})", "") ==
        ": inputs.x_q.frames is an array: it must be a list of pictures, a folder of them, or an animated GIF");
  CHECK(error_of(R"({"signal":"a.csv","samples":0})", "") ==
        ": inputs.x_q.samples is 0: it must be a whole number from 1 to 1000000");
}

TEST_CASE("an array that does not fit is told what it may lack") {
  const Scratch scratch;
  const auto error = [&](const std::vector<ArrayToWrite>& arrays, const std::string& params = "{}") {
    REQUIRE(write_npz(scratch / "a.npz", arrays));
    auto experiment = parse_experiment(
        R"({"variant": "multi_head", "arrays": "a.npz", "weights": {"init": "normal"}, "params": )" + params + "}",
        scratch / "", "e.json");
    REQUIRE(experiment);
    const auto problem = prepare(*experiment, Budget{1e9});
    return problem ? fmt::format("{}", fmt::join(problem->warnings, "; ")) : problem.error().message;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  const Tensor x({1, 3, 8}), flat({3, 8}), square({8, 8}), bias({16}), biases({8});
  has(error({{"x_q", x}, {"b_1", bias}}), "b_1 is not used by multi_head: set params.ffn to true, which takes it");
  has(error({{"x_q", x}, {"w_qq", square}}), "w_qq is not used by multi_head: did you mean w_q?");
  // Of many of which the same is to be said, it is said once.
  const std::string many = error({{"x_q", x}, {"blue", x}, {"green", x}, {"orange", x}});
  has(many, "blue, green, orange are not used by multi_head: it takes x_q, ");
  CHECK(many.find("; ") == std::string::npos);
  std::vector<ArrayToWrite> close{{"x_q", x}};  // and of those that need a line each, a few are told
  for (const char* name : {"w_qq", "w_kk", "w_vv", "w_oo", "b_1", "b_2"}) close.push_back({name, square});
  const std::string told = error(close);
  CHECK(std::ranges::count(told, ';') == 4);
  has(told, "more array");
  has(error({{"x_q", flat}}), "(a batch of one? give it that axis: x_q[None] in NumPy)");
  has(error({{"x_q", x}, {"w_q", square}}, R"({"heads": 2})"), "w_q.reshape(d_q, M, d').transpose(1, 0, 2)");
  has(error({{"x_q", x}, {"b_q", biases}}, R"({"heads": 2})"), "b_q.reshape(M, d')");
}

TEST_CASE("sizes that nobody set are those of arrays, from whatever file they come") {
  const Scratch scratch;
  const Tensor x({1, 3, 8}), w({2, 8, 4});
  REQUIRE(write_npy(scratch / "x.npy", x));
  REQUIRE(write_npy(scratch / "w.npy", w));
  const auto experiment = parse_experiment(
      R"({"variant": "multi_head", "inputs": {"x_q": {"npy": "x.npy"}, "w_q": {"npy": "w.npy"}},
          "weights": {"init": "normal"}})",
      scratch / "", "e.json");
  REQUIRE(experiment);
  const auto problem = prepare(*experiment, Budget{1e9});
  if (!problem) FAIL(problem.error().message);
  CHECK(problem->dim("M") == 2);
  CHECK(problem->dim("d'") == 4);
}
