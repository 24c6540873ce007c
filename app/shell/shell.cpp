#include "app/shell/shell.h"

#include <imgui.h>

#include <algorithm>
#include <chrono>

#include "app/cli/assets.h"
#include "app/cli/standard_streams.h"
#include "app/lessons/lesson.h"
#include "app/model/browse.h"
#include "app/model/lesson_scene.h"
#include "app/panels/present/parts.h"
#include "app/panels/screen/parts.h"
#include "app/panels/setup/parts.h"
#include "app/platform/input.h"
#include "app/platform/places.h"
#include "app/reading/inputs.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"

namespace headlight::app {

namespace {

// One of theme_names.
ThemeName theme_name(const std::string& name) {
  return static_cast<ThemeName>(std::ranges::find(theme_names, name) - theme_names.begin());
}

// What is no experiment and may be dropped on the window: a text, a picture, a signal, arrays, a figure with its
// recipe.
bool is_for_dropping(const std::filesystem::path& path) {
  const auto kind = kind_of_name(path);
  std::error_code error;
  if (kind == FileKind::experiment || !std::filesystem::exists(path, error)) return false;  // then an error names it
  return kind || input_of_file(path).has_value();
}

// The model of many layers that the command names; nothing where it names none.
Result<std::optional<OpenedNetwork>> network_of(const WindowCommand& command) {
  std::error_code ignored;
  std::filesystem::path path = command.experiment;
  GivenInput given = command.given;
  given.image = command.dump.image;
  HL_CHECK(go_to_step(path, given));
  if (path.empty() || command.as_attention) {
    if (command.given.any()) return fail("--text, --pair and --ids are of a model: name its folder");
    return std::nullopt;
  }
  const bool trains = opens_as_training(path);
  if (auto model = trains ? std::nullopt : model_in(path, assets_folder() / "examples")) {
    if (!given.any()) return OpenedNetwork{std::move(*model), {}};
    HL_TRY(auto asked, experiment_of_folder(model->model, given));
    return OpenedNetwork{std::move(asked), {}};
  }
  if (command.given.any())
    return fail("{}: --text, --pair and --ids are of a model's folder, which this is not", one_line(utf8(path)));
  if (path.extension() != ".headlight" && path.extension() != ".json") return std::nullopt;
  Opened opened = read_to_open(path, assets_folder() / "examples");
  if (auto* network = std::get_if<OpenedNetwork>(&opened)) return std::move(*network);
  if (const auto* error = std::get_if<Error>(&opened)) return fail("{}", error->message);
  return std::nullopt;
}

// Whether the command's file holds attention, or is told to.
bool opens_attention(const WindowCommand& command) {
  const bool told = command.dump.any() || !command.dump.save.empty();  // what it says is of attention
  if (is_array_file(command.experiment))
    return told || (command.as_attention && !holds_layers(command.experiment)) || holds_attention(command.experiment) ||
           holds_attention_among_others(command.experiment);
  return is_table(command.experiment) && (told || command.as_attention || table_holds_attention(command.experiment));
}

// Errors: a file that view does not open.
Status check_viewed(const WindowCommand& command, bool attention) {
  const std::string kind = utf8(command.experiment.extension());
  if (std::error_code ignored; command.as_attention && !attention && !is_array_file(command.experiment) &&
                               kind != ".headlight" && kind != ".json" &&
                               std::filesystem::is_regular_file(command.experiment, ignored))
    return fail(
        "{}: view opens arrays (.npy, .npz, .safetensors, .pt, .bin), tables (.csv, .tsv) and experiments "
        "(.headlight, .json)",
        one_line(utf8(command.experiment)));
  return {};
}

// Of a hidden window those that are the same for everybody.
Surroundings surroundings_of(bool hidden) {
  Surroundings surroundings;
  if (!hidden) {
    surroundings.settings = config_folder().empty() ? config_folder() : config_folder() / "settings.json";
    surroundings.state = state_folder();
    surroundings.cache = cache_folder();
  }
  surroundings.served_by = work_is_served_by();
  surroundings.set_clipboard = set_clipboard;
  surroundings.clipboard = clipboard;
  surroundings.examples = assets_folder() / "examples";
  surroundings.fonts = assets_folder() / "fonts";
  return surroundings;
}

WindowOptions window_options(const Remembered& remembered, int width, int height, bool hidden) {
  WindowOptions options;
  options.width = width;
  options.height = height;
  options.hidden = hidden;
  options.ui_scale = remembered.settings.scale;
  if (const auto& place = remembered.window)
    options.frame = WindowFrame{place->x, place->y, place->width, place->height, place->maximized};
  if (hidden) options.clock = [] { return 1.0; };  // the same picture every time
  return options;
}

// Errors: what the window would say of the file.
Status drop_file(Session& session, const std::filesystem::path& file) {
  session.act(Open{file});
  session.finish_files();
  for (const auto& notice : session.model().notices)
    if (notice.level == Notice::Level::error) return fail("{}", notice.text);
  return {};
}

// Where no file is named: with what the settings say.
Status begin_as_asked(Session& session, const Remembered& remembered) {
  if (remembered.settings.start == StartWith::lessons) session.act(ShowScreen{Screen::lessons});
  std::error_code error;
  const bool left = remembered.settings.start == StartWith::left && !remembered.left.empty();
  return left && std::filesystem::exists(remembered.left, error) ? drop_file(session, remembered.left) : Status();
}

}  // namespace

Result<std::unique_ptr<Shell>> open_shell(const WindowCommand& command, int width, int height, bool hidden) {
  auto shell = std::make_unique<Shell>();
  Experiment experiment = example_experiment();
  HL_TRY(const auto network, network_of(command));
  const bool attention = opens_attention(command);
  HL_CHECK(check_viewed(command, attention));
  const bool dropped = !attention && !network &&
                       (is_for_dropping(command.experiment) || is_lesson_file(command.experiment) ||
                        opens_as_training(command.experiment));
  if (is_standard_stream(command.experiment))
    return fail("-: the window opens files; trace, heads, code, embed, render and worksheet read standard input");
  if (command.experiment.empty() || dropped || network)
    HL_CHECK(check_unread(command.dump, command.experiment.empty() ? "the example" : one_line(utf8(command.experiment)),
                          network.has_value()));
  if (!command.experiment.empty() && !dropped && !network) {
    HL_TRY(experiment, open_experiment(command.experiment, command.dump));
  }
  Surroundings surroundings = surroundings_of(hidden);
  surroundings.copy_link = command.copy_link;
  std::error_code error;
  const bool first_start = command.first_lesson && command.experiment.empty() && !surroundings.settings.empty() &&
                           !std::filesystem::exists(surroundings.settings, error);
  Remembered remembered;
  if (!hidden)  // a screenshot is the same whoever takes it
    if (auto read = read_settings(surroundings.settings)) remembered = std::move(*read);
  if (command.theme) remembered.settings.theme = theme_name(*command.theme);
  if (command.scale) remembered.settings.scale = *command.scale;
  HL_TRY(Fonts fonts, Fonts::open(assets_folder() / "fonts"));
  shell->fonts = std::make_unique<Fonts>(std::move(fonts));
  HL_TRY(Window window, Window::open(window_options(remembered, width, height, hidden), *shell->fonts));
  shell->window = std::make_unique<Window>(std::move(window));
  HL_TRY(shell->painter, GlMapPainter::create());
  surroundings.wake = [window = shell->window.get()] { window->wake(); };
  if (network)
    shell->session = std::make_unique<Session>(network->asked, network->path, std::move(surroundings));
  else
    shell->session = std::make_unique<Session>(std::move(experiment),
                                               dropped || attention ? command.dump.save : utf8(command.experiment),
                                               std::move(surroundings));
  if (command.experiment.empty()) shell->session->begin_at_first_step();
  if (hidden) remembered.settings.reduce_motion = true;  // a picture shows what is at rest
  shell->session->use_settings(remembered.settings);
  shell->memory.get<FoldsMemory>().folded = remembered.folds.questions;
  shell->memory.get<FoldsMemory>().more_parameters = remembered.folds.all_parameters;
  if (dropped) HL_CHECK(drop_file(*shell->session, command.experiment));
  if (first_start)  // whoever never used it begins with what attention is
    shell->session->act(OpenLesson{first_lesson(shell->session->model())});
  else if (command.experiment.empty() && !hidden)
    HL_CHECK(begin_as_asked(*shell->session, remembered));
  return shell;
}

namespace {

// Draws one frame and carries out what was asked for in it.
void draw_frame(Shell& shell, WidgetLog* log) {
  Window& window = *shell.window;
  const Model& model = shell.session->model();
  const Theme& colors = theme(theme_shown(model));
  apply_theme(colors, window.scale());
  const auto width = static_cast<float>(window.width()), height = static_cast<float>(window.height());
  const Rect notes{width, 0, static_cast<float>(window.beside_width()), static_cast<float>(window.beside_height())};
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("Headlight", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  Actions actions;
  {
    Ui ui(shell.memory.ui, *shell.fonts, colors, *shell.painter, window.scale(), window.now(), log);
    actions = draw_screen(ui, {0, 0, width, height}, model, shell.memory, notes);
    for (const double at : {ui.next_redraw(), model.playing ? model.play_since + play_delay(model) : 1e300})
      if (at < 1e299) window.request_frame_at(at);
    ui.finish();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  for (const auto& action : actions) shell.session->act(action);
  if (!actions.empty()) window.request_frame_at(window.now());
}

}  // namespace

void run_frame(Shell& shell, WidgetLog* log) {
  for (const auto& path : shell.window->take_dropped()) shell.session->act(Open{path});
  shell.session->poll(shell.window->now());
  const Model& model = shell.session->model();
  const float display = shell.window->content_scale();
  shell.window->set_ui_scale(
      scale_shown(model, static_cast<float>(shell.window->height()), model.settings.scale * display) / display);
  draw_frame(shell, log);
  shell.window->present(theme(theme_shown(shell.session->model())).canvas);
  shell.painter->end_frame();
}

bool do_work(Shell& shell) {
  bool did = shell.session->work();
  if (work_is_served_by() == ServedBy::caller)
    did |= shell.memory.background.pump(std::chrono::steady_clock::now() + std::chrono::milliseconds(4));
  return did;
}

void remember_view(Shell& shell) {
  shell.session->remember_open();
  shell.session->remember_folds(
      {shell.memory.get<FoldsMemory>().folded, shell.memory.get<FoldsMemory>().more_parameters});
}

}  // namespace headlight::app
