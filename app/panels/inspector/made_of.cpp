// What the rows of a weighted sum, and what is made of such sums, took from which keys.
#include "app/panels/common/prepared.h"
#include "app/panels/inspector/parts.h"
#include "app/reading/step_words.h"

namespace headlight::app {

namespace {

// A label at the left and words beside it, on as many lines as they take.
void draw_taken(Form& form, const std::string& path, Color32 color, const std::string& label, float width,
                const std::string& words) {
  Ui& ui = form.ui;
  const float top = form.y, beside = form.column.x + width;
  ui.text_in(Type::label, {form.column.x, top, width - ui.px(8), ui.px(20)}, color, label);
  const float height =
      paragraph(ui, {beside, top}, form.column.right() - beside, ui.theme().text, words, true, Type::label);
  ui.log(path, {form.column.x, top, form.column.w, height}, label + " ← " + words);
  form.y += std::max(height, ui.px(20)) + ui.px(2);
}

}  // namespace

void draw_made_of(Form& form, Rect panel, const Model& model, PanelMemory& memory) {
  if (model.settings.expert) return;
  Ui& ui = form.ui;
  const Theme& t = ui.theme();
  const Step& step = *model.step();
  const std::vector<MadeOf>& rows = memory.get<Prepared>().made_of(model, step);
  if (rows.empty()) return;
  const bool one = rows.size() == 1 && effective_selection(model).query;
  Rect title = form.line(20);
  std::string heading = "What each row is made of", note;
  if (one) heading = fmt::format("What {} is made of", rows[0].asker);
  if (ui.width_of(Type::heading, heading) > title.w) heading = "What this row is made of";
  if (model.trace()->heads.size() > 1) note = head_name(*model.trace(), rows[0].heads[0].head);
  if (rows[0].heads.size() > 1) note = "by head";
  if (ui.width_of(Type::heading, heading) + ui.width_of(Type::note, note) + ui.px(8) <= title.w)
    ui.text_in(Type::note, title, t.text_faint, note, Ui::Align::right);
  ui.text_in(Type::heading, title, t.text_muted, heading);
  form.y += ui.px(4);
  float width = 0;
  const auto label_of_head = [&](const TakenShares& taken) {
    return rows[0].heads.size() == 1 ? rows[0].asker : head_name(*model.trace(), taken.head);
  };
  if (one)
    for (const auto& taken : rows[0].heads) width = std::max(width, ui.width_of(Type::label, label_of_head(taken)));
  else
    for (const auto& row : rows) width = std::max(width, ui.width_of(Type::label, row.asker));
  width = std::min(width + ui.px(14), form.column.w * 0.45F);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (one)
      for (std::size_t h = 0; h < rows[r].heads.size(); ++h)
        draw_taken(form, fmt::format("made/{}", h), rows[r].heads.size() == 1 ? t.query.main : t.text_muted,
                   label_of_head(rows[r].heads[h]), width, in_words(rows[r].heads[h]));
    else
      draw_taken(form, fmt::format("made/{}", r), t.query.main, rows[r].asker, width, in_words(rows[r].heads[0]));
  }
  const Index all = step.extent(AxisRole::query);
  if (!one && all > std::ssize(rows))
    form.words(t.text_faint, fmt::format("and {} more; choose a row", all - std::ssize(rows)), Type::note, 2);
  if (one && rows[0].nearest)
    form.log_words("made/nearest", t.text_muted,
                   fmt::format("Nearest {}: {}, at a cosine of {:.2f}.", rows[0].nearest->of, rows[0].nearest->name,
                               rows[0].nearest->cosine),
                   Type::note, 2);
  form.y += ui.px(12);
  draw_divider(form, panel);
}

}  // namespace headlight::app
