// Where a figure is made: settings at the left, the figure on its page, its words and its command at the right.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/model/figure_of.h"
#include "app/model/update.h"
#include "app/panels/panels.h"
#include "app/render/map_painter.h"

namespace headlight::app {

namespace {

// ---- Settings -----------------------------------------------------------------------------------------------------

void set(Actions& actions, std::string key, std::string text, bool going_on = false) {
  actions.push_back(SetFigure{std::move(key), std::move(text), going_on});
}

template <class T>
int place_in(const std::vector<T>& list, const T& value) {
  const auto found = std::ranges::find(list, value);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

void choose(Form& form, const char* label, const std::string& path, const std::vector<std::string>& titles,
            const std::vector<std::string>& texts, const std::string& now, const std::string& key, Actions& actions) {
  const int chosen = drop_down(form.ui, path, form.row(label), titles, place_in(texts, now));
  if (chosen >= 0) set(actions, key, texts[static_cast<std::size_t>(chosen)]);
}

// A text that is taken over as it is typed.
void type(Form& form, const char* label, const std::string& key, std::string text, const char* hint, Actions& actions) {
  const Typed typed = text_field(form.ui, "figure/" + key, form.row(label), text, false, hint);
  if (typed.changed) set(actions, key, text, true);
  if (typed.ended) actions.push_back(EndEdit{});
}

void flag(Form& form, const char* label, const std::string& key, bool on, Actions& actions) {
  Rect line = form.row(label);
  const auto help = std::ranges::find(figure_settings(), key, &FigureSetting::key)->help;
  form.ui.tooltip("figure/" + key, line, help);
  if (const auto next = toggle(form.ui, "figure/" + key, line, on)) set(actions, key, *next ? "true" : "false");
}

void count(Form& form, const char* label, const std::string& key, long long value, long long least, long long most,
           std::string_view shown, std::string_view note, Actions& actions) {
  Rect line = form.row(label);
  const auto next =
      number_stepper(form.ui, "figure/" + key, line.take_left(form.ui.px(100)), value, least, most, 1, shown);
  line.take_left(form.ui.px(8));
  form.ui.text_in(Type::note, line, form.ui.theme().text_faint, note);
  if (next) set(actions, key, fmt::format("{}", *next));
}

int segments_row(Form& form, const char* label, const std::string& path, const std::vector<Segment>& list,
                 int selected) {
  return segments(form.ui, path, form.row(label), list, selected);
}

void draw_size(Form& form, const Model& model, const FigurePreview& preview, Actions& actions) {
  const FigureRequest& figure = model.document.figure;
  form.heading("Size");
  std::vector<std::string> titles, texts;
  for (const auto& preset : width_presets) {
    titles.emplace_back(preset.name);
    texts.emplace_back(preset.id);
  }
  const std::string width = figure.width == "5.5in" ? "neurips" : figure.width;
  titles.emplace_back("Free");
  texts.push_back(place_in(texts, width) < 0 ? width : "100mm");
  choose(form, "Preset", "figure/preset", titles, texts, width, "width", actions);
  type(form, "Width", "width", figure.width, "5.5in or 89mm", actions);
  Rect size = form.row("Comes to", 24);
  form.ui.text_in(Type::number_note, size, form.ui.theme().text_muted,
                  fmt::format("{:.2f} × {:.2f} in", preview.width / points_per_inch, preview.height / points_per_inch));
  const FigureFormat format = model.figure_files.format;
  const int chosen = segments_row(form, "Format", "figure/format",
                                  {{"pdf", "PDF", ""}, {"svg", "SVG", ""}, {"png", "PNG", ""}, {"pgf", "PGF", ""}},
                                  format == FigureFormat::pdf   ? 0
                                  : format == FigureFormat::svg ? 1
                                  : format == FigureFormat::png ? 2
                                                                : 3);
  constexpr FigureFormat formats[] = {FigureFormat::pdf, FigureFormat::svg, FigureFormat::png, FigureFormat::pgf};
  if (chosen >= 0) actions.push_back(SetFigureFormat{formats[chosen]});
  if (format == FigureFormat::png) {
    choose(form, "Resolution", "figure/dpi", {"150 dpi", "300 dpi", "600 dpi", "1200 dpi"},
           {"150", "300", "600", "1200"}, fmt::format("{}", figure.dpi), "dpi", actions);
  } else {
    form.ui.text_in(Type::label, form.row("Resolution"), form.ui.theme().text_faint, "Vector");
  }
}

// One button a head; those that are drawn are dark.
void draw_heads(Form& form, const Model& model, const Step& step, Actions& actions) {
  Ui& ui = form.ui;
  const Index heads = heads_of(step);
  const auto& chosen = model.document.figure.heads;
  const auto is_on = [&](Index head) { return chosen.empty() || std::ranges::find(chosen, head) != chosen.end(); };
  const float side = ui.px(29), gap = ui.px(5);
  const auto a_row = std::max<Index>(1, static_cast<Index>((form.column.w + gap) / (side + gap)));
  constexpr Index most = 64;  // buttons; more by --head
  for (Index head = 0; head < std::min(heads, most); ++head) {
    const Rect box{form.column.x + static_cast<float>(head % a_row) * (side + gap),
                   form.y + static_cast<float>(head / a_row) * (side + gap), side, side};
    const bool on = is_on(head);
    const std::string path = fmt::format("figure/head/{}", head);
    const auto hit = ui.hit(path, box, true, fmt::format("{}", head + 1), on ? "selected" : "");
    ui.fill(box, on ? ui.theme().ink : ui.theme().canvas, ui.px(6));
    if (!on) ui.frame(box, ui.theme().line_strong, ui.px(6));
    ui.text_in(Type::number, box, on ? ui.theme().canvas : ui.theme().text_muted, fmt::format("{}", head + 1),
               Ui::Align::center);
    if (hit.focused) ui.focus_ring(box, ui.px(6));
    ui.tooltip(path, box, head_name(*model.trace(), head));
    if (!hit.clicked) continue;
    std::vector<Index> next;
    for (Index other = 0; other < heads; ++other)
      if (other == head ? !on : is_on(other)) next.push_back(other);
    if (next.empty()) continue;  // one stays
    set(actions, "head", static_cast<Index>(next.size()) == heads ? "all" : fmt::format("{}", fmt::join(next, ",")));
  }
  form.y += std::ceil(static_cast<float>(std::min(heads, most)) / static_cast<float>(a_row)) * (side + gap) + ui.px(6);
}

std::string letters_note(const FigurePreview& preview) {
  if (preview.panels < 2) return "";
  return fmt::format("a to {}", static_cast<char>('a' + std::min<std::size_t>(preview.panels, 26) - 1));
}

void draw_content(Form& form, const Model& model, const FigurePreview& preview, Actions& actions) {
  const FigureRequest& figure = model.document.figure;
  form.heading("Panels");
  std::vector<std::string> titles, ids;
  for (const auto& step : model.trace()->steps) {
    titles.push_back(step.info.title);
    ids.push_back(step.info.id);
  }
  const std::string now = figure.steps.empty() ? "weights" : figure.steps.front();
  choose(form, "Step", "figure/step", titles, ids, now, "step", actions);
  const Step* step = model.trace()->find(now);
  if (step && has_heads(*step) && heads_of(*step) > 1) draw_heads(form, model, *step, actions);
  choose(form, "Show as", "figure/as",
         {"Automatic", "Map", "Matrix", "Over the picture", "Offsets", "Bars of one row", "Lines"},
         {"auto", "map", "matrix", "picture", "offsets", "bars", "lines"}, setting_of(figure, "as"), "as", actions);
  count(form, "Columns", "columns", figure.columns, 0, 16, figure.columns == 0 ? "auto" : "",
        figure.marks == Marks::letters ? letters_note(preview) : "", actions);
  choose(form, "Marks", "figure/marks", {"Letters", "Numbers", "None"}, {"letters", "numbers", "none"},
         setting_of(figure, "marks"), "marks", actions);
  const int numbers =
      segments_row(form, "Cell numbers", "figure/numbers",
                   {{"none", "None", ""}, {"top", "Top 3", ""}, {"all", "All", ""}}, static_cast<int>(figure.numbers));
  constexpr const char* texts[] = {"none", "top", "all"};
  if (numbers >= 0) set(actions, "numbers", texts[numbers]);
  type(form, "Title", "title", figure.title ? (figure.title->empty() ? "none" : *figure.title) : "", "the step's",
       actions);
  if (const Selection& selection = model.document.look.selection; model.document.look.pinned && selection.key) {
    Rect line = form.row("Frame cell");
    form.ui.tooltip("figure/key", line, "Frames the pinned cell in every panel.");
    if (const auto next = toggle(form.ui, "figure/key", line, figure.key.has_value()))
      set(actions, "key", *next ? fmt::format("{}", *selection.key) : "none");
  }
  flag(form, "Grid lines", "grid", figure.grid, actions);
  flag(form, "No ground", "transparent", figure.transparent, actions);
}

// A colour map's row: its ramp and its name.
bool draw_ramp(Ui& ui, Rect line, Colormap map, bool selected) {
  const std::string name(to_string(map)), path = "figure/colors/" + name;
  const auto hit = ui.hit(path, line, true, name, selected ? "selected" : "");
  if (selected) ui.frame(line, ui.theme().line_strong, ui.px(6));
  if (!selected && hit.hovered) ui.fill(line, ui.theme().sunken, ui.px(6));
  if (hit.focused) ui.focus_ring(line, ui.px(6));
  std::vector<float> ramp(64);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = (static_cast<float>(i) + 0.5F) / 64;
  const bool has_sign = is_signed(map);
  if (has_sign)
    for (float& value : ramp) value = 2 * value - 1;
  const Rect strip{line.x + ui.px(8), line.y + ui.px(9), ui.px(108), line.h - ui.px(18)};
  draw_map(ui,
           {"figure/ramp/" + name, 1, MatrixView{ramp.data(), 1, 64, 64, 1},
            ValueRange{has_sign ? -1.0F : 0.0F, 1, Spacing::linear}, map},
           strip, MapSize::large);
  ui.frame(strip.inset(-1), ui.theme().line_strong);
  std::string title = name;
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  ui.text_in(Type::label, {strip.right() + ui.px(12), line.y, line.w, line.h}, ui.theme().text, title);
  return hit.clicked;
}

void draw_colors(Form& form, const Model& model, const FigurePreview& preview, Actions& actions) {
  Ui& ui = form.ui;
  const FigureRequest& figure = model.document.figure;
  form.heading("Colour");
  flag(form, "One scale", "shared", figure.shared, actions);
  choose(form, "Bar", "figure/bar", {"Auto", "Beside", "Below", "None"}, {"auto", "beside", "below", "none"},
         setting_of(figure, "bar"), "bar", actions);
  for (const Colormap map : all_colormaps) {
    if (is_signed(map) != preview.is_signed || map == Colormap::beam || map == Colormap::tide_dark) continue;
    const Rect line{form.column.x - ui.px(8), form.y, form.column.w + ui.px(16), ui.px(32)};
    form.y += line.h;
    if (draw_ramp(ui, line, map, map == preview.colormap)) set(actions, "colors", std::string(to_string(map)));
  }
  form.y += ui.px(4);
  type(form, "Range", "range", figure.range ? fmt::format("{}:{}", figure.range->first, figure.range->second) : "auto",
       "auto, or 0:1", actions);
  const int spacing = segments_row(form, "Spacing", "figure/spacing",
                                   {{"linear", "Linear", ""}, {"log", "Log", ""}, {"row-max", "Rows", ""}},
                                   static_cast<int>(preview.spacing));
  constexpr const char* texts[] = {"linear", "log", "row-max"};
  if (spacing >= 0) set(actions, "spacing", texts[spacing]);
}

void draw_type(Form& form, const Model& model, Actions& actions) {
  const FigureRequest& figure = model.document.figure;
  form.heading("Text");
  choose(form, "Font", "figure/font", {"Inter", "Latin Modern Roman"}, {"sans", "serif"}, figure.font, "font", actions);
  count(form, "Size", "text", std::lround(figure.text_size), 4, 24, fmt::format("{}", figure.text_size),
        "points in print", actions);
  count(form, "Smallest", "min-text", std::lround(figure.smallest_text), 2, 24, fmt::format("{}", figure.smallest_text),
        "points in print", actions);
}

float draw_left(Ui& ui, Rect box, const Model& model, const FigurePreview& preview, Actions& actions) {
  Form form{ui, box.inset(ui.px(16), 0), box.y + ui.px(16)};
  ui.text(Type::title, {form.column.x, form.y}, ui.theme().text, "Export figure");
  form.y += ui.px(36);
  draw_size(form, model, preview, actions);
  form.divider(box.x, box.w);
  draw_content(form, model, preview, actions);
  form.divider(box.x, box.w);
  draw_colors(form, model, preview, actions);
  form.divider(box.x, box.w);
  draw_type(form, model, actions);
  return form.y + ui.px(20) - box.y;
}

// ---- The page -----------------------------------------------------------------------------------------------------

constexpr double letter_width = 8.5 * points_per_inch;

void draw_image(Ui& ui, Point at, const FigurePreview& preview) {
  if (preview.image.width == 0) return;
  const auto width = static_cast<int>(preview.image.width), height = static_cast<int>(preview.image.height);
  const auto texture = ui.painter().picture("figure", preview.revision, width, height,
                                            reinterpret_cast<const std::uint32_t*>(preview.image.rgba.data()));
  const float x = std::round(at.x), y = std::round(at.y);
  if (texture)
    ui.list().AddImage((ImTextureID)(texture), {x, y}, {x + static_cast<float>(width), y + static_cast<float>(height)});
  ui.log("figure/preview", {x, y, static_cast<float>(width), static_cast<float>(height)},
         fmt::format("{}×{}", width, height));
}

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
float draw_page(Ui& ui, Rect area, const FigurePreview& preview, double scale) {
  const auto points = [&](double length) { return static_cast<float>(length * scale); };
  const Rect sheet{area.middle().x - points(letter_width) / 2, area.y + ui.px(14), points(letter_width), 0};
  const float margin = std::max(points(54), (sheet.w - std::max(points(396), points(preview.width))) / 2);
  const Rect column{sheet.x + margin, sheet.y, sheet.w - 2 * margin, 0};
  const float caption_width = column.w;
  const float caption =
      paragraph(ui, {column.x, 0}, caption_width, hex(0x17181C), "Figure 1: " + preview.caption, false, Type::note);
  const float above = points(120), below = points(140);
  const float height = above + points(preview.height) + ui.px(10) + caption + below;
  const Rect paper{sheet.x, sheet.y, sheet.w, height};
  ui.fill(paper, hex(0xFFFFFF));
  ui.frame(paper, ui.theme().line);
  ui.fill({column.x, paper.y + points(36), column.w * 0.28F, points(8)}, hex(0xCFCFC8));
  draw_text_lines(ui, column, paper.y + points(56), 4, 0.45F);
  const Point at{column.x + (column.w - points(preview.width)) / 2, paper.y + above};
  const Rect figure{std::round(at.x), std::round(at.y), points(preview.width), points(preview.height)};
  draw_image(ui, at, preview);
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
  paragraph(ui, {column.x, figure.bottom() + ui.px(10)}, caption_width, hex(0x17181C), "Figure 1: " + preview.caption,
            true, Type::note);
  draw_text_lines(ui, column, figure.bottom() + ui.px(10) + caption + points(24), 5, 0.8F);
  return height + ui.px(28);
}

void draw_middle_bar(Ui& ui, Rect bar, PanelMemory& memory) {
  ui.fill(bar, ui.theme().canvas);
  ui.line({bar.x, bar.bottom() - 1}, {bar.right(), bar.bottom() - 1}, ui.theme().line);
  Rect inside = bar.inset(ui.px(20), (bar.h - ui.px(32)) / 2);
  const int where = segments(ui, "figure/where", inside.take_left(std::min(ui.px(220), inside.w * 0.4F)),
                             {{"page", "On the page", ""}, {"only", "Figure only", ""}}, memory.figure_only ? 1 : 0);
  if (where >= 0) memory.figure_only = where == 1;
  const int seen = segments(ui, "figure/vision", inside.take_right(std::min(ui.px(360), inside.w - ui.px(8))),
                            {{"normal", "Normal", ""},
                             {"deutan", "Deutan", ""},
                             {"protan", "Protan", ""},
                             {"tritan", "Tritan", ""},
                             {"grey", "Grey print", ""}},
                            static_cast<int>(memory.vision));
  if (seen >= 0) memory.vision = all_visions[static_cast<std::size_t>(seen)];
  if (inside.w > ui.width_of(Type::label, "See it as  "))
    ui.text_in(Type::label, inside, ui.theme().text_muted, "See it as ", Ui::Align::right);
}

// Pixels a point: the page as wide as there is room, or the figure alone.
double scale_for(Rect room, const PanelMemory& memory, double figure_width) {
  const double wide = memory.figure_only && figure_width > 0 ? figure_width : letter_width;
  return std::clamp(static_cast<double>(room.w) / wide, 0.5, 6.0);
}

void draw_middle(Ui& ui, Rect box, const PanelMemory& memory, const FigurePreview& preview, double scale) {
  ui.fill(box, ui.theme().sunken);
  if (!preview.error.empty()) {
    const Rect card{box.x + ui.px(20), box.y + ui.px(20), box.w - ui.px(40), ui.px(60)};
    ui.fill(card, ui.theme().warning_soft, ui.px(6));
    paragraph(ui, {card.x + ui.px(16), card.y + ui.px(12)}, card.w - ui.px(32), ui.theme().text, preview.error, true,
              Type::label);
    ui.log("figure/error", card, preview.error);
    return;
  }
  scroll_area(ui, "figure/page", box, [&](Rect area) {
    if (!memory.figure_only) return draw_page(ui, area, preview, scale);
    const Rect paper{area.x + ui.px(20), area.y + ui.px(20), static_cast<float>(preview.image.width),
                     static_cast<float>(preview.image.height)};
    ui.fill(paper, hex(0xFFFFFF));
    draw_image(ui, {paper.x, paper.y}, preview);
    ui.frame(paper.inset(-1), ui.theme().line);
    return paper.h + ui.px(40);
  });
}

// ---- Words, checks and the command --------------------------------------------------------------------------------

void draw_words(Ui& ui, Rect& box, const char* label, const std::string& key, const std::string& written, bool own,
                const std::string& note, Actions& actions) {
  Rect title = box.take_top(ui.px(24));
  ui.text_in(Type::note, title, ui.theme().text_faint, own ? "yours · clear to have it written" : note,
             Ui::Align::right);
  ui.text_in(Type::heading, title, ui.theme().text_muted, label);
  std::string text = written;
  const std::string path = "figure/" + key;
  const Typed typed = text_field(ui, path, box.take_top(text_field_height(ui, path, 3, 8)), text, true, "");
  if (typed.changed) set(actions, key, text.empty() ? "auto" : text, true);
  if (typed.ended) actions.push_back(EndEdit{});
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

void draw_checks(Ui& ui, Rect& box, const Model& model, const FigurePreview& preview) {
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
  draw_check(ui, box, preview.alt.size() < 2000, "Alt text", fmt::format("{} of 2000", preview.alt.size()));
  box.take_top(ui.px(10));
}

// The words of the command, broken so that every flag begins a line.
std::vector<std::string> command_lines(const std::string& command) {
  std::vector<std::string> lines{""};
  std::string word;
  bool quoted = false;
  const auto take = [&] {
    if (word.empty()) return;
    if (word.starts_with("-") && !lines.back().empty()) lines.emplace_back();
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

void draw_command(Ui& ui, Rect& box, const Model& model, Actions& actions) {
  Rect title = box.take_top(ui.px(28));
  if (button(ui, "figure/copy", title.take_right(ui.px(64)), "Copy", ButtonLook::ghost))
    actions.push_back(CopyCommand{});
  ui.text_in(Type::heading, title, ui.theme().text_muted, "Command");
  const std::string command = command_of(model);
  const auto lines = command_lines(command);
  const Rect card = box.take_top(ui.px(20) + ui.px(18) * static_cast<float>(lines.size()));
  const Color32 ground = hex(0x17181C), words = hex(0xF4F4F1), flags = hex(0xF5B84A);
  ui.fill(card, ground, ui.px(6));
  float y = card.y + ui.px(10);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string text = lines[i] + (i + 1 < lines.size() ? " \\" : "");
    const auto space = text.find(' ');
    const std::string head = i == 0 ? "headlight" : text.substr(0, space);
    const float x = card.x + ui.px(i == 0 ? 12 : 26);
    const std::string rest = text.substr(std::min(text.size(), head.size()));
    const float wide = ui.width_of(Type::number_note, head);
    ui.text(Type::number_note, {x, y}, flags, head);
    ui.text_in(Type::number_note, {x + wide, y, card.right() - ui.px(10) - x - wide, ui.px(16)}, words, rest);
    y += ui.px(18);
  }
  ui.log("figure/command", card, command);
  box.take_top(ui.px(6));
  if (!command_is_true(model)) {
    const char* why = "Save the experiment first (Ctrl S): the command runs its file, and that is not what is shown.";
    ui.log("figure/command/warning", {box.x, box.y, box.w, ui.px(32)}, why);
    box.take_top(paragraph(ui, {box.x, box.y}, box.w, ui.theme().warning, why, true, Type::note) + ui.px(8));
    return;
  }
  box.take_top(paragraph(ui, {box.x, box.y}, box.w, ui.theme().text_faint,
                         model.document.figure.recipe
                             ? "The same file, byte for byte, with no display. It carries its recipe: dropped on the "
                               "window, it comes back."
                             : "The same file, byte for byte, with no display. It carries no recipe.",
                         true, Type::note) +
               ui.px(8));
}

void draw_saving(Ui& ui, Rect& box, const Model& model, Actions& actions) {
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
    set(actions, "recipe", *next ? "true" : "false");
  ui.text_in(Type::label, recipe, ui.theme().text, "Keep the recipe in the file");
  box.take_top(ui.px(6));
  std::string path = figure_path(model);
  if (text_field(ui, "figure/path", box.take_top(ui.px(34)), path, false, "Path of the file").changed)
    actions.push_back(SetFigurePath{path});
  box.take_top(ui.px(12));
  Rect buttons = box.take_top(ui.px(36));
  std::string format = extension_of(model.figure_files.format).substr(1);
  std::ranges::transform(format, format.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (button(ui, "figure/cancel", buttons.take_left(ui.px(104)), "Back"))
    actions.push_back(ShowScreen{Screen::explore});
  buttons.take_left(ui.px(10));
  if (button(ui, "figure/save", buttons, fmt::format("Export {}   Ctrl E", format), ButtonLook::primary))
    actions.push_back(SaveFigure{});
}

float draw_right(Ui& ui, Rect area, const Model& model, const FigurePreview& preview, Actions& actions) {
  Rect box = area.inset(ui.px(18), 0);
  box.y += ui.px(14);
  box.h = 1e5F;
  const float top = box.y;
  const FigureRequest& figure = model.document.figure;
  draw_words(ui, box, "Caption", "caption", preview.caption, figure.caption.has_value(), "written from the data",
             actions);
  draw_words(ui, box, "Alt text", "alt", preview.alt, figure.alt.has_value(),
             fmt::format("{} / 2000", preview.alt.size()), actions);
  draw_checks(ui, box, model, preview);
  draw_command(ui, box, model, actions);
  draw_saving(ui, box, model, actions);
  return box.y - top + ui.px(34);
}

}  // namespace

void draw_figure_screen(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const bool wide = box.w / ui.scale() >= 1100;
  Rect left = box.take_left(ui.px(std::min(304.0F, box.w / ui.scale() * 0.42F)));
  Rect right = wide ? box.take_right(ui.px(332)) : Rect{};
  const float notices =
      model.notices.empty() && model.error.empty()
          ? 0
          : draw_notices(ui, {box.x + ui.px(20), box.y + ui.px(60), box.w - ui.px(40), 0}, model, actions);
  const Rect bar = box.take_top(ui.px(48));
  draw_middle_bar(ui, bar, memory);
  if (notices > 0) box.take_top(notices + ui.px(12));
  const double scale = scale_for(box.inset(ui.px(20), 0), memory, memory.figure.width);
  refresh(memory.figure, model, std::round(scale * 64) / 64, memory.vision);
  const FigurePreview& preview = memory.figure;
  draw_middle(ui, box, memory, preview, std::round(scale * 64) / 64);
  if (notices > 0)
    draw_notices(ui, {box.x + ui.px(20), bar.bottom() + ui.px(12), box.w - ui.px(40), 0}, model, actions);
  ui.fill(left, ui.theme().panel);
  ui.line({left.right() - 1, left.y}, {left.right() - 1, left.bottom()}, ui.theme().line);
  left.w -= 1;
  bool words = false;
  if (!wide) {
    Rect top = left.take_top(ui.px(48)).inset(ui.px(16), ui.px(8));
    const int chosen = segments(ui, "left/tab", top, {{"setup", "Settings", ""}, {"inspector", "Words", ""}},
                                memory.inspector_tab ? 1 : 0);
    if (chosen >= 0) memory.inspector_tab = chosen == 1;
    words = memory.inspector_tab;
  }
  scroll_area(ui, words ? "figure/words" : "figure/settings", left, [&](Rect area) {
    return words ? draw_right(ui, area, model, preview, actions) : draw_left(ui, area, model, preview, actions);
  });
  if (!wide) return;
  ui.fill(right, ui.theme().panel);
  ui.line({right.x, right.y}, {right.x, right.bottom()}, ui.theme().line);
  scroll_area(ui, "figure/words", right, [&](Rect area) { return draw_right(ui, area, model, preview, actions); });
}

}  // namespace headlight::app
