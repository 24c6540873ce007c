#include "app/panels/views/parts.h"

#include "app/panels/common/prepared.h"
#include "app/reading/step_words.h"
#include "app/widgets/map_cells.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// A patch of a picture of numbers.
struct Patch {
  Slice slice;
  Index row = 0, column = 0, rows = 0, columns = 0;
};

void draw_patch(Ui& ui, Rect box, const Patch& patch, const ValueRange& range, bool numbers) {
  const ColorTable table = color_table(default_colormap(range.is_signed(), ui.theme().dark));
  for (Index r = 0; r < patch.rows; ++r)
    for (Index c = 0; c < patch.columns; ++c) {
      const float value = patch.slice.matrix.at(patch.row + r, patch.column + c);
      const Color ground = color_at(table, normalise(value, range));
      const Rect cell = pixel_rect(box, patch.rows, patch.columns, r, c);
      ui.fill({cell.x, cell.y, cell.w - 1, cell.h - 1}, color32(ground));
      const std::string text = number_text(value, 2);
      if (numbers && ui.width_of(Type::number_small, text) + 2 <= cell.w)
        ui.text_in(Type::number_small, cell, color32(readable_text_on(ground)), text, Ui::Align::center);
    }
  ui.frame(box.inset(-1), ui.theme().line_strong);
}

double sum_of_row(const Trace& trace, const Focus& focus) {
  Focus at = focus;
  double sum = 0;
  for (at.frame = 0; at.frame < frames_of(*trace.map()); ++at.frame) {
    const Slice slice = slice_of(*trace.map(), at);
    for (Index r = 0; r < slice.matrix.rows; ++r)
      for (Index c = 0; c < slice.matrix.columns; ++c) sum += slice.matrix.at(r, c);
  }
  return sum;
}

}  // namespace

bool has_pooled_keys(const Model& model) {
  return model.trace() && pooled_keys(*model.trace());
}

float draw_pooling(Ui& ui, Rect box, const Model& model) {
  const Theme& t = ui.theme();
  const Focus focus = effective_focus(model);
  const auto [from, pooled_to] = *pooled_keys(*model.trace());
  const Slice fine = slice_of(*from, focus), coarse = slice_of(*pooled_to, focus);
  if (!fine.is_picture() || !coarse.is_picture()) return 0;
  const Index block_rows = std::max<Index>(1, fine.grid.rows / coarse.grid.rows),
              block_columns = std::max<Index>(1, fine.grid.columns / coarse.grid.columns);
  const Index keys = 4, rows = std::min(keys, coarse.grid.rows), columns = std::min(keys, coarse.grid.columns);
  const auto row = selected_row(coarse, focus.selection), column = selected_column(coarse, focus.selection);
  const Index at_row = row.value_or(coarse.grid.rows / 2), at_column = column.value_or(coarse.grid.columns / 2);
  const Patch pooled{coarse, std::clamp<Index>(at_row - rows / 2, 0, coarse.grid.rows - rows),
                     std::clamp<Index>(at_column - columns / 2, 0, coarse.grid.columns - columns), rows, columns};
  const Patch pixels{fine, pooled.row * block_rows, pooled.column * block_columns, rows * block_rows,
                     columns * block_columns};
  Rect title = box.take_top(ui.px(22));
  words_at_left(ui, Type::label_strong, title, t.text, "Key subsampling", 10);
  const Index channel = focus.selection.channel.value_or(0);
  const std::string which = fmt::format("{} channel {}", from->info.letter, channel);
  const std::string round = which + ", the pixels round the key";
  ui.text_in(Type::note, title, t.text_faint, ui.width_of(Type::note, round) <= title.w ? round : which);
  const float gap = ui.px(56), side = std::min((box.w - gap) / 2, ui.px(176));
  const Rect left = fitted({box.x, box.y + ui.px(4), side, side}, pixels.rows, pixels.columns);
  const Rect right{left.right() + gap, left.y, left.w, left.h};
  const ValueRange range = range_of(*coarse.step, model.document.look.batch);
  draw_patch(ui, left, pixels, range, false);
  draw_patch(ui, right, pooled, range, true);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      const Rect first = pixel_rect(left, pixels.rows, pixels.columns, r * block_rows, c * block_columns);
      ui.frame(
          {first.x, first.y, first.w * static_cast<float>(block_columns), first.h * static_cast<float>(block_rows)},
          t.text);
      // The pixel that the key took its number from.
      Index best_row = 0, best_column = 0;
      const auto value = [&](Index y, Index x) {
        return fine.matrix.at(pixels.row + r * block_rows + y, pixels.column + c * block_columns + x);
      };
      for (Index y = 0; y < block_rows; ++y)
        for (Index x = 0; x < block_columns; ++x)
          if (value(y, x) > value(best_row, best_column)) {
            best_row = y;
            best_column = x;
          }
      const Rect taken =
          pixel_rect(left, pixels.rows, pixels.columns, r * block_rows + best_row, c * block_columns + best_column);
      const float dot = ui.px(3);
      ui.fill({taken.middle().x - dot - 1, taken.middle().y - dot - 1, 2 * dot + 2, 2 * dot + 2}, t.canvas, dot + 1);
      ui.fill({taken.middle().x - dot, taken.middle().y - dot, 2 * dot, 2 * dot}, t.text, dot);
    }
  const Rect key = pixel_rect(right, rows, columns, at_row - pooled.row, at_column - pooled.column);
  mark_pixel(ui, key, t.key.main);
  ui.text_in(Type::note, {left.right(), left.middle().y - ui.px(20), gap, ui.px(16)}, t.text_muted, "max",
             Ui::Align::center);
  draw_icon(ui, Icon::arrow_right, {left.right() + gap / 2, left.middle().y}, t.text_muted);
  const Axis* before = from->axis(AxisRole::place);
  const Axis* after = pooled_to->axis(AxisRole::key);
  const float words = paragraph(ui, {box.x, left.bottom() + ui.px(6)}, box.w, t.text_muted,
                                fmt::format("{} keys become {}. Queries keep full resolution.",
                                            before ? before->size : 0, after ? after->size : 0),
                                true, Type::note);
  return left.bottom() + ui.px(14) + words - (box.y - ui.px(22));
}

namespace {

// What all similarity functions are shown over.
struct SimilaritiesShown {
  Ui& ui;
  const Model& model;
  PanelMemory& memory;
  const InputPicture& picture;
  const OverlayPlace& place;
  float width, height;  // px, of each picture
};

// What the query sees under one of them, and what its row sums up to.
void draw_similar_keys(const SimilaritiesShown& shown, Rect map, const std::string& id, const std::string& path,
                       const Trace& trace) {
  Ui& ui = shown.ui;
  const Theme& t = ui.theme();
  const Look& look = shown.model.document.look;
  const Step& weights = *trace.map();
  const Focus focus = effective_focus(shown.model);
  const Slice slice = slice_of(weights, focus);
  OverNumbers numbers;
  numbers.cells = slice.matrix;
  numbers.place = shown.place;
  const bool softmax = weights.info.kind == Kind::probability;
  numbers.of = numbers_of(shown.model.beside.of_ticket, id, slice);
  numbers.range = softmax ? shown_range(weights, look.batch, 0, look.scaling, query_alone(weights, focus))
                          : value_range(Kind::score, shown.memory.get<Prepared>().extent(numbers.of, slice.matrix));
  numbers.colormap = default_colormap(numbers.range.is_signed(), t.dark);
  draw_overlay(ui, shown.memory, path, map, shown.picture, numbers);
  ui.frame(map.inset(-1), t.line_strong);
  const Rect words{map.x, map.bottom() + ui.px(4), shown.width, ui.px(16)};
  ui.text_in(Type::note, words, t.text_muted,
             softmax ? "rows sum to 1" : "÷ N, ±" + with_minus_signs(fmt::format("{:.1e}", numbers.range.high)));
  ui.text_in(Type::number_small, {words.x, words.bottom(), words.w, words.h}, t.text_muted,
             "Σ = " + with_minus_signs(fmt::format("{:.2f}", sum_of_row(trace, focus))));
}

void draw_similarity(const SimilaritiesShown& shown, Rect card, const Choice& choice, Actions& actions) {
  Ui& ui = shown.ui;
  const Theme& t = ui.theme();
  const Model& model = shown.model;
  const std::string path = "similarity/" + choice.id;
  const bool current = choice.id == model.shown.problem->params.choice("mode");
  const auto hit = ui.hit(path, card, true, choice.title, current ? "selected" : "");
  fill_card(ui, card, current, hit.hovered);
  const auto refused = model.beside.errors.find(choice.id);
  const bool cannot = refused != model.beside.errors.end();
  ui.tooltip(path, card, cannot ? refused->second : choice.help);
  // Where the title is too long, its first word tells the functions apart.
  const bool fits = ui.width_of(Type::note, choice.title) <= shown.width;
  ui.text_in(Type::note, {card.x + ui.px(4), card.y + ui.px(2), shown.width, ui.px(20)}, t.text,
             fits ? choice.title : choice.title.substr(0, choice.title.find(' ')));
  const Rect map = fitted({card.x + ui.px(4), card.y + ui.px(24), shown.width, shown.height},
                          shown.picture.cells->height, shown.picture.cells->width);
  const auto found = model.beside.traces.find(choice.id);
  if (found != model.beside.traces.end() && found->second && found->second->map()) {
    draw_similar_keys(shown, map, choice.id, path, *found->second);
  } else {
    ui.fill(map, t.sunken);
    ui.text_in(Type::note, map, t.text_faint, cannot ? ui.fitted(Type::note, "not run", map.w) : "…",
               Ui::Align::center);
    if (cannot) ui.log(path + "/refused", map, refused->second);
  }
  if (hit.clicked && !current) actions.push_back(SetParam{"mode", choice.id, false});
}

}  // namespace

float draw_similarities(Ui& ui, Rect box, const Model& model, PanelMemory& memory, const InputPicture& picture,
                        const OverlayPlace& place, Actions& actions) {
  const ParamSpec* spec = find_param(model.shown.problem->variant->params(), "mode");
  if (!spec || !picture || model.busy) return 0;
  constexpr double most_bytes = 256.0 * 1024 * 1024;  // of one run: four are kept at once
  if (cost_of(*model.shown.problem).bytes > most_bytes) return 0;
  if (model.beside.of_ticket != model.shown.ticket || model.beside.param != "mode") {
    actions.push_back(RunBeside{"mode"});
    ui.redraw_at(ui.now() + 0.05);
  }
  const float top = box.y;
  ui.text_in(Type::label_strong, box.take_top(ui.px(24)), ui.theme().text, "Same query, every similarity");
  // Side by side where each has room for what is said of it, else in two rows.
  const float gap = ui.px(10), room_of_words = ui.width_of(Type::note, "÷ N, ±0.0e−00");
  std::size_t across = spec->choices.size();
  const auto width_of_each = [&] {
    return (box.w - gap * static_cast<float>(across - 1)) / static_cast<float>(across);
  };
  if (width_of_each() < room_of_words) across = (across + 1) / 2;
  const float width = width_of_each();
  const float height = width * static_cast<float>(picture.cells->height) / static_cast<float>(picture.cells->width);
  const SimilaritiesShown shown{ui, model, memory, picture, place, width, height};
  float x = box.x;
  for (std::size_t i = 0; i < spec->choices.size(); ++i) {
    if (i > 0 && i % across == 0) {
      x = box.x;
      box.y += height + ui.px(64 + 8);
    }
    const Rect card{x - ui.px(4), box.y, width + ui.px(8), height + ui.px(64)};
    x += width + gap;
    draw_similarity(shown, card, spec->choices[i], actions);
  }
  return box.y - top + height + ui.px(72);
}

}  // namespace headlight::app
