// Windows of a picture that are shifted in a circle: which pixels see each other, and which are computed together but
// kept apart, for they meet across the picture's border alone.

#include "app/panels/common/picture.h"
#include "app/panels/mechanism/parts.h"

namespace headlight::app {

namespace {

using mechanism::WindowGroups;

// Of the query's window: the pixels that it sees, and those that it does not.
struct SeenPixels {
  Index seen = 0, hidden = 0;
};

SeenPixels count_seen(const WindowGroups& groups, Index asking) {
  const auto at = [](Index pixel) { return static_cast<std::size_t>(pixel); };
  SeenPixels count;
  for (Index pixel = 0; pixel < groups.rows * groups.columns; ++pixel) {
    if (groups.group[at(pixel)] == groups.group[at(asking)])
      ++count.seen;
    else if (groups.window[at(pixel)] == groups.window[at(asking)])
      ++count.hidden;
  }
  return count;
}

std::string describe(const WindowGroups& groups, const SeenPixels& count, Index asking, bool rolled) {
  std::string words = fmt::format("The {{query:query}} at {} and the {} pixels of its window that it sees.",
                                  place_of(Grid{1, groups.rows, groups.columns}, asking), count.seen);
  if (count.hidden > 0 && rolled)
    words +=
        fmt::format(" The {} hatched ones came round the picture's border: they are {{mask:masked}}.", count.hidden);
  else if (count.hidden > 0)
    words += fmt::format(
        " The {} hatched ones share its window in the rolled picture, but lie across the border: they "
        "are {{mask:masked}}.",
        count.hidden);
  else if (rolled)
    words += " Rolled, the windows are a grid. What stands on two sides of a dashed line came round the border.";
  return words;
}

// The picture with its windows, its top left pixel at the corner of `map`. Lines are where neighbours do not see each
// other.
void draw_windows_at(const MechanismFrame& frame, Rect map, const WindowGroups& groups, Index asking) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const InputPicture picture = base_picture(frame.model, std::max<Index>(0, frame.model.document.look.frame));
  const auto at = [](Index pixel) { return static_cast<std::size_t>(pixel); };
  const auto pixel_at = [&](Index pixel) {
    return pixel_rect(map, groups.rows, groups.columns, pixel / groups.columns, pixel % groups.columns);
  };
  if (picture)
    draw_picture(ui, frame.memory, "mechanism/windows/picture", map, picture);
  else
    ui.fill(map, t.canvas);
  for (Index pixel = 0; pixel < groups.rows * groups.columns; ++pixel) {
    const Rect r = pixel_at(pixel);
    if (groups.group[at(pixel)] == groups.group[at(asking)])
      ui.fill(r, picture ? with_alpha(t.key.main, 0.45F) : t.key.soft);
    else if (groups.window[at(pixel)] == groups.window[at(asking)])
      ui.hatch(r);
    if (pixel % groups.columns > 0 && groups.group[at(pixel)] != groups.group[at(pixel - 1)])
      ui.line({r.x, r.y}, {r.x, r.bottom()}, t.ink, ui.px(1.5F));
    if (pixel >= groups.columns && groups.group[at(pixel)] != groups.group[at(pixel - groups.columns)])
      ui.line({r.x, r.y}, {r.right(), r.y}, t.ink, ui.px(1.5F));
  }
  mark_pixel(ui, pixel_at(groups.pixel(asking, frame.of.key)), t.key.main);
  mark_pixel(ui, pixel_at(asking), t.query.main);
}

// Where the picture's border came to lie within it.
void draw_seam(Ui& ui, Rect map, Point seam) {
  const auto line = [&](Point from, Point to) {
    ui.line(from, to, ui.theme().canvas, ui.px(4));
    const float on = ui.px(5), pitch = ui.px(9);
    const bool down = from.x == to.x;
    for (float gone = 0; gone < (down ? map.h : map.w); gone += pitch)
      ui.line({down ? from.x : from.x + gone, down ? from.y + gone : from.y},
              {down ? from.x : std::min(to.x, from.x + gone + on), down ? std::min(to.y, from.y + gone + on) : from.y},
              ui.theme().mask.main, ui.px(2));
  };
  if (seam.x > map.x && seam.x < map.right()) line({seam.x, map.y}, {seam.x, map.bottom()});
  if (seam.y > map.y && seam.y < map.bottom()) line({map.x, seam.y}, {map.right(), seam.y});
}

}  // namespace

void draw_windows(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  const WindowGroups groups = *mechanism::window_groups(frame.problem, frame.trace);
  const Index asking = groups.only >= 0 ? groups.only : frame.of.query;
  const bool rolled = groups.shift > 0 && frame.model.document.look.rolled;
  frame.title("Windows on the picture", groups.shift > 0
                                            ? fmt::format("{0} × {0}, shifted by {1}", groups.side, groups.shift)
                                            : fmt::format("{0} × {0}", groups.side));
  if (groups.shift > 0) {
    const Rect line = frame.box.take_top(ui.px(28));
    const int chosen = segments(ui, "mechanism/roll", {line.x, line.y, std::min(line.w, ui.px(260)), line.h},
                                {{"lies", "As it lies", ""}, {"rolled", fmt::format("Rolled by {}", groups.shift), ""}},
                                rolled ? 1 : 0);
    if (chosen >= 0) frame.actions.push_back(RollWindows{chosen == 1});
    frame.skip(8);
  }
  const SeenPixels count = count_seen(groups, asking);
  const std::string words = describe(groups, count, asking, rolled);
  const float room = std::clamp(frame.height_left(ui.px(10) + frame.height_of(words)), ui.px(150), ui.px(340));
  const float cell = std::min(frame.box.w / static_cast<float>(groups.columns), room / static_cast<float>(groups.rows));
  const Rect map{frame.box.x, frame.box.y, cell * static_cast<float>(groups.columns),
                 cell * static_cast<float>(groups.rows)};
  // It goes up and left, and what leaves it comes in again on the other side.
  constexpr double roll_takes = 0.9;  // seconds
  const float gone =
      std::round(ui.glide("mechanism/rolled", rolled ? 1 : 0, roll_takes) * static_cast<float>(groups.shift) * cell);
  ui.clip(map);
  for (const float down : {0.0F, map.h})
    for (const float right : {0.0F, map.w}) {
      const Rect copy{map.x - gone + right, map.y - gone + down, map.w, map.h};
      if (copy.x < map.right() && copy.y < map.bottom()) draw_windows_at(frame, copy, groups, asking);
    }
  draw_seam(ui, map, {map.right() - gone, map.bottom() - gone});
  ui.unclip();
  ui.frame(map.inset(-1), ui.theme().ink, 0, ui.px(1.5F));
  const auto hit = ui.hit("mechanism/windows", map, false, fmt::format("{} pixels see each other", count.seen));
  if (hit.clicked && groups.only < 0) {
    Point at{ui.mouse().x + gone, ui.mouse().y + gone};  // where it lay before
    if (at.x >= map.right()) at.x -= map.w;
    if (at.y >= map.bottom()) at.y -= map.h;
    frame.select_query(cell_under(at, map, groups.rows, groups.columns));
  }
  frame.box.take_top(map.h + ui.px(10));
  ui.log("mechanism/windows/told", frame.box, words);
  frame.words(words, ui.theme().text_muted);
}

}  // namespace headlight::app
