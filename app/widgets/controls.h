// The design's controls: buttons, segments, drop-downs, steppers of numbers, switches, sliders, rows of choice, token
// chips; text fields are in text_field.h. Each draws into a box, answers to pointer and keyboard, and returns what
// happened.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/widgets/icons.h"
#include "app/widgets/text_field.h"
#include "app/widgets/ui.h"

namespace headlight::app {

inline constexpr float control_radius = 6;  // px of the design
// The ground of something that can be pressed.
Color32 control_ground(const Ui& ui, const Ui::Hit& hit, Color32 plain);
// The ground of a card among others: amber where it is the current one.
void fill_card(Ui& ui, Rect box, bool current, bool hovered);

enum class ButtonLook { primary, secondary, ghost };
bool button(Ui& ui, const std::string& path, Rect box, std::string_view label, ButtonLook look = ButtonLook::secondary,
            std::optional<Icon> icon = std::nullopt, bool enabled = true);
bool icon_button(Ui& ui, const std::string& path, Rect box, Icon icon, std::string_view help, bool enabled = true,
                 ButtonLook look = ButtonLook::ghost);

// "Ctrl Z" with a frame round each key, from the left of the row on.
float width_of_chord(const Ui& ui, std::string_view chord);
void draw_chord(Ui& ui, Rect row, std::string_view chord, Color32 color);

// Returns the segment that was chosen, or −1. A disabled segment is shown pale and says why in its tooltip.
struct Segment {
  std::string id;
  std::string label;
  std::string disabled_because;
};
int segments(Ui& ui, const std::string& path, Rect box, const std::vector<Segment>& list, int selected);

// Returns the option that was chosen, or −1. `notes` stand at the right of the open list, one an option.
int drop_down(Ui& ui, const std::string& path, Rect box, const std::vector<std::string>& options, int selected,
              bool quiet = false, const std::vector<std::string>& notes = {});

// The same of things by their titles: `is_now` says which of them is chosen, else it is `now`, or what is not among
// them: `other` stands for it at the end, where it has a title.
template <class List, class Title, class IsNow>
int drop_down_of(Ui& ui, const std::string& path, Rect box, const List& list, const Title& title, const IsNow& is_now,
                 int now = -1, const std::string& other = {}) {
  std::vector<std::string> titles;
  for (const auto& one : list) {
    if (std::invoke(is_now, one)) now = static_cast<int>(titles.size());
    titles.emplace_back(std::invoke(title, one));
  }
  if (now < 0 && !other.empty()) {
    now = static_cast<int>(titles.size());
    titles.push_back(other);
  }
  return drop_down(ui, path, box, titles, now);
}

// A whole number that goes up and down by steps and can be typed.
struct WholeNumber {
  long long value = 0;
  long long least = 0, most = 0;        // allowed
  long long step = 1;                   // from the least on
  std::optional<long long> first = {};  // where steps begin, though less may be typed
  // "auto": the name of having no number, where that is a choice; before the first step.
  std::string_view automatic = {};
  bool is_automatic = false;    // it is chosen now
  bool known = false;           // and `value` is what it came to
  std::string_view shown = {};  // stands for the number where it has a name
};
struct StepperValue {
  bool automatic = false;
  long long value = 0;
};
// − 8 +. Returns what is chosen.
std::optional<StepperValue> whole_stepper(Ui& ui, const std::string& path, Rect box, const WholeNumber& whole);
// The same where there is always a number.
std::optional<long long> number_stepper(Ui& ui, const std::string& path, Rect box, long long value, long long least,
                                        long long most, long long step = 1, std::string_view shown = {});

// A number beside its slider, which can be typed; `unit` stands behind it ("%"). Returns the new number.
std::optional<double> number_field(Ui& ui, const std::string& path, Rect box, double value, double least, double most,
                                   std::string_view unit = {});
// "2.00", "0.021": two decimals where they say it, up to six digits where they do not.
std::string short_number(double value);

// Returns the new state.
std::optional<bool> toggle(Ui& ui, const std::string& path, Rect box, bool on);

struct SliderChange {
  std::optional<double> value;  // while it moves
  bool ended = false;           // let go: the edit is one entry of undo
};
SliderChange slider(Ui& ui, const std::string& path, Rect box, double value, double least, double most, double usual,
                    bool logarithmic);

bool radio_row(Ui& ui, const std::string& path, Rect box, std::string_view label, std::string_view note, bool selected,
               bool enabled = true, std::string_view why_not = {});

// A token with its number. `as` says whether it is the selected query or key.
enum class ChipRole { none, query, key };
ChipRole chip_role(Role role);
struct Chip {
  std::string text;  // as it is shown
  ChipRole as = ChipRole::none;
  bool masked = false;
  bool fixed = false;  // it cannot be moved, nor anything before it
};
float chip_width(const Ui& ui, std::size_t index, const Chip& chip);
void draw_chip(Ui& ui, Rect box, std::size_t index, const Chip& chip, bool hovered);
// Chips in rows from the box's top; returns the height they take, and what was clicked or is hovered.
struct ChipsOptions {
  bool moves = false;        // they can be dragged to another place
  std::optional<int> gap{};  // room for another is left before this one
  float gap_width = 0;
  int current = -1;  // that keys mean, while the list has the keyboard
};
struct ChipMove {
  int from = 0, to = 0;  // the place that it takes
};
struct ChipsResult {
  float height = 0;
  int clicked = -1;
  int hovered = -1;
  int doubled = -1;  // clicked twice
  int menu = -1;     // clicked with the right button
  std::optional<ChipMove> moved;
  std::optional<Rect> gap;
  std::optional<Rect> current;  // where that chip is
};
ChipsResult chips(Ui& ui, const std::string& path, Rect box, const std::vector<Chip>& list,
                  const ChipsOptions& options = {});

void badge(Ui& ui, Point at, Role role);
inline constexpr float badge_size = 18;

// The ground of what lies over the rest.
void draw_sheet(Ui& ui, Rect card, float radius = 8);

// Words at an end of the line, which take their room and a gap (px of the design) from it.
void words_at_left(Ui& ui, Type type, Rect& line, Color32 color, std::string_view words, float gap = 0);
void words_at_right(Ui& ui, Type type, Rect& line, Color32 color, std::string_view words, float gap = 0);

// A panel that scrolls: draws `content` into the box moved up by the scroll; content returns its height. What the focus
// comes to by keys is scrolled into sight.
void scroll_area(Ui& ui, const std::string& path, Rect box, const std::function<float(Rect)>& content);
// The same of rows, all as high: those in sight are drawn. The scroll bar stands beside them.
void scroll_rows(Ui& ui, const std::string& path, Rect box, std::size_t count, float height,
                 const std::function<void(std::size_t, Rect)>& draw);

// Words of a text that can be asked about: each is underlined with dots where it stands first, and can be pressed.
struct Terms {
  std::string path;                                          // before a term's id: "term"
  std::function<std::string(std::string_view words)> id_of;  // of one word or a few; empty: it is none
  std::string open;                                          // the one that is explained
  std::vector<std::string> said = {};                        // ids that were underlined, from text to text
  std::string pressed = {};
};

// The line under a word of a term, from which it is pressed too. `number`: which word of the term it is, from 0.
void underline_term(Ui& ui, Rect place, const std::string& term, std::string_view word, int number, Terms& terms);

// Text wrapped at words; {role:words} take the role's colour. Returns the height. With draw = false it only measures.
float paragraph(Ui& ui, Point at, float width, Color32 color, std::string_view marked, bool draw = true,
                Type type = Type::body, Terms* terms = nullptr);

struct PopupLine {
  std::string label;
  std::string about = {};  // a few words at the side, where there is room
  std::string chord = {};
  std::optional<Icon> icon = {};
  bool now = false;     // it is so already
  bool faint = false;   // what is not so any more
  bool parted = false;  // a line of the design stands before it
};

// Lasts between frames.
struct PopupMemory {
  int lit = -1;
  bool scroll_to_lit = false;  // it was moved by keys: it scrolls into sight
};

struct PopupResult {
  int chosen = -1;
  bool left = false;  // it was clicked beside the list
};
// The list under `at`, or over it, and within the window. Arrows walk, Enter and Space choose.
PopupResult popup(Ui& ui, const std::string& path, Rect at, Rect window, const std::vector<PopupLine>& lines,
                  PopupMemory& memory);

}  // namespace headlight::app
