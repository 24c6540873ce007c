// The design's controls: buttons, segments, drop-downs, steppers of numbers, switches, sliders, rows of choice, token
// chips and text fields. Each draws into a box, answers to pointer and keyboard, and returns what happened.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/widgets/icons.h"
#include "app/widgets/ui.h"

namespace headlight::app {

enum class ButtonLook { primary, secondary, ghost };
bool button(Ui& ui, const std::string& path, Rect box, std::string_view label, ButtonLook look = ButtonLook::secondary,
            std::optional<Icon> icon = std::nullopt, bool enabled = true);
bool icon_button(Ui& ui, const std::string& path, Rect box, Icon icon, std::string_view help, bool enabled = true,
                 ButtonLook look = ButtonLook::ghost);

// Returns the segment that was chosen, or −1. A disabled segment is shown pale and says why in its tooltip.
struct Segment {
  std::string id;
  std::string label;
  std::string disabled_because;
};
int segments(Ui& ui, const std::string& path, Rect box, const std::vector<Segment>& list, int selected);

// Returns the option that was chosen, or −1.
int drop_down(Ui& ui, const std::string& path, Rect box, const std::vector<std::string>& options, int selected,
              bool quiet = false);

// − 8 +. Returns the new number. `shown` stands for the number where it has a name ("auto").
std::optional<long long> number_stepper(Ui& ui, const std::string& path, Rect box, long long value, long long least,
                                        long long most, long long step = 1, std::string_view shown = {});

// Returns the new state.
std::optional<bool> toggle(Ui& ui, const std::string& path, Rect box, bool on);

struct Slid {
  std::optional<double> value;  // while it moves
  bool ended = false;           // let go: the edit is one entry of undo
};
Slid slider(Ui& ui, const std::string& path, Rect box, double value, double least, double most, double usual,
            bool logarithmic);

bool radio_row(Ui& ui, const std::string& path, Rect box, std::string_view label, std::string_view note, bool selected,
               bool enabled = true, std::string_view why_not = {});

// A token with its number. `as` says whether it is the selected query or key.
enum class ChipRole { none, query, key };
struct Chip {
  std::string text;  // as it is shown
  ChipRole as = ChipRole::none;
  bool masked = false;
};
float chip_width(const Ui& ui, std::size_t index, const Chip& chip);
void draw_chip(Ui& ui, Rect box, std::size_t index, const Chip& chip, bool hovered);
// Chips in rows from the box's top; returns the height they take, and what was clicked or is hovered.
struct ChipsResult {
  float height = 0;
  int clicked = -1;
  int hovered = -1;
};
ChipsResult chips(Ui& ui, const std::string& path, Rect box, const std::vector<Chip>& list);

// A text of several lines, wrapped. `changed` while typing, `ended` when it loses the keyboard.
struct Typed {
  bool changed = false;
  bool ended = false;
};
Typed text_field(Ui& ui, const std::string& path, Rect box, std::string& text, bool multiline, const char* hint);

// The height of a field of several lines for what it showed last.
float text_field_height(const Ui& ui, const std::string& path, int least, int most);

void badge(Ui& ui, Point at, Role role);
inline constexpr float badge_size = 18;

// A panel that scrolls: draws `content` into the box moved up by the scroll; content returns its height.
void scroll_area(Ui& ui, const std::string& path, Rect box, const std::function<float(Rect)>& content);

// Text wrapped at words; {role:words} take the role's colour. Returns the height. With draw = false it only measures.
float paragraph(Ui& ui, Point at, float width, Color32 color, std::string_view marked, bool draw = true,
                Type type = Type::body);

}  // namespace headlight::app
