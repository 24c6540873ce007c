// Draws the figures that the scripts beside it judge: make_figures FOLDER. With --pixels FILE it writes a PNG's pixels,
// laid on white, to standard output as PPM.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string_view>

#include "app/page/figure.h"
#include "engine/io/file.h"
#include "engine/io/images/png.h"

using namespace headlight;

namespace {

// Figures only borrow their cells.
using Cells = std::deque<Tensor>;

struct Job {
  std::string name;
  Figure figure;
  PageOptions options;
  std::string font = "sans";
};

Tensor weights(Index rows, Index columns, Index head, bool causal) {
  Tensor tensor(Shape{rows, columns});
  for (Index i = 0; i < tensor.size(); ++i) {
    const Index row = i / columns;
    const Index column = i % columns;
    const auto distance = static_cast<float>(std::abs(row - column - head));
    tensor[i] = causal && column > row ? masked_value : std::exp(-distance / 2) * (head % 2 == 0 ? 1.0F : 0.7F);
  }
  return tensor;
}

Figure heads_of(Cells& cells, Index heads, Index count, bool causal) {
  Figure figure;
  figure.title = "Attention weights";
  figure.description = "Every head as a heatmap, <rows> are queries & columns are keys";
  figure.recipe = R"({"headlight":1,"note":"(a) \\ \"ключ\""})";
  figure.quantity = "attention weight";
  figure.shared_by = heads > 1 ? "shared by all heads" : "";
  for (Index head = 0; head < heads; ++head) {
    Panel panel;
    panel.cells = matrix_at(cells.emplace_back(weights(count, count, head, causal)), {});
    panel.mark = std::string(1, static_cast<char>('a' + head));
    panel.title = heads > 1 ? "Head " + std::to_string(head + 1) : "Head";
    for (Index i = 0; i < count; ++i) panel.row_labels.push_back("token" + std::to_string(i));
    panel.column_labels = panel.row_labels;
    figure.panels.push_back(panel);
  }
  return figure;
}

Job tokens_job(Cells& cells) {
  const std::array<const char*, 18> tokens{"a_b", "a&b", "100%", "a#b",  "$5",    "a~b",   "x^2", "a\\b", "{a",
                                           "b}",  "<s>", "\"q",  "it's", "`tick", "кошка", "猫",  "Ġthe", "naïve"};
  Figure figure = heads_of(cells, 1, tokens.size() + 1, false);
  std::vector<std::string> labels(tokens.begin(), tokens.end());
  labels.push_back(std::string(200, 'w'));
  figure.panels[0].row_labels = figure.panels[0].column_labels = labels;
  return {"tokens", figure, {}, "sans"};
}

// From right to left, joined, and with characters that cannot be seen.
Job scripts_job(Cells& cells) {
  Figure figure = heads_of(cells, 1, 7, false);
  figure.panels[0].row_labels =
      figure.panels[0].column_labels = {"שלום", "مرحبا", "سلام", "می\u200Cخواهم", "שָׁלוֹם", "a\u202Eb", "x\u200Dy"};
  return {"scripts", figure, {}, "sans"};
}

// What only the system's fonts have, or none.
Job system_job(Cells& cells) {
  Figure figure = heads_of(cells, 1, 8, false);
  figure.panels[0].row_labels = figure.panels[0].column_labels = {
      "注意力", "かな", "주의", "ความสนใจ", "😀", "👨‍👩‍👧", "❤️", "🇫🇷"};
  return {"system", figure, {}, "sans"};
}

Job uniform_job(Cells& cells) {
  Tensor same(Shape{64, 64});
  for (Index i = 0; i < same.size(); ++i) same[i] = 0.7F;
  Figure figure = heads_of(cells, 1, 64, false);
  figure.panels[0].cells = matrix_at(cells.emplace_back(std::move(same)), {});
  return {"uniform", figure, {}, "sans"};
}

Job varied_job(Cells& cells) {
  return {"varied", heads_of(cells, 1, 12, false), {}, "sans"};
}

Job narrow_job(Cells& cells) {
  PageOptions options;
  options.width = 3.25 * points_per_inch;
  return {"narrow", heads_of(cells, 1, 128, true), options, "sans"};
}

Job many_cells_job(Cells& cells) {
  Figure figure = heads_of(cells, 1, 200, true);
  figure.panels[0].row_labels.clear();
  figure.panels[0].column_labels.clear();
  return {"many_cells", figure, {}, "sans"};
}

// Every panel on a scale of its own, with numbers, highlights and a grid.
Job choices_job(Cells& cells) {
  Figure figure = heads_of(cells, 4, 8, true);
  figure.shared_by.clear();
  figure.panels[0].range = ValueRange{0, 1};
  figure.panels[1].range = ValueRange{0.01F, 1, Spacing::logarithmic};
  figure.panels[2].range = ValueRange{0, 1, Spacing::row_max};
  figure.panels[3].range = ValueRange{-1, 1};
  figure.panels[0].highlights = {{3, 3}, {7, 0}};
  figure.colormap = Colormap::dusk;
  PageOptions options;
  options.grid = true;
  options.cell_numbers = CellNumbers::top;
  options.exact_width = true;
  return {"choices", figure, options, "serif"};
}

// One panel of each kind.
Job kinds_job(Cells& cells) {
  Figure figure = heads_of(cells, 4, 8, true);
  figure.shared_by = "shared by all panels";
  constexpr Index pixels = 16;
  Image picture = filled_image(pixels, pixels, rgb(0xFFFFFF));
  for (Index i = 0; i < pixels * pixels; ++i) {
    const auto level = static_cast<std::uint8_t>((i % pixels * 12 + i / pixels * 5) % 256);
    picture.set(i % pixels, i / pixels, {level, level, 120, 255});
  }
  Panel& seen = figure.panels[1];
  seen.kind = PanelKind::picture;
  seen.picture = std::make_shared<const Image>(std::move(picture));
  seen.place = {0, 0, 2, 2};
  seen.row_labels.clear();
  seen.column_labels.clear();
  figure.panels[2].kind = PanelKind::bars;
  figure.panels[2].cells.rows = 1;
  figure.panels[2].cells.data += 5 * 8;  // one query's row
  figure.panels[2].row_labels = {"token5"};
  figure.panels[3].kind = PanelKind::lines;
  figure.grid_columns = 2;
  return {"kinds", figure, {}, "sans"};
}

Status draw(const Job& job, const std::filesystem::path& folder) {
  HL_TRY(const FontFiles fonts, font_files_named(HEADLIGHT_FONT_FOLDER, job.font));
  for (const FigureFormat format : all_figure_formats) {
    HL_TRY(const auto files, render_figure(job.figure, job.options, fonts, format, job.name));
    for (const FigureFile& file : files) HL_CHECK(write_file(folder / file.name, file.bytes));
  }
  return {};
}

Status write_pixels(const std::filesystem::path& file) {
  HL_TRY(const std::string bytes, read_file(file, 1 << 28));
  HL_TRY(const Image image, decode_png(bytes));
  std::printf("P6\n%d %d\n255\n", static_cast<int>(image.width), static_cast<int>(image.height));
  for (Index i = 0; i < image.width * image.height; ++i) {
    const Color color = image.at(i % image.width, i / image.width);
    const Color laid = mixed(rgb(0xFFFFFF), {color.r, color.g, color.b, 255}, color.a / 255.0);
    for (const std::uint8_t byte : {laid.r, laid.g, laid.b}) std::putchar(byte);
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string_view(arguments[1]) == "--pixels") {
    const Status written = write_pixels(arguments[2]);
    if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return written ? 0 : 1;
  }
  if (count != 2) return 2;
  Cells cells;
  const std::array jobs{tokens_job(cells),
                        scripts_job(cells),
                        system_job(cells),
                        uniform_job(cells),
                        varied_job(cells),
                        narrow_job(cells),
                        many_cells_job(cells),
                        choices_job(cells),
                        kinds_job(cells),
                        Job{"heads", heads_of(cells, 8, 12, true), {}, "serif"},
                        Job{"heads64", heads_of(cells, 8, 64, false), {}, "sans"}};
  for (const Job& job : jobs) {
    const Status drawn = draw(job, arguments[1]);
    if (drawn) continue;
    std::fprintf(stderr, "%s: %s\n", job.name.c_str(), drawn.error().message.c_str());
    return 1;
  }
  return 0;
}
