// Dates as people write them, to be written as 1998-05-03: which letters say which character? Bahdanau, Cho and Bengio
// 2015, Neural Machine Translation by Jointly Learning to Align and Translate, with ten learned queries for a decoder.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "engine/learn/drawing.h"
#include "engine/learn/pieces.h"
#include "engine/learn/tasks/sequence.h"

namespace headlight::learn {

namespace {

constexpr Index answer_length = 10;       // 1998-05-03
constexpr Index answers = 11;             // 0 … 9 and the hyphen
constexpr Index longest_in_letters = 28;  // "wednesday, september 30 1998"
constexpr Index longest_in_words = 6;
constexpr double days = 36524;  // from 1950-01-01 on
// Its letters in their order; the blank stands for nothing at the end, too.
constexpr std::string_view letters = " abcdefghijklmnopqrstuvwxyz0123456789,./-";
constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> weekdays{"monday", "tuesday",  "wednesday", "thursday",
                                                   "friday", "saturday", "sunday"};
// D and d the day, d with two digits; M and m the month, m its first three letters; Y the year, W the weekday.
constexpr std::array<std::string_view, 6> forms{"DMY", "MD,Y", "dmY", "WDmY", "mD,Y", "W,MDY"};

bool in_letters(const ParamValues& o) {
  return o.choice("level") == "characters";
}

bool is_additive(const ParamValues& o) {
  return o.choice("attention") == "additive";
}

Index length_of(const ParamValues& o) {
  return in_letters(o) ? longest_in_letters : longest_in_words;
}

Index encoder_layers(const ParamValues& o) {
  return in_letters(o) ? o.integer("encoder_layers") : 0;
}

// The first is nothing, at the end of what is shorter.
std::vector<std::string> all_words() {
  std::vector<std::string> all{""};
  all.insert(all.end(), weekdays.begin(), weekdays.end());
  all.insert(all.end(), months.begin(), months.end());
  for (const std::string_view month : months) all.emplace_back(month.substr(0, 3));
  for (int day = 1; day <= 31; ++day) all.push_back(fmt::format("{}", day));
  for (int day = 1; day <= 9; ++day) all.push_back(fmt::format("0{}", day));
  for (int year = 1950; year < 2050; ++year) all.push_back(fmt::format("{}", year));
  all.emplace_back(",");
  return all;
}

// "may" stands twice; it is the second.
const std::map<std::string, Index>& places_of_words() {
  static const std::map<std::string, Index> places = [] {
    std::map<std::string, Index> made;
    Index place = 0;
    for (const std::string& word : all_words()) made[word] = place++;
    return made;
  }();
  return places;
}

Index symbols_of(const ParamValues& o) {
  return in_letters(o) ? static_cast<Index>(letters.size()) : static_cast<Index>(all_words().size());
}

// ---- Examples

struct Span {
  Index begin = 0, end = 0;  // empty: nowhere
};

struct WrittenDate {
  std::vector<Index> tokens;
  std::string iso;
  std::array<Span, answer_length> said;  // which tokens say each of its characters
};

struct CivilDate {
  int year = 0;
  unsigned month = 0, day = 0, weekday = 0;  // Monday is 1
};

CivilDate date_after(int count) {
  const std::chrono::sys_days first = std::chrono::year{1950} / std::chrono::January / 1;
  const std::chrono::sys_days date = first + std::chrono::days{count};
  const std::chrono::year_month_day civil{date};
  return {static_cast<int>(civil.year()), static_cast<unsigned>(civil.month()), static_cast<unsigned>(civil.day()),
          std::chrono::weekday{date}.iso_encoding()};
}

std::string word_of(char what, const CivilDate& date) {
  const std::string month(months[date.month - 1]);
  switch (what) {
    case 'D':
      return fmt::format("{}", date.day);
    case 'd':
      return fmt::format("{:02}", date.day);
    case 'M':
      return month;
    case 'm':
      return month.substr(0, 3);
    case 'Y':
      return fmt::format("{}", date.year);
    case 'W':
      return std::string(weekdays[date.weekday - 1]);
    default:
      return ",";
  }
}

// Puts the words one after another, and says where those of that kind stand.
std::map<char, Span> put_words(std::string_view form, const CivilDate& date, bool as_letters,
                               std::vector<Index>& tokens) {
  std::map<char, Span> at;
  for (const char what : form) {
    const std::string word = word_of(what, date);
    if (as_letters && what != ',' && !tokens.empty()) tokens.push_back(0);
    const auto begin = static_cast<Index>(tokens.size());
    if (as_letters)
      for (const char letter : word) tokens.push_back(static_cast<Index>(letters.find(letter)));
    else
      tokens.push_back(places_of_words().at(word));
    const bool small = what == 'd' || what == 'm';
    at[small ? static_cast<char>(what - 'a' + 'A') : what] = {begin, static_cast<Index>(tokens.size())};
  }
  return at;
}

WrittenDate write_date(double when, double how, const ParamValues& o) {
  const CivilDate date = date_after(static_cast<int>(when * days));
  const auto form = static_cast<std::size_t>(how * static_cast<double>(o.integer("forms")));
  const bool as_letters = in_letters(o);
  WrittenDate written{
      .tokens = {}, .iso = fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day), .said = {}};
  const std::map<char, Span> at = put_words(forms[form], date, as_letters, written.tokens);
  for (std::size_t i = 0; i < 4; ++i) {
    const Span year = at.at('Y');
    const Index digit = year.begin + static_cast<Index>(i);
    written.said[i] = as_letters ? Span{digit, digit + 1} : year;
  }
  written.said[5] = written.said[6] = at.at('M');
  written.said[8] = written.said[9] = at.at('D');
  return written;
}

std::vector<WrittenDate> draw_dates(std::uint64_t seed, Index step, const ParamValues& o, Index rows) {
  Draws draws(seed, fmt::format("batch/{}", step));
  std::vector<WrittenDate> dates;
  for (Index row = 0; row < rows; ++row) {
    const double when = draws.uniform(), how = draws.uniform();
    dates.push_back(write_date(when, how, o));
  }
  return dates;
}

Numbers batch_of_dates(const std::vector<WrittenDate>& dates, const ParamValues& o) {
  const auto rows = static_cast<Index>(dates.size());
  const Index n = length_of(o);
  const auto token = [&](Index cell) {
    const std::vector<Index>& tokens = dates[static_cast<std::size_t>(cell / n)].tokens;
    return cell % n < static_cast<Index>(tokens.size()) ? tokens[static_cast<std::size_t>(cell % n)] : 0;
  };
  const auto answer = [&](Index cell) {
    const char said =
        dates[static_cast<std::size_t>(cell / answer_length)].iso[static_cast<std::size_t>(cell % answer_length)];
    return said == '-' ? 10 : said - '0';
  };
  return {{"tokens", tensor_of({rows, n}, token)},
          {"answers", tensor_of({rows, answer_length}, answer)},
          {"places", places(n)},
          {"asked", tensor_of({rows, answer_length}, [](Index cell) { return cell % answer_length; })}};
}

// ---- The network

void add_table(NetworkPlan& plan, std::string at, std::string table, std::string gives, Start start) {
  plan.starts[table] = std::move(start);
  plan.parts.push_back({.variant = &table_piece(),
                        .reads = {{"at", std::move(at)}, {"table", std::move(table)}},
                        .gives = std::move(gives),
                        .result = "rows"});
}

// In which letters find their word.
std::string add_encoder(NetworkPlan& plan, const TaskOptions& options) {
  const ParamValues& o = options.values;
  const Index layers = encoder_layers(o), width = o.integer("d");
  const bool rotary = o.flag("rotary");
  if (layers > 0 && !rotary)
    add_table(plan, "places", "positions", "p",
              {.rule = Start::Rule::normal, .by = o.real("pos_std"), .shape = {length_of(o), width}});
  std::string x = "x0";
  for (Index l = 0; l < layers; ++l) {
    ParamValues params = plain_layer(o.integer("encoder_heads"), width);
    params.set("block", std::string("pre_norm"));
    if (rotary) params.set("rotary", std::string("interleaved"));
    set_others(params, options);
    Part layer{.variant = find_variant("multi_head"),
               .params = std::move(params),
               .reads = {{"x_q", x}},
               .gives = fmt::format("x{}", l + 1),
               .prefix = fmt::format("encoder{}/", l)};
    if (!rotary) layer.reads["p_q"] = "p";
    x = layer.gives;
    plan.parts.push_back(std::move(layer));
  }
  return x;
}

// What asks for each character of the answer, by queries "q" and keys "h": "found".
Part attention(NetworkPlan& plan, const TaskOptions& options) {
  const ParamValues& o = options.values;
  Part part{.reads = {{"x_q", "q"}, {"x_k", "h"}, {"x_v", o.choice("values") == "raw" ? "x0" : "h"}}, .gives = "found"};
  if (is_additive(o)) {
    const Index hidden = o.integer("hidden");
    part.variant = find_variant("additive");
    part.params = ParamValues::defaults(part.variant->params());
    part.params.set("hidden", hidden);
    plan.starts["w_score"] = {.rule = Start::Rule::normal, .by = 1 / std::sqrt(static_cast<double>(hidden))};
    return part;
  }
  part.variant = find_variant("multi_head");
  part.params = plain_layer(o.integer("heads"), o.integer("d"));
  if (!o.is_automatic("scale")) part.params.set("scale", o.real("scale"));
  set_others(part.params, options);
  part.prefix = "cross/";
  return part;
}

NetworkPlan plan_of_dates(const TaskOptions& options) {
  const ParamValues& o = options.values;
  const Index width = o.integer("d");
  NetworkPlan plan;
  add_table(plan, "tokens", "embedding", "x0", {.rule = Start::Rule::normal, .shape = {symbols_of(o), width}});
  const std::string x = add_encoder(plan, options);
  plan.parts.push_back({.variant = &norm_piece(), .reads = {{"x", x}}, .gives = "h"});
  add_table(plan, "asked", "queries", "q", {.rule = Start::Rule::normal, .shape = {answer_length, width}});
  plan.parts.push_back(attention(plan, options));
  plan.starts["w_out"] = {.shape = {width, answers}};
  plan.starts["b_out"] = {.rule = Start::Rule::zeros, .shape = {answer_length, answers}};
  plan.parts.push_back(
      {.variant = &read_out_piece(), .reads = {{"x", "found"}, {"w", "w_out"}, {"b", "b_out"}}, .gives = "logits"});
  plan.parts.push_back({.variant = &cross_entropy_piece(),
                        .reads = {{"logits", "logits"}, {"answers", "answers"}},
                        .gives = "loss",
                        .result = "loss"});
  return plan;
}

// ---- Figures

double whole_dates(const Tensor& logits, const Tensor& right) {
  Index whole = 0;
  for (Index row = 0; row < right.dim(0); ++row) {
    bool all = true;
    for (Index i = 0; i < answer_length; ++i) {
      const Index place = row * answer_length + i;
      all = all && predicted_at(logits, place) == static_cast<Index>(right[place]);
    }
    whole += all;
  }
  return static_cast<double>(whole) / static_cast<double>(right.dim(0));
}

// For each character the mean weight on what says it, of the head that looks hardest at each letter.
std::array<double, answer_length> weight_on_source(const Tensor& map, const std::vector<WrittenDate>& dates) {
  const Index heads = map.dim(1), n = map.dim(3);
  std::array<double, answer_length> on{};
  for (std::size_t row = 0; row < dates.size(); ++row)
    for (std::size_t i = 0; i < on.size(); ++i)
      for (Index key = dates[row].said[i].begin; key < dates[row].said[i].end; ++key) {
        float most = 0;
        for (Index head = 0; head < heads; ++head) {
          const Index query = (static_cast<Index>(row) * heads + head) * answer_length + static_cast<Index>(i);
          most = std::max(most, map[query * n + key]);
        }
        on[i] += most;
      }
  for (double& each : on) each /= static_cast<double>(dates.size());
  return on;
}

// ---- What it is

std::vector<ParamSpec> date_options() {
  std::vector<ParamSpec> all{
      param::choice("attention", "Attention", "How a character of the answer finds what says it.",
                    {{"additive", "Additive", "A small network scores each pair (Bahdanau et al. 2015)."},
                     {"dot", "Dot product", "Queries and keys are multiplied: cross-attention."}}),
      param::choice("level", "Level", "What the tokens are.",
                    {{"characters", "Letters", "One token a letter; layers of an encoder let them find their word."},
                     {"words", "Words", "One token a word, straight to the attention."}}),
      count_option("d", "Width", "How many channels a token has.", 64, 1, 1024),
      count_option("encoder_layers", "Encoder layers", "How many layers letters have to find their word.", 1, 0, 4),
      count_option("encoder_heads", "Encoder heads", "How many heads each of those has.", 4, 1, 64),
      count_option("heads", "Heads", "How many heads dot products have.", 1, 1, 64),
      count_option("hidden", "Features", "How many features a pair has, with additive attention.", 64, 1, 1024),
      batch_option(32),
      rate_option(6e-3),
      param::flag("rotary", "Rotary", "Whether the encoder turns queries and keys, and does not learn places.", false),
      scale_option(),
      real_option("pos_std", "Positions, spread", "How large learned positions are at the start.", 1, 0, 1e6),
      count_option("forms", "Forms", "In how many ways dates are written.", 3, 1, static_cast<Index>(forms.size())),
      param::choice("values", "Values", "What is read where it is looked at.",
                    {{"raw", "Letters", "The token itself: who wants a letter must look at that letter."},
                     {"contextual", "Encoder's output", "What the encoder has made of it, which may be from nearby."}}),
  };
  mark_advanced(all, {"encoder_heads", "hidden", "rotary", "pos_std", "forms", "values"});
  return all;
}

Status check_heads(const char* option, const ParamValues& o) {
  if (o.integer("d") % o.integer(option) == 0) return {};
  return fail("options.{} {} does not divide options.d {}", option, o.integer(option), o.integer("d"));
}

TaskSpec dates_spec() {
  return {
      .info =
          {.id = "dates",
           .title = "Dates",
           .lesson = "Dates as people write them are to be written as 1998-05-03: which letters say which character?",
           .source =
               "Bahdanau, Cho and Bengio 2015, Neural Machine Translation by Jointly Learning to Align and Translate",
           .learned = "whole",
           .threshold = 0.9,
           .usual_steps = 800},
      .options = date_options(),
      .figures = {{"accuracy", "Right characters", "The share of characters that are said right."},
                  {"whole", "Right dates", "The share of dates of which every character is right."},
                  {"aligned", "Weight on what says it",
                   "What digits give to the letters that say them. Nearly all dates are right with about 0.78 of it.",
                   true},
                  {"year", "Weight for the year", "For its last two digits.", true},
                  {"month", "Weight for the month", "For both digits, on all letters of the month.", true},
                  {"day", "Weight for the day", "For both digits, on all digits of the day.", true}},
      .counter_tests = {{"No encoder",
                         {{"encoder_layers", Index{0}}},
                         "stays near 0.01 of whole dates: a letter alone does not know its word"},
                        {"Contextual values",
                         {{"values", std::string("contextual")}},
                         "is right as often, but may look at neighbours: the encoder has moved what is said (0.3 to "
                         "0.8 on what says it)"},
                        {"Rate 0.03", {{"lr", 3e-2}}, "stays below 0.1: the steps are too large"},
                        {"Dot product",
                         {{"attention", std::string("dot")}},
                         "comes to about 0.93: dot products align as well (0.76 on what says it)"}},
  };
}

class DatesToIso final : public Task {
 public:
  DatesToIso() : Task(dates_spec()) {}

  Status check(const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    const bool encoder = encoder_layers(o) > 0;
    if (encoder) HL_CHECK(check_heads("encoder_heads", o));
    if (encoder && o.flag("rotary") && o.integer("d") / o.integer("encoder_heads") < 2)
      return fail("options.rotary turns pairs of channels: {} heads of d {} have one channel each",
                  o.integer("encoder_heads"), o.integer("d"));
    ParamValues own = plain_layer(1, o.integer("d"));
    own.set("block", std::string("pre_norm"));
    HL_CHECK(refuse_own(own, options));
    if (!is_additive(o)) return check_heads("heads", o);
    return encoder ? Status{} : refuse_others(options);
  }

  Numbers batch(std::uint64_t seed, Index step, const TaskOptions& options) const override {
    const ParamValues& o = options.values;
    return batch_of_dates(draw_dates(seed, step, o, o.integer("batch")), o);
  }

  NetworkPlan plan(const TaskOptions& options) const override { return plan_of_dates(options); }

  std::vector<Numbers> held_out(std::uint64_t seed, const TaskOptions& options) const override {
    return {batch_of_dates(draw_dates(seed + 1000, 0, options.values, 128), options.values)};
  }

  Figures measure(std::uint64_t seed, const TaskOptions& options,
                  std::span<const Network* const> networks) const override {
    const Network& network = *networks.front();
    const Tensor &logits = network.array("logits"), &right = network.array("answers");
    const auto dates = draw_dates(seed + 1000, 0, options.values, right.dim(0));
    const auto on = weight_on_source(map_of(network, "found"), dates);
    const double year = (on[2] + on[3]) / 2, month = (on[5] + on[6]) / 2, day = (on[8] + on[9]) / 2;
    return {{"accuracy", answer_accuracy(logits, right)},
            {"whole", whole_dates(logits, right)},
            {"aligned", (year + month + day) / 3},
            {"year", year},
            {"month", month},
            {"day", day}};
  }

  std::vector<ShownMap> maps(const TaskOptions& options) const override {
    std::vector<ShownMap> maps;
    for (Index layer = 0; layer < encoder_layers(options.values); ++layer)
      maps.push_back({fmt::format("x{}", layer + 1), fmt::format("encoder {}", layer)});
    maps.push_back({"found", "what says it", true});
    return maps;
  }
  ExampleWords words(const Numbers& examples, const TaskOptions& options) const override {
    std::vector<std::string> names = all_words();
    if (in_letters(options.values)) {
      names.clear();
      for (const char letter : letters) names.emplace_back(1, letter);
    }
    ExampleWords words = words_of_symbols(examples, std::move(names));
    words.answers = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "-"};
    const Tensor& right = *examples.find("answers")->second;
    for (Index place = 0; place < answer_length; ++place)
      words.answered.push_back(words.answers[static_cast<std::size_t>(right[place])]);
    return words;
  }
};

}  // namespace

const Task& dates_task() {
  static const DatesToIso task;
  return task;
}

}  // namespace headlight::learn
