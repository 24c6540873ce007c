// The heads of all layers shown together: what they are drawn from, and the view of a result that has several layers.
#include <fmt/ranges.h>

#include <cmath>

#include "app/model/relevance.h"
#include "app/panels/common/map_parts.h"
#include "app/panels/layers/parts.h"
#include "app/panels/views/parts.h"
#include "app/reading/printed.h"
#include "app/reading/step_words.h"

namespace headlight::app {

Measure marking_measure(const NetworkLook& look) {
  return look.measure.value_or(Measure::induction);
}

namespace {

// Where queries and keys lie on one picture.
std::optional<PlacedGrid> picture_of(const Step& map) {
  const auto placed = [](const Axis* axis) {
    if (axis->placed || !axis->grid) return axis->placed;
    return std::optional(PlacedGrid{*axis->grid, 0});
  };
  const auto queries = placed(map.axis(AxisRole::query)), keys = placed(map.axis(AxisRole::key));
  if (!queries || !keys || keys->grid.frames > 1 || map.extent(AxisRole::query) != map.extent(AxisRole::key))
    return std::nullopt;
  return keys;
}

std::optional<PlacedGrid> picture_of(const NetworkRun& run, const PartRun& part) {
  const auto& pixels = run.input.of(part.part).pixels;
  if (!pixels || part.staged) return std::nullopt;
  const PatchGrid patches = patches_of(run.plan().of(part.part), *pixels);
  return PlacedGrid{{1, patches.rows, patches.columns}, patches.before};
}

// The range of the query's row on the picture only: the diagonal would outshine it.
Extent extent_of_rollout_row(const LayersShown& shown) {
  const PartRun& part = *shown.part;
  Extent all;
  for (Index l = 0; part.rollout && l < part.layers(); ++l) {
    const Index first = (l * part.queries() + shown.query()) * part.keys() + shown.picture->offset;
    all = united(all, extent_of(part.rollout->values().subspan(
                          static_cast<std::size_t>(first),
                          static_cast<std::size_t>(shown.picture->grid.rows * shown.picture->grid.columns))));
  }
  return all;
}

// Between which numbers the view's maps lie.
Extent extent_of_view(const LayersShown& shown) {
  const PartRun& part = *shown.part;
  switch (shown.look.view) {
    case LayersView::rollout_row:
      return extent_of_rollout_row(shown);
    case LayersView::rollout:
      return part.rollout_extent;
    case LayersView::relevance:
      return shown.relevance ? shown.relevance->extent : Extent{};
    case LayersView::average:
      return part.means_extent;
    default:
      return part.extent();
  }
}

std::optional<LayersShown> heads_shown(const Model& model) {
  LayersShown shown;
  shown.look = look_of_layers(model);
  if (model.shows_network()) {
    if (!model.net.run) return std::nullopt;
    shown.run = model.net.run.get();
    shown.part = &shown.run->of(shown.look.part);
    shown.heads = shown.run->plan().of(shown.part->part).heads;
    shown.stamp = shown.run->stamp;
    shown.picture = picture_of(*shown.run, *shown.part);
    shown.off = model.document.network->asked.ablate;
    const RelevanceMaps& made = model.net.relevance;
    if (shown.look.view == LayersView::relevance &&
        made.same_logit(relevance_asked(*shown.run, std::clamp<Index>(shown.query(), 0, shown.part->queries() - 1))))
      shown.relevance = &made;
    return shown;
  }
  if (!model.shows_layers() || !model.layers.made || model.layers.of_ticket != model.shown.ticket) return std::nullopt;
  const Step& map = *maps_of_layers(*model.trace()).front();
  shown.kept = model.layers.made;
  shown.part = shown.kept.get();
  shown.heads = map.extent(AxisRole::head);
  shown.stamp = model.layers.of_ticket;
  shown.picture = picture_of(map);
  // Until somebody chooses one, heads are marked by the first measure that says something of these maps.
  const auto missing = [&](HeadOrder by) { return shown.part->measures_of(0)[*by].missing != Missing::nothing; };
  if (shown.look.measure == LayersLook{}.measure && missing(shown.look.measure))
    shown.look.measure = missing(Measure::previous) ? Measure::confidence : Measure::previous;
  return shown;
}

}  // namespace

std::optional<PlacedGrid> LayersShown::grid_of(Index layer) const {
  if (!part->staged) return picture;
  const Index side = std::lround(std::sqrt(static_cast<double>(part->keys_of(layer))));
  return PlacedGrid{{1, side, side}, 0};
}

std::optional<LayersShown> layers_shown(const Model& model) {
  auto shown = heads_shown(model);
  if (!shown) return shown;
  const PartRun& part = *shown->part;
  if (shown->look.view == LayersView::rollout_row && !shown->picture) shown->look.view = LayersView::rollout;
  shown->range = shown_range({part.kind, std::max<Index>(1, part.keys())}, extent_of_view(*shown),
                             {shown->look.scaling.space, false});
  return shown;
}

InputPicture photograph_of(const Model& model, const LayersShown& shown) {
  if (!shown.run) return base_picture(model, 0, maps_of_layers(*model.trace()).front()->axis(AxisRole::key));
  const auto& problem = model.net.figured.problem;
  if (!problem || problem->pictures.empty()) return {};
  const Pictures& pictures = *problem->pictures.begin()->second;
  const auto item = std::min(static_cast<std::size_t>(shown.part->item), pictures.cells.size() - 1);
  const Image& cells = pictures.cells[item];
  return {&cells, pictures.fine.empty() ? &cells : &pictures.fine[item], {0, pictures.fingerprint, item}, nullptr};
}

void draw_layers_scale(Ui& ui, Rect box, const LayersShown& shown, const std::string& words, const std::string& more,
                       Block block, Actions& actions) {
  if (!shown.range.is_signed()) {
    std::vector<ScalingChoice> list(scaling_choices().begin(), scaling_choices().end());
    std::erase_if(list, [](const ScalingChoice& choice) { return choice.scaling.per_head; });
    const Rect place = box.take_right(std::min(ui.px(160), box.w * 0.4F));
    box.take_right(ui.px(16));
    const int chosen = drop_down_of(
        ui, "layers/scaling", {place.x, place.y - ui.px(2), place.w, ui.px(28)}, list, &ScalingChoice::title,
        [&](const ScalingChoice& choice) { return choice.scaling.space == shown.look.scaling.space; }, 0);
    if (chosen >= 0)
      actions.push_back(
          SetScaling{{list[static_cast<std::size_t>(chosen)].scaling.space, shown.look.scaling.per_head}});
  }
  const char* spacing = shown.range.spacing == Spacing::logarithmic ? "log" : "linear";
  const ColorBarData bar{.key = "layers/bar",
                         .range = shown.range,
                         .colormap = default_colormap(shown.range.is_signed(), ui.theme().dark),
                         .words = fmt::format("{}, {}, {}", words, spacing, more),
                         .pooled = pooling_text(block, shown.range.is_signed() ? Pooling::magnitude : Pooling::maximum),
                         .masked = shown.part->is_causal() && shown.part->keys() > 1};
  ui.log("layers/bar", box, bar.words);
  ui.log("layers/bar/pooled", box, bar.pooled);
  color_bar(ui, box, bar);
}

Block block_drawn(const MapData& map, Rect place) {
  return block_for_pixels(map.cells.rows, map.cells.columns, static_cast<Index>(place.w), static_cast<Index>(place.h));
}

MapData map_of_head(const Ui& ui, const LayersShown& shown, ModelHead head) {
  const auto layer = static_cast<std::size_t>(head.layer);
  return map_of_head(ui, shown, head, shown.part->maps[layer] ? shown.part->maps[layer] : shown.part->small[layer]);
}

MapData map_of_head(const Ui& ui, const LayersShown& shown, ModelHead head,
                    const std::shared_ptr<const Tensor>& owner) {
  return map_of_part(ui, shown, fmt::format("{}/{}/{}", name_of(head.part), head.layer, head.head), owner,
                     shown.part->item * shown.part->heads_of(head.layer) + head.head);
}

MapData map_of_part(const Ui& ui, const LayersShown& shown, const std::string& name,
                    const std::shared_ptr<const Tensor>& owner, Index place) {
  const Index n = owner->dim(-2), keys = owner->dim(-1), first = place * n * keys;
  const std::string key = fmt::format("{}/{}/{}", shown.run ? "layers" : "result", name, shown.part->item);
  return {key,
          {shown.stamp, key, first, n, keys, keys, 1},
          {owner->data() + first, n, keys, keys, 1},
          owner,
          shown.range,
          default_colormap(shown.range.is_signed(), ui.theme().dark)};
}

std::string name_of_layer(const LayersShown& shown, Index layer) {
  if (!shown.run || !shown.run->plan().names_parts()) return fmt::format("Layer {}", layer);
  return fmt::format("{} layer {}", capitalized(std::string(name_of(shown.part->part))), layer);
}

std::string share_text(double value) {
  return number_text(value, value > 0 && value < 0.0005 ? 3 : 4);
}

std::string short_name(ModelHead head) {
  return fmt::format("L{} H{}", head.layer, head.head);
}

namespace {

std::string asking_in_words(Ui& ui, const LayersShown& shown) {
  const std::string& word = shown.part->query_words[static_cast<std::size_t>(shown.query())];
  return (word == fmt::format("{}", shown.query()) ? "position " : "") + ui.fonts().display_text(word);
}

}  // namespace

float width_of_layers_views(const Ui& ui, const NetworkRun* run) {
  return ui.px(run && why_no_relevance(*run).empty() ? 486 : 400);
}

void draw_layers_views(Ui& ui, Rect place, const NetworkLook& look, const PartRun* part, const NetworkRun* run,
                       Actions& actions) {
  std::vector<std::pair<LayersView, const char*>> views{
      {LayersView::maps, "Maps"}, {LayersView::token, "One token"}, {LayersView::rollout, "Rollout"}};
  if (run && why_no_relevance(*run).empty()) views.emplace_back(LayersView::relevance, "Relevance");
  views.insert(views.end(), {{LayersView::average, "Average"}, {LayersView::measure, "Measure"}});
  std::vector<Segment> list;
  for (const auto& [view, name] : views) {
    const bool mixes = view == LayersView::rollout || view == LayersView::average;
    list.push_back({name, name, mixes && part && part->staged ? several_sizes : ""});
  }
  const LayersView now = look.view == LayersView::rollout_row ? LayersView::rollout : look.view;
  const auto at = std::ranges::find(views, now, &std::pair<LayersView, const char*>::first);
  const int chosen = segments(ui, "layers/view", place, list, static_cast<int>(at - views.begin()));
  if (chosen >= 0) actions.push_back(ViewLayers{views[static_cast<std::size_t>(chosen)].first});
}

namespace {

std::string view_caption(Ui& ui, const LayersShown& shown) {
  const LayersView view = shown.look.view;
  if (view == LayersView::rollout_row)
    return fmt::format("what of the picture reaches {} (Abnar and Zuidema 2020)", asking_in_words(ui, shown));
  if (view == LayersView::token && shown.picture) {
    std::vector<std::string> beside;
    for (Index i = 0; i < shown.part->queries(); ++i) {
      const std::string& word = shown.part->query_words[static_cast<std::size_t>(i)];
      if (!shown.picture->holds(i)) beside.push_back(word == fmt::format("{}", i) ? "position " + word : word);
    }
    std::string without;
    if (beside.size() > 3)
      without = fmt::format(", without the {} tokens beside it", beside.size());
    else if (!beside.empty())
      without = fmt::format(", without {}", fmt::join(beside, " and "));
    return fmt::format("where {} looks, on the picture{}", asking_in_words(ui, shown), without);
  }
  if (view == LayersView::token) {
    const std::string number = fmt::format("{}", shown.query());
    const auto& words = shown.part->query_words_of(shown.look.layer);
    const std::string word = ui.fonts().display_text(words[static_cast<std::size_t>(shown.query())]);
    return fmt::format("the row of query {}{} in every head", number, word == number ? "" : fmt::format(" “{}”", word));
  }
  if (view == LayersView::relevance)
    return fmt::format("what counted for “{}” {} {} (Chefer et al. 2021)",
                       ui.fonts().display_text(shown.run->token(relevance_asked(*shown.run, shown.query()).token)),
                       after_or_in_place_of(shown.run->predicts_next()), asking_in_words(ui, shown));
  if (view == LayersView::measure)
    return fmt::format("each head by its {}", name_in_model(marking_measure(shown.look)));
  if (view == LayersView::maps) return shown.run ? "weights after softmax" : "weights as they were saved";
  return view == LayersView::rollout ? "what reaches each place (Abnar and Zuidema 2020)" : "mean over the heads";
}

}  // namespace

void draw_view_caption(Ui& ui, Rect place, const LayersShown& shown) {
  const std::string words = view_caption(ui, shown);
  const bool fits = ui.width_of(Type::label, words) <= place.w;
  const std::string said = fits ? words : words.substr(0, std::min(words.find(", without"), words.find(" (")));
  if (place.w < ui.width_of(Type::label, said) / 2) return;  // a letter of it would say nothing
  ui.hit("layers/view/words", place, false, words);
  if (!fits) ui.tooltip("layers/view/words", place, words);
  ui.text_in(Type::label, place, ui.theme().text_muted, ui.fitted(Type::label, said, place.w));
}

void draw_layers(Ui& ui, Rect box, const Model& model, const LayersShown& shown, PanelMemory& memory,
                 Actions& actions) {
  if (box.w > ui.px(640)) {
    const Rect column = box.take_right(ui.px(208));
    box.take_right(ui.px(24));
    scroll_area(ui, "layers/marks", column, [&](Rect area) {
      draw_marks_column(ui, area, model, shown, actions);
      return column.h;
    });
  }
  box.take_bottom(ui.px(8));
  const LayersView view = shown.look.view;
  if (view == LayersView::rollout || view == LayersView::rollout_row || view == LayersView::average ||
      view == LayersView::relevance)
    draw_layer_maps(ui, box, model, shown, memory, actions);
  else
    draw_head_grid(ui, box, model, shown, memory, actions);
}

void draw_layers_view(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  const auto shown = layers_shown(model);
  const Index layers = model.layers_of_result(), heads = std::max<Index>(1, model.extent(AxisRole::head));
  draw_view_header(ui, box.take_top(ui.px(48)), model,
                   fmt::format("{} layers × {} head{}", layers, heads, heads == 1 ? "" : "s"), "", actions);
  if (!shown) return draw_centered_note(ui, box, "Measuring every head …");
  Rect line = box.take_top(ui.px(40)).inset(0, ui.px(4));
  draw_layers_views(ui, line.take_left(std::min(width_of_layers_views(ui, shown->run), line.w)), shown->look,
                    shown->part, shown->run, actions);
  line.take_left(ui.px(16));
  draw_view_caption(ui, line, *shown);
  box.take_top(ui.px(8));
  draw_layers(ui, box, model, *shown, memory, actions);
}

}  // namespace headlight::app
