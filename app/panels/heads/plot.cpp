#include <imgui.h>

#include <cmath>

#include "app/panels/heads/parts.h"
#include "app/widgets/formula_view.h"

namespace headlight::app {

namespace {

constexpr Index most_numbers = 40;  // heads whose marks have their numbers

std::vector<std::string> titles() {
  std::vector<std::string> list;
  for (const MeasureRow& row : measure_rows()) list.emplace_back(row.title);
  return list;
}

Measure measure_at(int index) {
  return all_measures()[static_cast<std::size_t>(index)];
}

struct Plane {
  Rect box;
  double most_x, most_y;
  Point at(double x, double y) const {
    return {box.x + box.w * static_cast<float>(std::clamp(x / most_x, 0.0, 1.0)),
            box.bottom() - box.h * static_cast<float>(std::clamp(y / most_y, 0.0, 1.0))};
  }
};

// What an axis reaches: what bounds the measure, or little more than there is where that is far less.
double reach_of(const HeadMeasures& measures, Measure measure) {
  double greatest = 0;
  for (const double value : measures[measure].values)
    if (std::isfinite(value)) greatest = std::max(greatest, std::abs(value));
  const double most = most_of(measures, measure);
  return greatest > 0 ? std::min(most, greatest * 1.08) : most;
}

void draw_ticks(Ui& ui, const Plane& plane) {
  const Theme& t = ui.theme();
  ui.frame(plane.box, t.line);
  for (const double part : {0.0, 0.5, 1.0}) {
    const Point p = plane.at(plane.most_x * part, plane.most_y * part);
    ui.line({plane.box.x, p.y}, {plane.box.right(), p.y}, t.line);
    ui.line({p.x, plane.box.y}, {p.x, plane.box.bottom()}, t.line);
    ui.text_in(Type::number_small, {plane.box.x - ui.px(46), p.y - ui.px(8), ui.px(42), ui.px(16)}, t.text_faint,
               fmt::format("{:.2g}", plane.most_y * part), Ui::Align::right);
    if (part == 0) continue;  // said once
    ui.text_in(Type::number_small, {p.x - ui.px(24), plane.box.bottom() + ui.px(2), ui.px(48), ui.px(14)}, t.text_faint,
               fmt::format("{:.2g}", plane.most_x * part), Ui::Align::center);
  }
}

struct Mark {
  Index head = 0;
  Point at;
  Point measured = at;  // where its two numbers are
};

void draw_mark(Ui& ui, Mark mark, bool current, bool pointed, bool found, bool numbers) {
  const Theme& t = ui.theme();
  const Point at = mark.at;
  float r = ui.px(numbers ? 9 : 4);
  Color32 edge = found ? t.weight.main : t.text_faint, ground = pointed ? t.weight.soft : t.canvas;
  if (current) {
    if (!numbers) r = ui.px(6);
    edge = t.ink;
    ground = t.brand;
  }
  ui.list().AddCircleFilled({at.x, at.y}, r, ground, 24);
  ui.list().AddCircle({at.x, at.y}, r, edge, 24, ui.px(found || current ? 1.5F : 1));
  const Rect place{at.x - r, at.y - r, 2 * r, 2 * r};
  if (numbers)
    ui.text_in(Type::number_small, place, current ? hex(0x17181C) : t.text, fmt::format("{}", mark.head),
               Ui::Align::center);
}

// From a mark that was moved to the dot where it belongs.
void draw_lead(Ui& ui, const Mark& mark) {
  const auto [from, to] = std::pair{mark.measured, mark.at};
  if (from.x == to.x && from.y == to.y) return;
  ui.log(fmt::format("report/lead/{}", mark.head), {from.x, from.y, 0, 0}, "");
  ui.line(from, to, ui.theme().text_faint);
  ui.list().AddCircleFilled({from.x, from.y}, ui.px(2.5F), ui.theme().text_muted, 12);
}

// Marks that would cover each other stand in a ring round the first of them, inside the box, wide enough that each is
// read.
void fan_out(std::vector<Mark>& marks, float radius, Rect box) {
  const std::vector<Mark> from = marks;
  std::vector<bool> placed(marks.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (placed[i]) continue;
    std::vector<std::size_t> together;
    for (std::size_t j = i; j < from.size(); ++j)
      if (!placed[j] && std::hypot(from[j].at.x - from[i].at.x, from[j].at.y - from[i].at.y) < radius)
        together.push_back(j);
    const auto count = static_cast<float>(together.size());
    const float ring = count > 1 ? radius * std::max(1.6F, 0.4F * count) : 0;
    const Rect room = box.inset(std::min(ring, std::min(box.w, box.h) / 2));
    const Point middle{std::clamp(from[i].at.x, room.x, room.right()), std::clamp(from[i].at.y, room.y, room.bottom())};
    for (std::size_t k = 0; k < together.size(); ++k) {
      placed[together[k]] = true;
      if (count < 2) continue;
      const float turn = 6.2831853F * static_cast<float>(k) / count;
      marks[together[k]].at = {middle.x - ring * std::cos(turn), middle.y - ring * std::sin(turn)};
    }
  }
}

// The mark nearest to the pointer; −1 where none is near.
std::ptrdiff_t nearest(const Ui& ui, const std::vector<Mark>& marks) {
  std::ptrdiff_t best = -1;
  float least = ui.px(14);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const float far = std::hypot(marks[i].at.x - ui.mouse().x, marks[i].at.y - ui.mouse().y);
    if (far >= least) continue;
    least = far;
    best = static_cast<std::ptrdiff_t>(i);
  }
  return best;
}

// One of the two measures, chosen from a list.
void draw_choice(Ui& ui, Rect place, const char* which, bool across, const Model& model, Actions& actions) {
  const HeadTable& table = model.head_table;
  const Measure now = across ? *table.across : *table.up;
  const int chosen =
      drop_down(ui, fmt::format("report/plot/{}", which), place, titles(), static_cast<int>(now.place()));
  if (chosen < 0) return;
  actions.push_back(across ? PlotHeads{measure_at(chosen), table.up} : PlotHeads{table.across, measure_at(chosen)});
}

// "Most like head 5: 0.021 nats apart, of at most 0.693 (ln 2)."
std::string most_alike(const Model& model, Index head) {
  const auto& all = model.head_report.distances;
  const auto item = static_cast<std::size_t>(item_looked_at(model).item);
  if (item >= all.size() || !all[item] || head >= all[item]->heads) return {};
  const auto nearest = all[item]->nearest(head);
  if (!nearest) return {};
  return fmt::format("Most like head {}: their rows are {} nats apart, of at most {} (ln 2).", *nearest,
                     measure_text(all[item]->between(head, *nearest)), measure_text(std::log(2.0)));
}

}  // namespace

void draw_head_plot(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const HeadMeasures& measures = *model.head_report.measures;
  const Measure across = *model.head_table.across, up = *model.head_table.up;
  Rect choices = box.take_top(ui.px(32));
  draw_choice(ui, choices.take_left((choices.w - ui.px(52)) / 2), "up", false, model, actions);
  ui.text_in(Type::note, choices.take_left(ui.px(52)), ui.theme().text_faint, "against", Ui::Align::center);
  draw_choice(ui, choices, "across", true, model, actions);
  Rect inside = box;
  inside.take_top(ui.px(14));
  inside.take_bottom(ui.px(20));
  inside.take_left(ui.px(48));
  inside.take_right(ui.px(14));
  for (const Measure measure : {across, up})
    if (const Missing missing = measures[measure].missing; missing != Missing::nothing) {
      paragraph(ui, {inside.x, inside.y + ui.px(10)}, inside.w, ui.theme().text_muted,
                fmt::format("{}: {}.", row_of(measure).title, missing_in_words(missing)), true, Type::note);
      return;
    }
  const Plane plane{inside, reach_of(measures, across), reach_of(measures, up)};
  draw_ticks(ui, plane);
  const auto& found = memory.get<HeadRows>().found;
  const auto is_found = [&](Index head) { return found && std::ranges::count(found->heads, head) > 0; };
  std::vector<Mark> marks;
  const auto add = [&](Index head) {
    const auto at = static_cast<std::size_t>(head);
    const double x = measures[across].values[at], y = measures[up].values[at];
    if (std::isfinite(x) && std::isfinite(y)) marks.push_back({.head = head, .at = plane.at(std::abs(x), std::abs(y))});
  };
  const Index current = std::min(model.document.look.head, measures.heads - 1);
  for (Index head = 0; head < measures.heads; ++head)
    if (head != current) add(head);
  add(current);  // over the others
  const bool numbers = measures.heads <= most_numbers;
  fan_out(marks, ui.px(numbers ? 9 : 4), plane.box);
  if (numbers)
    for (const auto& [head, at, measured] : marks)
      ui.log(fmt::format("report/plot/{}", head), {at.x, at.y, 0, 0}, fmt::format("{:.0f} {:.0f}", at.x, at.y));
  const auto hit = ui.hit("report/plot", plane.box, false);
  const std::ptrdiff_t pointed = hit.hovered ? nearest(ui, marks) : -1;
  for (const Mark& mark : marks) draw_lead(ui, mark);
  for (std::size_t i = 0; i < marks.size(); ++i)
    draw_mark(ui, marks[i], marks[i].head == current, static_cast<std::ptrdiff_t>(i) == pointed,
              is_found(marks[i].head), numbers);
  if (hit.clicked && pointed >= 0) actions.push_back(SetHead{marks[static_cast<std::size_t>(pointed)].head});
}

float draw_measure_card(Ui& ui, Rect box, const Model& model, const HeadRows& rows, Actions& actions) {
  const Theme& t = ui.theme();
  const HeadMeasures& measures = *model.head_report.measures;
  const Measure measure = chosen_measure(model, rows);
  const MeasureRow& words = row_of(measure);
  float y = box.y;
  const Index head = std::min(model.document.look.head, measures.heads - 1);
  const std::string value = value_in_words(measures, measure, head);
  const Rect list{box.x, y, std::min(ui.px(170), box.w), ui.px(32)};
  const int chosen = drop_down(ui, "report/by", list, titles(), static_cast<int>(measure.place()));
  if (chosen >= 0) actions.push_back(SortHeads{measure_at(chosen), false});
  y += ui.px(40);
  const FormulaSize size = formula_size(ui, words.formula, 17, box.w);
  if (y + size.height <= box.bottom()) {
    formula_view(
        ui, "report/formula", {box.x, y, std::min(box.w, size.width + ui.px(4)), size.height}, words.formula, 17,
        [](const std::string&) { return Role::none; }, "");
    y += size.height + ui.px(10);
  }
  const auto say = [&](const std::string& text, Color32 color) {
    const float height = paragraph(ui, {box.x, y}, box.w, color, text, false, Type::note);
    if (y + height > box.bottom()) return;
    paragraph(ui, {box.x, y}, box.w, color, text, true, Type::note);
    y += height + ui.px(4);
  };
  const std::string item = item_in_words(model);
  say(fmt::format("Head {}{}{}: {}.", head, item.empty() ? "" : ", ", item, value), t.text);
  if (const std::string alike = most_alike(model, head); !alike.empty()) {
    ui.log("report/alike", box, alike);
    say(alike, t.text);
  }
  say(words.says, t.text_muted);
  say(words.source, t.text_faint);
  say(measures_caution, t.text_muted);
  return y - box.y;
}

}  // namespace headlight::app
