// What stands in the picture view: feature maps as what they are, tables beside windows, signals as lines, at every
// size.
#include <algorithm>
#include <cmath>

#include "app/panels/common/picture.h"
#include "app/panels/views/parts.h"
#include "app/reading/key_place.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/row_numbers.h"
#include "app/reading/step_words.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"
#include "engine/io/npy.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

Experiment on_array(const char* variant, Shape shape, std::optional<Index> extent = {}) {
  Experiment experiment = default_experiment(variant);
  std::vector<float> numbers;
  Index count = 1;
  for (const Index size : shape) count *= size;
  for (Index i = 0; i < count; ++i) numbers.push_back(std::sin(static_cast<float>(i) * 1.7F));
  const Variant& found = *find_variant(variant);
  experiment.inputs[found.arrays(experiment.params, {}).inputs.front().id] =
      LiteralInput{std::move(shape), std::move(numbers)};
  if (extent) {
    experiment.params.set("extent", *extent);
  }
  return experiment;
}

// Where words stand on the screen; nothing where they do not.
std::optional<Rect> find_words(const Driver& driver, const std::string& words) {
  for (const LoggedText& text : driver.log().texts)
    if (text.text.find(words) != std::string::npos) return text.rect;
  return std::nullopt;
}

}  // namespace

TEST_CASE("a window on a feature map is drawn round its query, on the whole map") {
  Driver driver(1600, 1000, 1, on_array("memory_block", {1, 6, 7, 9}, Index{3}));
  CHECK(driver.widget("picture").value == "7×9");
  CHECK(driver.widget("window").value == "3×3");
  driver.session().act(Select{{3 * 9 + 3, 4}, true});
  driver.settle();
  CHECK(driver.widget("picture/key").value.starts_with("key at offset 0, 0 · weight "));  // no pixel is called so
  CHECK(driver.widget("picture/key").value.find("pixel 3, 3") != std::string::npos);
  // The key above the query, where it is drawn.
  const Rect map = driver.widget("picture").rect;
  driver.click_at({map.x + map.w * 3.5F / 9, map.y + map.h * 2.5F / 7});
  CHECK(driver.model().document.look.selection.key == 1);
  CHECK(driver.widget("picture/key").value.find("pixel 2, 3") != std::string::npos);
}

TEST_CASE("every mechanism on a feature map shows its whole grid") {
  for (const char* variant : {"stand_alone_2d", "memory_block", "non_local"}) {
    Driver driver(1600, 1000, 1, on_array(variant, {1, 6, 7, 9}));
    INFO(variant);
    CHECK(driver.widget("picture").value == "7×9");
  }
  Experiment frames = on_array("non_local", {1, 4, 3, 5, 6});
  frames.params.set("dimension", Index{3});
  Driver driver(1600, 1000, 1, frames);
  CHECK(driver.widget("picture").value == "5×6");
  CHECK(driver.shows("frames/2"));
  CHECK(driver.shows("similarity/gaussian"));
  driver.session().act(SetFrame{2});
  driver.session().act(Select{{30 + 7, 60 + 9}, true});  // from frame 1 to frame 2
  driver.settle();
  CHECK(find_words(driver, "where frame 1 looks in frame 2"));
}

TEST_CASE("rows of an array that lie on a grid are seen in grey under what looks at them") {
  const Scratch folder;
  Tensor values({3, 5, 4});
  for (Index i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<float>(i) * 1.7F);
  REQUIRE(write_npy(folder / "hwc.npy", values));
  Experiment experiment = default_experiment("multi_head");
  experiment.inputs["x_q"] = FileInput{(folder / "hwc.npy").string(), "", "hwc"};
  Driver driver(1600, 1000, 1, experiment);
  REQUIRE(driver.shows("picture"));
  CHECK(driver.widget("picture").value == "3×5");
  driver.session().act(Select{{7, 3}, true});
  driver.settle();
  CHECK(find_words(driver, "grey: mean of 4 channels"));
}

TEST_CASE("the tables of relative positions and the offset map stand beside a window too, and on a small screen") {
  for (const auto& [width, height] : {std::pair{1600.0F, 1000.0F}, {1366.0F, 768.0F}})
    for (const auto extent : {std::optional<Index>(), std::optional<Index>(5)}) {
      Driver driver(width, height, 1, on_array("stand_alone_2d", {1, 6, 7, 9}, extent));
      INFO(width << " px, window " << extent.value_or(0));
      CHECK(driver.shows("relative/row_table"));
      // Rows are looked up by a − i, in the table above the columns' own.
      const auto rows = find_words(driver, "index a − i + "), columns = find_words(driver, "index b − j + ");
      REQUIRE(rows);
      REQUIRE(columns);
      CHECK(rows->y < columns->y);
      CHECK(driver.shows("relative/col_table"));
      CHECK(driver.widget("relative/offsets").value == (extent ? "5×5" : "13×17"));
      // Everything can be scrolled to.
      const Rect map = driver.widget("relative/offsets").rect;
      if (map.bottom() > height - 60) {
        driver.move_to({driver.widget("heads/0").rect.middle().x, driver.widget("heads/0").rect.middle().y});
        for (int i = 0; i < 40; ++i) {
          send_wheel(-3);
          driver.frame();
        }
        CHECK(driver.widget("relative/offsets").rect.bottom() <= height - 56);
      }
    }
}

TEST_CASE("a signal is a line, and pointing at it asks for its samples") {
  Driver driver;
  driver.session().act(UseExample{InputKind::signal});
  driver.session().act(SetVariant{"non_local"});
  driver.settle();
  REQUIRE(driver.shows("signal"));
  const Rect line = driver.widget("signal").rect;
  const Index samples = std::atoll(driver.widget("signal").value.c_str());
  const Index keys = driver.model().step()->axis(AxisRole::key)->size;
  driver.click_at({line.x + line.w * 0.755F, line.middle().y});
  CHECK(driver.model().document.look.pinned);
  CHECK(driver.model().document.look.selection.key == keys * 3 / 4);
  CHECK(samples >= keys);
}

TEST_CASE("the scale is chosen in the header, and undo takes it back") {
  Driver driver;
  driver.click("scaling");
  driver.click("scaling/Linear, each head");
  CHECK(driver.model().document.look.scaling == Scaling{Scaling::Space::linear, true});
  driver.press(Key::z, {.ctrl = true});
  CHECK(driver.model().document.look.scaling == Scaling{});
}

TEST_CASE("a key of any mechanism is said where it lies from its query, in time too") {
  for (const char* variant : {"multi_head", "additive", "key_content_only", "stand_alone_2d", "non_local"}) {
    Driver driver;
    driver.session().act(UseExample{InputKind::image});
    driver.session().act(SetVariant{variant});
    driver.settle();
    const Step* weights = driver.model().trace()->find("weights");
    REQUIRE(weights);
    driver.session().act(ShowStep{"weights"});
    const Index columns = slice_of(*weights, {}).grid.columns;
    driver.session().act(Select{{20, columns + 8}, true});  // from 0, 20 to 1, 8
    driver.settle();
    INFO(variant << ": " << driver.widget("picture/key").value);
    CHECK(driver.widget("picture/key").value.ends_with(" · 1 down, 12 left"));
  }
  Experiment frames = on_array("non_local", {1, 4, 3, 5, 6});
  frames.params.set("dimension", Index{3});
  Driver driver(1600, 1000, 1, frames);
  driver.session().act(ShowStep{"weights"});
  driver.session().act(SetFrame{2});
  driver.session().act(Select{{7, 2 * 30 + 7}, true});
  driver.settle();
  CHECK(driver.widget("picture/key").value.ends_with(" · 2 frames later"));
}

TEST_CASE("only what is masked is hatched: a window's zeros stand beyond the picture's edge, and count") {
  for (const char* padding : {"masked", "zero"}) {
    Experiment experiment = on_array("memory_block", {1, 6, 7, 9}, Index{3});
    experiment.params.set("padding", std::string(padding));
    Driver driver(1600, 1000, 1, experiment);
    driver.session().act(ShowStep{"weights"});
    driver.session().act(Select{{0, 0}, true});
    driver.settle();
    const std::string words = driver.widget("window/words").value;
    const Step& weights = *driver.model().step();
    INFO(padding << ": " << words);
    const bool masked = padding == std::string("masked");
    CHECK((weights.tensor()[0] == 0) == masked);
    CHECK(words.starts_with(masked ? "Hatched" : "Beyond the dark line"));
    CHECK(words.ends_with(masked ? "take no part." : "and they take part."));
    CHECK(driver.widget("trace/who/n_k").value == "−1, −1 · outside");
  }
}

TEST_CASE("Esc is offered only where a cell is pinned and its story stands") {
  Driver driver;
  driver.session().act(UseExample{InputKind::image});
  driver.session().act(SetVariant{"stand_alone_2d"});
  driver.session().act(ShowStep{"weights"});
  driver.session().act(Release{});
  driver.settle();
  CHECK(driver.widget("trace/hint").value == "nothing kept");
  driver.session().act(Select{{20, 40}, true});
  driver.settle();
  CHECK(driver.widget("trace/hint").value == "Esc releases");
  int without = 0;
  for (const Step& step : driver.model().trace()->steps)
    for (const ViewMode mode : {ViewMode::map, ViewMode::matrix}) {
      driver.session().act(ShowStep{step.info.id});
      driver.session().act(SetMode{mode});
      driver.settle();
      INFO(step.info.id);
      const bool told = driver.shows("trace/result");
      without += !told;
      CHECK(driver.widget("trace/hint").value == (told ? "Esc releases" : "nothing kept"));
    }
  CHECK(without > 0);
}

TEST_CASE("samples of a signal are named once, by their number") {
  Driver driver;
  driver.session().act(UseExample{InputKind::signal});
  driver.session().act(SetVariant{"multi_head"});
  driver.session().act(ShowStep{"weights"});
  driver.session().act(Select{{20, 30}, true});
  driver.settle();
  CHECK(driver.widget("trace/who/n_q").value == "20");
  CHECK(driver.widget("trace/who/n_k").value == "30");
  bool row_of = false, twice = false;
  for (const LoggedText& text : driver.log().texts) {
    row_of |= text.text == "row of";
    twice |= text.text == "20 20";
  }
  CHECK(row_of);
  CHECK_FALSE(twice);
}

TEST_CASE("choosing a mechanism moves neither the list of them nor what stands below") {
  Driver driver;
  driver.session().act(UseExample{InputKind::image});
  driver.settle();
  const Rect before = driver.widget("mechanism").rect;
  for (const char* title : {"Stand-alone 2-D", "Memory block", "Non-local", "Additive", "Scaled dot-product"}) {
    driver.click("mechanism");
    driver.click(std::string("mechanism/") + title);
    INFO(title);
    CHECK(driver.widget("mechanism").value == title);
    CHECK(driver.widget("mechanism").rect.y == before.y);
    CHECK_FALSE(driver.shows(std::string("mechanism/") + title));
  }
}

TEST_CASE("arrays wear no hand-made heads, and the switch of weights says so") {
  Driver driver(1600, 1000, 1, on_array("non_local", {1, 6, 7, 9}));
  CHECK(driver.widget("weights/textbook").state == "disabled");
  CHECK(driver.widget("weights/random").state == "selected");
  CHECK(driver.widget("weights/init").value == "xavier_normal");
  driver.click("weights/seed/+");
  CHECK(driver.model().document.experiment->weights->init == "xavier_normal");
}

TEST_CASE("many frames stand in rows that leave their pictures large enough to see, each share with its decimal") {
  Experiment frames = on_array("non_local", {1, 2, 20, 5, 9});
  frames.params.set("dimension", Index{3});
  Driver driver(1600, 1000, 1, frames);
  driver.session().act(ShowStep{"weights"});
  driver.settle();
  CHECK(driver.widget("frames/0").rect.w > 80);
  CHECK(driver.widget("frames/19").rect.y > driver.widget("frames/0").rect.bottom());
  CHECK(driver.widget("frames/19").rect.bottom() <= 1000 - 56);
  CHECK(driver.widget("frames/0").rect.y > driver.widget("picture").rect.bottom());
  int shares = 0;
  for (const LoggedText& text : driver.log().texts) {
    const bool share = text.text.ends_with("%") && text.text.find('.') != std::string::npos;
    shares += share && !text.cut;
  }
  CHECK(shares == 20);
}

TEST_CASE("what is said of a pinned key leaves its window in sight") {
  for (const float scale : {1.0F, 1.5F})
    for (const Index key : {0, 10, 24, 38, 48}) {
      Driver driver(1600, 1000, scale, on_array("stand_alone_2d", {1, 6, 18, 27}, Index{7}));
      driver.session().act(ShowStep{"weights"});
      driver.session().act(Select{{5 * 27 + 14, key}, true});
      driver.settle();
      INFO("key " << key << " at " << scale);
      REQUIRE(driver.shows("picture/callout"));
      const Rect callout = driver.widget("picture/callout").rect, window = driver.widget("picture/window").rect;
      const bool apart = callout.right() <= window.x || callout.x >= window.right() || callout.bottom() <= window.y ||
                         callout.y >= window.bottom();
      CHECK(apart);
    }
}

TEST_CASE("how wide a response is counts keys from the heaviest on, without masked ones") {
  Driver driver(1600, 1000, 1, on_array("memory_block", {1, 6, 7, 9}, Index{3}));
  driver.session().act(SetParam{"padding", std::string("masked"), false});
  driver.session().act(ShowStep{"weights"});
  driver.session().act(Select{{0, 4}, true});  // in the corner: 4 of 9 keys lie inside
  driver.settle();
  CHECK(driver.widget("width/all").value == "4");
  Trace trace = *driver.model().trace();
  const auto of_row = [&](std::vector<float> row) {
    for (Step& step : trace.steps)
      if (step.info.id == "weights") {
        Tensor values = step.tensor();
        std::ranges::copy(row, values.values().begin());
        step.values = std::make_shared<const Tensor>(std::move(values));
      }
    return *response_width(trace, *trace.find("weights"), 4);
  };
  const ResponseWidth even = of_row({0, 0, 0, 0, 0.25F, 0.25F, 0, 0.25F, 0.25F});
  CHECK(even.half == 2);
  CHECK(even.most == 4);
  CHECK(even.effective == Approx(4));
  CHECK(of_row({0, 0, 0, 0, 0.4F, 0.3F, 0, 0.15F, 0.15F}).most == 4);
  const ResponseWidth sharp = of_row({0, 0, 0, 0, 0.05F, 0.9F, 0, 0.03F, 0.02F});
  CHECK(sharp.half == 1);
  CHECK(sharp.effective == Approx(std::exp(-(0.05 * std::log(0.05) + 0.9 * std::log(0.9) + 0.03 * std::log(0.03) +
                                             0.02 * std::log(0.02)))));
  driver.session().act(SetParam{"padding", std::string("zero"), false});
  driver.settle();
  CHECK(driver.widget("width/all").value == "9");
}

TEST_CASE("the story of a pinned cell stays in its place when the head changes") {
  Driver driver;
  driver.session().act(UseExample{InputKind::image});
  driver.session().act(SetVariant{"stand_alone_2d"});
  driver.session().act(ShowStep{"weights"});
  driver.settle();
  const Rect map = driver.widget("picture").rect;
  driver.click_at({map.x + map.w * 0.7F, map.y + map.h * 0.7F});
  driver.settle();
  const float at = driver.widget("trace/result").rect.y;
  for (const Index head : {3, 0, 1}) {
    driver.session().act(SetHead{head});
    driver.settle();
    INFO(head);
    CHECK(std::abs(driver.widget("trace/result").rect.y - at) < 2);
  }
}

TEST_CASE("frames never leave the picture small: where they would, they stand beside it") {
  for (const auto& [width, height] : {std::pair{1600.0F, 1000.0F}, {1366.0F, 768.0F}}) {
    Driver driver(width, height);
    driver.session().act(UseExample{InputKind::frames});
    driver.settle();
    INFO(width << " × " << height);
    const Rect picture = driver.widget("picture").rect, frame = driver.widget("frames/0").rect;
    CHECK(picture.h >= 300);
    CHECK((frame.y > picture.bottom() || frame.x > picture.right()));
  }
}

TEST_CASE("what it costs is said for the extents that there are") {
  const auto costs = [](const Driver& driver) { return driver.widget("costs").value; };
  Driver map(1600, 1000, 1, on_array("stand_alone_2d", {1, 6, 7, 9}));
  CHECK(costs(map).ends_with(" of steps at 7 × 9"));
  Driver video(1600, 1000, 1, on_array("non_local", {1, 4, 3, 6, 8}));
  CHECK(costs(video).ends_with(" of steps at 3 frames of 6 × 8"));
  Driver text;
  CHECK(costs(text).ends_with(" of steps at 12 positions"));
  // And of what is shown then, as it is changed.
  const std::string of_12 = costs(text);
  act(text, SetParam{"heads", Index{2}, false});
  CHECK(costs(text) != of_12);
  CHECK(costs(text).ends_with(" of steps at 12 positions"));
  act(text, SetText{"x_q", "one two three"});
  CHECK(costs(text).ends_with(" of steps at 4 positions"));
  act(text, Undo{});
  act(text, Undo{});
  CHECK(costs(text) == of_12);
}

TEST_CASE("a uniform weight is that of the keys of all frames") {
  Experiment frames = on_array("non_local", {1, 4, 3, 5, 6});
  frames.params.set("dimension", Index{3});
  Driver video(1600, 1000, 1, frames);
  act(video, ShowStep{"weights"});
  CHECK(find_words(video, "▼ uniform 1/90"));
}

TEST_CASE("heads of windows show the query's own window") {
  Experiment experiment = on_array("memory_block", {1, 6, 7, 9}, Index{3});
  experiment.params.set("heads", Index{2});
  Driver windows(1600, 1000, 1, experiment);
  act(windows, ShowStep{"weights"});
  for (const char* head : {"heads/0/window", "heads/1/window"}) CHECK(windows.widget(head).value == "3×3");
}

TEST_CASE("tiles of projections say the shape of each") {
  Experiment cross = example_experiment();
  std::get<TextInput>(cross.inputs["x_q"]).text = "one two three four";
  cross.inputs["x_k"] = TextInput{"five six seven"};
  Driver driver(1600, 1000, 1, cross);
  const auto count = [&](AxisRole along) { return driver.model().extent(along); };
  CHECK(find_words(driver, fmt::format("{}×8, 2·{}×8", count(AxisRole::query), count(AxisRole::key))));
}

TEST_CASE("another mechanism of the same picture is asked from the same place, of the same key") {
  Driver driver;
  driver.session().act(UseExample{InputKind::image});
  act(driver, SetVariant{"stand_alone_2d"});
  act(driver, Select{{33, 100}, true});
  act(driver, SetVariant{"non_local"});
  CHECK(driver.model().document.look.selection.query == 33);
  CHECK(driver.model().document.look.selection.key == 100);
  CHECK(driver.model().document.look.pinned);
  act(driver, Select{{33, 34}, true});
  act(driver, SetVariant{"memory_block"});  // one to the right
  const Step& map = *driver.model().trace()->map();
  const Selection& now = driver.model().document.look.selection;
  CHECK(now.query == 33);
  REQUIRE(now.key);
  CHECK(key_place(*driver.model().trace(), map, *now.key, now.query, 0).in_full() == "0, +1 · pixel 1, 2");
}

TEST_CASE("while a run is refused the grid that is asked for stands in its control, and no picture of another file") {
  const Scratch folder;
  REQUIRE(write_file(folder / "other.png", *encode_png(filled_image(40, 20, rgb(0x808080)))));
  Driver driver;
  act(driver, UseExample{InputKind::image});
  act(driver, SetParam{"kv_heads", Index{3}, false});  // which does not divide eight heads
  REQUIRE(driver.model().shows_older());
  act(driver, SetGrid{driver.model().primary_input(), GridSize{16, 16}});
  CHECK(driver.widget("input/grid").value == "16 × 16");
  CHECK(driver.shows("input/picture"));
  driver.session().act(SetInput{driver.model().primary_input(), ImageInput{(folder / "other.png").string(), {}}});
  driver.settle();
  REQUIRE(driver.model().shows_older());
  CHECK_FALSE(driver.shows("input/picture"));
  CHECK(driver.shows("input/unread"));
  CHECK(driver.widget("input/grid").value == "16 × 32");
}

TEST_CASE("keys that are places of windows lie on the picture, and a click takes the one of its own window") {
  Driver driver(1600, 1000);
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"swin"});
  act(driver, SetParam{"shift", Index{2}, false});
  REQUIRE(driver.shows("picture"));
  const Step& weights = *driver.model().step();
  const Axis& queries = *weights.axis(AxisRole::query);
  const Axis& keys = *weights.axis(AxisRole::key);
  const Index columns = queries.grid->columns, query = 5 * columns + 8;          // in the window that begins at 2, 6
  CHECK(driver.model().document.look.selection.query == middle_query(weights));  // until another is chosen
  act(driver, Select{{query, {}}, false});
  const auto click_on = [&](Index row, Index column) {
    const Rect map = driver.widget("picture").rect;
    driver.click_at({map.x + map.w * (static_cast<float>(column) + 0.5F) / static_cast<float>(columns),
                     map.y + map.h * (static_cast<float>(row) + 0.5F) / static_cast<float>(queries.grid->rows)});
  };
  click_on(4, 7);
  const Selection& selected = driver.model().document.look.selection;
  REQUIRE(selected.key);
  CHECK(selected.query == query);
  CHECK(keys.position_of(query, *selected.key) == 4 * columns + 7);
  const std::string line = driver.widget("picture/key").value;
  CHECK(line.starts_with("key 4, 7 · weight "));
  CHECK(line.ends_with("1 up, 1 left"));
  // The arrows go from pixel to pixel, and no further than the window.
  driver.press(Key::right);
  CHECK(keys.position_of(query, *selected.key) == 4 * columns + 8);
  for (int n = 0; n < 5; ++n) driver.press(Key::up);
  CHECK(keys.position_of(query, *selected.key) == 2 * columns + 8);
  click_on(9, 9);  // of the window below
  CHECK(keys.position_of(query, *selected.key) == 2 * columns + 8);
  // The heads show the part round the window, which marks would else hide; lines of pixels are not offered.
  const auto& composed = driver.memory().get<PictureMemory>().composed;
  CHECK(composed.at("heads/1").of.part);
  CHECK_FALSE(composed.at("main").of.part);
  CHECK(driver.shows("view/matrix"));
  CHECK_FALSE(driver.shows("view/lines"));
  act(driver, SetMode{ViewMode::lines});
  CHECK(driver.shows("lines/picture"));
  act(driver, SetMode{ViewMode::matrix});
  CHECK(!driver.shows("picture"));
  act(driver, ShowScreen{Screen::figure});
  CHECK(driver.model().document.figure.kind == FigureKind::matrix);
}

TEST_CASE("a row on the grid has every number of its window in its place and nothing elsewhere") {
  Driver driver(1600, 1000);
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"swin"});
  for (const Index shift : {Index{0}, Index{2}}) {
    act(driver, SetParam{"shift", shift, false});
    const Trace& trace = *driver.model().trace();
    const Step& weights = *trace.find("weights");
    const Axis &queries = *weights.axis(AxisRole::query), &keys = *weights.axis(AxisRole::key);
    const auto shown = with_hidden(trace, weights);
    for (const Index query : {Index{0}, Index{168}, queries.size - 1}) {
      const Step row = keys_on_grid(trace, weights, query);
      const Index places = row.tensor().shape().back();
      REQUIRE(places == queries.size);
      for (Index m = 0; m < heads_of(weights); ++m) {
        Index lying = 0;
        for (Index at = 0; at < places; ++at) lying += !is_masked(row.tensor()[m * places + at]);
        Index seen = 0;
        for (Index j = 0; j < keys.size; ++j) {
          const float number = (*shown)[(m * queries.size + query) * keys.size + j];
          seen += !is_masked(number);
          CHECK(row.tensor()[m * places + keys.position_of(query, j)] == number);
        }
        CHECK(lying == seen);
        CHECK(seen == (shift > 0 && query != 168 ? 4 : 16));  // at the corners the cut leaves a quarter
      }
    }
  }
}

TEST_CASE("what was pointed at on a larger grid is let go, and no place is asked from that is not there") {
  Driver driver(1600, 1000);
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"swin"});
  const std::string input = driver.model().document.experiment->inputs.begin()->first;
  act(driver, SetGrid{input, {32, 32}});
  REQUIRE(driver.model().step()->axis(AxisRole::query)->size == 32 * 32);
  const std::string step = driver.model().step()->info.id;
  Hover beyond;
  beyond.step = step;
  beyond.selection.query = 1020;
  beyond.selection.key = 5;
  driver.session().act(SetHover{beyond});
  driver.session().act(SetGrid{input, {8, 8}});
  REQUIRE(driver.session().settle());
  REQUIRE(driver.model().step()->axis(AxisRole::query)->size == 8 * 8);
  CHECK_FALSE(driver.model().hover);
  driver.session().act(SetHover{beyond});
  driver.frame();
  CHECK(driver.memory().get<WindowRowMemory>().row->info.id == step + "/63");
}

TEST_CASE("a place in a table of sides is none in a shorter table") {
  Step table;
  const Axis row{.symbol = "H", .name = "row", .size = 4, .along = AxisRole::row};
  table.info.axes = {row, row, Axis{.symbol = "d", .name = "channel", .size = 2, .along = AxisRole::channel}};
  table.values = std::make_shared<const Tensor>(Tensor({4, 4, 2}));
  const Slice slice = slice_of(table, {});
  REQUIRE(slice.of_sides);
  Selection selection;
  selection.side_query = 3;
  selection.side_key = 4;
  CHECK(selected_row(slice, selection) == 3);
  CHECK_FALSE(selected_column(slice, selection));
}

TEST_CASE("of many frames all are bars, and those round the current one are pictures") {
  Experiment experiment = on_array("non_local", {1, 4, 120, 3, 4});
  experiment.params.set("dimension", Index{3});
  for (const auto& [width, height] : {std::pair{1600.0F, 1000.0F}, {1366.0F, 768.0F}}) {
    Driver driver(width, height, 1, experiment);
    act(driver, SetFrame{60});
    REQUIRE(driver.shows("frames/bars"));
    CHECK(driver.shows("frames/60"));
    CHECK(driver.widget("frames/60").rect.w >= 48);
    CHECK(!driver.shows("frames/0"));
    // A press on a bar goes to its frame, and the pictures go along, at the ends as well.
    for (const Index frame : {Index{0}, Index{31}, Index{119}}) {
      const Rect bars = driver.widget("frames/bars").rect;
      driver.click_at({bars.x + bars.w * (static_cast<float>(frame) + 0.5F) / 120, bars.middle().y});
      driver.settle();
      CHECK(driver.model().document.look.frame == frame);
      CHECK(driver.widget(fmt::format("frames/{}", frame)).state == "selected");
    }
  }
}

TEST_CASE("where heads alone stand beside a picture, they go below it if that makes it larger") {
  Experiment wide = on_array("swin", {1, 6, 16, 32}), high = on_array("swin", {1, 6, 32, 16});
  Driver below(1600, 1000, 1, wide), beside(1600, 1000, 1, high);
  const Rect wide_map = below.widget("picture").rect, high_map = beside.widget("picture").rect;
  for (int m = 0; m < 4; ++m) {
    CHECK(below.widget(fmt::format("heads/{}", m)).rect.y > wide_map.bottom());
    CHECK(below.widget(fmt::format("heads/{}", m)).rect.y == below.widget("heads/0").rect.y);
    CHECK(below.widget(fmt::format("heads/{}", m)).rect.bottom() <= 1000 - 56);
    CHECK(beside.widget(fmt::format("heads/{}", m)).rect.x > high_map.right());
  }
  CHECK(wide_map.w > 700);
  CHECK(high_map.h > 500);
}

TEST_CASE("a picture is zoomed under the pointer, and what is pointed at, marked and numbered goes along") {
  Driver driver(1600, 1000);
  act(driver, UseExample{InputKind::image});
  act(driver, SetVariant{"non_local"});
  REQUIRE(driver.shows("picture"));
  const Grid grid = *driver.model().step()->axis(AxisRole::query)->grid;
  const auto at_cell = [&](Index row, Index column, Index first_row, Index first_column, Index rows, Index columns) {
    const Rect map = driver.widget("picture").rect;
    return app::Point{map.x + map.w * (static_cast<float>(column - first_column) + 0.5F) / static_cast<float>(columns),
                      map.y + map.h * (static_cast<float>(row - first_row) + 0.5F) / static_cast<float>(rows)};
  };
  CHECK(driver.widget("picture").value == fmt::format("{}×{}", grid.rows, grid.columns));
  CHECK_FALSE(driver.shows("picture/overview"));
  driver.move_to(at_cell(grid.rows - 2, 3, 0, 0, grid.rows, grid.columns));
  for (int n = 0; n < 4; ++n) driver.press(Key::equal);
  driver.settle();
  REQUIRE(driver.shows("picture/overview"));
  const std::string part = driver.widget("picture/overview").value, size = driver.widget("picture").value;
  const Index first_row = std::stoll(part), first_column = std::stoll(part.substr(part.find(',') + 1)),
              rows = std::stoll(size), columns = std::stoll(size.substr(size.find("×") + std::string("×").size()));
  CHECK(rows < grid.rows / 2);
  CHECK(first_row + rows >= grid.rows - 1);
  // The keys are pooled in blocks of 2 × 2: that of the pixel which is clicked.
  const Index row = first_row + rows / 2, column = first_column + columns / 2;
  driver.click_at(at_cell(row, column, first_row, first_column, rows, columns));
  const Index keys_across = driver.model().step()->axis(AxisRole::key)->grid->columns,
              block = grid.columns / keys_across;
  CHECK(driver.model().document.look.selection.key == row / block * keys_across + column / block);
  // A drag moves the part and keeps nothing.
  const auto before = driver.model().document.look.selection;
  const app::Point from = at_cell(row - 2, column, first_row, first_column, rows, columns);
  driver.move_to(from);
  send_mouse_button(0, true);
  driver.frame();
  driver.move_to({from.x, from.y + driver.widget("picture").rect.h / 2});
  driver.frame();
  send_mouse_button(0, false);
  driver.settle();
  CHECK(std::stoll(driver.widget("picture/overview").value) < first_row);
  CHECK(driver.model().document.look.selection == before);
  driver.press(Key::zero);
  driver.settle();
  CHECK_FALSE(driver.shows("picture/overview"));
}
