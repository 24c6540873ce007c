// The screen that compares two results, and what its files share.
#pragma once

#include "app/panels/common/contrast.h"
#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// The middle of the window.
void draw_compare_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// What stands at its left. Returns the height it takes.
float draw_compare_side(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);

struct CompareMemory {
  ContrastMemory contrast;  // of A and B
  bool same_shown = false;  // where there is little room: what A and B have in common
};

inline ContrastMemory& contrast_in(PanelMemory& memory) {
  return memory.get<CompareMemory>().contrast;
}

// "A" or "B" as a sign: A is filled, B has an edge. As wide as high.
void draw_side_sign(Ui& ui, Point at, bool is_a);
inline constexpr float side_sign = 18;  // px of the design

// A, B and their contrast beside each other, or what the look says in one place; what is said of their colours below.
void draw_compared_maps(Ui& ui, Rect box, const Model& model, const SideBySide& both, PanelMemory& memory,
                        Actions& actions);
// Every head's difference on one scale.
void draw_compared_heads(Ui& ui, Rect box, const Model& model, const SideBySide& both, PanelMemory& memory,
                         Actions& actions);
// Whether there are any beside the one that is shown.
bool has_compared_heads(const Model& model, const SideBySide& both, PanelMemory& memory);

// ", most at 9 cat, by 41.0 %": the token whose output changes most; empty where there is none.
std::string most_changed_in_words(const Ui& ui, const Model& model, const RunNumbers& numbers);
// The head and the cell of the step that is shown, or the first step that differs, with the way there.
void draw_most_changed(Form& form, const Outcome& a, const Model& model, PanelMemory& memory, Actions& actions);

// Which contrast of cells the look asks for.
Contrast contrast_of(const Model& model);

// What differs between A and B, as that side has it: "scale off", "scale 1/√8"; empty where nothing does.
std::string differs_in_words(const Model& model, bool of_a);

}  // namespace headlight::app
