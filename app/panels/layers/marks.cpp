// A measure on the heads of a model: which, from where on it rings them, and the heads in its order.
#include <cmath>

#include "app/panels/common/form.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/layers/parts.h"
#include "app/reading/head_measures.h"

namespace headlight::app {

namespace {

struct Ranked {
  ModelHead head;
  double value = 0;
};

// Those that have a number, the greatest first.
std::vector<Ranked> ranked(const Model& model, const LayersShown& shown, Measure measure) {
  std::vector<Ranked> list;
  for (Index l = 0; l < shown.part->layers(); ++l)
    for (Index m = 0; m < shown.part->heads_of(l); ++m)
      if (const double value = head_measure(model, shown, measure, l, m); std::isfinite(value))
        list.push_back({{l, m, shown.part->part}, value});
  std::ranges::stable_sort(list, std::greater<>(), &Ranked::value);
  return list;
}

// The measures that some head has or could have, and the one that is chosen.
std::vector<Measure> measures_there(const LayersShown& shown, Measure chosen) {
  std::vector<Measure> list;
  const bool switched = shown.run && shown.run->logits;
  for (const Measure measure : all_measures())
    if (measure == chosen || (measure == Measure::ablation && switched) ||
        std::ranges::any_of(shown.part->measures, [&](const std::vector<HeadMeasures>& items) {
          return std::ranges::any_of(items,
                                     [&](const HeadMeasures& of) { return of[measure].missing == Missing::nothing; });
        }))
      list.push_back(measure);
  return list;
}

void draw_choice(Ui& ui, Rect line, const LayersShown& shown, Actions& actions) {
  const Measure marking = marking_measure(shown.look);
  const std::vector<Measure> there = measures_there(shown, marking);
  const int chosen = drop_down_of(
      ui, "layers/measure", line, there, [](Measure measure) { return row_of(measure).title; },
      [&](Measure measure) { return measure == marking; });
  if (chosen >= 0) actions.push_back(MarkBy{there[static_cast<std::size_t>(chosen)]});
}

// From where on heads have a ring, and how many that are.
void draw_bound(Ui& ui, Rect line, const std::vector<Ranked>& list, const NetworkLook& look, double most,
                Actions& actions) {
  const Theme& t = ui.theme();
  const auto count = std::ranges::count_if(list, [&](const Ranked& one) { return one.value >= look.from; });
  ui.frame({line.x, std::round(line.middle().y - ui.px(6)), ui.px(14), ui.px(12)}, t.ink, ui.px(3), ui.px(2));
  line.take_left(ui.px(20));
  words_at_right(ui, Type::note, line, t.text_muted, fmt::format("{} of {}", count, list.size()), 10);
  ui.text_in(Type::number_note, line.take_right(ui.px(48)), t.text, fmt::format("≥ {:.2f}", look.from),
             Ui::Align::right);
  const SliderChange slid = slider(ui, "layers/from", line, std::min(look.from, most), 0, most, 0.3, false);
  if (slid.value) actions.push_back(RingFrom{std::round(*slid.value * 100) / 100});
  if (slid.ended) actions.push_back(EndEdit{});
}

void draw_ranked(Ui& ui, Rect row, const Ranked& one, double most, double middle, const NetworkLook& look,
                 Actions& actions) {
  const Theme& t = ui.theme();
  const bool chosen = one.head == ModelHead{look.layer, look.head, look.part};
  const std::string path = fmt::format("layers/ranked/{}/{}", one.head.layer, one.head.head);
  const auto hit = ui.hit(path, row, false, measure_text(one.value), chosen ? "selected" : "");
  if (chosen || hit.hovered)
    ui.fill(row.inset(-ui.px(6), 0), chosen ? t.brand_soft : mix(t.canvas, t.text, 0.04F), ui.px(4));
  ui.text_in(Type::number_note, row.take_left(ui.px(58)), t.text, short_name(one.head));
  ui.text_in(Type::number_note, row.take_right(ui.px(46)), t.text, measure_text(one.value), Ui::Align::right);
  row.take_right(ui.px(6));
  draw_measure_bar(ui, row, one.value, middle, most, t.ink, 1);
  if (hit.clicked) actions.push_back(ChooseHead{one.head.layer, one.head.head});
}

bool all_ablated(const Model& model) {
  const AblationLosses& lost = model.net.without;
  return lost.of_stamp == model.net.run->stamp && !lost.heads.empty() && lost.done == lost.heads.size();
}

// Without one head after another: begun, how far it is, stopped.
void draw_ablation_row(Ui& ui, Rect line, const Model& model, Actions& actions) {
  const AblationLosses& lost = model.net.without;
  const bool known = lost.of_stamp == model.net.run->stamp;
  const std::size_t all = model.net.run->heads_of_all_parts();
  std::string words = fmt::format("Switch each of {} off", all);
  if (lost.running || (known && lost.done > 0))
    words = fmt::format("{} of {} · {}", lost.done, all, lost.running ? "Stop" : "Go on");
  draw_command(ui, "layers/without", line, lost.running ? "stop-ablating" : "ablate-heads", words, model, actions);
  if (!lost.running) return;
  const float part = static_cast<float>(lost.done) / static_cast<float>(all);
  ui.fill({line.x, line.bottom() + ui.px(2), line.w, ui.px(3)}, ui.theme().sunken);
  ui.fill({line.x, line.bottom() + ui.px(2), line.w * part, ui.px(3)}, ui.theme().weight.main);
  ui.redraw_at(ui.now() + 0.1);
}

}  // namespace

void draw_measure_bar(Ui& ui, Rect row, double value, double middle, double most, Color32 mark, float beyond) {
  const Rect bar = row.inset(0, (row.h - ui.px(9)) / 2);
  const auto along = [&](double at) {
    return bar.w * static_cast<float>(std::clamp(most > 0 ? at / most : 0.0, 0.0, 1.0));
  };
  ui.fill(bar, ui.theme().sunken);
  if (std::isfinite(value)) ui.fill({bar.x, bar.y, along(value), bar.h}, ui.theme().weight.main);
  if (!std::isfinite(middle)) return;
  const float far = ui.px(beyond);
  ui.fill({bar.x + along(middle), bar.y - far, std::max(1.0F, ui.px(2)), bar.h + 2 * far}, mark);
}

double head_measure(const Model& model, const LayersShown& shown, Measure measure, Index layer, Index head) {
  if (measure != Measure::ablation) return shown.part->measure(measure, layer, head);
  if (!shown.run || model.net.without.of_stamp != shown.run->stamp) return std::nan("");
  return model.net.without.of({layer, head, shown.part->part}, shown.heads);
}

double median_of(const Model& model, const LayersShown& shown, Measure measure) {
  if (measure != Measure::ablation) return shown.part->median(measure);
  const std::vector<Ranked> list = ranked(model, shown, measure);
  return list.empty() ? std::nan("") : list[(list.size() - 1) / 2].value;
}

double largest_measure(const Model& model, const LayersShown& shown, Measure measure) {
  if (measure == Measure::ablation) {
    const std::vector<Ranked> list = ranked(model, shown, measure);
    return list.empty() ? 0 : std::max(0.0, list.front().value);
  }
  double most = 0;
  for (Index l = 0; l < shown.part->layers(); ++l) most = std::max(most, most_of(shown.part->measures_of(l), measure));
  return most;
}

std::string name_in_model(Measure measure) {
  return row_of(measure).phrase;
}

const char* measure_help(Measure measure) {
  return measure != Measure::ablation ? row_of(measure).says
                                      : "How far the model's probabilities move when the head hands on zeros: Σ p ln(p "
                                        "/ p′), nats, the mean over "
                                        "places. A run from its layer on for each head.";
}

void draw_marks_column(Ui& ui, Rect box, const Model& model, const LayersShown& shown, Actions& actions) {
  const Theme& t = ui.theme();
  const NetworkLook& look = shown.look;
  const Measure measure = marking_measure(look);
  const Rect heading = box.take_top(ui.px(24));
  ui.text_in(Type::heading, heading, t.text_muted, "Measure");
  ui.text_in(Type::note, heading, t.text_faint, item_in_words(model), Ui::Align::right);
  ui.log("layers/measure/item", heading, item_in_words(model));
  draw_choice(ui, box.take_top(ui.px(32)), shown, actions);
  box.take_top(ui.px(8));
  take_paragraph(ui, box, t.text_muted, measure_help(measure), Type::note, 2);
  take_paragraph(ui, box, t.text_faint, row_of(measure).source, Type::note, 10);
  if (shown.run && measure == Measure::ablation && !all_ablated(model)) {
    draw_ablation_row(ui, box.take_top(ui.px(32)), model, actions);
    box.take_top(ui.px(10));
  }
  const int marks =
      segments(ui, "layers/marks", box.take_top(ui.px(32)),
               {{"ring", "Ring", ""}, {"sort", "Sort", ""}, {"off", "Off", ""}}, static_cast<int>(look.marks));
  if (marks >= 0) actions.push_back(MarkHeads{static_cast<HeadMarks>(marks)});
  box.take_top(ui.px(8));
  if (look.marks == HeadMarks::off) return;
  const std::vector<Ranked> list = ranked(model, shown, measure);
  if (list.empty()) {
    paragraph(ui, {box.x, box.y}, box.w, t.text_muted,
              measure == Measure::ablation ? "What each head changes was not measured yet."
                                           : missing_in_words(shown.part->measures_of(0)[measure].missing) + ".",
              true, Type::note);
    return;
  }
  const double most = std::max(largest_measure(model, shown, measure), list.front().value);
  if (look.marks == HeadMarks::ring) {
    draw_bound(ui, box.take_top(ui.px(32)), list, look, most, actions);
    box.take_top(ui.px(4));
  }
  const Rect caution = measure != Measure::ablation && box.h > ui.px(300) ? box.take_bottom(ui.px(74)) : Rect{};
  const double middle = median_of(model, shown, measure);
  const float height = ui.px(25);
  const auto room = static_cast<std::size_t>(std::max(0.0F, box.h / height));
  if (look.marks == HeadMarks::sort) {
    scroll_rows(ui, "layers/sorted", box, list.size(), height, [&](std::size_t i, Rect row) {
      draw_ranked(ui, row.inset(ui.px(6), 0), list[i], most, middle, look, actions);
    });
  } else {
    for (std::size_t i = 0; i < std::min(room, std::min<std::size_t>(list.size(), 12)); ++i)
      draw_ranked(ui, box.take_top(height).inset(ui.px(6), 0), list[i], most, middle, look, actions);
  }
  if (caution.h > 0)
    paragraph(ui, {caution.x, caution.y + ui.px(8)}, caution.w, t.text_faint, measures_caution, true, Type::note);
}

}  // namespace headlight::app
