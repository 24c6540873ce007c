// The queue of the window system's events, and keys and clicks that come faster than frames.
#include <fmt/core.h>
#include <imgui.h>

#include <random>
#include <stdexcept>

#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

constexpr Modifiers ctrl{.ctrl = true};

Fonts open_fonts() {
  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
  REQUIRE(fonts);
  return std::move(*fonts);
}

// Frames without widgets, which note what they are handed.
struct Frames {
  Fonts fonts = open_fonts();
  NullBackend backend{fonts, 800, 600, 1};

  template <class See>
  int until_empty(const See& see) {
    int count = 0;
    do {
      backend.begin_frame();
      see();
      backend.end_frame();
      ++count;
    } while (backend.waiting());
    return count;
  }
};

// A press that is over before a frame begins.
void tap(Key key, Modifiers held = {}) {
  send_modifiers(held);
  send_key(key, true);
  send_key(key, false);
  send_modifiers({});
}

}  // namespace

TEST_CASE("hundreds of presses between two frames all arrive, in order, with what was held") {
  Frames frames;
  std::mt19937 random(7);
  std::vector<std::pair<Key, Modifiers>> sent;
  for (int i = 0; i < 500; ++i) {
    const auto key = static_cast<Key>(random() % key_count);
    const Modifiers held{random() % 2 == 0, random() % 2 == 0, random() % 2 == 0};
    sent.emplace_back(key, held);
    tap(key, held);
  }
  std::vector<std::pair<Key, Modifiers>> seen;
  frames.until_empty([&] {
    int pressed = 0;
    for (int i = 0; i < key_count; ++i) {
      const auto key = static_cast<Key>(i);
      if (!key_pressed(key)) continue;
      ++pressed;
      CHECK(key_down(key));
      seen.emplace_back(key, modifiers());
    }
    CHECK(pressed <= 1);
  });
  CHECK(seen == sent);
  for (int i = 0; i < key_count; ++i) CHECK_FALSE(key_down(static_cast<Key>(i)));
}

TEST_CASE("clicks shorter than a frame arrive with their places") {
  Frames frames;
  for (int i = 0; i < 50; ++i) {
    send_mouse(static_cast<float>(i) * 10, 5);
    send_mouse_button(0, true);
    send_mouse_button(0, false);
  }
  std::vector<float> down, up;
  frames.until_empty([&] {
    const ImVec2 at = ImGui::GetIO().MousePos;
    if (ImGui::IsMouseClicked(0)) down.push_back(at.x);
    if (ImGui::IsMouseReleased(0)) up.push_back(at.x);
  });
  REQUIRE(down.size() == 50);
  CHECK(up == down);
  for (int i = 0; i < 50; ++i) CHECK(down[static_cast<std::size_t>(i)] == static_cast<float>(i) * 10);
}

TEST_CASE("characters of every plane stay in order with the keys between them") {
  Frames frames;
  let_text_have_keys(true);
  send_text("a😀");
  tap(Key::backspace);
  send_text("字");
  tap(Key::left, {.shift = true});
  send_text("é");
  std::string seen;
  const int count = frames.until_empty([&] {
    for (const Stroke& stroke : strokes())
      if (stroke.character())
        append_utf8(seen, stroke.character()->code);
      else
        seen += stroke.key()->key == Key::backspace ? "<" : stroke.key()->modifiers.shift ? "S" : "?";
  });
  CHECK(seen == "a😀<字Sé");
  CHECK(count == 1);  // a text field takes as much as was typed: slow frames do not hold typing up
}

TEST_CASE("what leaves a text field has a frame of its own") {
  Frames frames;
  let_text_have_keys(true);
  send_text("ab");
  tap(Key::s, ctrl);
  send_text("c");
  tap(Key::escape);
  send_text("h");
  std::vector<std::string> seen;
  frames.until_empty([&] {
    std::string frame;
    for (const Stroke& stroke : strokes())
      if (stroke.character())
        append_utf8(frame, stroke.character()->code);
      else
        frame += stroke.key()->key == Key::s ? "S" : "E";
    seen.push_back(frame);
  });
  CHECK(seen == std::vector<std::string>{"ab", "S", "c", "E", "h"});
}

TEST_CASE("a key that is held does not go on after it is let go") {
  Frames frames;
  Input input;
  input.attach();
  input.push(KeyChange{Key::right, true, false, {}});
  for (int i = 0; i < 100; ++i) input.push(KeyChange{Key::right, true, true, {}});  // while one slow frame was drawn
  input.push(KeyChange{Key::right, false, false, {}});
  int presses = 0;
  for (int i = 0; i < 100 && input.waiting(); ++i) {
    input.begin_frame();
    presses += key_pressed(Key::right) ? 1 : 0;
  }
  CHECK(presses == 2);
}

TEST_CASE("two clicks at one place are a double click, however slow the frames") {
  Frames frames;
  send_mouse(100, 100);
  const auto click = [] {
    send_mouse_button(0, true);
    send_mouse_button(0, false);
  };
  click();
  click();
  click();
  std::vector<int> seen;
  do {
    frames.backend.begin_frame(0.15);
    if (clicks() > 0) seen.push_back(clicks());
    frames.backend.end_frame();
  } while (frames.backend.waiting());
  CHECK(seen == std::vector<int>{1, 2, 3});
  send_mouse(140, 100);
  click();
  frames.until_empty([&] {
    if (clicks() > 0) seen.push_back(clicks());
  });
  CHECK(seen.back() == 1);
}

TEST_CASE("shortcuts of 0 ms all count") {
  Driver driver;
  driver.press(Key::escape);
  driver.session().act(SetHead{0});
  driver.session().act(GoStage{0});
  driver.settle();
  for (int i = 0; i < 5; ++i) tap(Key::page_down);
  tap(Key::right_bracket);
  tap(Key::right_bracket);
  driver.empty_queue();
  CHECK(driver.model().stage() == 5);
  CHECK(driver.model().document.look.head == 2);
  tap(Key::o, ctrl);
  driver.empty_queue();
  CHECK(driver.model().dialog == Dialog::open);
}

TEST_CASE("a widget with the focus keeps its keys from the rest of the window") {
  Driver driver;
  driver.press(Key::escape);
  const auto has_focus = [&](const char* path) { return driver.shows(path) && driver.widget(path).state == "focused"; };
  for (int i = 0; i < 80 && !has_focus("preset"); ++i) driver.press(Key::tab);
  REQUIRE(has_focus("preset"));
  const auto look = driver.model().document.look;
  driver.press(Key::up);
  CHECK(driver.model().document.look.head == look.head);
  driver.press(Key::enter);
  CHECK(driver.model().document.look == look);
  driver.press(Key::escape);
  driver.press(Key::space);
  CHECK_FALSE(driver.model().playing);
}

TEST_CASE("Ctrl + is Ctrl Shift = where the keyboard has it there") {
  Driver driver;
  driver.press(Key::equal, {.ctrl = true});
  const float once = driver.model().settings.scale;
  CHECK(once > 1);
  driver.press(Key::equal, {.ctrl = true, .shift = true});
  CHECK(driver.model().settings.scale > once);
  driver.press(Key::zero, {.ctrl = true});
  CHECK(driver.model().settings.scale == 1);
}

TEST_CASE("what is drawn on top may fail at the end of a frame, and the program goes on") {
  Frames frames;
  NullPainter painter;
  UiMemory memory;
  frames.backend.begin_frame();
  ImGui::Begin("test");
  {
    Ui ui(memory, frames.fonts, theme(ThemeId::light), painter, 1, 0, nullptr);
    ui.on_top([] { throw std::runtime_error("there is no room"); });
    CHECK_THROWS_AS(ui.finish(), std::runtime_error);
  }
  ImGui::End();
  frames.backend.end_frame();
}
