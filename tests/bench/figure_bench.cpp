// Figures against matplotlib, as whole processes.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>

#include "app/page/figure.h"
#include "engine/io/file.h"

using namespace headlight;

namespace {

constexpr int runs = 7;
constexpr Index heads = 8;
constexpr Index side = 64;

// The same figure by matplotlib: 8 maps of 64×64 in two rows, every token named on both axes, and their bars.
constexpr const char* matplotlib_script = R"(
import sys
import numpy, matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as pyplot
names = ["token%d" % i for i in range(64)]
rows, columns = numpy.indices((64, 64))
figure, axes = pyplot.subplots(2, 4, figsize=(16, 8), dpi=150)
for head, ax in enumerate(axes.flat):
    image = ax.imshow(numpy.exp(-abs(rows - columns - head) / 2), vmin=0, vmax=1)
    ax.set_xticks(range(64), names, rotation=90, fontsize=3)
    ax.set_yticks(range(64), names, fontsize=3)
    ax.set_title("Head %d" % (head + 1))
    figure.colorbar(image, ax=ax)
figure.savefig(sys.argv[1])
)";

// 16 × 8 inches at 150 dots each, and labels as small as matplotlib's, so that every token is named.
Status draw_heads(const std::string& file) {
  std::deque<Tensor> cells;
  Figure figure;
  figure.title = "Attention weights";
  for (Index head = 0; head < heads; ++head) {
    Tensor& tensor = cells.emplace_back(Shape{side, side});
    for (Index i = 0; i < tensor.size(); ++i) {
      tensor[i] = std::exp(-static_cast<float>(std::abs(i / side - i % side - head)) / 2);
    }
    Panel& panel = figure.panels.emplace_back();
    panel.cells = matrix_at(tensor, {});
    panel.title = fmt::format("Head {}", head + 1);
    // Differing ranges, so that every panel has a bar.
    panel.range = ValueRange{0, 1 + 0.01F * static_cast<float>(head)};
    for (Index i = 0; i < side; ++i) panel.row_labels.push_back(fmt::format("token{}", i));
    panel.column_labels = panel.row_labels;
    panel.row_labels[0] += fmt::format(" of head {}", head + 1);  // so that every panel has its labels
    panel.column_labels[0] = panel.row_labels[0];
  }
  PageOptions options;
  options.width = 16 * points_per_inch;
  options.max_height = 8.5 * points_per_inch;
  options.exact_width = true;
  options.pixels_per_inch = 150;
  options.smallest_text = 3;
  HL_TRY(const FigureFormat format, figure_format_of(file));
  HL_TRY(const auto files, render_figure(figure, options, font_files_in(HEADLIGHT_FONT_FOLDER), format, "figure"));
  return write_file(file, files[0].bytes);
}

double milliseconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Runs a program to its end. Gives whether it succeeded.
bool run_program(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Spread {
  std::vector<double> sorted;
  double median() const { return sorted[sorted.size() / 2]; }
};

Spread spread(std::vector<double> milliseconds) {
  std::sort(milliseconds.begin(), milliseconds.end());
  return {std::move(milliseconds)};
}

void say(const char* what, const Spread& ours, const Spread& theirs, double goal) {
  fmt::print(
      "{:<34} {:8.1f} ms ({:.1f} to {:.1f})   theirs {:8.1f} ms ({:.1f} to {:.1f})   {:5.1f} times faster   goal: {}\n",
      what, ours.median(), ours.sorted.front(), ours.sorted.back(), theirs.median(), theirs.sorted.front(),
      theirs.sorted.back(), theirs.median() / ours.median(), goal);
}

void compare_with_matplotlib(const std::filesystem::path& folder) {
  // The system's Python comes first: that is the one that matplotlib is packaged for.
  const std::string python = std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  const bool present =
      run_program({python, "-c", "import sys\ntry:\n  import matplotlib\nexcept ImportError:\n  sys.exit(1)"});
  if (!present) fmt::print("matplotlib is not here (apt install python3-matplotlib): our times alone\n");
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const char* extension : {"png", "svg", "pdf"}) {
    std::vector<double> ours, theirs;
    for (int run = 0; run < runs; ++run) {
      const std::string file = (folder / fmt::format("ours.{}", extension)).string();
      ours.push_back(milliseconds_of([&] { run_program({self, "--draw", file}); }));
      if (!present) continue;
      const std::string other = (folder / fmt::format("theirs.{}", extension)).string();
      theirs.push_back(milliseconds_of([&] { run_program({python, "-c", matplotlib_script, other}); }));
    }
    const std::string what = fmt::format("8 heads of 64×64 to {}", extension);
    if (present) {
      say(what.c_str(), spread(ours), spread(theirs), 20);
    } else {
      fmt::print("{:<34} {:8.1f} ms\n", what, spread(ours).median());
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string_view(arguments[1]) == "--draw") {
    const Status drawn = draw_heads(arguments[2]);
    if (!drawn) fmt::print(stderr, "{}\n", drawn.error().message);
    return drawn ? 0 : 1;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "headlight-bench-XXXXXX").string();
  if (!::mkdtemp(folder.data())) return 1;
  compare_with_matplotlib(folder);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}
