#include <algorithm>
#include <cmath>

#include "app/model/inputs.h"
#include "app/panels/panels.h"
#include "app/panels/shortcuts.h"

namespace headlight::app {

namespace {

namespace fs = std::filesystem;

Rect draw_card(Ui& ui, Rect window, float width, float height, std::string_view title, Actions& actions) {
  ui.fill(window, with_alpha(hex(0x000000), ui.theme().dark ? 0.5F : 0.28F));
  const float w = std::min(ui.px(width), window.w - ui.px(32)), h = std::min(ui.px(height), window.h - ui.px(32));
  const Rect card{std::round(window.middle().x - w / 2), std::round(window.middle().y - h / 2), w, h};
  ui.fill(card, ui.theme().canvas, ui.px(12));
  ui.frame(card, ui.theme().line_strong, ui.px(12));
  Rect inside = card.inset(ui.px(24), ui.px(18));
  Rect top = inside.take_top(ui.px(32));
  if (icon_button(ui, "dialog/close", top.take_right(ui.px(32)), Icon::close, "Close (Esc)"))
    actions.push_back(ShowDialog{Dialog::none});
  ui.text_in(Type::title, top, ui.theme().text, title);
  inside.take_top(ui.px(10));
  return inside;
}

struct Listed {
  std::string name;
  bool folder = false;
};

// Folders first, then experiments, arrays, pictures and signals, each by name.
std::vector<Listed> list_folder(const fs::path& folder) {
  std::vector<Listed> list;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, error)) {
    const std::string name = entry.path().filename().string(), extension = entry.path().extension().string();
    const bool is_folder = entry.is_directory(error);
    const bool known = extension == ".headlight" || extension == ".json" || extension == ".npz" ||
                       extension == ".safetensors" || input_of_file(entry.path()).has_value();
    if (!name.starts_with(".") && (is_folder || known)) list.push_back({name, is_folder});
  }
  std::ranges::sort(
      list, [](const Listed& a, const Listed& b) { return std::tie(b.folder, a.name) < std::tie(a.folder, b.name); });
  return list;
}

fs::path folder_of(const PanelMemory& memory, const Model& model) {
  std::error_code error;
  if (!memory.listed_folder.empty()) return memory.listed_folder;
  const fs::path beside = model.path.parent_path();
  return fs::absolute(beside.empty() ? fs::path(".") : beside, error).lexically_normal();
}

void draw_files(Ui& ui, Rect box, const Model& model, PanelMemory& memory) {
  const fs::path folder = folder_of(memory, model);
  ui.text_in(Type::note, box.take_top(ui.px(22)), ui.theme().text_faint, folder.string());
  ui.frame(box, ui.theme().line, ui.px(6));
  std::vector<Listed> list = list_folder(folder);
  list.insert(list.begin(), {"..", true});
  scroll_area(ui, "dialog/files", box.inset(1), [&](Rect area) {
    const float row = ui.px(30);
    for (std::size_t i = 0; i < list.size(); ++i) {
      Rect line{area.x, area.y + row * static_cast<float>(i), area.w, row};
      const auto hit = ui.hit("dialog/files/" + list[i].name, line, false, list[i].name);
      if (hit.hovered) ui.fill(line, ui.theme().sunken);
      Rect inside = line.inset(ui.px(10), 0);
      const Rect icon = inside.take_left(ui.px(24));
      if (list[i].folder) draw_icon(ui, Icon::folder, {icon.x + ui.px(8), icon.middle().y}, ui.theme().text_faint);
      ui.text_in(Type::label, inside, ui.theme().text, list[i].name);
      if (!hit.clicked) continue;
      const fs::path chosen = (folder / list[i].name).lexically_normal();
      if (list[i].folder)
        memory.listed_folder = chosen.string();
      else
        memory.file_path = chosen.string();
    }
    return row * static_cast<float>(list.size());
  });
}

void draw_open(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  Rect inside = draw_card(ui, window, 640, 520, "Open", actions);
  inside.take_top(paragraph(ui, {inside.x, inside.y}, inside.w, ui.theme().text_muted,
                            "An experiment (.headlight or JSON), or arrays (.npz, .safetensors) that give this "
                            "experiment its inputs and weights. "
                            "Files can also be dropped on the window.",
                            true, Type::label) +
                  ui.px(10));
  Rect buttons = inside.take_bottom(ui.px(32));
  inside.take_bottom(ui.px(12));
  Rect path = inside.take_bottom(ui.px(34));
  inside.take_bottom(ui.px(10));
  draw_files(ui, inside, model, memory);
  text_field(ui, "dialog/path", path, memory.file_path, false, "Path of a file");
  if (button(ui, "dialog/open", buttons.take_right(ui.px(110)), "Open", ButtonLook::primary, std::nullopt,
             !memory.file_path.empty())) {
    actions.push_back(ShowDialog{Dialog::none});
    actions.push_back(Open{memory.file_path});
  }
  buttons.take_right(ui.px(8));
  if (button(ui, "dialog/example", buttons.take_left(ui.px(150)), "Open the example")) {
    actions.push_back(ShowDialog{Dialog::none});
    actions.push_back(New{});
  }
}

void draw_save(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  if (memory.file_path.empty())
    memory.file_path =
        model.path.empty() ? (folder_of(memory, model) / "experiment.headlight").string() : model.path.string();
  Rect inside = draw_card(ui, window, 560, 190, "Save the experiment", actions);
  text_field(ui, "dialog/path", inside.take_top(ui.px(34)), memory.file_path, false, "Path of the file");
  Rect buttons = inside.take_bottom(ui.px(32));
  if (button(ui, "dialog/save", buttons.take_right(ui.px(110)), "Save", ButtonLook::primary, std::nullopt,
             !memory.file_path.empty()))
    actions.push_back(Save{memory.file_path});
}

void draw_leave(Ui& ui, Rect window, const Model& model, Actions& actions) {
  Rect inside = draw_card(ui, window, 520, 170, "Save before leaving?", actions);
  inside.take_top(paragraph(ui, {inside.x, inside.y}, inside.w, ui.theme().text_muted,
                            fmt::format("{} has changes that are not saved.", model.title()), true, Type::label));
  Rect buttons = inside.take_bottom(ui.px(32));
  if (button(ui, "dialog/save", buttons.take_right(ui.px(90)), "Save", ButtonLook::primary)) actions.push_back(Save{});
  buttons.take_right(ui.px(8));
  if (button(ui, "dialog/discard", buttons.take_right(ui.px(150)), "Leave without saving")) actions.push_back(Quit{});
}

void draw_appearance(Ui& ui, Rect window, const Model& model, Actions& actions) {
  Rect inside = draw_card(ui, window, 460, 250, "Appearance", actions);
  const auto row = [&](std::string_view label) {
    Rect line = inside.take_top(ui.px(44));
    ui.text_in(Type::label, line.take_left(ui.px(130)), ui.theme().text_muted, label);
    return line.inset(0, ui.px(6));
  };
  const int theme = segments(ui, "appearance/theme", row("Theme"),
                             {{"light", "Light", ""}, {"dark", "Dark", ""}, {"high-contrast", "High contrast", ""}},
                             static_cast<int>(model.settings.theme));
  if (theme >= 0) actions.push_back(SetTheme{static_cast<ThemeName>(theme)});
  Rect size = row("Size, %");
  const auto percent = static_cast<long long>(std::lround(model.settings.scale * 100));
  if (const auto next = number_stepper(ui, "appearance/scale", size.take_left(ui.px(130)), percent, 75, 300)) {
    const long long by = *next > percent ? 25 : -25;  // in steps of 25
    actions.push_back(SetScale{static_cast<float>(std::clamp<long long>(percent + by, 75, 300)) / 100});
  }
  if (const auto on = toggle(ui, "appearance/motion", row("Reduce motion"), model.settings.reduce_motion))
    actions.push_back(SetReduceMotion{*on});
  if (const auto on = toggle(ui, "appearance/expert", row("Hide explanations"), model.settings.expert))
    actions.push_back(SetExpert{*on});
}

struct KeyLine {
  std::string keys, does;
};

// The table of keys: the nine of the heads are one line, and what the pointer does on a map stands at the end.
std::vector<KeyLine> key_lines() {
  std::vector<KeyLine> lines;
  for (const Shortcut& s : shortcuts()) {
    const bool digit = s.section == "Heads" && s.shown.size() == 1 && s.shown[0] >= '1' && s.shown[0] <= '9';
    if (digit && s.shown != "1") continue;
    lines.push_back(digit ? KeyLine{"1 – 9", "Head 1 to 9"} : KeyLine{s.shown, s.does});
  }
  lines.push_back({"Ctrl wheel", "Zoom the map under the pointer, as + and − do"});
  lines.push_back({"Drag", "Move the map that is zoomed"});
  lines.push_back({"0", "The whole map again; so does a double click"});
  return lines;
}

void draw_keys(Ui& ui, Rect window, Actions& actions) {
  Rect inside = draw_card(ui, window, 820, 520, "Keys", actions);
  const float row = ui.px(24);
  scroll_area(ui, "dialog/keys", inside, [&](Rect area) {
    const int columns = area.w > ui.px(620) ? 2 : 1;
    const float width = area.w / static_cast<float>(columns);
    const std::vector<KeyLine> lines = key_lines();
    const auto count = static_cast<int>(lines.size());
    const int per_column = (count + columns - 1) / columns;
    for (int i = 0; i < count; ++i) {
      Rect line{area.x + width * static_cast<float>(i / per_column), area.y + row * static_cast<float>(i % per_column),
                width - ui.px(16), row};
      ui.text_in(Type::number_note, line.take_left(ui.px(104)), ui.theme().text,
                 lines[static_cast<std::size_t>(i)].keys);
      ui.text_in(Type::label, line, ui.theme().text_muted, lines[static_cast<std::size_t>(i)].does);
    }
    return row * static_cast<float>(per_column);
  });
}

}  // namespace

void draw_dialog(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  // Drawn over everything, with the pointer to itself; its actions are taken at once.
  ui.above([&] {
    switch (model.dialog) {
      case Dialog::open:
        return draw_open(ui, window, model, memory, actions);
      case Dialog::save:
        return draw_save(ui, window, model, memory, actions);
      case Dialog::leave:
        return draw_leave(ui, window, model, actions);
      case Dialog::keys:
        return draw_keys(ui, window, actions);
      case Dialog::appearance:
        return draw_appearance(ui, window, model, actions);
      case Dialog::none:
        return;
    }
  });
}

}  // namespace headlight::app
