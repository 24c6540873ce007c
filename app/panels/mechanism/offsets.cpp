// A term by distance: how much each head adds at each offset, as a staircase of all heads and as a curve of one, and
// which offsets share a row of the table.

#include "app/panels/mechanism/parts.h"

namespace headlight::app {

namespace {

using mechanism::OffsetEntry;
using mechanism::OffsetTerm;

// What is added at each offset in each head, kept until another query, head or run is looked at.
MechanismMemory& cached_offsets(const MechanismFrame& frame) {
  MechanismMemory& kept = frame.cache();
  MechanismMemory::Of of = frame.selected();
  of.key = -1;
  if (kept.bias_of == of) return kept;
  kept.bias_of = of;
  const OffsetTerm term = *mechanism::offset_term(frame.problem, frame.trace);
  kept.offsets = mechanism::offset_entries(term, of.batch, of.head, of.query);
  const Index heads = term.added->extent(AxisRole::head), count = static_cast<Index>(kept.offsets.size());
  const auto stairs = std::make_shared<Tensor>(Shape{heads, count});
  for (Index m = 0; m < heads; ++m)
    std::ranges::transform(mechanism::offset_entries(term, of.batch, m, of.query), stairs->data() + m * count,
                           [](const OffsetEntry& at) { return static_cast<float>(at.added); });
  kept.stairs = stairs;
  kept.bias = {.title = "Added to the score over offset j − i",
               .first = static_cast<double>(kept.offsets.front().offset),
               .dots = kept.offsets.size() <= 64};
  Curve curve{fmt::format("head {}", of.head), {}, 0, true, false};
  for (std::size_t i = 0; i < kept.offsets.size(); ++i) {
    curve.values.push_back(kept.offsets[i].added);
    if (i > 0 && kept.offsets[i].row >= 0 && kept.offsets[i].row != kept.offsets[i - 1].row)
      kept.bias.edges.push_back(kept.offsets[i].offset);
  }
  kept.bias.curves = {curve};
  if (mechanism::hides_later_keys(frame.problem)) kept.bias.hidden_from = 0.5;
  return kept;
}

// None where no pair of the row has that offset.
const OffsetEntry* selected_offset(const MechanismFrame& frame) {
  const std::vector<OffsetEntry>& offsets = frame.cache().offsets;
  const Index first = mechanism::offset_term(frame.problem, frame.trace)->first_query;
  const auto found = std::ranges::find(offsets, frame.of.key - frame.of.query - first, &OffsetEntry::offset);
  return found == offsets.end() ? nullptr : &*found;
}

// Offsets under both ends of a strip, and 0 where it is.
void draw_offset_ticks(Ui& ui, Rect strip, const std::vector<OffsetEntry>& offsets) {
  const Index first = offsets.front().offset, last = offsets.back().offset;
  const float pitch = strip.w / static_cast<float>(offsets.size());
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
void draw_buckets(Ui& ui, Rect strip, const std::vector<OffsetEntry>& offsets, const OffsetEntry* now) {
  const Theme& t = ui.theme();
  const float pitch = strip.w / static_cast<float>(offsets.size());
  bool even = false;
  for (std::size_t i = 0; i < offsets.size();) {
    std::size_t end = i + 1;
    while (end < offsets.size() && offsets[end].row == offsets[i].row) ++end;
    const Rect block{strip.x + pitch * static_cast<float>(i), strip.y, pitch * static_cast<float>(end - i), strip.h};
    const bool picked = now && now->row == offsets[i].row;
    const Color32 ground = even ? t.sunken : t.canvas;
    ui.fill(block, picked ? t.output.soft : ground);
    if (block.w > ui.px(18))
      ui.text_in(Type::number_small, block, picked ? t.output.main : t.text_muted, fmt::format("{}", offsets[i].row),
                 Ui::Align::center);
    if (picked) ui.frame(block, t.output.main, 0, ui.px(2));
    even = !even;
    i = end;
  }
  ui.frame(strip, t.line_strong);
  ui.log("mechanism/buckets", strip, now ? fmt::format("{}", now->row) : "");
}

std::string sharing_words(const std::vector<OffsetEntry>& offsets, const OffsetEntry* now) {
  if (!now) return {};
  const auto shares = std::ranges::count(offsets, now->row, &OffsetEntry::row);
  return shares > 1 ? fmt::format("Offset {} is in row {}, with {} others here.", now->offset, now->row, shares - 1)
                    : fmt::format("Offset {} has row {} to itself.", now->offset, now->row);
}

// A row of cells for each head; a press on one chooses the head.
void draw_stairs(const MechanismFrame& frame, Rect stairs, const MapData& data, const OffsetEntry* now) {
  Ui& ui = frame.ui;
  const Theme& t = ui.theme();
  const Index heads = data.cells.rows;
  const float height = stairs.h / static_cast<float>(heads);
  draw_framed_map(ui, stairs, data, t.line_strong);
  for (Index m = 0; m < heads; ++m) {
    const bool current = m == frame.of.head;
    const Rect row{stairs.x, stairs.y + height * static_cast<float>(m), stairs.w, height};
    if (height >= ui.px(13) || current)
      ui.text_in(current ? Type::heading : Type::note, {stairs.x - ui.px(52), row.y, ui.px(46), height},
                 current ? t.text : t.text_faint, fmt::format("head {}", m), Ui::Align::right);
    if (current) ui.frame(row, t.ink, 0, ui.px(2));
    if (ui.hit(fmt::format("mechanism/stairs/{}", m), row, false).clicked) frame.actions.push_back(SetHead{m});
  }
  if (!now) return;
  const std::vector<OffsetEntry>& offsets = frame.cache().offsets;
  const float pitch = stairs.w / static_cast<float>(offsets.size());
  const Rect column{stairs.x + pitch * static_cast<float>(now->offset - offsets.front().offset), stairs.y - ui.px(3),
                    std::max(pitch, ui.px(4)), stairs.h + ui.px(6)};
  ui.frame(column, t.key.main, 0, ui.px(2));
}

}  // namespace

void draw_offsets(MechanismFrame& frame) {
  Ui& ui = frame.ui;
  Rect& box = frame.box;
  const MechanismMemory& kept = cached_offsets(frame);
  const OffsetTerm term = *mechanism::offset_term(frame.problem, frame.trace);
  const OffsetEntry* now = selected_offset(frame);
  frame.title(fmt::format("{}: added for the offset, all heads", term.title),
              now ? fmt::format("here {:.4g}", now->added) : "");
  const Index heads = kept.stairs->dim(0);
  // As low as leaves room for names, so that the parts of a score are seen with it; without them where even that is
  // more than is in sight.
  const float usual = std::clamp(ui.px(104) / static_cast<float>(heads), ui.px(heads <= 16 ? 13 : 6), ui.px(22));
  const float others = ui.px(term.rows ? 156 : 88);  // what stands above and below
  const float row = std::clamp((frame.share - others) / static_cast<float>(heads), std::min(usual, ui.px(7)), usual);
  const auto beside_names = [&](float height) { return Rect{box.x + ui.px(52), box.y, box.w - ui.px(60), height}; };
  const Rect stairs = beside_names(row * static_cast<float>(heads));
  MapData data = frame.own_map("mechanism/stairs", matrix_at(*kept.stairs, {}),
                               frame.of.batch * frame.map.extent(AxisRole::query) + frame.of.query);
  data.owner = kept.stairs;
  draw_stairs(frame, stairs, data, now);
  // The strip below has the same offsets.
  const bool has_ticks = !term.rows || row >= usual;
  if (has_ticks) draw_offset_ticks(ui, stairs, kept.offsets);
  box.take_top(stairs.h + ui.px(has_ticks ? 22 : 8));
  frame.color_bar(data, "added to the score, all heads", {stairs.x, box.take_top(ui.px(38)).y, stairs.w, ui.px(36)});
  if (!term.rows) return;
  // What is said of the chosen one stands beside the title; where that leaves no room, below.
  const std::string title = "Offsets that share a row of the table", words = sharing_words(kept.offsets, now);
  const bool beside = ui.width_of(Type::label_strong, title) + ui.width_of(Type::note, words) + ui.px(16) < box.w;
  frame.title(title, beside ? words : "");
  const Rect strip = beside_names(ui.px(24));
  draw_buckets(ui, strip, kept.offsets, now);
  draw_offset_ticks(ui, strip, kept.offsets);
  frame.skip(24 + 18);
  if (!beside) frame.line(words, ui.theme().text_muted);
}

void draw_offset_curve(MechanismFrame& frame) {
  CurvePlot& plot = cached_offsets(frame).bias;
  plot.curves.front().color = frame.theme().output.main;
  plot.marks.clear();
  if (const OffsetEntry* now = selected_offset(frame))
    plot.marks.push_back({static_cast<double>(now->offset), now->added,
                          fmt::format("{}, {}", frame.key, distance_words(now->offset)), true});
  draw_curve_plot(frame.ui, frame.box, plot);
}

}  // namespace headlight::app
