#include "app/session/lesson_print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/page/formats.h"
#include "app/page/raised_line.h"
#include "app/reading/slice.h"
#include "app/reading/step_words.h"
#include "engine/base/words.h"
#include "engine/picture/matrix.h"
#include "engine/variants/variant.h"

namespace headlight::app {

namespace {

// Lengths in points.
constexpr double margin = 54, title_size = 16, heading_size = 12.5, text_size = 10, small_size = 8;
constexpr double line_pitch = 1.45;  // of the size
constexpr double cell = 44, small_cell = 16, label_room = 64;
constexpr Index most_cells = 14;  // of a table, each way
constexpr Color ink = rgb(0x17181C), gray = rgb(0x686D77), pale = rgb(0xC4C4BD), ground = rgb(0xEDEDE9);

// Words of one look, which a line is filled with.
struct Word {
  std::string text;
  Face face = Face::regular;
  bool glued = false;
  bool formula = false;  // the text is one, in plain signs
};

class Paper {
 public:
  Paper(const FontSet& fonts, PaperSize size) : fonts_(fonts), size_(size) { begin_page(); }

  std::vector<Page> take() { return std::move(pages_); }
  double width() const { return size_.width - 2 * margin; }
  double y() const { return y_; }
  void space(double height) { y_ += height; }
  // On a page of its own where there is less.
  void need(double height) {
    if (y_ + height > size_.height - margin) begin_page();
  }

  void words(const std::vector<Word>& all, double size, Color color, double left = 0) {
    double x = 0;
    std::vector<RaisedPart> line;
    const auto finish = [&] {
      need(size * line_pitch);
      y_ += size * line_pitch;
      for (auto& part : line) put(std::move(part.line), margin + left + part.x, y_ + part.y, color);
      line.clear();
      x = 0;
    };
    const double blank = fonts_.set(Face::regular, size, "n n").width - fonts_.set(Face::regular, size, "nn").width;
    for (const auto& word : all) {
      RaisedLine set;
      if (word.formula) {
        set = set_raised(fonts_, width() - left, word.face, size, size * 0.6, word.text);
      } else {
        set.parts.push_back({fonts_.set(word.face, size, word.text)});
        set.width = set.parts[0].line.width;
      }
      if (x > 0 && !word.glued) x += blank;
      if (x > 0 && !word.glued && x + set.width > width() - left) finish();
      for (auto& part : set.parts) line.push_back({std::move(part.line), x + part.x, part.y});
      x += set.width;
    }
    if (!line.empty()) finish();
  }
  void text(const std::string& words_of, Face face, double size, Color color, double left = 0) {
    std::vector<Word> all;
    for (const std::string_view word : split(words_of, " "))
      if (!word.empty()) all.push_back({std::string(word), face});
    words(all, size, color, left);
  }

  // At most as wide as the page, at 150 pixels an inch.
  void picture(const std::shared_ptr<const Image>& image, double left) {
    constexpr double points_a_pixel = 72.0 / 150, most_height = 260;
    const double w = static_cast<double>(image->width), h = static_cast<double>(image->height);
    const double scale = std::min({points_a_pixel, (width() - left) / w, most_height / h});
    need(h * scale + 8);
    MapItem item;
    item.box = {margin + left, y_ + 6, w * scale, h * scale};
    item.picture = image;
    pages_.back().maps.push_back(std::move(item));
    y_ += h * scale + 8;
  }

  void put(TextLine line, double x, double y, Color color, Align align = Align::left) {
    if (align != Align::left) x -= line.width * (align == Align::middle ? 0.5 : 1.0);
    pages_.back().texts.push_back({{x, y}, std::move(line), color, false, align, {}});
  }
  TextLine set(Face face, double size, const std::string& text, double limit) const {
    return fonts_.set_within(limit, face, size, text);
  }
  void rule(double x, double width, double y, Color color) {
    pages_.back().lines.push_back({{x, y}, {x + width, y}, 0.6, color});
  }
  void box(double x, double y, double w, double h, Color color, bool filled) {
    if (filled) pages_.back().fills.push_back({{x, y, w, h}, color});
    for (const auto& [from, to] :
         {std::pair(Point{x, y}, Point{x + w, y}), std::pair(Point{x, y + h}, Point{x + w, y + h}),
          std::pair(Point{x, y}, Point{x, y + h}), std::pair(Point{x + w, y}, Point{x + w, y + h})})
      pages_.back().lines.push_back({from, to, 0.6, pale});
  }

  void begin_page() {
    Page page;
    page.width = size_.width;
    page.height = size_.height;
    pages_.push_back(std::move(page));
    y_ = margin;
  }

 private:
  const FontSet& fonts_;
  PaperSize size_;
  std::vector<Page> pages_;
  double y_ = 0;
};

std::vector<Word> words_of(const PrintedText& text, bool strong) {
  std::vector<Word> words;
  bool space = true;
  for (const auto& piece : text) {
    const bool set_off = strong || piece.emphasis || piece.strong;
    if (piece.kind == LessonPiece::Kind::formula) {
      words.push_back({piece.about, Face::regular, !space, true});
      space = false;
      continue;
    }
    bool open = false;
    for (const char c : piece.text) {
      if (c == ' ' || c == '\n') {
        space = true;
        open = false;
        continue;
      }
      if (!open) words.push_back({"", set_off ? Face::semibold : Face::regular, !space});
      open = true;
      space = false;
      words.back().text += c;
    }
  }
  return words;
}

class LessonPaper {
 public:
  LessonPaper(const PlayedLesson& played, SheetSide side, std::string number, Paper& paper)
      : played_(played), key_(side == SheetSide::key), number_(std::move(number)), paper_(paper) {}

  void operator()() {
    head();
    for (std::size_t i = 0; i < played_.steps.size(); ++i) step(i);
  }

 private:
  void head() {
    paper_.text(played_.lesson->title, Face::semibold, title_size, ink);
    paper_.space(4);
    if (key_) {
      paper_.text(number_.empty() ? "Answers" : "Answers to " + lower_first(number_), Face::semibold, text_size, gray);
    } else {
      paper_.text("Name:", Face::regular, text_size, ink);
      paper_.rule(margin + 34, 200, paper_.y() + 2, ink);
      paper_.put(paper_.set(Face::regular, text_size, "Date:", 60), margin + 260, paper_.y(), ink);
      paper_.rule(margin + 290, 110, paper_.y() + 2, ink);
      paper_.put(paper_.set(Face::regular, text_size, number_, 60), margin + paper_.width(), paper_.y(), gray,
                 Align::right);
    }
    paper_.space(10);
  }

  void step(std::size_t number) {
    const LessonStep& step = played_.lesson->steps[number];
    const PlayedStep& made = played_.steps[number];
    paper_.need(110);
    paper_.space(10);
    paper_.text(fmt::format("{}  {}", number + 1, step.title), Face::semibold, heading_size, ink);
    paper_.space(3);
    parts(step, made, 0, step.asked_at);
    constexpr double room_for_question = 90;
    table(made.asked, step.ask ? room_for_question : 0);
    if (step.ask) question(*step.ask, made);
    if (key_ && step.ask && shows_another(made)) table(made.answered, 0);
    if (key_ && step.ask) parts(step, made, step.asked_at + 1, step.parts.size());
  }

  void parts(const LessonStep& step, const PlayedStep& made, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      const LessonPart& part = step.parts[i];
      const bool item = part.kind == LessonPart::Kind::item;
      if (!item && part.kind != LessonPart::Kind::paragraph && part.kind != LessonPart::Kind::heading) continue;
      paragraph(made.texts[i], part.kind == LessonPart::Kind::heading, item ? 12 : 0);
      paper_.space(3);
    }
  }

  // Its pictures between its words.
  void paragraph(const PrintedText& text, bool strong, double left = 0) {
    PrintedText words;
    const auto set_words = [&] {
      paper_.words(words_of(words, strong), text_size, ink, left);
      words.clear();
    };
    for (const auto& piece : text) {
      const auto found =
          piece.kind == LessonPiece::Kind::picture ? played_.pictures.find(piece.text) : played_.pictures.end();
      if (found == played_.pictures.end()) {
        words.push_back(piece);
        continue;
      }
      set_words();
      paper_.picture(found->second, left);
    }
    set_words();
  }

  // Whether what is shown after the answer is not what was asked about.
  static bool shows_another(const PlayedStep& made) {
    return made.asked.document.look.step != made.answered.document.look.step ||
           made.asked.outcome.trace != made.answered.outcome.trace;
  }

  // What is shown, with room to write where the lesson hides it; on one page with so much below it.
  void table(const LessonScene& scene, double below) {
    const Step* shown = scene.outcome.trace ? scene.outcome.trace->find(scene.document.look.step) : nullptr;
    if (!shown || shown->tensor().rank() == 0) return;
    Focus focus = focus_of(scene.document.look);
    focus.flat = true;
    const Slice slice = slice_of(*shown, focus);
    std::shared_ptr<const Tensor> owner;
    const MatrixView cells = cells_of(*scene.outcome.trace, slice, focus, owner);
    if (cells.rows > most_cells || cells.columns > most_cells) {
      const std::string name = lower_first(shown->info.title);
      return paper_.text(fmt::format("({}: {} × {} numbers, in the window)", name, cells.rows, cells.columns),
                         Face::regular, small_size, gray);
    }
    const double side = std::min(cell, (paper_.width() - label_room) / static_cast<double>(cells.columns));
    const double high = side < small_cell * 1.4 ? small_cell : side * 0.72;
    constexpr double labels_and_name = 44;  // above the cells and below them
    paper_.need(high * static_cast<double>(cells.rows) + labels_and_name + below);
    paper_.space(14);
    const double left = margin + label_room, top = paper_.y() + 4;
    for (Index column = 0; column < cells.columns; ++column)
      paper_.put(paper_.set(Face::regular, small_size, label_of(slice.columns, column, slice.item), side),
                 left + side * (static_cast<double>(column) + 0.5), top - 4, gray, Align::middle);
    for (Index row = 0; row < cells.rows; ++row) {
      const double y = top + high * static_cast<double>(row);
      paper_.put(paper_.set(Face::regular, small_size, label_of(slice.rows, row, slice.item), label_room - 6), left - 6,
                 y + high * 0.66, gray, Align::right);
      for (Index column = 0; column < cells.columns; ++column) {
        const double x = left + side * static_cast<double>(column);
        const bool blank = !key_ && hidden(scene, slice, row, column);
        const float number = cells.at(row, column);
        paper_.box(x, y, side, high, ground, is_masked(number));
        if (blank || is_masked(number)) continue;
        const int decimals = number == std::round(number) ? 0 : 2;
        paper_.put(
            paper_.set(Face::mono, small_size, with_minus_signs(fmt::format("{:.{}f}", number + 0.0F, decimals)), side),
            x + side / 2, y + high * 0.66, ink, Align::middle);
      }
    }
    paper_.space(high * static_cast<double>(cells.rows) + 6);
    paper_.text(lower_first(shown->info.title), Face::regular, small_size, gray, label_room);
    paper_.space(4);
  }

  static bool hidden(const LessonScene& scene, const Slice& slice, Index row, Index column) {
    using What = LessonHidden::What;
    const bool pairs = slice.rows && role_along(*slice.rows) == AxisRole::query;
    const bool by_key = slice.columns && role_along(*slice.columns) == AxisRole::key;
    return std::ranges::any_of(scene.hidden, [&](const LessonHidden& one) {
      if (one.what == What::map || one.what == What::numbers) return true;
      if (one.what == What::row) return pairs && one.query == row;
      if (one.what == What::column) return by_key && one.key == column;
      return one.what == What::cell && pairs && by_key && one.query == row && one.key == column;
    });
  }

  void question(const LessonQuestion& question, const PlayedStep& made) {
    paper_.need(60);
    paragraph(made.question.question, true);
    for (std::size_t i = 0; i < made.question.options.size(); ++i) {
      const bool right = key_ && made.truth && question.kind == AskKind::choice && made.truth->option == i;
      const std::string letter(1, static_cast<char>('A' + i));
      paper_.text(fmt::format("{} {}  {}", right ? "☒" : "☐", letter, plain_text(made.question.options[i])),
                  right ? Face::semibold : Face::regular, text_size, ink, 12);
    }
    if (key_)
      answer(question, made);
    else
      room(question);
    paper_.space(4);
  }

  void room(const LessonQuestion& question) {
    if (question.kind == AskKind::choice) return;
    if (question.kind == AskKind::cell)
      return paper_.text("Mark the cell in the table.", Face::regular, small_size, gray);
    const int lines = question.kind == AskKind::deed ? 2 : 1;
    for (int i = 0; i < lines; ++i) {
      paper_.need(26);
      paper_.space(22);
      paper_.rule(margin, paper_.width() * 0.6, paper_.y(), pale);
    }
  }

  void answer(const LessonQuestion& question, const PlayedStep& made) {
    if (!made.truth) return;
    std::string words;
    if (question.kind == AskKind::deed) {
      const auto& edits = made.answered.outcome.trace->edits;
      for (const auto& edit : edits) words += (words.empty() ? "" : "; ") + edit.words;
      for (const auto& line : made.solution)
        if (edits.empty()) words += (words.empty() ? "" : "; ") + in_words(line, made.asked);
    } else if (question.kind == AskKind::choice) {
      return reason(made);  // it is marked
    } else {
      words = answer_in_words(question, right_answer(question, *made.truth));
    }
    paper_.text(fmt::format("Answer: {}", words), Face::semibold, text_size, ink);
    reason(made);
  }

  void reason(const PlayedStep& made) {
    if (made.question.because) paragraph(*made.question.because, false);
  }

  // "Mask: causal" of "param mask causal"; other actions as they are written.
  static std::string in_words(const std::string& action, const LessonScene& scene) {
    std::istringstream said(action);
    std::string verb, id, value;
    said >> verb >> id;
    std::getline(said >> std::ws, value);
    const Variant* variant = find_variant(scene.document.experiment->variant);
    if (verb != "param" || !variant) return action;
    const ParamSpec* spec = find_param(variant->params(), id);
    return spec ? fmt::format("{}: {}", spec->title, value) : action;
  }

  const PlayedLesson& played_;
  bool key_;
  std::string number_;  // "Sheet 3"; empty: there is one
  Paper& paper_;
};

}  // namespace

Result<std::string> lessons_pdf(const std::vector<PlayedLesson>& copies, PaperSize paper, bool with_key,
                                const FontFiles& fonts, std::optional<std::int64_t> time) {
  HL_TRY(const FontSet font_set, FontSet::load(fonts));
  Paper sheet(font_set, paper);
  bool first = true;
  for (const SheetSide side : {SheetSide::questions, SheetSide::key}) {
    if (side == SheetSide::key && !with_key) continue;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (!first) sheet.begin_page();
      first = false;
      LessonPaper(copies[i], side, copies.size() > 1 ? fmt::format("Sheet {}", i + 1) : "", sheet)();
    }
  }
  Figure notes;
  notes.title = copies.front().lesson->title;
  notes.time = time;
  const std::vector<Page> pages = sheet.take();
  return pdf_of(pages, font_set, notes);
}

Result<std::string> lesson_pdf(const PlayedLesson& played, PaperSize paper, bool with_key, const FontFiles& fonts,
                               std::optional<std::int64_t> time) {
  return lessons_pdf({played}, paper, with_key, fonts, time);
}

}  // namespace headlight::app
