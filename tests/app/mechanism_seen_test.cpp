// What a mechanism does, in the window: its picture, what it is held against, and its numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/model/mechanism_report.h"
#include "app/panels/common/picture.h"
#include "app/panels/mechanism/parts.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"
#include "engine/variants/mechanism/mechanism.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;
using Catch::Matchers::WithinAbs;

namespace {

Experiment experiment_of(const std::string& params, const char* init = "normal", const char* variant = "multi_head") {
  auto experiment = parse_experiment(fmt::format(R"({{"variant": "{}", "params": {{{}}},
      "inputs": {{"x_q": {{"text": "the cat sat on the mat because the cat was warm"}}}},
      "weights": {{"init": "{}", "seed": 4}}}})",
                                                 variant, params, init),
                                     {}, "");
  if (!experiment) FAIL(experiment.error().message);
  return *experiment;
}

std::string number(const Driver& driver, const std::string& id) {
  return driver.widget("mechanism/number/" + id).value;
}

}  // namespace

TEST_CASE("dials show the angles of the run, and that they stay when all tokens move") {
  Driver driver(1600, 1000, 1, experiment_of(R"("heads": 4, "d_head": 16, "rotary": "half", "kv_heads": 2)"));
  driver.settle();
  CHECK_FALSE(driver.model().mechanism);  // nothing is run beside until it is looked at
  act(driver, Select{{8, 6, {}}, true});
  act(driver, SetMode{ViewMode::mechanism});
  const auto turning = mechanism::rotation(*driver.model().shown.problem, *driver.model().trace());
  REQUIRE(turning);
  int dials = 0;
  for (Index pair = 0; pair < turning->pairs(); ++pair) {
    const std::string id = fmt::format("mechanism/dial/{}", pair);
    if (!driver.shows(id)) continue;
    ++dials;
    const double angle = mechanism::dial(*turning, {0, 0, 8, 6}, pair).between * 57.29577951308232;
    CHECK(driver.widget(id).value == fmt::format("{:.2f}", angle));
    CHECK_THAT(std::stod(driver.widget(fmt::format("mechanism/moved/{}", pair)).value), WithinAbs(angle, 0.011));
  }
  CHECK(dials == 4);
  CHECK(driver.widget("mechanism/dials/left-out").value == "4 of 8 pairs, from fast to slow");
  CHECK(number(driver, "shift") == "0.000000");
  CHECK(number(driver, "kept") == "128 → 64");
  CHECK(driver.widget("mechanism/kept").value == "64 numbers cached per token, not 128");
  REQUIRE(driver.shows("mechanism/plot"));
  // Another pair is another picture; a head that is clicked is the head.
  const std::string before = driver.widget("mechanism/dial/0").value;
  act(driver, Select{{8, 3, {}}, true});
  CHECK(driver.widget("mechanism/dial/0").value != before);
  driver.click("mechanism/shared/3");
  driver.settle();
  CHECK(driver.model().document.look.head == 3);
}

TEST_CASE("plain is run with the weights of what is shown, and both are told in numbers") {
  for (const auto& [init, params] : {std::pair("normal", R"("positions": "sinusoidal", "softcap": 4)"),
                                     std::pair("textbook", R"("rotary": "half", "softcap": 40)")}) {
    INFO(init);
    const bool drawn = std::string_view(init) == "normal";
    Driver driver(1600, 1000, 1, experiment_of(params, init));
    driver.settle();
    act(driver, SetMode{ViewMode::mechanism});
    const Model& model = driver.model();
    REQUIRE(model.mechanism);
    const MechanismReport& report = *model.mechanism;
    REQUIRE(report.plain.trace);
    CHECK(non_plain_choices(model) ==
          (drawn ? std::vector<std::string>{"softcap"} : std::vector<std::string>{"softcap", "rotary"}));
    for (const char* weight : {"w_q", "w_k", "w_v", "w_o"})
      CHECK(std::ranges::equal(report.plain.trace->find(weight)->tensor().values(),
                               model.trace()->find(weight)->tensor().values()));
    CHECK_FALSE(report.plain.trace->find("capped_scores"));
    CHECK_FALSE(report.plain.trace->find("q_rotated"));
    CHECK((report.plain.problem->find("p_q") != nullptr) == drawn);  // what is added to tokens stays
    const auto largest = [](const Trace& trace) {
      const Tensor& map = trace.map()->tensor();
      float most = 0;
      for (Index cell = 0; cell < map.dim(2) * map.dim(3); ++cell) most = std::max(most, map[cell]);
      return fmt::format("{:.4f}", most);
    };
    CHECK(number(driver, "largest") == largest(*report.plain.trace) + " → " + largest(*model.trace()));
    CHECK((std::stod(number(driver, "shift")) > 1e-3) == drawn);  // of sinusoids, and of rotary
    CHECK(driver.shows("mechanism/difference"));
    // The same as two results beside each other, and back.
    driver.click("mechanism/compare");
    driver.settle();
    CHECK(model.screen == Screen::compare);
    REQUIRE(model.comparison.a.outcome.trace);
    CHECK(std::ranges::equal(model.comparison.a.outcome.trace->map()->tensor().values(),
                             report.plain.trace->map()->tensor().values()));
  }
}

TEST_CASE("linear attention is held against softmax of the same queries and keys") {
  for (const auto& [init, params] :
       {std::pair("normal", R"("heads": 2, "d_head": 4, "mask": "causal", "bias": true)"),
        std::pair("xavier_normal", R"("heads": 3, "d_head": 4, "feature_map": "favor", "features": 6)"),
        std::pair("textbook", R"("heads": 8, "d_head": 4)")}) {
    INFO(params);
    Driver driver(1600, 1000, 1, experiment_of(params, init, "linear_attention"));
    driver.settle();
    act(driver, SetMode{ViewMode::mechanism});
    const Model& model = driver.model();
    REQUIRE(model.mechanism);
    const Trace *plain = model.mechanism->plain.trace.get(), &shown = *model.trace();
    REQUIRE(plain);
    const bool causal = model.document.experiment->params.choice("mask") == "causal";
    CHECK(std::ranges::equal(plain->find("x_q")->tensor().values(), shown.find("x_q")->tensor().values()));
    const Tensor &q = shown.find("q")->tensor(), &k = shown.find("k")->tensor(), &map = plain->map()->tensor();
    REQUIRE(map.shape() == shown.map()->tensor().shape());
    for (Index row = 0; row < q.dim(1) * q.dim(2); ++row) {
      const Index head = row / q.dim(2), i = row % q.dim(2), seen = causal ? i + 1 : k.dim(2);
      std::vector<double> weights;
      double sum = 0;
      for (Index j = 0; j < seen; ++j) {
        double score = 0;
        for (Index c = 0; c < 4; ++c) score += static_cast<double>(q[row * 4 + c]) * k[(head * k.dim(2) + j) * 4 + c];
        sum += weights.emplace_back(std::exp(score / 2));
      }
      for (Index j = 0; j < map.dim(3); ++j) {
        const double expected = j < seen ? weights[static_cast<std::size_t>(j)] / sum : 0;
        CHECK_THAT(map[row * map.dim(3) + j], WithinAbs(expected, 1e-5));
      }
    }
    const Index numbers = 2 * q.dim(1) * 4 * k.dim(2);  // keys and values of all heads
    CHECK(number(driver, "state").starts_with(fmt::format("{} → ", numbers)));
    CHECK(driver.shows("mechanism/difference"));
    CHECK(driver.shows("mechanism/plain"));
    driver.click("mechanism/compare");
    driver.settle();
    CHECK(model.screen == Screen::compare);
    REQUIRE(model.comparison.a.outcome.trace);
    CHECK(std::ranges::equal(model.comparison.a.outcome.trace->map()->tensor().values(), map.values()));
  }
  // Of an edited run there is none: what is edited is no step of the other.
  Experiment edited = experiment_of(R"("heads": 2, "d_head": 4)", "normal", "linear_attention");
  CHECK(differs_in_map(edited));
  edited.edits.emplace_back();
  CHECK_FALSE(differs_in_map(edited));
}

TEST_CASE("choices that are not plain are marked and counted, and go back together") {
  Driver driver(1600, 1000, 1, experiment_of(R"("rotary": "half", "rotary_base": 500, "mask": "causal", "ffn": true,
                                                "block": "pre_norm")"));
  driver.settle();
  driver.click("params/more");
  driver.settle();
  CHECK(driver.shows("params/not-plain/rotary"));
  for (const char* plain : {"mask", "ffn", "block", "positions"})
    CHECK_FALSE(driver.shows(fmt::format("params/not-plain/{}", plain)));
  act(driver, BackToPlain{});
  const ParamValues& params = driver.model().document.experiment->params;
  CHECK((params.choice("rotary") == "none" && params.choice("mask") == "causal" && params.flag("ffn")));
  CHECK_FALSE(driver.shows("params/not-plain/rotary"));
  CHECK_FALSE(driver.shows("params/plain"));
  act(driver, Undo{});
  CHECK(driver.model().document.experiment->params.choice("rotary") == "half");
  // Plain attention has no picture, but numbers where one asks for them.
  act(driver, BackToPlain{});
  CHECK_FALSE(has_mechanism_view(driver.model()));
  act(driver, SetMode{ViewMode::mechanism});
  CHECK(driver.shows("mechanism/number/rank"));
  CHECK_FALSE(driver.model().mechanism->plain.experiment);
}

TEST_CASE("what a mechanism is stands before what it turns, and none is called plain for having no picture") {
  Driver driver(1366, 768);
  act(driver, SetVariant{"mla"});
  act(driver, SetMode{ViewMode::mechanism});
  CHECK(driver.widget("mechanism/picture/latent").rect.y < driver.widget("mechanism/picture/rotary").rect.y);
  act(driver, SetVariant{"aft"});
  CHECK(driver.shows("mechanism/number/rank"));
  for (const LoggedText& text : driver.log().texts) CHECK(text.text.find("Plain attention") == std::string::npos);
}

TEST_CASE("a choice that is not plain is shown among the few parameters") {
  Driver driver(1600, 1400);
  driver.settle();
  CHECK_FALSE(driver.shows("params/chunk"));
  act(driver, SetParam{"chunk", Index{3}});
  CHECK(driver.shows("params/chunk"));
  act(driver, BackToPlain{});
  CHECK_FALSE(driver.shows("params/chunk"));
}

TEST_CASE("what masks leave of the pairs is told beside what plain attention scores") {
  Driver driver(1600, 1000, 1, experiment_of(R"("mask": "causal", "window_left": 2)"));
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  const Index n = driver.model().trace()->map()->tensor().dim(2);
  CHECK(number(driver, "pairs") == fmt::format("{} → {}", n * (n + 1) / 2, 3 * n - 3));
  act(driver, SetParam{"window_left", std::monostate{}});
  act(driver, SetParam{"softcap", 5.0});
  CHECK_FALSE(driver.shows("mechanism/number/pairs"));  // no fewer than plain, whose mask is causal, too
}

TEST_CASE("norms of queries and keys, codes of places and gates have their pictures") {
  Driver driver(1600, 1000, 1,
                experiment_of(R"("qk_norm": "l2", "block": "pre_norm", "ffn": true, "ffn_gated": true, "d_ff": 20)"));
  driver.settle();
  act(driver, Select{{5, 3, {}}, true});
  act(driver, SetMode{ViewMode::mechanism});
  CHECK(driver.widget("mechanism/norming/after").value.starts_with("|q| 1  |k| 1  "));
  const std::string before = driver.widget("mechanism/norming/before").value;
  CHECK(before.substr(before.rfind(' ')) == driver.widget("mechanism/norming/after").value.substr(13));  // the angle
  const auto gating = mechanism::gating(*driver.model().trace());
  REQUIRE(gating);
  const Tensor& gate = gating->gate->tensor();
  double largest = 0;
  for (Index c = 0; c < 20; ++c) largest = std::max(largest, std::abs(static_cast<double>(gate.at({0, 5, c}))));
  int shut = 0;
  for (Index c = 0; c < 20; ++c) shut += std::abs(static_cast<double>(gate.at({0, 5, c}))) < largest / 10;
  CHECK(driver.widget("mechanism/gating").value == fmt::format("{} of 20", shut));

  Driver picture(1600, 1000);
  picture.settle();
  act(picture, UseExample{InputKind::image});
  act(picture, SetVariant{"multi_head"});
  act(picture, SetParam{"positions", std::string("sinusoidal_2d")});
  act(picture, SetMode{ViewMode::mechanism});
  act(picture, Select{{337, 338, {}}, true});
  const auto codes = mechanism::place_codes(*picture.model().shown.problem, *picture.model().trace());
  REQUIRE(codes);
  const Tensor likeness = mechanism::code_similarity(*codes, 337);
  CHECK(picture.widget("mechanism/codes").value == fmt::format("{:.4f}", static_cast<double>(likeness[338])));
  const Rect map = picture.widget("mechanism/codes").rect;
  picture.click_at({map.x + map.w * 3.5F / 32, map.y + map.h * 2.5F / 32});
  picture.settle();
  CHECK(picture.model().document.look.selection.query == 2 * 32 + 3);
}

TEST_CASE("windows lie on the picture, and a click on a pixel asks from there") {
  Driver driver(1600, 1000);
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"swin"});
  act(driver, SetParam{"shift", Index{2}, false});
  act(driver, SetMode{ViewMode::mechanism});
  REQUIRE(driver.shows("mechanism/windows"));
  CHECK(driver.memory().get<PictureMemory>().composed.contains("mechanism/windows/picture"));
  const Rect map = driver.widget("mechanism/windows").rect;
  driver.click_at({map.x + map.w * 5.5F / 32, map.y + map.h * 3.5F / 32});
  CHECK(driver.model().document.look.selection.query == 3 * 32 + 5);
}

TEST_CASE("an array that a choice alone takes stays away from the plain run") {
  Experiment experiment = experiment_of(R"("chunk": 6)");
  experiment.inputs["block_layout"] = LiteralInput{.shape = {2, 2}, .values = {1, 0, 1, 1}};
  Driver driver(1600, 1000, 1, experiment);
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  REQUIRE(driver.model().mechanism);
  CHECK(driver.model().mechanism->plain.error.empty());
  CHECK(driver.model().mechanism->plain.trace);
}

TEST_CASE("a file with an array that a choice alone takes has a plain run, of all else that it holds") {
  auto experiment = read_experiment(HEADLIGHT_SOURCE_DIR "/tests/reference/multi_head/block_layout/experiment.json");
  REQUIRE(experiment);
  Driver driver(1600, 1000, 1, *experiment);
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  driver.settle();
  REQUIRE(driver.model().mechanism);
  const Outcome& plain = driver.model().mechanism->plain;
  CHECK(plain.error.empty());
  REQUIRE(plain.trace);
  const Trace& here = *driver.model().trace();
  for (const char* same : {"q", "k", "v"}) {
    const auto a = plain.trace->find(same)->tensor().values(), b = here.find(same)->tensor().values();
    CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  }
  const Tensor& map = plain.trace->map()->tensor();  // causal alone
  const Index rows = map.dim(2), columns = map.dim(3);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) CHECK((map[i * columns + j] > 0) == (j <= i));
}

TEST_CASE("each mechanism has a picture, in large and small windows") {
  struct Case {
    const char *params, *picture, *value, *variant = "multi_head";
  };
  for (const Case& c :
       {Case{R"("relative": "alibi")", "mechanism/picture/offsets", ""},
        Case{R"("relative": "t5")", "mechanism/buckets", "3"}, Case{R"("relative": "shaw")", "mechanism/buckets", "13"},
        Case{R"("normalize": "softmax_sink")", "mechanism/row", ""},
        Case{R"("talking_heads": "both")", "mechanism/mixed_scores/0", ""},
        Case{R"("differential": true)", "mechanism/two", ""},
        Case{R"("relative": "transformer_xl")", "mechanism/picture/offsets", ""},
        Case{R"("mask": "causal")", "mechanism/kept", "12 numbers cached per token, not 80", "mla"},
        Case{R"("mask": "causal")", "mechanism/state", "72", "linear_attention"}}) {
    INFO(c.params);
    Driver driver(1600, 1000, 1, experiment_of(c.params, "normal", c.variant));
    driver.settle();
    act(driver, Select{{11, 8, {}}, true});
    act(driver, SetMode{ViewMode::mechanism});
    REQUIRE(driver.shows(c.picture));
    if (*c.value) CHECK(driver.widget(c.picture).value == c.value);
    for (const char* sum : {"mechanism/two", "mechanism/score parts"})
      if (driver.shows(sum)) CHECK(driver.widget(sum).value.find('-') == std::string::npos);
    driver.resize(1024, 700);
    driver.settle();
    CHECK(driver.shows("mechanism/map"));
  }
}

TEST_CASE("the axes of a curve have minus signs, no hyphens") {
  Driver driver(1366, 768);
  act(driver, SetParam{"relative", std::string("alibi")});
  act(driver, SetMode{ViewMode::mechanism});
  act(driver, SetHead{2});
  act(driver, Select{{9, 3}, true});
  const auto says = [&](const char* number) {
    return std::ranges::find(driver.log().texts, number, &LoggedText::text) != driver.log().texts.end();
  };
  CHECK((says("−1.5") && says("−10")));
  CHECK_FALSE((says("-1.5") || says("-10")));
}

TEST_CASE("pictures make themselves as low as is in sight at 1366 by 768") {
  for (const char* params : {R"("relative": "alibi")", R"("relative": "transformer_xl")", R"("normalize": "entmax15")",
                             R"("relative": "t5")", R"("relative": "shaw")", R"("softcap": 10)",
                             R"("talking_heads": "both")", R"("rotary": "half")"}) {
    INFO(params);
    Driver driver(1366, 768, 1, experiment_of(params, "normal", "multi_head"));
    driver.settle();
    act(driver, Select{{11, 8, {}}, true});
    act(driver, SetMode{ViewMode::mechanism});
    driver.settle();
    const auto is_picture = [](const auto& widget) { return widget.first.starts_with("mechanism/picture/"); };
    CHECK(std::ranges::any_of(driver.log(), is_picture));
    CHECK_FALSE(driver.shows("mechanism/pictures/scrollbar"));
  }
}

TEST_CASE("pairs of channels are told in the inspector, and add up to the score of the trace") {
  for (const char* how : {R"("rotary": "interleaved", "heads": 2, "d_head": 6)",
                          R"("rotary": "half", "rotary_fraction": 0.5, "heads": 4, "kv_heads": 2, "d_head": 16)"}) {
    INFO(how);
    Driver driver(1600, 1000, 1, experiment_of(how));
    driver.settle();
    constexpr Index query = 8, key = 6;
    act(driver, Select{{query, key, {}}, true});
    CHECK_FALSE(driver.shows("trace/pairs"));
    act(driver, SetMode{ViewMode::mechanism});
    const Trace& trace = *driver.model().trace();
    const Tensor &q = trace.find("q_rotated")->tensor(), &k = trace.find("k_rotated")->tensor();
    const Index width = q.dim(3);
    const bool half = width == 16;
    const Index pairs = half ? 4 : 3;
    double sum = 0;
    for (Index c = 0; c < pairs; ++c) {
      const Index a = half ? c : 2 * c, b = half ? c + pairs : 2 * c + 1;
      const auto at = [&](const Tensor& x, Index row, Index channel) {
        return static_cast<double>(x[row * width + channel]);  // of head 0
      };
      const double qa = at(q, query, a), qb = at(q, query, b), ka = at(k, key, a), kb = at(k, key, b);
      const double product = qa * ka + qb * kb;
      sum += product;
      double said[5];
      const std::string row = driver.widget(fmt::format("trace/pair/{}", c)).value;
      CHECK(row.find('-') == std::string::npos);  // minus signs, no hyphens
      std::istringstream words(row);
      std::string word;
      for (double& number : said) number = words >> word ? parsed_number(word) : 0;
      constexpr double degrees = 57.29577951308232;
      CHECK_THAT(said[0], WithinAbs(std::pow(10000.0, -static_cast<double>(c) / static_cast<double>(pairs)), 6e-4));
      CHECK_THAT(said[1], WithinAbs(std::atan2(qb, qa) * degrees, 0.06));
      CHECK_THAT(said[2], WithinAbs(std::atan2(kb, ka) * degrees, 0.06));
      CHECK_THAT(std::remainder(said[3] - said[2] + said[1], 360.0), WithinAbs(0, 0.2));
      CHECK_THAT(said[4], WithinAbs(product, 6e-4));
    }
    for (Index c = 2 * pairs; c < width; ++c)
      sum += static_cast<double>(q[query * width + c]) * static_cast<double>(k[key * width + c]);
    const Tensor& scores = trace.find("scores")->tensor();
    CHECK_THAT(static_cast<double>(scores[query * scores.dim(3) + key]), WithinAbs(sum, 1e-5));
    CHECK_THAT(parsed_number(driver.widget("trace/pairs").value), WithinAbs(sum, 6e-4));
  }
}

TEST_CASE("what a longer text would meet is counted on the text that is there") {
  struct Case {
    const char *params, *id, *says;
  };
  // 12 tokens. T5: of 4 buckets a side the last begins at 4 places, and 1 + … + 8 pairs lie that far back. Shaw: on
  // both sides 1 + … + 8 lie farther than 3. ALiBi of 4 heads: 1/4 a place, 24 places. Rotary: θ · 12 < 2π from pair 1
  // of 8 on, as 0.316 · 12 = 3.8.
  for (const Case& one :
       {Case{R"("relative": "t5", "buckets": 8, "max_distance": 8, "mask": "causal")", "past/table", "36 of 78"},
        Case{R"("relative": "shaw", "clip": 3)", "past/table", "72 of 144"},
        Case{R"("relative": "alibi", "heads": 4)", "past/ramp", "-6"},
        Case{R"("rotary": "half", "d_head": 16)", "past/rotary", "7 of 8 pairs"},
        Case{R"("rotary": "half", "d_head": 16, "rotary_base": 1)", "past/rotary", "0 of 8 pairs"},
        Case{R"("positions": "learned")", "past/codes", "no vector"}}) {
    INFO(one.params);
    Driver driver(1600, 1200, 1, experiment_of(one.params));
    driver.settle();
    act(driver, SetMode{ViewMode::mechanism});
    driver.settle();
    CHECK(number(driver, one.id) == one.says);
  }
}

TEST_CASE("what a shift would change with sinusoids is of the same weights, five places on") {
  Driver driver(1600, 1200, 1, experiment_of(R"("rotary": "half", "heads": 2)"));
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  driver.settle();
  const MechanismReport& report = *driver.model().mechanism;
  REQUIRE(report.sinusoidal_moved.trace);
  for (const char* weight : {"w_q", "w_k"})
    CHECK(std::ranges::equal(report.sinusoidal_moved.trace->find(weight)->tensor().values(),
                             driver.model().trace()->find(weight)->tensor().values()));
  const Tensor &codes = *report.sinusoidal.problem->find("p_q"), &moved = *report.sinusoidal_moved.problem->find("p_q");
  const Index width = codes.dim(-1);
  CHECK(std::equal(moved.data(), moved.data() + width, codes.data() + places_moved * width));
  const Tensor &here = report.sinusoidal.trace->map()->tensor(),
               &there = report.sinusoidal_moved.trace->map()->tensor();
  float most = 0;
  for (Index cell = 0; cell < here.dim(2) * here.dim(3); ++cell)
    most = std::max(most, std::abs(here[cell] - there[cell]));
  CHECK(most > 1e-3F);
  CHECK(number(driver, "shift/sinusoidal") == fmt::format("{:.4f}", most));
  CHECK(number(driver, "shift") == "0.000000");
}

TEST_CASE("the parts of a score stand beside each other with what they add up to") {
  for (const auto& [relative, parts] :
       {std::pair("shaw", std::vector{"scores", "position_scores"}),
        {"alibi", std::vector{"scores"}},
        {"transformer_xl", std::vector{"scores", "position_scores", "key_scores", "offset_scores"}}}) {
    INFO(relative);
    Driver driver(1600, 1400, 1, experiment_of(fmt::format(R"("relative": "{}", "heads": 2, "d_head": 4)", relative)));
    driver.settle();
    act(driver, Select{{8, 6, {}}, true});
    act(driver, SetMode{ViewMode::mechanism});
    const Trace& trace = *driver.model().trace();
    const auto cell = [&](const char* id) { return static_cast<double>(trace.find(id)->tensor()[8 * 12 + 6]); };
    double sum = 0;
    const auto then = [](double number) {  // with its sign between, and none of its own
      return number < 0 ? fmt::format(" − {:.4g}", -number) : fmt::format(" + {:.4g}", number);
    };
    std::string said;
    for (const char* id : parts) {
      sum += cell(id) / 2;  // √4
      said += said.empty() ? fmt::format("{:.4g}", cell(id)) : then(cell(id));
    }
    if (parts.size() > 1) said = "(" + said + ")";
    if (trace.find("position_bias")) {
      sum += cell("position_bias");
      said += then(cell("position_bias"));
    }
    CHECK_THAT(cell("scaled_scores"), WithinAbs(sum, 1e-5));
    CHECK(driver.widget("mechanism/parts").value ==
          with_minus_signs(fmt::format("the to mat: 0.5 · {} = {:.4g}", said, cell("scaled_scores"))));
  }
}

TEST_CASE("windows of a picture, whose queries share one table, have no parts as large as their scores") {
  Driver driver;
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"swin"});
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  REQUIRE(driver.model().trace());
  CHECK(driver.model().trace()->find("position_bias"));
  CHECK_FALSE(driver.shows("mechanism/parts"));
}

TEST_CASE("a step of the strip that the keyboard comes to is slid into sight, and no heading of the inspector is cut") {
  Driver driver(1366, 768, 1,
                experiment_of(R"("rotary": "half", "block": "pre_norm", "ffn": true, "ffn_gated": true)"));
  driver.settle();
  int tiles = 0;
  for (int i = 0; i < 120; ++i) {
    driver.press(Key::tab);
    const std::string focus = driver.memory().ui.focus;
    if (!focus.starts_with("pipeline/")) continue;
    INFO(focus);
    driver.frame();
    CHECK(driver.widget(focus).seen.w >= driver.widget(focus).rect.w - 1);
    ++tiles;
  }
  CHECK(tiles > 12);
  Driver mixed(1600, 1000, 1, experiment_of(R"("talking_heads": "both")"));
  mixed.settle();
  act(mixed, Select{{8, 6, {}}, true});
  for (const LoggedText& text : mixed.log().texts)
    if (text.type == Type::heading) {
      INFO(text.text);
      CHECK_FALSE(text.cut);
    }
}

TEST_CASE("what a low window has no room for is named at the foot of its column, and a click goes there") {
  Driver driver(1366, 680, 1, experiment_of(R"("heads": 4, "d_head": 8, "mask": "causal")", "normal", "mla"));
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  const std::string more = "mechanism/pictures/more";
  REQUIRE(driver.shows(more));
  const Rect foot = driver.widget(more).rect;
  CHECK(driver.widget(more).value == "score over offset, in numbers");
  // Both pictures are whole: their dials stand in one row.
  for (const char* picture : {"latent", "rotary"})
    CHECK(driver.widget(std::string("mechanism/picture/") + picture).rect.bottom() <= foot.y);
  CHECK(driver.widget("mechanism/dial/0").rect.y == driver.widget("mechanism/moved/0").rect.y);
  CHECK(driver.widget("mechanism/dial/1").rect.right() <= driver.widget("mechanism/moved/0").rect.x);
  int clicks = 0;
  for (; driver.shows(more) && clicks < 5; ++clicks) {
    driver.click(more);
    driver.settle();
  }
  CHECK(clicks > 0);
  CHECK_FALSE(driver.shows(more));
  CHECK(driver.widget("mechanism/number/shift").rect.bottom() <= foot.bottom());
  // Where all of it is in sight, nothing is said.
  for (const auto& [width, height] : {std::pair(1600.0F, 1000.0F), std::pair(1366.0F, 768.0F)}) {
    Driver large(width, height, 1, experiment_of(R"("heads": 4, "d_head": 8, "mask": "causal")", "normal", "mla"));
    large.settle();
    act(large, SetMode{ViewMode::mechanism});
    INFO(width);
    REQUIRE(large.shows("mechanism/plot"));
    CHECK(large.widget("mechanism/picture/rotary").rect.bottom() <= large.widget("mechanism/plot").rect.y);
    CHECK_FALSE(large.shows(more));
    CHECK_FALSE(large.shows("mechanism/pictures/scrollbar"));
  }
}

TEST_CASE("pairs that hold nothing have empty dials, and it is said") {
  Driver driver(
      1600, 1000, 1,
      experiment_of(R"("heads": 8, "d_head": 8, "rotary": "interleaved", "rotary_fraction": 0.25)", "textbook"));
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  const auto says = [&](std::string_view words) {
    return std::ranges::any_of(driver.log().texts, [&](const auto& text) { return text.text == words; });
  };
  int empty = 0;
  for (Index head = 0; head < 8; ++head) {
    act(driver, SetHead{head});
    const auto turning = mechanism::rotation(*driver.model().shown.problem, *driver.model().trace());
    REQUIRE(turning);
    const auto dial = mechanism::dial(*turning, {0, head, 11, 0}, 0);
    act(driver, Select{{11, 0, {}}, true});
    INFO(head);
    CHECK(driver.shows("mechanism/dial/0"));
    const bool nothing = dial.q.length() == 0 && dial.k.length() == 0;
    CHECK(says("nothing turns: both are 0") == nothing);
    CHECK(says("0 and 0") == nothing);
    empty += nothing;
  }
  CHECK(empty > 0);
  CHECK(empty < 8);
}

TEST_CASE("what is said of shifted windows stands below the picture, in sight") {
  Driver driver(1600, 820, 1, experiment_of(R"("heads": 4)"));
  driver.settle();
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"swin"});
  act(driver, SetParam{"shift", Index{2}, false});
  act(driver, SetMode{ViewMode::mechanism});
  REQUIRE(driver.shows("mechanism/windows"));
  CHECK_FALSE(driver.shows("mechanism/pictures/more"));
  const Rect picture = driver.widget("mechanism/picture/shifted").rect, map = driver.widget("mechanism/windows").rect;
  CHECK(map.bottom() + 20 < picture.bottom());
  CHECK(picture.bottom() <= driver.widget("mechanism/number/largest").rect.y);
}

TEST_CASE("words in the plot over offsets do not lie over each other") {
  Driver driver(1600, 1000, 1, experiment_of(R"("heads": 4, "d_head": 8, "mask": "causal")", "normal", "mla"));
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  int rivals = 0;
  for (Index query = 0; query < 12; ++query)
    for (Index key = 0; key <= query; ++key) {
      act(driver, Select{{query, key, {}}, true});
      const Rect hidden = driver.widget("mechanism/plot/hidden").rect;
      for (const char* id : {"mechanism/plot/chosen", "mechanism/plot/rival"}) {
        if (!driver.shows(id)) continue;
        const Rect both = intersection(hidden, driver.widget(id).rect);
        INFO(id << " of " << query << ", " << key);
        CHECK((both.w <= 0 || both.h <= 0));
        rivals += std::string_view(id).ends_with("rival");
      }
    }
  CHECK(rivals > 0);
}

TEST_CASE("numbers that are more than their box holds stand beside its scroll bar") {
  Driver driver(
      1366, 768, 1,
      experiment_of(R"("heads": 8, "d_head": 8, "positions": "sinusoidal", "rotary": "half", "relative": "alibi",
                                 "kv_heads": 2, "softcap": 5, "mask": "causal")"));
  driver.settle();
  act(driver, SetMode{ViewMode::mechanism});
  REQUIRE(driver.shows("mechanism/numbers/scrollbar"));
  CHECK(driver.widget("mechanism/number/largest").rect.right() <= driver.widget("mechanism/numbers/scrollbar").rect.x);
}

TEST_CASE("the bar of a map says what shares it: channels, where those have the maps") {
  Driver driver(1600, 1000, 1, experiment_of(R"("heads": 4)"));
  driver.settle();
  const auto says = [&](std::string_view words) {
    return std::ranges::any_of(driver.log().texts,
                               [&](const auto& text) { return text.text.find(words) != std::string::npos; });
  };
  CHECK(says("shared by all heads"));
  act(driver, SetVariant{"aft"});
  CHECK(says("shared by all channels"));
  CHECK_FALSE(says("shared by all heads"));
}
