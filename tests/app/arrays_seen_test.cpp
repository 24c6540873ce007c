// Arrays of one's own in the window: what is shown of them is what is drawn, and they are saved and left again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "engine/io/array_source.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/npz.h"
#include "engine/run/prepare.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

Tensor numbers(Shape shape, float turn) {
  Tensor tensor(std::move(shape));
  for (Index i = 0; i < tensor.size(); ++i) tensor[i] = std::sin(static_cast<float>(i) * turn);
  return tensor;
}

// A folder with one attention layer of three heads on seven tokens, and an experiment that gives a sentence beside it.
struct Layer {
  const Scratch folder;
  fs::path arrays = folder / "layer.npz", experiment = folder / "both.headlight",
           inner = folder / "inner" / "in.headlight";

  Layer() {
    fs::create_directories(folder / "inner");
    REQUIRE(write_npz(arrays, {{"x_q", numbers({1, 7, 12}, 1.3F)},
                               {"w_q", numbers({3, 12, 4}, 0.7F)},
                               {"w_k", numbers({3, 12, 4}, 1.9F)},
                               {"w_v", numbers({3, 12, 4}, 2.3F)},
                               {"w_o", numbers({12, 12}, 0.3F)}}));
    REQUIRE(write_file(experiment, R"({"variant": "multi_head", "arrays": "layer.npz",
                                       "inputs": {"x_q": {"text": "one owl and two more owls"}}})"));
    REQUIRE(write_file(inner, R"({"variant": "multi_head", "arrays": "../layer.npz"})"));
  }
};

void act_and_read(Driver& driver, const Action& action) {
  driver.session().act(action);
  driver.session().finish_files();
  driver.settle();
}

std::string warnings(const Driver& driver) {
  return fmt::format("{}", fmt::join(driver.model().trace()->warnings, "\n"));
}

}  // namespace

TEST_CASE("a sentence beside a file of arrays labels what is drawn, and is not shown as its source") {
  const Layer layer;
  Driver driver;
  act_and_read(driver, Open{layer.experiment});
  REQUIRE(driver.model().error.empty());
  CHECK(driver.widget("heatmap").value == "7×7");
  CHECK_FALSE(driver.shows("input/x_q"));
  CHECK_FALSE(driver.shows("input/x_q/tokenizer"));
  CHECK(driver.shows("input/tensors/words"));
  CHECK(driver.widget("input/tensors/words").value == "Inputs come from layer.npz.");
  CHECK(warnings(driver).empty());
  CHECK(driver.model().trace()->map()->axis(AxisRole::key)->labels.at(2) == "owl");
  // Another sentence is no label of seven positions: it is refused, not dropped.
  REQUIRE(write_file(layer.experiment, R"({"variant": "multi_head", "arrays": "layer.npz",
                                           "inputs": {"x_q": {"text": "one owl"}}})"));
  act_and_read(driver, Open{layer.experiment});
  CHECK(driver.model().error.find("inputs.x_q.text has 2 tokens, but x_q (layer.npz) has 7 positions") !=
        std::string::npos);
}

TEST_CASE("arrays of a whole layer bring their own sizes, and nothing of the example stays beside them") {
  const Layer layer;
  Driver driver;
  act_and_read(driver, Open{layer.arrays});
  CHECK(driver.model().error.empty());
  CHECK(warnings(driver).empty());
  CHECK(driver.widget("heatmap").value == "7×7");
  CHECK(driver.widget("params/heads").value == "3");
  CHECK(driver.widget("params/d_head").value == "4");
  CHECK_FALSE(driver.model().document.look.pinned);
  act_and_read(driver, Undo{});
  CHECK(driver.widget("input/x_q").value.find("the cat sat") != std::string::npos);
  CHECK(driver.widget("params/heads").value == "8");
}

TEST_CASE("a file of arrays is left for another input, and for other weights with its input kept") {
  const Layer layer;
  Driver driver;
  act_and_read(driver, Open{layer.arrays});
  act_and_read(driver, SetWeights{"xavier_normal", 3});
  CHECK(driver.model().error.empty());
  CHECK(driver.model().document.experiment->arrays.empty());
  CHECK(driver.widget("heatmap").value == "7×7");
  act_and_read(driver, Undo{});
  act_and_read(driver, SetVariant{"additive"});
  CHECK(driver.model().error.empty());
  CHECK(driver.widget("heatmap").value == "7×7");
  act_and_read(driver, Undo{});
  CHECK(driver.widget("params/heads").value == "3");
  act_and_read(driver, UseExample{InputKind::text});
  CHECK(driver.model().error.empty());
  CHECK(driver.shows("input/x_q"));
  CHECK(driver.widget("heatmap").value == "12×12");
  REQUIRE(driver.model().notices.size() == 1);
  CHECK(driver.model().notices.front().text.starts_with("layer.npz holds x_q itself"));
}

TEST_CASE("the weights panel says which weights are drawn") {
  const Layer layer;
  Driver driver;
  CHECK_FALSE(driver.shows("weights/words"));  // of hand-made heads the heads tell
  act_and_read(driver, Open{layer.arrays});
  CHECK(driver.widget("weights/words").value == "From the file: w_q, w_k, w_v, w_o.");
  act_and_read(driver, SetParam{"bias", true});
  CHECK(driver.widget("weights/words").value == "From the file: w_q, w_k, w_v, w_o. Made here: b_q, b_k, b_v, b_o.");
  act_and_read(driver, Undo{});
  act_and_read(driver, SetWeights{"textbook", 0});  // which read no array
  CHECK(driver.widget("weights/words").value.starts_with("Drawn at random (xavier_normal)"));
  act_and_read(driver, SetWeights{"xavier_normal", 0});
  CHECK_FALSE(driver.shows("weights/words"));
}

TEST_CASE("Save arrays writes what the script reads, beside the experiment") {
  const Layer layer;
  Driver driver;
  act_and_read(driver, Open{layer.experiment});
  driver.click("code/arrays");
  for (int i = 0; i < 10000 && driver.model().exporting.busy; ++i) {
    ::usleep(1000);
    driver.frame();
  }
  const auto saved = read_arrays(layer.folder / "both.npz");
  REQUIRE(saved);
  const Step& weights = *driver.model().trace()->find("weights");
  const auto found = std::ranges::find(*saved, "weights", &NamedArray::name);
  REQUIRE(found != saved->end());
  CHECK(found->values.shape() == weights.tensor().shape());
  CHECK(found->values[8] == weights.tensor()[8]);
}

TEST_CASE("an experiment that reads outside its folder is told of in a card") {
  const Layer layer;
  Driver driver;
  act_and_read(driver, Open{layer.experiment});
  CHECK(driver.model().notices.empty());
  act_and_read(driver, Open{layer.inner});
  REQUIRE(driver.shows("notice/0"));
  CHECK(driver.widget("notice/0").value ==
        fmt::format("{} reads what lies outside its folder: {}", layer.inner.string(), layer.arrays.string()));
}

TEST_CASE("a state dict that is opened asks for what it does not say on one card, and shows its own weights") {
  const fs::path reference = fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/multi_head";
  Driver driver;
  act_and_read(driver, Open{reference / "from_torch_encoder/mine.safetensors"});
  REQUIRE(driver.shows("dialog/heads"));
  CHECK(driver.widget("dialog/heads/words").value.starts_with("The file does not say how many"));
  driver.click("dialog/take");  // not before heads are said
  REQUIRE(driver.shows("dialog/heads"));
  for (int i = 0; i < 2; ++i) driver.click("dialog/heads/+");
  driver.click("dialog/layer/+");
  driver.click("dialog/take");
  driver.settle();
  CHECK_FALSE(driver.shows("dialog/heads"));
  CHECK(driver.model().error.empty());
  const Experiment& experiment = *driver.model().document.experiment;
  CHECK(experiment.weights->layout == "torch.TransformerEncoderLayer");
  CHECK(experiment.weights->layer == 1);
  CHECK(driver.widget("params/heads").value == "2");
  CHECK(driver.widget("weights/words").value.find("mine.safetensors") != std::string::npos);
  // The numbers are those of the file's second layer.
  const auto arrays = read_arrays(reference / "from_torch_encoder/mine.safetensors");
  REQUIRE(arrays);
  const auto held = std::ranges::find(*arrays, "encoder.layers.1.linear1.bias", &NamedArray::name);
  REQUIRE(held != arrays->end());
  CHECK(std::ranges::equal(driver.model().shown.problem->arrays.at("b_1")->values(), held->values.values()));
  // What is saved opens the same; undo brings back what was there.
  const Scratch scratch;
  act_and_read(driver, Save{scratch / "layer.headlight"});
  Driver again;
  act_and_read(again, Open{scratch / "layer.headlight"});
  // The path is seen from the file that was saved where both have a folder in common, as in a clone under /tmp.
  const auto whole = [](const Model& model) {
    const Experiment& of = *model.document.experiment;
    WeightsSpec weights = *of.weights;
    weights.from = fs::weakly_canonical(resolve_path(of.folder, weights.from)).string();
    return weights;
  };
  CHECK(whole(again.model()) == whole(driver.model()));
  CHECK(again.model().error.empty());
  act_and_read(driver, Undo{});
  CHECK(driver.model().document.experiment->weights.value_or(WeightsSpec{}).from.empty());
  // A config beside it says the heads.
  act_and_read(driver, Open{reference / "from_vit/mine.safetensors"});
  CHECK(driver.widget("dialog/heads/words").value.find("2 heads of") != std::string::npos);
  driver.press(Key::enter);
  driver.settle();
  CHECK(driver.model().error.empty());
  CHECK(driver.model().document.experiment->weights->layout == "vit");
}

TEST_CASE("a layer whose names nobody knows opens by names that are guessed, mended and kept") {
  const Scratch scratch;
  const Tensor square({8, 8}), vector({8});
  std::vector<ArrayToWrite> arrays;
  for (const char* name : {"net.0.q", "net.0.k", "net.0.v", "net.0.o", "net.1.q", "net.1.k", "net.1.v", "net.1.o"})
    arrays.push_back({name, square});
  for (const char* name : {"net.0.first.scale", "net.0.second.scale", "net.1.first.scale", "net.1.second.scale"})
    arrays.push_back({name, vector});
  REQUIRE(write_npz(scratch / "mine.npz", arrays));
  Driver driver;
  act_and_read(driver, Open{scratch / "mine.npz"});
  REQUIRE(driver.shows("dialog/name/w_q"));
  CHECK(driver.widget("dialog/name/w_q").value == "net.{l}.q (8, 8)");
  CHECK(driver.widget("dialog/settings").value.find("block pre_norm, norm rms_norm") != std::string::npos);
  driver.click("dialog/take");  // not before heads are said
  REQUIRE(driver.shows("dialog/heads"));
  for (int i = 0; i < 2; ++i) driver.click("dialog/heads/+");
  driver.click("dialog/layer/+");
  driver.click("dialog/held/in_out");
  driver.click("dialog/keeps");
  driver.click("dialog/take");
  driver.settle();
  CHECK_FALSE(driver.shows("dialog/heads"));
  CHECK(driver.model().error.empty());
  const WeightsSpec& weights = *driver.model().document.experiment->weights;
  CHECK(weights.layer == 1);
  CHECK(weights.names.arrays.at("w_o") == OwnName{"net.{l}.o", "in_out", 0, 1});
  CHECK(weights.names.arrays.at("ln_gamma").name == "net.{l}.first.scale");
  // What is kept counts the next time; names that are not in the file are said.
  for (int i = 0; i < 1000 && !fs::exists(scratch / "names.json"); ++i) {
    ::usleep(1000);
    driver.frame();
  }
  const auto kept = read_own_names({.file = "names.json", .arrays = {}}, scratch / "");
  REQUIRE(kept);
  CHECK(kept->arrays == weights.names.arrays);
  act_and_read(driver, Open{scratch / "mine.npz"});
  REQUIRE(driver.model().arrays_opened);
  CHECK(driver.model().arrays_opened->names_beside == "These are the names of names.json beside it.");
  CHECK(driver.model().arrays_opened->proposed->names.arrays.at("w_q").held == "in_out");
  REQUIRE(write_file(scratch / "names.json", R"({"w_q": "elsewhere"})"));
  act_and_read(driver, Open{scratch / "mine.npz"});
  CHECK(driver.model().arrays_opened->names_beside ==
        "names.json names elsewhere, which is not in this file: it is passed over.");
  // What is no layer is an input.
  driver.click("dialog/is-input");
  driver.frame();
  CHECK(driver.shows("dialog/array"));
}

TEST_CASE("numbers stand in cells where they have room beside each other, and nowhere run together") {
  int with = 0, without = 0;
  for (const Index tokens : {8, 10, 12, 14, 16, 18})
    for (const float factor : {1.0F, 90.0F, 900.0F}) {
      Experiment experiment = default_experiment("multi_head");
      std::vector<float> values;
      for (Index i = 0; i < tokens * 64; ++i) values.push_back(factor * std::sin(static_cast<float>(i) * 1.7F));
      experiment.inputs["x_q"] = LiteralInput{{1, tokens, 64}, values};
      Driver driver(1280, 1000, 1, experiment);
      driver.session().act(ShowStep{"scores"});
      driver.settle();
      const auto first = driver.cell(0, 0), last = driver.cell(tokens - 1, tokens - 1);
      const float cell = driver.cell(0, 1).x - first.x;
      std::map<int, std::vector<Rect>> rows;
      for (const LoggedText& text : driver.log().texts) {
        const auto at = text.rect.middle();
        if (at.x >= first.x - 1 && at.x <= last.x + 1 && at.y >= first.y - 1 && at.y <= last.y + 1)
          rows[static_cast<int>(std::round(at.y))].push_back(text.rect);
      }
      INFO(tokens << " tokens, factor " << factor << ": cells of " << cell << " px");
      if (rows.empty()) {
        without += cell >= 28 ? 1 : 0;
        continue;
      }
      ++with;
      Index meeting = 0;
      for (const auto& [y, numbers] : rows)
        for (std::size_t j = 1; j < numbers.size(); ++j) meeting += numbers[j - 1].right() > numbers[j].x ? 1 : 0;
      CHECK(static_cast<Index>(rows.size()) == tokens);
      CHECK(10 * meeting <= tokens * (tokens - 1));
    }
  CHECK(with > 0);
  CHECK(without > 0);
}

TEST_CASE("numbers of tens lose their decimals before they lose their place") {
  const auto experiment = read_experiment(HEADLIGHT_SOURCE_DIR "/assets/examples/causal.headlight");
  REQUIRE(experiment);
  Driver driver(1600, 1000, 1, *experiment);
  driver.session().act(ShowStep{"masked_scores"});
  driver.session().act(SetHead{2});
  driver.settle();
  const auto stands = [&](const std::string& words) {
    return std::ranges::any_of(driver.log().texts, [&](const LoggedText& text) {
      return text.text == words && text.rect.contains(driver.cell(11, 0));
    });
  };
  CHECK(stands("5"));  // 5.0
  driver.resize(2560, 1440);
  driver.settle();
  CHECK(stands("5.0"));
}

TEST_CASE("the numbers of rows stand whole beside words of any width") {
  for (const int count : {12, 120, 1200}) {
    Experiment experiment = example_experiment();
    std::string words;
    for (int i = 0; i < count; ++i) words += std::string(static_cast<std::size_t>(i % 12 + 1), 'm') + " ";
    std::get<TextInput>(experiment.inputs["x_q"]).text = words;
    Driver driver(1600, 1000, 1, experiment);
    driver.session().act(ShowStep{"weights"});
    driver.settle();
    INFO(count << " words");
    const Rect map = driver.widget("heatmap").rect;
    int numbers = 0;
    for (const LoggedText& text : driver.log().texts) {
      if (text.type != Type::number_small || text.rect.right() > map.x || text.rect.y < map.y || text.rect.x < 300)
        continue;
      ++numbers;
      INFO(text.text);
      CHECK_FALSE(text.cut);
    }
    CHECK(numbers > 5);
  }
}
