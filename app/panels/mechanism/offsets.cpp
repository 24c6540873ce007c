// A term by distance: how much each head adds at each offset, as a staircase of all heads and as a curve of one, and
// which offsets share a row of the table.
#include <algorithm>
#include <cmath>

#include "app/panels/mechanism/parts.h"
#include "engine/picture/value_range.h"

namespace headlight::app {

namespace {

using mechanism::AtOffset;
using mechanism::OffsetTerm;

// What is added at each offset in each head, kept until another query, head or run is looked at.
void keep(const MechanismFrame& frame, MechanismMemory& kept) {
  MechanismMemory::Of of = all_of(frame);
  of.key = -1;
  if (kept.bias_of == of) return;
  kept.bias_of = of;
  const OffsetTerm term = *mechanism::offset_term(frame.problem, frame.trace);
  kept.offsets = mechanism::by_offset(term, frame.of.batch, frame.of.head, frame.of.query);
  const Index heads = term.added->extent(AxisRole::head), count = static_cast<Index>(kept.offsets.size());
  kept.stair_cells = Tensor({heads, count});
  for (Index m = 0; m < heads; ++m) {
    const auto row = mechanism::by_offset(term, frame.of.batch, m, frame.of.query);
    for (Index i = 0; i < count; ++i)
      kept.stair_cells[m * count + i] = static_cast<float>(row[static_cast<std::size_t>(i)].added);
  }
  kept.stairs = matrix_at(kept.stair_cells, {});
  kept.bias = {.title = "Added to the score over offset j − i",
               .first = static_cast<double>(kept.offsets.front().offset),
               .step = 1,
               .curves = {},
               .marks = {},
               .dots = kept.offsets.size() <= 64,
               .hidden_from = {},
               .edges = {}};
  Curve curve{fmt::format("head {}", frame.of.head + 1), {}, 0, true, false};
  for (std::size_t i = 0; i < kept.offsets.size(); ++i) {
    curve.values.push_back(kept.offsets[i].added);
    if (i > 0 && kept.offsets[i].row >= 0 && kept.offsets[i].row != kept.offsets[i - 1].row)
      kept.bias.edges.push_back(kept.offsets[i].offset);
  }
  kept.bias.curves = {curve};
  if (mechanism::hides_later_keys(frame.problem)) kept.bias.hidden_from = 0.5;
}

Index offset_of(const MechanismFrame& frame) {
  return frame.of.key - frame.of.query - mechanism::offset_term(frame.problem, frame.trace)->first_query;
}

const AtOffset* chosen(const MechanismFrame& frame, const MechanismMemory& kept) {
  const auto found = std::ranges::find(kept.offsets, offset_of(frame), &AtOffset::offset);
  return found == kept.offsets.end() ? nullptr : &*found;
}

// Offsets under both ends of a strip, and 0 where it is.
void draw_offset_ticks(Ui& ui, Rect strip, const MechanismMemory& kept) {
  const Index first = kept.offsets.front().offset, last = kept.offsets.back().offset;
  const float pitch = strip.w / static_cast<float>(kept.offsets.size());
  for (const Index offset : {first, Index{0}, last}) {
    if (offset < first || offset > last) continue;
    const float x = strip.x + pitch * (static_cast<float>(offset - first) + 0.5F);
    const std::string text = fmt::format("{}", offset);
    const float width = ui.width_of(Type::number_small, text);
    ui.text(Type::number_small,
            {std::clamp(x - width / 2, strip.x, std::max(strip.x, strip.right() - width)), strip.bottom() + ui.px(3)},
            ui.theme().text_faint, text);
  }
}

// Which row of the table each offset takes: offsets that share one are one block.
void draw_buckets(Ui& ui, Rect strip, const MechanismFrame& frame, const MechanismMemory& kept) {
  const Theme& t = ui.theme();
  const float pitch = strip.w / static_cast<float>(kept.offsets.size());
  const AtOffset* now = chosen(frame, kept);
  bool even = false;
  for (std::size_t i = 0; i < kept.offsets.size();) {
    std::size_t end = i + 1;
    while (end < kept.offsets.size() && kept.offsets[end].row == kept.offsets[i].row) ++end;
    const Rect block{strip.x + pitch * static_cast<float>(i), strip.y, pitch * static_cast<float>(end - i), strip.h};
    const bool picked = now && now->row == kept.offsets[i].row;
    ui.fill(block, picked ? t.output.soft : even ? t.sunken : t.canvas);
    if (block.w > ui.px(18))
      ui.text_in(Type::number_small, block, picked ? t.output.main : t.text_muted,
                 fmt::format("{}", kept.offsets[i].row), Ui::Align::center);
    if (picked) ui.frame(block, t.output.main, 0, ui.px(2));
    even = !even;
    i = end;
  }
  ui.frame(strip, t.line_strong);
  ui.log("mechanism/buckets", strip, now ? fmt::format("{}", now->row) : "");
}

std::string sharing_words(const MechanismFrame& frame, const MechanismMemory& kept) {
  const AtOffset* now = chosen(frame, kept);
  if (!now) return {};
  const auto shares = std::ranges::count(kept.offsets, now->row, &AtOffset::row);
  return shares > 1 ? fmt::format("Offset {} is in row {}, with {} others here.", now->offset, now->row, shares - 1)
                    : fmt::format("Offset {} has row {} to itself.", now->offset, now->row);
}

float draw_beside(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory, Actions& actions) {
  MechanismMemory& kept = memory.get<MechanismMemory>();
  keep(frame, kept);
  const float top = box.y;
  const Theme& t = ui.theme();
  const OffsetTerm term = *mechanism::offset_term(frame.problem, frame.trace);
  const AtOffset* now = chosen(frame, kept);
  picture_title(ui, box, fmt::format("{}: added for the offset, all heads", term.title),
                now ? fmt::format("here {:.4g}", now->added) : "");
  const Index heads = kept.stairs.rows, count = kept.stairs.columns;
  // As low as leaves room for names, so that the parts of a score are seen with it; without them where even that is
  // more than is in sight.
  const float usual = std::clamp(ui.px(104) / static_cast<float>(heads), ui.px(heads <= 16 ? 13 : 6), ui.px(22));
  const float others = ui.px(term.rows ? 156 : 88);  // what stands above and below
  const float row_h = std::clamp((frame.share - others) / static_cast<float>(heads), std::min(usual, ui.px(7)), usual);
  Rect stairs = box;
  stairs.h = row_h * static_cast<float>(heads);
  stairs.take_left(ui.px(52)), stairs.take_right(ui.px(8));
  MapData data;
  data.key = "mechanism/stairs";
  data.numbers = {.run = frame.model.shown.ticket,
                  .what = "stairs",
                  .offset = frame.of.batch,
                  .rows = heads,
                  .columns = count,
                  .row_stride = frame.of.query};
  data.cells = kept.stairs;
  data.range = value_range(Kind::score, extent_of(kept.stairs));
  data.colormap = default_colormap(data.range.is_signed(), t.dark);
  draw_map(ui, data, stairs, MapSize::small);
  ui.frame(stairs.inset(-1), t.line_strong);
  for (Index m = 0; m < heads; ++m) {
    const Rect row{stairs.x, stairs.y + row_h * static_cast<float>(m), stairs.w, row_h};
    const Rect name{stairs.x - ui.px(52), row.y, ui.px(46), row_h};
    if (row_h >= ui.px(13) || m == frame.of.head)
      ui.text_in(m == frame.of.head ? Type::heading : Type::note, name, m == frame.of.head ? t.text : t.text_faint,
                 fmt::format("head {}", m + 1), Ui::Align::right);
    if (m == frame.of.head) ui.frame(row, t.ink, 0, ui.px(2));
    if (ui.hit(fmt::format("mechanism/stairs/{}", m), row, false).clicked) actions.push_back(SetHead{m});
  }
  if (now) {
    const float pitch = stairs.w / static_cast<float>(count);
    const Rect column{stairs.x + pitch * static_cast<float>(now->offset - kept.offsets.front().offset),
                      stairs.y - ui.px(3), std::max(pitch, ui.px(4)), stairs.h + ui.px(6)};
    ui.frame(column, t.key.main, 0, ui.px(2));
  }
  // The strip below has the same offsets.
  const bool has_ticks = !term.rows || row_h >= usual;
  if (has_ticks) draw_offset_ticks(ui, stairs, kept);
  box.take_top(stairs.h + ui.px(has_ticks ? 22 : 8));
  ColorBarData bar;
  bar.key = "mechanism/stairs bar";
  bar.range = data.range;
  bar.colormap = data.colormap;
  bar.words = "added to the score, all heads";
  color_bar(ui, {stairs.x, box.take_top(ui.px(38)).y, stairs.w, ui.px(36)}, bar);
  if (!term.rows) return box.y - top;
  // What is said of the chosen one stands beside the title; where that leaves no room, below.
  const std::string title = "Offsets that share a row of the table", words = sharing_words(frame, kept);
  const bool beside = ui.width_of(Type::label_strong, title) + ui.width_of(Type::note, words) + ui.px(16) < box.w;
  picture_title(ui, box, title, beside ? words : "");
  Rect strip = box.take_top(ui.px(24));
  strip.take_left(ui.px(52)), strip.take_right(ui.px(8));
  draw_buckets(ui, strip, frame, kept);
  draw_offset_ticks(ui, strip, kept);
  box.take_top(ui.px(18));
  if (!beside) ui.text_in(Type::note, box.take_top(ui.px(18)), t.text_muted, words);
  return box.y - top;
}

void draw_below(Ui& ui, Rect box, const MechanismFrame& frame, PanelMemory& memory) {
  MechanismMemory& kept = memory.get<MechanismMemory>();
  keep(frame, kept);
  kept.bias.curves.front().color = ui.theme().output.main;
  kept.bias.marks.clear();
  if (const AtOffset* now = chosen(frame, kept))
    kept.bias.marks.push_back({static_cast<double>(now->offset), now->added,
                               fmt::format("{}, {}", frame.key,
                                           now->offset == 0  ? "itself"
                                           : now->offset < 0 ? fmt::format("{} back", -now->offset)
                                                             : fmt::format("{} ahead", now->offset)),
                               true});
  draw_curve_plot(ui, box, kept.bias);
}

}  // namespace

const MechanismPicture& offsets_picture() {
  static const MechanismPicture picture{
      "offsets",
      "what offsets add",
      [](const Problem& problem, const Trace& trace) { return mechanism::offset_term(problem, trace).has_value(); },
      draw_beside,
      draw_below,
      "added over offset"};
  return picture;
}

}  // namespace headlight::app
