// Which cell the inspector tells of, as chips.
#include <algorithm>

#include "app/panels/inspector/parts.h"
#include "app/reading/key_place.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

constexpr float chip_radius = 6;

// A place on a picture in a frame of its role: it has no number but its own coordinates.
void draw_place(Ui& ui, Rect box, const RoleColors& role, std::string_view words) {
  ui.fill(box, role.soft, ui.px(chip_radius));
  ui.frame(box, role.main, ui.px(chip_radius), ui.px(2));
  ui.text_in(Type::control, box.inset(ui.px(9), 0), ui.theme().text, words);
}

// Where a cell lies along one axis, as a chip with what stands before it.
struct Who {
  const Axis& axis;
  Index index;
  std::string before;        // "asks", "·"
  std::string words;         // of a place
  std::optional<Chip> chip;  // else a place
  float lead = 0;            // px before the chip
  float width = 0;
};

ChipRole chip_role(Role role) {
  return role == Role::query ? ChipRole::query : role == Role::key ? ChipRole::key : ChipRole::none;
}

Who who_along(Ui& ui, const Trace& trace, const Step& step, Index cell, std::size_t axis, float room) {
  const Index index = index_at_flat(step.tensor().shape(), cell)[axis];
  Who who{step.info.axes[axis], index, {}, {}, {}};
  if (who.axis.role != Role::none) who.lead = ui.px(badge_size + 6);
  const ChipRole role = chip_role(who.axis.role);
  const bool numbered = !who.axis.labels.empty() && labels_are_numbers(who.axis);
  if ((who.axis.grid || numbered) && role != ChipRole::none) {
    const KeyPlace place = key_place(trace, step, index, query_of(step, cell));
    const auto width_of = [&](const std::string& words) { return ui.width_of(Type::control, words) + 2 * ui.px(9); };
    who.words = role == ChipRole::key ? place.in_full() : query_text(step, cell);
    if (role == ChipRole::key && who.lead + width_of(who.words) > room)
      who.words = place.at + (place.outside ? " · outside" : "");
    who.width = width_of(who.words);
  } else {
    const bool named = !who.axis.labels.empty() || who.axis.grid;
    who.chip = Chip{named ? ui.fonts().display_text(label_of(&who.axis, index)) : who.axis.name, role};
    who.width = chip_width(ui, static_cast<std::size_t>(index), *who.chip);
    // Words may be of any length.
    if (named && !who.axis.grid && !numbered) who.width = std::min(who.width, room * 0.4F);
  }
  who.width = std::min(who.width, room - who.lead);
  return who;
}

void draw_one(Ui& ui, Rect& line, const Who& who) {
  if (!who.before.empty())
    ui.text_in(Type::label, line.take_left(ui.width_of(Type::label, who.before) + ui.px(8)), ui.theme().text_muted,
               who.before);
  if (who.lead > 0) badge(ui, {line.take_left(who.lead).x, line.middle().y - ui.px(badge_size) / 2}, who.axis.role);
  const Rect box = line.take_left(who.width);
  const std::string path = fmt::format("trace/who/{}", who.axis.symbol);
  if (who.chip) {
    draw_chip(ui, box, static_cast<std::size_t>(who.index), *who.chip, false);
    ui.log(path, box, fmt::format("{} {}", who.index, who.chip->text));
  } else {
    draw_place(ui, box, role_colors(ui.theme(), who.axis.role), who.words);
    ui.log(path, box, who.words);
  }
  line.take_left(ui.px(8));
}

}  // namespace

void draw_who(Form& form, const Trace& trace, const Step& step, Index cell, Index head) {
  Ui& ui = form.ui;
  Rect line = form.line(28);
  const float room = line.w;
  bool first = true, asked = false;
  for (std::size_t i = 0; i < step.info.axes.size(); ++i) {
    const Axis& axis = step.info.axes[i];
    const AxisRole along = role_along(axis);
    if (along == AxisRole::batch || along == AxisRole::head || along == AxisRole::one) continue;
    Who who = who_along(ui, trace, step, cell, i, room);
    if (!first) who.before = asked && axis.role == Role::key ? "asks" : "·";
    const float before = first ? 0 : ui.width_of(Type::label, who.before) + ui.px(8);
    if (!first && before + who.lead + who.width > line.w) {
      form.y += ui.px(6);
      line = form.line(28);
      who.before.clear();
    }
    draw_one(ui, line, who);
    first = false;
    asked = axis.role == Role::query;
  }
  const std::string head_text = counted_head(trace, step, head);
  if (has_heads(step) && heads_of(step) > 1 && ui.width_of(Type::note, head_text) <= line.w)
    ui.text_in(Type::note, line, ui.theme().text_muted, head_text, Ui::Align::right);
  form.y += ui.px(6);
}

}  // namespace headlight::app
