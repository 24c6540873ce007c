// What is drawn again of a frame is what is other than in the one before, and nothing that is other is left out.
#include "app/render/changed_tiles.h"

#include <imgui.h>

#include <functional>

#include "tests/catch.h"
#include "tests/gui/null_backend.h"

using namespace headlight::app;

namespace {

constexpr int width = 300, height = 200, side = ChangedTiles::side;

struct Frames {
  Fonts fonts = std::move(*Fonts::open(HEADLIGHT_FONT_FOLDER));
  NullBackend backend{fonts, width, height, 1};
  ChangedTiles tiles;
  std::uint64_t version = 0;  // of every texture
  std::uint32_t ground = 0xFFFFFFFF;

  std::vector<PixelArea> changed(const std::function<void(ImDrawList&)>& draw) {
    backend.begin_frame();
    draw(*ImGui::GetForegroundDrawList());
    return tiles.compare(backend.end_frame(), width, height, ground, [&](std::uint64_t) { return version; });
  }
};

bool holds(const std::vector<PixelArea>& areas, int x, int y) {
  for (const PixelArea& a : areas)
    if (x >= a.left && x < a.right && y >= a.top && y < a.bottom) return true;
  return false;
}
long pixels_in(const std::vector<PixelArea>& areas) {
  long sum = 0;
  for (const PixelArea& a : areas) sum += long{a.right - a.left} * (a.bottom - a.top);
  return sum;
}

constexpr ImU32 red = 0xFF0000FF, green = 0xFF00FF00;

void two_boxes(ImDrawList& list, ImU32 second, float at = 260) {
  list.AddRectFilled({5, 5}, {25, 25}, red);
  list.AddRectFilled({at, 165}, {at + 10, 175}, second);
}

}  // namespace

TEST_CASE("only the tiles under what changed are drawn again") {
  Frames frames;
  CHECK(frames.changed([](ImDrawList& list) { two_boxes(list, red); }) ==
        std::vector<PixelArea>{{0, 0, width, height}});
  CHECK(frames.changed([](ImDrawList& list) { two_boxes(list, red); }).empty());
  const auto other_color = frames.changed([](ImDrawList& list) { two_boxes(list, green); });
  CHECK(holds(other_color, 265, 170));
  CHECK(pixels_in(other_color) == side * side);
  // Where it was and where it is.
  const auto moved = frames.changed([](ImDrawList& list) { two_boxes(list, green, 120); });
  CHECK((holds(moved, 265, 170) && holds(moved, 125, 170) && !holds(moved, 10, 10)));
  // What is drawn over another in another order.
  const auto over = [](ImU32 first, ImU32 second) {
    return [=](ImDrawList& list) {
      list.AddRectFilled({40, 40}, {50, 50}, first);
      list.AddRectFilled({40, 40}, {50, 50}, second);
    };
  };
  frames.changed(over(red, green));
  CHECK(holds(frames.changed(over(green, red)), 45, 45));
}

TEST_CASE("clipping, textures, the ground and the size are part of what is drawn") {
  Frames frames;
  const auto clipped = [](float right) {
    return [=](ImDrawList& list) {
      list.PushClipRect({0, 0}, {right, 200});
      list.AddRectFilled({70, 10}, {120, 20}, red);
      list.PopClipRect();
    };
  };
  frames.changed(clipped(80));
  CHECK(holds(frames.changed(clipped(90)), 85, 15));
  CHECK(frames.changed(clipped(90)).empty());
  ++frames.version;
  const auto painted = frames.changed(clipped(90));
  CHECK((holds(painted, 85, 15) && !holds(painted, 10, 150)));
  frames.ground = 0xFF000000;
  CHECK(pixels_in(frames.changed(clipped(90))) == width * height);
  frames.tiles.forget();
  CHECK(pixels_in(frames.changed(clipped(90))) == width * height);
}

TEST_CASE("many changes far apart are a few areas, and what lies outside is none") {
  Frames frames;
  const auto spots = [](ImU32 color) {
    return [=](ImDrawList& list) {
      for (int y = 0; y < height; y += 2 * side)
        for (int x = 0; x < width; x += 2 * side)
          list.AddRectFilled({float(x) + 2, float(y) + 2}, {float(x) + 4, float(y) + 4}, color);
      list.AddRectFilled({-1e30F, -1e30F}, {-5, -5}, color);
      list.AddRectFilled({1e30F, 10}, {2e30F, 20}, color);
    };
  };
  frames.changed(spots(red));
  const auto areas = frames.changed(spots(green));
  CHECK(areas.size() <= 8);
  for (int y = 0; y < height; y += 2 * side)
    for (int x = 0; x < width; x += 2 * side) CHECK(holds(areas, x + 3, y + 3));
  for (std::size_t i = 0; i < areas.size(); ++i)
    for (std::size_t j = i + 1; j < areas.size(); ++j)
      CHECK_FALSE((areas[i].left < areas[j].right && areas[j].left < areas[i].right && areas[i].top < areas[j].bottom &&
                   areas[j].top < areas[i].bottom));
}
