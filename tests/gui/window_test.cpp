// The whole window under a display: clicks and keys go in, pixels come out.
#include <cstdlib>

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <ranges>

#include "app/actions/action_table.h"
#include "app/panels/screen/parts.h"
#include "app/platform/posix/screens.h"
#include "app/platform/window.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/gui/window_ground.h"

using namespace headlight;
using namespace headlight::app;

namespace {

struct OnDisplay {
  WindowGround* ground = nullptr;
  Driver driver{[this](Fonts& fonts) {
                  auto made = std::make_unique<WindowGround>(fonts, 1600, 1000);
                  ground = made.get();
                  return made;
                },
                1600, 1000, 1};

  // Pixels that differ from `before` inside a rectangle.
  int changed(const Pixels& before, Rect where) const {
    const Pixels now = ground->pixels();
    int count = 0;
    for (int y = static_cast<int>(where.y); y < static_cast<int>(where.bottom()); ++y)
      for (int x = static_cast<int>(where.x); x < static_cast<int>(where.right()); ++x) {
        const auto at = static_cast<std::size_t>(4 * (y * now.width + x));
        for (std::size_t c = 0; c < 3; ++c)
          if (now.rgba[at + c] != before.rgba[at + c]) {
            ++count;
            break;
          }
      }
    return count;
  }
};

Window open_at(Fonts& fonts, WindowFrame place) {
  WindowOptions options;
  options.frame = place;
  auto window = Window::open(options, fonts);
  if (!window) FAIL(window.error().message);
  return std::move(*window);
}

}  // namespace

TEST_CASE("another head is another picture, and nothing is painted at rest") {
  OnDisplay on;
  const Rect map = on.driver.widget("heatmap").rect;
  const Pixels before = on.ground->pixels();
  on.driver.frame();
  CHECK(on.changed(before, {0, 0, 1600, 1000}) == 0);
  const auto painted = on.ground->painted();
  for (int i = 0; i < 5; ++i) on.driver.frame();
  CHECK(on.ground->painted() == painted);
  on.driver.click("heads/0");
  CHECK(on.changed(before, map) > static_cast<int>(map.w * map.h / 20));
}

TEST_CASE("a window fills its screen, and stands where it stood before") {
  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
  REQUIRE(fonts);
  Window window = open_at(*fonts, {40, 30, 700, 500});
  const auto settle = [&] {
    for (int i = 0; i < 5; ++i) {
      window.request_frame_at(0);
      REQUIRE(window.next_frame());
      window.present(0);
    }
  };
  settle();
  const auto before = window.frame();
  REQUIRE(before);
  CHECK(window.width() == 700);
  window.fill_screen(true);
  settle();
  CHECK(window.width() > 700);
  CHECK(window.height() > 500);
  CHECK(window.frame()->width == 700);  // it is remembered as it stood
  window.fill_screen(true);
  window.fill_screen(false);
  settle();
  CHECK(window.width() == 700);
  CHECK(window.height() == 500);
  CHECK(window.frame()->x == before->x);
}

namespace {

// As the window system names what a chord of the table is written with, found here by itself.
int code_of(std::string_view key) {
  constexpr std::pair<std::string_view, int> named[] = {
      {"Tab", GLFW_KEY_TAB},         {"←", GLFW_KEY_LEFT},
      {"→", GLFW_KEY_RIGHT},         {"↑", GLFW_KEY_UP},
      {"↓", GLFW_KEY_DOWN},          {"PgUp", GLFW_KEY_PAGE_UP},
      {"PgDn", GLFW_KEY_PAGE_DOWN},  {"Home", GLFW_KEY_HOME},
      {"End", GLFW_KEY_END},         {"Del", GLFW_KEY_DELETE},
      {"Space", GLFW_KEY_SPACE},     {"Enter", GLFW_KEY_ENTER},
      {"Esc", GLFW_KEY_ESCAPE},      {"Menu", GLFW_KEY_MENU},
      {"−", GLFW_KEY_MINUS},         {"+", GLFW_KEY_EQUAL},
      {".", GLFW_KEY_PERIOD},        {"[", GLFW_KEY_LEFT_BRACKET},
      {"]", GLFW_KEY_RIGHT_BRACKET}, {"Backspace", GLFW_KEY_BACKSPACE}};
  for (const auto& [name, code] : named)
    if (name == key) return code;
  if (key.size() == 1 && key[0] >= 'A' && key[0] <= 'Z') return GLFW_KEY_A + (key[0] - 'A');
  if (key.size() == 1 && key[0] >= '0' && key[0] <= '9') return GLFW_KEY_0 + (key[0] - '0');
  if (key.size() >= 2 && key[0] == 'F') return GLFW_KEY_F1 + std::stoi(std::string(key.substr(1))) - 1;
  return GLFW_KEY_UNKNOWN;
}

}  // namespace

TEST_CASE("every chord of the table of actions comes through the window system's own call") {
  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
  REQUIRE(fonts);
  auto window = Window::open({}, *fonts);
  REQUIRE(window);
  GLFWwindow* handle = glfwGetCurrentContext();
  REQUIRE(handle);
  const GLFWkeyfun on_key = glfwSetKeyCallback(handle, nullptr);
  REQUIRE(on_key);
  int tried = 0;
  for (const CommandOf& of : commands_with_keys())
    for (const std::string_view text : of.command->chords) {
      if (text == "?") continue;  // a character
      INFO(text);
      const auto chord = chord_of_text(text);
      REQUIRE((chord && chord->key));
      const std::size_t space = text.rfind(' ');
      const int code = code_of(space == std::string_view::npos ? text : text.substr(space + 1));
      REQUIRE(code != GLFW_KEY_UNKNOWN);
      const int held = (chord->modifiers.ctrl ? GLFW_MOD_CONTROL : 0) | (chord->modifiers.shift ? GLFW_MOD_SHIFT : 0) |
                       (chord->modifiers.alt ? GLFW_MOD_ALT : 0);
      on_key(handle, code, glfwGetKeyScancode(code), GLFW_PRESS, held);
      REQUIRE(window->next_frame());
      CHECK(take_key(*chord->key, chord->modifiers));
      window->present(0);
      on_key(handle, code, glfwGetKeyScancode(code), GLFW_RELEASE, held);
      REQUIRE(window->next_frame());
      window->present(0);
      ++tried;
    }
  CHECK(tried > 60);
}

TEST_CASE("a second window shows what lies right of the first") {
  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
  REQUIRE(fonts);
  Window window = open_at(*fonts, {40, 30, 700, 500});
  const auto frame = [&] {
    window.request_frame_at(0);
    REQUIRE(window.next_frame());
    const auto left = static_cast<float>(window.width());
    ImGui::GetForegroundDrawList()->AddRectFilled({0, 0}, {left, 2000}, 0xFF0000FF);
    ImGui::GetForegroundDrawList()->AddRectFilled({left, 0}, {left + 2000, 2000}, 0xFF00FF00);
    window.present(0);
  };
  for (int i = 0; i < 3; ++i) frame();
  CHECK(window.beside_width() == 0);
  GLFWwindow* first = glfwGetCurrentContext();
  window.show_beside(true, "beside");
  CHECK(glfwGetCurrentContext() == first);
  for (int i = 0; i < 3; ++i) frame();
  REQUIRE(window.beside_width() >= 480);
  CHECK(window.width() == 700);
  const Pixels all = window.capture();
  CHECK(all.width == 700 + window.beside_width());
  const auto green = [&](int x) { return all.rgba[static_cast<std::size_t>(4 * (10 * all.width + x) + 1)]; };
  CHECK(green(699) == 0);
  CHECK(green(701) == 255);
  CHECK_FALSE(window.beside_closed());
  window.show_beside(false, "");
  for (int i = 0; i < 3; ++i) frame();
  CHECK(window.beside_width() == 0);
  CHECK(window.capture().width == 700);
}

TEST_CASE("what is pressed in a window beside another counts in that one, to its right") {
  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
  REQUIRE(fonts);
  Window window = open_at(*fonts, {40, 30, 700, 500});
  for (int i = 0; i < 5; ++i) {  // what the first one has to tell of itself
    window.request_frame_at(0);
    REQUIRE(window.next_frame());
    window.present(0);
  }
  GLFWwindow* first = glfwGetCurrentContext();
  request_context();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* handle = glfwCreateWindow(480, 320, "beside", nullptr, first);
  REQUIRE(handle);
  WindowEvents events, beside;
  beside.counts_in = &events;
  beside.from_left = 700;
  connect_events(handle, beside);
  const GLFWcursorposfun on_pointer = glfwSetCursorPosCallback(handle, nullptr);
  const GLFWkeyfun on_key = glfwSetKeyCallback(handle, nullptr);
  const GLFWdropfun on_drop = glfwSetDropCallback(handle, nullptr);
  REQUIRE((on_pointer && on_key && on_drop));
  on_pointer(handle, 10, 20);
  on_key(handle, GLFW_KEY_PAGE_DOWN, glfwGetKeyScancode(GLFW_KEY_PAGE_DOWN), GLFW_PRESS, 0);
  const char* path = "a.headlight";
  on_drop(handle, 1, &path);
  CHECK(events.dropped == std::vector<std::filesystem::path>{path});
  CHECK(beside.dropped.empty());
  CHECK_FALSE(beside.input.waiting());
  while (events.input.waiting()) events.input.begin_frame();
  CHECK(events.input.down[static_cast<std::size_t>(Key::page_down)]);
  REQUIRE(window.next_frame());
  CHECK(ImGui::GetMousePos().x == 710);
  CHECK(ImGui::GetMousePos().y == 20);
  window.present(0);
  glfwDestroyWindow(handle);
}

TEST_CASE("a sentence is typed, stepped through, asked and left as a picture") {
  OnDisplay on;
  Driver& driver = on.driver;
  driver.click("input/x_q");
  driver.press(Key::end, {.ctrl = true});
  driver.type(" και ещё");
  CHECK(driver.model().text_of("x_q")->ends_with("και ещё"));
  CHECK(driver.model().shown.problem->dim("n_q") == 14);
  driver.click_at(driver.cell(13, 12));
  CHECK(driver.model().document.look.selection.query == 13);
  driver.press(Key::escape);
  const Pixels softmax = on.ground->pixels();
  driver.press(Key::home);
  CHECK(driver.model().stage() == 0);
  CHECK(on.changed(softmax, {320, 200, 900, 700}) > 20000);
  driver.press(Key::e, {.ctrl = true});
  REQUIRE(driver.shows("figure/preview"));
  driver.press(Key::escape);
  CHECK_FALSE(driver.shows("figure/preview"));
}
