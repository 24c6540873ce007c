// What figures and worksheets are made of, and where they go.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/actions/action_table.h"
#include "app/actions/exports.h"
#include "app/actions/updating.h"
#include "app/figures/figure_choices.h"
#include "app/figures/figure_layers.h"
#include "app/model/network_run.h"
#include "app/reading/key_place.h"
#include "app/reading/pixel_partners.h"
#include "engine/core/system/paths.h"

namespace headlight::app {

namespace {

// The kind of figure that shows a step as the window does.
FigureKind kind_in_window(const Step& step, const Problem& problem, ViewMode mode) {
  if (mode == ViewMode::matrix && is_seen_on_picture(step)) return FigureKind::matrix;
  return has_places_of_windows(step) && pictures_of_positions(problem, step.axis(AxisRole::query))
             ? FigureKind::picture
             : FigureKind::automatic;
}

}  // namespace

void Updating::operator()(const ShowScreen& a) {
  const Trace* trace = a.value == Screen::figure ? model.figure_source().trace.get() : model.trace();
  if (a.value == model.screen) return;
  // Of a model whose maps are not kept what the figure takes is made first.
  const bool few = model.shows_network() && model.net.run && !model.net.run->few_maps.empty();
  if (a.value == Screen::figure && few) {
    model.companions.clear();
    set_figure_from_view();
    model.net.figure_wanted = true;
    return;
  }
  if (a.value != Screen::explore && a.value != Screen::train && a.value != Screen::lessons && !trace) return;
  if (a.value == Screen::figure && belongs_to(Screen::explore, model.screen)) {
    model.companions.clear();  // their files may be others by now
    set_figure_from_view();
  }
  if (a.value == Screen::compare) remove_held_note();
  model.screen = a.value;
  model.playing = false;
}

namespace {

// All layers, as they are looked at; the row of a token is drawn in each of them.
void request_layers(FigureRequest& figure, const NetworkLook& look, bool has_picture) {
  const bool token = look.view == LayersView::token, over = look.view == LayersView::rollout_row && has_picture,
             rolled = look.view == LayersView::rollout || look.view == LayersView::rollout_row;
  figure.layers.clear();
  figure.run_layers.emplace();
  figure.part = look.part;
  figure.average = look.view == LayersView::average;
  figure.steps = rolled ? std::vector<std::string>{rollout_id} : std::vector<std::string>();
  if (look.view == LayersView::measure && look.measure && needs_only_maps(*look.measure))
    figure.steps = {fmt::format("measure/{}", id_of(*look.measure))};
  if (look.view == LayersView::relevance) figure.steps = {relevance_id};
  figure.after = look.view == LayersView::relevance ? look.query : std::nullopt;
  figure.kind = over ? FigureKind::picture : FigureKind::automatic;
  if (token) figure.kind = FigureKind::layers;
  figure.query = token || over ? look.query : std::nullopt;
  figure.key.reset();
}

// Where it stands and what it reads, as the command takes it.
std::string words_of_network(const ModelExperiment& asked) {
  std::string words;
  const auto add = [&](const char* option, const std::string& text) {
    words += fmt::format(" {} {}", option, quoted(text));
  };
  if (asked.pixels && !asked.pixels->image.empty()) add("--image", asked.pixels->image);
  if (!asked.tokens) return words;
  if (asked.tokens->text) add("--reads", *asked.tokens->text);
  if (asked.tokens->pair) add("--pair", *asked.tokens->pair);
  if (!asked.tokens->ids.empty()) add("--ids", fmt::format("{}", fmt::join(asked.tokens->ids.front(), ",")));
  if (asked.decoder_tokens && asked.decoder_tokens->text) add("--decoder", *asked.decoder_tokens->text);
  return words;
}

// Whether those words say all that is asked of a model.
bool fits_in_command(const ModelExperiment& asked) {
  const bool one_list = !asked.tokens || asked.tokens->ids.size() < 2;
  const bool one_text = !asked.decoder_tokens || asked.decoder_tokens->text;
  return asked.ablate.empty() && !asked.features && one_list && one_text &&
         (!asked.tokens || asked.tokens->types.empty()) && (!asked.pixels || asked.pixels->numbers.empty());
}

}  // namespace

// The figure is of what is looked at.
void Updating::set_figure_from_view() {
  FigureRequest& figure = model.document.figure;
  if (model.shows_network() || model.shows_layers()) {
    NetworkLook look = look_of_layers(model);
    bool has_picture = layers_lie_on_picture(model);
    if (model.shows_layers()) {
      const auto& placed = maps_of_layers(*model.trace()).front()->axis(AxisRole::query)->placed;
      const bool class_token = placed && placed->offset > 0;
      if (!look.query) look.query = class_token ? 0 : model.extent(AxisRole::query) - 1;  // as it is shown
      has_picture = has_picture && !model.shown.problem->pictures.empty();
    }
    request_layers(figure, look, has_picture);
    figure.batch.reset();
    if (const Index item = item_looked_at(model).item; item > 0) figure.batch = item;
    return;
  }
  figure.run_layers.reset();
  figure.part = ModelPart::first;
  figure.average = false;
  figure.steps = {model.step()->info.id};
  figure.batch = look().batch > 0 ? std::optional(look().batch) : std::nullopt;
  figure.query = look().selection.query;
  figure.key.reset();
  figure.kind = kind_in_window(*model.step(), *model.shown.problem, look().mode);
  const Index heads = heads_served(*model.step());
  if (std::ranges::any_of(figure.heads, [&](Index head) { return head >= heads; })) figure.heads.clear();
}

void Updating::operator()(const SetFigure& a) {
  FigureRequest next = model.document.figure;
  if (const Status set = set_figure(next, a.key, a.text); !set) return note(set.error().message);
  if (next == model.document.figure) return;
  remember(a, "figure." + a.key, a.continues);
  model.document.figure = std::move(next);
}

void Updating::operator()(const SetFigurePath& a) {
  model.figure_files.path = a.value;
  if (const auto format = figure_format_of(a.value)) model.figure_files.format = *format;
}

void Updating::operator()(const SetFigureFormat& a) {
  model.figure_files.format = a.value;
  model.figure_files.path = std::filesystem::path(figure_path(model)).replace_extension(extension_of(a.value));
}

void Updating::operator()(const SetFigureEach& a) {
  FigureFiles& files = model.figure_files;
  if (!files.path.empty()) files.path = path_for_each(files, a.value, model.document.figure);
  files.each = a.value;
}

void Updating::operator()(const SetFigureExtra& a) {
  FigureExtras& extras = model.figure_files.extras;
  if (a.extra == "csv")
    extras.csv = a.on;
  else
    (a.extra == "npy" ? extras.npy : extras.words) = a.on;
}

void Updating::operator()(const SaveFigure& a) {
  if (model.figure_source().trace && !model.exporting.busy)
    effects.replace =
        Replacing{Replacing::What::figure, a.value.empty() ? std::filesystem::path(figure_path(model)) : a.value, {}};
}

void Updating::operator()(const SetSheet& a) {
  if (const Status set = set_sheet(model.sheet, a.key, a.text); !set) note(set.error().message);
}

void Updating::operator()(const SaveSheet& a) {
  if (model.trace() && !model.exporting.busy)
    effects.replace =
        Replacing{Replacing::What::sheet, a.value.empty() ? std::filesystem::path(sheet_path(model)) : a.value, {}};
}

void Updating::operator()(const CopyCommand&) {
  effects.clipboard = model.screen == Screen::worksheet ? sheet_command(model) : command_of(model);
}

void show_figure_view(Model& model) {
  const FigureRequest& figure = model.document.figure;
  Look& look = model.document.look;
  if (!figure.steps.empty()) look.step = figure.steps.front();
  if (!figure.heads.empty()) look.head = figure.heads.front();
  look.batch = figure.batch.value_or(0);
  look.selection = {figure.query, figure.key, std::nullopt, {}, {}};
  look.pinned = figure.query && figure.key;
  look.mode = figure.kind == FigureKind::matrix ? ViewMode::matrix : ViewMode::map;
}

bool command_is_true(const Model& model) {
  if (model.screen == Screen::worksheet && model.sheet.by_hand) return true;
  for (const auto& path : companions_of(model.document.figure))
    if (model.recipe_companions.contains(path)) return false;
  const FigureRequest request = files_request(model);
  if (model.shows_network()) return model.path.empty() ? fits_in_command(model.net.run->asked) : !model.changed();
  const bool figure = model.trace() && model.screen != Screen::worksheet;  // a worksheet's command leaves nothing open
  const auto drawn = [&](const FigureRequest& asked) { return without_idle_choices(asked, *model.trace()); };
  if (figure &&
      drawn(with_defaults(drawn(request), model.file_view, model.figure_files.each, *model.trace())) != drawn(request))
    return false;
  if (!model.path.empty()) return !model.changed();
  static const std::string example = to_json(example_experiment(), {});
  return *model.text() == example;
}

std::string figure_path(const Model& model) {
  if (!model.figure_files.path.empty()) return model.figure_files.path;
  const auto& each = model.figure_files.each;
  const auto& steps = model.document.figure.steps;
  std::string step = steps.empty() ? "figure" : steps.front();
  if (model.figures_layers()) step = "layers";
  if (std::ranges::find(each, "step") != each.end()) step = "{step}";
  return with_places(utf8(model.path.parent_path() / (step + extension_of(model.figure_files.format))), each);
}

std::string command_of(const Model& model) {
  const FigureExtras& extras = model.figure_files.extras;
  const bool folder = model.shows_network() && model.path.empty();
  const FigureRequest request = files_request(model);
  std::string command = figure_command(
      model.figure_source().trace ? without_idle_choices(request, *model.figure_source().trace) : request,
      folder ? model.document.network->asked.model : utf8(model.path), figure_path(model));
  if (folder) command += words_of_network(model.document.network->asked);
  for (const auto& each : model.figure_files.each) command += " --each " + each;
  if (extras.csv) command += " --csv";
  if (extras.npy) command += " --npy";
  if (extras.words) command += " --words";
  return command;
}

}  // namespace headlight::app
