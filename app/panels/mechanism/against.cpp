// The switch "against plain": the same run with plain choices beside this one, and what each comes to in numbers.
#include <fmt/ranges.h>

#include <cctype>
#include <cmath>
#include <numeric>

#include "app/model/mechanism_report.h"
#include "app/panels/mechanism/parts.h"
#include "app/reading/costs.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// "Rotary half, Soft cap 5": what is not plain, and what of it the plain run keeps.
std::string choices_in_words(const Model& model) {
  std::vector<std::string> words;
  const Variant& variant = *model.shown.problem->variant;
  if (model.mechanism->plain.experiment->variant != variant.info().id) return variant.info().title + " − plain";
  const ParamValues plain = model.mechanism->plain.experiment->params, &now = model.shown.experiment->params;
  for (const ParamSpec& spec : variant.params()) {
    if (now.get(spec.id) == plain.get(spec.id) || !is_active(variant.params(), spec, now)) continue;
    const auto named =
        std::ranges::find_if(spec.choices, [&](const Choice& c) { return now.get(spec.id) == ParamValue(c.id); });
    words.push_back(named == spec.choices.end() ? fmt::format("{} {}", spec.title, to_string(now.get(spec.id)))
                                                : fmt::format("{} {}", spec.title, named->title));
  }
  return fmt::format("{} − plain", fmt::join(words, ", "));
}

// One number of both runs.
struct AgainstLine {
  std::string name;
  std::string plain, here;  // the former may be empty
  Color32 color = 0;
  std::string id;
  std::string help = {};  // beside the line, while the pointer rests on it
};

// What a longer input would meet.
void add_past(std::vector<AgainstLine>& lines, const HeadFigures& here, const PastLength& past) {
  if (past.rotary_pairs > 0)
    lines.push_back({"under a full turn", "", fmt::format("{} of {} pairs", past.not_round, past.rotary_pairs), 0,
                     "past/rotary",
                     fmt::format("Pairs of channels that do not come round a full circle within the {} places here: "
                                 "a longer text turns them to angles that none of these has.",
                                 past.length)});
  if (here.ramp)
    lines.push_back({fmt::format("added {} places away", 2 * past.length), "", fmt::format("{:.3g}", *here.ramp), 0,
                     "past/ramp",
                     fmt::format("What the head adds to the score of a key twice as far as the {} places here go: the "
                                 "ramp has no end.",
                                 past.length)});
  if (past.pairs > 0)
    lines.push_back({"in the last entry", "", fmt::format("{} of {}", past.past_table, past.pairs), 0, "past/table",
                     "Pairs of a query and a key that share the last entry of the table, as all that lie farther do: "
                     "beyond it distances are not told apart."});
  if (past.codes == PastLength::Codes::learned)
    lines.push_back({fmt::format("place {}", past.length), "", "no vector", 0, "past/codes",
                     "Learned positions have a vector for each place up to here, and none for the next."});
  if (past.codes == PastLength::Codes::sinusoidal)
    lines.push_back({fmt::format("place {}", past.length), "", "a code never seen", 0, "past/codes",
                     "Sinusoids have a code for every place, and those past the longest text were never met."});
}

std::string rounded_change(double change) {
  return change < 1e-5 ? fmt::format("{:.6f}", change) : fmt::format("{:.4f}", change);
}

// The keys of the pinned row that changed most, two of them.
std::vector<AgainstLine> row_lines(const MechanismFrame& frame, const Trace& plain) {
  std::vector<AgainstLine> lines;
  const Step* other = plain.map();
  if (!other || other->tensor().shape() != frame.trace.map()->tensor().shape()) return lines;
  const auto here = frame.row(*frame.trace.map()), there = frame.row(*other);
  const Axis& axis = *frame.map.axis(AxisRole::key);
  std::vector<std::size_t> keys(static_cast<std::size_t>(axis.size));
  std::iota(keys.begin(), keys.end(), 0);
  std::ranges::stable_sort(keys, {}, [&](std::size_t j) { return -std::abs(here[j] - there[j]); });
  keys.resize(std::min<std::size_t>(keys.size(), 2));
  const auto key = static_cast<std::size_t>(frame.of.key);
  if (std::ranges::count(keys, key) == 0) keys.back() = key;
  for (const std::size_t j : keys)
    lines.push_back(
        {fmt::format("{} {}", frame.ui.fonts().display_text(label_of(&axis, static_cast<Index>(j), frame.of.batch)), j),
         fmt::format("{:.2f}", there[j]), fmt::format("{:.2f}", here[j]), 0, fmt::format("row/{}", j)});
  return lines;
}

std::vector<AgainstLine> figure_lines(const MechanismFrame& frame) {
  const MechanismReport& report = *frame.model.mechanism;
  std::vector<AgainstLine> lines;
  const MechanismFigures* f = report.figures.get();
  if (!f || f->heads.empty()) return lines;
  const MechanismFigures* p = report.plain_figures.get();
  const auto head_of = [&](const MechanismFigures& all) -> const HeadFigures& {
    return all
        .heads[static_cast<std::size_t>(std::min<Index>(frame.of.head, static_cast<Index>(all.heads.size()) - 1))];
  };
  const HeadFigures& here = head_of(*f);
  const auto of_plain = [&](const auto& text_of) {
    return p && !p->heads.empty() ? text_of(head_of(*p)) : std::string();
  };
  const auto largest = [](const HeadFigures& of) { return fmt::format("{:.4f}", of.largest); };
  lines.push_back({"largest weight", of_plain(largest), largest(here), 0, "largest"});
  if (f->all_pairs) {
    const auto text = [](Index pairs) {
      return pairs < 100000 ? fmt::format("{}", pairs) : count_text(static_cast<double>(pairs));
    };
    const Index before = p && p->all_pairs ? head_of(*p).pairs : *f->all_pairs;
    if (here.pairs < before)
      lines.push_back({"pairs scored", text(before), text(here.pairs), 0, "pairs",
                       "Pairs of a query and a key that this head looks at, of one batch item: what a program has to "
                       "compute, and what its time grows with."});
  }
  const auto rank = [](const HeadFigures& of) { return of.rank ? fmt::format("{}", *of.rank) : std::string(); };
  if (here.rank)
    lines.push_back({"rank of the map", of_plain(rank), rank(here), 0, "rank"});
  else
    lines.push_back({"rank of the map", "", fmt::format("up to {} rows", most_rows_ranked), 0, "rank",
                     fmt::format("It is found for maps of up to {} queries and keys: the time that it takes grows with "
                                 "the cube.",
                                 most_rows_ranked)});
  if (f->state) {
    const auto each = p ? p->kept : std::nullopt;
    lines.push_back(
        {each ? "cached in all" : "cached, however long",
         each ? fmt::format("{}", *each * frame.map.extent(AxisRole::key)) : "", fmt::format("{}", *f->state), 0,
         "state",
         each ? fmt::format("Numbers that the state has, for the {} of the keys and values of these {} tokens: "
                            "{} more with each token that follows, and the state none.",
                            *each * frame.map.extent(AxisRole::key), frame.map.extent(AxisRole::key), *each)
              : ""});
  } else if (f->kept)
    lines.push_back({"numbers cached per token", *f->kept == *f->kept_each ? "" : fmt::format("{}", *f->kept_each),
                     fmt::format("{}", *f->kept), 0, "kept"});
  const std::string shift = fmt::format("change if all move by {}", places_moved);
  if (here.shift)
    lines.push_back({shift, "", rounded_change(*here.shift), *here.shift < 1e-5 ? frame.theme().ok : 0, "shift"});
  else if (!f->reads_places)
    lines.push_back({shift, "", "none: no places are read", 0, "shift"});
  if (const auto head = static_cast<std::size_t>(frame.of.head); head < report.sinusoidal_shifts.size())
    lines.push_back({"sinusoidal instead", "", rounded_change(report.sinusoidal_shifts[head]), 0, "shift/sinusoidal",
                     fmt::format("The largest change of a weight when all tokens move by {}, with sinusoids added to "
                                 "the tokens in place of this and the same weights.",
                                 places_moved)});
  if (f->past) add_past(lines, here, *f->past);
  return lines;
}

void draw_line(Ui& ui, Rect row, const AgainstLine& line) {
  const Theme& t = ui.theme();
  const std::string path = "mechanism/number/" + line.id;
  ui.hit(path, row, false, line.plain.empty() ? line.here : line.plain + " → " + line.here);
  ui.tooltip(path, row, line.help);
  const float number =
      line.plain.empty() ? std::min(row.w, ui.width_of(Type::number, line.here) + ui.px(4)) : ui.px(52);
  ui.text_in(Type::number, row.take_right(number), line.color != 0 ? line.color : t.text, line.here, Ui::Align::right);
  if (!line.plain.empty()) {
    ui.text_in(Type::note, row.take_right(ui.px(18)), t.text_faint, "→", Ui::Align::center);
    ui.text_in(Type::number, row.take_right(number), t.text_muted, line.plain, Ui::Align::right);
  }
  ui.text_in(Type::label, row, t.text_muted, line.name);
}

void draw_numbers(const MechanismFrame& frame, Rect box) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const Trace* plain = frame.model.mechanism->plain.trace.get();
  const auto heading = [&](const std::string& words, const char* note) {
    Rect line = box.take_top(ui.px(20));
    ui.text_in(Type::note, line.take_right(std::min(line.w * 0.5F, ui.width_of(Type::note, note))), t.text_faint, note,
               Ui::Align::right);
    ui.text_in(Type::heading, line, t.text_muted, words);
  };
  // The figures come first; of the row what is left room for.
  constexpr float each = 21, head = 20, gap = 6;
  const auto figures = figure_lines(frame);
  auto row = plain ? row_lines(frame, *plain) : std::vector<AgainstLine>();
  const auto figures_shown = static_cast<float>(std::max<std::size_t>(figures.size(), 4));
  const float room = (box.h - ui.px(2 * head + gap + figures_shown * each)) / ui.px(each);
  row.resize(std::min(row.size(), static_cast<std::size_t>(std::max(0.0F, room))));
  if (!row.empty()) {
    heading(fmt::format("Row of “{}”", frame.query), "plain → here");
    for (const AgainstLine& line : row) draw_line(ui, box.take_top(ui.px(each)), line);
    box.take_top(ui.px(gap));
  }
  heading(capitalized(counted_head(frame.trace, *frame.trace.map(), frame.of.head)), "");
  if (figures.empty()) ui.text_in(Type::note, box.take_top(ui.px(18)), t.text_faint, "being measured …");
  const float tall = ui.px(each) * static_cast<float>(figures.size());
  scroll_area(ui, "mechanism/numbers", box, [&](Rect area) {
    if (tall > box.h) area.w -= ui.px(12);  // the scroll bar stands beside them
    for (const AgainstLine& line : figures) draw_line(ui, area.take_top(ui.px(each)), line);
    return tall;
  });
}

// What this run's map is more or less than the plain one's, with the plain one before it where there is room. Returns
// the width that it takes.
float draw_maps(const MechanismFrame& frame, Rect box) {
  Ui& ui = frame.ui;
  const auto say = [&](std::string_view words) {
    paragraph(ui, {box.x, box.y}, box.w, ui.theme().text_muted, words, true, Type::note);
    return box.w;
  };
  const Outcome& plain = frame.model.mechanism->plain;
  const Step* other = plain.trace ? plain.trace->map() : nullptr;
  if (!other && plain.error.empty()) return say("The same with plain choices is being run …");
  if (!other) return say(fmt::format("With plain choices it cannot be run: {}", plain.error));
  const float left = box.x;
  const Step& map = *frame.trace.map();
  SideBySide both;
  both.a = &plain;
  both.step_a = other;
  both.step_b = &map;
  both.focus_b = effective_focus(frame.model);
  both.focus_b.flat = true;
  both.focus_b.selection = {};
  both.focus_a = both.focus_b;
  ContrastMemory& against = frame.cache().against;
  const auto difference = against.map(ui, frame.model, both, Contrast::difference, frame.of.head);
  if (!difference) return say(against.maps(frame.model, both, Contrast::difference).why_not);
  const bool two = box.w >= ui.px(210);
  Rect bars = box.take_bottom(ui.px(38));
  const float side = std::min(two ? (box.w - ui.px(16)) / 2 : box.w, box.h - ui.px(18));
  const auto part = [&](MapData data, const char* key, const char* name) {
    data.key = std::string("mechanism/") + key + data.key;
    Rect place = box.take_left(side);
    ui.text_in(Type::note, place.take_top(ui.px(18)), ui.theme().text_muted, name);
    place.h = side;
    draw_small_map(frame, place, data);
    ui.log(std::string("mechanism/") + key, place);
    box.take_left(ui.px(16));
    return place;
  };
  if (two)
    part(against.map_of_a(ui, both, frame.memory.cells.map(ui, frame.model, map, frame.of.head)), "plain", "plain");
  const Rect place = part(*difference, "difference", "this − plain");
  color_bar(ui, {place.x, place.bottom() + ui.px(8), place.w, bars.h},
            map_scale(*difference, "mechanism/difference bar", ""));
  return place.right() - left;
}

}  // namespace

float height_of_numbers(const MechanismFrame& frame) {
  const MechanismReport* report = frame.model.mechanism.get();
  const bool known = report && report->of_ticket == frame.model.shown.ticket && report->figures;
  return frame.ui.px(24 + 20 + 21 * static_cast<float>(known ? figure_lines(frame).size() : 4) + 8);
}

void draw_against_plain(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  Rect& box = frame.box;
  const MechanismReport* report = frame.model.mechanism.get();
  if (!report || report->of_ticket != frame.model.shown.ticket) return;
  if (!report->plain.experiment) {
    ui.text_in(Type::label_strong, box.take_top(ui.px(24)), ui.theme().text, "In numbers");
    box.w = std::min(box.w, ui.px(320));
    return draw_numbers(frame, box);
  }
  const float whole = box.w, more = ui.width_of(Type::control, "Compare ›") + ui.px(20);
  if (button(ui, "mechanism/compare", {box.right() - more, box.y - ui.px(4), more, ui.px(28)}, "Compare ›",
             ButtonLook::ghost))
    frame.actions.push_back(CompareWithPlain{});
  box.w = whole - more;
  frame.title("Against plain", choices_in_words(frame.model));
  box.w = whole;
  if (box.h >= ui.px(400)) {  // one below the other
    draw_maps(frame, box.take_top(std::min(box.h - ui.px(180), (box.w - ui.px(16)) / 2 + ui.px(60))));
    frame.skip(16);
    return draw_numbers(frame, {box.x, box.y, std::min(box.w, ui.px(300)), box.h});
  }
  const float numbers = std::min(box.w * 0.5F, ui.px(230));
  const float maps = draw_maps(frame, {box.x, box.y, box.w - numbers - ui.px(20), box.h});
  draw_numbers(frame, {box.x + std::min(maps + ui.px(36), box.w - numbers), box.y, numbers, box.h});
}

}  // namespace headlight::app
