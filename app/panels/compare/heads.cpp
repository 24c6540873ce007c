// Every head's difference as a thumbnail, on one scale, and its largest change in words.
#include <algorithm>
#include <numeric>

#include "app/panels/compare/parts.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// "+0.31 on→sat"
std::string largest_in_words(Ui& ui, const SideBySide& both, const Difference& d, Contrast contrast, float range) {
  if (d.greatest == 0) return "no change";
  const float value = d.cells[d.row * d.columns.size() + d.column];
  const Slice slice = slice_of(*both.step_b, both.focus_b);
  const auto name = [&](const Axis* axis, const std::vector<Index>& places, Index at) {
    return ui.fonts().display_text(label_of(axis, places[static_cast<std::size_t>(at)]));
  };
  const char* between = slice.is_picture() ? ", " : "→";
  return fmt::format("{} {}{}{}", contrast_text(value, {-range, range}, contrast), name(slice.rows, d.rows.b, d.row),
                     between, name(slice.columns, d.columns.b, d.column));
}

std::vector<Index> order_of(const ContrastMaps& maps, bool by_size) {
  std::vector<Index> order(maps.heads.size());
  std::iota(order.begin(), order.end(), maps.first);
  if (by_size) std::ranges::stable_sort(order, std::greater<>(), [&](Index head) { return maps.of_head(head)->total; });
  return order;
}

void draw_line(Ui& ui, Rect line, const Model& model, const ContrastMaps& maps, Actions& actions) {
  const bool ratio = contrast_of(model) == Contrast::ratio;
  const std::string title = ratio ? "B / A in every head" : "B − A in every head";
  const bool by_size = model.document.contrast.by_size;
  const std::string label = by_size ? "By number" : "By size";
  Rect rest = line;
  const Rect place = rest.take_right(ui.width_of(Type::control, "By number") + ui.px(28)).inset(0, ui.px(1));
  if (button(ui, "compare/heads/order", place, label, ButtonLook::ghost)) actions.push_back(SortChanges{!by_size});
  ui.text_in(Type::label_strong, rest.take_left(ui.width_of(Type::label_strong, title)), ui.theme().text, title);
  rest.take_left(ui.px(12));
  std::string words = by_size ? "one scale, the most changed first" : "one scale, largest change below each map";
  if (!maps.all_heads) words = "too many numbers for all heads: the one that is shown";
  if (ui.width_of(Type::note, words) <= rest.w) ui.text_in(Type::note, rest, ui.theme().text_faint, words);
}

}  // namespace

bool has_compared_heads(const Model& model, const SideBySide& both, PanelMemory& memory) {
  return memory.get<CompareMemory>().contrast.maps(model, both, contrast_of(model)).heads.size() > 1;
}

void draw_compared_heads(Ui& ui, Rect box, const Model& model, const SideBySide& both, PanelMemory& memory,
                         Actions& actions) {
  const Contrast contrast = contrast_of(model);
  const ContrastMaps& maps = memory.get<CompareMemory>().contrast.maps(model, both, contrast);
  draw_line(ui, box.take_top(ui.px(30)), model, maps, actions);
  const std::vector<Index> order = order_of(maps, model.document.contrast.by_size);
  const float words = ui.px(18), high = box.h - words;
  const float least = std::min(ui.px(120), high);
  const auto across = std::max<Index>(1, std::min(static_cast<Index>(order.size()), static_cast<Index>(box.w / least)));
  const float pitch = std::min(box.w / static_cast<float>(across), std::max(least, high + ui.px(20)));
  scroll_area(ui, "compare/heads", box, [&](Rect area) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto at = static_cast<Index>(i);
      const Rect place{area.x + pitch * static_cast<float>(at % across),
                       area.y + box.h * static_cast<float>(at / across), pitch, box.h};
      if (place.bottom() < box.y || place.y > box.bottom()) continue;
      const Index head = order[i];
      const Difference& d = *maps.of_head(head);
      ThumbnailData data;
      data.map = *memory.get<CompareMemory>().contrast.map(ui, model, both, contrast, head);
      data.map.key = "head/" + data.map.key;
      data.number = head_number(*model.trace(), head);
      data.name = head_name(*model.trace(), head);
      data.current = head == model.document.look.head;
      const Slice slice = slice_of(*both.step_b, both.focus_b);
      const auto row = selected_row(slice, both.focus_b.selection),
                 column = selected_column(slice, both.focus_b.selection);
      if (row && column)
        if (const auto r = d.rows.place_of_b(*row), c = d.columns.place_of_b(*column); r && c)
          data.selected = CellAt{*r, *c};
      const std::string path = fmt::format("compare/heads/{}", head);
      const Rect thumbnail{place.x, place.y, place.w, place.h - words};
      if (data.current) ui.fill(place, ui.theme().brand_soft, ui.px(8));
      if (head_thumbnail(ui, path, thumbnail, data).clicked) actions.push_back(SetHead{head});
      const Rect line{place.x + ui.px(10), place.bottom() - words - ui.px(4), place.w - ui.px(14), words};
      const std::string said = largest_in_words(ui, both, d, contrast, maps.greatest);
      ui.text(Type::number_note, {line.x, line.y}, ui.theme().text_muted, ui.fitted(Type::number_note, said, line.w));
      ui.log(path + "/largest", line, said);
    }
    return box.h * static_cast<float>((static_cast<Index>(order.size()) + across - 1) / across);
  });
}

}  // namespace headlight::app
