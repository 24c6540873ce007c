// What a figure is asked to show and how: the left column of its export screen.
#include <fmt/ranges.h>

#include <cmath>

#include "app/figures/figure_layers.h"
#include "app/model/relevance.h"
#include "app/panels/export/parts.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

template <class T>
int index_in(const std::vector<T>& list, const T& value) {
  const auto found = std::ranges::find(list, value);
  return found == list.end() ? -1 : static_cast<int>(found - list.begin());
}

void choice_row(Form& form, const char* label, const std::string& path, const std::vector<std::string>& titles,
                const std::vector<std::string>& texts, const std::string& now, const std::string& key,
                Actions& actions) {
  const int chosen = drop_down(form.ui, path, form.row(label), titles, index_in(texts, now));
  if (chosen >= 0) push_setting(actions, key, texts[static_cast<std::size_t>(chosen)]);
}

// What is written from the data where nobody says otherwise.
bool has_default_text(std::string_view key) {
  return key == "title" || key == "row-name" || key == "column-name" || key == "bar-label";
}

// As it is typed: nothing where it is the step's own.
std::string typed_words(const std::optional<std::string>& own) {
  if (!own) return {};
  return own->empty() ? "none" : *own;
}

// A text that is taken over as it is typed.
void text_row(Form& form, const char* label, const std::string& key, std::string text, const char* hint,
              Actions& actions) {
  const std::string given = text;
  const FieldResult typed = text_field(form.ui, "figure/" + key, form.row(label), text, false, hint);
  // A title that is cleared is the step's again; "none" leaves it out.
  push_typed(actions, typed, given, text, [&](const std::string& now) {
    return SetFigure{key, now.empty() && has_default_text(key) ? "auto" : now, true};
  });
}

void toggle_row(Form& form, const char* label, const std::string& key, bool on, Actions& actions) {
  Rect line = form.row(label);
  form.ui.tooltip("figure/" + key, line, std::ranges::find(figure_settings(), key, &FigureSetting::key)->help);
  if (const auto next = toggle(form.ui, "figure/" + key, line, on))
    push_setting(actions, key, *next ? "true" : "false");
}

void number_row(Form& form, const char* label, const std::string& key, long long value, long long least, long long most,
                std::string_view shown, std::string_view note, Actions& actions) {
  Rect line = form.row(label);
  const auto next =
      number_stepper(form.ui, "figure/" + key, line.take_left(form.ui.px(100)), value, least, most, 1, shown);
  line.take_left(form.ui.px(8));
  form.ui.text_in(Type::note, line, form.ui.theme().text_faint, note);
  if (next) push_setting(actions, key, fmt::format("{}", *next));
}

int segments_row(Form& form, const char* label, const std::string& path, const std::vector<Segment>& list,
                 int selected) {
  return segments(form.ui, path, form.row(label), list, selected);
}

// One file, or one for each of something.
void draw_files(Form& form, const Model& model, Actions& actions) {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> all;
  for (auto& [title, each] : each_choices(model)) {
    titles.push_back(std::move(title));
    all.push_back(std::move(each));
  }
  const int chosen =
      drop_down(form.ui, "figure/each", form.row("Files"), titles, index_in(all, model.figure_files.each));
  if (chosen >= 0) actions.push_back(SetFigureEach{all[static_cast<std::size_t>(chosen)]});
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
  texts.push_back(index_in(texts, width) < 0 ? width : "100mm");
  choice_row(form, "Preset", "figure/preset", titles, texts, width, "width", actions);
  text_row(form, "Width", "width", figure.width, "5.5in or 89mm", actions);
  Rect size = form.row("Comes to", 24);
  form.ui.text_in(Type::number_note, size, form.ui.theme().text_muted,
                  preview.error.empty() ? fmt::format("{:.2f} × {:.2f} in", preview.width / points_per_inch,
                                                      preview.height / points_per_inch)
                                        : "–");
  const FigureFormat format = model.figure_files.format;
  constexpr FigureFormat formats[] = {FigureFormat::pdf, FigureFormat::svg, FigureFormat::png, FigureFormat::pgf};
  const auto now = std::ranges::find(formats, format) - std::begin(formats);
  const int chosen = segments_row(form, "Format", "figure/format",
                                  {{"pdf", "PDF", ""}, {"svg", "SVG", ""}, {"png", "PNG", ""}, {"pgf", "PGF", ""}},
                                  static_cast<int>(now));
  if (chosen >= 0) actions.push_back(SetFigureFormat{formats[chosen]});
  if (format == FigureFormat::png) {
    choice_row(form, "Resolution", "figure/dpi", {"150 dpi", "300 dpi", "600 dpi", "1200 dpi"},
               {"150", "300", "600", "1200"}, fmt::format("{}", figure.dpi), "dpi", actions);
  } else {
    form.ui.text_in(Type::label, form.row("Resolution"), form.ui.theme().text_faint, "Vector");
  }
  draw_files(form, model, actions);
}

// One button a head; those that are drawn are dark.
void draw_heads(Form& form, const Model& model, const Step& step, Actions& actions) {
  Ui& ui = form.ui;
  const Index heads = heads_served(step);
  const auto& chosen = model.document.figure.heads;
  const Subtrahend& minus = model.document.figure.minus;
  const auto is_on = [&](Index head) {  // a head that is taken away is no panel, unless it is asked for
    if (chosen.empty()) return minus.what != Subtrahend::What::head || minus.head != head;
    return std::ranges::find(chosen, head) != chosen.end();
  };
  const float side = ui.px(29), gap = ui.px(5);
  form.y += ui.px(4);
  const auto a_row = std::max<Index>(1, static_cast<Index>((form.column.w + gap) / (side + gap)));
  constexpr Index most = 64;  // buttons; more by --head
  for (Index head = 0; head < std::min(heads, most); ++head) {
    const Rect box{form.column.x + static_cast<float>(head % a_row) * (side + gap),
                   form.y + static_cast<float>(head / a_row) * (side + gap), side, side};
    const bool on = is_on(head);
    const std::string path = fmt::format("figure/head/{}", head), number = fmt::format("{}", head);
    const auto hit = ui.hit(path, box, true, number, on ? "selected" : "");
    ui.fill(box, on ? ui.theme().ink : ui.theme().canvas, ui.px(6));
    if (!on) ui.frame(box, ui.theme().line_strong, ui.px(6));
    ui.text_in(Type::number, box, on ? ui.theme().canvas : ui.theme().text_muted, number, Ui::Align::center);
    if (hit.focused) ui.focus_ring(box, ui.px(6));
    ui.tooltip(path, box, head_name(*model.figure_source().trace, head));
    if (!hit.clicked) continue;
    std::vector<Index> next;
    for (Index other = 0; other < heads; ++other)
      if (other == head ? !on : is_on(other)) next.push_back(other);
    if (next.empty()) continue;  // one stays
    push_setting(actions, "head",
                 static_cast<Index>(next.size()) == heads ? "all" : fmt::format("{}", fmt::join(next, ",")));
  }
  form.y += std::ceil(static_cast<float>(std::min(heads, most)) / static_cast<float>(a_row)) * (side + gap) + ui.px(6);
}

std::string letters_note(const Model& model, const FigurePreview& preview) {
  if (preview.panels < 2 || model.figures_layers()) return "";
  return fmt::format("a to {}", static_cast<char>('a' + std::min<std::size_t>(preview.panels, 26) - 1));
}

// What is taken away from every panel: a head, a step of the same shape, or another experiment's.
void draw_minus(Form& form, const Model& model, const Step* step, Actions& actions) {
  const Subtrahend& minus = model.document.figure.minus;
  const bool of_file = minus.what == Subtrahend::What::experiment;
  std::vector<std::string> titles{"Nothing"}, texts{"none"};
  const auto add = [&](std::string title, std::string text) {
    titles.push_back(std::move(title));
    texts.push_back(std::move(text));
  };
  constexpr Index most = 16;  // heads; more by --minus
  for (Index head = 0; step && has_heads(*step) && heads_of(*step) > 1 && head < std::min(heads_served(*step), most);
       ++head)
    add(head_name(*model.figure_source().trace, head), fmt::format("head:{}", head));
  for (const auto& other : model.figure_source().trace->steps)
    if (step && other.info.id != step->info.id && other.tensor().shape() == step->tensor().shape())
      add(other.info.title, fmt::format("step:{}", other.info.id));
  add("Another experiment", of_file ? minus.name : "other.headlight");
  choice_row(form, "Minus", "figure/minus", titles, texts, setting_of(model.document.figure, "minus"), "minus",
             actions);
  if (of_file) text_row(form, "Its file", "minus", minus.name, "other.headlight", actions);
}

// What is drawn of all layers of a model, or of a result that has several: a few settings together.
void draw_layers_shown(Form& form, const Model& model, Actions& actions) {
  const FigureRequest& figure = model.document.figure;
  const Step* step = first_step(*model.figure_source().trace, figure);
  const bool rolled = figure.steps == std::vector<std::string>{rollout_id}, row = figure.kind == FigureKind::layers;
  const bool measured = figure.steps.size() == 1 && measure_in(figure.steps.front()),
             relevant = shows_relevance(figure);
  int now = figure.average ? 1 : 0;
  if (measured) now = 4;
  if (row) now = 3;
  if (rolled) now = 2;
  if (relevant) now = 5;
  std::vector<std::string> kinds{"Every head", "Mean over heads", "Rollout", "One query in each layer",
                                 "A measure of each head"};
  if (relevant || why_no_relevance(model).empty()) kinds.emplace_back("Relevance");
  const int chosen = drop_down(form.ui, "figure/of-layers", form.row("Show"), kinds, now);
  if (chosen >= 0) {
    const HeadOrder by = look_of_layers(model).measure;
    const Measure measure = by && needs_only_maps(*by) ? *by : Measure::entropy;
    std::string shown = chosen == 2 ? rollout_id : "auto";
    if (chosen == 5) shown = relevance_id;
    if (chosen == 4) shown = fmt::format("measure/{}", id_of(measure));
    push_setting(actions, "step", shown);
    push_setting(actions, "average", chosen == 1 ? "true" : "false");
    push_setting(actions, "as", chosen == 3 ? "layers" : "auto");
  }
  if (step && has_heads(*step) && !rolled && !measured && !figure.average) draw_heads(form, model, *step, actions);
  text_row(form, "Layers", "layers", setting_of(figure, "layers"), "all, or 0,3-5", actions);
  if (!(row || relevant) || !step) return;
  if (const Axis* queries = step->axis(AxisRole::query); queries && queries->size > 0) {
    const Index last = queries->size - 1,
                query = std::min(relevant ? figure.after.value_or(last) : figure.query.value_or(0), last);
    number_row(form, relevant ? "After" : "Query", relevant ? "after" : "query", query, 0, last, "",
               label_of(queries, query, figure.batch.value_or(0)), actions);
  }
}

// Of the result of an experiment.
void draw_steps_shown(Form& form, const Model& model, Actions& actions) {
  const FigureRequest& figure = model.document.figure;
  std::vector<std::string> titles, ids;
  const Trace& trace = *model.figure_source().trace;
  for (const auto* list : {&trace.steps, &trace.sources})
    for (const Step& step : *list) {
      titles.push_back(step.info.title);
      ids.push_back(step.info.id);
    }
  const Step* opening = model.figure_source().trace->default_step();
  std::string now = opening ? opening->info.id : "";
  if (!figure.steps.empty()) now = figure.steps.front();
  if (files_request(model).steps.empty())
    form.ui.text_in(Type::label, form.row("Step"), form.ui.theme().text_faint, "All, a file each");
  else
    choice_row(form, "Step", "figure/step", titles, ids, now, "step", actions);
  const Step* step = model.figure_source().trace->find(now);
  if (step && has_heads(*step) && heads_of(*step) > 1) draw_heads(form, model, *step, actions);
  draw_minus(form, model, step, actions);
  const std::string layers = figure.layers.empty() ? "" : setting_of(figure, "layers");
  text_row(form, "Layers", "layers", layers, "b.headlight, …", actions);
  choice_row(form, "Show as", "figure/as",
             {"Automatic", "Map", "Matrix", "Over the picture", "Offsets", "Bars of one row", "Lines"},
             {"auto", "map", "matrix", "picture", "offsets", "bars", "lines"}, setting_of(figure, "as"), "as", actions);
}

void draw_content(Form& form, const Model& model, const FigurePreview& preview, Actions& actions) {
  const FigureRequest& figure = model.document.figure;
  form.heading("Panels");
  if (model.figures_layers())
    draw_layers_shown(form, model, actions);
  else
    draw_steps_shown(form, model, actions);
  number_row(form, "Columns", "columns", figure.columns, 0, 16, figure.columns == 0 ? "auto" : "",
             figure.marks == Marks::letters ? letters_note(model, preview) : "", actions);
  choice_row(form, "Marks", "figure/marks", {"Letters", "Numbers", "None"}, {"letters", "numbers", "none"},
             setting_of(figure, "marks"), "marks", actions);
  const int numbers =
      segments_row(form, "Cell numbers", "figure/numbers",
                   {{"none", "None", ""}, {"top", "Top 3", ""}, {"all", "All", ""}}, static_cast<int>(figure.numbers));
  constexpr const char* texts[] = {"none", "top", "all"};
  if (numbers >= 0) push_setting(actions, "numbers", texts[numbers]);
  text_row(form, "Title", "title", typed_words(figure.title), "the step's", actions);
  if (const Selection& selection = model.document.look.selection; model.document.look.pinned && selection.key) {
    Rect line = form.row("Frame cell");
    form.ui.tooltip("figure/key", line, "Frames the pinned cell in every panel.");
    if (const auto next = toggle(form.ui, "figure/key", line, figure.key.has_value()))
      push_setting(actions, "key", *next ? fmt::format("{}", *selection.key) : "none");
  }
  toggle_row(form, "Grid lines", "grid", figure.grid, actions);
  toggle_row(form, "Blank masked", "blank-masked", figure.blank_masked, actions);
  toggle_row(form, "No ground", "transparent", figure.transparent, actions);
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
           {"figure/ramp/" + name,
            {.what = "ramp", .columns = 64},
            MatrixView{ramp.data(), 1, 64, 64, 1},
            nullptr,
            ValueRange{has_sign ? -1.0F : 0.0F, 1, Spacing::linear},
            map},
           strip, MapSize::large);
  ui.frame(strip.inset(-1), ui.theme().line_strong);
  ui.text_in(Type::label, {strip.right() + ui.px(12), line.y, line.w, line.h}, ui.theme().text, capitalized(name));
  return hit.clicked;
}

void draw_colors(Form& form, const Model& model, const FigurePreview& preview, Actions& actions) {
  Ui& ui = form.ui;
  const FigureRequest& figure = model.document.figure;
  form.heading("Colour");
  toggle_row(form, "One scale", "shared", figure.shared, actions);
  choice_row(form, "Bar", "figure/bar", {"Auto", "Beside", "Below", "None"}, {"auto", "beside", "below", "none"},
             setting_of(figure, "bar"), "bar", actions);
  for (const Colormap map : all_colormaps) {
    if (is_signed(map) != preview.is_signed || map == Colormap::beam || map == Colormap::tide_dark) continue;
    const Rect line{form.column.x - ui.px(8), form.y, form.column.w + ui.px(16), ui.px(32)};
    form.y += line.h;
    if (draw_ramp(ui, line, map, map == preview.colormap)) push_setting(actions, "colors", std::string(to_string(map)));
  }
  form.y += ui.px(4);
  text_row(form, "Range", "range",
           figure.range ? fmt::format("{}:{}", figure.range->first, figure.range->second) : "auto", "auto, or 0:1",
           actions);
  const int spacing = segments_row(form, "Spacing", "figure/spacing",
                                   {{"linear", "Linear", ""}, {"log", "Log", ""}, {"row-max", "Rows", ""}},
                                   static_cast<int>(preview.spacing));
  constexpr const char* texts[] = {"linear", "log", "row-max"};
  if (spacing >= 0) push_setting(actions, "spacing", texts[spacing]);
}

void draw_type(Form& form, const Model& model, Actions& actions) {
  const FigureRequest& figure = model.document.figure;
  form.heading("Text");
  choice_row(form, "Font", "figure/font", {"Inter", "Latin Modern Roman"}, {"sans", "serif"}, figure.font, "font",
             actions);
  number_row(form, "Size", "text", std::lround(figure.text_size), 4, 24, fmt::format("{}", figure.text_size),
             "pt in print", actions);
  number_row(form, "Smallest", "min-text", std::lround(figure.smallest_text), 2, 24,
             fmt::format("{}", figure.smallest_text), "pt in print", actions);
  const auto words = [&](const char* label, const char* key, const std::optional<std::string>& own, const char* hint) {
    text_row(form, label, key, typed_words(own), hint, actions);
  };
  text_row(form, "Panel titles", "panel-titles", setting_of(figure, "panel-titles"), "first | second | …", actions);
  words("Rows", "row-name", figure.row_name, "the step's");
  words("Columns", "column-name", figure.column_name, "the step's");
  words("Bar label", "bar-label", figure.bar_label, "what it is and its scale");
}

}  // namespace

float draw_figure_settings(Ui& ui, Rect box, const Model& model, const FigurePreview& preview, Actions& actions) {
  Form form = export_form(ui, box, model, actions);
  draw_size(form, model, preview, actions);
  form.divider(box.x, box.w);
  draw_content(form, model, preview, actions);
  form.divider(box.x, box.w);
  draw_colors(form, model, preview, actions);
  form.divider(box.x, box.w);
  draw_type(form, model, actions);
  return form.y + ui.px(20) - box.y;
}

}  // namespace headlight::app
