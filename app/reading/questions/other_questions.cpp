#include "app/reading/questions/other_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/reading/made_of.h"
#include "app/reading/slice.h"

namespace headlight::app {

namespace {

constexpr RunChange changes[] = {
    {"scale-off", "More or less: without the division", "the scores are not divided by √d"},
    {"scale-on", "More or less: with the division", "the scores are divided by √d"},
    {"temperature-2", "More or less: at temperature 2", "the temperature is 2 and all scores are halved"},
    {"temperature-1", "More or less: at temperature 1", "the temperature is 1"},
    {"no-mask", "More or less: without the mask", "no key is masked"},
    {"causal-mask", "More or less: with a causal mask", "a causal mask hides all later keys"},
    {"positions-off", "More or less: without positions", "no positions are added"},
    {"head-off", "More or less: with the head off", "the output of this head is set to 0"},
};

// The rows of one of a map's matrices.
MatrixView matrix_of(const Step& map, const RowOf& row, Index head) {
  return slice_of(map, {.batch = row.batch, .head = head, .flat = true}).matrix;
}

Question unanswerable(AskAbout about, Question question, std::string why) {
  question.about = about;
  question.choices.clear();
  question.why_none = std::move(why);
  return question;
}

// Half of how much of a row's weight lies elsewhere, over all rows: 0 is the same map, 1 one without a common cell.
double distance(const MatrixView& a, const MatrixView& b) {
  double sum = 0;
  for (Index i = 0; i < a.rows; ++i)
    for (Index j = 0; j < a.columns; ++j)
      sum += std::abs(static_cast<double>(a.at(i, j)) - static_cast<double>(b.at(i, j)));
  return sum / (2 * static_cast<double>(std::max<Index>(1, a.rows)));
}

// What a head looks for, as far as its first halt.
std::string first_clause(const std::string& sentence) {
  return sentence.substr(0, std::min(sentence.size(), sentence.find_first_of(".:,;")));
}

// As it is printed.
double to_hundredths(double number) {
  return std::stod(fmt::format("{:.2f}", number));
}

// The answers in an order that depends on the row alone.
void turn(Question& question, const RowOf& row) {
  const auto count = std::ssize(question.choices);
  std::rotate(question.choices.begin(), question.choices.begin() + (row.query + row.head) % std::max<Index>(1, count),
              question.choices.end());
  question.winner =
      static_cast<std::size_t>(std::ranges::find_if(question.choices, &CandidateKey::right) - question.choices.begin());
}

// How much of a mixture lies elsewhere in another; keys by their names' places.
struct Mixture {
  std::vector<double> shares;  // one a key
  std::string words;
  std::string relation;
};
double distance(const Mixture& a, const Mixture& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.shares.size(); ++i) sum += std::abs(a.shares[i] - b.shares[i]);
  return sum / 2;
}

// The step that sums values by the map, and what it makes of the row of that head.
std::optional<MadeOf> made_of_row(const Trace& trace, const RowOf& row) {
  for (const Step& step : trace.steps)
    if (auto made = made_of(trace, step, {.batch = row.batch, .head = row.head}, row.query))
      if (made->heads.size() == 1) return made;
  return std::nullopt;
}

}  // namespace

std::string_view title_of(AskAbout about) {
  switch (about) {
    case AskAbout::winner:
      return "Which key wins?";
    case AskAbout::change:
      return "More or less?";
    case AskAbout::head:
      return "Which head is this?";
    case AskAbout::mix:
      return "What will the row become?";
    case AskAbout::own:
      return "A question";
  }
  return {};
}

const RunChange* run_change(std::string_view id) {
  const auto* found = std::ranges::find(changes, id, &RunChange::id);
  return found == std::end(changes) ? nullptr : found;
}

Question change_question(Question winner, const Step& map, const RowOf& row, const RunChange& change,
                         const Trace* changed) {
  if (winner.choices.empty()) {
    winner.about = AskAbout::change;
    return winner;
  }
  if (!changed) return unanswerable(AskAbout::change, std::move(winner), "Running it with the change…");
  const CandidateKey key = winner.choices[winner.winner];
  const Step* other = changed->find(map.info.id);
  if (!other || other->tensor().shape() != map.tensor().shape())
    return unanswerable(AskAbout::change, std::move(winner), "With this change the map has another size.");
  const auto at = selected_along(map.axis(AxisRole::query), {.query = row.query});
  const double after = static_cast<double>(matrix_of(*other, row, row.head).at(at.value_or(0), key.key));
  if (!std::isfinite(after))
    return unanswerable(AskAbout::change, std::move(winner), "With this change the weight is no number.");
  Question question = std::move(winner);
  question.about = AskAbout::change;
  question.happens = change.happens;
  question.before = key.weight;
  question.after = after;
  question.asked = key.name;
  const double by = to_hundredths(after) - to_hundredths(key.weight);
  question.choices = {plain_answer("more", "", by > 0), plain_answer("less", "", by < 0),
                      plain_answer("the same", "to two decimals", by == 0)};
  question.winner =
      static_cast<std::size_t>(std::ranges::find_if(question.choices, &CandidateKey::right) - question.choices.begin());
  return question;
}

Question head_question(const Trace& trace, const Step& map, const RowOf& row) {
  Question question;
  question.about = AskAbout::head;
  question.query = row.query;
  const auto named = [&](Index head) {
    const auto at = static_cast<std::size_t>(head);
    return at < trace.heads.size() && !trace.heads[at].name.empty();
  };
  const Index heads = std::min<Index>(heads_of(map), std::ssize(trace.heads));
  if (heads < 2 || heads_of(map) != heads_served(map) || !named(row.head))
    return unanswerable(AskAbout::head, std::move(question), "The heads of this run have no names to choose from.");
  constexpr double alike = 0.05;
  const MatrixView own = matrix_of(map, row, row.head);
  for (Index by = 0; by < heads && question.choices.size() < most_choices; ++by) {
    const Index head = (row.head + by) % heads;
    const auto& info = trace.heads[static_cast<std::size_t>(head)];
    const auto same_name = [&](const CandidateKey& choice) { return choice.name == info.name; };
    if (!named(head) || std::ranges::any_of(question.choices, same_name)) continue;
    question.choices.push_back(
        plain_answer(info.name, first_clause(info.sentence), distance(own, matrix_of(map, row, head)) < alike));
  }
  if (question.choices.size() < 2)
    return unanswerable(AskAbout::head, std::move(question), "One head alone has a name: there is nothing to choose.");
  turn(question, row);
  return question;
}

Question mix_question(Question winner, const Trace& trace, const RowOf& row) {
  const auto made = made_of_row(trace, row);
  const Step* map = trace.map();
  if (!made || !map)
    return unanswerable(AskAbout::mix, std::move(winner),
                        "What this row is made of cannot be said in shares of words.");
  const auto at = selected_along(map->axis(AxisRole::query), {.query = row.query});
  const MatrixView weights = matrix_of(*map, row, row.head);
  const Axis& keys = *map->axis(AxisRole::key);
  const auto count = static_cast<std::size_t>(weights.columns);
  const auto name = [&](std::size_t key) { return label_of(&keys, static_cast<Index>(key), row.batch); };
  Mixture truth{std::vector<double>(count), in_words(made->heads[0]), "by its weights"};
  for (std::size_t key = 0; key < count; ++key) truth.shares[key] = weights.at(at.value_or(0), static_cast<Index>(key));
  const auto seen = std::ranges::count_if(truth.shares, [](double share) { return share > 0; });
  const auto alone = [&](std::size_t key, const char* relation) {
    Mixture one{std::vector<double>(count), fmt::format("100 % {}", name(key)), relation};
    one.shares[key] = 1;
    return one;
  };
  std::vector<Mixture> all{truth};
  const auto& parts = made->heads[0].parts;
  if (!parts.empty()) all.push_back(alone(static_cast<std::size_t>(parts[0].key), "the winner alone"));
  if (parts.size() > 1) {
    Mixture turned = truth;
    const auto first = static_cast<std::size_t>(parts[0].key), second = static_cast<std::size_t>(parts[1].key);
    std::swap(turned.shares[first], turned.shares[second]);
    TakenShares words = made->heads[0];
    std::swap(words.parts[0].name, words.parts[1].name);
    turned.words = in_words(words);
    turned.relation = "the other way round";
    all.push_back(std::move(turned));
  }
  if (seen > 1) {
    Mixture equal{std::vector<double>(count),
                  fmt::format("{:.0f} % of each of {} keys", 100.0 / static_cast<double>(seen), seen), "equal parts"};
    for (std::size_t key = 0; key < count; ++key)
      equal.shares[key] = truth.shares[key] > 0 ? 1.0 / static_cast<double>(seen) : 0;
    all.push_back(std::move(equal));
  }
  for (std::size_t key = 0; key < count; ++key)
    if (name(key) == made->asker && truth.shares[key] < 0.5 && static_cast<Index>(key) == row.query)
      all.push_back(alone(key, "the word itself"));
  Question question;
  question.about = AskAbout::mix;
  question.query = row.query;
  question.asker = winner.asker.empty() ? made->asker : winner.asker;
  question.nth = winner.nth;
  constexpr double alike = 0.05;  // what nobody could tell apart is not asked for
  for (const Mixture& mixture : all) {
    if (question.choices.size() == most_choices) break;
    const bool right = &mixture == &all.front();
    const auto reads_alike = [&](const CandidateKey& choice) { return choice.name == mixture.words; };
    if (!right && (distance(mixture, truth) < alike || std::ranges::any_of(question.choices, reads_alike))) continue;
    question.choices.push_back(plain_answer(mixture.words, mixture.relation, right));
  }
  if (question.choices.size() < 2)
    return unanswerable(AskAbout::mix, std::move(question), "This row has one key alone: there is nothing to choose.");
  turn(question, row);
  return question;
}

}  // namespace headlight::app
