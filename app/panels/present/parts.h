// The presenter: an experiment for a class, at a size for the back row. Everything is laid out for a window 1080 px
// high, whatever the size of its window and of the text elsewhere. Its parts, and what they know of what is presented.
#pragma once

#include <optional>
#include <string>

#include "app/model/lesson_scene.h"
#include "app/model/presenter.h"
#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// px for one px of the design in a window of that height: `usual`, unless the presenter is shown.
float scale_shown(const Model& model, float height, float usual);
// The theme that is shown: the presenter has its own.
ThemeId theme_shown(const Model& model);

// What is presented, in the whole window.
void draw_presenter(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions);
// Whether what only who presents sees has a window of its own, and that, in the whole of it.
bool shows_notes(const Model& model);
void draw_present_notes(Ui& ui, Rect window, const Model& model, PanelMemory& memory);
// The same of a lesson that is presented.
void draw_lesson_notes(Ui& ui, Rect window, const Model& model);

// Lines of words down a column.
struct NoteColumn {
  Ui& ui;
  Rect box;
  float y;

  void say(std::string_view words, Color32 color, Type type = Type::presenter_least) {
    if (!words.empty()) y += paragraph(ui, {box.x, y}, box.w, color, words, true, type);
  }
  void head(const std::string& words) {
    ui.text(Type::presenter_label, {box.x, y}, ui.theme().text, ui.fitted(Type::presenter_label, words, box.w));
    y += ui.line_height(Type::presenter_label) + ui.px(4);
  }
  void gap(float design) { y += ui.px(design); }
};

// The same in a box that scrolls.
void draw_note_column(Ui& ui, const std::string& path, Rect box, const auto& draw) {
  scroll_area(ui, path, box, [&](Rect area) {
    NoteColumn column{ui, {area.x, area.y, area.w - ui.px(14), area.h}, area.y};
    draw(column);
    return column.y - area.y;
  });
}

// What one frame shows.
struct SlideView {
  const Presenter& present;
  const Slide& slide;
  const Model& scene;        // its run, and how it is looked at
  const Step& map;           // which is shown
  const Question& question;  // without choices: nothing is asked

  const Trace& trace() const { return *scene.trace(); }
  const Look& look() const { return scene.document.look; }
  // Something is asked and not answered yet.
  bool waits() const { return !question.choices.empty() && !slide.revealed; }
  // What is asked is read from the row: it keeps its numbers to itself.
  bool hidden() const { return waits() && asks_row(); }
  bool asks_row() const { return question.about == AskAbout::winner || question.of_row; }
  // The map is that of the run with the change.
  bool shows_change() const {
    return !question.choices.empty() && slide.revealed && question.about == AskAbout::change;
  }
  bool shows(Covered what) const {
    if (what == Covered::rows && !asks_row()) return true;
    if (what == Covered::head && question.about == AskAbout::head && waits()) return false;
    return !present.covers(what) || (!question.choices.empty() && slide.revealed);
  }
  // "A"
  static std::string letter(std::size_t choice) { return std::string(1, static_cast<char>('A' + choice)); }
};

// What a frame shows of the slide that is presented; nothing where its run has no map: why_no_map() says why.
std::optional<SlideView> slide_view(const Model& model, PanelMemory& memory);
std::string why_no_map(const Model& model);

// The map as queries by keys, the row that asks hidden until the answer is shown. A click on a cell puts the spotlight
// on it, one on a row's label asks about that row.
void draw_present_map(Ui& ui, Rect box, const SlideView& what, PanelMemory& memory, Actions& actions);
// Keys that lie on a picture, drawn there: the choices lettered, and once the answer is shown the weights.
void draw_present_picture(Ui& ui, Rect box, const SlideView& what, PanelMemory& memory);
// Whether they are.
bool is_on_picture(const SlideView& what);

// "7 hands" for an answer, "7 of 22 hands" once it is shown; empty where none were counted.
std::string hands_in_words(const Slide& slide, std::size_t choice);

// What is asked, and the answer, as paragraphs take them.
std::string question_in_words(const SlideView& what);
std::string answer_in_words(const SlideView& what);
// "Head 3", and with `named` what it is called; empty where there is one head.
std::string head_in_words(const SlideView& what, bool named);
// Time that is left of the timer, "0:45", and whether it is over.
struct TimeLeft {
  std::string text;
  bool over = false;
};
TimeLeft time_left(Ui& ui, const Presenter& present);

// The question, the formula and the choices, from the top of the box on.
void draw_present_question(Ui& ui, Rect box, const SlideView& what, Actions& actions);
// A weight in as many digits as it takes to tell the winner's from the others'.
std::string weight_in_words(const Question& question, double weight);

// A formula as large as fits, from the left. Returns the height it takes.
float draw_present_formula(Ui& ui, Rect box, const Trace& trace, const Step& step);

// The bars above and below. The upper one says what is presented, how far it goes on and how much time is left.
void draw_present_top(Ui& ui, Rect bar, const Model& model, const SlideView* what, Actions& actions);
void draw_present_bottom(Ui& ui, Rect bar, const Model& model, const SlideView* what, Actions& actions);
// What the keys do, over all else; a click puts it away.
void draw_present_keys(Ui& ui, Rect window, Actions& actions);

}  // namespace headlight::app
