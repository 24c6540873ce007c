// The chosen head of a model, large: its map, the pair that is looked at, its measures beside those of the other heads.
#include <cmath>

#include "app/panels/common/form.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/layers/parts.h"
#include "app/reading/head_measures.h"
#include "engine/base/words.h"

namespace headlight::app {

namespace {

// The maps of the chosen layer, kept or made since it is looked at; null until then.
std::shared_ptr<const Tensor> selected_maps(const Model& model, const LayersShown& shown) {
  const auto& kept = shown.part->maps[static_cast<std::size_t>(shown.look.layer)];
  return kept ? kept : model.net.looked_at({shown.look.layer, shown.look.part});
}

float draw_not_made(Ui& ui, Rect box, const Model& model) {
  const std::string words = model.net.not_made.empty() ? "The map is made." : model.net.not_made;
  ui.frame(box, ui.theme().line_strong, 0, 1);
  paragraph(ui, {box.x + ui.px(12), box.y + ui.px(12)}, box.w - ui.px(24), ui.theme().text_muted, words);
  ui.log("layers/not-made", box, words);
  return box.h;
}

float draw_large_map(Ui& ui, Rect box, const Model& model, const LayersShown& shown, Actions& actions) {
  const NetworkLook& look = shown.look;
  const auto maps = selected_maps(model, shown);
  if (!maps) return draw_not_made(ui, box, model);
  HeatmapData data;
  data.map = map_of_head(ui, shown, shown.chosen(), maps);
  data.map.key += "/large";
  data.row_labels = shown_words(ui, shown.part->query_words_of(look.layer));
  data.column_labels = shown_words(ui, shown.part->key_words_of(look.layer));
  data.row_name = "query ↓";
  data.column_name = "key →";
  data.row_role = Role::query;
  data.column_role = Role::key;
  data.row = look.query;
  data.column = look.key;
  data.pinned = look.query && look.key;
  const HeatmapResult result = heatmap(ui, "layers/large", box, data);
  if (result.clicked) actions.push_back(ChoosePair{{result.clicked->row, result.clicked->column}});
  if (result.hovered) {
    const auto [i, j] = *result.hovered;
    const float value = data.map.cells.at(i, j);
    ui.message(
        result.hovered_rect,
        fmt::format("{} → {}: {}", data.row_labels[static_cast<std::size_t>(i)],
                    data.column_labels[static_cast<std::size_t>(j)], std::isinf(value) ? "masked" : share_text(value)),
        Ui::Side::right);
  }
  return result.map.bottom() - box.y;
}

// "Q er asks K ·lit", as far as they are chosen.
void draw_pair(Ui& ui, Rect row, const LayersShown& shown) {
  const auto put = [&](Role role, std::optional<Index> at) {
    const auto& words =
        role == Role::query ? shown.part->query_words_of(shown.look.layer) : shown.part->key_words_of(shown.look.layer);
    badge(ui, {row.x, row.y + (row.h - ui.px(badge_size)) / 2}, role);
    row.take_left(ui.px(badge_size + 6));
    const auto number = static_cast<std::size_t>(at.value_or(0));
    std::string name = at ? fmt::format("{}", *at) : "any";
    if (at && number < words.size()) name = ui.fonts().display_text(words[number]);  // keys of windows are counted
    const Chip chip{std::move(name), chip_role(role)};
    const float width = std::min(chip_width(ui, number, chip), row.w);
    if (at)
      draw_chip(ui, row.take_left(width).inset(0, ui.px(1)), number, chip, false);
    else
      ui.text_in(Type::label, row.take_left(width), ui.theme().text_muted, chip.text);
    row.take_left(ui.px(8));
  };
  put(Role::query, shown.look.query);
  words_at_left(ui, Type::label, row, ui.theme().text, "asks", 8);
  put(Role::key, shown.look.key);
}

void draw_weight(Ui& ui, Rect row, const Model& model, const LayersShown& shown) {
  const NetworkLook& look = shown.look;
  const auto maps = selected_maps(model, shown);
  const Theme& t = ui.theme();
  ui.fill(row, t.weight.soft, ui.px(6));
  Rect inside = row.inset(ui.px(10), 0);
  badge(ui, {inside.x, inside.middle().y - ui.px(badge_size / 2)}, Role::weight);
  inside.take_left(ui.px(badge_size + 8));
  ui.text_in(Type::label, inside, t.text, "weight");
  const bool chosen = maps && look.query && look.key;
  const float value = chosen ? map_of_head(ui, shown, shown.chosen(), maps).cells.at(*look.query, *look.key) : 0;
  std::string words = maps ? "click a cell" : "";
  if (chosen) words = std::isinf(value) ? "masked" : share_text(value);
  ui.text_in(chosen ? Type::result : Type::label, inside, chosen ? t.weight.main : t.text_muted, words,
             Ui::Align::right);
  ui.log("layers/weight", row, words);
}

// The buttons are commands of the table, with their keys.
void draw_buttons(Ui& ui, Rect row, const Model& model, const LayersShown& shown, Actions& actions) {
  const float w = shown.run ? (row.w - ui.px(8)) / 2 : row.w;
  const bool is_off = std::ranges::find(shown.off, shown.chosen()) != shown.off.end();
  draw_command(ui, "layers/open-layer", row.take_left(w), "open-layer", fmt::format("Open layer {}", shown.look.layer),
               model, actions);
  row.take_left(ui.px(8));
  if (shown.run)
    draw_command(ui, "layers/head-off", row, "head-off", is_off ? "Switch this head on" : "Switch this head off", model,
                 actions);
}

// "Clark 2019" of "Clark et al. 2019, section 3": the first year and who stands before it; empty where there is none.
std::string short_source(std::string_view source) {
  for (std::size_t at = 0; at + 4 <= source.size(); ++at) {
    if (!std::ranges::all_of(source.substr(at, 4), is_digit)) continue;
    std::string_view who = source.substr(0, at);
    for (const char* rest : {" et al. ", " and "})
      if (const auto cut = who.rfind(rest); cut != std::string_view::npos) who = who.substr(0, cut);
    while (who.ends_with(" ")) who.remove_suffix(1);
    return fmt::format("{} {}", who.substr(who.rfind(' ') + 1), source.substr(at, 4));
  }
  return {};
}

void draw_measure(Ui& ui, Rect row, const Model& model, const LayersShown& shown, Measure measure) {
  const MeasureRow& words = row_of(measure);
  const Theme& t = ui.theme();
  const NetworkLook& look = shown.look;
  const double value = head_measure(model, shown, measure, look.layer, look.head),
               middle = median_of(model, shown, measure), most = largest_measure(model, shown, measure);
  const bool marking = measure == marking_measure(look);
  ui.tooltip(fmt::format("layers/measured/{}", id_of(measure)), row, measure_help(measure));
  ui.text_in(marking ? Type::label_strong : Type::label, row.take_left(ui.px(92)), t.text, words.heading);
  const Rect source = row.take_right(ui.px(96));
  row.take_right(ui.px(2));
  ui.text_in(Type::note, source, t.text_faint, ui.fitted(Type::note, short_source(words.source), source.w),
             Ui::Align::right);
  ui.text_in(Type::number_note, row.take_right(ui.px(52)), t.text, measure_text(value), Ui::Align::right);
  row.take_right(ui.px(4));
  draw_measure_bar(ui, row, value, middle, most, t.text_muted, 2);
}

void draw_measures(Form& form, const Model& model, const LayersShown& shown) {
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const Rect line = form.line(20, 6);
  ui.text_in(Type::heading, line, t.text_muted, "Measures");
  const std::string words = fmt::format("middle of {} heads", shown.part->heads());
  const float width = ui.width_of(Type::note, words);
  ui.text_in(Type::note, line, t.text_faint, words, Ui::Align::right);
  ui.fill({line.right() - width - ui.px(10), line.y + ui.px(4), ui.px(2), ui.px(12)}, t.text_muted);
  if (const std::string item = item_in_words(model); !item.empty())
    form.log_words("layers/measures/item", t.text_faint, item, Type::note);
  for (const Measure measure : all_measures())
    if (std::isfinite(median_of(model, shown, measure))) draw_measure(ui, form.line(24), model, shown, measure);
}

// The head whose map is most like this one: the least mean difference of weights.
std::optional<std::pair<ModelHead, double>> most_alike(const LayersShown& shown) {
  const PartRun& part = *shown.part;
  const NetworkLook& look = shown.look;
  const Index n = part.queries(), cells = n * part.keys();
  if (!part.has_all_maps() || part.staged) return std::nullopt;
  if (cells * part.layers() * shown.heads > Index{1} << 22) return std::nullopt;  // more than a frame has time for
  const Index first = part.item * shown.heads;                                    // of the item's heads
  const float* mine = part.maps[static_cast<std::size_t>(look.layer)]->data() + (first + look.head) * cells;
  std::optional<std::pair<ModelHead, double>> best;
  for (Index l = 0; l < part.layers(); ++l)
    for (Index m = 0; m < shown.heads; ++m) {
      if (l == look.layer && m == look.head) continue;
      const float* other = part.maps[static_cast<std::size_t>(l)]->data() + (first + m) * cells;
      double sum = 0;
      for (Index c = 0; c < cells; ++c)
        if (!std::isinf(mine[c]) && !std::isinf(other[c])) sum += std::abs(mine[c] - other[c]);
      const double alike = 1 - sum / (2 * static_cast<double>(n));
      if (!best || alike > best->second) best = {{l, m, look.part}, alike};
    }
  return best;
}

std::string words_about(const Model& model, const LayersShown& shown) {
  const NetworkRun* run = shown.run;
  const NetworkLook& look = shown.look;
  const Measure measure = marking_measure(look);
  const double value = head_measure(model, shown, measure, look.layer, look.head),
               middle = median_of(model, shown, measure);
  std::string words;
  if (std::isfinite(value))
    words = fmt::format("Its {} is {}; of half of all heads it is at least {}. ", name_in_model(measure),
                        measure_text(value), measure_text(middle));
  if (const auto alike = most_alike(shown))
    words += fmt::format("{} draws the map most like it: {:.0f} % of the weight lies in the same cells. ",
                         short_name(alike->first), 100 * alike->second);
  if (run && run->whole && run->divergence && run->asked.ablate == std::vector{shown.chosen()})
    words += fmt::format("Without it the model's answer changes by {:.2g} nats (KL, mean over places; Michel 2019). ",
                         *run->divergence);
  return words;
}

}  // namespace

float draw_network_head(Ui& ui, Rect box, const Model& model, Actions& actions) {
  const Theme& t = ui.theme();
  Form form{ui, box.inset(ui.px(18), 0), box.y + ui.px(14)};
  const auto shown = layers_shown(model);
  if (!shown) return 0;
  const NetworkLook& look = shown->look;
  const Rect title = form.line(24, 6);
  ui.text_in(Type::title, title, t.text, fmt::format("{} · head {}", name_of_layer(*shown, look.layer), look.head));
  ui.log("layers/head", title, fmt::format("{} {}", look.layer, look.head));
  const float tall = std::min(form.column.w, ui.px(330));
  form.y += draw_large_map(ui, {form.column.x, form.y, form.column.w, tall}, model, *shown, actions) + ui.px(10);
  draw_pair(ui, form.line(30, 8), *shown);
  draw_weight(ui, form.line(40, 12), model, *shown);
  draw_buttons(ui, form.line(32), model, *shown, actions);
  form.divider(box.x, box.w);
  draw_measures(form, model, *shown);
  if (const std::string words = words_about(model, *shown); !words.empty()) {
    form.divider(box.x, box.w);
    form.words(t.text, words, Type::label);
  }
  if (!shown->run) {  // where the weights come from
    form.divider(box.x, box.w);
    form.words(t.text_muted, model.step()->info.note, Type::label);
  }
  return form.y + ui.px(16) - box.y;
}

}  // namespace headlight::app
