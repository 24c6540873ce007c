// Below the map of an input: what its channels stand for, and the heads that it leads to.
#include <algorithm>

#include "app/panels/views/parts.h"
#include "app/reading/pixel_partners.h"
#include "app/reading/step_words.h"
#include "engine/weights/textbook.h"

namespace headlight::app {

std::vector<ChannelGroup> channel_groups(const Model& model, const Step& step) {
  const auto& asked = model.shown.experiment;
  if (!asked) return {};
  const auto input = asked->inputs.find(step.info.id);
  const auto* text = input == asked->inputs.end() ? nullptr : std::get_if<TextInput>(&input->second);
  if (!text || step.tensor().rank() == 0 || step.tensor().dim(-1) != text->d_model) return {};
  const bool by_hand = !asked->weights || (asked->weights->from.empty() && asked->weights->init == "textbook");
  return text_channel_groups(text->d_model, by_hand && tells_order(asked->params));
}

float draw_channel_groups(Ui& ui, Rect line, const std::vector<ChannelGroup>& groups, Index columns) {
  const Theme& t = ui.theme();
  const float each = line.w / static_cast<float>(columns);
  for (const ChannelGroup& group : groups) {
    const Rect place{line.x + each * static_cast<float>(group.first) + ui.px(2), line.y,
                     each * static_cast<float>(group.count) - ui.px(4), ui.px(channel_groups_height)};
    const float foot = place.y + ui.px(7);
    ui.line({place.x, foot}, {place.right(), foot}, t.text_muted);
    for (const float x : {place.x, place.right() - 1}) ui.line({x, place.y}, {x, foot}, t.text_muted);
    const auto say = [&](Type type, float below, Color32 color, const std::string& words) {
      if (ui.width_of(type, words) > place.w) return false;
      ui.text_in(type, {place.x, foot + ui.px(below), place.w, ui.px(18)}, color, words, Ui::Align::center);
      return true;
    };
    if (say(Type::label_strong, 4, t.text, group.name)) say(Type::note, 22, t.text_muted, group.about);
    ui.log("groups/" + group.name, place, group.name);
  }
  return groups.empty() ? 0 : ui.px(channel_groups_height);
}

namespace {

constexpr Index most_across = 8;
constexpr float least_map = 300;  // px of the design that stay for the input itself

std::string words_of_goal(const Trace& trace, const Step& map, Index heads) {
  const Stage* stage = trace.stage_of(map.info.id);
  const auto number = stage ? stage - trace.stages.data() + 1 : 0;
  return fmt::format("at step {}, each of {} heads looks back over the input in its own way", number, heads);
}

}  // namespace

void draw_next_heads(Ui& ui, Rect& box, const Model& model, PanelMemory& memory, Actions& actions) {
  const Trace& trace = *model.trace();
  const Step& step = *model.step();
  const Step* map = trace.map();
  if (model.stage() != 0 || has_heads(step) || !map || heads_of(*map) < 2 ||
      model.document.look.mode != ViewMode::map || model.screen != Screen::explore || is_seen_on_picture(*map) ||
      shows_change(model))
    return;
  const Index shown = std::min(heads_of(*map), most_across);
  const float pitch = std::min(box.w / static_cast<float>(most_across), ui.px(124));
  const float height = pitch + ui.px(48);
  if (box.h - height < ui.px(least_map)) return;
  Rect below = box.take_bottom(height);
  ui.line({below.x, below.y}, {below.right(), below.y}, ui.theme().line);
  below.take_top(ui.px(8));
  Rect title = below.take_top(ui.px(20));
  words_at_left(ui, Type::label_strong, title, ui.theme().text, "Where this goes", 10);
  const std::string words = words_of_goal(trace, *map, heads_of(*map));
  if (ui.width_of(Type::note, words) <= title.w) ui.text_in(Type::note, title, ui.theme().text_muted, words);
  bool small_names = false;
  for (Index place = 0; place < shown; ++place) {
    const std::string name = head_name(trace, *map, first_head_at(*map, place));
    small_names = small_names || ui.width_of(Type::label, name) > pitch - ui.px(20);
  }
  for (Index place = 0; place < shown; ++place) {
    const Index head = first_head_at(*map, place);
    ThumbnailData data;
    data.map = memory.cells.map(ui, model, *map, head);
    data.map.key = "goal/" + data.map.key;
    data.name = head_name(trace, *map, head);
    data.small_name = small_names;
    const Rect at{below.x - ui.px(10) + pitch * static_cast<float>(place), below.y, pitch, below.h};
    if (!head_thumbnail(ui, fmt::format("goal/{}", head), at, data).clicked) continue;
    actions.push_back(ShowStep{map->info.id});
    actions.push_back(SetHead{head});
  }
}

}  // namespace headlight::app
