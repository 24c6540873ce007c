// The right side of the presenter: what is asked, the formula, what it could be, and what it is.
#include <cmath>

#include "app/panels/common/form.h"
#include "app/panels/present/parts.h"
#include "app/reading/questions/other_questions.h"
#include "app/widgets/formula_view.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// The token as a paragraph takes it, in the colour of its role; one that has signs of its own for that stays plain.
std::string marked(const char* role, const std::string& token) {
  const std::string shown = Fonts::display_text(token);
  return shown.find_first_of("{}") == std::string::npos ? fmt::format("{{{}:{}}}", role, shown) : shown;
}

std::string nth_in_words(int nth) {
  constexpr std::array words{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"};
  const auto at = static_cast<std::size_t>(nth) - 1;
  return at < words.size() ? words[at] : fmt::format("{}th", nth);
}

// What is known of the head, where that may be said.
std::string head_sentence(const SlideView& what) {
  const auto head = static_cast<std::size_t>(what.look().head);
  if (!what.shows(Covered::head) || head >= what.trace().heads.size()) return {};
  return what.trace().heads[head].sentence;
}

void draw_letter(Ui& ui, Rect place, const std::string& letter, bool strong, Color32 ground, Color32 color) {
  ui.fill(place, ground, ui.px(8));
  if (!strong && ui.theme().id == ThemeId::high_contrast) ui.frame(place, ui.theme().line_strong, ui.px(8));
  ui.text_in(Type::presenter_label, place, color, letter, Ui::Align::center);
}

// How much room the names take before what they are to the query.
float names_width(const Ui& ui, const Question& question) {
  float width = 0;
  for (const CandidateKey& choice : question.choices) {
    const float number = choice.number.empty() ? 0 : ui.width_of(Type::presenter_least, choice.number) + ui.px(14);
    width = std::max(width, ui.width_of(Type::presenter_strong, Fonts::display_text(choice.name)) + number);
  }
  return std::ceil(width);
}

// Whether what stands beside the answers helps: of a row's mixture it would tell, and of heads all have it or none.
bool shows_relations(const Ui& ui, const SlideView& what, float room) {
  const Question& question = what.question;
  if (question.about == AskAbout::mix) return what.slide.revealed;
  return question.about != AskAbout::head || std::ranges::all_of(question.choices, [&](const CandidateKey& choice) {
           return ui.width_of(Type::presenter_least, choice.relation) <= room;
         });
}

void draw_choice(Ui& ui, Rect box, const SlideView& what, std::size_t i, float names, Actions& actions) {
  const Theme& t = ui.theme();
  const Question& question = what.question;
  const CandidateKey& choice = question.choices[i];
  const bool revealed = what.slide.revealed, wins = revealed && question.wins(i),
             answered = what.slide.answer == static_cast<int>(i) + 1;
  const std::string letter = SlideView::letter(i);
  const char* state = wins ? "winner" : "";
  const auto hit = ui.hit("present/choice/" + letter, box, !revealed && !what.present.frozen, choice.name,
                          answered ? "selected" : state);
  if (hit.clicked) actions.push_back(Answer{static_cast<int>(i) + 1});
  const float radius = ui.px(12);
  const bool lit = revealed ? wins : answered;
  Color32 ground = hit.hovered && !revealed ? mix(t.canvas, t.text, 0.03F) : t.canvas;
  if (lit && !revealed) ground = t.brand_soft;
  ui.fill(box, ground, radius);
  if (revealed && question.about == AskAbout::winner && question.choices[question.winner].weight > 0 &&
      choice.weight > 0) {
    const auto part = static_cast<float>(choice.weight / question.choices[question.winner].weight);
    if (part > 0.01F)
      ui.fill({box.x + radius, box.bottom() - ui.px(8), (box.w - 2 * radius) * part, ui.px(5)}, t.weight.main,
              ui.px(2));
  }
  const Color32 edge = answered ? t.text : t.line_strong, sign = answered ? t.ink : t.sunken;
  const float width = answered ? 3 : 1;
  ui.frame(box, wins ? t.ok : edge, radius, ui.px(lit ? 4 : width));
  if (hit.focused) ui.focus_ring(box, radius);
  Rect inside = box.inset(ui.px(24), 0);
  const float side = std::min(ui.px(44), box.h - ui.px(8));
  draw_letter(ui, {inside.take_left(side).x, box.middle().y - side / 2, side, side}, letter, lit || answered,
              wins ? t.ok : sign, wins || answered ? t.on_ink : t.text);
  inside.take_left(ui.px(20));
  std::string said = answered ? "your answer" : "";
  const bool of_keys = question.about == AskAbout::winner;
  if (wins) said = i == question.winner ? "wins" : "as good";
  if (wins && (answered || !of_keys)) said = "right";
  if (revealed && of_keys)
    words_at_right(ui, Type::presenter_number, inside, t.weight.main, weight_in_words(question, choice.weight), 20);
  if (!said.empty()) words_at_right(ui, Type::presenter_label, inside, wins ? t.ok : t.text, said, 20);
  if (const std::string hands = hands_in_words(what.slide, i); !hands.empty()) {
    ui.log("present/hands/" + letter, inside, hands);
    words_at_right(ui, Type::presenter_label, inside, t.text_muted, hands, 20);
  }
  const std::string shown = Fonts::display_text(choice.name);
  const bool sentences = question.about == AskAbout::own || question.about == AskAbout::mix;
  const float widest = sentences ? names : ui.width_of(Type::presenter_strong, shown),
              room = sentences ? inside.w : inside.w * 0.7F;
  const Type type = widest <= room ? Type::presenter_strong : Type::presenter_label;
  const float written = std::ceil(ui.width_of(type, shown)) + ui.px(1);
  const Rect name = inside.take_left(std::max(std::min(names, inside.w * 0.6F), written));
  ui.text_in(type, name, t.text, shown);
  const float used = written + ui.px(11);
  if (!choice.number.empty() && used < name.w)
    ui.text_in(Type::presenter_least, {name.x + used, name.y + ui.px(3), name.w - used, name.h}, t.text_muted,
               choice.number);
  inside.take_left(ui.px(28));
  if (!shows_relations(ui, what, inside.w)) return;
  // What a line has no room for is not said in part.
  if (ui.width_of(Type::presenter_note, choice.relation) <= inside.w)
    ui.text_in(Type::presenter_note, inside, t.text_muted, choice.relation);
  else if (ui.width_of(Type::presenter_least, choice.relation) <= inside.w)
    ui.text_in(Type::presenter_least, inside, t.text_muted, choice.relation);
}

}  // namespace

std::string hands_in_words(const Slide& slide, std::size_t choice) {
  const Index hands = slide.hand_count(choice), all = std::ssize(slide.hands);
  if (all == 0) return {};
  if (slide.revealed) return fmt::format("{} of {} hands", hands, all);
  return fmt::format("{} hand{}", hands, hands == 1 ? "" : "s");
}

namespace {

std::string asker_in_words(const Question& question) {
  const std::string asker = marked("query", question.asker);
  return question.nth > 0 ? fmt::format("The {} {}", nth_in_words(question.nth), asker) : asker;
}

std::string hundredths(double number) {
  return with_minus_signs(fmt::format("{:.2f}", number + 0.0));
}

}  // namespace

std::string question_in_words(const SlideView& what) {
  const Question& question = what.question;
  const std::string asker =
      is_on_picture(what) ? fmt::format("The place at {}", marked("query", question.asker)) : asker_in_words(question);
  switch (question.about) {
    case AskAbout::winner:
      return is_on_picture(what) ? fmt::format("{} asks: which place gets its largest weight?", asker)
                                 : fmt::format("{} asks: which key gets the largest weight of its row?", asker);
    case AskAbout::change:
      return fmt::format("{} gives {} a weight of {}. What becomes of it if {}?", asker, marked("key", question.asked),
                         hundredths(question.before), question.happens);
    case AskAbout::head:
      return "Which of these heads made this map? Look at what its rows have in common.";
    case AskAbout::mix:
      return fmt::format("{} adds up the values of the keys it sees. What is its new row made of?", asker);
    case AskAbout::own:
      return question.asked;
  }
  return {};
}

std::string answer_in_words(const SlideView& what) {
  const Question& question = what.question;
  const CandidateKey& winner = question.choices[question.winner];
  switch (question.about) {
    case AskAbout::winner:
      return fmt::format("{}{} gives the largest weight, {}, to {}.", is_on_picture(what) ? "The place at " : "",
                         marked("query", question.asker), weight_in_words(question, winner.weight),
                         marked("key", winner.name));
    case AskAbout::change:
      return fmt::format("If {}, the weight is {} where it was {}: {}.", question.happens, hundredths(question.after),
                         hundredths(question.before), winner.name);
    case AskAbout::head:
      return fmt::format("It is {}.", head_in_words(what, true));
    case AskAbout::mix:
      return fmt::format("{} becomes {}: the shares are the weights of its row.", asker_in_words(question),
                         Fonts::display_text(winner.name));
    case AskAbout::own:
      return question.because.empty() ? fmt::format("The answer is {}.", winner.name) : question.because;
  }
  return {};
}

std::string weight_in_words(const Question& question, double weight) {
  const auto written = [](double number, int digits) { return fmt::format("{:.{}f}", number, digits); };
  const double most = question.choices[question.winner].weight;
  const auto alike = [&](int digits) {
    return std::ranges::count_if(question.choices, [&](const CandidateKey& choice) {
             return written(choice.weight, digits) == written(most, digits);
           }) > 1;
  };
  int digits = 2;
  while (digits < 7 && (alike(digits) || std::abs(most) < 0.5 * std::pow(10, 1 - digits))) ++digits;
  std::string text = written(weight, digits);
  if (text.starts_with('-')) text = "−" + text.substr(1);
  return text;
}

float draw_present_formula(Ui& ui, Rect box, const Trace& trace, const Step& step) {
  const std::string& latex = step.info.formula;
  if (latex.empty()) return 0;
  float em = 50;
  FormulaSize size = formula_size(ui, latex, em, box.w);
  if (size.height > box.h) {
    em = std::max(24.0F, em * box.h / size.height);
    size = formula_size(ui, latex, em, box.w);
  }
  const Rect place{box.x, box.y, std::min(box.w, std::ceil(size.width) + ui.px(2)), std::ceil(size.height) + ui.px(4)};
  ui.log("present/formula/em", place, fmt::format("{:.1f}", em));
  formula_view(ui, "present/formula", place, latex, em, [&](const std::string& id) { return role_of(trace, id); }, {});
  return place.h;
}

void draw_present_question(Ui& ui, Rect box, const SlideView& what, Actions& actions) {
  const Theme& t = ui.theme();
  const Question& question = what.question;
  const bool own = question.about == AskAbout::own && !question.choices.empty();
  const std::string title(question.choices.empty() ? "Nothing to ask" : title_of(question.about));
  const Type title_type =
      ui.width_of(Type::presenter_title, title) <= box.w ? Type::presenter_title : Type::presenter_strong;
  if (!own) ui.text_in(title_type, box.take_top(ui.line_height(title_type)), t.text, title);
  box.take_top(ui.px(10));
  const auto say = [&](const std::string& words, Color32 color, Type type) {
    if (!words.empty()) take_paragraph(ui, box, color, words, type);
  };
  if (own) say(question.asked, t.text, Type::presenter_strong);  // it stays when the answer is shown
  std::string words = question.why_none;
  if (!question.choices.empty()) words = what.slide.revealed ? answer_in_words(what) : question_in_words(what);
  if (own && !what.slide.revealed) words.clear();
  say(words, t.text, Type::presenter_text);
  if (const std::string head = head_sentence(what); !head.empty()) {
    box.take_top(ui.px(6));
    say(head, t.text_muted, Type::presenter_note);
  }
  box.take_top(ui.px(22));
  const auto count = static_cast<float>(question.choices.size());
  const float least = count * ui.px(64) + std::max(0.0F, count - 1) * ui.px(10);  // of the choices
  const float room = std::min(ui.px(200), box.h - least - ui.px(24));
  if (room > ui.px(44) && !own) {
    box.take_top(draw_present_formula(ui, {box.x, box.y, box.w, room}, what.trace(), what.map));
    box.take_top(ui.px(26));
  }
  if (question.choices.empty()) return;
  const float pitch = std::min(ui.px(98), (box.h + ui.px(10)) / count), names = names_width(ui, question);
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    const Rect line = box.take_top(pitch);
    draw_choice(ui, {line.x, line.y, line.w, std::max(ui.px(40), pitch - ui.px(std::min(14.0F, pitch / ui.px(7))))},
                what, i, names, actions);
  }
}

}  // namespace headlight::app
