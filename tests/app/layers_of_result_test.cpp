// The layers of a result that has several, such as attention that was saved, looked at together: what is drawn, marked
// and figured of them, by clicks and keys, against the file's own numbers.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "app/actions/action_table.h"
#include "app/actions/exports.h"
#include "app/model/document.h"
#include "app/panels/common/picture.h"
#include "app/panels/layers/parts.h"
#include "app/session/dump.h"
#include "engine/io/array_source.h"
#include "engine/io/file.h"
#include "engine/io/npy.h"
#include "engine/io/npz.h"
#include "engine/measures/layer_maps.h"
#include "engine/picture/pooling.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// Weights of which no two maps are alike: (layers, batch, heads, queries, keys).
Tensor attention(const Shape& shape) {
  Tensor tensor(shape);
  const Index n = tensor.dim(-1);
  for (Index row = 0; row < tensor.size() / n; ++row) {
    float sum = 0;
    for (Index j = 0; j < n; ++j)
      sum += tensor[row * n + j] = static_cast<float>((7 * row + 3 * j * (row % 4)) % 11 + 1);
    for (Index j = 0; j < n; ++j) tensor[row * n + j] /= sum;
  }
  return tensor;
}

// A window on a dump of 3 layers, 2 items, 4 heads and 5 tokens, as `headlight view` opens it.
struct Shown {
  Scratch scratch;
  Tensor maps = attention({3, 2, 4, 5, 5});
  Driver driver;
  explicit Shown(float width = 1600, float height = 1000) : driver(width, height, 1, experiment()) { driver.settle(); }
  Experiment experiment() {
    REQUIRE(write_npy(scratch / "attn.npy", maps));
    REQUIRE(write_file(scratch / "words.json", R"(["the", "cat", "saw", "the", "dog"])"));
    DumpOptions options;
    options.tokens = (scratch / "words.json").string();
    const auto made = experiment_of_dump(scratch / "attn.npy", options);
    REQUIRE(made);
    return *made;
  }
  double weight(Index layer, Index item, Index head, Index query, Index key) const {
    return maps[(((layer * 2 + item) * 4 + head) * 5 + query) * 5 + key];
  }
  double mean(Index layer, Index item, Index query, Index key) const {
    double sum = 0;
    for (Index head = 0; head < 4; ++head) sum += weight(layer, item, head, query, key);
    return sum / 4;
  }
};

}  // namespace

TEST_CASE("a dump of several layers opens on all of its heads, which clicks and keys choose and open") {
  Shown window;
  Driver& d = window.driver;
  REQUIRE(d.shows("layers/2/3"));
  CHECK_FALSE(d.shows("heatmap"));
  d.click("layers/2/1");
  CHECK(d.widget("layers/head").value == "2 1");
  d.press(Key::up);
  d.press(Key::right);
  d.press(Key::right);
  d.settle();
  CHECK(d.widget("layers/head").value == "1 3");
  CHECK(d.model().step()->info.id == "layer1/weights");
  CHECK(d.model().stage() == 1);
  d.click("tokens/weights/4");  // it asks
  CHECK(d.model().document.look.selection.query == 4);
  act(d, ChoosePair{{4, 1}});
  CHECK(d.widget("layers/weight").value == fmt::format("{:.4f}", window.weight(1, 0, 3, 4, 1)));
  d.press(Key::right, {.shift = true});
  d.press(Key::up, {.shift = true});
  d.settle();
  CHECK(d.widget("layers/weight").value == fmt::format("{:.4f}", window.weight(1, 0, 3, 3, 2)));
  act(d, SetBatch{1});
  CHECK(d.widget("layers/weight").value == fmt::format("{:.4f}", window.weight(1, 1, 3, 3, 2)));
  d.press(Key::enter);
  d.settle();
  CHECK(d.model().document.look.mode == ViewMode::map);
  CHECK(d.widget("heatmap").value == "5×5");
  CHECK(d.model().document.look.head == 3);
  CHECK_FALSE(d.shows("layers/2/3"));
  d.press(Key::l, {.shift = true});
  d.settle();
  CHECK(d.widget("layers/head").value == "1 3");
  act(d, Undo{});
  act(d, Undo{});
  CHECK(d.shows("layers/2/3"));
}

TEST_CASE("what is made of saved layers, their means, rollout and measures, follows from the file's numbers") {
  Shown window;
  Driver& d = window.driver;
  act(d, SetBatch{1});
  const PartRun& part = *d.model().layers.made;
  std::vector<std::vector<double>> reached;  // by layer, query and key
  for (Index l = 0; l < 3; ++l) {
    std::vector<double> now(25);
    for (Index i = 0; i < 5; ++i) {
      double sum = 0;
      std::vector<double> mixed(5);
      for (Index j = 0; j < 5; ++j) sum += mixed[j] = 0.5 * window.mean(l, 1, i, j) + (i == j ? 0.5 : 0);
      for (Index j = 0; j < 5; ++j)
        for (Index k = 0; k < 5; ++k)
          now[i * 5 + j] += mixed[k] / sum * (l == 0 ? (k == j ? 1.0 : 0.0) : reached.back()[k * 5 + j]);
    }
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 5; ++j) {
        CHECK((*part.means)[(l * 5 + i) * 5 + j] == Approx(window.mean(l, 1, i, j)).margin(1e-6));
        CHECK((*part.rollout)[(l * 5 + i) * 5 + j] == Approx(now[i * 5 + j]).margin(1e-6));
      }
    reached.push_back(std::move(now));
  }
  // A measure is of the item that is looked at, and of no other.
  CHECK(part.measures[2].size() == 1);
  double previous = 0;
  for (Index i = 1; i < 5; ++i) previous += window.weight(2, 1, 3, i, i - 1) / 4;
  CHECK(part.measure(Measure::previous, 2, 3) == Approx(previous).margin(1e-6));
  act(d, MarkBy{Measure::previous});
  act(d, MarkHeads{HeadMarks::sort});
  CHECK(d.widget("layers/ranked/2/3").value == fmt::format("{:.3f}", previous));
  d.click("layers/ranked/2/3");
  CHECK(d.widget("layers/head").value == "2 3");
  CHECK(d.widget("layers/measure/item").value == "item 1 of 0–1");
  CHECK(d.widget("layers/measures/item").value == "item 1 of 0–1");
  CHECK(why_not(Action(ViewLayers{LayersView::rollout_row}), d.model()) == "No picture is read");
  for (const LayersView view : {LayersView::token, LayersView::rollout, LayersView::average, LayersView::measure}) {
    act(d, ViewLayers{view});
    CHECK(d.shows(view == LayersView::rollout || view == LayersView::average ? "layers/of/2" : "layers/2/3"));
  }
}

TEST_CASE("the figure of saved layers is of what is looked at") {
  Shown window;
  Driver& d = window.driver;
  const std::pair<LayersView, const char*> views[] = {{LayersView::maps, " --layers all -o layers.pdf"},
                                                      {LayersView::average, " --average --layers all "},
                                                      {LayersView::rollout, " --step rollout --layers all "},
                                                      {LayersView::token, " --layers all --as layers --query 4 "}};
  for (const auto& [view, settings] : views) {
    act(d, ViewLayers{view});
    act(d, ShowScreen{Screen::figure});
    const std::string command = command_of(d.model());
    INFO(command);
    CHECK(command.find(settings) != std::string::npos);
    CHECK(d.shows("figure/of-layers"));
    act(d, ShowScreen{Screen::explore});
  }
  act(d, SetBatch{1});
  act(d, ShowScreen{Screen::figure});
  CHECK(d.model().document.figure.batch == 1);
  act(d, ShowScreen{Screen::explore});
  act(d, SetMode{ViewMode::map});  // of a map alone
  act(d, ShowScreen{Screen::figure});
  CHECK_FALSE(d.shows("figure/of-layers"));
  CHECK(command_of(d.model()).find("--layers") == std::string::npos);
}

TEST_CASE("where a result has one layer there is no view of all, and a file that asks for it opens on the map") {
  Driver d;
  d.settle();
  CHECK(why_not(Action(ViewLayers{LayersView::rollout}), d.model()) == "There is one layer");
  act(d, SetMode{ViewMode::layers});
  CHECK(d.model().document.look.mode == ViewMode::map);
  d.press(Key::l, {.shift = true});
  d.settle();
  CHECK(d.shows("heatmap"));
  Experiment asks = example_experiment();
  asks.view.mode = "layers";
  Driver other(1600, 1000, 1, asks);
  other.settle();
  CHECK(other.model().document.look.mode == ViewMode::map);
  CHECK(other.shows("heatmap"));
}

TEST_CASE("saved cross attention has no rollout, which is said, and two lists of tokens") {
  const Scratch scratch;
  REQUIRE(write_npy(scratch / "cross.npy", attention({2, 1, 3, 2, 4})));
  REQUIRE(write_file(scratch / "q.txt", "black\ncat\n"));
  REQUIRE(write_file(scratch / "k.txt", "un\nchat\nnoir\n.\n"));
  DumpOptions options;
  options.tokens = (scratch / "q.txt").string();
  options.key_tokens = (scratch / "k.txt").string();
  Driver d(1600, 1000, 1, *experiment_of_dump(scratch / "cross.npy", options));
  d.settle();
  REQUIRE(d.shows("layers/1/2"));
  CHECK(d.model().layers.made->rollout == nullptr);
  act(d, ViewLayers{LayersView::rollout});
  CHECK_FALSE(d.shows("layers/of/0"));
  act(d, ViewLayers{LayersView::average});
  CHECK(d.shows("layers/of/1"));
  CHECK(d.widget("tokens/weights").value == "2");
  CHECK(d.widget("tokens/weights/keys").value == "4");
  d.click("tokens/weights/keys/3");
  CHECK(d.model().document.look.selection.key == 3);
  CHECK_FALSE(d.model().document.look.selection.query);
}

TEST_CASE("what the axes of saved attention mean is said and chosen in its own letters, and its words stay") {
  const Scratch scratch;
  REQUIRE(write_npy(scratch / "attn.npy", attention({2, 3, 4, 4})));
  REQUIRE(write_file(scratch / "words.txt", "a\nb\nc\nd\n"));
  DumpOptions options;
  options.tokens = (scratch / "words.txt").string();
  const auto words_of = [&](const std::string& axes) {
    options.axes = axes;
    Driver d(1600, 1000, 1, *experiment_of_dump(scratch / "attn.npy", options));
    d.session().finish_files();
    d.settle();
    REQUIRE(d.model().error.empty());
    return d.widget("input/axes/words").value;
  };
  CHECK(words_of("") == "2 × 3 × 4 × 4: layers, heads, queries, keys.");
  CHECK(words_of("bhqk") == "2 × 3 × 4 × 4: batch, heads, queries, keys.");
  CHECK(words_of("hbqk") == "2 × 3 × 4 × 4: heads, batch, queries, keys.");
  options.axes.clear();
  Driver d(1600, 1000, 1, *experiment_of_dump(scratch / "attn.npy", options));
  d.session().finish_files();
  d.settle();
  d.click("input/axes");
  d.click("input/axes/BHQK");
  d.settle();
  CHECK(d.model().error.empty());
  CHECK(d.model().extent(AxisRole::batch) == 2);
  CHECK_FALSE(d.model().has_layers());
  CHECK(d.widget("tokens/weights").value == "4");
  // Arrays that are a layer each are chosen together until one is taken.
  REQUIRE(write_npz(scratch / "many.npz", {{"a", attention({3, 4, 4})}, {"b", attention({3, 4, 4})}}));
  Driver many(1600, 1000, 1, *experiment_of_dump(scratch / "many.npz", {}));
  many.session().finish_files();
  many.settle();
  CHECK(many.model().has_layers());
  CHECK(many.widget("input/axes/words").value == "3 × 4 × 4: heads, queries, keys.");
  many.click("input/member");
  many.click("input/member/a (3, 4, 4)");
  many.settle();
  CHECK(many.model().error.empty());
  CHECK_FALSE(many.model().has_layers());
  CHECK(many.model().trace()->map()->tensor()[0] == attention({3, 4, 4})[0]);
}

TEST_CASE("a weight has three digits at least, however small it is") {
  Scratch scratch;
  Tensor maps = Tensor({2, 1, 1, 2, 2});
  for (Index row = 0; row < 4; ++row) maps[2 * row] = 1;
  maps[0] = 1 - 0.000185F;
  maps[1] = 0.000185F;
  REQUIRE(write_npy(scratch / "attn.npy", maps));
  Driver d(1600, 1000, 1, *experiment_of_dump(scratch / "attn.npy", {}));
  d.settle();
  act(d, ChoosePair{{0, 1}});
  CHECK(d.widget("layers/weight").value == "1.85e−04");
  act(d, ChoosePair{{1, 1}});
  CHECK(d.widget("layers/weight").value == "0.0000");
  act(d, ChoosePair{{0, 0}});
  CHECK(d.widget("layers/weight").value == "0.9998");
}

namespace {

// Paints nothing, and knows between which bounds each map was to be painted.
class Noting final : public MapPainter {
 public:
  std::map<std::string, ValueRange> ranges;
  std::uintptr_t paint(const std::string& key, const NumbersOf&, const MatrixView&, int, int,
                       const MapLook& look) override {
    ranges.insert_or_assign(key, look.range);
    return 0;
  }
  std::uintptr_t picture(const std::string&, std::uint64_t, int, int, const std::uint32_t*) override { return 0; }
};

}  // namespace

TEST_CASE("all layers are on one scale: powers of ten over many keys, until somebody chooses, as of an opened map") {
  Scratch scratch;
  const Tensor maps = attention({2, 1, 2, 120, 120});
  REQUIRE(write_npy(scratch / "attn.npy", maps));
  Driver d(1600, 1000, 1, *experiment_of_dump(scratch / "attn.npy", {}));
  d.settle();
  PanelMemory memory;
  const auto ranges = [&] {
    Noting painter;
    d.frame_of(d.session(), memory, painter);
    return painter.ranges;
  };
  const auto scale = [](std::span<const float> numbers, Scaling::Space space) {
    return shown_range({Kind::probability, 120}, extent_of(numbers), {space, false});
  };
  const ValueRange powers = scale(maps.values(), Scaling::Space::automatic),
                   linear = scale(maps.values(), Scaling::Space::linear);
  REQUIRE((powers.spacing == Spacing::logarithmic && linear.spacing == Spacing::linear));
  CHECK(ranges().at("result/encoder/1/0/0") == powers);
  CHECK(ranges().at("result/encoder/0/0/0/large") == powers);
  CHECK(ranges().at("layers/bar") == powers);
  CHECK(d.widget("layers/bar").value == "weight, log, one scale for all 4 maps");
  CHECK(d.widget("layers/bar/pooled").value == "");  // as many pixels as cells
  d.resize(700, 500);
  d.settle();
  const Rect map = d.widget("layers/0/0").rect;
  const Block block = block_for_pixels(120, 120, static_cast<Index>(map.w), static_cast<Index>(map.h));
  REQUIRE_FALSE(block.single());
  CHECK(d.widget("layers/bar/pooled").value == pooling_text(block, Pooling::maximum));
  d.resize(1600, 1000);
  d.settle();
  d.click("layers/scaling");
  d.click("layers/scaling/Linear");
  CHECK(ranges().at("result/encoder/1/1/0") == linear);
  CHECK(ranges().at("layers/bar") == linear);
  CHECK(d.widget("layers/bar").value == "weight, linear, one scale for all 4 maps");
  for (const auto& [view, key] : {std::pair{LayersView::rollout, "result/encoder/rollout/1/0"},
                                  {LayersView::average, "result/encoder/mean/1/0"}}) {
    act(d, ViewLayers{view});
    const PartRun& part = *d.model().layers.made;
    const auto drawn = (view == LayersView::rollout ? part.rollout : part.means)->values();
    CHECK(ranges().at(key) == scale(drawn, Scaling::Space::linear));
  }
  act(d, SetMode{ViewMode::map});
  CHECK(ranges().at("layer0/weights/0") == scale(maps.values().first(2 * 120 * 120), Scaling::Space::linear));
  act(d, ViewLayers{LayersView::maps});
  act(d, SetScaling{{Scaling::Space::automatic, true}});
  CHECK(ranges().at("result/encoder/1/0/0") == powers);  // all together, whatever an opened map is drawn on
}

TEST_CASE("of a file that holds attention in several places one is chosen in the window") {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "both.npz";
  REQUIRE(write_npz(file, {{"cross_attentions.0", attention({1, 2, 3, 4})},
                           {"cross_attentions.1", attention({1, 2, 3, 4})},
                           {"encoder_attentions.0", attention({1, 2, 4, 4})},
                           {"encoder_attentions.1", attention({1, 2, 4, 4})}}));
  Driver d;
  d.session().act(Open{file});
  d.session().finish_files();
  d.settle();
  REQUIRE(d.shows("dialog/member/cross_attentions.*"));
  d.click("dialog/member/encoder_attentions.*");
  d.click("dialog/take");
  d.session().finish_files();
  d.settle();
  CHECK(d.model().dialog == Dialog::none);
  CHECK(d.shows("layers/1/1"));
  CHECK(d.model().extent(AxisRole::query) == 4);
  d.session().act(*parse_action("open-member cross_attentions.* " + file.string()));
  d.session().finish_files();
  d.settle();
  CHECK(d.model().extent(AxisRole::query) == 3);
}

TEST_CASE("steps of a decoder that began with one key are found as what they are together") {
  const Scratch scratch;
  const Tensor one = attention({1, 2, 1, 1}), two = attention({1, 2, 1, 2}), square = attention({1, 2, 4, 4});
  const std::vector<ArrayToWrite> steps{{"decoder_attentions.0.0", one},
                                        {"decoder_attentions.0.1", one},
                                        {"decoder_attentions.1.0", two},
                                        {"decoder_attentions.1.1", two},
                                        {"encoder_attentions.0", square}};
  REQUIRE(write_npz(scratch / "steps.npz", steps));
  CHECK(attention_in(**open_arrays(scratch / "steps.npz", {.all = true})) ==
        std::vector<std::string>{"decoder_attentions.*.*", "encoder_attentions.0"});
}

TEST_CASE("padding is said in the window without options of the command, and left out there") {
  Shown window;
  REQUIRE(write_file(window.scratch / "words.json", R"(["the", "cat", "saw", "<pad>", "<pad>"])"));
  Driver d(1600, 1000, 1,
           *experiment_of_dump(window.scratch / "attn.npy", {.tokens = (window.scratch / "words.json").string()}));
  d.settle();
  const auto says = [&](const char* words) {  // on as many lines as it takes
    std::string all;
    for (const LoggedText& text : d.log().texts) all += text.text + " ";
    return all.find(words) != std::string::npos;
  };
  CHECK(says("and Positions at the left leaves them out"));
  CHECK_FALSE(says("(--"));
  d.click("input/positions");
  d.type("0-2");
  d.settle();
  CHECK(d.model().extent(AxisRole::key) == 3);
  CHECK_FALSE(says("padding"));
}

TEST_CASE("the class token of saved attention looks at its photograph until another query is chosen") {
  const Scratch scratch;
  Tensor maps({2, 1, 2, 13, 13});
  std::ranges::fill(maps.values(), 1.0F / 13);
  REQUIRE(write_npy(scratch / "attn.npy", maps));
  DumpOptions options;
  options.image = HEADLIGHT_SOURCE_DIR "/assets/examples/scene.png";
  options.grid = "3x4";
  Driver d(1600, 1000, 1, *experiment_of_dump(scratch / "attn.npy", options));
  d.settle();
  d.session().act(ViewLayers{LayersView::token});
  d.settle();
  CHECK(d.widget("layers/view/words").value == "where position 0 looks, on the picture, without position 0");
  CHECK(d.memory().get<PictureMemory>().composed.contains("layers/1/1"));
  CHECK_FALSE(d.shows("layers/asks"));
  d.session().act(ShowScreen{Screen::figure});
  CHECK(command_of(d.model()).find(" --as layers --query 0") != std::string::npos);
  d.session().act(ShowScreen{Screen::explore});

  // So does the rollout, on a scale of what lies on the picture, where it is asked for.
  d.session().act(ViewLayers{LayersView::rollout});
  d.settle();
  CHECK(d.widget("layers/of/1").rect.w == d.widget("layers/of/1").rect.h);  // 13 × 13
  d.click("layers/rollout/row");
  d.settle();
  CHECK(d.model().document.look.layers.view == LayersView::rollout_row);
  CHECK(d.widget("layers/view/words").value == "what of the picture reaches position 0 (Abnar and Zuidema 2020)");
  const auto says_source = [&] {
    return std::ranges::any_of(d.log().texts, [](const LoggedText& text) {
      return text.text.find("(Abnar and Zuidema 2020)") != std::string::npos;
    });
  };
  // Where there is little room, its source waits for the pointer.
  for (const auto& [width, height] : {std::pair{1100, 768}, {1600, 1000}}) {
    d.resize(width, height);
    d.settle();
    CHECK(d.widget("layers/view/words").value.starts_with("what of the picture reaches position 0"));
    CHECK(std::ranges::none_of(d.log().texts, [](const LoggedText& text) {
      return text.text.starts_with("what of the") && text.text.find("…") != std::string::npos;
    }));
    if (width == 1600) continue;
    CHECK_FALSE(says_source());
    d.move_to(d.widget("layers/view/words").rect.middle());
    for (const double until = d.now() + 0.5; d.now() < until;) d.frame();
    CHECK(says_source());
  }
  CHECK(d.memory().get<PictureMemory>().composed.contains("layers/of/1"));
  const Rect layer = d.widget("layers/of/1").rect;
  CHECK(std::abs(layer.w / layer.h - 4.0F / 3) < 0.02F);
  const Tensor& rollout = *d.model().layers.made->rollout;
  CHECK(layers_shown(d.model())->range.high < rollout.at({0, 0, 0}));  // what the token keeps of itself
  CHECK_FALSE(d.shows("layers/asks"));
  d.session().act(ChoosePair{{6, std::nullopt}});
  d.settle();
  CHECK(d.shows("layers/asks"));
  d.session().act(ShowScreen{Screen::figure});
  CHECK(command_of(d.model()).find(" --step rollout --layers all --as picture --query 6") != std::string::npos);
  d.session().act(ShowScreen{Screen::explore});
  d.click("layers/rollout/maps");
  d.settle();
  CHECK(d.model().document.look.layers.view == LayersView::rollout);
}
