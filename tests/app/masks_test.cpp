// Masks taken apart: every rule against its definition written out once more, what the layers come to against the run's
// own weights, painting as edits, and the laboratory driven by pointer and keys.
#include <cmath>
#include <random>
#include <set>

#include "app/actions/action_table.h"
#include "app/model/masks.h"
#include "app/reading/masks/mask_code.h"
#include "app/reading/masks/mask_layers.h"
#include "app/reading/step_words.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

constexpr const char* ten_words = "one two three four five six seven eight nine";  // and the start token

Experiment experiment_of(const std::string& params, const std::string& more_inputs = "", const std::string& rest = "") {
  auto parsed = parse_experiment(fmt::format(R"({{"variant": "multi_head", "params": {{"heads": 2, "d_head": 4{}}},
                       "inputs": {{"x_q": {{"text": "{}"}}{}}}, "weights": {{"init": "normal"}}{}}})",
                                             params, ten_words, more_inputs, rest),
                                 {}, "");
  if (!parsed) FAIL(parsed.error().message);
  return *parsed;
}

RanExperiment masked(const std::string& params, const std::string& more_inputs = "", const std::string& rest = "") {
  return ran(experiment_of(params, more_inputs, rest));
}

const SeenLayer& layer(const MaskReading& mask, const std::string& id) {
  for (const SeenLayer& one : mask.layers)
    if (one.id == id) return one;
  FAIL("no layer " + id);
  return mask.layers.front();
}

bool hides(const MaskReading& mask, const std::string& id, Index row, Index key) {
  for (std::size_t i = 0; i < mask.layers.size(); ++i)
    if (mask.layers[i].id == id) return (mask.hide[static_cast<std::size_t>(mask.at(row, key))] >> i & 1U) != 0;
  return false;
}

std::string saved(const Model& model) {
  return to_json(*model.document.experiment, {});
}

bool hidden(const Model& model, Index row, Index key) {
  return mask_of(model).hidden(row, key);
}

// The middle of a cell of the laboratory's map.
app::Point mask_cell(const Driver& driver, Index row, Index key) {
  const LoggedWidget& map = driver.widget("masks/map");
  const auto n = static_cast<float>(driver.model().extent(AxisRole::query));
  return {map.rect.x + map.rect.w * (static_cast<float>(key) + 0.5F) / n,
          map.rect.y + map.rect.h * (static_cast<float>(row) + 0.5F) / n};
}

}  // namespace

TEST_CASE("every layer hides what its definition says, and together they hide what has no weight") {
  const auto run = masked(
      R"(, "mask": "prefix", "prefix_length": 3, "window_left": 2, "window_right": 1, "window_dilation": 2,
          "chunk": 4, "chunk_left": 1, "sink_tokens": 1, "global_tokens": 2)",
      R"(, "key_padding_mask": [[0, 0, 0, 0, 0, 0, 0, 0, 1, 1]], "valid_lens": [9],
          "segments_q": [0, 0, 0, 0, 0, 0, 1, 1, 1, 1])",
      R"(, "edits": [{"array": "mask", "at": [null, null, 2, 5], "set": 0},
                      {"array": "mask", "at": [null, null, 5, 1], "set": "-inf"}])");
  const MaskReading mask = read_mask(*run.trace, 0, 1);
  REQUIRE(mask.queries == 10);
  Index visible = 0;
  for (Index i = 0; i < 10; ++i)
    for (Index j = 0; j < 10; ++j) {
      CAPTURE(i, j);
      const Index apart = j - i, chunk = j / 4 - i / 4;
      const bool near = j < 1 || j < 2 || i < 2;
      const bool prefix = j > i && j >= 3, padding = j >= 8, length = j >= 9, other = (i < 6) != (j < 6);
      const bool window = !near && (apart % 2 != 0 || apart < -4 || apart > 2),
                 blocks = !near && (chunk < -1 || chunk > 0);
      CHECK(hides(mask, "prefix", i, j) == prefix);
      CHECK(hides(mask, "padding", i, j) == padding);
      CHECK(hides(mask, "lengths", i, j) == length);
      CHECK(hides(mask, "documents", i, j) == other);
      CHECK(hides(mask, "window", i, j) == window);
      CHECK(hides(mask, "chunks", i, j) == blocks);
      bool is_hidden = prefix || padding || length || other || window || blocks;
      if (i == 2 && j == 5) is_hidden = false;
      if (i == 5 && j == 1) is_hidden = true;
      CHECK(mask.hidden(i, j) == is_hidden);
      CHECK((run.trace->map()->tensor().at({0, 1, i, j}) == 0) == is_hidden);
      CHECK(hidden_by_words(mask, i, j).empty() == !is_hidden);
      visible += is_hidden ? 0 : 1;
    }
  CHECK(mask.visible == visible);
  CHECK(layer(mask, "painted").cells == 2);
  CHECK(hides(mask, "painted", 5, 1));
  CHECK_FALSE(hides(mask, "painted", 2, 5));
}

TEST_CASE("a mask of the past is half of all pairs, and the words say which") {
  const auto run = masked(R"(, "mask": "causal")");
  const MaskReading mask = read_mask(*run.trace, 0, 0);
  CHECK(mask.visible == 55);
  CHECK(layer(mask, "causal").cells == 45);
  CHECK(layer(mask, "causal").alone == 45);
  CHECK(equation_in_words(mask) == "A query sees a key where key ≤ query.");
  CHECK(hidden_by_words(mask, 3, 5) == "Causal");
  const auto said = verdicts(*run.trace, mask, 0, 0, 3, 5);
  REQUIRE(said.size() == 1);
  CHECK(said[0].hides);
  CHECK(said[0].words == "key 5 comes after query 3");
  CHECK(verdicts(*run.trace, mask, 0, 0, 5, 3)[0].words == "key 3 ≤ query 5");
}

TEST_CASE("what is let in stands in the same parentheses as what it is let in from") {
  const auto run = masked(R"(, "mask": "causal", "window_left": 2, "sink_tokens": 1)");
  const MaskReading mask = read_mask(*run.trace, 0, 0);
  CHECK(equation_in_words(mask) == "A query sees a key where key ≤ query, and either at most 2 before, or key < 1.");
  CHECK(layer(mask, "sinks").cells == 7);  // queries 3 to 9 see key 0 for it alone
  const auto said = verdicts(*run.trace, mask, 0, 0, 7, 0);
  CHECK(said[1].words == "key 0 is 7 before query 7, it reaches 2, let in");
  CHECK(said[2].words == "sink token 0: lets it in");
}

TEST_CASE("queries without a key are found, with what hides their keys and what would give them one") {
  const auto run = masked(R"(, "mask": "causal")", R"(, "key_padding_mask": [[1, 1, 0, 0, 0, 0, 0, 0, 0, 0]])");
  const MaskReading mask = read_mask(*run.trace, 0, 0);
  CHECK(mask.empty == std::vector<Index>{0, 1});
  CHECK(why_empty(mask, 0) == "Causal hides 9 of its 10 keys, Padding hides 2.");
  CHECK(rows_freed(mask, "padding") == 2);
  CHECK(rows_freed(mask, "causal") == 2);
  CHECK(has_empty_rows(*run.trace));
  CHECK_FALSE(has_empty_rows(*masked(R"(, "mask": "causal")").trace));
}

TEST_CASE("blocks that are kept are those in which a cell is seen, counted once more") {
  for (const char* params : {R"(, "mask": "causal")", R"(, "window_left": 1, "window_right": 1)", R"(, "chunk": 3)"}) {
    const MaskReading mask = read_mask(*masked(params).trace, 0, 0);
    for (const Index side : {1, 3, 4, 16}) {
      const BlockSavings saved = savings_of_blocks(mask, side);
      std::set<std::pair<Index, Index>> kept;
      for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 10; ++j)
          if (!mask.hidden(i, j)) kept.insert({i / side, j / side});
      CHECK(saved.kept == static_cast<Index>(kept.size()));
      Index cells = 0;
      for (Index i = 0; i < 10; ++i)
        for (Index j = 0; j < 10; ++j) cells += kept.contains({i / side, j / side}) ? 1 : 0;
      CHECK(saved.cells == cells);
      if (side == 1) CHECK(saved.cells == mask.visible);
      if (side == 16) CHECK(saved.cells == 100);
    }
  }
}

TEST_CASE("windows of a picture name its edge, and keys cut by hand are told from those that rules hide") {
  const auto parsed = parse_experiment(R"({"variant": "memory_block", "params": {"padding": "masked"},
      "inputs": {"x": {"image": "scene.png", "size": [4, 5]}}})",
                                       std::string(HEADLIGHT_SOURCE_DIR) + "/assets/examples", "");
  const auto run = ran(parsed);
  const MaskReading mask = read_mask(*run.trace, 0, 0);
  CHECK(hidden_by_words(mask, 0, 0) == "Picture’s edge");
  CHECK(hidden_by_words(mask, 6, 0).empty());
  CHECK(mask.visible == 3 * 3 * 20 - (2 * (3 * 4 + 3 * 5) - 4));
  CHECK_FALSE(mask_code(*run.trace, mask, TorchMask::visible));
  const auto cut = masked(R"(, "mask": "causal")", "",
                          R"(, "edits": [{"array": "masked_scores", "at": [null, 0, 4, 2], "set": "-inf"}])");
  CHECK(hidden_by_words(read_mask(*cut.trace, 0, 0), 4, 2) == "Cut");
  CHECK(hidden_by_words(read_mask(*cut.trace, 0, 1), 4, 2).empty());
}

TEST_CASE("painted cells are written as rectangles and read as the same cells") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Paint paint;
    paint.on = round % 3 != 0;
    for (unsigned n = static_cast<unsigned>(random() % 60); n > 0; --n)
      paint.cells[{static_cast<Index>(random() % 9), static_cast<Index>(random() % 9)}] = random() % 2 == 0;
    Edit other;
    other.array = "weights";
    other.make = Edit::Make::zero;
    const auto edits = with_paint({other}, paint);
    REQUIRE(edits.front() == other);
    const Paint read = paint_from(edits, 9, 9);
    CHECK(read.cells == paint.cells);
    if (!paint.cells.empty()) CHECK(read.on == paint.on);
    CHECK(edits.size() <= paint.cells.size() + 1);
  }
  Paint block;
  for (Index i = 2; i < 6; ++i)
    for (Index j = 1; j < 4; ++j) block.cells[{i, j}] = true;
  CHECK(with_paint({}, block).size() == 1);
}

TEST_CASE("painting hides and shows pairs whatever the rules say, and takes back what it need not say") {
  Driver driver(1600, 1000, 1, experiment_of(R"(, "mask": "causal")"));
  driver.settle();
  const std::string before = saved(driver.model());
  act(driver, PaintMask{true, 5, 6, 2, 3});
  CHECK(driver.model().document.experiment->edits.size() == 1);
  for (Index i = 0; i < 10; ++i)
    for (Index j = 0; j < 10; ++j)
      CHECK(hidden(driver.model(), i, j) == (j > i || ((i == 5 || i == 6) && (j == 2 || j == 3))));
  act(driver, PaintMask{false, 1, 1, 8, 8});
  CHECK_FALSE(hidden(driver.model(), 1, 8));
  CHECK(driver.model().trace()->map()->tensor().at({0, 0, 1, 8}) > 0);
  CHECK(undo_name_of(PaintMask{false}, driver.model()) == "showing cells");
  act(driver, PaintMask{true, 1, 1, 8, 8});
  act(driver, PaintMask{false, 5, 6, 2, 3});
  CHECK(saved(driver.model()) == before);  // nothing is painted any more
  act(driver, PaintMask{true, 4, 4, 9, 9});
  CHECK(saved(driver.model()) == before);  // it is hidden as it is
}

TEST_CASE("without any rule a painted cell makes a mask of its own, and it opens the same again") {
  Driver driver(1600, 1000, 1, experiment_of(""));
  driver.settle();
  CHECK(mask_of(driver.model()).visible == 100);
  act(driver, PaintMask{true, 3, 3, 7, 7});
  CHECK(driver.model().error.empty());
  CHECK(mask_of(driver.model()).visible == 99);
  CHECK(hidden_by_words(mask_of(driver.model()), 3, 7) == "Painted");
  const auto again = ran(parse_experiment(saved(driver.model()), {}, ""));
  CHECK(read_mask(*again.trace, 0, 0).hidden(3, 7));
  act(driver, SwitchLayer{"painted", false});
  CHECK(mask_of(driver.model()).visible == 100);
  act(driver, SwitchLayer{"painted", true});
  CHECK(mask_of(driver.model()).visible == 99);
  act(driver, InvertMask{});
  CHECK(mask_of(driver.model()).visible == 1);
  act(driver, ClearPaint{});
  CHECK(mask_of(driver.model()).visible == 100);
  CHECK(driver.model().document.experiment->edits.empty());
}

TEST_CASE("paint parts queries that a rule treats alike, and an edit of the whole row does not") {
  const std::string padding = R"(, "key_padding_mask": [[0, 0, 0, 0, 0, 0, 0, 0, 0, 1]])";
  const auto painted =
      masked("", padding, R"(, "edits": [{"array": "mask", "at": [null, null, 0, 3], "set": "-inf"}])");
  const MaskReading one = read_mask(*painted.trace, 0, 0);
  for (Index i = 0; i < 10; ++i) CHECK(one.hidden(i, 3) == (i == 0));
  const auto whole = masked("", padding, R"(, "edits": [{"array": "mask", "at": [0, 0, 0, 3], "set": "-inf"}])");
  const MaskReading all = read_mask(*whole.trace, 0, 0);
  for (Index i = 0; i < 10; ++i) CHECK(all.hidden(i, 3));
  CHECK(masked_step(*whole.trace)->tensor().dim(2) == 1);
}

TEST_CASE("every rule switches on and off, and comes back as it was set") {
  Driver driver(1600, 1000, 1, experiment_of(""));
  driver.settle();
  const std::string before = saved(driver.model());
  for (const MaskOption* option : mask_rules(driver.model())) {
    CAPTURE(option->layer().id);
    CHECK_FALSE(is_switched_on(driver.model(), *option));
    act(driver, SwitchLayer{option->layer().id, true});
    CHECK(driver.model().error.empty());
    CHECK(is_switched_on(driver.model(), *option));
    const bool allows = option->layer().id == "sinks" || option->layer().id == "global";
    CHECK((masked_step(*driver.model().trace()) == nullptr) == allows);  // alone it lets in what is in reach
    if (!allows) CHECK(layer(mask_of(driver.model()), option->layer().id).name == option->layer().title);
    act(driver, SwitchLayer{option->layer().id, false});
    CHECK_FALSE(is_switched_on(driver.model(), *option));
    for (int n = 0; n < 2; ++n) act(driver, Undo{});
    CHECK(saved(driver.model()) == before);
  }
  act(driver, SwitchLayer{"window", true});
  act(driver, SetParam{"window_left", Index{5}, false});
  act(driver, SwitchLayer{"window", false});
  act(driver, SwitchLayer{"window", true});
  CHECK(driver.model().document.experiment->params.integer("window_left") == 5);
}

TEST_CASE("pads, lengths and documents are set where the layers are") {
  Driver driver(1600, 1000, 1, experiment_of(""));
  driver.settle();
  act(driver, PadKeys{true, 3});
  for (Index j = 0; j < 10; ++j) CHECK(hidden(driver.model(), 9, j) == (j < 3));
  act(driver, PadKeys{false, 3});
  for (Index j = 0; j < 10; ++j) CHECK(hidden(driver.model(), 9, j) == (j >= 7));
  act(driver, SwitchLayer{"padding", false});
  act(driver, SetValidLength{4});
  for (Index j = 0; j < 10; ++j) CHECK(hidden(driver.model(), 0, j) == (j >= 4));
  act(driver, SwitchLayer{"lengths", false});
  act(driver, StartDocument{true, 4});
  act(driver, StartDocument{true, 7});
  CHECK(document_starts(driver.model()) == std::vector<Index>{4, 7});
  const auto document = [](Index i) { return i < 4 ? 0 : i < 7 ? 1 : 2; };
  for (Index i = 0; i < 10; ++i)
    for (Index j = 0; j < 10; ++j) CHECK(hidden(driver.model(), i, j) == (document(i) != document(j)));
  act(driver, StartDocument{false, 4});
  CHECK(document_starts(driver.model()) == std::vector<Index>{7});
}

TEST_CASE("a stroke over the mask is one entry of undo, and Alt pins") {
  Driver driver(1600, 1000, 1, experiment_of(R"(, "mask": "causal")"));
  driver.settle();
  act(driver, ShowScreen{Screen::masks});
  const std::string before = saved(driver.model());
  driver.click_at(mask_cell(driver, 6, 2));
  CHECK(hidden(driver.model(), 6, 2));
  driver.move_to(mask_cell(driver, 8, 1));
  send_mouse_button(0, true);
  driver.frame();
  for (Index key = 2; key <= 6; key += 2) driver.move_to(mask_cell(driver, 8, key));  // cells between are met, too
  send_mouse_button(0, false);
  driver.frame();
  driver.settle();
  for (Index key = 1; key <= 6; ++key) CHECK(hidden(driver.model(), 8, key));
  CHECK_FALSE(hidden(driver.model(), 8, 7));
  act(driver, Undo{});
  CHECK_FALSE(hidden(driver.model(), 8, 3));
  CHECK(hidden(driver.model(), 6, 2));
  act(driver, Undo{});
  CHECK(saved(driver.model()) == before);
  send_modifiers({.alt = true});
  driver.click_at(mask_cell(driver, 4, 3));
  send_modifiers({});
  driver.settle();
  CHECK(saved(driver.model()) == before);
  CHECK(driver.model().document.look.pinned);
  CHECK(driver.model().document.look.selection.query == 4);
  CHECK(driver.widget("masks/cell").value.starts_with("Causal: key 3 ≤ query 4; Score: "));
}

TEST_CASE("the pinned cell is painted by a key, and moved by arrows") {
  Driver driver(1600, 1000, 1, experiment_of(R"(, "mask": "causal")"));
  driver.settle();
  act(driver, ShowScreen{Screen::masks});
  act(driver, Select{{.query = 5, .key = 3}, true});
  driver.press(Key::x);
  CHECK(hidden(driver.model(), 5, 3));
  driver.press(Key::right);
  driver.press(Key::x);
  CHECK(hidden(driver.model(), 5, 4));
  driver.press(Key::x);
  CHECK_FALSE(hidden(driver.model(), 5, 4));
}

TEST_CASE("the tools paint a box, a row, a column and a diagonal") {
  Driver driver(1600, 1000, 1, experiment_of(""));
  driver.settle();
  act(driver, ShowScreen{Screen::masks});
  const auto count = [&] { return 100 - mask_of(driver.model()).visible; };
  driver.click("masks/tool/Row");
  driver.click_at(mask_cell(driver, 2, 2));
  CHECK(count() == 10);
  driver.click("masks/tool/Column");
  driver.click_at(mask_cell(driver, 5, 4));
  CHECK(count() == 19);
  act(driver, ClearPaint{});
  driver.click("masks/tool/Diagonal");
  driver.click_at(mask_cell(driver, 5, 3));
  CHECK(count() == 8);
  act(driver, ClearPaint{});
  driver.click("masks/tool/Box");
  driver.move_to(mask_cell(driver, 1, 1));
  send_mouse_button(0, true);
  driver.frame();
  driver.move_to(mask_cell(driver, 3, 4));
  send_mouse_button(0, false);
  driver.frame();
  driver.settle();
  CHECK(count() == 12);
}

TEST_CASE("an empty row says why, and a press repairs it") {
  Driver driver(1600, 1000, 1, experiment_of(R"(, "mask": "causal")"));
  driver.settle();
  act(driver, PadKeys{true, 2});
  act(driver, ShowScreen{Screen::masks});
  CHECK(driver.widget("masks/empty").value.starts_with("2 rows have no visible key. Query 0 "));
  driver.click("masks/repair/1");
  CHECK(mask_of(driver.model()).empty.empty());
  CHECK(mask_of(driver.model()).visible == 8 * 9 / 2 + 2);
  CHECK_FALSE(driver.shows("masks/empty"));
  act(driver, Undo{});
  CHECK(mask_of(driver.model()).empty.size() == 2);
}

TEST_CASE("where the cell's panel is away, a card says why rows are empty and leads to what repairs them") {
  for (const auto& [width, height, scale] :
       {std::tuple{1366.0F, 768.0F, 1.0F}, std::tuple{1600.0F, 1000.0F, 2.0F}, std::tuple{1600.0F, 1000.0F, 1.0F}}) {
    CAPTURE(width, scale);
    Driver driver(width, height, scale, experiment_of(R"(, "mask": "causal")"));
    driver.settle();
    act(driver, PadKeys{true, 2});
    act(driver, ShowScreen{Screen::masks});
    if (width == 1600 && scale == 1) act(driver, Fold{Side::inspector, true});
    REQUIRE_FALSE(driver.shows("masks/repair/1"));
    CHECK(driver.widget("masks/empty").value.starts_with("2 rows have no visible key. Query 0 "));
    CHECK(driver.widget("masks/empty").value.ends_with("Padding hides 2."));
    driver.click("masks/empty/button");
    driver.settle();
    driver.click("masks/repair/1");
    CHECK(mask_of(driver.model()).empty.empty());
    CHECK_FALSE(driver.shows("masks/empty"));
  }
}

TEST_CASE("the words in an empty row stand beside the selected column") {
  Driver driver(1600, 1000, 1, experiment_of(R"(, "mask": "causal")"));
  driver.settle();
  act(driver, PadKeys{true, 2});
  for (const Index key : {1, 4, 8}) {
    act(driver, Select{{.query = 5, .key = key}, true});
    act(driver, ShowScreen{Screen::masks});
    driver.settle();
    const Rect map = driver.widget("masks/weights").rect;
    const float cell = map.w / 10, left = map.x + cell * static_cast<float>(key);
    int told = 0;
    for (const LoggedText& text : driver.log().texts) {
      if (text.text != "no visible key: set to zeros") continue;
      ++told;
      CHECK((text.rect.right() <= left || text.rect.x >= left + cell));
    }
    CHECK(told == 2);
  }
}

TEST_CASE("an array of another length than the text has now is said, with the rule to switch off") {
  Driver driver(1600, 1000, 1, experiment_of(""));
  driver.settle();
  act(driver, PadKeys{true, 2});
  act(driver, ShowScreen{Screen::masks});
  act(driver, SetText{"x_q", "a shorter text", false});
  CHECK(driver.model().error.find("key_padding_mask") != std::string::npos);
  driver.click("error/button");
  driver.settle();
  CHECK(driver.model().error.empty());
  act(driver, SwitchLayer{"padding", true});
  CHECK(driver.model().error.empty());
  CHECK(mask_of(driver.model()).visible == 4 * 2);
}

TEST_CASE("of weights that were saved no mask is known but what they show") {
  const auto reason = [](const std::string& weights) {
    const auto saved = parse_experiment(R"({"variant": "given", "inputs": {"weights": {"array": )" + weights + "}}}",
                                        {}, "saved.json");
    REQUIRE(saved);
    Driver driver(1600, 1000, 1, *saved);
    driver.settle();
    act(driver, ShowScreen{Screen::masks});
    CHECK_FALSE(driver.shows("masks/other"));
    return driver.widget("masks/reason").value;
  };
  const std::string plain = "These weights were saved, and their file does not say which mask they were made with.";
  CHECK(reason("[[0.5, 0.5], [0.25, 0.75]]") == plain);
  CHECK(reason("[[1, 0], [0.25, 0.75]]") ==
        plain + " Above the diagonal all of them are exactly 0, as a causal mask leaves them.");
}

TEST_CASE("a mechanism without a mask says so, and leads to one that has") {
  Driver driver;
  driver.settle();
  act(driver, SetVariant{"key_content_only"});
  act(driver, ShowScreen{Screen::masks});
  CHECK(driver.widget("masks/reason").value.find("has no mask") != std::string::npos);
  driver.click("masks/other");
  driver.settle();
  CHECK_FALSE(driver.shows("masks/reason"));
  CHECK_FALSE(mask_rules(driver.model()).empty());
}

TEST_CASE("a mechanism that is no softmax of q k has its own lines of PyTorch") {
  Driver driver(1600, 1000, 1, experiment_of(R"(, "mask": "causal")"));
  const std::string line = "attn_mask = torch.ones(10, 10, dtype=torch.bool).tril()\n",
                    add = "mask = torch.zeros(attn_mask.shape).masked_fill(~attn_mask, -torch.inf)\n";
  const auto shown = [&] {
    driver.settle();
    act(driver, SetParam{"mask", std::string("causal"), false});
    act(driver, ShowScreen{Screen::masks});
    return driver.widget("masks/code").value;
  };
  act(driver, SetVariant{"linear_attention"});
  CHECK(shown() ==
        line + add + "weights = torch.where((mask == float(\"-inf\")), 0.0, share_of(scores, denominator[..., None]))");
  act(driver, SetVariant{"aft"});
  CHECK(shown() == line + add + "masked_scores = scores + mask");
  act(driver, SetVariant{"multi_head"});
  CHECK(shown().find("scaled_dot_product_attention") != std::string::npos);
  act(driver, SetParam{"softcap", 2.0, false});
  CHECK(shown() == line + add + "masked_scores = capped_scores + mask");
}

TEST_CASE("the lines of PyTorch name the polarity, and are copied") {
  Driver driver(1600, 1000, 1, experiment_of(R"(, "mask": "causal")"));
  driver.settle();
  act(driver, ShowScreen{Screen::masks});
  CHECK(driver.widget("masks/code").value ==
        "attn_mask = torch.ones(10, 10, dtype=torch.bool).tril()\n"
        "F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)");
  driver.click("masks/form/hidden");
  driver.frame();
  CHECK(driver.widget("masks/code").value ==
        "attn_mask = torch.ones(10, 10, dtype=torch.bool).triu(1)\n"
        "nn.MultiheadAttention(d, heads)(q, k, v, attn_mask=attn_mask)");
}
