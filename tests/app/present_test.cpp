// The presenter, as a class sees it: from every start, what is drawn is large enough and stands out from its ground,
// the answer is the trace's, and leaving brings everything back.
#include "app/panels/present/parts.h"

#include <algorithm>
#include <cmath>

#include "app/actions/action_table.h"
#include "app/model/document.h"
#include "app/reading/cell_trace.h"
#include "engine/io/experiment_files.h"
#include "engine/picture/color.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/gui/wander.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

constexpr float heights[] = {1080, 768, 1000, 540};

double contrast(Color32 a, Color32 b) {
  const auto color = [](Color32 packed) {
    const auto channel = [&](int shift) { return static_cast<std::uint8_t>(packed >> shift & 0xFFU); };
    return Color{channel(0), channel(8), channel(16), 255};
  };
  return contrast_ratio(color(a), color(b));
}

// What is wrong with the texts of a frame. Numbers on a map choose their colour by what they stand on.
std::string faults(const WidgetLog& log, float width, float height) {
  std::string found;
  const float scale = height / 1080;
  const auto map = log.find("present/map");
  for (const LoggedText& text : log.texts) {
    const float size = type_size(text.type).size * scale;
    if (size < height / 45 - 1e-3F) found += fmt::format("\"{}\" is {} px high of {}\n", text.text, size, height);
    const bool on_map = map != log.end() && map->second.rect.contains(text.rect.middle()) && text.text != "?";
    if (!on_map && contrast(text.color, text.ground) < 4.5)
      found += fmt::format("\"{}\" has a contrast of {:.2f}\n", text.text, contrast(text.color, text.ground));
    const Rect window{-1, -1, width + 2, height + 2};
    if (!window.contains({text.rect.x, text.rect.y}) || !window.contains({text.rect.right(), text.rect.bottom()}))
      found += fmt::format("\"{}\" goes beyond the window\n", text.text);
  }
  return found;
}

std::string state_of(const Model& model) {
  return to_json(with_view(model.document), {}) + fmt::format(" {} {} {} {}", model.history.undo.size(),
                                                              static_cast<int>(model.screen), model.changed(),
                                                              static_cast<int>(model.dialog));
}

std::vector<std::string> texts_of(const Driver& driver) {
  std::vector<std::string> texts;
  for (const auto& text : driver.log().texts) texts.push_back(text.text);
  return texts;
}

bool says(const Driver& driver, const std::string& text) {
  return std::ranges::count(texts_of(driver), text) > 0;
}

// Of the map; the sign is a key as well.
std::ptrdiff_t covered_cells(const Driver& driver) {
  const Rect map = driver.widget("present/map").rect;
  return std::ranges::count_if(
      driver.log().texts, [&](const LoggedText& text) { return text.text == "?" && map.contains(text.rect.middle()); });
}

}  // namespace

TEST_CASE("from every start a class is asked what the trace answers, in letters that the back row reads") {
  std::size_t at = 0;
  for (Start& start : starts()) {
    INFO(start.name);
    const float height = heights[at++ % std::size(heights)], width = std::round(height * (at % 3 == 0 ? 1.6F : 1.78F));
    Driver driver(width, height, at % 2 == 0 ? 2.0F : 1.0F, std::move(start.experiment));
    driver.session().act(SetTheme{ThemeName::dark});
    const std::string before = state_of(driver.model());
    driver.press(Key::f5);
    REQUIRE(driver.model().present.on);
    CHECK_FALSE(driver.shows("heatmap"));
    CHECK(faults(driver.log(), width, height) == "");
    const Step* map = driver.model().trace()->map();
    if (!map) {
      CHECK(driver.shows("present/why-none"));
    } else {
      const Question question = question_of_slide(driver.model());
      const Look look = look_of_slide(driver.model());
      const Slice slice = slice_of(*map, {.batch = look.batch, .head = look.head, .flat = true});
      if (!question.choices.empty()) {
        const Index row = *selected_along(slice.rows, {.query = question.query});
        for (Index key = 0; key < slice.matrix.columns; ++key)
          if (why_masked(*driver.model().trace(), *map, slice.cell_at(row, key)).empty())
            CHECK((key == question.choices[question.winner].key ||
                   map->tensor()[slice.cell_at(row, key)] < question.choices[question.winner].weight));
        CHECK_FALSE(says(driver, "wins"));
        driver.press(Key::b);
        CHECK(driver.model().present.slides[0].answer == 2);
        driver.press(Key::page_down);
        CHECK(driver.model().present.slides[0].revealed);
        const bool right = question.winner == 1;
        CHECK(says(driver, right ? "right" : "wins"));
        CHECK(says(driver, right ? "right" : "your answer"));
        CHECK(driver.widget(fmt::format("present/choice/{}", static_cast<char>('A' + question.winner))).state ==
              (right ? "selected" : "winner"));
        CHECK(faults(driver.log(), width, height) == "");
      }
    }
    driver.press(Key::escape);
    CHECK_FALSE(driver.model().present.on);
    CHECK(state_of(driver.model()) == before);
    CHECK(theme_shown(driver.model()) == ThemeId::dark);
  }
}

TEST_CASE("the row that asks keeps its numbers to itself until the answer is shown") {
  Driver driver(1920, 1080);
  driver.session().act(SetHead{2});
  driver.session().act(Select{{9, 3}, true});
  driver.press(Key::f5);
  CHECK(theme_shown(driver.model()) == ThemeId::light);
  CHECK(slide_of(driver.model()).query == 9);
  const auto asker = std::ranges::find_if(driver.log().texts, [](const LoggedText& text) {
    return text.text == "cat" && text.type == Type::presenter_text_strong;
  });
  REQUIRE(asker != driver.log().texts.end());
  CHECK(asker->color == theme(ThemeId::light).query.main);
  const auto numbers = [&] {
    const Rect place = driver.widget("present/map").rect;
    return std::ranges::count_if(driver.log().texts, [&](const LoggedText& text) {
      return text.text != "?" && place.contains(text.rect.middle());
    });
  };
  const auto shown = numbers();
  CHECK(shown > 3);
  CHECK(covered_cells(driver) == 10);
  // The cells that are covered leave nothing of each other's edges in sight.
  const Rect map = driver.widget("present/map").rect;
  float end = map.x;
  for (const LoggedFill& fill : driver.log().fills) {
    if (fill.color != theme(ThemeId::light).brand_soft || !map.contains(fill.rect.middle())) continue;
    CHECK(fill.rect.x == end);
    end = fill.rect.right();
  }
  CHECK(end > map.x + map.w * 0.8F);
  driver.press(Key::h);
  CHECK(numbers() == 0);
  driver.press(Key::h);
  driver.press(Key::r);  // the rows below
  CHECK(numbers() > shown);
  driver.press(Key::r);
  const std::string name = driver.model().trace()->heads[2].name;
  CHECK_FALSE(driver.widget("present/title").value.ends_with(name));
  driver.press(Key::m);
  CHECK(driver.widget("present/title").value.ends_with(name));
  driver.click("present/choice/A");
  CHECK(slide_of(driver.model()).answer == 1);
  driver.press(Key::three);
  CHECK(slide_of(driver.model()).answer == 3);
  driver.click("present/onward");
  CHECK(slide_of(driver.model()).revealed);
  CHECK(covered_cells(driver) == 0);
  CHECK(numbers() > shown);
  driver.press(Key::a);  // too late
  CHECK(slide_of(driver.model()).answer == 3);
  driver.press(Key::page_up);
  CHECK(covered_cells(driver) == 10);
  driver.press(Key::up);
  CHECK(slide_of(driver.model()).query == 8);
  CHECK(slide_of(driver.model()).answer == 0);
}

TEST_CASE("hands are counted for answers, taken back, and gone with the question") {
  Driver driver(1600, 1000);
  driver.press(Key::f5);
  CHECK_FALSE(driver.shows("present/hands/A"));
  for (const int answer : {1, 2, 2, 3, 2}) driver.session().act(CountHand{answer});
  driver.settle();
  CHECK(driver.widget("present/hands/A").value == "1 hand");
  CHECK(driver.widget("present/hands/B").value == "3 hands");
  driver.press(Key::backspace);
  CHECK(driver.widget("present/hands/B").value == "2 hands");
  driver.session().act(CountHand{9});  // no such answer
  driver.session().act(Reveal{true});
  driver.settle();
  CHECK(driver.widget("present/hands/B").value == "2 of 4 hands");
  driver.session().act(CountHand{1});  // too late
  CHECK(slide_of(driver.model()).hands.size() == 4);
  driver.press(Key::page_up);
  driver.press(Key::up);
  CHECK(slide_of(driver.model()).hands.empty());
  CHECK_FALSE(driver.shows("present/hands/A"));
}

TEST_CASE("the screen goes black, the picture freezes, the timer counts, the light falls on a row") {
  Driver driver(1600, 1000);
  driver.press(Key::f5);
  driver.press(Key::period);
  CHECK(driver.log().texts.empty());
  CHECK(driver.log().fills.back().color == hex(0x000000));
  driver.press(Key::period);
  CHECK_FALSE(driver.log().texts.empty());
  driver.press(Key::f);
  driver.press(Key::b);
  driver.click("present/choice/A");
  CHECK(slide_of(driver.model()).answer == 0);
  CHECK(says(driver, "Frozen · F goes on"));
  driver.press(Key::f);
  driver.press(Key::t);
  const std::string left = driver.widget("present/timer").value;
  CHECK((left == "1:00" || left == "0:59"));
  CHECK(driver.next_redraw() < driver.now() + 1.1);
  driver.session().act(SetTimer{0});
  driver.press(Key::s);
  CHECK(driver.model().present.spotlight.query == slide_of(driver.model()).query);
  driver.press(Key::s);
  const auto& map = driver.widget("present/map");
  driver.click_at({map.rect.x + map.rect.w * 0.3F, map.rect.y + map.rect.h * 0.6F});
  CHECK(driver.model().present.spotlight.key);
  driver.press(Key::equal);
  driver.press(Key::equal);
  driver.press(Key::equal);
  CHECK(driver.widget("present/map").value == "6×6");
  driver.press(Key::zero);
  CHECK(driver.widget("present/map").value == "12×12");
  driver.press(Key::escape);
  CHECK(driver.shows("heatmap"));
  driver.click("top/present");
  CHECK_FALSE(driver.shows("heatmap"));
}

TEST_CASE("while the class sees nothing, the keys that go on or leave bring the picture back and do no more") {
  Driver driver(1600, 1000);
  driver.press(Key::f5);
  const Presenter& present = driver.model().present;
  for (const Key key : {Key::escape, Key::page_down, Key::page_up, Key::space, Key::enter, Key::right, Key::left}) {
    driver.press(Key::period);
    REQUIRE(present.blank);
    driver.press(key);
    REQUIRE(present.on);
    CHECK_FALSE(present.blank);
    CHECK_FALSE(slide_of(driver.model()).revealed);
  }
  driver.press(Key::page_down);
  CHECK(slide_of(driver.model()).revealed);
}

TEST_CASE("all keys of the presenter are shown over the picture, in letters that the back row reads") {
  for (const float width : {1778.0F, 900.0F}) {
    Driver driver(width, 1000);
    driver.press(Key::f5);
    const Presenter& present = driver.model().present;
    driver.type("?");
    REQUIRE(present.keys);
    REQUIRE(driver.shows("present/keys"));
    CHECK(faults(driver.log(), width, 1000) == "");
    for (const KeyLine& line : key_lines())
      if (line.section == Section::present && width > 1000) {
        INFO(line.does);
        CHECK(says(driver, line.chords.front()));
      }
    driver.press(Key::page_down);
    CHECK_FALSE(present.keys);
    CHECK_FALSE(slide_of(driver.model()).revealed);
    driver.press(Key::f);  // frozen, they are shown and put away nevertheless
    driver.type("?");
    CHECK(present.keys);
    driver.click("present/keys");
    CHECK_FALSE(present.keys);
    CHECK(present.frozen);
  }
}

TEST_CASE("the folder's experiments come one after the other, and what is open and unsaved stays as it is") {
  Scratch folder;
  Experiment one = example_experiment();
  const auto write = [&](const char* name, const char* text) {
    std::get<TextInput>(one.inputs.at("x_q")).text = text;
    REQUIRE(write_experiment(one, folder / name));
  };
  write("2-second.headlight", "the dog saw the dog run");
  write("10-last.headlight", "a b a b a");
  write("1-first.headlight", "the cat sat on the mat");
  std::ofstream(folder / "3-broken.headlight") << "{";
  std::ofstream(folder / "notes.txt") << "nothing to run";
  Driver driver(1600, 1000);
  driver.session().act(Open{folder / "2-second.headlight"});
  driver.session().finish_files();
  driver.settle();
  driver.session().act(SetText{"x_q", "the dog saw the fox run", false});
  driver.settle();
  const std::string before = state_of(driver.model());
  driver.press(Key::f5);
  const auto name = [&] { return slide_of(driver.model()).name; };
  REQUIRE(driver.model().present.slides.size() == 4);
  CHECK(name() == "2-second");
  CHECK(says(driver, "2 / 4"));
  CHECK(says(driver, "fox"));  // as it is, not as its file has it
  driver.press(Key::b);
  driver.press(Key::n);
  CHECK(name() == "3-broken");
  CHECK(driver.widget("present/why-none").value.find("3-broken.headlight") != std::string::npos);
  driver.press(Key::page_down);
  CHECK(name() == "10-last");
  CHECK(presented(driver.model()).trace);
  CHECK_FALSE(question_of_slide(driver.model()).choices.empty());
  driver.press(Key::p);
  driver.press(Key::page_up);
  CHECK(name() == "2-second");
  CHECK(slide_of(driver.model()).answer == 2);  // what was said there is still there
  driver.click("present/experiment/0");
  CHECK(name() == "1-first");
  CHECK(says(driver, "mat"));
  driver.press(Key::escape);
  CHECK(state_of(driver.model()) == before);
  CHECK(driver.model().path == folder / "2-second.headlight");
}

TEST_CASE(
    "who presents sees the answer, what is hidden, the notes and what comes next, in a window beside the class's") {
  Experiment experiment = example_experiment();
  experiment.notes = "Let them point first.\n\nThen ask why {query:cat} is alone.";
  Driver driver(1920, 1080, 1, experiment);
  const Rect notes{1920, 0, 1366, 768};
  driver.lay_notes(notes);
  driver.session().act(Select{{9, 3}, true});
  driver.press(Key::f5);
  CHECK_FALSE(driver.shows("notes/next"));
  driver.press(Key::i);
  REQUIRE(driver.model().settings.notes);
  REQUIRE(driver.shows("notes/next"));
  const Question question = question_of_slide(driver.model());
  const auto winner = static_cast<char>('A' + question.winner);
  const auto there = [&](const std::string& words) {
    return std::ranges::count_if(driver.log().texts, [&](const LoggedText& text) {
      return text.text == words && notes.contains(text.rect.middle());
    });
  };
  CHECK(driver.widget(fmt::format("notes/choice/{}", winner)).state == "winner");
  CHECK(there("wins") == 1);
  CHECK(std::ranges::count(texts_of(driver), "wins") == 1);  // and nowhere that the class sees
  CHECK(driver.widget("notes/hidden").value.find("the row that asks") != std::string::npos);
  CHECK(driver.widget("notes/written").value == experiment.notes);
  CHECK(there("cat") >= 2);  // who asks, and the word of the notes
  const float least = type_size(Type::presenter_least).size;
  for (const LoggedText& text : driver.log().texts) {
    if (!notes.contains(text.rect.middle())) continue;
    INFO(text.text);
    CHECK(type_size(text.type).size >= least);
    CHECK(contrast(text.color, text.ground) >= 4.5);
    CHECK(text.rect.right() <= notes.right());
    CHECK(text.rect.x >= notes.x);
  }
  // What the class said, and a screen that is black, are told here.
  driver.press(static_cast<Key>(static_cast<int>(Key::a) + (question.winner == 0 ? 1 : 0)));
  CHECK(there("was said") == 1);
  driver.press(Key::period);
  CHECK(there("The class sees a black screen.") + std::ranges::count(texts_of(driver), "Black: . shows it") >= 1);
  CHECK(std::ranges::none_of(driver.log().texts, [](const LoggedText& text) { return text.rect.right() <= 1920; }));
  driver.press(Key::period);
  driver.press(Key::page_down);
  CHECK(there("The answer is shown") == 1);
  CHECK(driver.widget("notes/hidden").value.find("the row that asks") == std::string::npos);
  driver.press(Key::i);
  CHECK_FALSE(driver.shows("notes/next"));
  driver.press(Key::escape);
}

TEST_CASE("notes are written in the window, line by line, saved, and undone without a run") {
  Driver driver;
  const auto runs = driver.model().asked;
  act(driver, ShowDialog{Dialog::notes});
  driver.type("Ask first");
  driver.press(Key::enter);
  driver.type("then show");
  CHECK(driver.model().document.experiment->notes == "Ask first\nthen show");
  CHECK(driver.widget("notes/text").value == "Ask first\nthen show");
  // The break is no letter: what is drawn are the two lines.
  CHECK(says(driver, "Ask first"));
  CHECK(says(driver, "then show"));
  // The cursor goes over the break as over any letter.
  driver.press(Key::home);
  driver.press(Key::left);
  driver.type("!");
  CHECK(driver.model().document.experiment->notes == "Ask first!\nthen show");
  driver.press(Key::escape);
  driver.press(Key::escape);
  CHECK(driver.model().dialog == Dialog::none);
  CHECK(driver.model().changed());
  CHECK(driver.model().asked == runs);
  CHECK(to_json(*driver.model().document.experiment, {}).find("then show") != std::string::npos);
  for (int i = 0; i < 12 && !driver.model().document.experiment->notes.empty(); ++i) act(driver, Undo{});
  CHECK(driver.model().document.experiment->notes.empty());
  CHECK(driver.model().history.undo.empty());
}
