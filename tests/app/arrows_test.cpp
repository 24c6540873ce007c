// Rows as arrows in a plane: held to the numbers of the trace in every variant, and dragged by their tips.
#include <cmath>
#include <numeric>

#include "app/reading/word_arrows.h"
#include "engine/io/experiment.h"
#include "engine/math/principal.h"
#include "engine/variants/variant.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const std::filesystem::path lessons = std::filesystem::path(HEADLIGHT_SOURCE_DIR) / "assets/lessons";

constexpr Selection chosen{.query = 1, .key = 0};

// The numbers of a row, in the first item and head.
std::span<const float> row_of(const Step& step, Index row) {
  const auto width = static_cast<std::size_t>(step.info.axes.back().size);
  return step.tensor().values().subspan(static_cast<std::size_t>(row) * width, width);
}

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

app::Point middle(Driver& driver, const std::string& path) {
  return driver.widget(path).rect.middle();
}

void drag(Driver& driver, app::Point from, app::Point to) {
  driver.move_to(from);
  send_mouse_button(0, true);
  driver.frame();
  driver.move_to({(from.x + to.x) / 2, (from.y + to.y) / 2});
  driver.move_to(to);
  send_mouse_button(0, false);
  driver.settle();
}

}  // namespace

TEST_CASE("points of two directions keep their dot products in the plane") {
  // Points in a plane of R⁴ that is spanned by two vectors of length 1 at a right angle.
  const std::vector<std::array<float, 4>> basis{{0.5F, 0.5F, 0.5F, 0.5F}, {0.5F, -0.5F, 0.5F, -0.5F}};
  std::vector<float> rows;
  const std::vector<std::array<float, 2>> points{{3, 1}, {-2, 0.5F}, {0, 0}, {1, -1}, {4, 2}, {-1, 3}};
  for (const auto& point : points)
    for (std::size_t c = 0; c < 4; ++c) rows.push_back(point[0] * basis[0][c] + point[1] * basis[1][c]);
  for (const Index count : {6, 3}) {  // more rows than channels, and fewer
    const std::span<const float> given = std::span(rows).first(static_cast<std::size_t>(count) * 4);
    const auto plane = math::principal_plane(given, 4);
    CHECK(plane.kept == Approx(1));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j)
        CHECK(plane.points[i][0] * plane.points[j][0] + plane.points[i][1] * plane.points[j][1] ==
              Approx(static_cast<double>(points[i][0] * points[j][0] + points[i][1] * points[j][1])).margin(1e-6));
  }
  // Three directions of lengths 3, 2 and 1: two keep 13 of 14 parts.
  const auto three = math::principal_plane(std::vector<float>{0, 2, 0, 3, 0, 0, 0, 0, -1}, 3);
  CHECK(three.kept == Approx(13.0 / 14));
  CHECK(three.points[1][0] == Approx(3));
  CHECK(three.points[0][1] == Approx(2));
  CHECK(math::principal_plane(std::vector<float>(6, 0.0F), 3).kept == 1);
  CHECK(math::principal_plane({}, 3).points.empty());
}

TEST_CASE("arrows of every variant have the numbers of their rows") {
  std::size_t flat = 0, projected = 0, products = 0;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->samples()) {
      const RanExperiment run = ran(parse_experiment(json, HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
      for (const auto* list : {&run.trace->sources, &run.trace->steps})
        for (const Step& step : *list) {
          INFO(json << " " << step.info.id);
          const auto arrows = word_arrows(*run.trace, step, {.selection = chosen});
          REQUIRE(arrows.has_value() == has_word_arrows(*run.trace, step));
          if (!arrows || arrows->all.empty()) continue;
          double in_plane = 0, whole = 0;
          for (const WordArrow& arrow : arrows->all) {
            const auto row = row_of(*arrow.of, arrow.row);
            REQUIRE(static_cast<Index>(row.size()) == arrows->channels);
            if (arrows->channels == 2) CHECK((arrow.x == row[0] && arrow.y == row[1]));
            in_plane += arrow.x * arrow.x + arrow.y * arrow.y;
            whole += dot(row, row);
            CHECK(dot(row, row) * (1 + 1e-6) + 1e-9 >= arrow.x * arrow.x + arrow.y * arrow.y);  // a projection
          }
          CHECK(in_plane == Approx(arrows->kept * whole).epsilon(1e-5).margin(1e-9));
          (arrows->channels == 2 ? flat : projected) += 1;
          if (!arrows->product) continue;
          const auto& all = arrows->all;
          const auto &asks = all[static_cast<std::size_t>(arrows->asks)],
                     &answers = all[static_cast<std::size_t>(arrows->answers)];
          CHECK(asks.position == 1);
          CHECK(answers.position == 0);
          CHECK(*arrows->product == Approx(dot(row_of(*asks.of, asks.row), row_of(*answers.of, answers.row))));
          ++products;
        }
    }
  CHECK(flat > 0);
  CHECK(projected > 200);
  CHECK(products > 50);
}

TEST_CASE("the product of two arrows is their score, and a mix has what it adds up beside it") {
  const RanExperiment run = ran(example_experiment());
  for (const char* id : {"q", "k", "scores", "scaled_scores", "weights"}) {
    INFO(id);
    const auto arrows = word_arrows(*run.trace, *run.trace->find(id), {.head = 2, .selection = {.query = 9, .key = 3}});
    REQUIRE(arrows);
    CHECK(arrows->product.value() ==
          Approx(static_cast<double>(run.trace->find("scores")->tensor()[(2 * 12 + 9) * 12 + 3])));
    CHECK(arrows->all[static_cast<std::size_t>(arrows->asks)].label == "cat");
    CHECK(arrows->all[static_cast<std::size_t>(arrows->answers)].label == "sat");
  }
  const auto mix = word_arrows(*run.trace, *run.trace->find("head_outputs"), {.head = 2, .selection = {.query = 9}});
  REQUIRE(mix);
  CHECK(mix->mixes);
  CHECK(mix->all.size() == 13);
  CHECK(mix->all.back().label == "the mix of cat");
  CHECK(mix->all.front().of->info.id == "v");
  CHECK_FALSE(mix->product);
  CHECK_FALSE(has_word_arrows(*run.trace, *run.trace->find("w_q")));
}

TEST_CASE("a word of the first lesson is dragged by its tip, and one undo takes it back") {
  Driver driver;
  act(driver, OpenLesson{lessons / "one-row-by-hand.lesson.md"});
  act(driver, GoInLesson{6});
  const app::Point fox = middle(driver, "arrows/query/1"), red = middle(driver, "arrows/key/0"),
                   runs = middle(driver, "arrows/key/2");
  const float unit = (runs.x - fox.x) / 2;
  CHECK(red.y - runs.y == Approx(unit).margin(1));
  drag(driver, red, {red.x, red.y - 3 * unit});
  const auto& edits = driver.model().document.experiment->edits;
  REQUIRE(edits.size() == 1);
  CHECK(edits[0].array == "x_q");
  CHECK(edits[0].values == std::vector<double>{2, 3});
  // The query and the key of the word follow, and the goal is met.
  for (const char* id : {"q", "k"}) CHECK(driver.model().trace()->find(id)->tensor()[1] == 3);
  CHECK(driver.model().trace()->find("weights")->tensor()[3] > 0.5F);
  const std::string shown = driver.widget("arrows/word/red").value;
  CHECK(shown == "(2, 3)");
  act(driver, Undo{});
  CHECK(driver.model().document.experiment->edits.empty());
}

TEST_CASE("what is asked for is not dragged, and a press on a tip selects its row") {
  Driver driver;
  act(driver, OpenLesson{lessons / "one-row-by-hand.lesson.md"});
  act(driver, GoInLesson{1});
  const app::Point red = middle(driver, "arrows/key/0");
  drag(driver, red, {red.x - 60, red.y - 60});
  CHECK(driver.model().document.experiment->edits.empty());
  act(driver, ExploreLesson{});
  act(driver, SetMode{ViewMode::arrows});
  act(driver, ShowStep{"scores"});
  driver.click("arrows/key/1");
  CHECK(driver.model().document.look.selection.key == 1);
  const std::string words = driver.widget("arrows/words").value;
  CHECK(words.starts_with("runs reaches 1 along fox, which is 2 long: 1 · 2 = 2 The angle between them is 63°."));
  // Of the queries alone, the edit would be of the query; here they repeat the input.
  const app::Point fox = middle(driver, "arrows/key/1");
  drag(driver, fox, {fox.x + 40, fox.y});
  REQUIRE(driver.model().document.experiment->edits.size() == 1);
  CHECK(driver.model().document.experiment->edits[0].array == "x_q");
}

TEST_CASE("more channels than two are projected, said so, and not dragged") {
  Driver driver;
  act(driver, SetMode{ViewMode::arrows});
  act(driver, ShowStep{"q"});
  act(driver, SetHead{2});
  act(driver, Select{{.query = 9, .key = 3}, true});
  CHECK(driver.widget("arrows/words").value.starts_with("Of 8 channels these two directions keep most: "));
  const app::Point tip = middle(driver, "arrows/key/3");
  drag(driver, tip, {tip.x + 50, tip.y + 50});
  CHECK(driver.model().document.experiment->edits.empty());
  act(driver, ShowStep{"w_q"});
  CHECK(driver.shows("arrows/map"));
  driver.click("arrows/map");
  CHECK(driver.model().document.look.mode == ViewMode::map);
}

TEST_CASE("another experiment of a lesson has its own arrows from its first frame on") {
  const Scratch scratch;
  const auto experiment = [](const char* numbers) {
    return fmt::format(
        R"({{"variant": "multi_head", "params": {{"heads": 1, "d_head": 2}}, "inputs": {{"x_q": {{"array": [[{}]],
            "tokens": ["a", "b"]}}}}, "weights": {{"init": "identity"}}}})",
        numbers);
  };
  const std::string show = "\n```\n\n``` show\nstep x_q\npart arrows\n```\n\nText.\n\n";
  std::ofstream(scratch / "two.lesson.md")
      << "---\ntitle: Two\ntakes: 1 minutes\n---\n\n# One\n\n``` experiment one\n" + experiment("[1, 0], [0, 1]") +
             show + "# Two\n\n``` experiment two\n" + experiment("[3, 0], [0, 4]") + show;
  Driver driver;
  act(driver, OpenLesson{scratch / "two.lesson.md"});
  REQUIRE(driver.widget("arrows/word/a").value == "(1, 0)");
  driver.session().act(GoInLesson{1});
  driver.frame();
  CHECK(driver.widget("arrows/word/a").value == "(3, 0)");
  driver.settle();
  CHECK(driver.widget("arrows/word/b").value == "(0, 4)");
}
