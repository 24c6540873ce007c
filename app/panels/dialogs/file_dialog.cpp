#include "app/panels/dialogs/parts.h"

#include "app/model/browse.h"
#include "app/panels/export/parts.h"
#include "app/platform/chooser.h"
#include "app/platform/input.h"
#include "app/platform/places.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

// One line of the list.
struct Row {
  fs::path path;
  std::string name;
  FileKind kind = FileKind::experiment;
  std::string about;  // size and date, or what it shows
};

bool saves(const Model& model) {
  return model.dialog != Dialog::open;
}

// What is typed, as a folder and the name in it: "~/papers/at" is "at" in papers of one's home.
struct Typing {
  fs::path folder;
  std::string name;
};

Typing typing_of(const FileDialog& files) {
  std::string text = files.typed;
  if (text == "~" || text.starts_with("~/")) text = utf8(home_folder()) + text.substr(1);
  const auto slash = text.rfind('/');
  if (slash == std::string::npos) return {files.folder, text};
  return {(fs::path(files.folder) / text.substr(0, slash + 1)).lexically_normal(), text.substr(slash + 1)};
}

fs::path listed_folder(const FileDialog& files, const Model& model) {
  if (files.source == FileDialog::Source::examples) return model.examples;
  const fs::path folder = typing_of(files).folder;
  std::error_code ignored;
  return folder != files.folder && fs::is_directory(folder, ignored) ? folder : fs::path(files.folder);
}

std::string about(const Listed& file) {
  if (!file.about.empty()) return file.about;
  return file.kind == FileKind::folder ? "" : fmt::format("{}   {}", size_in_words(file.bytes), file.time);
}

std::vector<Row> all_rows(const Model& model, const FileDialog& files) {
  std::vector<Row> rows;
  if (files.source == FileDialog::Source::recent) {
    for (const auto& path : model.recent)
      rows.push_back({path, utf8(path.filename()), FileKind::experiment, utf8(path.parent_path())});
    return rows;
  }
  const fs::path folder = listed_folder(files, model);
  if (!model.listing || model.listing->folder != folder) return rows;
  for (const auto& file : model.listing->files)
    if (model.dialog == Dialog::open || file.kind == FileKind::folder || file.kind == FileKind::experiment)
      rows.push_back({folder / file.name, file.name, file.kind, about(file)});
  return rows;
}

// Those that hold what is typed; a name to save under hides none.
std::vector<Row> rows_of(const Model& model, const FileDialog& files) {
  std::vector<Row> rows = all_rows(model, files);
  const std::string name = lower_case(typing_of(files).name);
  if (model.dialog == Dialog::open)
    std::erase_if(rows, [&](const Row& row) { return lower_case(row.name).find(name) == std::string::npos; });
  return rows;
}

void fill_field(FileDialog& files, std::string text) {
  files.typed = std::move(text);
  files.takes_keyboard = true;
}

void enter_folder(FileDialog& files, const fs::path& folder, bool keep_typed) {
  files.source = FileDialog::Source::folder;
  files.folder = utf8(folder.lexically_normal());
  files.chosen.clear();
  fill_field(files, keep_typed ? typing_of(files).name : "");
}

void open_file(const fs::path& path, const Model& model, FileDialog& files, Actions& actions) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return enter_folder(files, path, saves(model));
  if (model.dialog == Dialog::save_training) return actions.push_back(SaveTraining{path});
  if (saves(model)) {
    const fs::path whole = path.has_extension() ? path : fs::path(path) += ".headlight";
    actions.push_back(model.dialog == Dialog::save ? Action(Save{whole}) : Action(SaveWithInputs{whole}));
    return;
  }
  actions.push_back(ShowDialog{Dialog::none});
  actions.push_back(Open{path});
}

// What Enter and the button do: the row that is lit, else what is typed, else the first row that was found by it.
void accept(const Model& model, FileDialog& files, const std::vector<Row>& rows, Actions& actions) {
  if (!files.chosen.empty()) return open_file(files.chosen, model, files, actions);
  const Typing typing = typing_of(files);
  if (typing.name.empty() && files.typed.empty()) return;
  const fs::path path = typing.name.empty() ? typing.folder : typing.folder / typing.name;
  std::error_code ignored;
  const bool is_there = fs::exists(path, ignored);
  if (model.dialog == Dialog::open && !is_there && !rows.empty())
    return open_file(rows.front().path, model, files, actions);
  open_file(path, model, files, actions);
}

// Completes what is typed to the longest beginning that all names with it share.
void complete(const Model& model, FileDialog& files) {
  const Typing typing = typing_of(files);
  std::string common;
  int count = 0;
  bool folder = false;
  for (const Row& row : all_rows(model, files)) {
    if (!lower_case(row.name).starts_with(lower_case(typing.name))) continue;
    if (count++ == 0)
      common = row.name;
    else
      while (!lower_case(row.name).starts_with(lower_case(common))) common.pop_back();
    folder = row.kind == FileKind::folder;
  }
  if (count == 0) return fill_field(files, files.typed);
  files.typed.resize(files.typed.size() - std::min(typing.name.size(), files.typed.size()));
  fill_field(files, files.typed + common + (count == 1 && folder ? "/" : ""));
}

// ---- Keys

void move_chosen_row(FileDialog& files, const std::vector<Row>& rows, int by) {
  if (rows.empty()) return;
  const auto at = std::ranges::find(rows, fs::path(files.chosen), &Row::path);
  const auto last = static_cast<std::ptrdiff_t>(rows.size()) - 1;
  std::ptrdiff_t next = at - rows.begin() + by;
  if (at == rows.end()) next = by > 0 ? 0 : last;
  files.chosen = utf8(rows[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, last))].path);
}

// Before the field takes its own. Returns whether the lit row was moved.
bool answer_keys(Ui& ui, const Model& model, FileDialog& files, const std::vector<Row>& rows, Actions& actions) {
  constexpr int page = 10;  // rows
  bool moved = false;
  if (take_key(Key::up, {.alt = true})) enter_folder(files, fs::path(files.folder).parent_path(), false);
  for (const auto& [key, by] : {std::pair{Key::down, 1}, {Key::up, -1}, {Key::page_down, page}, {Key::page_up, -page}})
    if (take_key(key)) {
      move_chosen_row(files, rows, by);
      moved = true;
    }
  const bool in_field = ui.memory().focus == "dialog/path";
  if (in_field && take_key(Key::tab, {}, false)) complete(model, files);
  if (!in_field && !ui.memory().focus.empty()) return moved;
  if (take_enter()) accept(model, files, rows, actions);
  return moved;
}

// ---- Drawing

void draw_places(Ui& ui, Rect line, const Model& model, FileDialog& files) {
  using Source = FileDialog::Source;
  if (model.dialog == Dialog::open) {
    const int source = segments(ui, "dialog/source", line.take_right(ui.px(300)),
                                {{"folder", "Folder", ""},
                                 {"recent", "Recent", model.recent.empty() ? "Nothing was opened or saved yet" : ""},
                                 {"examples", "Examples", ""}},
                                static_cast<int>(files.source));
    if (source >= 0) {
      files.source = static_cast<Source>(source);
      files.chosen.clear();
      fill_field(files, "");
    }
    line.take_right(ui.px(12));
  }
  if (files.source != Source::folder) {
    ui.text_in(Type::label, line, ui.theme().text_muted,
               files.source == Source::recent ? "Experiments that were open" : "Experiments that come with Headlight");
    return;
  }
  const fs::path folder = listed_folder(files, model);
  const auto place = [&](const char* id, const char* words, const fs::path& to) {
    const float width = ui.width_of(Type::control, words) + ui.px(28);
    if (button(ui, id, line.take_left(width), words, ButtonLook::secondary, std::nullopt, !to.empty() && to != folder))
      enter_folder(files, to, saves(model));
    line.take_left(ui.px(8));
  };
  place("dialog/up", "Up", folder.parent_path());
  place("dialog/home", "Home", home_folder());
  ui.log("dialog/folder", line, utf8(folder));
  ui.text_in(Type::label, line, ui.theme().text_muted, ui.fonts().display_text(utf8(folder)));
}

void draw_row(Ui& ui, Rect line, const Row& row, const Model& model, FileDialog& files, Actions& actions) {
  const std::string path = "dialog/files/" + row.name;
  const bool lit = files.chosen == utf8(row.path);
  const bool recent = files.source == FileDialog::Source::recent;
  const auto hit = ui.hit(path, line, false, row.name, lit ? "selected" : "");
  const bool twice = ui.double_clicked(line);
  if (lit)
    ui.fill(line, with_alpha(ui.theme().query.main, 0.16F));
  else if (hit.hovered)
    ui.fill(line, ui.theme().sunken);
  Rect inside = line.inset(ui.px(10), 0);
  Rect icon = inside.take_left(ui.px(recent ? 60 : 24));
  if (recent) draw_thumbnail(ui, icon.take_left(ui.px(48)).inset(0, ui.px(4)), row.path, model);
  if (row.kind == FileKind::folder)
    draw_icon(ui, Icon::folder, {icon.x + ui.px(8), icon.middle().y}, ui.theme().text_faint);
  const float name = std::min(ui.width_of(Type::label, row.name), inside.w * 0.6F) + ui.px(12);
  ui.text_in(Type::label, inside.take_left(name), ui.theme().text, ui.fonts().display_text(row.name));
  ui.text_in(Type::note, inside, ui.theme().text_faint, row.about, Ui::Align::right);
  if (hit.clicked) files.chosen = utf8(row.path);
  if (twice) open_file(row.path, model, files, actions);
}

std::string why_no_rows(const Model& model, const FileDialog& files) {
  if (files.source == FileDialog::Source::recent) return "Nothing of that name";
  if (!model.listing || model.listing->folder != listed_folder(files, model)) return "Reading …";
  if (!model.listing->error.empty()) return model.listing->error;
  if (saves(model)) return "Nothing is here yet";
  if (!files.typed.empty()) return "No name here holds what is typed";
  return has_chooser() ? "Nothing is kept here yet: take it from this computer, or drop it on the page"
                       : "Nothing here that opens";
}

void draw_list(Ui& ui, Rect box, const Model& model, FileDialog& files, const std::vector<Row>& rows, bool moved,
               Actions& actions) {
  ui.frame(box, ui.theme().line, ui.px(6));
  if (rows.empty()) {
    const std::string why = why_no_rows(model, files);
    ui.log("dialog/empty", box, why);
    ui.text_in(Type::label, box.inset(ui.px(12), ui.px(8)).take_top(ui.px(30)), ui.theme().text_faint, why);
    return;
  }
  const float row = ui.px(files.source == FileDialog::Source::recent ? 56 : 30);
  const auto lit = std::ranges::find(rows, fs::path(files.chosen), &Row::path);
  if (lit != rows.end() && moved) {  // the lit row stays in sight
    float& scroll = ui.memory().scroll["dialog/files"];
    const float top = row * static_cast<float>(lit - rows.begin());
    scroll = std::clamp(scroll, std::max(0.0F, top + row - (box.h - 2)), top);
  }
  scroll_rows(ui, "dialog/files", box.inset(1), rows.size(), row,
              [&](std::size_t i, Rect line) { draw_row(ui, line, rows[i], model, files, actions); });
}

void draw_preview(Ui& ui, Rect box, const Model& model, const FileDialog& files) {
  ui.fill(box, ui.theme().sunken, ui.px(6));
  Rect inside = box.inset(ui.px(12));
  const Preview* preview = model.preview && model.preview->path == files.chosen ? model.preview.get() : nullptr;
  if (!preview || files.chosen.empty()) {
    paragraph(ui, {inside.x, inside.y}, inside.w, ui.theme().text_faint,
              files.chosen.empty() ? "Choose a file to see what is in it." : "Reading it …", true, Type::note);
    return;
  }
  ui.clip(box);
  if (preview->picture) {
    const auto revision = static_cast<std::uint64_t>(std::hash<std::string>()(utf8(preview->path)));
    draw_export_image(ui, "dialog/preview/picture", {inside.x, inside.y}, revision, *preview->picture);
    inside.take_top(static_cast<float>(preview->picture->height) + ui.px(10));
  }
  std::string words;
  for (const auto& line : preview->lines) {
    take_paragraph(ui, inside, ui.theme().text, ui.fonts().display_text(line), Type::label, 4);
    words += line + "\n";
  }
  ui.log("dialog/preview", box, words);
  ui.unclip();
}

// The pictures of a folder, one after the other.
void draw_frames_button(Ui& ui, Rect& buttons, const Model& model, const FileDialog& files, Actions& actions) {
  if (model.dialog != Dialog::open || files.source != FileDialog::Source::folder) return;
  std::error_code ignored;
  const bool of_row = !files.chosen.empty() && fs::is_directory(files.chosen, ignored);
  const fs::path folder = of_row ? fs::path(files.chosen) : listed_folder(files, model);
  const bool pictures = of_row || (model.listing && model.listing->folder == folder &&
                                   std::ranges::count(model.listing->files, FileKind::picture, &Listed::kind) > 1);
  if (!button(ui, "dialog/frames", buttons.take_left(ui.px(190)), "Open folder as frames", ButtonLook::secondary,
              std::nullopt, pictures))
    return;
  actions.push_back(ShowDialog{Dialog::none});
  actions.push_back(Open{folder});
}

// What lies on the computer of whoever looks at a page.
void draw_chooser(Ui& ui, Rect& buttons, const Model& model, Actions& actions) {
  if (!has_chooser() || model.dialog != Dialog::open) return;
  const bool files = button(ui, "dialog/computer", buttons.take_left(ui.px(180)), "From this computer");
  buttons.take_left(ui.px(8));
  const bool folder = button(ui, "dialog/computer-folder", buttons.take_left(ui.px(96)), "A folder");
  buttons.take_left(ui.px(8));
  if (!files && !folder) return;
  choose_files(folder);
  actions.push_back(ShowDialog{Dialog::none});
}

void draw_field(Ui& ui, Rect box, const Model& model, FileDialog& files) {
  if (files.takes_keyboard) {  // with the text as it is now, and the cursor at its end
    if (ui.memory().editing && ui.memory().editing->path == "dialog/path") ui.memory().editing.reset();
    ui.memory().text_at_end = "dialog/path";
    focus_text_field(ui, "dialog/path");
    files.takes_keyboard = false;
  }
  if (text_field(ui, "dialog/path", box, files.typed, false,
                 model.dialog == Dialog::open ? "Type to find a file, or a path" : "Name, or a path",
                 {.own_undo = true, .passes_escape = true})
          .changed)
    files.chosen.clear();
}

// What went wrong when it was tried: the card hides the window's own notices.
void draw_trouble(Ui& ui, Rect& inside, const Model& model) {
  if (model.notices.empty() || model.notices.back().level != Notice::Level::error) return;
  const std::string& text = model.notices.back().text;
  const float height = paragraph(ui, {}, inside.w, ui.theme().error, text, false, Type::note);
  const Rect place = inside.take_bottom(height + ui.px(6));
  ui.log("dialog/error", place, text);
  paragraph(ui, {place.x, place.y}, place.w, ui.theme().error, text, true, Type::note);
}

// Asks the session for what is to be shown, once.
void browse(const Model& model, FileDialog& files, Actions& actions) {
  if (const std::string folder = utf8(listed_folder(files, model)); files.asked != folder) {
    files.asked = folder;
    actions.push_back(Browse{folder});
  }
  if (files.peeked == files.chosen) return;
  files.peeked = files.chosen;
  if (!files.chosen.empty()) actions.push_back(Peek{files.chosen});
}

}  // namespace

void begin_file_dialog(const Model& model, PanelMemory& memory) {
  FileDialog& files = memory.get<FileDialog>();
  std::error_code ignored;
  if (files.folder.empty() || !fs::is_directory(files.folder, ignored)) {
    const fs::path beside = model.path.parent_path();
    files.folder = utf8(fs::absolute(beside.empty() ? fs::path(".") : beside, ignored).lexically_normal());
    if (files.folder.size() > 1 && files.folder.ends_with('/')) files.folder.pop_back();
  }
  files.source = FileDialog::Source::folder;
  files.asked.clear();  // it may hold others by now
  files.chosen.clear();
  if (model.dialog == Dialog::open) return fill_field(files, "");
  if (!model.path.empty()) files.folder = utf8(fs::absolute(model.path, ignored).lexically_normal().parent_path());
  if (model.dialog == Dialog::save_training) return fill_field(files, training_asked(model).task->info().id);
  fill_field(files, model.path.empty() ? "experiment.headlight" : utf8(model.path.filename()));
}

void draw_file_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  FileDialog& files = memory.get<FileDialog>();
  const bool opens = model.dialog == Dialog::open;
  const char* title = model.dialog == Dialog::save ? "Save the experiment" : "Save the experiment with its inputs";
  if (model.dialog == Dialog::save_training) title = "Save the trained network: the name of a new folder";
  Rect inside = draw_dialog_card(ui, window, 900, 600, opens ? "Open" : title, actions);
  if (opens) take_paragraph(ui, inside, ui.theme().text_muted, kinds_that_open(), Type::note, 8);
  draw_embed_summary(ui, inside, model);
  const Rect field = inside.take_top(ui.px(34));
  inside.take_top(ui.px(10));
  draw_places(ui, inside.take_top(ui.px(32)), model, files);
  inside.take_top(ui.px(10));
  Rect buttons = inside.take_bottom(ui.px(32));
  inside.take_bottom(ui.px(12));
  draw_trouble(ui, inside, model);
  const std::vector<Row> rows = rows_of(model, files);
  const bool moved = answer_keys(ui, model, files, rows, actions);
  draw_field(ui, field, model, files);
  if (inside.w > ui.px(560) && model.dialog != Dialog::save_training) {
    draw_preview(ui, inside.take_right(ui.px(244)), model, files);
    inside.take_right(ui.px(12));
  }
  draw_list(ui, inside, model, files, rows, moved, actions);
  const bool can = model.dialog != Dialog::save_with_inputs || (model.to_embed && model.to_embed->error.empty());
  const bool ready = can && (!files.chosen.empty() || !files.typed.empty());
  if (button(ui, opens ? "dialog/open" : "dialog/save", buttons.take_right(ui.px(110)), opens ? "Open" : "Save",
             ButtonLook::primary, std::nullopt, ready))
    accept(model, files, rows, actions);
  buttons.take_right(ui.px(8));
  if (button(ui, "dialog/cancel", buttons.take_right(ui.px(96)), "Cancel")) actions.push_back(ShowDialog{Dialog::none});
  draw_chooser(ui, buttons, model, actions);
  draw_frames_button(ui, buttons, model, files, actions);
  browse(model, files, actions);
}

}  // namespace headlight::app
