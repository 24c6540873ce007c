// Lessons in the window: the path of them all, and one that is open. What a step needs is there, and nothing else.
#pragma once

#include <string>

#include "app/model/lesson_scene.h"
#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// The path, where one is on it, and the lessons of the folder that is open: below the bar of screens.
void draw_lessons(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// The lesson that is open, in the whole window.
void draw_lesson(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
// At its right, where there is room: the tasks that a network can be taught. Returns how high they are.
float draw_task_column(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Lessons | Train: the two rooms of the tab.
void draw_learn_switch(Ui& ui, Rect box, const Model& model, Actions& actions);

// What is typed, chosen and drawn until it is answered; another step begins anew.
struct AnswerMemory {
  const PlayedStep* of = nullptr;
  bool began = false;  // it was drawn before
  std::string typed;
  std::vector<Index> order;  // of what is put in order, as far as it was chosen
  std::vector<double> bars;  // as they were drawn
};
AnswerMemory& answer_memory(const Model& model, PanelMemory& memory);

// Text with its numbers, wrapped; words that name a token of the run or a role have its colour. Returns the height it
// takes; with draw = false it only measures. `terms`: words of the glossary can be asked about.
float draw_lesson_text(Ui& ui, Point at, float width, const PrintedText& text, const Model& model, Actions& actions,
                       bool draw = true, Type type = Type::lesson_text, Terms* terms = nullptr);

// What somebody said, and not the run.
void dashed_frame(Ui& ui, Rect box, Color32 color);
// The question with its answers, or with what was answered beside what is so. Moves the form on.
void draw_lesson_question(Form& form, const Model& model, PanelMemory& memory, Actions& actions);
// What of the run can be changed where something is to be done.
void draw_lesson_controls(Form& form, const Model& model, PanelMemory& memory, Actions& actions);

// The map or another view of the step, and what stands beside and below it.
void draw_lesson_picture(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions);
// Where the pinned number comes from, as a table at the foot of the box, which it takes its room from.
void draw_lesson_sum(Ui& ui, Rect& box, const Model& model);

}  // namespace headlight::app
