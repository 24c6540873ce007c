#include "app/figures/training_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/figures/training_curves.h"
#include "app/page/formats.h"
#include "app/page/notes.h"
#include "engine/core/system/paths.h"
#include "engine/picture/color.h"

namespace headlight::app {

namespace {

// Lengths in points.
constexpr double title_size = 9, text_size = 8, small_size = 7;
constexpr double margin = 6, tick_room = 26, gap = 8, curve_height = 74, name_pitch = 9;
constexpr double pixels_per_inch = 300;
constexpr Color ink = rgb(0x17181C), gray = rgb(0x686D77), pale = rgb(0xC4C4BD), violet = rgb(0x4A2496);

// One quantity over the steps, from 0 to `top`.
struct Frame {
  Box box;
  double top = 1;
  Index last = 1;

  double x(Index step) const { return box.x + box.width * static_cast<double>(step) / static_cast<double>(last); }
  double y(double value) const { return box.y + box.height * (1 - std::clamp(value / top, 0.0, 1.0)); }
};

class TrainingPage {
 public:
  TrainingPage(const learn::Film& film, const TrainingFigure& asked, const FontSet& fonts)
      : film_(film), asked_(asked), fonts_(fonts) {
    page_.width = asked.width;
  }

  Page lay_out() {
    add_text(Face::semibold, title_size, title(), {margin, margin + title_size}, ink, Align::left);
    double y = margin + title_size + 10;
    y = strip(y) + 16;
    const auto losses = loss_curves(film_), shares = figure_curves(film_);
    double names_room = 0;
    for (const auto* list : {&losses, &shares})
      for (const TrainCurve& curve : *list)
        names_room = std::max(names_room, width_of(Face::semibold, small_size, curve.name) + 6);
    const double left = margin + tick_room, width = page_.width - left - margin - names_room;
    const Index last = std::max<Index>(1, film_.step);
    const Frame loss{{left, y, width, curve_height}, top_of(losses), last};
    const Frame share{{left, y + curve_height + gap, width, curve_height}, std::max(1.0, top_of(shares)), last};
    const learn::Task& task = *film_.plan->task;
    const bool counts_loss = is_loss(task, learned_figure(task));
    threshold(counts_loss || shares.empty() ? loss : share);
    curves(loss, losses);
    if (!shares.empty()) curves(share, shares);
    const Frame& lowest = shares.empty() ? loss : share;
    marks(loss, lowest);
    page_.height = steps_below(lowest) + margin;
    return std::move(page_);
  }

  std::string title() const {
    const learn::ShownMap& map = film_.example->maps[static_cast<std::size_t>(asked_.map)];
    return fmt::format("{}: {}, head {}, over {} steps of training, seed {}", film_.plan->task->info().title, map.title,
                       asked_.head, film_.step, film_.plan->seed);
  }

 private:
  void add_text(Face face, double size, const std::string& words, Point at, Color color, Align align) {
    TextLine line = fonts_.set(face, size, words);
    at.x -= align_factor(align) * line.width;
    page_.texts.push_back({at, std::move(line), color, false, align, {}});
  }
  double width_of(Face face, double size, const std::string& words) const {
    return fonts_.set(face, size, words).width;
  }
  void line(Point from, Point to, double width, Color color) { page_.lines.push_back({from, to, width, color}); }
  void frame(const Box& box) {
    const Point a{box.x, box.y}, b{box.x + box.width, box.y}, c{box.x + box.width, box.y + box.height},
        d{box.x, box.y + box.height};
    for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c), std::pair(c, d), std::pair(d, a)})
      line(from, to, 0.5, pale);
  }

  // The map after each of those steps, on one scale from 0 to 1. Returns where it ends.
  double strip(double y) {
    const auto steps = milestone_steps(film_);
    const auto count = static_cast<double>(steps.size());
    const double side = std::min(110.0, (page_.width - 2 * margin - (count - 1) * gap) / count);
    double bottom = y;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto kept = film_.frame_at(steps[i]);
      const auto& maps = *kept->maps[static_cast<std::size_t>(asked_.map)];
      const Index rows = maps.dim(1), columns = maps.dim(2);
      const double scale = side / static_cast<double>(std::max(rows, columns));
      const Box box{margin + static_cast<double>(i) * (side + gap), y + 12, scale * static_cast<double>(columns),
                    scale * static_cast<double>(rows)};
      MapItem item;
      item.box = box;
      item.owned = kept->maps[static_cast<std::size_t>(asked_.map)];
      item.cells = matrix_at(maps, {asked_.head});
      item.range = {0, 1, Spacing::linear};
      page_.maps.push_back(std::move(item));
      frame(box);
      add_text(Face::regular, text_size, fmt::format("step {}", steps[i]), {box.x, y + 8}, ink, Align::left);
      bottom = std::max(bottom, box.y + box.height);
    }
    return legend(bottom + 6);
  }

  // What the colours are.
  double legend(double y) {
    constexpr double width = 72, height = 6;
    constexpr int parts = 48;
    const ColorTable table = color_table(Colormap::dusk);
    for (int i = 0; i < parts; ++i)
      page_.fills.push_back({{margin + 8 + width * i / parts, y, width / parts + 0.1, height},
                             color_at(table, (static_cast<float>(i) + 0.5F) / parts)});
    add_text(Face::regular, small_size, "0", {margin, y + height}, gray, Align::left);
    add_text(Face::regular, small_size, "1  attention weight, one scale for all steps",
             {margin + width + 11, y + height}, gray, Align::left);
    return y + height;
  }

  void curves(const Frame& frame_of, const std::vector<TrainCurve>& all) {
    frame(frame_of.box);
    for (const double value : {0.0, frame_of.top})
      add_text(Face::regular, small_size, fmt::format("{:g}", value), {frame_of.box.x - 4, frame_of.y(value) + 2.5},
               gray, Align::right);
    for (const TrainCurve& curve : all) draw(frame_of, curve);
    names(frame_of, all);
  }

  // Dashes are of one length along the curve.
  void draw(const Frame& frame_of, const TrainCurve& curve) {
    constexpr double dash = 3;
    const Color color = curve.of_weights ? violet : ink;
    double along = 0;
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      const Point from{frame_of.x(curve.points[i - 1].first), frame_of.y(curve.points[i - 1].second)};
      const Point to{frame_of.x(curve.points[i].first), frame_of.y(curve.points[i].second)};
      const double length = std::hypot(to.x - from.x, to.y - from.y);
      const auto at = [&](double way) {
        return Point{from.x + (to.x - from.x) * way / length, from.y + (to.y - from.y) * way / length};
      };
      if (!curve.dashed) line(from, to, 1, color);
      for (double way = 0; curve.dashed && way < length;) {
        const double whole = std::floor((along + way) / dash + 1e-9);
        const double end = std::min(length, (whole + 1) * dash - along);
        if (static_cast<long long>(whole) % 2 == 0) line(at(way), at(end), 1, color);
        way = std::max(end, way + 1e-3);
      }
      along += length;
    }
  }

  // At the curves' ends, apart from each other.
  void names(const Frame& frame_of, const std::vector<TrainCurve>& all) {
    std::vector<std::pair<double, const TrainCurve*>> placed;
    for (const TrainCurve& curve : all)
      if (!curve.points.empty()) placed.emplace_back(frame_of.y(curve.points.back().second) + 2.5, &curve);
    std::ranges::sort(placed);
    double least = frame_of.box.y + 4;
    for (auto& [y, curve] : placed) {
      y = std::max(y, least);
      least = y + name_pitch;
    }
    double most = frame_of.box.y + frame_of.box.height + 2;
    for (std::size_t i = placed.size(); i-- > 0;) {
      auto& [y, curve] = placed[i];
      y = std::min(y, most);
      most = y - name_pitch;
      add_text(Face::semibold, small_size, curve->name, {frame_of.box.x + frame_of.box.width + 4, y},
               curve->of_weights ? violet : ink, Align::left);
    }
  }

  void threshold(const Frame& frame_of) {
    const double y = frame_of.y(film_.plan->task->info().threshold);
    for (double x = frame_of.box.x; x < frame_of.box.x + frame_of.box.width; x += 4)
      line({x, y}, {std::min(x + 1.5, frame_of.box.x + frame_of.box.width), y}, 0.5, gray);
  }

  // Where the maps above stand.
  void marks(const Frame& first, const Frame& lowest) {
    for (const Index step : milestone_steps(film_)) {
      const double x = first.x(step);
      for (double y = first.box.y; y < lowest.box.y + lowest.box.height; y += 4)
        line({x, y}, {x, std::min(y + 1.5, lowest.box.y + lowest.box.height)}, 0.5, pale);
    }
  }

  // Returns where they end.
  double steps_below(const Frame& lowest) {
    const double y = lowest.box.y + lowest.box.height;
    double free_from = 0;
    for (const Index step : milestone_steps(film_)) {
      const double x = lowest.x(step);
      line({x, y}, {x, y + 3}, 0.5, gray);
      const std::string words = std::to_string(step);
      const double width = width_of(Face::regular, small_size, words);
      const double left = x - width / 2;
      if (left < free_from) continue;
      add_text(Face::regular, small_size, words, {left, y + 11}, gray, Align::left);
      free_from = left + width + 3;
    }
    add_text(Face::regular, small_size, threshold_in_words(*film_.plan->task) + " (dotted)", {lowest.box.x, y + 22},
             gray, Align::left);
    return y + 24;
  }

  const learn::Film& film_;
  const TrainingFigure& asked_;
  const FontSet& fonts_;
  Page page_;
};

}  // namespace

std::vector<Index> milestone_steps(const learn::Film& film) {
  std::vector<Index> steps{film.frames.front()->step};
  const TrainCurve curve = figure_of(film, film.plan->task->info().learned);
  if (!curve.points.empty()) {
    const double first = curve.points.front().second, last = curve.points.back().second;
    for (const double part : {0.25, 0.5, 0.9}) {
      const auto found = std::ranges::find_if(curve.points, [&](const auto& point) {
        return first != last && (point.second - first) / (last - first) >= part && film.frame_at(point.first);
      });
      if (found != curve.points.end()) steps.push_back(found->first);
    }
  }
  steps.push_back(film.frames.back()->step);
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

Result<FigureFormat> training_figure_format(const std::filesystem::path& file) {
  const auto format = figure_format_of(file);
  if (format && *format != FigureFormat::pgf) return *format;
  return fail("{}: a training is drawn as .pdf, .svg or .png", one_line(utf8(file)));
}

Result<std::string> training_figure(const learn::Film& film, const TrainingFigure& asked, const FontFiles& fonts,
                                    FigureFormat format) {
  const Index maps = std::ssize(film.example->maps);
  if (asked.map < 0 || asked.map >= maps) return fail("--map {}: it must be from 0 to {}", asked.map, maps - 1);
  const Index heads = film.frames.front()->maps[static_cast<std::size_t>(asked.map)]->dim(0);
  if (asked.head < 0 || asked.head >= heads) return fail("--head {}: it must be from 0 to {}", asked.head, heads - 1);
  HL_TRY(FontSet font_set, FontSet::load(fonts));
  if (format == FigureFormat::svg) font_set.skip_missing_glyphs();
  TrainingPage made(film, asked, font_set);
  Figure notes;
  notes.title = made.title();
  HL_TRY(notes.time, source_date());
  const Page page = made.lay_out();
  if (format == FigureFormat::pdf) return pdf_of(std::span(&page, 1), font_set, notes);
  if (format == FigureFormat::svg) return svg_of(page, font_set, notes);
  return png_of(page, font_set, notes, pixels_per_inch);
}

}  // namespace headlight::app
