// A map a layer: the mean of its heads, or how much of each input has reached each place after it.
#include <algorithm>
#include <cmath>

#include "app/panels/layers/parts.h"

namespace headlight::app {

namespace {

struct Layout {
  Rect box;
  Index columns = 1;
  float pitch_x = 0, pitch_y = 0;
};

// As large as they can be in so much room.
Layout lay_out(const Ui& ui, Rect box, Index count) {
  Layout best{box, 1, 0, 0};
  float largest = 0;
  for (Index columns = 1; columns <= count; ++columns) {
    const auto rows = static_cast<float>((count + columns - 1) / columns);
    const float x = box.w / static_cast<float>(columns), y = box.h / rows;
    const float side = std::min(x - ui.px(12), y - ui.px(30));
    if (side <= largest) continue;
    largest = side;
    best = {box, columns, std::min(x, side + ui.px(12)), side + ui.px(30)};
  }
  return best;
}

}  // namespace

void draw_layer_maps(Ui& ui, Rect box, const LayersShown& shown, Actions& actions) {
  const Theme& t = ui.theme();
  const NetworkLook& look = shown.look;
  const PartRun& part = *shown.part;
  const bool mean = look.view == LayersView::average;
  const auto& maps = mean ? part.means : part.rollout;
  if (!maps) {
    ui.text_in(Type::body, {box.x, box.middle().y - ui.px(12), box.w, ui.px(24)}, t.text_muted,
               part.mean_maps.empty() ? "There are too many tokens for this view: it is made for up to 512."
               : shown.run
                   ? "Rollout is of the encoder alone: a decoder reads two texts, and one map has no room for both."
                   : "Rollout follows tokens from layer to layer: it needs as many queries as keys.",
               Ui::Align::center);
    return;
  }
  const Rect bottom = box.take_bottom(ui.px(44));
  const Index layers = part.layers();
  const Layout layout = lay_out(ui, box, layers);
  Block block;
  for (Index l = 0; l < layers; ++l) {
    const float x = std::round(box.x + layout.pitch_x * static_cast<float>(l % layout.columns)),
                y = std::round(box.y + layout.pitch_y * static_cast<float>(l / layout.columns));
    const bool chosen = l == look.layer;
    const Rect map{x, y + ui.px(20), layout.pitch_x - ui.px(12), layout.pitch_y - ui.px(30)};
    const std::string path = fmt::format("layers/of/{}", l);
    const auto hit = ui.hit(path, map, false, "", chosen ? "selected" : "");
    const Rect name{x, y, ui.px(66), ui.px(18)};
    if (chosen) ui.fill({name.x - ui.px(6), name.y, name.w, name.h}, t.brand_soft, ui.px(4));
    ui.text_in(chosen ? Type::heading : Type::note, name, chosen ? t.text : t.text_muted, fmt::format("Layer {}", l));
    const MapData data =
        map_of_part(ui, shown, fmt::format("{}/{}/{}", name_of(part.part), mean ? "mean" : "rollout", l), maps, l);
    draw_map(ui, data, map, MapSize::small);
    block = block_drawn(data, map);
    ui.frame(map, hit.hovered ? t.text_muted : t.line_strong, 0, 1);
    if (chosen) ui.frame(map.inset(-ui.px(2)), t.brand, ui.px(3), ui.px(2));
    if (hit.clicked) actions.push_back(ChooseHead{l, look.head});
    if (hit.hovered && ui.double_clicked(map)) actions.push_back(OpenLayer{l});
  }
  const auto rows = static_cast<float>((layers + layout.columns - 1) / layout.columns);
  const float low = std::min(bottom.y + ui.px(6), box.y + layout.pitch_y * rows + ui.px(6));
  draw_layers_scale(ui, {bottom.x, low, bottom.w, bottom.h}, shown,
                    mean ? fmt::format("mean weight of {} heads", shown.heads) : "rollout", "one scale for all layers",
                    block, actions);
}

}  // namespace headlight::app
