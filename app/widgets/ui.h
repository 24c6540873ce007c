// What every widget draws with and answers to: one frame's theme, fonts, scale, pointer and keyboard, and the memory
// that lasts between frames (what is pressed, focused, scrolled, open).
//
// Widgets are free functions over plain data that return what happened. They know nothing of the model. Sizes are given
// in px of the design and multiplied by the scale here, in one place: px().
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/platform/fonts.h"
#include "app/platform/theme.h"
#include "app/render/map_painter.h"
#include "app/widgets/geometry.h"
#include "app/widgets/text_editor.h"

struct ImDrawList;

namespace headlight::app {

// A number on its way to another.
struct Glide {
  float from = 0;
  float to = 0;
  double since = -1;  // on the window's clock
};

// A large map that gives way to another.
struct FadingMap {
  MapData shown;  // in the last frame
  Rect shown_rect;
  MapData map;  // the one that goes
  Rect rect;
  double since = -1;  // before 0: nothing goes
};

// The part of a map that is shown: from that row and column on, the more of the screen to a cell the larger the zoom.
struct MapPart {
  struct Drag {
    Point from;                 // where the button went down
    Index row = 0, column = 0;  // that was first then
    bool moved = false;
  };
  Index rows = 0, columns = 0;  // of the whole map: another begins whole
  double zoom = 1;
  Index row = 0, column = 0;
  std::optional<Drag> drag = {};
};

class MapPainter;

// What widgets showed in a frame, for tests and scripts: path → place, state and value; and every text where it stands.
struct LoggedWidget {
  Rect rect;
  std::string state;  // "", "selected", "disabled", "focused"
  std::string value;
  Rect seen = {};          // of the rectangle, what no panel cuts off
  int layer = 0;           // 1: in a dialog or drawer; 2: on top of everything
  bool pressable = false;  // it answers to the pointer
  bool toggles = false;    // its value is "on" or "off"
  bool chooses = false;    // it opens a list, and its value is what is chosen of it
};
struct LoggedText {
  std::string text;  // as it was asked for
  Type type{};
  Rect rect;  // of the line as it is shown
  Rect clip;  // what of the screen may be drawn on
  int layer = 0;
  bool cut = false;  // it ends in "…", for its box is too narrow
  Color32 color = 0;
  Color32 ground = 0;  // that was filled last where its middle is; 0: nothing was
};
struct LoggedFill {
  Rect rect;
  Color32 color = 0;  // opaque
};
struct WidgetLog : std::map<std::string, LoggedWidget> {
  std::vector<LoggedText> texts;
  std::vector<LoggedFill> fills;
  void clear() {
    map::clear();
    texts.clear();
    fills.clear();
  }
};

// The rows of a field of several lines, as drawn last.
struct WrappedText {
  std::u32string text;
  float width = 0;
  float pixels = 0;      // of the font
  bool settled = false;  // every letter was there
  std::vector<TextRow> rows;
};

// A chip that the pointer takes to another place.
struct ChipDrag {
  std::string path;  // of its list
  int chip = -1;
  Point from;          // px of the screen, where the button went down
  bool moved = false;  // far enough to be no click
};

struct TextEditing;
struct FormulaPicture;
struct ImageDrawn;
struct FormulaSetting;

// Lasts between frames.
struct UiMemory {
  std::string pressed;                   // path that the button went down on
  std::string focus;                     // path that has the keyboard; empty: none
  std::vector<std::string> focus_order;  // paths that can have it, as drawn in the last frame
  std::string open;                      // path of the open drop-down
  Rect open_card;                        // where its list lay in the last frame
  std::map<std::string, float> scroll;   // px of the screen, by panel
  std::string hovered;                   // path under the pointer and since when, for tooltips
  double hovered_since = 0;
  std::string reveal;                    // path that the focus came to by keys, until it is in sight
  std::shared_ptr<TextEditing> editing;  // the text field that has the keyboard
  std::string left_edited;               // path of a text field that another took the keyboard from after a change
  std::map<std::string, WrappedText> wrapped;  // by the field's path
  std::string number;                          // path of the number that is being typed, and what is typed
  std::string number_typed;
  std::string number_error;
  bool number_by_keys = false;  // it keeps the focus afterwards
  std::string text_at_end;      // path of a text field that begins with the cursor at its end
  ChipDrag chip_drag;           // of no list: none
  int highlighted = -1;         // option of the open drop-down
  bool reduce_motion = false;
  std::map<std::string, Glide> glides;
  std::map<std::string, FadingMap> fading;
  std::map<std::string, MapPart> parts;  // of large maps, by path
  std::set<std::string> unfolded;        // paths of what shows all that it has, where it usually shows a part
  std::string resting_on;                // what the pointer rests on and since when, where that is no widget
  double resting_since = 0;
  std::map<std::string, std::shared_ptr<const FormulaPicture>> formulas;      // as drawn last, by path
  std::map<std::string, std::shared_ptr<const FormulaSetting>> formulas_set;  // by LaTeX
  std::map<std::string, std::shared_ptr<const ImageDrawn>> images;            // as drawn last, by path
};

// One frame.
class Ui {
 public:
  Ui(UiMemory& memory, Fonts& fonts, const Theme& theme, MapPainter& painter, float scale, double now, WidgetLog* log);
  // Ends the frame: draws what lies on top, moves the focus by Tab. To be called once, after everything is drawn.
  void finish();
  Ui(const Ui&) = delete;
  Ui& operator=(const Ui&) = delete;

  const Theme& theme() const { return theme_; }
  MapPainter& painter() { return painter_; }
  UiMemory& memory() { return memory_; }
  const UiMemory& memory() const { return memory_; }
  Fonts& fonts() const { return fonts_; }
  float scale() const { return scale_; }
  double now() const { return now_; }
  Rect screen() const;  // all that is drawn on
  ImDrawList& list() { return *list_; }
  float px(float design) const { return std::round(design * scale_); }  // whole pixels
  // The earliest time at which the picture will change by itself; far away when it does not.
  double next_redraw() const { return next_redraw_; }
  void redraw_at(double time) { next_redraw_ = std::min(next_redraw_, time); }
  // A number that is kept by that path and goes to the target within so many seconds, easing out: at once where it was
  // not there before, where motion is reduced, or if it is to jump.
  float glide(const std::string& path, float target, double seconds, bool jump = false);

  // --- Drawing. Positions are rounded to whole pixels. ---
  void fill(Rect rect, Color32 color, float radius = 0);
  void frame(Rect rect, Color32 color, float radius = 0, float thickness = 1);
  void line(Point from, Point to, Color32 color, float thickness = 1);
  // Text with its line box's left top corner at `at`; returns its width.
  float text(Type type, Point at, Color32 color, std::string_view text, Direction direction = Direction::natural);
  // Centred in a box, or at its left or right edge; cut with "…" where it is too wide.
  enum class Align { left, center, right };
  void text_in(Type type, Rect box, Color32 color, std::string_view text, Align align = Align::left);
  // Reads upwards, its baseline's start at the bottom centre of the box.
  void text_upwards(Type type, Rect box, Color32 color, std::string_view text);
  float width_of(Type type, std::string_view text) const { return fonts_.width(type, text); }
  // Where a cursor stands in a line, px from its left end, by grapheme clusters: Fonts::carets().
  std::vector<Caret> carets(Type type, std::string_view text, Direction direction = Direction::natural) const {
    return fonts_.carets(type, text, direction);
  }
  float line_height(Type type) const { return fonts_.face(type).line; }
  // Of a line of text: from the top of its box to its baseline.
  float baseline(Type type) const;
  // The text cut so that it fits, with "…".
  std::string fitted(Type type, std::string_view text, float width) const;
  // Diagonal lines over a ground, as masked cells are drawn.
  void hatch(Rect rect);
  void clip(Rect rect);
  void unclip();
  // Draws now, over what was drawn so far and with the pointer to itself: for dialogs.
  void draw_above(const std::function<void()>& draw);
  // Draws after everything else, over it.
  void on_top(std::function<void()> draw) { on_top_.push_back(std::move(draw)); }

  // --- Pointer and keyboard. ---
  Point mouse() const { return mouse_; }
  bool mouse_in(Rect rect) const;  // and not under something on top
  bool mouse_down() const;
  bool mouse_released() const;
  bool mouse_moved() const;
  bool double_clicked(Rect rect) const;
  // Lines that the wheel turned over the place; each turn is taken once, by the innermost that asks.
  float take_wheel(Rect rect);
  struct Hit {
    bool hovered = false;
    bool held = false;     // the button went down on it and is still down
    bool clicked = false;  // went down and up on it, or Enter or Space with the focus
    bool focused = false;
    bool menu = false;  // the right button went down on it
  };
  // The drop-down of this path is open.
  bool is_open(const std::string& path);
  void open_list(const std::string& path);
  void close_list();
  // The open list lies there: it takes the pointer from what is drawn before it, too.
  void cover_by_list(Rect card);
  // A place that can be pressed and focused. Logs it.
  Hit hit(const std::string& path, Rect rect, bool focusable = true, std::string value = {}, std::string state = {});
  void log(const std::string& path, Rect rect, std::string value = {}, std::string state = {});
  // What was logged under this path is a switch.
  void log_toggle(const std::string& path) {
    if (log_) (*log_)[path].toggles = true;
  }
  // … opens a list, of which its value is chosen.
  void log_choice(const std::string& path) {
    if (log_) (*log_)[path].chooses = true;
  }
  void focus_ring(Rect rect, float radius);
  // What lies on top in this rectangle takes the pointer from everything below.
  void cover(Rect rect) { covered_ = rect; }
  bool covers(Rect rect) const { return !drawing_top_ && covered_.contains(rect.middle()); }
  // Whether the pointer has rested on it for 300 ms: a cell, a node. Ask in each frame in which it is under the
  // pointer.
  bool rests_on(const std::string& what);
  // A card beside the place after 300 ms of hovering: under it, or at its right where what is under it is wanted next.
  enum class Side { below, right };
  void tooltip(const std::string& path, Rect rect, std::string_view text, Side side = Side::below);
  // What it would say in this frame, which is left to who asks.
  std::string take_tooltip();
  // The same at once, and whether or not the pointer is there.
  void message(Rect rect, std::string_view text, Side side = Side::below);
  // While it lives, texts that are drawn can be asked about by pointing at them, or cannot.
  class ExplainScope {
   public:
    explicit ExplainScope(Ui& ui, bool on = true) : ui_(ui), before_(std::exchange(ui.explains_, on)) {}
    ~ExplainScope() { ui_.explains_ = before_; }
    ExplainScope(const ExplainScope&) = delete;
    ExplainScope& operator=(const ExplainScope&) = delete;

   private:
    Ui& ui_;
    bool before_;
  };
  struct PointedText {
    std::string text;  // as it was asked for
    Type type{};
    Rect rect;
  };
  // The one of these texts that lies under the pointer.
  const std::optional<PointedText>& pointed_text() const { return pointed_; }
  // It has something of its own to say there.
  void forget_pointed() { pointed_.reset(); }
  // The rectangle of the widget that got the focus by keys, once it is drawn.
  std::optional<Rect> to_reveal() const { return focused_rect_; }
  // A panel has been scrolled for it: the next frame looks again.
  void reveal_again() { revealed_ = true; }

 private:
  void move_focus();
  void draw_text(Type type, Point at, Color32 color, std::string_view text, Direction direction = Direction::natural);
  void log_text(Type type, Rect rect, Color32 color, std::string_view text, bool cut);
  Rect clip_rect() const;
  int layer() const {
    if (drawing_top_) return 2;
    return drawing_above_ ? 1 : 0;
  }

  UiMemory& memory_;
  Fonts& fonts_;
  const Theme& theme_;
  MapPainter& painter_;
  float scale_;
  double now_;
  WidgetLog* log_;
  ImDrawList* list_;
  Point mouse_;
  double next_redraw_ = 1e300;
  std::vector<std::function<void()>> on_top_;
  bool drawing_top_ = false;
  bool drawing_above_ = false;
  Rect covered_;  // what lies on top and takes the pointer
  std::vector<std::string> focus_order_;
  std::string hovered_;
  bool wheel_taken_ = false;
  bool rest_asked_ = false;
  std::optional<Rect> focused_rect_;
  bool revealed_ = false;
  bool open_drawn_ = false;  // the open drop-down
  struct Tip {
    Rect rect;
    std::string text;
    Side side = Side::below;
  };
  std::optional<Tip> tip_;  // the tooltip of this frame
  bool explains_ = false;
  std::optional<PointedText> pointed_;
};

}  // namespace headlight::app
