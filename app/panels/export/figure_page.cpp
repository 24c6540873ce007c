// The figure where it will stand: on a page, at its true width, as different eyes see it; and the screen around it.
#include <cmath>

#include "app/panels/common/notices.h"
#include "app/panels/export/parts.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

// Lines that stand for the paper's text.
float draw_text_lines(Ui& ui, Rect column, float y, int lines, float last) {
  const float pitch = column.w / 27, thick = std::max(1.0F, column.w / 95);
  for (int i = 0; i < lines; ++i) {
    ui.fill({column.x, y, i + 1 == lines ? column.w * last : column.w, thick}, hex(0xE3E3DD));
    y += pitch;
  }
  return y;
}

// The figure where it will stand: on a letter page, at its own width in the column. Returns the height.
float draw_page(Ui& ui, Rect area, const AsyncValue<FigurePreview>& prepared, double scale) {
  const FigurePreview& preview = prepared.value();
  const auto points = [&](double length) { return static_cast<float>(length * scale); };
  const Rect sheet{area.middle().x - points(preview_page_width) / 2, area.y + ui.px(14), points(preview_page_width), 0};
  const Rect column{sheet.middle().x - points(preview.column) / 2, sheet.y, points(preview.column), 0};
  const auto caption = static_cast<float>(preview.caption_image.height);
  constexpr int lines_above = 4;
  const float text_top = points(56), pitch = column.w / 27;
  // The ruler has room of its own under the last line.
  const float above = std::max(points(120), text_top + lines_above * pitch + ui.px(26)), below = points(140);
  const float height = above + points(preview.height) + ui.px(10) + caption + below;
  const Rect paper{sheet.x, sheet.y, sheet.w, height};
  ui.fill(paper, hex(0xFFFFFF));
  ui.frame(paper, ui.theme().line);
  ui.fill({column.x, paper.y + points(36), column.w * 0.28F, points(8)}, hex(0xCFCFC8));
  draw_text_lines(ui, column, paper.y + text_top, lines_above, 0.45F);
  const Point at{column.x + (column.w - points(preview.width)) / 2, paper.y + above};
  const Rect figure{std::round(at.x), std::round(at.y), points(preview.width), points(preview.height)};
  draw_export_image(ui, "figure/preview", at, prepared.revision(), preview.image);
  ui.frame(figure.inset(-1), ui.theme().brand, 0, ui.px(1));
  const Point ruler{figure.x, figure.y - ui.px(14)};
  ui.line(ruler, {figure.right(), ruler.y}, hex(0x4E535D));
  for (const float x : {figure.x, figure.right()})
    ui.line({x, ruler.y - ui.px(4)}, {x, ruler.y + ui.px(4)}, hex(0x4E535D));
  const std::string width = fmt::format("{:.2f} in", preview.width / points_per_inch);
  const float wide = ui.width_of(Type::number_note, width) + ui.px(12);
  const Rect words{figure.middle().x - wide / 2, ruler.y - ui.px(8), wide, ui.px(16)};
  ui.fill(words, hex(0xFFFFFF));
  ui.text_in(Type::number_note, words, hex(0x17181C), width, Ui::Align::center);
  draw_export_image(ui, "figure/caption/preview", {column.x, figure.bottom() + ui.px(10)}, prepared.revision(),
                    preview.caption_image);
  draw_text_lines(ui, column, figure.bottom() + ui.px(10) + caption + points(24), 5, 0.8F);
  return height + ui.px(28);
}

void draw_bar(Ui& ui, Rect bar, ExportMemory& own) {
  Rect inside = draw_export_bar(ui, bar);
  const int where = segments(ui, "figure/where", inside.take_left(std::min(ui.px(220), inside.w * 0.55F)),
                             {{"page", "On the page", ""}, {"only", "Figure only", ""}}, own.figure_only ? 1 : 0);
  if (where >= 0) own.figure_only = where == 1;
  const std::vector<std::string> titles{"Normal", "Deutan", "Protan", "Tritan", "Grey print"};
  const int now = static_cast<int>(own.vision);
  int seen = -1;
  if (inside.w < ui.px(370)) {  // no room for all of them side by side
    seen = drop_down(ui, "figure/vision", inside.take_right(std::min(ui.px(130), inside.w - ui.px(8))), titles, now);
  } else {
    std::vector<Segment> list;
    for (const char* id : {"normal", "deutan", "protan", "tritan", "grey"})
      list.push_back({id, titles[list.size()], ""});
    seen = segments(ui, "figure/vision", inside.take_right(ui.px(360)), list, now);
  }
  if (seen >= 0) own.vision = all_visions[static_cast<std::size_t>(seen)];
  if (inside.w > ui.width_of(Type::label, "See it as  "))
    ui.text_in(Type::label, inside, ui.theme().text_muted, "See it as ", Ui::Align::right);
}

// Pixels a point: the page as wide as there is room, or the figure alone.
double scale_for(Rect room, ExportMemory& own, double figure_width) {
  const double wide = own.figure_only && figure_width > 0 ? figure_width : preview_page_width;
  return std::clamp(static_cast<double>(room.w) / wide, 0.5, 6.0);
}

// Which of many files is shown, where there are many. Takes the room from the box.
void draw_file_choice(Ui& ui, Rect& box, ExportMemory& own) {
  const auto count = static_cast<long long>(own.files.jobs.size());
  if (count < 2) return;
  Rect strip = box.take_top(ui.px(44));
  ui.fill(strip, ui.theme().canvas);
  ui.line({strip.x, strip.bottom() - 1}, {strip.right(), strip.bottom() - 1}, ui.theme().line);
  Rect inside = strip.inset(ui.px(20), ui.px(6));
  const auto shown = static_cast<long long>(own.shown_file);
  const auto next = number_stepper(ui, "figure/file", inside.take_left(ui.px(100)), shown + 1, 1, count, 1);
  if (next) own.shown_file = static_cast<std::size_t>(*next - 1);
  inside.take_left(ui.px(10));
  const std::string name = utf8(own.files.jobs[own.shown_file].output.filename());
  ui.text_in(Type::label, inside, ui.theme().text_muted, fmt::format("of {}: {}", count, name));
  ui.log("figure/file/name", inside, name);
}

// The request of the file that is shown.
FigureRequest shown_request(const Model& model, ExportMemory& own) {
  const auto& jobs = own.files.jobs;
  if (jobs.empty()) return model.document.figure;
  own.shown_file = std::min(own.shown_file, jobs.size() - 1);
  return jobs[own.shown_file].request;
}

// The figure on its page or alone, as the memory has it, with the bar above it; draws the memory's preview anew.
void draw_figure_page(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  ExportMemory& own = memory.get<ExportMemory>();
  refresh_files(memory, model);
  draw_bar(ui, box.take_top(ui.px(48)), own);
  draw_file_choice(ui, box, own);
  ui.fill(box, ui.theme().sunken);
  take_notices(ui, box, 20, model, actions);
  const double scale = std::round(scale_for(box.inset(ui.px(20), 0), own, own.figure.value().width) * 64) / 64;
  const FigureRequest request = shown_request(model, own);
  own.figure.request(memory.background, "figure", preview_key(model, request, scale, own.vision), [&] {
    return [figure = figure_to_preview(model, request, scale, own.vision), fonts = own.fonts] {
      return draw_preview(figure, *fonts);
    };
  });
  if (own.figure.revision() == 0) return;
  const FigurePreview& preview = own.figure.value();
  if (!preview.error.empty()) return draw_export_error(ui, box, "figure/error", preview.error);
  scroll_area(ui, "figure/page", box, [&](Rect area) {
    if (!own.figure_only) return draw_page(ui, area, own.figure, scale);
    const Rect paper{area.x + ui.px(20), area.y + ui.px(20), static_cast<float>(preview.image.width),
                     static_cast<float>(preview.image.height)};
    ui.fill(paper, hex(0xFFFFFF));
    draw_export_image(ui, "figure/preview", {paper.x, paper.y}, own.figure.revision(), preview.image);
    ui.frame(paper.inset(-1), ui.theme().line);
    return paper.h + ui.px(40);
  });
}

}  // namespace

void draw_figure_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  draw_export_columns(ui, box, memory,
                      {"Words",
                       [&](Rect area) {
                         return draw_figure_settings(ui, area, model, memory.get<ExportMemory>().figure.value(),
                                                     actions);
                       },
                       [&](Rect area) { return draw_figure_words(ui, area, model, memory, actions); },
                       [&](Rect area) { draw_figure_page(ui, area, model, memory, actions); }});
}

}  // namespace headlight::app
