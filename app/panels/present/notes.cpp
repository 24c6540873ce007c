// What only who presents sees, in a window of its own: the question with its answer, what is hidden from the class,
// what the experiment's notes say, what comes next.
#include <fmt/ranges.h>

#include <cmath>

#include "app/lessons/note_question.h"
#include "app/panels/present/parts.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// The letter, the key and its weight; the winner framed, with what the class said.
void draw_noted_choice(NoteColumn& column, const SlideView& what, std::size_t i) {
  Ui& ui = column.ui;
  const Theme& t = ui.theme();
  const CandidateKey& choice = what.question.choices[i];
  const bool wins = what.question.wins(i), answered = what.slide.answer == static_cast<int>(i) + 1;
  const Rect row{column.box.x, column.y, column.box.w, ui.px(52)};
  if (wins) ui.frame(row, t.ok, ui.px(8), ui.px(2));
  std::string said = answered ? "was said" : "";
  const char* right = what.question.about == AskAbout::winner ? "wins" : "right";
  if (wins) said = answered ? fmt::format("{}, and was said", right) : std::string(right);
  if (const std::string hands = hands_in_words(what.slide, i); !hands.empty())
    said += (said.empty() ? "" : "; ") + hands;
  ui.log("notes/choice/" + SlideView::letter(i), row, said, wins ? "winner" : "");
  Rect inside = row.inset(ui.px(14), 0);
  ui.text_in(Type::presenter_label, inside.take_left(ui.px(36)), t.text_muted, SlideView::letter(i));
  const bool of_keys = what.question.about == AskAbout::winner;
  if (of_keys)
    words_at_right(ui, Type::presenter_number, inside, t.text, weight_in_words(what.question, choice.weight), 14);
  if (!said.empty()) words_at_right(ui, Type::presenter_least, inside, wins ? t.ok : t.text, said, 14);
  const std::string name = Fonts::display_text(choice.name);
  const float width = std::min(inside.w, std::ceil(ui.width_of(Type::presenter_label, name)) + ui.px(1));
  ui.text_in(Type::presenter_label, inside.take_left(width), t.text, name);
  inside.take_left(ui.px(8));
  words_at_left(ui, Type::presenter_least, inside, t.text_muted, choice.number);
  inside.take_left(ui.px(18));
  if (ui.width_of(Type::presenter_least, choice.relation) <= inside.w)
    ui.text_in(Type::presenter_least, inside, t.text_muted, choice.relation);
  column.y += row.h + ui.px(6);
}

std::string hidden_in_words(const Model& model, const SlideView& what) {
  std::vector<std::string> hidden;
  if (model.present.blank) return "The class sees a black screen.";
  if (what.hidden()) hidden.emplace_back("the row that asks");
  if (!what.shows(Covered::rows)) hidden.emplace_back("the rows below it");
  if (!what.shows(Covered::numbers)) hidden.emplace_back("the numbers");
  if (!what.shows(Covered::head)) hidden.emplace_back("what the head is called");
  return hidden.empty() ? "Nothing is hidden from the class."
                        : fmt::format("Hidden from the class: {}.", fmt::join(hidden, ", "));
}

void draw_asked(NoteColumn& column, const Model& model, const SlideView& what) {
  const Theme& t = column.ui.theme();
  const bool asks = !what.question.choices.empty();
  const char* asked = what.slide.revealed ? "The answer is shown" : "What the class is asked";
  column.head(asks ? asked : "Nothing is asked");
  column.say(asks ? question_in_words(what) : what.question.why_none, t.text);
  column.gap(14);
  for (std::size_t i = 0; i < what.question.choices.size(); ++i) draw_noted_choice(column, what, i);
  column.gap(10);
  const std::string hidden = hidden_in_words(model, what);
  column.ui.log("notes/hidden", {column.box.x, column.y, column.box.w, 1}, hidden);
  column.say(hidden, t.text_muted);
  if (const std::string head = head_in_words(what, true); !head.empty()) {
    column.gap(14);
    column.head(head);
    const auto at = static_cast<std::size_t>(what.look().head);
    if (at < what.trace().heads.size()) column.say(what.trace().heads[at].sentence, t.text_muted);
  }
}

void draw_saved_notes(NoteColumn& column, const Model& model) {
  const std::string notes = notes_without_questions(notes_of_slide(model));  // which are asked at the left
  column.head("Notes");
  column.ui.log("notes/written", {column.box.x, column.y, column.box.w, 1}, notes);
  if (notes.empty())
    return column.say("None. Before presenting, Ctrl K and \"notes\" writes some: they are saved with the experiment.",
                      column.ui.theme().text_muted);
  for (const std::string_view line : split(notes, "\n")) {
    if (!line.empty())
      column.say(line, column.ui.theme().text, Type::presenter_note);
    else
      column.gap(18);
    column.gap(6);
  }
}

void draw_bar_above(Ui& ui, Rect bar, const Model& model) {
  const Theme& t = ui.theme();
  const Presenter& present = model.present;
  ui.line({bar.x, bar.bottom() - 1}, {bar.right(), bar.bottom() - 1}, t.line, ui.px(1));
  bar = bar.inset(ui.px(32), 0);
  const std::string place = fmt::format("{} / {}", present.at + 1, present.slides.size());
  words_at_right(ui, Type::presenter_number, bar, t.text, place, 28);
  const auto state = [&](const std::string& words, Color32 color) {
    words_at_right(ui, Type::presenter_label, bar, color, words, 28);
  };
  if (present.timer > 0) {
    const TimeLeft left = time_left(ui, present);
    state(left.text, left.over ? t.error : t.text);
  }
  if (present.blank) state("Black: . shows it", t.error);
  if (present.frozen) state("Frozen: F goes on", t.error);
  ui.text_in(Type::presenter_label, bar, t.text, slide_of(model).name);
}

}  // namespace

void draw_present_notes(Ui& ui, Rect window, const Model& model, PanelMemory& memory) {
  const Theme& t = ui.theme();
  ui.clip(window);
  ui.fill(window, t.canvas);
  draw_bar_above(ui, window.take_top(ui.px(72)), model);
  Rect below = window.take_bottom(ui.px(72));
  ui.fill(below, t.panel);
  const bool last = model.present.at + 1 >= model.present.slides.size();
  const std::string next = last ? "This is the last" : "Next: " + model.present.slides[model.present.at + 1].name;
  ui.text_in(Type::presenter_label, below.inset(ui.px(32), 0), t.text, next);
  ui.log("notes/next", below, next);
  Rect middle = window.inset(ui.px(32), ui.px(20));
  const bool wide = middle.w > 1.15F * middle.h;
  const Rect asked = wide ? middle.take_left(middle.w * 0.52F) : middle.take_top(middle.h * 0.55F);
  if (wide)
    middle.take_left(ui.px(40));
  else
    middle.take_top(ui.px(20));
  const auto what = slide_view(model, memory);
  draw_note_column(ui, "notes/left", asked, [&](NoteColumn& column) {
    if (what)
      draw_asked(column, model, *what);
    else
      column.say(why_no_map(model), t.text);
  });
  draw_note_column(ui, "notes/right", middle, [&](NoteColumn& column) { draw_saved_notes(column, model); });
  ui.unclip();
}

}  // namespace headlight::app
