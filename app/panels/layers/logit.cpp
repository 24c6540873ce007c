// The sum behind a logit: what is read, channel by channel, times the token's own weights.
#include <algorithm>
#include <cmath>

#include "app/panels/layers/parts.h"

namespace headlight::app {

namespace {

struct Product {
  Index channel = 0;
  double read = 0, weight = 0;
  double value() const { return read * weight; }
};

std::vector<Product> products_of(const LogitTerms& terms, Index row, Index number) {
  const Index d = terms.x.dim(-1);
  std::vector<Product> list(static_cast<std::size_t>(d));
  for (Index c = 0; c < d; ++c)
    list[static_cast<std::size_t>(c)] = {c, terms.x[row * d + c], (*terms.weight)[number * d + c]};
  return list;
}

// The row of x of a place.
Index row_of(const LogitTerms& terms, Index place) {
  const Index rows = terms.x.size() / terms.x.dim(0) / terms.x.dim(-1);
  return std::clamp<Index>(rows > 1 ? place : 0, 0, rows - 1);
}

void draw_product(Ui& ui, Rect cell, const std::string& name, const std::string& factors, double value, double most) {
  const Theme& t = ui.theme();
  const Rect bar{cell.x, cell.bottom() - ui.px(4), cell.w, ui.px(3)};
  ui.fill(bar, t.sunken);
  const auto part = static_cast<float>(most > 0 ? std::clamp(std::abs(value) / most, 0.0, 1.0) : 0.0);
  ui.fill({bar.x, bar.y, bar.w * part, bar.h}, value < 0 ? t.bar_negative : t.weight.main);
  cell.take_bottom(ui.px(5));
  ui.text_in(Type::number_note, cell.take_right(ui.px(54)), t.text, fmt::format("{:.4f}", value), Ui::Align::right);
  ui.text_in(Type::note, cell.take_left(ui.px(58)), t.text_muted, name);
  ui.text_in(Type::number_note, cell, t.text_muted, ui.fitted(Type::number_note, factors, cell.w), Ui::Align::right);
}

}  // namespace

void draw_logit_sum(Ui& ui, Rect box, const Model& model, Index place, const Likely& token, NetworkEndMemory& memory,
                    Actions& actions) {
  const Theme& t = ui.theme();
  const NetworkRun& run = *model.net.run;
  if (!run.terms) return;
  const LogitTerms& terms = *run.terms;
  std::vector<Product> list = products_of(terms, row_of(terms, place), token.number);
  double sum = 0;
  for (const Product& one : list) sum += one.value();
  const double bias = terms.bias ? (*terms.bias)[token.number] : 0;
  const auto tokens = static_cast<std::size_t>(terms.tokens), width = list.size() / tokens;
  const std::string of_tokens =
      tokens > 1 ? fmt::format(" of each of {} tokens, weights divided by {},", tokens, tokens) : "";
  const std::string words =
      fmt::format("Its logit is the sum over {} channels{} of what is read × its own weight{}: {:.4f}", width,
                  of_tokens, terms.bias ? fmt::format(", and its bias {:.4f}", bias) : "", sum + bias);
  const Rect line = box.take_top(ui.px(20));
  ui.text_in(Type::note, line, t.text_muted, ui.fitted(Type::note, words, line.w));
  ui.log("layers/end/logit", line, words);
  const auto across = static_cast<std::size_t>(std::max(1.0F, std::floor(box.w / ui.px(262))));
  const auto down = static_cast<std::size_t>(std::max(0.0F, std::floor(box.h / ui.px(24))));
  if (down == 0) return;
  std::ranges::stable_sort(list, std::greater<>(), [](const Product& one) { return std::abs(one.value()); });
  const bool all = list.size() <= across * down;
  const std::size_t shown = all ? list.size() : across * down - 1;
  double rest = sum;
  for (std::size_t i = 0; i < shown; ++i) rest -= list[i].value();
  const double most = std::max(std::abs(list.front().value()), all ? 0.0 : std::abs(rest));
  const float w = box.w / static_cast<float>(across);
  const auto cell = [&](std::size_t i) {
    return Rect{box.x + w * static_cast<float>(i % across), box.y + ui.px(24) * static_cast<float>(i / across),
                w - ui.px(14), ui.px(23)};
  };
  // Of several tokens the first is 0, as places are.
  const auto name = [&](Index channel) {
    const auto d = static_cast<Index>(width);
    return tokens > 1 ? fmt::format("{} ch. {}", channel / d, channel % d) : fmt::format("ch. {}", channel);
  };
  // What is read is the stop before, but where a transform stands between.
  const bool is_stop = run.plan().transform.dense.empty() && !run.plan().pixels;
  for (std::size_t i = 0; i < shown; ++i) {
    const Product& one = list[i];
    const std::string path = fmt::format("layers/end/product/{}", i);
    const auto hit = ui.hit(path, cell(i), is_stop, fmt::format("{}", one.channel));
    if (hit.hovered && is_stop) ui.fill(cell(i).inset(ui.px(-3), 0), t.sunken, ui.px(4));
    draw_product(ui, cell(i), name(one.channel), fmt::format("{:.4f} × {:.4f} =", one.read, one.weight), one.value(),
                 most);
    if (!is_stop) continue;
    ui.tooltip(path, cell(i), fmt::format("Where channel {} of what is read comes from", one.channel));
    if (!hit.clicked) continue;
    memory.channel = one.channel;
    actions.push_back(ChoosePair{{place, model.document.network->look.key}});
    actions.push_back(GoStage{static_cast<int>(model.document.network->look.depth) - 1});
  }
  if (!all) draw_product(ui, cell(shown), fmt::format("{} more", list.size() - shown), "", rest, most);
}

}  // namespace headlight::app
