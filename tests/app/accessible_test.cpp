// What a screen reader is told of the screen.
#include "app/widgets/accessible_tree.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/gui/driver.h"

using namespace headlight;
using namespace headlight::app;

namespace {

std::vector<AccessiblePart> parts_of(Driver& driver) {
  driver.settle();
  return accessible_parts(driver.log(), driver.memory().ui);
}

const AccessiblePart* find(const std::vector<AccessiblePart>& parts, const std::string& path) {
  const auto found = std::ranges::find(parts, path, &AccessiblePart::path);
  return found == parts.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("on every screen each control that can be seen has a name, a kind and a state") {
  Driver driver;
  std::vector<Action> screens;
  for (const Screen screen : {Screen::explore, Screen::lessons, Screen::train, Screen::compare, Screen::masks})
    screens.emplace_back(ShowScreen{screen});
  for (const Action& show : screens) {
    driver.session().act(show);
    const auto parts = parts_of(driver);
    INFO(static_cast<int>(driver.model().screen));
    CHECK(parts.size() > 8);
    for (const AccessiblePart& part : parts) {
      INFO(part.path);
      CHECK_FALSE(part.name.empty());
      CHECK((part.role == "button" || part.role == "switch" || part.role == "textbox" || part.role == "scrollbar" ||
             part.role == "text"));
      CHECK(part.rect.w > 0);
    }
    // What the keyboard reaches is told, where it is in sight.
    for (const std::string& path : driver.memory().ui.focus_order) {
      INFO(path);
      const LoggedWidget& widget = driver.widget(path);
      CHECK((find(parts, path) != nullptr) == (widget.seen.w > 0 && widget.seen.h > 0));
    }
  }
}

TEST_CASE("names say what a control is, and how it stands where its value says only that") {
  Driver driver;
  const auto parts = parts_of(driver);
  REQUIRE(find(parts, "params/heads"));
  CHECK(find(parts, "params/heads")->name == "heads: 8");
  CHECK(find(parts, "params/heads/+")->name == "heads, more: 8");
  CHECK(find(parts, "tokens/x_q/4")->name == "on");  // a word, and no switch
  CHECK(find(parts, "tokens/x_q/4")->role == "button");
  CHECK(find(parts, "heatmap")->name == "heatmap: 12×12");
  REQUIRE(find(parts, "top/undo"));
  CHECK(find(parts, "top/undo")->role == "button");
  for (std::size_t i = 1; i < parts.size(); ++i) CHECK(parts[i - 1].rect.y <= parts[i].rect.y);
}

TEST_CASE("behind a dialog nothing is told") {
  Driver driver;
  CHECK(find(parts_of(driver), "params/heads"));
  driver.session().act(ShowDialog{Dialog::open});
  const auto parts = parts_of(driver);
  CHECK(find(parts, "dialog/cancel"));
  CHECK_FALSE(find(parts, "params/heads"));
  const auto json = nlohmann::json::parse(accessible_json(parts, {1, 2, 3, 4}, "a \"view\"\n"));
  CHECK(json["view"] == "a \"view\"\n");
  CHECK(json["parts"].size() == parts.size());
  CHECK(json["caret"] == nlohmann::json{1, 2, 3, 4});
}
