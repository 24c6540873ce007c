#include "app/window.h"

#include <imgui.h>

#include <algorithm>
#include <memory>

#include "app/actions/action_table.h"
#include "app/cli/assets.h"
#include "app/cli/messages.h"
#include "app/cli/standard_streams.h"
#include "app/lessons/lesson.h"
#include "app/model/browse.h"
#include "app/model/lesson_scene.h"
#include "app/panels/common/shown.h"
#include "app/panels/present/parts.h"
#include "app/panels/screen/parts.h"
#include "app/panels/setup/parts.h"
#include "app/platform/input.h"
#include "app/platform/places.h"
#include "app/platform/signals.h"
#include "app/platform/window.h"
#include "app/reading/inputs.h"
#include "app/render/gl_map_painter.h"
#include "app/session/session.h"
#include "engine/base/words.h"
#include "engine/core/system/paths.h"
#include "engine/io/experiment_files.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"

namespace headlight::app {

namespace {

// One of theme_names.
ThemeName theme_name(const std::string& name) {
  return static_cast<ThemeName>(std::ranges::find(theme_names, name) - theme_names.begin());
}

// Everything behind one window. Members are in the order in which they must come and go.
struct Shell {
  std::unique_ptr<Fonts> fonts;
  std::unique_ptr<Window> window;
  std::unique_ptr<GlMapPainter> painter;
  std::unique_ptr<Session> session;
  PanelMemory memory;
};

// What is no experiment and may be dropped on the window: a text, a picture, a signal, arrays, a figure with its
// recipe.
bool is_for_dropping(const std::filesystem::path& path) {
  const auto kind = kind_of_name(path);
  std::error_code error;
  if (kind == FileKind::experiment || !std::filesystem::exists(path, error)) return false;  // then an error names it
  return kind || input_of_file(path).has_value();
}

// The model of many layers that the command names; nothing where it names none.
Result<std::optional<NetworkOpened>> network_of(const WindowCommand& command) {
  std::error_code ignored;
  std::filesystem::path path = command.experiment;
  ModelGiven given = command.given;
  given.image = command.dump.image;
  HL_CHECK(go_to_step(path, given));
  if (path.empty() || command.as_attention) {
    if (command.given.any()) return fail("--text, --pair and --ids are of a model: name its folder");
    return std::nullopt;
  }
  const bool trains = opens_as_training(path);
  if (auto model = trains ? std::nullopt : model_in(path, assets_folder() / "examples")) {
    if (!given.any()) return NetworkOpened{std::move(*model), {}};
    HL_TRY(auto asked, experiment_of_folder(model->model, given));
    return NetworkOpened{std::move(asked), {}};
  }
  if (command.given.any())
    return fail("{}: --text, --pair and --ids are of a model's folder, which this is not", one_line(utf8(path)));
  if (path.extension() != ".headlight" && path.extension() != ".json") return std::nullopt;
  Opened opened = read_to_open(path, assets_folder() / "examples");
  if (auto* network = std::get_if<NetworkOpened>(&opened)) return std::move(*network);
  if (const auto* error = std::get_if<Error>(&opened)) return fail("{}", error->message);
  return std::nullopt;
}

// Whether the command's file holds attention, or is told to.
bool is_of_attention(const WindowCommand& command) {
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

Result<std::unique_ptr<Shell>> open_shell(const headlight::app::WindowCommand& command, int width, int height,
                                          bool hidden) {
  auto shell = std::make_unique<Shell>();
  Experiment experiment = example_experiment();
  HL_TRY(const auto network, network_of(command));
  const bool attention = is_of_attention(command);
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
  std::error_code error;
  const bool first_start = command.experiment.empty() && !surroundings.settings.empty() &&
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

// Draws one frame and carries out what was asked for in it.
void draw_frame(Shell& shell) {
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
    Ui ui(shell.memory.ui, *shell.fonts, colors, *shell.painter, window.scale(), window.now(), nullptr);
    actions = draw_screen(ui, {0, 0, width, height}, model, shell.memory, notes);
    for (const double at : {ui.next_change(), model.playing ? model.play_since + play_rest(model) : 1e300})
      if (at < 1e299) window.request_frame_at(at);
    ui.finish();
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  for (const auto& action : actions) shell.session->act(action);
  if (!actions.empty()) window.request_frame_at(window.now());
}

void run_frame(Shell& shell) {
  for (const auto& path : shell.window->take_dropped()) shell.session->act(Open{path});
  shell.session->poll(shell.window->now());
  const Model& model = shell.session->model();
  const float display = shell.window->content_scale();
  shell.window->set_ui_scale(
      scale_shown(model, static_cast<float>(shell.window->height()), model.settings.scale * display) / display);
  draw_frame(shell);
  shell.window->present(theme(theme_shown(shell.session->model())).canvas);
  shell.painter->end_frame();
}

int report(const Error& error) {
  print_error(error.message);
  return 1;
}

// Carries out an action of --do, and prints what the window says of it in a card or asks.
Status carry_out(Session& session, const std::string& line) {
  const Model& model = session.model();
  HL_TRY(const Action action, parse_action(line));
  const auto tell = [&](const std::string& what) { print_error(fmt::format("--do \"{}\" {}", brief(line), what)); };
  if (const std::string why = why_not(action, model); !why.empty()) {
    tell("does nothing here: " + why);
    return {};
  }
  const std::size_t before = model.notices.size();
  session.act(action);
  session.finish_files();
  session.settle(120);
  for (std::size_t i = before; i < model.notices.size(); ++i)
    if (model.notices[i].level != Notice::Level::note) tell("says: " + model.notices[i].text);
  if (model.dialog == Dialog::replace) tell("asks: " + model.replacing.question);
  return {};
}

// Carries out what comes before a picture, and takes it.
Status take_stop(Shell& shell, const ScreenshotStop& stop) {
  const Model& model = shell.session->model();
  for (const auto& line : stop.actions) HL_CHECK(carry_out(*shell.session, line));
  for (int frame = 0; frame < 4; ++frame) {  // fonts, then hovering, then what opened
    shell.window->next_frame();
    run_frame(shell);
    shell.session->settle(120);  // what a frame asked for
    shell.memory.background.flush();
  }
  const Pixels pixels = shell.window->capture();
  Image image{pixels.width, pixels.height, pixels.rgba};
  HL_TRY(const std::string png, encode_png(image));
  if (const auto& shown = model.shown.experiment) HL_CHECK(check_may_write(*shown, stop.output));
  if (const auto& network = model.document.network) HL_CHECK(check_may_write(network->asked, stop.output));
  return write_file(stop.output, png);
}

void remember_place(Shell& shell) {
  const auto frame = shell.window->frame();
  if (!frame) return;
  WindowPlace place{frame->x, frame->y, frame->width, frame->height, frame->maximized};
  const auto& before = shell.session->remembered().window;
  if (place.maximized && before) {  // to go back to
    place = *before;
    place.maximized = true;
  }
  shell.session->remember_window(place);
}

// Draws until it is asked to close and nothing is lost by it.
void run_window(Shell& shell, const EndSignals& signals, bool windowed) {
  Session& session = *shell.session;
  std::string title;
  while (!signals.came()) {
    if (!shell.window->next_frame()) {
      if (signals.came()) break;  // what is unsaved is kept
      if (!session.wants_to_quit()) session.act(Quit{});
      if (session.wants_to_quit()) break;
      shell.window->keep_open();
      continue;
    }
    run_frame(shell);
    if (!windowed) shell.window->fill_screen(shows_presenter(session.model()));
    if (shell.window->beside_closed()) session.act(ShowNotes{false});
    if (!shell.window->show_beside(shows_notes(session.model()), "Headlight: notes")) session.act(ShowNotes{false});
    remember_place(shell);
    session.remember_left();
    session.remember_folds({shell.memory.get<FoldsMemory>().folded, shell.memory.get<FoldsMemory>().more_parameters});
    if (session.wants_to_quit()) shell.window->close();
    const std::string now = session.model().title() + " — Headlight";
    if (now != title) shell.window->set_title(title = now);
  }
}

}  // namespace

int window_command(const WindowCommand& command) {
  EndSignals signals;  // before the threads
  auto shell = open_shell(command, 1600, 1000, false);
  if (!shell) return report(shell.error());
  signals.on_signal([session = (*shell)->session.get(), window = (*shell)->window.get()] {
    session->finish_keeping();
    window->close();
    window->wake();
  });
  run_window(**shell, signals, command.windowed);
  signals.stop();
  return 0;
}

Status take_screenshots(const ScreenshotOptions& options, const std::vector<ScreenshotStop>& stops) {
  for (const auto& stop : stops)
    if (stop.output.extension() != ".png")
      return fail("{}: screenshots are written as .png: name it so", utf8(stop.output));
  HL_TRY(auto shell, open_shell(options.window, options.width, options.height, true));
  if (!shell->session->settle(120)) return fail("the experiment did not finish within two minutes");
  const Model& model = shell->session->model();
  if (model.too_large && model.too_large->fits) {  // which the window asks about
    shell->session->act(Run{.whole = true});
    if (!shell->session->settle(120)) return fail("the experiment did not finish within two minutes");
  }
  if (model.shows_network() ? !model.net.run : !model.trace()) return fail("{}", model.error);
  for (const auto& stop : stops) HL_CHECK(take_stop(*shell, stop));
  return {};
}

int screenshot_command(const ScreenshotOptions& options) {
  const Status status = take_screenshots(options, {{options.actions, options.output}});
  return status ? 0 : report(status.error());
}

}  // namespace headlight::app
