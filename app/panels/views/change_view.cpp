#include "app/panels/views/parts.h"

#include "app/panels/common/map_parts.h"

namespace headlight::app {

bool shows_change(const Model& model) {
  return model.comparison.change_shown && model.comparison.before.experiment && model.screen == Screen::explore;
}

namespace {

ContrastMemory& change_memory(PanelMemory& memory) {
  return memory.get<ChangeMemory>().contrast;
}

std::string change_in_words(const Model& model, const SideBySide& both, PanelMemory& memory, const Difference& d) {
  const Outcome& before = model.comparison.before.outcome;
  const std::optional<double> output = change_memory(memory).numbers(model, before).output;
  std::string words = "no change here";
  if (d.greatest != 0)
    words = is_rounding(d.greatest, *both.step_b) ? "no change beyond rounding"
                                                  : fmt::format("largest {}", change_text(d.greatest_cell()));
  const ContrastMaps& maps = change_memory(memory).maps(model, both, Contrast::difference);
  const Index most = maps.heads.empty() ? 0 : maps.most_changed();  // the one that Compare names
  if (maps.heads.size() > 1 && maps.of_head(most)->total > d.total && !maps.rounding) {
    words += fmt::format(", most in head {}: {}", most, change_text(maps.of_head(most)->greatest_cell()));
  }
  if (output) words += fmt::format(", output changed by {:.1f} %", *output * 100);
  if (d.masked_in_a + d.masked_in_b > 0)
    words += fmt::format(", {} cells masked in one alone", d.masked_in_a + d.masked_in_b);
  return words;
}

}  // namespace

Change change_of(const Model& model, PanelMemory& memory) {
  Change change;
  const HeldRun& before = model.comparison.before;
  if (!shows_change(model)) return change;
  if (!before.outcome.trace) {
    change.words = before.outcome.error.empty() ? "the result before is being made again …"
                                                : "the result before cannot be run: " + before.outcome.error;
    return change;
  }
  SideBySide both = change_memory(memory).side_by_side(model, before.outcome);
  change.words = both.why_not.empty() ? change_memory(memory).maps(model, both, Contrast::difference).why_not
                                      : "there was no such step before";
  if (!change.words.empty()) return change;
  change.of_head = change_memory(memory).maps(model, both, Contrast::difference).of_head(model.document.look.head);
  change.words = change.of_head ? change_in_words(model, both, memory, *change.of_head)
                                : fmt::format("this is head {}, and before there were {} here",
                                              model.document.look.head, heads_served(*both.step_a));
  if (change.of_head) change.both = std::move(both);
  return change;
}

void set_change_map(Ui& ui, const Model& model, PanelMemory& memory, const Change& change, HeatmapData& data) {
  const Difference& d = *change.of_head;
  data.map = *change_memory(memory).map(ui, model, *change.both, Contrast::difference, model.document.look.head);
  keep_partners(data, d);
  if (data.pointed) {
    const auto row = d.rows.place_of_b(data.pointed->row), column = d.columns.place_of_b(data.pointed->column);
    data.pointed = row && column ? std::optional(CellAt{*row, *column}) : std::nullopt;
  }
  data.text = [map = data.map](Index i, Index j) {
    return contrast_text(map.cells.at(i, j), map.range, Contrast::difference);
  };
}

CellAt to_result_cell(const Change& change, CellAt at) {
  if (!change.of_head) return at;
  return {change.of_head->rows.b[static_cast<std::size_t>(at.row)],
          change.of_head->columns.b[static_cast<std::size_t>(at.column)]};
}

constexpr const char* ask_what_changed = "What changed?";

float change_button_width(const Ui& ui, const Model& model) {
  if (model.shows_older() || !why_not(command_named("show-change"), model).empty()) return 0;
  return ui.width_of(Type::control, ask_what_changed) + ui.px(24);
}

void draw_change_button(Ui& ui, Rect room, const Model& model, Actions& actions) {
  const float width = change_button_width(ui, model);
  if (width == 0 || room.w < width) return;
  const Rect place = room.take_left(width - ui.px(8)).inset(0, (room.h - ui.px(32)) / 2);
  draw_command(ui, "change/show", place, "show-change", ask_what_changed, model, actions, ButtonLook::ghost);
}

void draw_change_line(Ui& ui, Rect line, const Change& change, Actions& actions) {
  line.h -= ui.px(4);
  const Theme& t = ui.theme();
  ui.fill(line, t.brand_soft, ui.px(6));
  ui.hit("change", line, false, change.words);
  Rect inside = line.inset(ui.px(10), 0);
  const std::string back = fmt::format("Back ({})", chord_of("hide-change"));
  const Rect place = inside.take_right(ui.width_of(Type::control, back) + ui.px(28)).inset(0, ui.px(1));
  if (button(ui, "change/back", place, back, ButtonLook::ghost)) actions.push_back(ShowChange{false});
  const std::string title = "What changed";
  ui.tooltip("change", line, change.words);
  // Its title gives way to what it says.
  if (ui.width_of(Type::label_strong, title) + ui.px(10) + ui.width_of(Type::label, change.words) < inside.w)
    words_at_left(ui, Type::label_strong, inside, t.text, title, 10);
  ui.text_in(Type::label, inside, t.text, ui.fitted(Type::label, change.words, inside.w));
}

void draw_change_bar(Ui& ui, Rect box, const HeatmapData& data, const HeatmapResult& drawn) {
  const float y = drawn.map.bottom() + ui.px(12);
  if (box.bottom() - y < ui.px(30)) return;
  color_bar(ui, {drawn.map.x, y, std::max(drawn.map.w, box.right() - drawn.map.x), ui.px(40)},
            map_scale(data.map, "change bar", "minus the result before, one scale for all heads"));
}

}  // namespace headlight::app
