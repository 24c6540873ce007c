// Beside the maps: the example itself, what the network says of it at this step, and what figures come to.
#include <cmath>

#include "app/panels/train/parts.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

constexpr float row_height = 22, figure_height = 22;  // px of the design

// How many tokens at the end are one and the same, as what fills a short example up is.
Index repeated_at_end(const FilmView& now) {
  const auto& read = now.example.words.read;
  Index repeated = 0;
  while (repeated < std::ssize(read) && read[read.size() - 1 - static_cast<std::size_t>(repeated)] == read.back())
    ++repeated;
  return repeated;
}

// Its tokens in rows, those of the pinned weight in the colours of query and key. What fills it up is said once, where
// no weight of it is pinned.
float draw_tokens(Ui& ui, Rect box, const FilmView& now) {
  const Theme& t = ui.theme();
  const auto& pin = now.shown.pinned;
  const bool own_queries = pin && !now.example.maps[static_cast<std::size_t>(pin->map)].by_answers;
  const float side = ui.px(24), gap = ui.px(3);
  Flow flow{.box = box, .height = side, .gap = gap, .between = ui.px(4)};
  const Index count = std::ssize(now.example.words.read), repeated = repeated_at_end(now);
  const bool is_pinned = pin && (pin->key > count - repeated || (own_queries && pin->query > count - repeated));
  const bool folds = repeated > 3 && !is_pinned;
  for (Index i = 0; i < (folds ? count - repeated + 1 : count); ++i) {
    const std::string name = key_name(now, i);
    const Rect chip = flow.next(std::max(ui.px(20), ui.width_of(Type::control, name) + ui.px(8)));
    const bool is_key = pin && pin->key == i, is_query = own_queries && pin->query == i;
    const RoleColors* role = is_key ? &t.key : nullptr;
    if (is_query) role = &t.query;
    ui.fill(chip, role ? role->soft : t.canvas, ui.px(4));
    ui.frame(chip, role ? role->main : t.line, ui.px(4), role ? ui.px(2) : 1);
    ui.text_in(Type::control, chip, t.text, name, Ui::Align::center);
  }
  if (const std::string times = fmt::format("× {}", repeated); folds)
    ui.text_in(Type::note, flow.next(ui.width_of(Type::note, times) + ui.px(4)), t.text_muted, times);
  return flow.bottom() - box.y;
}

// A place that is answered: after which token, what is right, how likely it is held, what is said.
struct AnswerRow {
  Index place = 0, right = 0, said = 0;
  float share = 0;
};

std::vector<AnswerRow> answers_of(const FilmView& now) {
  std::vector<AnswerRow> rows;
  const Tensor& shares = *now.frame.prediction;
  const Index count = shares.dim(-1);
  for (Index place = 0; place < now.example.right->size(); ++place) {
    const auto right = static_cast<Index>((*now.example.right)[place]);
    if (right < 0) continue;
    const auto row = shares.values().subspan(static_cast<std::size_t>(place * count), static_cast<std::size_t>(count));
    rows.push_back({place, right, std::ranges::max_element(row) - row.begin(), row[static_cast<std::size_t>(right)]});
  }
  return rows;
}

std::string answer_name(const FilmView& now, Index number) {
  return now.example.words.answers[static_cast<std::size_t>(number)];
}

struct AnswerColumns {
  Rect after, next, bar, share, says;
};

AnswerColumns columns_of(const Ui& ui, Rect line) {
  AnswerColumns columns;
  columns.after = line.take_left(ui.px(48));
  columns.next = line.take_left(ui.px(34));
  columns.says = line.take_right(ui.px(46));
  columns.share = line.take_right(ui.px(46));
  columns.bar = line.inset(ui.px(4), (line.h - ui.px(7)) / 2);
  return columns;
}

void draw_answer(Ui& ui, Rect line, const FilmView& now, const AnswerRow& row) {
  const Theme& t = ui.theme();
  const bool others = !now.example.words.answered.empty();
  const auto& pin = now.shown.pinned;
  const bool pinned =
      pin && pin->query == row.place && now.example.maps[static_cast<std::size_t>(pin->map)].by_answers == others;
  if (pinned) ui.fill(line, t.query.soft, ui.px(4));
  AnswerColumns columns = columns_of(ui, line.inset(ui.px(4), 0));
  if (!others) words_at_left(ui, Type::label, columns.after, t.text, key_name(now, row.place), 5);
  ui.text_in(Type::number_small, columns.after, t.text_faint, fmt::format("{}", row.place));
  ui.text_in(Type::label_strong, columns.next, t.text, answer_name(now, row.right));
  ui.fill(columns.bar, t.sunken);
  ui.fill({columns.bar.x, columns.bar.y, columns.bar.w * std::clamp(row.share, 0.0F, 1.0F), columns.bar.h}, t.ink);
  ui.text_in(Type::number_note, columns.share, t.text, fmt::format("{:.2f}", row.share), Ui::Align::right);
  const bool right = row.said == row.right;
  const Rect sign = columns.says.take_right(ui.px(18));
  draw_icon(ui, right ? Icon::check : Icon::close, sign.middle(), right ? t.ok : t.error);
  ui.text_in(Type::label_strong, columns.says, right ? t.ok : t.error, answer_name(now, row.said), Ui::Align::right);
}

void draw_answers(Ui& ui, Rect box, const FilmView& now) {
  const Theme& t = ui.theme();
  const std::vector<AnswerRow> rows = answers_of(now);
  const Rect foot = box.take_bottom(ui.px(30));
  ui.text(Type::heading, {box.x, box.y}, t.text, "Its answers");
  box.take_top(ui.px(22));
  const bool others = !now.example.words.answered.empty();
  const AnswerColumns heading = columns_of(ui, box.take_top(ui.px(20)).inset(ui.px(4), 0));
  ui.text_in(Type::note, heading.after, t.text_faint, others ? "place" : "after");
  ui.text_in(Type::note, heading.next, t.text_faint, "right");
  ui.text_in(Type::note, {heading.bar.x, heading.after.y, heading.bar.w, heading.after.h}, t.text_faint, "its share");
  ui.text_in(Type::note, heading.says, t.text_faint, "says", Ui::Align::right);
  scroll_rows(ui, "train/answers", box, rows.size(), ui.px(row_height),
              [&](std::size_t i, Rect line) { draw_answer(ui, line, now, rows[i]); });
  const auto right = std::ranges::count_if(rows, [](const AnswerRow& row) { return row.said == row.right; });
  const Index choices = now.frame.prediction->dim(-1);
  const std::string words = fmt::format("{} of {} right; chance is 1 in {}", right, rows.size(), choices);
  const float used = std::min(box.h, ui.px(row_height) * static_cast<float>(rows.size()));
  const Rect line{foot.x, box.y + used + ui.px(8), foot.w, ui.px(18)};
  ui.log("train/right", line, words);
  ui.text_in(Type::note, line, t.text_muted, words);
}

// What goes in, what is asked and what is said, as pictures where answers lie on it.
void draw_pictures(Ui& ui, Rect box, const FilmView& now) {
  const Theme& t = ui.theme();
  const learn::FilmExample& example = now.example;
  const auto picture = [&](const char* title, const PixelsShown& pixels, Index place, Index of) {
    const float gap = ui.px(12), pitch = (box.w + gap) / static_cast<float>(of);
    const float side = std::min(pitch - gap, box.h - ui.px(24));
    const Rect at{box.x + pitch * static_cast<float>(place), box.y, side, side + ui.px(24)};
    ui.text_in(Type::note, {at.x, at.y, pitch - gap, ui.px(18)}, t.text_muted, title);
    draw_pixels(ui, {at.x, at.y + ui.px(22), side, side}, pixels);
  };
  const PixelsShown in{example.picture.get(), nullptr, example.rows, example.columns, 0, example.frames};
  if (!answers_with_picture(example)) {
    for (Index frame = 0; frame < example.frames; ++frame) {
      PixelsShown shown = in;
      shown.frame = frame;
      picture(frame == 0 ? "frame 0" : "frame 1", shown, frame, example.frames);
    }
    return;
  }
  picture("what goes in", in, 0, 3);
  picture("what is right", {example.right.get(), example.asked.get(), example.rows, example.columns}, 1, 3);
  picture("what it says", {now.frame.prediction.get(), example.asked.get(), example.rows, example.columns}, 2, 3);
}

// Numbers that are asked at single places: right and said.
void draw_asked(Ui& ui, Rect box, const FilmView& now) {
  const Theme& t = ui.theme();
  const learn::FilmExample& example = now.example;
  const Index places = example.frames * example.rows * example.columns, each = example.right->size() / places;
  const auto line = [&] { return box.take_top(ui.px(row_height)); };
  const auto row = [&](Type type, Color32 color, const std::string& at, const std::string& right,
                       const std::string& said) {
    Rect place = line();
    ui.text_in(type, place.take_right(ui.px(70)), color, said, Ui::Align::right);
    ui.text_in(type, place.take_right(ui.px(70)), color, right, Ui::Align::right);
    ui.text_in(Type::label, place, color, at);
  };
  row(Type::note, t.text_faint, "dot of the last frame", "right", "says");
  for (Index cell = 0; cell < example.right->size() && box.h > ui.px(row_height); ++cell)
    if ((*example.asked)[cell] != 0)
      row(Type::number_note, t.text, key_name(now, cell / each),
          with_minus_signs(fmt::format("{:.3f}", (*example.right)[cell])),
          with_minus_signs(fmt::format("{:.3f}", (*now.frame.prediction)[cell])));
}

// On all held-out examples; those that are measured on weights in their colour.
float draw_figures(Ui& ui, Rect box, const FilmView& now, bool draw) {
  const Theme& t = ui.theme();
  const auto& figures = now.task.figures();
  float y = box.y + ui.px(24);
  const auto line = [&](const std::string& id, const std::string& title, const std::string& help, double value,
                        Color32 color) {
    Rect place{box.x, y, box.w, ui.px(figure_height)};
    y += place.h;
    if (!draw) return;
    const std::string number = with_minus_signs(fmt::format("{:.3f}", value));
    const std::string path = "train/figure/" + id;
    ui.log(path, place, number);
    ui.tooltip(path, place, help);
    words_at_right(ui, Type::number, place, color, number, 8);
    ui.text_in(Type::label, place, t.text_muted, title);
  };
  if (draw)
    ui.text_in(Type::heading, {box.x, box.y, box.w, ui.px(18)}, t.text,
               fmt::format("{} held-out examples at step {}", now.example.held_out_count, now.frame.step));
  if (std::ranges::count(figures, "loss", &learn::FigureWords::id) == 0)
    line("loss", "Loss", "The mean over all that is asked of them.", now.frame.loss, t.text);
  for (const learn::FigureWords& figure : figures)
    if (const auto found = now.frame.figures.find(figure.id); found != now.frame.figures.end())
      line(figure.id, figure.title, figure.help, found->second, figure.of_weights ? t.weight.main : t.text);
  return y - box.y;
}

}  // namespace

bool answers_with_picture(const learn::FilmExample& example) {
  return example.picture && example.frames == 1 && example.right->size() % (example.rows * example.columns) == 0;
}

void draw_train_example(Ui& ui, Rect box, const FilmView& now) {
  const Theme& t = ui.theme();
  const Rect figures = box.take_bottom(draw_figures(ui, box, now, false) + ui.px(10));
  draw_figures(ui, figures, now, true);
  box.take_bottom(ui.px(10));
  ui.text(Type::heading, {box.x, box.y + ui.px(6)}, t.text, "The example");
  box.take_top(ui.px(30));
  if (now.example.picture) {
    const bool frames = now.example.frames > 1;
    draw_pictures(ui, box.take_top(ui.px(frames ? 160 : 112)), now);
    if (frames) draw_asked(ui, box, now);
    return;
  }
  box.take_top(draw_tokens(ui, box, now) + ui.px(14));
  if (now.frame.prediction && now.example.shares && box.h > ui.px(90)) draw_answers(ui, box, now);
}

}  // namespace headlight::app
