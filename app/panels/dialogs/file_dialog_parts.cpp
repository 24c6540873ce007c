#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/model/browse.h"
#include "app/panels/dialogs/dialogs.h"
#include "app/panels/dialogs/parts.h"
#include "app/session/thumbnails.h"
#include "engine/core/system/paths.h"
#include "engine/core/words.h"

namespace headlight::app {

void draw_thumbnail(Ui& ui, Rect place, const std::filesystem::path& of, const Model& model) {
  if (!model.thumbnails) return;
  const auto& pictures = ui.theme().dark ? model.thumbnails->dark : model.thumbnails->light;
  const auto found = pictures.find(of);
  if (found == pictures.end()) return;
  const Image& picture = found->second;
  const auto width = static_cast<float>(picture.width), height = static_cast<float>(picture.height);
  const float side = std::min(place.h, place.w), by = side / std::max(width, height);
  const Rect box{std::round(place.x + (side - width * by) / 2), std::round(place.middle().y - height * by / 2),
                 std::max(1.0F, std::round(width * by)), std::max(1.0F, std::round(height * by))};
  const std::string path = "dialog/thumbnail/" + utf8(of.filename());
  const auto revision = static_cast<std::uint64_t>(
      std::hash<std::string_view>()({reinterpret_cast<const char*>(picture.rgba.data()), picture.rgba.size()}));
  const auto texture =
      ui.painter().picture(utf8(of), revision, static_cast<int>(picture.width), static_cast<int>(picture.height),
                           reinterpret_cast<const std::uint32_t*>(picture.rgba.data()));
  if (texture) ui.list().AddImage((ImTextureID)(texture), {box.x, box.y}, {box.right(), box.bottom()});
  ui.frame(box, ui.theme().line);
  ui.log(path, box, fmt::format("{}×{}", picture.width, picture.height));
}

void draw_to_embed(Ui& ui, Rect& inside, const Model& model) {
  if (model.dialog != Dialog::save_with_inputs) return;
  const InputsToEmbed* inputs = model.to_embed.get();
  std::string words = "Looking at what it reads …";
  if (inputs && !inputs->error.empty()) {
    words = inputs->error;
  } else if (inputs && inputs->files.empty()) {
    words = "It reads no files: it is one file already.";
  } else if (inputs) {
    std::vector<std::string> names;
    for (const ToEmbed& file : inputs->files)
      names.push_back(fmt::format("{} ({})", file.name, size_in_words(file.bytes)));
    words = fmt::format("The file holds {} and opens anywhere: that is {} of it.", brief_list(names),
                        size_in_words(embedded_size(inputs->files)));
  }
  const Color32 color = inputs && !inputs->error.empty() ? ui.theme().error : ui.theme().text_muted;
  const float height = paragraph(ui, {}, inside.w, color, words, false, Type::note);
  const Rect place = inside.take_top(height + ui.px(8));
  ui.log("dialog/inputs", place, words);
  paragraph(ui, {place.x, place.y}, place.w, color, words, true, Type::note);
}

void draw_recent_files(Ui& ui, Rect room, const Model& model, Actions& actions) {
  const float width = ui.px(150), gap = ui.px(14), height = ui.px(124);
  if (room.h < height + ui.px(34) || model.recent.empty()) return;
  const auto fit = static_cast<std::size_t>(std::max(0.0F, (room.w + gap) / (width + gap)));
  const std::size_t count = std::min({fit, model.recent.size(), std::size_t{4}});
  ui.text_in(Type::note, room.take_top(ui.px(26)), ui.theme().text_muted, "or go on with", Ui::Align::center);
  const float all = static_cast<float>(count) * (width + gap) - gap;
  Rect line{std::round(room.middle().x - all / 2), room.y, all, height};
  for (std::size_t i = 0; i < count; ++i) {
    const std::filesystem::path& file = model.recent[i];
    Rect card = line.take_left(width);
    line.take_left(gap);
    const std::string path = fmt::format("empty/recent/{}", i);
    const auto hit = ui.hit(path, card, true, utf8(file.filename()));
    ui.fill(card, hit.hovered ? ui.theme().sunken : ui.theme().panel, ui.px(8));
    ui.frame(card, ui.theme().line, ui.px(8));
    ui.tooltip(path, card, ui.fonts().display_text(utf8(file)));
    Rect inside = card.inset(ui.px(10), ui.px(10));
    const std::string name = ui.fonts().display_text(utf8(file.filename()));
    ui.text_in(Type::label, inside.take_bottom(ui.px(22)), ui.theme().text, ui.fitted(Type::label, name, inside.w),
               Ui::Align::center);
    const float side = std::min(inside.h, inside.w);
    draw_thumbnail(ui, {std::round(inside.middle().x - side / 2), inside.y, side, side}, file, model);
    if (hit.clicked) actions.push_back(Open{file});
  }
}

}  // namespace headlight::app
