// A figure's words, what was measured of it, its command, and where it goes: the right column of its export screen.
#include <cctype>

#include "app/actions/update.h"
#include "app/panels/export/parts.h"

namespace headlight::app {

namespace {

void draw_words(Ui& ui, Rect& box, const char* label, const std::string& key, const std::string& written, bool own,
                const std::string& note, Actions& actions) {
  Rect title = box.take_top(ui.px(24));
  ui.text_in(Type::note, title, ui.theme().text_faint, own ? "yours · clear to have it written" : note,
             Ui::Align::right);
  ui.text_in(Type::heading, title, ui.theme().text_muted, label);
  std::string text = written;
  const std::string path = "figure/" + key;
  const FieldResult typed = text_field(ui, path, box.take_top(text_field_height(ui, path, 3, 9)), text, true, "");
  push_typed(actions, typed, written, text, [&](const std::string& now) {
    return SetFigure{key, now.empty() ? "auto" : now, true};
  });
  box.take_top(ui.px(14));
}

void draw_check(Ui& ui, Rect& box, bool ok, const std::string& what, const std::string& measured) {
  const Theme& t = ui.theme();
  Rect line = box.take_top(ui.px(27));
  draw_icon(ui, ok ? Icon::check : Icon::warning, {line.take_left(ui.px(24)).x + ui.px(8), line.middle().y},
            ok ? t.ok : t.warning);
  ui.text_in(Type::number_note, line, t.text_muted, measured, Ui::Align::right);
  line.w -= ui.width_of(Type::number_note, measured) + ui.px(8);
  ui.text_in(Type::label, line, t.text, what);
  ui.log("figure/check/" + what, line, measured, ok ? "ok" : "warning");
}

// Whether lightness goes one way along the map, or along each half of a signed one, and from where to where.
std::pair<bool, std::string> lightness_of(Colormap map) {
  const ColorTable table = color_table(map);
  const bool has_sign = is_signed(map);
  const std::size_t first = has_sign ? table.size() / 2 : 0;
  const auto at = [&](std::size_t i) { return lab_at_color(table[i]).lightness; };
  bool falls = true;
  constexpr std::size_t step = 8;
  const double direction = at(table.size() - 1) < at(first) ? -1 : 1;
  for (std::size_t i = first; i + step < table.size(); i += step)
    falls = falls && direction * (at(i + step) - at(i)) > -0.3;
  return {falls, fmt::format("L* {:.0f} → {:.0f}", at(first), at(table.size() - 1))};
}

// That what the view of all layers shows has no figure; null where it has one.
const char* shown_otherwise(const Model& model) {
  if (!model.figures_layers() || !model.document.figure.steps.empty()) return nullptr;
  const NetworkLook& look = look_of_layers(model);
  const bool measures = look.view == LayersView::measure && !(look.measure && needs_only_maps(*look.measure));
  return measures ? "This measure has no figure" : nullptr;
}

void draw_checks(Ui& ui, Rect& box, const Model& model, const FigurePreview& preview) {
  if (preview.panels == 0) return;  // there is nothing to check
  ui.text_in(Type::heading, box.take_top(ui.px(24)), ui.theme().text_muted, "Checks");
  const FigureRequest& figure = model.document.figure;
  switch (model.figure_files.format) {
    case FigureFormat::pdf:
      draw_check(ui, box, true, "Text and fonts embedded", "no Type 3");
      break;
    case FigureFormat::svg:
      draw_check(ui, box, true, "Text stays text", "<text>");
      break;
    case FigureFormat::png:
      draw_check(ui, box, figure.dpi >= 300, "Fine enough for print", fmt::format("{} dpi", figure.dpi));
      break;
    case FigureFormat::pgf:
      draw_check(ui, box, true, "LaTeX sets the text", "pgfplots");
      break;
  }
  draw_check(ui, box, preview.smallest_text >= 5, "Smallest text", fmt::format("{:.1f} pt", preview.smallest_text));
  if (preview.bars == 0 && figure.bar == BarPlace::none)
    draw_check(ui, box, !figure.caption, "Scale in the caption", preview.scale);
  else if (preview.bars == 0)
    draw_check(ui, box, true, "One bar, one scale", preview.scale);
  else
    draw_check(ui, box, true, "A bar for each scale", fmt::format("{} bars", preview.bars));
  const auto [falls, ends] = lightness_of(preview.colormap);
  draw_check(ui, box, falls, preview.is_signed ? "Lightness falls from zero" : "Lightness goes one way", ends);
  if (model.shows_older()) draw_check(ui, box, false, "Of what is set", older_words);
  if (const char* other = shown_otherwise(model)) draw_check(ui, box, false, other, "maps instead");
  draw_check(ui, box, preview.alt.size() < 2000, "Alt text", fmt::format("{} of 2000", preview.alt.size()));
  box.take_top(ui.px(10));
}

void draw_saving(Ui& ui, Rect& box, const Model& model, const PlannedFiles& planned, Actions& actions) {
  const FigureExtras& extras = model.figure_files.extras;
  const struct {
    const char* id;
    const char* title;
    bool on;
  } list[] = {{"csv", "CSV", extras.csv}, {"npy", "NPY", extras.npy}, {"words", "Words", extras.words}};
  Rect line = box.take_top(ui.px(36));
  ui.text_in(Type::label, line.take_left(ui.px(34)), ui.theme().text_muted, "Also");
  const float each = line.w / 3;
  for (const auto& extra : list) {
    Rect place = line.take_left(each);
    const auto next = toggle(ui, fmt::format("figure/extra/{}", extra.id), place.take_left(ui.px(38)), extra.on);
    ui.text_in(Type::label, place, ui.theme().text, extra.title);
    if (next) actions.push_back(SetFigureExtra{extra.id, *next});
  }
  Rect recipe = box.take_top(ui.px(36));
  if (const auto next = toggle(ui, "figure/recipe", recipe.take_left(ui.px(40)), model.document.figure.recipe))
    push_setting(actions, "recipe", *next ? "true" : "false");
  ui.text_in(Type::label, recipe, ui.theme().text, "Keep the recipe in the file");
  box.take_top(ui.px(6));
  std::string format = extension_of(model.figure_files.format).substr(1);
  std::ranges::transform(format, format.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::size_t count = planned.jobs.size();
  draw_export_saving(ui, box, model, planned,
                     {"figure", figure_path(model),
                      count > 1 ? fmt::format("Export {} {}s", count, format) : fmt::format("Export {}", format),
                      SaveFigure{}, [](std::string path) -> Action { return SetFigurePath{std::move(path)}; }},
                     actions);
}

std::string command_note(const Model& model, std::size_t files) {
  const bool several = files > 1;
  const std::string note = fmt::format("The same {}, byte for byte, with no display. ", several ? "files" : "file");
  if (!model.document.figure.recipe) return note + (several ? "They carry no recipe." : "It carries no recipe.");
  return note + (several ? "Each" : "It") + " carries its recipe: dropped on the window, it comes back.";
}

}  // namespace

float draw_figure_words(Ui& ui, Rect area, const Model& model, PanelMemory& memory, Actions& actions) {
  Rect box = area.inset(ui.px(18), 0);
  box.y += ui.px(14);
  box.h = 1e5F;
  const float top = box.y;
  const FigureRequest& figure = model.document.figure;
  const FigurePreview& preview = memory.get<ExportMemory>().figure.value();
  draw_words(ui, box, "Caption", "caption", figure.caption.value_or(preview.caption), figure.caption.has_value(),
             "written from the data", actions);
  const std::string alt = figure.alt.value_or(preview.alt);
  draw_words(ui, box, "Alt text", "alt", alt, figure.alt.has_value(), fmt::format("{} / 2000", alt.size()), actions);
  draw_checks(ui, box, model, preview);
  draw_export_command(ui, box, model, "figure", command_of(model),
                      command_note(model, memory.get<ExportMemory>().files.jobs.size()), actions);
  draw_saving(ui, box, model, memory.get<ExportMemory>().files, actions);
  return box.y - top + ui.px(34);
}

}  // namespace headlight::app
