// The stops of a stack that are no layer: what enters the first, the last norm, and what the model says at every place.
#include <cmath>

#include "app/panels/common/map_parts.h"
#include "app/panels/layers/parts.h"
#include "app/reading/printed.h"
#include "app/reading/slice.h"
#include "engine/base/words.h"

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

// The row of a place in numbers (B, …, d) of an item.
Index row_of(const Tensor& numbers, Index item, Index place) {
  const Index rows = numbers.size() / numbers.dim(0) / numbers.dim(-1);
  return item * rows + std::clamp<Index>(rows > 1 ? place : 0, 0, rows - 1);
}

std::string decimals(double value) {
  return with_minus_signs(fmt::format("{:.4f}", value));
}

void draw_product(Ui& ui, Rect cell, const std::string& name, const std::string& factors, double value, double most) {
  const Theme& t = ui.theme();
  const Rect bar{cell.x, cell.bottom() - ui.px(4), cell.w, ui.px(3)};
  ui.fill(bar, t.sunken);
  const auto part = static_cast<float>(most > 0 ? std::clamp(std::abs(value) / most, 0.0, 1.0) : 0.0);
  ui.fill({bar.x, bar.y, bar.w * part, bar.h}, value < 0 ? t.bar_negative : t.weight.main);
  cell.take_bottom(ui.px(5));
  ui.text_in(Type::number_note, cell.take_right(ui.px(54)), t.text, decimals(value), Ui::Align::right);
  ui.text_in(Type::note, cell.take_left(ui.px(58)), t.text_muted, name);
  ui.text_in(Type::number_note, cell, t.text_muted, ui.fitted(Type::number_note, factors, cell.w), Ui::Align::right);
}

// The step that a stop shows, of the stack of the part that is looked at.
struct Stop {
  const Step* step = nullptr;
  bool normed = false;  // the last norm has gone over it
  std::string title;
};

Stop stop_shown(const NetworkRun& run, const NetworkLook& look) {
  const std::string of_stack = run.plan().steps_of_stack(look.part);
  if (look.depth == 0) return {run.trace.find(of_stack + "embeddings"), false, "What enters layer 0"};
  if (const Step* normed = run.trace.find(of_stack + "final_norm")) return {normed, true, "After the last norm"};
  return {run.trace.find(of_stack + "hidden"), false, "After the last layer: this model has no norm there"};
}

// Mean of a row, and the root by which the norm divides it.
struct NormStats {
  double mean = 0, root = 1;
};

NormStats norm_stats(const float* row, Index d, bool by_root, double epsilon) {
  NormStats stats;
  double squares = 0;
  for (Index c = 0; c < d && !by_root; ++c) stats.mean += row[c];
  stats.mean /= static_cast<double>(d);
  for (Index c = 0; c < d; ++c) squares += (row[c] - stats.mean) * (row[c] - stats.mean);
  stats.root = std::sqrt(squares / static_cast<double>(d) + epsilon);
  return stats;
}

// "(0.2210 − mean of −0.0102) / deviation 0.9034 = 0.2559, × γ 1.0210 − β 0.0034 = 0.2579".
std::string norm_in_words(const NetworkRun& run, const PartRun& part, const Step& hidden, Index row, Index channel) {
  const ModelPlan& plan = run.plan().of(part.part);
  const Index d = hidden.tensor().dim(-1);
  const float* x = hidden.tensor().data() + row * d;
  const NormStats stats = norm_stats(x, d, plan.root_norms, plan.epsilon);
  const double turned = (x[channel] - stats.mean) / stats.root, gain = (*part.norm_gain)[channel];
  const double shift = part.norm_shift ? (*part.norm_shift)[channel] : 0;
  std::string shifted;
  if (part.norm_shift) shifted = fmt::format(" {} β {}", shift < 0 ? "−" : "+", decimals(std::abs(shift)));
  const std::string top = plan.root_norms
                              ? decimals(x[channel])
                              : fmt::format("({} − mean of {})", decimals(x[channel]), decimals(stats.mean));
  return fmt::format("{} / {} {} = {}, × γ {}{} = {}", top, plan.root_norms ? "root of the mean square" : "deviation",
                     decimals(stats.root), decimals(turned), decimals(gain), shifted, decimals(gain * turned + shift));
}

// The story of the chosen number, below the map.
void draw_end_story(Ui& ui, Rect box, const std::string& heading, const std::string& words) {
  ui.text_in(Type::heading, box.take_top(ui.px(20)), ui.theme().text, heading);
  paragraph(ui, {box.x, box.y + ui.px(2)}, box.w, ui.theme().text_muted, words, true, Type::note);
  ui.log("layers/end/story", box, words);
}

void draw_stream(Ui& ui, Rect box, const Model& model, NetworkEndMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  const NetworkRun& run = *model.net.run;
  const NetworkLook& look = model.document.network->look;
  const PartRun& part = shown_part(model);
  const Stop stop = stop_shown(run, look);
  const Tensor& x = stop.step->tensor();
  const Index n = x.dim(1), d = x.dim(2), first = part.item * n * d;
  memory.channel = std::clamp<Index>(memory.channel, 0, d - 1);
  Rect title = box.take_top(ui.px(26));
  ui.text_in(Type::note, title.take_right(ui.px(190)), t.text_muted, fmt::format("{} places × {} channels", n, d),
             Ui::Align::right);
  ui.text_in(Type::heading, title, t.text, stop.title);
  const Rect story = box.take_bottom(ui.px(62)), scale = box.take_bottom(ui.px(44));
  HeatmapData data;
  data.map.key = fmt::format("layers/end/{}/{}/{}", name_of(look.part), look.depth, part.item);
  data.map.numbers = {run.stamp, data.map.key, first, n, d, d, 1};
  data.map.cells = {x.data() + first, n, d, d, 1};
  data.map.owner = stop.step->values;
  data.map.range = value_range(Kind::activation, extent_of_item(*stop.step, part.item));
  data.map.colormap = default_colormap(true, t.dark);
  const Index layer = look.depth == 0 ? 0 : part.layers() - 1;  // whose places these are
  data.row_labels = shown_words(ui, part.query_words_of(layer));
  const bool of_tokens = run.input.of(look.part).tokens.has_value();
  data.row_name = of_tokens ? "token ↓" : "place ↓";
  data.column_name = "channel →";
  data.row_role = Role::query;
  data.row = look.query ? std::clamp<Index>(part.matching_query(*look.query, look.layer, layer), 0, n - 1) : n - 1;
  data.column = memory.channel;
  data.pinned = true;
  const HeatmapResult result = heatmap(ui, "layers/end", box, data);
  if (result.clicked) {
    memory.channel = result.clicked->column;
    actions.push_back(ChoosePair{{part.matching_query(result.clicked->row, layer, look.layer), look.key}});
  }
  if (result.hovered)
    ui.message(
        result.hovered_rect,
        fmt::format("{}, channel {}: {}", data.row_labels[static_cast<std::size_t>(result.hovered->row)],
                    result.hovered->column, decimals(data.map.cells.at(result.hovered->row, result.hovered->column))),
        Ui::Side::right);
  const char* shown = stop.normed ? "the stream after its norm, linear" : "the residual stream, linear";
  color_bar(ui, {scale.x, scale.y + ui.px(6), scale.w, scale.h}, map_scale(data.map, "layers/end/bar", shown));
  const Step* hidden = run.trace.find(run.plan().steps_of_stack(look.part) + "hidden");
  const std::string heading = fmt::format("{}, channel {}: {}", data.row_labels[static_cast<std::size_t>(*data.row)],
                                          *data.column, decimals(data.map.cells.at(*data.row, *data.column)));
  std::string words =
      run.plan().has_residual ? "The sum of all that the layers have added." : "What the last layer gives, by itself.";
  if (stop.normed && hidden && part.norm_gain)
    words = norm_in_words(run, part, *hidden, part.item * n + *data.row, *data.column);
  else if (look.depth == 0)
    words = of_tokens ? "The model's vector of this token, with what it adds for the place."
                      : "What the model makes of this place before its first layer.";
  draw_end_story(ui, story, heading, words);
}

// "logit 3.21: exp(3.21 − 4.02) = 0.4449, of 3.102 in all of 64: 0.143".
std::string softmax_in_words(const NetworkRun& run, Index place, const Likely& token) {
  const Tensor& logits = *run.logits;
  const Index count = logits.dim(-1);
  const float* row = logits.data() + row_of(logits, run.output_part().item, place) * count;
  const double most = *std::max_element(row, row + count);
  double sum = 0;
  for (Index j = 0; j < count; ++j) sum += std::exp(row[j] - most);
  const double own = row[token.number];
  return fmt::format("{}: logit {}, exp({} − greatest {}) = {:.4g}, of {:.4g} in all of {}: {}", token.name,
                     decimals(own), decimals(own), decimals(most), std::exp(own - most), sum, count,
                     share_text(std::exp(own - most) / sum));
}

// The sum behind the logit of a token or class at a place.
void draw_logit_sum(Ui& ui, Rect box, const Model& model, Index place, const Likely& token, NetworkEndMemory& memory,
                    Actions& actions) {
  const NetworkRun& run = *model.net.run;
  if (!run.terms) return;
  const LogitTerms& terms = *run.terms;
  std::vector<Product> list = products_of(terms, row_of(terms.x, run.output_part().item, place), token.number);
  double sum = 0;
  for (const Product& one : list) sum += one.value();
  const double bias = terms.bias ? (*terms.bias)[token.number] : 0;
  const auto tokens = static_cast<std::size_t>(terms.tokens), width = list.size() / tokens;
  const std::string of_tokens =
      tokens > 1 ? fmt::format(" of each of {} tokens, weights divided by {},", tokens, tokens) : "";
  const std::string words =
      fmt::format("Its logit is the sum over {} channels{} of what is read × its own weight{}: {}", width, of_tokens,
                  terms.bias ? ", and its bias " + decimals(bias) : "", decimals(sum + bias));
  const Rect line = box.take_top(ui.px(20));
  ui.text_in(Type::note, line, ui.theme().text_muted, ui.fitted(Type::note, words, line.w));
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
  // Tokens are counted from 0, like positions.
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
    if (hit.hovered && is_stop) ui.fill(cell(i).inset(ui.px(-3), 0), ui.theme().sunken, ui.px(4));
    draw_product(ui, cell(i), name(one.channel), fmt::format("{} × {} =", decimals(one.read), decimals(one.weight)),
                 one.value(), most);
    if (!is_stop) continue;
    ui.tooltip(path, cell(i), fmt::format("Where channel {} of what is read comes from", one.channel));
    if (!hit.clicked) continue;
    memory.channel = one.channel;
    actions.push_back(ChoosePair{{place, model.document.network->look.key}});
    actions.push_back(GoStage{static_cast<int>(model.document.network->look.depth) - 1});
  }
  if (!all) draw_product(ui, cell(shown), fmt::format("{} more", list.size() - shown), "", rest, most);
}

// The rows of the likeliest tokens or classes, one for each place.
struct LikelyRows {
  const NetworkRun& run;
  const NetworkLook& look;
  bool classes;
  Index chosen;
  float first, pitch;   // px, of the place and of each of its likeliest
  std::size_t columns;  // of the likeliest
};

// A click on one of the likeliest chooses it, a click on the place its first.
void choose_likely(Ui& ui, Rect row, const LikelyRows& rows, Index place, const std::vector<Likely>& list,
                   NetworkEndMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  const bool chosen = place == rows.chosen;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Rect own{row.x + rows.first + rows.pitch * static_cast<float>(k) + ui.px(6), row.y, rows.pitch - ui.px(12),
                   row.h};
    const auto hit = ui.hit(fmt::format("layers/end/likely/{}/{}", place, k), own, false, list[k].name,
                            chosen && k == memory.rank ? "selected" : "");
    if (!hit.clicked) continue;
    memory.rank = k;
    if (!rows.classes) actions.push_back(ChoosePair{{place, rows.look.key}});
  }
  const auto hit = ui.hit(fmt::format("layers/end/place/{}", place), {row.x, row.y, rows.first, row.h}, false, "",
                          chosen ? "selected" : "");
  if (hit.hovered) ui.fill(row, t.sunken, ui.px(4));
  if (chosen) ui.frame(row, t.query.main, ui.px(4), ui.px(1.5F));
  if (hit.clicked) memory.rank = 0;
  if (hit.clicked && !rows.classes) actions.push_back(ChoosePair{{place, rows.look.key}});
}

void draw_likely_row(Ui& ui, Rect row, const LikelyRows& rows, Index place, const std::string& word,
                     NetworkEndMemory& memory, Actions& actions) {
  const Theme& t = ui.theme();
  std::vector<Likely> list = rows.run.likely(place);
  list.resize(std::min(rows.columns, list.size()));
  choose_likely(ui, row, rows, place, list, memory, actions);
  ui.text_in(Type::label_strong, row.take_left(rows.first).inset(ui.px(8), 0), t.text,
             ui.fitted(Type::label_strong, word, rows.first - ui.px(12)));
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Rect whole = row.take_left(rows.pitch);
    Rect cell = whole.inset(ui.px(10), ui.px(3));
    if (place == rows.chosen && k == memory.rank) ui.frame(whole.inset(ui.px(6), ui.px(1)), t.ink, ui.px(4), 1);
    const std::string value = number_text(list[k].probability);
    const Rect number = cell.take_right(std::max(ui.px(44), ui.width_of(Type::number_note, value) + ui.px(2)));
    ui.fill({cell.x, cell.y, cell.w * static_cast<float>(std::clamp(list[k].probability, 0.0, 1.0)), cell.h},
            t.weight.soft, ui.px(3));
    ui.text_in(Type::number_note, number, t.text, value, Ui::Align::right);
    const std::string name = ui.fonts().display_text(list[k].name);
    ui.text_in(Type::label, cell.inset(ui.px(4), 0), t.text, ui.fitted(Type::label, name, cell.w - ui.px(8)));
  }
}

// The likeliest at every place, a row each.
void draw_logits(Ui& ui, Rect box, const Model& model, NetworkEndMemory& memory, Actions& actions) {
  const NetworkRun& run = *model.net.run;
  const NetworkLook& look = model.document.network->look;
  const bool classes = run.logits->shape().size() == 2;
  const Index n = classes ? 1 : run.output_part().queries();
  const Index chosen = std::clamp<Index>(look.query.value_or(n - 1), 0, n - 1);
  const std::vector<std::string> words =
      classes ? std::vector<std::string>{"class"} : shown_words(ui, run.output_part().query_words);
  ui.text_in(Type::heading, box.take_top(ui.px(26)), ui.theme().text,
             classes ? "What the model says of the picture" : "What the model finds likeliest at every place");
  const bool summed = run.terms && box.h > ui.px(190);
  float sum_height = box.h > ui.px(300) ? 68 : 44;
  if (box.h > ui.px(420)) sum_height = 92;
  const Rect sum = summed ? box.take_bottom(ui.px(sum_height)) : Rect{};
  Rect story = box.take_bottom(ui.px(summed ? 50 : 62));
  story.take_top(ui.px(8));
  const float height = ui.px(26), first = std::min(ui.px(120), box.w * 0.2F);
  const std::vector<Likely> list = run.likely(chosen);
  const auto there = static_cast<float>(list.size());
  const float columns = std::clamp(std::floor((box.w - ui.px(12) - first) / ui.px(130)), 1.0F, std::max(there, 1.0F));
  const float pitch = (box.w - ui.px(12) - first) / columns;
  const LikelyRows rows{run, look, classes, chosen, first, pitch, static_cast<std::size_t>(columns)};
  show_row_once(ui, "layers/end/logits", "layers/end/brought", chosen, height, box.h);
  scroll_area(ui, "layers/end/logits", box, [&](Rect area) {
    for (Index i = 0; i < n; ++i) {
      const Rect row{area.x, area.y + height * static_cast<float>(i), area.w - ui.px(12), height};
      if (row.bottom() < box.y || row.y > box.bottom()) continue;
      draw_likely_row(ui, row, rows, i, words[static_cast<std::size_t>(i)], memory, actions);
    }
    return height * static_cast<float>(n);
  });
  if (list.empty()) return;
  const Likely& token = list[std::min(memory.rank, list.size() - 1)];
  if (const std::tuple told{run.stamp, run.output_part().item * n + chosen, token.number};
      std::exchange(memory.told, told) != told)
    memory.words = softmax_in_words(run, chosen, token);
  draw_end_story(ui, story, fmt::format("After the softmax, at {}", words[static_cast<std::size_t>(chosen)]),
                 memory.words);
  if (summed) draw_logit_sum(ui, sum, model, chosen, token, memory, actions);
}

}  // namespace

bool shows_end(const Model& model) {
  const NetworkLook& look = model.document.network->look;
  return look.depth == 0 || look.depth > shown_part(model).layers();
}

void draw_network_end(Ui& ui, Rect box, const Model& model, PanelMemory& memory, Actions& actions) {
  if (model.document.network->look.depth == shown_part(model).layers() + 2 && model.net.run->logits)
    return draw_logits(ui, box, model, memory.get<NetworkEndMemory>(), actions);
  draw_stream(ui, box, model, memory.get<NetworkEndMemory>(), actions);
}

}  // namespace headlight::app
