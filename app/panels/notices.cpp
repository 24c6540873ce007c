#include <algorithm>
#include <cmath>

#include "app/panels/panels.h"

namespace headlight::app {

namespace {

struct Card {
  std::string path;
  std::string text;
  Color32 edge, ground;
  std::string button;  // its words, or empty
  bool dismissible = false;
};

enum class Pressed { none, button, dismiss };

// Draws the card at the top of the box and moves the box's top below it.
Pressed draw_card(Ui& ui, Rect& box, const Card& card) {
  const Theme& t = ui.theme();
  const float button_width = card.button.empty() ? 0 : ui.width_of(Type::control, card.button) + ui.px(32);
  const float width = box.w - ui.px(72) - button_width;
  const float height =
      std::max(paragraph(ui, {}, width, t.text, card.text, false, Type::label), ui.px(button_width > 0 ? 26 : 0)) +
      ui.px(16);
  const Rect place{box.x, box.y, box.w, height};
  ui.fill(place, card.ground, ui.px(6));
  ui.fill({place.x, place.y, ui.px(3), place.h}, card.edge, ui.px(1.5F));
  draw_icon(ui, Icon::warning, {place.x + ui.px(20), place.y + ui.px(17)}, card.edge);
  paragraph(ui, {place.x + ui.px(36), place.y + ui.px(8)}, width, t.text, card.text, true, Type::label);
  ui.log(card.path, place, card.text);
  box.take_top(std::min(box.h, height + ui.px(8)));
  box.y = place.bottom() + ui.px(8);
  if (!card.button.empty() &&
      button(ui, card.path + "/button",
             {place.right() - button_width - ui.px(8), place.middle().y - ui.px(16), button_width, ui.px(32)},
             card.button))
    return Pressed::button;
  if (card.dismissible &&
      icon_button(ui, card.path + "/dismiss", {place.right() - ui.px(32), place.y + ui.px(3), ui.px(28), ui.px(28)},
                  Icon::close, "Dismiss"))
    return Pressed::dismiss;
  return Pressed::none;
}

std::string non_finite_text(const Trace& trace, const Origin& origin) {
  const auto index = index_at_flat(trace.find(origin.step)->tensor().shape(), origin.cell);
  return fmt::format("{} is {} at [{}], where it begins; it is carried through every step after.", origin.step,
                     std::isnan(origin.value) ? "NaN"
                     : origin.value < 0       ? "−∞"
                                              : "+∞",
                     fmt::join(index, ", "));
}

}  // namespace

float draw_notices(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  const float top = box.y;
  const auto warn = [&](const char* path, const std::string& text) {
    draw_card(ui, box, {path, text, t.warning, t.warning_soft, "", false});
  };
  if (!model.error.empty()) draw_card(ui, box, {"error", model.error, t.error, t.warning_soft, "", false});
  if (model.cancelled &&
      draw_card(
          ui, box,
          {"cancelled", "Cancelled. The picture is of the last run that finished, not of what is set at the left.",
           t.warning, t.warning_soft, "Run again", false}) == Pressed::button)
    actions.push_back(Run{});
  for (std::size_t i = 0; i < std::min<std::size_t>(3, model.notices.size()); ++i) {
    const Notice& notice = model.notices[i];
    const Color32 edge = notice.level == Notice::Level::error     ? t.error
                         : notice.level == Notice::Level::warning ? t.warning
                                                                  : t.text_muted;
    const Color32 ground = notice.level == Notice::Level::note ? t.sunken : t.warning_soft;
    if (draw_card(ui, box, {fmt::format("notice/{}", i), notice.text, edge, ground, "", true}) == Pressed::dismiss)
      actions.push_back(Dismiss{i});
  }
  if (!model.trace()) return box.y - top;
  for (const auto& warning : model.trace()->warnings) warn("warning", warning);
  if (const Step* step = model.step())
    for (const auto& warning : step->warnings) warn("step warning", warning);
  if (const auto origin = model.trace()->origin_of_non_finite())
    draw_card(ui, box, {"non-finite", non_finite_text(*model.trace(), *origin), t.error, t.warning_soft, "", false});
  return box.y - top;
}

}  // namespace headlight::app
