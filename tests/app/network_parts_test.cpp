// A model with an encoder and a decoder: its three grids of heads, their layers opened, their heads off, their figures.
#include <cmath>

#include "app/actions/tokens.h"
#include "app/figures/figure_files.h"
#include "app/figures/figure_layers.h"
#include "app/model/network_run.h"
#include "app/panels/common/picture.h"
#include "app/reading/costs.h"
#include "app/session/session.h"
#include "engine/base/words.h"
#include "engine/io/file.h"
#include "engine/run/model_run.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

// Two layers of an encoder, three of a decoder, two heads each; eleven tokens asked by five.
const fs::path folder = fs::path(HEADLIGHT_SOURCE_DIR) / "tests/reference/models/t5";

ModelExperiment asked() {
  ModelExperiment experiment;
  experiment.model = folder.string();
  experiment.tokens = TokensInput{{}, {}, {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 1}}, {}};
  experiment.decoder_tokens = TokensInput{{}, {}, {{0, 2, 7, 1, 8}}, {}};
  return experiment;
}

std::string decimals(double value) {
  return with_minus_signs(fmt::format("{:.4f}", value));
}

void act(Session& session, const Action& action) {
  session.act(action);
  session.finish_files();
  REQUIRE(session.settle());
}

// A decoder alone, opened in the window as a folder is.
std::shared_ptr<const NetworkRun> run_of_gpt2(Driver& driver) {
  driver.session().act(Open{folder.parent_path() / "gpt2"});
  driver.session().finish_files();
  driver.settle();
  REQUIRE(driver.model().net.run);
  return driver.model().net.run;
}

}  // namespace

TEST_CASE("each part of a model has its own grid, and its layers open with the same bits") {
  const Scratch scratch;
  Session session(asked(), {}, {});
  REQUIRE(session.settle());
  const auto& model = session.model();
  const auto run = model.net.run;
  REQUIRE(run);
  struct Case {
    ModelPart part;
    Index layers, queries, keys;
    const char* called;
  };
  for (const Case& of :
       {Case{ModelPart::decoder, 3, 5, 5, "decoder layer 1"}, Case{ModelPart::cross, 3, 5, 11, "cross layer 1"},
        Case{ModelPart::first, 2, 11, 11, "encoder layer 1"}}) {
    INFO(of.called);
    act(session, ChoosePart{of.part});
    const PartRun& part = run->of(of.part);
    CHECK((part.layers() == of.layers && part.queries() == of.queries && part.keys() == of.keys));
    CHECK(std::isfinite(part.median(Measure::confidence)));
    CHECK((part.rollout != nullptr) == (of.part == ModelPart::first));
    CHECK(static_cast<Index>(part.stream_sizes.size()) == run->last_stop(of.part) + 1);
    act(session, ChooseHead{1, 1});
    act(session, ChoosePair{{of.queries - 1, 0}});
    act(session, OpenLayer{1});
    REQUIRE(model.trace());
    CHECK(model.title().find(of.called) != std::string::npos);
    const auto bits = model.trace()->map()->values;
    Tensor plain = *part.maps[1];
    for (float& value : plain.values()) value = std::isinf(value) ? 0 : value;
    CHECK(std::ranges::equal(bits->values(), plain.values()));
    const fs::path saved = scratch / (of.called + std::string(".headlight"));
    act(session, Save{saved});
    act(session, CloseLayer{});
    CHECK((model.shows_network() && model.document.network->look.part == of.part));
    Session again(example_experiment(), {}, {});
    act(again, Open{saved});
    REQUIRE(again.model().trace());
    CHECK(std::ranges::equal(again.model().trace()->map()->tensor().values(), bits->values()));
  }
  act(session, Undo{});
}

TEST_CASE("a head of any part is switched off, and what comes before it is not run again") {
  Session session(asked(), {}, {});
  REQUIRE(session.settle());
  const auto whole = session.model().net.run;
  for (const ModelHead& head :
       {ModelHead{1, 0}, ModelHead{1, 1, ModelPart::decoder}, ModelHead{2, 0, ModelPart::cross}}) {
    act(session, ChoosePart{head.part});
    act(session, SwitchHead{head.layer, head.head, false});
    const auto run = session.model().net.run;
    REQUIRE(run->whole);
    CHECK(*run->divergence > 0);
    CHECK(run->asked.ablate == std::vector{head});
    const auto model = StoredModel::open(folder);
    const auto input = model_input(**model, run->asked);
    REQUIRE(input);
    ThreadPool pool;
    const auto other = ModelRunner(**model, *input, pool).run(run->asked, {});
    REQUIRE(other);
    CHECK(std::ranges::equal(run->trace.find("decoder/hidden")->tensor().values(),
                             other->find("decoder/hidden")->tensor().values()));
    const bool decoder = head.part != ModelPart::first;
    CHECK((run->parts[0].maps[1] == whole->parts[0].maps[1]) == decoder);
    act(session, Undo{});
    CHECK(session.model().document.network->asked.ablate.empty());
  }
}

TEST_CASE("what the decoder has said is typed, saved and read, and nothing is its start token") {
  const Scratch scratch;
  Session session(asked(), {}, {});
  REQUIRE(session.settle());
  const auto& model = session.model();
  act(session, ChoosePart{ModelPart::cross});
  act(session, SetModelInput{ModelReads::decoder, "0, 5", false});
  CHECK(model.net.run->of(ModelPart::cross).queries() == 2);
  act(session, SwitchHead{0, 1, false});
  act(session, Save{scratch / "own.headlight"});
  act(session, SetModelInput{ModelReads::decoder, "", false});
  CHECK(model.net.run->of(ModelPart::decoder).maps.front()->shape() == Shape{1, 2, 1, 1});
  act(session, SetModelInput{ModelReads::decoder, "0, 99", false});
  CHECK(model.error == "inputs.decoder_tokens.ids[1] is 99: the vocabulary has 11 tokens, 0 to 10");
  Session other(example_experiment(), {}, {});
  act(other, Open{scratch / "own.headlight"});
  const Network& read = *other.model().document.network;
  CHECK(read.asked.decoder_tokens->ids == std::vector<std::vector<Index>>{{0, 5}});
  CHECK(read.look.part == ModelPart::cross);
  CHECK(read.asked.ablate == std::vector{ModelHead{0, 1, ModelPart::cross}});
}

TEST_CASE("parts are chosen by clicks, tokens of both texts ask and answer, and every view of each is drawn") {
  for (const auto& [width, height] : {std::pair{1600.0F, 1000.0F}, {1366.0F, 768.0F}}) {
    Driver d(width, height);
    d.session().act(Open{folder});
    d.session().finish_files();
    d.settle();
    d.session().act(SetModelInput{ModelReads::decoder, "0, 3, 4", false});
    d.settle();
    const auto look = [&]() -> const NetworkLook& { return d.model().document.network->look; };
    for (const ModelPart part : d.model().net.run->plan().parts()) {
      d.click(fmt::format("layers/part/{}", name_of(part)));
      REQUIRE(look().part == part);
      for (int view = 0; view <= static_cast<int>(LayersView::average); ++view) {
        d.session().act(ViewLayers{static_cast<LayersView>(view)});
        d.settle();
        const bool rolled = view == static_cast<int>(LayersView::rollout);
        CHECK((d.shows("layers/1/1") || d.shows("layers/of/1")) == (!rolled || part == ModelPart::first));
      }
      d.session().act(ViewLayers{LayersView::maps});
      d.settle();
    }
    d.click("layers/decoder-tokens/1");
    d.click("layers/tokens/4");
    CHECK((look().part == ModelPart::cross && look().query == 1 && look().key == 4));
    const Tensor& map = *d.model().net.run->of(ModelPart::cross).maps[static_cast<std::size_t>(look().layer)];
    const Index at = (look().head * map.dim(2) + 1) * map.dim(3) + 4;
    if (d.shows("layers/weight")) CHECK(d.widget("layers/weight").value == fmt::format("{:.4f}", map[at]));
    // The encoder's maps ask and are asked by its own tokens, and so do the decoder's.
    d.click("layers/part/decoder");
    d.click("layers/tokens/2");
    CHECK((look().part == ModelPart::first && look().query == 2 && !look().key));
    d.click("layers/decoder-tokens/0");
    CHECK((look().part == ModelPart::decoder && look().query == 0));
  }
}

TEST_CASE("figures are of the part that is asked for") {
  Session session(asked(), {}, {});
  REQUIRE(session.settle());
  const Outcome& run = session.model().figure_source();
  const auto made = [&](std::initializer_list<std::pair<const char*, const char*>> settings) {
    FigureRequest request;
    for (const auto& [key, text] : settings) REQUIRE(set_figure(request, key, text));
    return figure_of(*run.trace, *run.problem, request);
  };
  const auto cross = made({{"layers", "all"}, {"part", "cross"}});
  REQUIRE(cross);
  CHECK(cross->figure.panels.size() == 6);
  CHECK(cross->figure.title.find("Cross-attention weights") == 0);
  const auto one = made({{"layers", "1"}, {"head", "0"}});
  REQUIRE(one);
  CHECK(one->figure.title.find("Encoder attention weights") == 0);
  CHECK_FALSE(made({{"layers", "3"}, {"part", "decoder"}}));
  CHECK(made({{"layers", "all"}, {"step", "rollout"}}));
  const auto rolled = made({{"layers", "all"}, {"step", "rollout"}, {"part", "cross"}});
  CHECK((!rolled && rolled.error().message.find("of an encoder alone") != std::string::npos));
  const auto step = step_of_layer_in("decoder/layer12/cross/weights");
  CHECK((step && step->layer == LayerOfModel{12, ModelPart::cross} && step->name == "weights"));
  for (const char* none : {"weights", "layers/weights", "decoder/weights", "cross/layer1/weights", "layer1x/weights"})
    CHECK_FALSE(step_of_layer_in(none));
}

TEST_CASE("the decoder goes on by a token, and keeps keys and values of both texts") {
  Session session(asked(), {}, {});
  REQUIRE(session.settle());
  const auto first = session.model().net.run;
  const Likely likeliest = first->likely(4).front();
  act(session, AppendToken{});
  const auto run = session.model().net.run;
  CHECK(run->input.decoder->tokens->ids == std::vector<Index>{0, 2, 7, 1, 8, likeliest.number});
  CHECK(run->input.tokens->ids == first->input.tokens->ids);
  CHECK(session.model().notices.empty());
  const KeyValueCache cache =
      key_value_cache(run->plan(), run->output_part().queries(), run->of(ModelPart::first).queries());
  Index made = 0;
  for (const ModelPart part : {ModelPart::decoder, ModelPart::cross})
    for (Index layer = 0; layer < 3; ++layer) {
      act(session, ChoosePart{part});
      act(session, OpenLayer{layer});
      for (const char* id : {"k", "v"}) made += session.model().trace()->find(id)->tensor().size();
      act(session, CloseLayer{});
    }
  CHECK(cache.numbers() == made);
  while (undo_name(session.model().history) != "token " + likeliest.name) act(session, Undo{});
  act(session, Undo{});
  CHECK(session.model().net.run->input.decoder->tokens->ids.size() == 5);
}

TEST_CASE("where the decoder has its start token alone, words stand in place of empty bars") {
  Driver d(1600, 1000);
  d.session().act(Open{folder});
  d.session().finish_files();
  d.settle();
  REQUIRE(d.model().net.run->output_part().queries() == 1);
  CHECK(d.widget("layers/came").value == "There is one token, and none has come after it yet.");
  CHECK_FALSE(d.shows("layers/came/0"));
  // Of the encoder's maps nothing need be said; the decoder's are one cell each, which is told, with a way on.
  CHECK_FALSE(d.shows("layers/beginning"));
  for (const auto& [part, says] : {std::pair("decoder", "one cell"), std::pair("cross", "one row")}) {
    d.click(fmt::format("layers/part/{}", part));
    CHECK(d.widget("layers/beginning").value.find(says) != std::string::npos);
  }
  d.click("layers/begin");
  d.settle();
  CHECK(d.model().net.run->output_part().queries() == 2);
  CHECK_FALSE(d.shows("layers/beginning"));
  CHECK(d.shows("layers/came/1"));
  CHECK_FALSE(d.shows("layers/came"));
}

TEST_CASE("an encoder alone is one grid, without a decoder's field and without what comes next") {
  Driver d(1600, 1000);
  d.session().act(Open{folder.parent_path() / "t5_encoder"});
  d.session().finish_files();
  d.settle();
  REQUIRE(d.model().net.run);
  CHECK(d.widget("layers/title").value == "t5 · 2 layers × 2 heads");
  for (const char* none : {"layers/part/decoder", "layers/decoder", "layers/likely/0", "layers/cache"})
    CHECK_FALSE(d.shows(none));
  act(d.session(), OpenLayer{1});
  REQUIRE(d.model().trace());
  Tensor plain = *d.model().net.run->parts.front().maps[1];
  CHECK(std::ranges::equal(d.model().trace()->map()->tensor().values(), plain.values()));
}

TEST_CASE("there is room for what comes next where everything is twice as large") {
  Driver d(800, 500);  // 1600 × 1000 at --scale 2
  d.session().act(Open{folder});
  d.session().finish_files();
  d.settle();
  CHECK(d.shows("layers/likely/1"));
  CHECK(d.shows("layers/1/1"));
}

TEST_CASE("the stops beside the layers show the stream and what is said, and tell a number of either") {
  Driver d(1600, 1000);
  d.session().act(Open{folder});
  d.session().finish_files();
  d.settle();
  d.session().act(SetModelInput{ModelReads::decoder, "0, 3, 4", false});
  d.session().act(ChoosePart{ModelPart::decoder});
  d.settle();
  const auto run = d.model().net.run;
  REQUIRE(d.shows("layers/1/1"));
  const auto stop = [&](int depth) {
    d.session().act(GoStage{depth});
    d.settle();
    CHECK_FALSE(d.shows("layers/1/1"));
  };
  stop(0);
  CHECK(d.widget("layers/end").value == "3×8");
  stop(4);  // three layers, then the norm
  d.session().act(ChoosePair{{1, std::nullopt}});
  d.settle();
  // γ · h / √(mean of h² + ε), as the trace has it.
  const float value = run->trace.find("decoder/final_norm")->tensor()[8];
  CHECK(d.widget("layers/end/story").value.ends_with(" = " + decimals(value)));
  stop(5);
  CHECK(d.shows("layers/end/place/2"));
  const Likely likeliest = run->likely(1).front();
  CHECK(d.widget("layers/end/story").value.ends_with(fmt::format(": {:.4f}", likeliest.probability)));
  d.click("layers/end/place/0");
  CHECK(d.model().document.network->look.query == 0);
  d.settle();
  const Likely first = run->likely(0).front();
  CHECK(d.widget("layers/end/story").value.ends_with(fmt::format(": {:.4f}", first.probability)));
  d.session().act(GoStage{2});
  d.settle();
  CHECK(d.shows("layers/1/1"));
}

TEST_CASE("a logit is told as the sum that it is, and leads to what is read") {
  Driver d(1600, 1000);
  const auto run = run_of_gpt2(d);
  const int last = static_cast<int>(run->plan().layers) + 2;
  d.session().act(GoStage{last});
  d.settle();
  const Index place = 1, width = run->plan().width;
  d.click("layers/end/likely/1/2");
  d.settle();
  CHECK(d.model().document.network->look.query == place);
  const Likely token = run->likely(place)[2];
  CHECK(d.widget("layers/end/story").value.ends_with(fmt::format(": {:.4f}", token.probability)));
  // From the file and the trace, as a sum of its own.
  const auto words = run->model->read(run->plan().words + ".weight", {run->plan().vocabulary, width});
  REQUIRE(words);
  const Tensor& normed = run->trace.find("final_norm")->tensor();
  double sum = 0;
  Index greatest = 0;
  const auto product = [&](Index c) {
    return static_cast<double>(normed[place * width + c]) * (*words)[token.number * width + c];
  };
  for (Index c = 0; c < width; ++c) {
    sum += product(c);
    if (std::abs(product(c)) > std::abs(product(greatest))) greatest = c;
  }
  CHECK(d.widget("layers/end/logit").value.ends_with(": " + decimals(sum)));
  CHECK((*run->logits)[place * run->plan().vocabulary + token.number] == Approx(sum).margin(1e-5));
  CHECK(d.widget("layers/end/product/0").value == fmt::format("{}", greatest));
  d.click("layers/end/product/0");
  d.settle();
  CHECK(d.model().document.network->look.depth == last - 1);
  CHECK(d.widget("layers/end/story").value.ends_with(" = " + decimals(normed[place * width + greatest])));
}

TEST_CASE("a norm by the deviation is told with its mean and its shift, which may be below 0") {
  Driver d(1600, 1000);
  const auto run = run_of_gpt2(d);
  d.session().act(GoStage{static_cast<int>(run->plan().layers) + 1});
  const Tensor& normed = run->trace.find("final_norm")->tensor();
  const PartRun& part = run->parts.front();
  for (Index row = 0; row < normed.dim(1); ++row) {
    d.session().act(ChoosePair{{row, std::nullopt}});
    d.settle();
    const std::string words = d.widget("layers/end/story").value;
    CHECK(words.starts_with("("));
    CHECK(words.find('-') == std::string::npos);  // minus signs, no hyphens
    CHECK(words.find(fmt::format("{} β {:.4f}", (*part.norm_shift)[0] < 0 ? "−" : "+",
                                 std::abs((*part.norm_shift)[0]))) != std::string::npos);
    CHECK(words.ends_with(" = " + decimals(normed[row * normed.dim(2)])));
  }
}

TEST_CASE("class logits that are the mean of two tokens' are told as one sum over both") {
  Driver d(1600, 1000);
  d.session().act(Open{folder.parent_path() / "deit"});
  d.session().finish_files();
  d.settle();
  REQUIRE(d.model().net.run);
  const NetworkRun& run = *d.model().net.run;
  REQUIRE(run.terms);
  const LogitTerms& terms = *run.terms;
  const Index width = run.plan().width, classes = run.logits->dim(1);
  CHECK((terms.tokens == 2 && terms.x.dim(-1) == 2 * width && terms.weight->dim(0) == classes));
  const Tensor& normed = run.trace.find("final_norm")->tensor();
  CHECK(std::equal(terms.x.data(), terms.x.data() + 2 * width, normed.data()));  // CLS and DIST, the first two places
  for (Index k = 0; k < classes; ++k) {
    double sum = terms.bias ? (*terms.bias)[k] : 0;
    for (Index c = 0; c < 2 * width; ++c) sum += static_cast<double>(terms.x[c]) * (*terms.weight)[k * 2 * width + c];
    CHECK(std::abs(sum - (*run.logits)[k]) < 1e-5);
  }
  d.session().act(GoStage{static_cast<int>(run.last_stop(ModelPart::first))});
  d.settle();
  const std::string words = d.widget("layers/end/logit").value;
  CHECK(words.find("of each of 2 tokens") != std::string::npos);
  CHECK(words.ends_with(decimals((*run.logits)[run.likely(0).front().number])));
}

TEST_CASE("a query of a picture has its keys at their places on it in every head") {
  Driver d(1600, 1000);
  d.session().act(Open{folder.parent_path() / "deit"});  // 2 × 2 patches behind two tokens
  d.session().finish_files();
  d.settle();
  REQUIRE(d.model().net.run);
  CHECK_FALSE(d.shows("layers/asks"));
  d.session().act(ViewLayers{LayersView::token});
  d.session().act(ChoosePair{{4, std::nullopt}});
  d.settle();
  CHECK(d.widget("layers/view/words").value == "where 1, 0 looks, on the picture, without CLS and DIST");
  CHECK(d.memory().get<PictureMemory>().composed.contains("layers/1/1"));  // over the photograph
  const Rect last = d.widget("layers/1/1").rect, asks = d.widget("layers/asks").rect;
  CHECK(last.w == last.h);
  CHECK((asks.x == last.x && std::abs(asks.y - last.middle().y) < 1));  // patch 2: the second row, the first column
  d.session().act(ChoosePair{{0, std::nullopt}});                       // the class token has no place on it
  d.settle();
  CHECK_FALSE(d.shows("layers/asks"));
}
