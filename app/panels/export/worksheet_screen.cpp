// Where a worksheet is made: its few settings at the left, its first page, its command and files at the right.
#include <fmt/ranges.h>

#include <cmath>

#include "app/actions/exports.h"
#include "app/panels/common/notices.h"
#include "app/panels/export/parts.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

void change_sheet(Actions& actions, std::string key, std::string text) {
  actions.push_back(SetSheet{std::move(key), std::move(text)});
}

// The first option is the one that follows what is looked at.
void choose_place(Form& form, const char* label, const std::string& key, const std::vector<std::string>& titles,
                  const std::optional<Index>& now, Actions& actions) {
  int selected = 0;
  if (now) selected = *now + 1 < static_cast<Index>(titles.size()) ? static_cast<int>(*now) + 1 : -1;
  const int chosen = drop_down(form.ui, "sheet/" + key, form.row(label), titles, selected);
  if (chosen >= 0) change_sheet(actions, key, chosen == 0 ? "auto" : fmt::format("{}", chosen - 1));
}

void draw_head(Form& form, const Model& model, const WorksheetRequest& request, Actions& actions) {
  Index heads = 1;
  for (const Step& step : model.trace()->steps) heads = std::max(heads, heads_served(step));
  if (heads < 2) return;
  std::vector<std::string> titles{fmt::format("As shown · {}", model.document.look.head)};
  for (Index head = 0; head < heads; ++head) titles.push_back(head_name(*model.trace(), head));
  choose_place(form, "Head", "head", titles, model.sheet.head ? std::optional(request.head) : std::nullopt, actions);
}

// Queries by name where they are few, else by number.
void draw_query(Form& form, const Model& model, const WorksheetRequest& request, Actions& actions) {
  const Axis* queries = queries_of(*model.trace());
  if (!queries || queries->only || queries->size < 2) return;
  constexpr Index most_titles = 64;
  const auto label = [&](Index i) { return form.ui.fonts().display_text(label_of(queries, i, request.batch)); };
  if (queries->size <= most_titles) {
    std::vector<std::string> titles{"As shown · " + label(std::min(request.query.value_or(0), queries->size - 1))};
    if (model.sheet.query) titles.front() = "As shown";
    for (Index i = 0; i < queries->size; ++i) titles.push_back(fmt::format("{} · {}", i, label(i)));
    choose_place(form, "Query", "query", titles, model.sheet.query, actions);
    return;
  }
  const Index now = request.query.value_or(0);
  const auto next = number_stepper(form.ui, "sheet/query", form.row("Query"), now, 0, queries->size - 1, 1, label(now));
  if (next) change_sheet(actions, "query", fmt::format("{}", *next));
  if (model.sheet.query && button(form.ui, "sheet/query/auto", form.row(""), "As shown"))
    change_sheet(actions, "query", "auto");
}

// A number of a worksheet's settings, and what it counts.
void choose_count(Form& form, const char* label, const std::string& key, long long now, long long least, long long most,
                  const char* unit, Actions& actions) {
  Ui& ui = form.ui;
  Rect line = form.row(label);
  if (const auto next = number_stepper(ui, "sheet/" + key, line.take_left(ui.px(100)), now, least, most))
    change_sheet(actions, key, fmt::format("{}", *next));
  line.take_left(ui.px(8));
  ui.text_in(Type::note, line, ui.theme().text_faint, unit);
}

// Sheets of several rows: their queries, by number; what is typed and is none is told below.
void choose_rows(Form& form, const Model& model, ExportMemory& own, Actions& actions) {
  constexpr const char* path = "sheet/rows";
  Ui& ui = form.ui;
  if (own.rows != model.sheet.rows) {  // they were set elsewhere
    own.rows = model.sheet.rows;
    own.rows_typed = fmt::format("{}", fmt::join(own.rows, ", "));
  }
  const FieldResult typed = text_field(ui, path, form.row("Several rows"), own.rows_typed, false, "such as 3, 5, 9");
  SheetSettings with = model.sheet;
  const Status read = set_sheet(with, "rows", own.rows_typed);
  if (typed.changed && read) {
    own.rows = with.rows;
    change_sheet(actions, "rows", own.rows_typed);
  }
  if (!read) form.log_words("sheet/rows/error", ui.theme().error, read.error().message + ".", Type::note, 6);
}

void draw_exercise(Form& form, const Model& model, const WorksheetPreview& preview, ExportMemory& own,
                   Actions& actions) {
  Ui& ui = form.ui;
  const SheetSettings& sheet = model.sheet;
  form.heading("Exercise");
  const int run = segments(ui, "sheet/run", form.row("Numbers"),
                           {{"shown", "As shown", ""}, {"by-hand", "By hand", ""}}, sheet.by_hand ? 1 : 0);
  if (run >= 0) change_sheet(actions, "by-hand", run == 1 ? "on" : "off");
  if (sheet.by_hand) {
    form.words(ui.theme().text_faint, "Four words, of two whole numbers each, from 0 to 3.", Type::note, 6);
  } else {
    const WorksheetRequest request = sheet_request(model);
    draw_head(form, model, request, actions);
    if (sheet.rows.empty()) draw_query(form, model, request, actions);
  }
  choose_count(form, "Blanks", "blanks", sheet.blanks ? *sheet.blanks : static_cast<long long>(preview.blanks), 0, 99,
               "left out", actions);
  if (!preview.note.empty() && preview.error.empty())
    form.log_words("sheet/note", ui.theme().text_muted, preview.note, Type::note, 6);
  if (button(ui, "sheet/seed", form.row("Which"), sheet.by_hand ? "Other numbers" : "Other blanks"))
    change_sheet(actions, "seed", fmt::format("{}", sheet.seed % 1000 + 1));
  choose_rows(form, model, own, actions);
  if (sheet.rows.empty())
    choose_count(form, "How many", "copies", sheet.copies, 1, most_copies, sheet.copies > 1 ? "sheets" : "sheet",
                 actions);
}

float draw_settings_column(Ui& ui, Rect box, const Model& model, const WorksheetPreview& preview, ExportMemory& own,
                           Actions& actions) {
  Form form = export_form(ui, box, model, actions);
  draw_exercise(form, model, preview, own, actions);
  form.divider(box.x, box.w);
  form.heading("Files");
  const int paper = segments(ui, "sheet/paper", form.row("Paper"), {{"a4", "A4", ""}, {"letter", "Letter", ""}},
                             model.sheet.letter ? 1 : 0);
  if (paper >= 0) change_sheet(actions, "paper", paper == 1 ? "letter" : "a4");
  Rect key = form.row("With key");
  if (const auto next = toggle(ui, "sheet/key", key, model.sheet.with_key))
    change_sheet(actions, "key", *next ? "on" : "off");
  form.y += ui.px(8);
  form.words(
      ui.theme().text_faint,
      "One query of one head, step by step. A box is drawn only where the rest of the sheet gives its "
      "number. The key has the numbers, and how each comes about. Of more sheets each has other numbers, or another "
      "of these rows, and a number of its own, and the answers stand behind them in the same file.");
  return form.y + ui.px(20) - box.y;
}

void draw_sheet_bar(Ui& ui, Rect bar, std::size_t copies, PanelMemory& memory) {
  Rect inside = draw_export_bar(ui, bar);
  const int side = segments(ui, "sheet/side", inside.take_left(std::min(ui.px(200), inside.w)),
                            {{"questions", "Questions", ""}, {"key", "Key", ""}},
                            memory.get<ExportMemory>().sheet_side == SheetSide::key ? 1 : 0);
  if (side >= 0) memory.get<ExportMemory>().sheet_side = side == 1 ? SheetSide::key : SheetSide::questions;
  const WorksheetPreview& preview = memory.get<ExportMemory>().sheet.value();
  std::string words = preview.pages > 1 ? fmt::format("Page 1 of {}", preview.pages) : "";
  if (copies > 1 && memory.get<ExportMemory>().sheet_side == SheetSide::questions)
    words = fmt::format("Sheet 1 of {}{}{}", copies, words.empty() ? "" : ", ", words);
  ui.text_in(Type::label, inside, ui.theme().text_muted, words, Ui::Align::right);
}

void draw_page(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  ExportMemory& own = memory.get<ExportMemory>();
  refresh_files(memory, model);
  draw_sheet_bar(ui, box.take_top(ui.px(48)), model.sheet.sheets(), memory);
  ui.fill(box, ui.theme().sunken);
  take_notices(ui, box, 20, model, actions);
  const double width = (model.sheet.letter ? letter_paper : a4_paper).width;
  const double room = static_cast<double>(box.w - ui.px(40)) / width;
  const double scale = std::round(std::clamp(room, 0.5, 4.0) * 64) / 64;
  own.sheet.request(memory.background, "sheet", preview_key(model, own.sheet_side, scale), [&] {
    return [sheet = sheet_job(model), side = own.sheet_side, scale, fonts = own.fonts] {
      return draw_preview(sheet, side, scale, *fonts);
    };
  });
  if (own.sheet.revision() == 0) return;
  const WorksheetPreview& preview = own.sheet.value();
  if (!preview.error.empty()) return draw_export_error(ui, box, "sheet/error", preview.error);
  scroll_area(ui, "sheet/page", box, [&](Rect area) {
    const auto wide = static_cast<float>(preview.image.width), high = static_cast<float>(preview.image.height);
    const Rect paper{std::round(area.middle().x - wide / 2), area.y + ui.px(14), wide, high};
    draw_export_image(ui, "sheet/preview", {paper.x, paper.y}, own.sheet.revision(), preview.image);
    ui.frame(paper.inset(-1), ui.theme().line);
    return paper.h + ui.px(28);
  });
}

float draw_words_column(Ui& ui, Rect area, const Model& model, PanelMemory& memory, Actions& actions) {
  Rect box = area.inset(ui.px(18), 0);
  box.y += ui.px(14);
  box.h = 1e5F;
  const float top = box.y;
  const bool two = model.sheet.with_key && model.sheet.sheets() == 1;
  draw_export_command(
      ui, box, model, "sheet", sheet_command(model),
      two ? "The same two files, byte for byte, with no display." : "The same file, byte for byte, with no display.",
      actions);
  draw_export_saving(ui, box, model, memory.get<ExportMemory>().files,
                     {"sheet", sheet_path(model), two ? "Export 2 PDFs" : "Export PDF", SaveSheet{},
                      [](std::string path) -> Action {
                        return SetSheet{"path", std::move(path)};
                      }},
                     actions);
  return box.y - top + ui.px(34);
}

}  // namespace

void draw_worksheet_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  draw_export_columns(ui, box, memory,
                      {"Command",
                       [&](Rect area) {
                         return draw_settings_column(ui, area, model, memory.get<ExportMemory>().sheet.value(),
                                                     memory.get<ExportMemory>(), actions);
                       },
                       [&](Rect area) { return draw_words_column(ui, area, model, memory, actions); },
                       [&](Rect area) { draw_page(ui, area, model, memory, actions); }});
}

}  // namespace headlight::app
