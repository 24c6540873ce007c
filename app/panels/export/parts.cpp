#include "app/panels/export/parts.h"
#include "app/actions/action_table.h"

#include <imgui.h>

#include <cmath>

#include "app/actions/update.h"
#include "app/panels/common/notices.h"

namespace headlight::app {

namespace {

// The words of the command, broken so that every flag begins a line.
std::vector<std::string> command_lines(const std::string& command) {
  std::vector<std::string> lines{""};
  constexpr std::size_t longest = 30;  // letters, as the right column has room for
  std::string word;
  bool quoted = false;
  const auto take = [&] {
    if (word.empty()) return;
    // A path that would be cut at the end of its line stands on one of its own.
    const bool path = word.find('/') != std::string::npos && lines.back().size() + word.size() > longest;
    if ((word.starts_with("-") || path) && !lines.back().empty()) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
    word.clear();
  };
  for (const char c : command) {
    if (c == '\'') quoted = !quoted;
    if (c == ' ' && !quoted)
      take();
    else
      word += c;
  }
  take();
  return lines;
}

void draw_command_card(Ui& ui, Rect card, const std::vector<std::string>& lines) {
  const Color32 ground = ui.theme().dark ? ui.theme().sunken : hex(0x17181C), words = hex(0xF4F4F1),
                flags = hex(0xF5B84A);
  ui.fill(card, ground, ui.px(6));
  if (ui.theme().dark) ui.frame(card, ui.theme().line, ui.px(6));
  float y = card.y + ui.px(10);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string text = lines[i] + (i + 1 < lines.size() ? " \\" : "");
    std::string head = text.starts_with("-") ? text.substr(0, text.find(' ')) : "";
    if (i == 0) head = "headlight";
    const float x = card.x + ui.px(i == 0 ? 12 : 26);
    const std::string rest = text.substr(std::min(text.size(), head.size()));
    const float wide = ui.width_of(Type::number_note, head);
    ui.text(Type::number_note, {x, y}, flags, head);
    ui.text_in(Type::number_note, {x + wide, y, card.right() - ui.px(10) - x - wide, ui.px(16)}, words, rest);
    y += ui.px(18);
  }
}

std::string progress_words(const ExportProgress& progress) {
  if (progress.total == 1) return "Writing";
  return progress.name.empty() ? fmt::format("0 of {}", progress.total)
                               : fmt::format("{} of {}: {}", progress.done, progress.total, progress.name);
}

void draw_progress(Ui& ui, Rect box, const std::string& id, const ExportProgress& progress) {
  const std::string words = progress_words(progress);
  ui.text_in(Type::note, box.take_top(ui.px(18)), ui.theme().text_muted, words);
  Rect bar = box.take_top(ui.px(6));
  ui.log(id + "/progress", bar, words);
  ui.fill(bar, ui.theme().sunken, ui.px(3));
  const float part = static_cast<float>(progress.done) / static_cast<float>(std::max<std::size_t>(1, progress.total));
  if (progress.done > 0) ui.fill({bar.x, bar.y, std::max(bar.h, bar.w * part), bar.h}, ui.theme().ink, ui.px(3));
}

}  // namespace

void draw_export_columns(Ui& ui, Rect box, PanelMemory& memory, const ExportColumns& columns) {
  const bool wide = box.w / ui.scale() >= 1100;
  Rect left = box.take_left(ui.px(std::min(304.0F, box.w / ui.scale() * 0.42F)));
  const Rect right = wide ? box.take_right(ui.px(332)) : Rect{};
  columns.page(box);
  ui.fill(left, ui.theme().panel);
  ui.line({left.right() - 1, left.y}, {left.right() - 1, left.bottom()}, ui.theme().line);
  left.w -= 1;
  bool words = false;
  if (!wide) {
    Rect top = left.take_top(ui.px(48)).inset(ui.px(16), ui.px(8));
    const int chosen =
        segments(ui, "left/tab", top, {{"setup", "Settings", ""}, {"inspector", columns.words_title, ""}},
                 memory.get<ExportMemory>().words_tab ? 1 : 0);
    if (chosen >= 0) memory.get<ExportMemory>().words_tab = chosen == 1;
    words = memory.get<ExportMemory>().words_tab;
  }
  scroll_area(ui, words ? "figure/words" : "figure/settings", left,
              [&](Rect area) { return words ? columns.words(area) : columns.settings(area); });
  if (!wide) return;
  ui.fill(right, ui.theme().panel);
  ui.line({right.x, right.y}, {right.x, right.bottom()}, ui.theme().line);
  scroll_area(ui, "figure/words", right, columns.words);
}

void refresh_files(PanelMemory& memory, const Model& model) {
  constexpr double look_again = 1;  // seconds
  PlannedFiles& planned = memory.get<ExportMemory>().files;
  refresh(planned, model);
  if (!planned.task || model.now - planned.looked_at < look_again) return;
  planned.looked_at = model.now;
  memory.background.run("files", [&planned, task = planned.task, exported = model.exported]() -> Background::Taken {
    const std::size_t replaced = files_replaced(exported, *task).size();
    return [&planned, task, replaced] {
      if (planned.task == task) planned.replaced = replaced;
    };
  });
}

Form export_form(Ui& ui, Rect box, const Model& model, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(16)};
  const bool sheet = model.screen == Screen::worksheet;
  ui.text(Type::title, {form.column.x, form.y}, ui.theme().text, "Export");
  form.y += ui.px(34);
  const int chosen = segments(ui, "export/what", form.line(32, 14),
                              {{"figure", "Figure", ""}, {"worksheet", "Worksheet", ""}}, sheet ? 1 : 0);
  if (chosen >= 0) actions.push_back(ShowScreen{chosen == 1 ? Screen::worksheet : Screen::figure});
  return form;
}

Rect draw_export_bar(Ui& ui, Rect bar) {
  ui.fill(bar, ui.theme().canvas);
  ui.line({bar.x, bar.bottom() - 1}, {bar.right(), bar.bottom() - 1}, ui.theme().line);
  return bar.inset(ui.px(20), (bar.h - ui.px(32)) / 2);
}

void draw_export_image(Ui& ui, const std::string& path, Point at, std::uint64_t revision, const Image& image) {
  if (image.width == 0) return;
  const auto width = static_cast<int>(image.width), height = static_cast<int>(image.height);
  const auto texture =
      ui.painter().picture(path, revision, width, height, reinterpret_cast<const std::uint32_t*>(image.rgba.data()));
  const float x = std::round(at.x), y = std::round(at.y);
  if (texture)
    ui.list().AddImage((ImTextureID)(texture), {x, y}, {x + static_cast<float>(width), y + static_cast<float>(height)});
  ui.log(path, {x, y, static_cast<float>(width), static_cast<float>(height)}, fmt::format("{}×{}", width, height));
}

void draw_export_error(Ui& ui, Rect box, const std::string& path, const std::string& error) {
  const Point at{box.x + ui.px(36), box.y + ui.px(32)};
  const float width = box.w - ui.px(72);
  const float height = paragraph(ui, at, width, ui.theme().text, error, false, Type::label);
  const Rect card{box.x + ui.px(20), box.y + ui.px(20), box.w - ui.px(40), height + ui.px(24)};
  ui.fill(card, ui.theme().warning_soft, ui.px(6));
  paragraph(ui, at, width, ui.theme().text, error, true, Type::label);
  ui.log(path, card, error);
}

void draw_export_command(Ui& ui, Rect& box, const Model& model, const std::string& id, const std::string& command,
                         const std::string& note, Actions& actions) {
  Rect title = box.take_top(ui.px(28));
  if (button(ui, id + "/copy", title.take_right(ui.px(64)), "Copy", ButtonLook::ghost))
    actions.push_back(CopyCommand{});
  ui.text_in(Type::heading, title, ui.theme().text_muted, "Command");
  const auto lines = command_lines(command);
  const Rect card = box.take_top(ui.px(20) + ui.px(18) * static_cast<float>(lines.size()));
  draw_command_card(ui, card, lines);
  ui.log(id + "/command", card, command);
  box.take_top(ui.px(6));
  if (!command_is_true(model)) {
    const char* why = "Save the experiment first: the command runs its file, and that is not what is shown.";
    ui.log(id + "/command/warning", {box.x, box.y, box.w, ui.px(32)}, why);
    take_paragraph(ui, box, ui.theme().warning, why, Type::note, 8);
    return;
  }
  take_paragraph(ui, box, ui.theme().text_faint, note, Type::note, 8);
}

void draw_export_saving(Ui& ui, Rect& box, const Model& model, const PlannedFiles& planned, const Saving& saving,
                        Actions& actions) {
  std::string path = saving.path;
  if (text_field(ui, saving.id + "/path", box.take_top(ui.px(34)), path, false, "Path of the file", {.own_undo = true})
          .changed)
    actions.push_back(saving.set_path(path));
  const ExportProgress& exporting = model.exporting;
  if (exporting.busy && !exporting.shows()) ui.redraw_at(ui.now() + 0.05);
  const std::string replaced = describe_replaced(planned);
  const std::string& words = planned.error.empty() ? replaced : planned.error;
  if (exporting.shows()) {
    box.take_top(ui.px(8));
    draw_progress(ui, box.take_top(ui.px(26)), saving.id, exporting);
  } else if (!words.empty()) {
    box.take_top(ui.px(6));
    ui.log(saving.id + (planned.error.empty() ? "/replaced" : "/path/error"), {box.x, box.y, box.w, ui.px(16)}, words);
    take_paragraph(ui, box, planned.error.empty() ? ui.theme().text_faint : ui.theme().warning, words);
  }
  box.take_top(ui.px(12));
  Rect buttons = box.take_top(ui.px(36));
  if (button(ui, saving.id + "/cancel", buttons.take_left(ui.px(104)), "Back"))
    actions.push_back(ShowScreen{Screen::explore});
  buttons.take_left(ui.px(10));
  if (exporting.shows()) {
    if (button(ui, saving.id + "/stop", buttons, fmt::format("Cancel   {}", chord_of("cancel-export"))))
      actions.push_back(CancelExport{});
  } else if (button(ui, saving.id + "/save", buttons, fmt::format("{}   {}", saving.button, chord_of("save-figure")),
                    ButtonLook::primary, std::nullopt, why_not(saving.save, model).empty())) {
    actions.push_back(saving.save);
  }
}

}  // namespace headlight::app
