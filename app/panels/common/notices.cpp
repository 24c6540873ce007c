#include <fmt/ranges.h>

#include <cmath>
#include <span>

#include "app/model/masks.h"
#include "app/panels/common/notices.h"
#include "app/reading/step_words.h"
#include "app/text/shaping.h"
#include "engine/base/words.h"
#include "engine/variants/loss_words.h"

namespace headlight::app {

namespace {

struct Card {
  std::string path;
  std::string text;
  Color32 edge, ground;
  std::vector<std::string> buttons = {};  // their words
  bool dismissible = false;
  Icon icon = Icon::warning;
};

// What of a card was pressed.
struct CardResult {
  std::optional<std::size_t> button;
  bool dismissed = false;
};

// Draws the card at the top of the box and moves the box's top below it.
CardResult draw_card(Ui& ui, Rect& box, const Card& card) {
  const auto width_of_button = [&](const std::string& label) { return ui.width_of(Type::control, label) + ui.px(32); };
  float buttons_width = 0;
  for (const auto& label : card.buttons) buttons_width += width_of_button(label) + ui.px(8);
  const float width = box.w - ui.px(72) - buttons_width;
  const float words = paragraph(ui, {}, width, ui.theme().text, card.text, false, Type::label);
  const float height = std::max(words, ui.px(buttons_width > 0 ? 26 : 0)) + ui.px(16);
  const Rect place{box.x, box.y, box.w, height};
  ui.fill(place, card.ground, ui.px(6));
  ui.fill({place.x, place.y, ui.px(3), place.h}, card.edge, ui.px(1.5F));
  const float top = place.y + std::round((height - words) / 2);
  draw_icon(ui, card.icon, {place.x + ui.px(20), top + ui.px(9)}, card.edge);
  paragraph(ui, {place.x + ui.px(36), top}, width, ui.theme().text, card.text, true, Type::label);
  ui.log(card.path, place, card.text);
  box.take_top(std::min(box.h, height + ui.px(8)));
  box.y = place.bottom() + ui.px(8);
  CardResult result;
  float right = place.right() - ui.px(8);
  for (std::size_t i = card.buttons.size(); i-- > 0;) {
    const float wide = width_of_button(card.buttons[i]);
    const std::string path = i == 0 ? card.path + "/button" : fmt::format("{}/button{}", card.path, i + 1);
    if (button(ui, path, {right - wide, place.middle().y - ui.px(16), wide, ui.px(32)}, card.buttons[i]))
      result.button = i;
    right -= wide + ui.px(8);
  }
  if (card.dismissible)
    result.dismissed =
        icon_button(ui, card.path + "/dismiss", {place.right() - ui.px(32), place.y + ui.px(3), ui.px(28), ui.px(28)},
                    Icon::close, "Dismiss");
  return result;
}

// One below the other, the weightiest first. A map has to be left in sight: what is more waits behind a line.
class Cards {
 public:
  static constexpr std::size_t most = 2;

  Cards(Ui& ui, Rect box) : box_(box), all_(ui.memory().unfolded.contains(path)) {}

  CardResult add(Ui& ui, const Card& card) {
    if (drawn_ >= most && !all_) {
      ++more_;
      return {};
    }
    ++drawn_;
    return draw_card(ui, box_, card);
  }
  // A line of words below the last.
  Rect line(const Ui& ui) {
    const Rect line{box_.x, box_.y - ui.px(4), box_.w, ui.px(20)};
    box_.y = line.bottom() + ui.px(4);
    return line;
  }
  // How many are not seen, with the way to see them. Returns where the stack ends.
  float finish(Ui& ui) {
    if (drawn_ <= most && more_ == 0) ui.memory().unfolded.erase(path);
    if (more_ == 0 && !(all_ && drawn_ > most)) return box_.y;
    const Rect place = line(ui);
    const std::string words = more_ > 0 ? fmt::format("{} more: show", more_) : "Show fewer";
    const Rect press{place.x, place.y, ui.width_of(Type::note, words) + ui.px(8), place.h};
    const auto hit = ui.hit(path, press, true, words);
    ui.text_in(Type::note, press, hit.hovered ? ui.theme().text : ui.theme().text_muted, words);
    if (hit.focused) ui.focus_ring(press, ui.px(4));
    if (hit.clicked && more_ > 0) ui.memory().unfolded.insert(path);
    if (hit.clicked && more_ == 0) ui.memory().unfolded.erase(path);
    return box_.y;
  }

 private:
  static constexpr const char* path = "notices/more";
  Rect box_;
  bool all_;
  std::size_t drawn_ = 0, more_ = 0;
};

// The grid that was asked for, of a picture or frames, and one of half its sides.
struct SmallerGrid {
  GridSize now, half;
};
std::optional<SmallerGrid> smaller_grid(const Model& model) {
  const InputSpec* input = model.input(model.primary_input());
  const std::optional<GridSize> size = input ? size_asked(*input) : std::nullopt;
  if (!size) return std::nullopt;
  return SmallerGrid{*size, {std::max<Index>(1, size->rows / 2), std::max<Index>(1, size->columns / 2)}};
}

// Whether the input is brought to a grid that can be another.
bool has_grid(const Model& model) {
  const InputSpec* input = model.input(model.primary_input());
  return input && (std::holds_alternative<ImageInput>(*input) || std::holds_alternative<FramesInput>(*input));
}

// Whether the run was refused because an array of this mask rule does not fit the input any more.
bool error_is_about(const Model& model, const MaskOption& option) {
  return is_switched_on(model, option) &&
         std::ranges::any_of(arrays_of(option, *model.document.experiment),
                             [&](const ArraySpec& spec) { return model.error_about.array == spec.id; });
}

// Why there is no result; where it was refused for its size, with the ways out.
void draw_error(Ui& ui, Cards& cards, const Model& model, Actions& actions) {
  Card card{"error", model.error, ui.theme().error, ui.theme().warning_soft};
  std::vector<Action> ways;
  if (model.too_large && model.too_large->one_query) {
    card.buttons.emplace_back("One query at a time");
    ways.push_back(SetParam{"only_query", *model.too_large->one_query});
  }
  if (model.too_large && model.too_large->fits) {
    card.buttons.emplace_back("Run it whole");
    ways.push_back(Run{.whole = true});
  }
  if (const auto smaller = model.too_large ? smaller_grid(model) : std::nullopt) {
    card.text += fmt::format(". The grid is {} × {}.", smaller->now.rows, smaller->now.columns);
    card.buttons.push_back(fmt::format("Grid {} × {}", smaller->half.rows, smaller->half.columns));
    ways.push_back(SetGrid{model.primary_input(), smaller->half});
  }
  if (const Subject& about = model.error_about; about.rows > 0 && has_grid(model)) {
    card.buttons.push_back(fmt::format("Grid {} × {}", about.rows, about.columns));
    ways.push_back(SetGrid{model.primary_input(), GridSize{about.rows, about.columns}});
  }
  const std::vector<Edit>& edits = model.document.experiment->edits;
  if (const std::size_t number = model.error_about.edit; number > 0 && number <= edits.size() && edits[number - 1].on) {
    card.buttons.push_back(fmt::format("Switch edit {} off", number));
    ways.push_back(SwitchEdit{static_cast<Index>(number), false});
    if (std::ranges::count(edits, true, &Edit::on) > 1) {
      card.buttons.emplace_back("All edits off");
      ways.push_back(SwitchEdits{false});
    }
  }
  if (model.error_about.gradient && model.document.experiment->gradient) {
    card.buttons.emplace_back("Without gradients");
    ways.push_back(AskGradient{false});
  }
  for (const MaskOption* option : mask_rules(model))
    if (error_is_about(model, *option)) {
      card.buttons.push_back(fmt::format("Switch {} off", option->layer().title));
      ways.push_back(SwitchLayer{option->layer().id, false});
    }
  if (const auto pressed = cards.add(ui, card).button) actions.push_back(ways[*pressed]);
}

// What is shown is one row of many.
void draw_one_query(Ui& ui, Cards& cards, const Model& model, Actions& actions) {
  if (!model.trace() || !model.shown.problem->only_query) return;
  const Axis* queries = queries_of(*model.trace());
  const std::string name =
      queries ? label_of(queries, 0, model.document.look.batch) : fmt::format("{}", *model.shown.problem->only_query);
  const Card card{"one query",
                  fmt::format("Only the row of query {} is computed. Pick another at the left to ask from there.",
                              ui.fonts().display_text(name)),
                  ui.theme().query.main,
                  ui.theme().sunken,
                  {"All queries"}};
  if (cards.add(ui, card).button) actions.push_back(SetParam{"only_query", ParamValue{}});
}

// Unsaved work of windows that are gone: the newest, and when that is dealt with the one before.
void draw_recoverable(Ui& ui, Cards& cards, const Model& model, Actions& actions) {
  if (model.recoverable.empty()) return;
  const Recoverable& work = model.recoverable.front();
  const std::size_t older = model.recoverable.size() - 1;
  std::string text =
      fmt::format("{} was not saved when its window ended. It is kept as it was at {}.", work.name, work.time);
  if (older > 0) text += fmt::format(" {} older {} after it.", older, older == 1 ? "one comes" : "ones come");
  const Card card{"recover", text, ui.theme().warning, ui.theme().warning_soft, {"Recover", "Discard"}};
  const auto pressed = cards.add(ui, card).button;
  if (pressed == 0) actions.push_back(Recover{0});
  if (pressed == 1) actions.push_back(DiscardRecovered{0});
}

// Numbers that somebody set by hand, with the way to do without them: which of them lie before what is shown, or that
// all are switched off.
void draw_edits(Ui& ui, Cards& cards, const Model& model, Actions& actions) {
  const auto& edits = model.document.experiment->edits;
  if (edits.empty() || !model.step()) return;
  std::vector<std::string> words;
  for (const AppliedEdit& edit : model.trace()->edits_affecting(*model.step())) words.push_back(edit.words);
  const bool off = std::ranges::none_of(edits, &Edit::on);
  if (words.empty() && !off) return;
  const Card card{"edits",
                  off ? "The edits of this experiment are switched off."
                      : fmt::format("Set by hand, at this step or before it: {}.", fmt::join(words, "; ")),
                  ui.theme().text_muted,
                  ui.theme().sunken,
                  {off ? "Switch on" : "Switch off"},
                  false,
                  Icon::edit};
  if (cards.add(ui, card).button) actions.push_back(SwitchEdits{off});
}

// What the gradients that are shown are of.
void draw_gradient(Ui& ui, Cards& cards, const Model& model, Actions& actions) {
  const Step* step = model.step();
  if (!step || forward_id(step->info.id) == step->info.id) return;
  const auto loss = loss_of(*model.trace());
  if (!loss) return;
  std::string words = loss_in_words(*loss);
  if (loss->cell) words += with_minus_signs(fmt::format(" = {:.4g}", loss->of->tensor()[*loss->cell]));
  const Card card{"gradient",
                  fmt::format("∂ is by how much {} grows for each 1 that a number here grows.", words),
                  ui.theme().text_muted,
                  ui.theme().sunken,
                  {"Show it", "Without gradients"},
                  false,
                  Icon::back};
  const auto pressed = cards.add(ui, card).button;
  if (pressed == 0) actions.push_back(ShowStep{loss->of->info.id});
  if (pressed == 1) actions.push_back(AskGradient{false});
}

// Names settings as the window does: "Positions at the left" of "positions (--positions)".
std::string window_wording(std::string words) {
  for (std::size_t at; (at = words.find(" (--")) != std::string::npos && words.find(')', at) != std::string::npos;) {
    words.replace(at, words.find(')', at) + 1 - at, " at the left");
    const auto name = words.rfind(' ', at - 1) + 1;
    words.replace(name, at - name, capitalized(words.substr(name, at - name)));
  }
  return words;
}

// What no font here can draw, of the tokens that are looked at.
std::string missing_fonts(Ui& ui, const Model& model) {
  std::vector<Script> all;
  for (const auto& [axis, labels] : model.shown.problem->labels)
    for (const Script script : ui.fonts().missing(labels)) all.push_back(script);
  return missing_fonts_note(all);
}

// What was said last: of more than a few, the older ones wait behind them. Notes of a lesson stand below its text
// (lesson_screen.cpp).
void draw_messages(Ui& ui, Cards& cards, const Model& model, Actions& actions) {
  constexpr std::size_t most = Cards::most;
  const Theme& t = ui.theme();
  std::vector<std::size_t> told;
  for (std::size_t i = 0; i < model.notices.size(); ++i)
    if (!shows_lesson(model) || model.notices[i].level != Notice::Level::note) told.push_back(i);
  const std::size_t hidden = told.size() - std::min(most, told.size());
  for (const std::size_t i : std::span(told).subspan(hidden)) {
    const Notice& notice = model.notices[i];
    Card card{fmt::format("notice/{}", i), notice.text, t.warning, t.warning_soft};
    card.dismissible = true;
    if (notice.level == Notice::Level::error) card.edge = t.error;
    if (notice.level == Notice::Level::note) {
      card.edge = t.text_muted;
      card.ground = t.sunken;
      card.icon = Icon::check;
    }
    if (cards.add(ui, card).dismissed) actions.push_back(Dismiss{i});
  }
  if (hidden == 0) return;
  const Rect line = cards.line(ui);
  const std::string words = fmt::format("{} older {} behind these", hidden, hidden == 1 ? "message" : "messages");
  ui.text_in(Type::note, line, t.text_muted, words);
  ui.log("notice/older", line, words);
}

// Of weights in which rows see no key, with the way to where the mask is taken apart.
void draw_step_warning(Ui& ui, Cards& cards, const std::string& warning, const Model& model, Actions& actions) {
  Card card{"step warning", warning, ui.theme().warning, ui.theme().warning_soft};
  const bool masks = model.step()->info.role == Role::weight && !mask_rules(model).empty();
  if (masks && has_empty_rows(*model.trace())) card.buttons.emplace_back("Why?");
  if (cards.add(ui, card).button) actions.push_back(ShowScreen{Screen::masks});
}

}  // namespace

bool draw_warning(Ui& ui, Rect& box, const std::string& path, const std::string& text, const std::string& label) {
  return draw_card(ui, box, {path, text, ui.theme().warning, ui.theme().warning_soft, {label}}).button.has_value();
}

Rect draw_view_notices(Ui& ui, Rect box, const Model& model, Actions& actions) {
  Rect inside = box.inset(ui.px(box.w < ui.px(700) ? 18 : 24), 0);
  inside.take_top(ui.px(4));
  inside.take_top(draw_notices(ui, {inside.x, inside.y + ui.px(6), inside.w, 0}, model, actions));
  inside.take_bottom(ui.px(8));
  return inside;
}

void take_notices(Ui& ui, Rect& box, float margin, const Model& model, Actions& actions) {
  if (model.notices.empty() && model.recoverable.empty() && model.error.empty()) return;
  const Rect top{box.x + ui.px(margin), box.y + ui.px(12), box.w - 2 * ui.px(margin), box.h};
  if (const float height = draw_notices(ui, top, model, actions); height > 0) box.take_top(height + ui.px(12));
}

float draw_notices(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  Cards cards(ui, box);
  const auto warn = [&](const char* path, const std::string& text) {
    cards.add(ui, {path, text, t.warning, t.warning_soft});
  };
  const bool in_lesson = shows_lesson(model);  // work that could be recovered waits until it is left
  if (!in_lesson) draw_recoverable(ui, cards, model, actions);
  if (in_lesson && !model.error.empty()) draw_error(ui, cards, model, actions);
  if (model.screen == Screen::train || model.screen == Screen::lessons) {  // which show no run, or a lesson's
    draw_messages(ui, cards, model, actions);
    return cards.finish(ui) - box.y;
  }
  const bool in_the_middle = model.shows_network() && !model.net.run;  // which says it there
  if (!model.error.empty() && !in_the_middle) draw_error(ui, cards, model, actions);
  const char* cancelled =
      model.trace() ? "Cancelled. The picture is of the last run that finished, not of what is set at the left."
                    : "Cancelled before the first picture.";
  if (model.cancelled && cards.add(ui, {"cancelled", cancelled, t.warning, t.warning_soft, {"Run again"}}).button)
    actions.push_back(Run{});
  draw_messages(ui, cards, model, actions);
  if (!model.trace()) return cards.finish(ui) - box.y;
  draw_one_query(ui, cards, model, actions);
  if (const std::string note = missing_fonts(ui, model); !note.empty()) warn("fonts", note);
  for (const auto& warning : model.trace()->warnings) warn("warning", window_wording(warning));
  if (const auto& notes = model.trace()->notes; !notes.empty()) {
    Card card{"notes", fmt::format("{}.", fmt::join(notes, ". ")), t.text_muted, t.sunken};
    card.icon = Icon::check;
    cards.add(ui, card);
  }
  const bool apart = model.screen == Screen::masks;  // which says the same where it takes the mask apart
  if (const Step* step = apart ? nullptr : model.step())
    for (const auto& warning : step->warnings) draw_step_warning(ui, cards, warning, model, actions);
  if (!apart) draw_edits(ui, cards, model, actions);
  if (!apart) draw_gradient(ui, cards, model, actions);
  if (const auto origin = model.trace()->origin_of_non_finite())
    cards.add(ui, {"non-finite", origin_in_words(*model.trace(), *origin) + ".", t.error, t.warning_soft});
  return cards.finish(ui) - box.y;
}

}  // namespace headlight::app
