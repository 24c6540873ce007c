// What a model says: the likeliest tokens after the chosen one (or in its place), or classes; and how probable what
// came was, at every place. With heads off both stand beside what it says as it is.
#include <cmath>

#include "app/actions/tokens.h"
#include "app/panels/layers/parts.h"
#include "app/reading/printed.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

std::string off_in_words(const NetworkRun& run) {
  const auto& off = run.asked.ablate;
  if (off.size() != 1) return fmt::format("{} heads off", off.size());
  const std::string part = run.plan().part_name(off.front().part);
  return fmt::format("{}{}{} off", part, part.empty() ? "" : " ", short_name(off.front()));
}

bool is_classifier(const NetworkRun& run) {
  return run.logits && run.logits->shape().size() == 2;
}

// Whether the model predicts what comes after a place, rather than what stands there.
void draw_sign(Ui& ui, Rect& line, bool filled, const std::string& words) {
  const Theme& t = ui.theme();
  const Rect sign{line.x, line.middle().y - ui.px(4), ui.px(14), ui.px(8)};
  if (filled)
    ui.fill(sign, t.weight.main);
  else
    ui.frame(sign, t.ink, 0, std::max(1.0F, ui.px(1.5F)));
  line.take_left(ui.px(20));
  words_at_left(ui, Type::note, line, t.text_muted, words, 14);
}

void draw_heading(Ui& ui, Rect line, const NetworkRun& run, Index place) {
  std::string title = run.predicts_next() ? "Next token after" : "Likeliest in place of";
  if (is_classifier(run)) title = "Class";
  words_at_left(ui, Type::heading, line, ui.theme().text, title, 8);
  if (!is_classifier(run)) {
    const Chip chip{ui.fonts().display_text(run.output_part().query_words[static_cast<std::size_t>(place)]),
                    ChipRole::query};
    const auto number = static_cast<std::size_t>(place);
    draw_chip(ui, line.take_left(std::min(line.w, chip_width(ui, number, chip))), number, chip, false);
    line.take_left(ui.px(14));
  }
  if (!run.whole || line.w < ui.px(120)) return;
  draw_sign(ui, line, true, "as it is");
  draw_sign(ui, line, false, off_in_words(run));
}

// A row of the list appends its token, where what comes next is what is listed.
void draw_append_row(Ui& ui, Rect row, std::size_t i, const Likely& token, const Model& model, Actions& actions) {
  const AppendToken append{token.number};
  if (!why_not_appended(append, model).empty()) return;
  const std::string path = fmt::format("layers/append/{}", i);
  const auto hit = ui.hit(path, row, true, token.name);
  if (hit.hovered || hit.focused)
    ui.fill({row.x - ui.px(6), row.y, row.w + ui.px(6), row.h}, ui.theme().sunken, ui.px(4));
  ui.tooltip(path, row, fmt::format("Append {}, token {}", ui.fonts().display_text(token.name), token.number));
  if (hit.clicked) actions.push_back(append);
}

// Of an item of each (B, d).
double cosine(const Tensor& a, Index item_a, const Tensor& b, Index item_b) {
  double dot = 0, of_a = 0, of_b = 0;
  const float *x = a.data() + item_a * a.dim(1), *y = b.data() + item_b * b.dim(1);
  for (Index c = 0; c < a.dim(1); ++c) {
    dot += x[c] * y[c];
    of_a += x[c] * x[c];
    of_b += y[c] * y[c];
  }
  return dot / std::sqrt(of_a * of_b);
}

// Of a model of pictures and texts.
std::string likeness_in_words(const NetworkRun& run, const NetworkRun& as_it_is) {
  const Tensor& alike = as_it_is.trace.find("logits_per_image")->tensor();
  const Index image = run.of(ModelPart::vision).item, text = run.of(ModelPart::text).item;
  const Index at = image * alike.dim(-1) + text;
  const double number = alike[at], same = cosine(as_it_is.trace.find("image_embeds")->tensor(), image,
                                                 as_it_is.trace.find("text_embeds")->tensor(), text);
  const auto decimals = [](double value) { return with_minus_signs(fmt::format("{:.4f}", value)); };
  const std::string with = run.whole ? fmt::format(" ({}: {})", off_in_words(run),
                                                   decimals(run.trace.find("logits_per_image")->tensor()[at]))
                                     : "";
  return fmt::format(
      "Picture and text are alike by {}{}: cosine {} × the model's scale {}. Beside other texts, softmax "
      "makes probabilities of such numbers.",
      decimals(number), with, decimals(same), decimals(number / same));
}

// The whole model's; where heads are off, an outlined bar below each says what it is without them.
void draw_likely_rows(Ui& ui, Rect box, const Model& model, Index place, const std::vector<Likely>& list, bool last,
                      Actions& actions) {
  const NetworkRun& run = *model.net.run;
  const Theme& t = ui.theme();
  const float height = ui.px(22);
  const auto room = static_cast<std::size_t>(box.h / height);
  float names = 0;
  for (std::size_t i = 0; i < std::min(room, list.size()); ++i)
    names = std::max(names, ui.width_of(Type::label_strong, ui.fonts().display_text(list[i].name)));
  names = std::min(names + ui.px(12), box.w * 0.35F);
  const double most = std::max(list.front().probability, 1e-9);
  std::vector<double> without;  // the heads: a pass over all logits each
  std::vector<std::string> numbers;
  float numbers_width = ui.px(42);
  for (std::size_t i = 0; i < std::min(room, list.size()); ++i) {
    without.push_back(run.whole ? run.probability(place, list[i].number) : list[i].probability);
    const std::string with = number_text(list[i].probability);
    numbers.push_back(run.whole ? fmt::format("{} → {}", with, number_text(without.back())) : with);
    numbers_width = std::max(numbers_width, ui.width_of(Type::number_note, numbers.back()));
  }
  for (std::size_t i = 0; i < std::min(room, list.size()); ++i) {
    Rect row = box.take_top(height);
    if (last) draw_append_row(ui, row, i, list[i], model, actions);
    ui.text_in(i == 0 ? Type::label_strong : Type::label, row.take_left(names), t.text,
               ui.fonts().display_text(list[i].name));
    ui.log(fmt::format("layers/likely/{}", i), row, list[i].name);
    const Rect number = row.take_right(numbers_width + ui.px(8));
    ui.text_in(Type::number_note, number, t.text, numbers[i], Ui::Align::right);
    ui.log(fmt::format("layers/likely/{}/number", i), number, numbers[i]);
    row.take_right(ui.px(8));
    const auto along = [&](double value) { return row.w * static_cast<float>(std::clamp(value / most, 0.0, 1.0)); };
    const float tall = ui.px(run.whole ? 7 : 11), y = row.middle().y - (run.whole ? tall : tall / 2);
    ui.fill({row.x, y, std::max(1.0F, along(list[i].probability)), tall}, t.weight.main);
    if (run.whole)
      ui.frame({row.x, y + tall, std::max(2.0F, along(without[i])), tall}, t.ink, 0, std::max(1.0F, ui.px(1.2F)));
  }
}

void draw_likely(Ui& ui, Rect box, const Model& model, Index place, Actions& actions) {
  const NetworkRun& run = *model.net.run;
  const Theme& t = ui.theme();
  const NetworkRun& as_it_is = run.whole ? *run.whole : run;
  Rect heading = box.take_top(ui.px(26));
  const bool last = place == run.output_part().queries() - 1;
  if (last && why_not_appended({}, model).empty() && heading.w > ui.px(run.whole ? 640 : 400)) {
    const std::string words = "Append the likeliest";
    const Rect place_of = heading.take_right(ui.width_of(Type::control, words) + ui.px(28)).inset(0, ui.px(-1));
    if (button(ui, "layers/append", place_of, words, ButtonLook::secondary)) actions.push_back(AppendToken{});
    heading.take_right(ui.px(10));
  }
  const std::vector<Likely> list = as_it_is.likely(place);
  if (list.empty())
    ui.text_in(Type::heading, heading, t.text, "What the model says");
  else
    draw_heading(ui, heading, run, place);
  box.take_top(ui.px(4));
  if (as_it_is.trace.find("logits_per_image")) {
    const std::string words = likeness_in_words(run, as_it_is);
    paragraph(ui, {box.x, box.y}, box.w, t.text, words, true, Type::label);
    ui.log("layers/alike", box, words);
  } else if (list.empty()) {
    paragraph(ui, {box.x, box.y}, box.w, t.text_muted,
              run.plan().towers.empty()
                  ? "This folder has no weights for what the model says: it ends with the residual stream."
                  : "Give it a text and a picture, and it says how alike they are.",
              true, Type::note);
  } else {
    draw_likely_rows(ui, box, model, place, list, last, actions);
  }
}

void draw_actual_labels(Ui& ui, Rect below, const NetworkRun& run, float pitch) {
  const Index n = run.output_part().queries();
  Index every = 1;
  while (static_cast<float>(every) * pitch < ui.px(14)) every *= 2;
  const auto word = [&](Index i) {
    return ui.fonts().display_text(run.output_part().query_words[static_cast<std::size_t>(i)]);
  };
  const float room = static_cast<float>(every) * pitch;
  bool upright = true;  // single letters are not turned
  for (Index i = 0; i < n; i += every) upright = upright && ui.width_of(Type::note, word(i)) <= room - ui.px(3);
  for (Index i = 0; i < n; i += every) {
    const float x = below.x + pitch * (static_cast<float>(i) + 0.5F);
    if (upright)
      ui.text_in(Type::note, {x - room / 2, below.y, room, ui.px(16)}, ui.theme().text_muted, word(i),
                 Ui::Align::center);
    else
      ui.text_upwards(Type::note, {x - ui.px(8), below.y, ui.px(16), below.h}, ui.theme().text_muted,
                      ui.fitted(Type::note, word(i), below.h));
  }
}

// Where the bars end: 1, or where all of them are so small that they could not be seen, the next of 1, 2 or 5 times a
// power of ten.
double axis_end(const NetworkRun& run) {
  double most = 0;
  for (const NetworkRun* of : {&run, run.whole.get()})
    for (std::size_t i = 0; of && i < of->likelihoods.size(); ++i)
      if (std::isfinite(of->likelihoods[i])) most = std::max(most, of->likelihoods[i]);
  return most >= 0.2 || most <= 0 ? 1 : round_number_from(most);
}

// A bar a place; with heads off, a line across each says how probable it is then.
void draw_actual(Ui& ui, Rect box, const NetworkRun& run, const NetworkLook& look, Actions& actions) {
  const Theme& t = ui.theme();
  const NetworkRun& as_it_is = run.whole ? *run.whole : run;
  Rect line = box.take_top(ui.px(26));
  if (run.divergence)
    ui.text_in(Type::note, line.take_right(ui.px(150)), t.text_muted,
               fmt::format("KL {:.2g} nats on average", *run.divergence), Ui::Align::right);
  ui.text_in(
      Type::heading, line, t.text,
      run.predicts_next() ? "The token that came, at every place" : "The token that stands there, at every place");
  if (run.predicts_next() && run.output_part().queries() == 1) {
    const std::string words = "There is one token, and none has come after it yet.";
    ui.log("layers/came", box, words);
    paragraph(ui, {box.x, box.y}, box.w, t.text_faint, words, true, Type::note);
    return;
  }
  const Rect below = box.take_bottom(std::min(ui.px(46), box.h * 0.4F));
  box.take_top(ui.px(6));
  const double end = axis_end(run);
  const std::string end_in_words = value_text(end);
  const Rect axis = box.take_left(std::max(ui.px(20), ui.width_of(Type::number_small, end_in_words) + ui.px(8)));
  ui.text_in(Type::number_small, {axis.x, box.y - ui.px(7), axis.w - ui.px(6), ui.px(14)}, t.text_faint, end_in_words,
             Ui::Align::right);
  ui.log("layers/came/end", axis, end_in_words);
  ui.text_in(Type::number_small, {axis.x, box.bottom() - ui.px(9), axis.w - ui.px(6), ui.px(14)}, t.text_faint, "0",
             Ui::Align::right);
  ui.line({box.x, box.bottom()}, {box.right(), box.bottom()}, t.line_strong);
  ui.line({box.x, box.y}, {box.right(), box.y}, t.line);
  const Index n = run.output_part().queries();
  const float pitch = box.w / static_cast<float>(n);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Rect column{box.x + pitch * static_cast<float>(i), box.y, pitch, box.h};
    const std::string path = fmt::format("layers/came/{}", i);
    const auto hit = ui.hit(path, column, false, "");
    if (run.has_output(look.part) && look.query == i) ui.fill(column, t.query.soft);
    if (hit.clicked && !run.has_output(look.part)) actions.push_back(ChoosePart{run.output_part().part});
    if (hit.clicked) actions.push_back(ChoosePair{{i, run.has_output(look.part) ? look.key : std::nullopt}});
    const double value = as_it_is.likelihoods[at];
    if (!std::isfinite(value)) continue;
    const float w = std::max(1.0F, std::floor(pitch * 0.62F)), x = std::round(column.middle().x - w / 2);
    const auto y_of = [&](double probability) {
      return box.bottom() - box.h * static_cast<float>(std::clamp(probability / end, 0.0, 1.0));
    };
    ui.fill({x, y_of(value), w, box.bottom() - y_of(value)}, t.weight.main);
    if (run.whole)
      ui.fill({x - ui.px(1), y_of(run.likelihoods[at]) - ui.px(1), w + ui.px(2), std::max(1.0F, ui.px(2))}, t.ink);
    ui.tooltip(
        path, column,
        fmt::format("{}: {}{}", ui.fonts().display_text(run.output_part().query_words[at]), number_text(value),
                    run.whole ? fmt::format(", {} {}", off_in_words(run), number_text(run.likelihoods[at])) : ""));
  }
  draw_actual_labels(ui, {box.x, below.y + ui.px(2), box.w, below.h - ui.px(2)}, run, pitch);
}

}  // namespace

void draw_predictions(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const NetworkRun& run = *model.net.run;
  const NetworkLook& look = model.document.network->look;
  // The encoder's tokens say nothing by themselves.
  const Index last = run.output_part().queries() - 1,
              place = run.has_output(look.part) ? std::clamp<Index>(look.query.value_or(last), 0, last) : last;
  const bool both = !run.likelihoods.empty() && box.w > ui.px(560);
  Rect right = both ? box.take_right(box.w * 0.42F) : Rect{};
  if (both) box.take_right(ui.px(36));
  draw_likely(ui, box, model, place, actions);
  if (both) draw_actual(ui, right, run, look, actions);
}

}  // namespace headlight::app
