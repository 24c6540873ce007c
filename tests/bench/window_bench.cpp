// How fast the window answers, on a display drawn by software. Run it under Xvfb: ./dev bench.
#include <imgui.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "app/panels/common/shown.h"
#include "app/panels/screen/parts.h"
#include "app/platform/input.h"
#include "app/platform/window.h"
#include "app/render/gl.h"
#include "app/render/gl_map_painter.h"
#include "app/session/session.h"
#include "tests/gui/send.h"

using namespace headlight;
using namespace headlight::app;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Spread {
  double least, median, most;
};
Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

void print(const char* what, const std::vector<double>& values, const char* goal) {
  const Spread s = spread_of(values);
  fmt::print("{:<58} {:8.1f} ms   ({:.1f} to {:.1f}, {} runs)   {}\n", what, 1e3 * s.median, 1e3 * s.least,
             1e3 * s.most, values.size(), goal);
}

pid_t start_program(std::vector<std::string> arguments) {
  const pid_t child = fork();
  if (child != 0) return child;
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// A whole process: start, one frame at full size, its picture written.
double time_screenshot() {
  const auto start = Clock::now();
  int status = 0;
  waitpid(start_program({HEADLIGHT_PROGRAM, "screenshot", "-o", "/tmp/headlight_bench.png"}), &status, 0);
  unlink("/tmp/headlight_bench.png");
  return seconds_since(start);
}

double cpu_seconds(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string field;
  double ticks = 0;
  for (int i = 1; stat >> field; ++i)
    if (i == 14 || i == 15) ticks += std::strtod(field.c_str(), nullptr);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Share of one core that the real window takes while nobody touches it.
double idle_share() {
  const pid_t process = start_program({HEADLIGHT_PROGRAM});
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const double before = cpu_seconds(process);
  std::this_thread::sleep_for(std::chrono::seconds(5));
  const double share = (cpu_seconds(process) - before) / 5;
  kill(process, SIGTERM);
  waitpid(process, nullptr, 0);
  return share;
}

std::string sentence_of(int tokens) {
  std::string text = "w0";
  for (int i = 1; i < tokens; ++i) text += fmt::format(" w{}", i % 23);
  return text;
}

struct Bench {
  Fonts& fonts;
  Window& window;
  GlMapPainter& painter;
  Session session;
  PanelMemory memory;

  void frame() {
    window.next_frame();
    session.poll(window.now());
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::Begin("bench", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    Actions actions;
    {
      Ui ui(memory.ui, fonts, theme(ThemeId::light), painter, window.scale(), window.now(), nullptr);
      actions = draw_screen(ui, {0, 0, 1600, 1000}, session.model(), memory);
      ui.finish();
    }
    ImGui::End();
    for (const auto& action : actions) session.act(action);
    window.present(theme(ThemeId::light).canvas);
    painter.end_frame();
    glFinish();  // until the pixels are there
  }

  // From an action to the presented frame that shows what came of it: the new trace, where it asks for one.
  double answer(const Action& action) {
    const auto start = Clock::now();
    session.act(action);
    const Model& model = session.model();
    while (model.shown.ticket < model.asked && model.error.empty()) session.settle();
    frame();
    return seconds_since(start);
  }

  void begin() {
    session.settle();
    for (int i = 0; i < 5; ++i) frame();  // fonts, shaders, first textures
  }

  double still_frame() {
    const auto start = Clock::now();
    frame();
    return seconds_since(start);
  }
};

constexpr int repeats = 31;

void bench_text(Fonts& fonts, Window& window, GlMapPainter& painter, Experiment experiment) {
  Bench bench{fonts, window, painter, Session(std::move(experiment), {}, {}), {}};
  bench.begin();
  std::vector<double> strokes, still;
  for (int i = 0; i < repeats; ++i) {
    const std::string text = sentence_of(63) + std::string(static_cast<std::size_t>(1 + i % 5), 'a');
    strokes.push_back(bench.answer(SetText{"x_q", text, true}));
  }
  print("keystroke to new picture, 64 tokens, 8 heads, 1600×1000", strokes, "goal: below 33");
  const auto painted = bench.painter.painted();
  for (int i = 0; i < repeats; ++i) still.push_back(bench.still_frame());
  print("a frame in which nothing changed", still, "");
  fmt::print("{:<58} {:8}\n", "maps painted in those frames", bench.painter.painted() - painted);
}

// The pointer goes over the map, from cell to cell, in every frame.
std::vector<double> hovered(Bench& bench, float left, float top) {
  std::vector<double> frames;
  for (int i = 0; i < 3 * repeats; ++i) {
    send_mouse(left + static_cast<float>(i * 37 % 300), top + static_cast<float>(i * 23 % 300));
    frames.push_back(bench.still_frame());
  }
  return frames;
}

// The pointer goes down and up a column of tokens: another one's lines are lit in every frame.
std::vector<double> hovered_down(Bench& bench, float x) {
  std::vector<double> frames;
  for (int i = 0; i < 3 * repeats; ++i) {
    send_mouse(x, 280 + static_cast<float>(i * 137 % 600));
    frames.push_back(bench.still_frame());
  }
  return frames;
}

// A long sentence and many heads: what follows the pointer, and thousands of lines.
void bench_hover(Fonts& fonts, Window& window, GlMapPainter& painter, Experiment experiment) {
  std::get<TextInput>(experiment.inputs["x_q"]).text = sentence_of(127);
  experiment.params.set("heads", Index{12});
  experiment.weights = {"normal", 1};
  Bench bench{fonts, window, painter, Session(std::move(experiment), {}, {}), {}};
  bench.begin();
  bench.session.act(Release{});
  print("pointer over the map, 128 tokens, 12 heads", hovered(bench, 480, 360), "goal: below 16");
  bench.session.act(Select{{.query = 90, .key = 20}, true});
  print("the same with a cell pinned", hovered(bench, 480, 360), "goal: below 16");
  bench.session.act(SetMode{ViewMode::lines});
  bench.session.act(SetThreshold{0});
  bench.begin();
  print("pointer over the tokens of 3,000 lines, 128 tokens", hovered_down(bench, 455), "goal: below 50");
}

// The everyday picture: 32×32 pixels, 4 heads, every pixel looking at all, which is 4 M weights.
Experiment picture_experiment() {
  Experiment experiment = default_experiment("stand_alone_2d");
  experiment.inputs["x"] = ImageInput{std::string(HEADLIGHT_EXAMPLES) + "/scene.png", GridSize{32, 32}};
  return experiment;
}

// The slider from content to position: every number from the sum of scores on changes.
void bench_picture(Fonts& fonts, Window& window, GlMapPainter& painter, Experiment experiment) {
  Bench bench{fonts, window, painter, Session(std::move(experiment), {}, {}), {}};
  bench.begin();
  if (!bench.session.model().trace()) return fmt::print(stderr, "{}\n", bench.session.model().error);
  constexpr Index pixels = 32 * 32;
  std::vector<double> reruns, runs, moves, still, matrices;
  const auto rerun = [&](int i) {
    return bench.answer(SetParam{"content", 0.5 + 0.01 * static_cast<double>(i % 2 ? i : -i), true});
  };
  for (int i = 0; i < repeats; ++i) {
    reruns.push_back(rerun(i));
    runs.push_back(bench.session.model().shown.seconds);
  }
  print("slider to new picture, stand_alone_2d, 32×32, 4 heads", reruns, "goal: below 45");
  print("  of that the run", runs, "");
  for (Index i = 0; i < repeats; ++i)
    moves.push_back(bench.answer(Select{{.query = i * 331 % pixels, .key = i * 97 % pixels, .channel = {}}, false}));
  print("query pixel moved to new picture, 32×32, 4 heads", moves, "");
  for (int i = 0; i < repeats; ++i) still.push_back(bench.still_frame());
  print("a frame in which nothing changed, 32×32, 4 heads", still, "");
  bench.session.act(SetMode{ViewMode::matrix});
  for (int i = 0; i < repeats; ++i) matrices.push_back(rerun(i));
  print("slider to new picture, the same as matrices of 1024×1024", matrices, "goal: below 100");
}

// A network learns on its thread while the window shows it.
void bench_learning(Fonts& fonts, Window& window, GlMapPainter& painter) {
  Bench bench{fonts, window, painter, Session(example_experiment(), {}, {}), {}};
  bench.session.act(ShowScreen{Screen::train});
  bench.begin();
  for (const double pace : {20.0, 0.0}) {
    bench.session.act(SetPace{pace});
    bench.session.act(PlayTraining{true});
    const Index first = bench.session.model().training.film->step;
    std::vector<double> frames;
    const auto start = Clock::now();
    while (frames.size() < 31 || (seconds_since(start) < 1 && bench.session.model().training.playing))
      frames.push_back(bench.still_frame());
    const auto steps = static_cast<double>(bench.session.model().training.film->step - first);
    print(pace > 0 ? "a frame while it learns 20 steps a second" : "a frame while it learns as fast as it goes", frames,
          "goal: below 33");
    fmt::print("{:<58} {:8.0f} a second\n", "steps in that time", steps / seconds_since(start));
    bench.session.act(PlayTraining{false});
    bench.session.settle();
  }
}

}  // namespace

int main() {
  std::vector<double> starts;
  for (int i = 0; i < 7; ++i) starts.push_back(time_screenshot());
  print("start to first picture, whole process, 1600×1000", starts, "goal: below 1000");

  auto fonts = Fonts::open(HEADLIGHT_FONT_FOLDER);
  if (!fonts) return fmt::print(stderr, "{}\n", fonts.error().message), 1;
  Fonts kept = std::move(*fonts);
  WindowOptions options;
  options.hidden = true;
  auto window = Window::open(options, kept);
  if (!window) return fmt::print(stderr, "{}\n", window.error().message), 1;
  auto painter = GlMapPainter::create();
  if (!painter) return fmt::print(stderr, "{}\n", painter.error().message), 1;
  Experiment text = example_experiment();
  std::get<TextInput>(text.inputs["x_q"]).text = sentence_of(63);
  bench_text(kept, *window, **painter, text);
  bench_hover(kept, *window, **painter, std::move(text));
  bench_picture(kept, *window, **painter, picture_experiment());
  bench_learning(kept, *window, **painter);
  fmt::print("{:<58} {:8.2f} % of a core   goal: below 2\n", "the window at rest", 100 * idle_share());
  return 0;
}
