#include "app/widgets/formula_view.h"

#include <imgui.h>

#include <cmath>

#include "app/formula/formula.h"
#include "app/formula/formula_draw.h"
#include "app/render/map_painter.h"
#include "app/widgets/controls.h"

namespace headlight::app {

// A formula as it is set, at any size and in any colours.
struct FormulaSetting {
  Result<Formula> formula;
};

// A formula as it was drawn, kept until it, its size or its colours change.
struct FormulaPicture {
  std::string latex;
  float em = 0;
  std::vector<Color32> colors;  // by region
  std::uint64_t stamp = 0;
  FormulaImage image;
  std::vector<std::uint8_t> pixels;
};

namespace {

constexpr std::size_t most_settings = 256;  // far more than a trace has

const Result<Formula>& setting_of(Ui& ui, const std::string& latex) {
  auto& kept = ui.memory().formulas_set;
  const auto found = kept.find(latex);
  if (found != kept.end()) return found->second->formula;
  if (kept.size() >= most_settings) kept.clear();
  auto& made = kept[latex];
  made = std::make_shared<FormulaSetting>(FormulaSetting{typeset(latex, ui.fonts().math())});
  return made->formula;
}

Ink ink_of(Color32 color) {
  const auto channel = [&](int shift) { return static_cast<double>((color >> shift) & 0xFFU) / 255; };
  return {channel(0), channel(8), channel(16), 1};
}

Color32 color_of(const Ui& ui, const Formula& formula, std::size_t region, const RoleOfRegion& role) {
  for (; region != 0; region = formula.regions[region].parent) {
    const Role found = role(formula.regions[region].id);
    if (found != Role::none) return role_colors(ui.theme(), found).main;
  }
  return ui.theme().text;
}

std::shared_ptr<const FormulaPicture> picture_of(Ui& ui, const std::string& path, const Formula& formula,
                                                 const std::string& latex, float em, const RoleOfRegion& role) {
  std::vector<Color32> colors;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, formula.regions.size()); ++i)
    colors.push_back(color_of(ui, formula, i, role));
  auto& kept = ui.memory().formulas[path];
  if (kept && kept->latex == latex && kept->em == em && kept->colors == colors) return kept;
  auto image = rasterise(formula, em);
  if (!image) return nullptr;
  auto picture = std::make_shared<FormulaPicture>();
  picture->latex = latex;
  picture->em = em;
  picture->image = std::move(*image);
  picture->pixels = tinted(picture->image, [&](std::size_t region) { return ink_of(colors[region]); });
  picture->stamp = ui.painter().stamp();
  picture->colors = std::move(colors);
  kept = std::move(picture);
  return kept;
}

}  // namespace

FormulaSize formula_size(Ui& ui, const std::string& latex, float em, float width) {
  const auto& formula = setting_of(ui, latex);
  if (!formula) return {ui.px(em), width, paragraph(ui, {}, width, ui.theme().text, formula.error().message, false)};
  const auto natural = static_cast<float>(formula->width);
  const float used = std::max(8.0F, std::floor(std::min(em * ui.scale(), width / natural)));
  return {used, used * natural, used * static_cast<float>(formula->height + formula->depth),
          used * static_cast<float>(formula->height)};
}

std::string formula_view(Ui& ui, const std::string& path, Rect box, const std::string& latex, float em,
                         const RoleOfRegion& role, const std::string& lit) {
  ui.log(path, box, latex);
  if (latex.empty()) return {};
  const auto& formula = setting_of(ui, latex);
  if (!formula) {
    paragraph(ui, {box.x, box.y}, box.w, ui.theme().text, formula.error().message);
    return {};
  }
  const FormulaSize size = formula_size(ui, latex, em, box.w);
  const auto picture = picture_of(ui, path, *formula, latex, size.em, role);
  if (!picture) return {};
  const FormulaImage* image = &picture->image;
  const auto texture = ui.painter().picture("formula/" + path, picture->stamp, image->width, image->height,
                                            reinterpret_cast<const std::uint32_t*>(picture->pixels.data()));
  const float x = std::round(box.x + (box.w - static_cast<float>(image->width)) / 2);
  const float y = std::round(box.y + (box.h - static_cast<float>(image->height)) / 2);
  const auto region_box = [&](const FormulaRegion& r) {
    const float left = x + static_cast<float>(image->left), top = y + static_cast<float>(image->top);
    return Rect{left + static_cast<float>(r.box.left) * size.em, top + static_cast<float>(r.box.top) * size.em,
                static_cast<float>(r.box.width()) * size.em, static_cast<float>(r.box.height()) * size.em};
  };
  const OutlinePoint at = image->formula_at_image(ui.mouse().x - x, ui.mouse().y - y);
  const std::size_t under = ui.mouse_in(box) ? formula->region_at(at, 0.1) : 0;
  for (std::size_t i = 1; i < formula->regions.size(); ++i) {
    const FormulaRegion& region = formula->regions[i];
    ui.log(fmt::format("{}/{}", path, i), region_box(region), region.id);
    if (i == under || (!lit.empty() && region.id == lit))
      ui.fill(region_box(region).inset(-ui.px(3)), role_colors(ui.theme(), role(region.id)).soft, ui.px(4));
  }
  if (texture)
    ui.list().AddImage((ImTextureID)(texture), {x, y},
                       {x + static_cast<float>(image->width), y + static_cast<float>(image->height)});
  return under == 0 ? "" : formula->regions[under].id;
}

}  // namespace headlight::app
