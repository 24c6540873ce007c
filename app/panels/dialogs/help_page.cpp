// A page of the help: a chapter of the guide, or a word of the glossary.
#include <algorithm>

#include "app/panels/dialogs/parts.h"
#include "app/reading/glossary.h"
#include "app/reading/guide.h"

namespace headlight::app {

namespace {

struct BlockLook {
  Type type = Type::body;
  float above = 0, indent = 0;  // px of the design
};

BlockLook look_of_block(GuideBlock::Kind kind) {
  switch (kind) {
    case GuideBlock::Kind::title:
    case GuideBlock::Kind::heading:
      return {Type::body_strong, 18, 0};
    case GuideBlock::Kind::text:
      return {Type::body, 8, 0};
    case GuideBlock::Kind::item:
      return {Type::body, 6, 18};
    case GuideBlock::Kind::code:
      return {Type::number_note, 2, 12};
    case GuideBlock::Kind::row:
      return {Type::label, 5, 12};
  }
  return {};
}

// Those out of sight are measured alone. Returns the height with what is above it.
float draw_block(Ui& ui, Point at, float width, const GuideBlock& block, Rect sight) {
  const BlockLook look = look_of_block(block.kind);
  const float above = ui.px(look.above), indent = ui.px(look.indent);
  const Point place{at.x + indent, at.y + above};
  const float height = paragraph(ui, place, width - indent, ui.theme().text, block.text, false, look.type);
  if (place.y > sight.bottom() || place.y + height < sight.y) return above + height;
  paragraph(ui, place, width - indent, ui.theme().text, block.text, true, look.type);
  if (block.kind == GuideBlock::Kind::item)
    ui.fill({at.x + ui.px(5), place.y + ui.px(8), ui.px(4), ui.px(4)}, ui.theme().text_muted, ui.px(2));
  return above + height;
}

void draw_chapter(Ui& ui, Rect box, const GuideChapter& chapter, std::string_view heading, bool begins) {
  scroll_area(ui, "help/page", box, [&](Rect area) {
    float y = area.y;
    for (const GuideBlock& block : chapter.blocks) {
      if (block.kind == GuideBlock::Kind::title) continue;
      if (begins && block.kind == GuideBlock::Kind::heading && block.text == heading) {
        ui.memory().scroll["help/page"] = y - area.y;
        ui.redraw_at(ui.now());
      }
      y += draw_block(ui, {area.x, y}, area.w - ui.px(16), block, box);
    }
    return y + ui.px(24) - area.y;
  });
}

}  // namespace

void draw_help_page(Ui& ui, Rect window, const Model& model, PanelMemory& memory, Actions& actions) {
  const std::string_view topic = model.topic;
  const bool begins = std::exchange(memory.get<DialogsMemory>().topic, model.topic) != model.topic;
  if (begins) ui.memory().scroll["help/page"] = 0;
  const std::string_view name = topic.substr(std::min(topic.size(), topic.find('/') + 1));
  const auto hash = std::min(name.size(), name.find('#'));
  const GuideChapter* chapter = topic.starts_with("guide/") ? chapter_named(name.substr(0, hash)) : nullptr;
  const GlossaryEntry* entry = chapter ? nullptr : term_named(name);
  if (!chapter && !entry) return;
  Rect inside = draw_dialog_card(ui, window, 720, chapter ? 720 : 240, chapter ? chapter->title : entry->term, actions);
  ui.log("help/page", inside, model.topic);
  Rect foot = inside.take_bottom(ui.px(40));
  if (button(ui, "help/all", foot.take_bottom(ui.px(32)).take_left(ui.px(110)), "All help", ButtonLook::secondary,
             Icon::chevron_left))
    actions.push_back(ShowHelp{});
  if (chapter)
    draw_chapter(ui, inside, *chapter, name.substr(std::min(name.size(), hash + 1)), begins);
  else
    paragraph(ui, {inside.x, inside.y + ui.px(8)}, inside.w, ui.theme().text, entry->text);
}

}  // namespace headlight::app
