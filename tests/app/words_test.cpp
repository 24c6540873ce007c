// What is said of a cell is held to the trace: every number of a line is a cell's or a named rule's, lines multiply out
// as they are printed, and masked is never 0. For every sketch, sample and example of every variant.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "app/reading/cell_trace.h"
#include "app/reading/key_place.h"
#include "app/reading/row_numbers.h"
#include "app/worksheets/worksheet_of.h"
#include "engine/io/experiment.h"
#include "engine/io/experiment_files.h"
#include "engine/learn/pieces.h"
#include "engine/run/prepare.h"
#include "engine/run/prepare_layer.h"
#include "engine/run/run.h"
#include "engine/trace/rule.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// ---- Carrying out what a line says, by its text alone
// ----------------------------------------------------------------

// sum := product (("+" | "−") product)*, product := factor (("×" | "/") factor)*, factor := number | "(" sum ")" |
// "√(" sum ")" | "(largest of" sum ("," sum)* ")" | "exp(" sum ")", likewise ln, tanh, sigmoid, silu, gelu, gelu_tanh |
// "max(" sum "," sum ")" | "largest of" sum ("," sum)*
class Reckoner {
 public:
  explicit Reckoner(std::string_view text) : text_(text) {}

  // Nothing where the text is words.
  std::optional<double> result() {
    const double value = take("largest of") ? largest() : sum();
    skip();
    return ok_ && text_.empty() ? std::optional(value) : std::nullopt;
  }
  const std::vector<std::string>& numbers() const { return numbers_; }

 private:
  void skip() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  double largest() {
    double most = sum();
    while (take(",")) most = std::max(most, sum());
    return most;
  }
  double sum() {
    double value = product();
    while (ok_) {
      if (take("+"))
        value += product();
      else if (take("−"))
        value -= product();
      else
        break;
    }
    return value;
  }
  double product() {
    double value = factor();
    while (ok_) {
      if (take("×"))
        value *= factor();
      else if (take("/"))
        value /= factor();
      else
        break;
    }
    return value;
  }
  double closed(double value) {
    ok_ = ok_ && take(")");
    return value;
  }
  double factor() {
    if (take("√(")) return std::sqrt(closed(sum()));
    if (take("exp(")) return std::exp(closed(sum()));
    if (take("ln(")) return std::log(closed(sum()));
    if (take("tanh(")) return std::tanh(closed(sum()));
    if (take("sigmoid(")) return 1 / (1 + std::exp(-closed(sum())));
    if (take("silu(")) {
      const double x = closed(sum());
      return x / (1 + std::exp(-x));
    }
    if (take("quick_gelu(")) {
      const double x = closed(sum());
      return x / (1 + std::exp(-1.702 * x));
    }
    if (take("gelu(")) {
      const double x = closed(sum());
      return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    }
    if (take("gelu_tanh(")) {
      const double x = closed(sum());
      return x / 2 * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * std::pow(x, 3))));
    }
    if (take("elu_plus_one(")) {
      const double x = closed(sum());
      return x > 0 ? x + 1 : std::exp(x);
    }
    if (take("max(")) {
      const double first = sum();
      ok_ = ok_ && take(",");
      return std::max(first, closed(sum()));
    }
    if (take("(largest of")) return closed(largest());
    if (take("(")) return closed(sum());
    return number();
  }
  double number() {
    skip();
    const std::string rest(text_);
    char* end = nullptr;
    const double value = std::strtod(rest.c_str(), &end);
    const auto length = static_cast<std::size_t>(end - rest.c_str());
    if (length == 0) {
      ok_ = false;
      return 0;
    }
    numbers_.push_back(rest.substr(0, length));
    text_.remove_prefix(length);
    return value;
  }

  std::string_view text_;
  bool ok_ = true;
  std::vector<std::string> numbers_;
};

// The signs of numbers as the standard library reads them; a minus that takes off has a space behind it.
std::string with_signs_read(std::string text) {
  constexpr std::string_view minus = "−";
  for (std::size_t at = 0; (at = text.find(minus, at)) != std::string::npos; ++at)
    if (at + minus.size() < text.size() && text[at + minus.size()] >= '0' && text[at + minus.size()] <= '9')
      text.replace(at, minus.size(), "-");
  return text;
}

double half_unit(const std::string& text) {
  return 0.50001 * last_digit(text);
}

// What has to be taken off so that the row adds up to 1, found by halving an interval.
double threshold_by_halving(const Explanation& e, const Trace& trace) {
  const bool entmax = e.combine == Combine::entmax15;
  double least = -1e3, most = 1e3;
  for (int i = 0; i < 200; ++i) {
    const double middle = (least + most) / 2;
    double sum = 0;
    for (const Term& term : e.terms) {
      const double above = std::max(0.0, value_of(term, trace) / (entmax ? 2 : 1) - middle);
      sum += entmax ? above * above : above;
    }
    (sum > 1 ? least : most) = middle;
  }
  return least;
}

// What a rule that made a number gives, reckoned here from the explanation; nothing for a name that is not known.
std::optional<double> by_rule(const std::string& rule, const Explanation& e, const Trace& trace) {
  double sum = 0, largest = -HUGE_VAL, squares = 0, exps = 0;
  for (const Term& term : e.terms) {
    sum += value_of(term, trace);
    largest = std::max(largest, value_of(term, trace));
  }
  const auto n = static_cast<double>(e.terms.size());
  for (const Term& term : e.terms) squares += std::pow(value_of(term, trace) - sum / n, 2);
  if (rule_of(e.combine).has_sink) {
    largest = std::max(largest, value_of(e.parameters[0], trace));
    exps = std::exp(value_of(e.parameters[0], trace) - largest);
  }
  for (const Term& term : e.terms) exps += std::exp(value_of(term, trace) - largest);
  if (rule == "sum of products" || rule == "sum") return sum;
  if (rule == "scaled sum") return e.scale * sum;
  if (rule == "factor") return e.times;
  if (rule == "two") return 2;
  if (rule == "half") return value_of(e.terms[static_cast<std::size_t>(e.self)], trace) / 2;
  if (rule == "threshold") return threshold_by_halving(e, trace);
  const Rule& own = rule_of(e.combine);
  if (rule == own.name && own.function) return own.function(e.scale * sum);
  double sum_of_squares = 0;
  for (const Term& term : e.terms) sum_of_squares += std::pow(value_of(term, trace), 2);
  const double length = own.length ? own.length(sum_of_squares, n, e.epsilon) : 1;
  if (own.length && rule == own.name) return length;
  if (own.length && rule == "normalised") return value_of(e.terms[static_cast<std::size_t>(e.self)], trace) / length;
  if (rule == "mean") return sum / n;
  if (rule == "variance") return squares / n;
  if (rule == "row sum") return exps;
  if (rule == "ε") return e.epsilon;
  if (e.self >= 0 && rule == "exp(score − largest)")
    return std::exp(value_of(e.terms[static_cast<std::size_t>(e.self)], trace) - largest);
  const bool batch = rule_of(e.combine).form == Rule::Form::normalised_by;
  const double mean = batch ? value_of(e.parameters[2], trace) : sum / n;
  const double deviation = std::sqrt((batch ? value_of(e.parameters[3], trace) : squares / n) + e.epsilon);
  if (rule == "deviation") return deviation;
  if (rule == "normalised")
    return ((batch ? e.scale * sum : value_of(e.terms[static_cast<std::size_t>(e.self)], trace)) - mean) / deviation;
  for (const Term& term : e.terms) {
    if (rule == "weighed part" || rule == "product") return std::nullopt;  // its line is carried out instead
    for (const Operand& factor : term.factors)
      if (factor.array.empty() && factor.label == rule) return factor.value;
  }
  return std::nullopt;
}

Index exact = 0, beside = 0;  // lines that give what they print, and those that the run's own rounding puts next to it

// Everything wrong with a line, or nothing. `why` explains the cell that the line stands for.
std::string complaint(const TraceLine& line, const Trace& trace) {
  const Step* step = trace.find(line.step);
  if (!step || !step->explain) return "it stands for no step";
  const Explanation why = step->explain(line.cell);
  const std::string expression = with_signs_read(line.expression);
  Reckoner reckoner(expression);
  const auto said = reckoner.result();
  const bool words = line.numbers.empty();
  if (!words && !said) return "it does not read as numbers";
  if (!words) {  // every number is one of those recorded, in their order; the 0 of max(0, ·) is the rule's
    std::vector<std::string> read = reckoner.numbers(), told;
    if (line.expression.starts_with("max(0, ")) read.erase(read.begin());
    for (const Printed& number : line.numbers) told.push_back(with_signs_read(number.text));
    for (std::size_t i = 0; i < std::min(read.size(), told.size()); ++i)  // "− 0.5" is read as 0.5 taken off
      if (told[i] == "-" + read[i] && line.label != "exp") read[i] = told[i];
    if (read != told) return fmt::format("prints {} and records {}", fmt::join(read, ", "), fmt::join(told, ", "));
    const double off = std::abs(*said - parsed_number(line.value));
    if (!(off <= 1.001 * last_digit(line.value))) return fmt::format("gives {} and says {}", *said, line.value);
    ++(off <= 0.5001 * last_digit(line.value) ? exact : beside);
  }
  std::vector<Printed> all = line.numbers;
  if (line.value == line.result.text) all.push_back(line.result);
  for (const Printed& number : all) {
    if (std::abs(parsed_number(number.text) - number.value) > half_unit(number.text) * 1.001)
      return fmt::format("{} is not {}", number.text, number.value);
    if (!number.array.empty()) {
      const Step* from = trace.find(number.array);
      if (!from) return number.array + " is not recorded";
      if (from->tensor()[number.cell] != static_cast<float>(number.value)) return number.text + " is another cell's";
      continue;
    }
    if (number.rule.empty()) return number.text + " comes from nowhere";
    if (const auto found = by_rule(number.rule, why, trace);
        found && std::abs(*found - number.value) > 1e-9 * (1 + std::abs(*found)))
      return fmt::format("{} is {}, not {}", number.rule, *found, number.value);
  }
  return {};
}

// The last line of the step that a story is of ends with that cell, and the table adds up.
std::string complaint(const CellTrace& story, const Trace& trace) {
  const Step& step = *trace.find(story.step);
  for (const TraceLine& line : story.lines)
    if (const std::string wrong = complaint(line, trace); !wrong.empty())
      return fmt::format("“{}: {} = {}” {}", line.label, line.expression, line.value, wrong);
  const bool masked = !why_masked(trace, step, story.cell).empty();
  if ((story.result == "masked") != masked) return "result " + story.result;
  if (!story.lines.empty() && !masked) {
    const TraceLine& last = story.lines.back();
    if (last.step != story.step || last.cell != story.cell) return "the last line is another step's";
    if (last.value == last.result.text && static_cast<float>(last.result.value) != step.tensor()[story.cell])
      return fmt::format("the last line says {} of {}", last.value, story.value);
  }
  if (masked && (story.lines.empty() || story.lines.back().value != "masked")) return "masked, and no line says why";
  if (!story.check_ok) return story.check;
  if (!story.table) return {};
  double sum = 0;
  for (const OperandRow& row : story.table->rows) sum += row.product;
  if (!(std::abs(sum - story.table->sum) < 1e-9 * (1 + std::abs(sum)))) return "the table does not add up";
  const ShownRows shown = shown_rows(*story.table);
  if (shown.order.size() + shown.zero + shown.masked < story.table->rows.size()) return "rows are lost";
  return {};
}

struct Counted {
  Index cells = 0, masked = 0, in_words = 0, in_numbers = 0;
  std::set<std::string> labels;
};

void check_stories(const Trace& trace, Counted& counted, Index most = 60) {
  for (const Step& step : trace.steps) {
    const Index size = step.tensor().size(), every = std::max<Index>(1, size / most) | 1;
    for (Index cell = 0; cell < size; cell += every) {
      const CellTrace story = trace_cell(trace, step, cell);
      const std::string wrong = complaint(story, trace);
      ++counted.cells;
      counted.masked += story.result == "masked";
      for (const TraceLine& line : story.lines) {
        counted.labels.insert(line.label);
        ++(line.numbers.empty() ? counted.in_words : counted.in_numbers);
      }
      if (!wrong.empty()) FAIL_CHECK(step.info.id << "[" << cell << "]: " << wrong << "\n" << to_text(story, trace));
    }
  }
}

Result<std::shared_ptr<const Trace>> trace_of(const Experiment& experiment) {
  HL_TRY(const Problem problem, prepare(experiment, Budget{1e9}));
  ThreadPool pool(2);
  Compute compute(pool);
  return run(problem, compute);
}

}  // namespace

TEST_CASE("every line of every story multiplies out as printed, in every sketch") {
  Counted counted;
  for (const auto& sketch : test::all_sketches()) {
    INFO(sketch.name);
    const auto trace = test::run(sketch);
    REQUIRE(trace);
    check_stories(*trace, counted, 24);
  }
  CHECK(counted.masked > 50);
  CHECK(counted.in_numbers > 1000);
  CHECK(exact > 500 * beside);
  for (const char* label : {"tanh", "ReLU", "pooled", "exp", "share", "· γ + β", "mask", "sum", "dot product"})
    CHECK(counted.labels.contains(label));
}

TEST_CASE("every line of every story multiplies out as printed, in samples and bundled examples") {
  Counted counted;
  std::set<std::string> variants;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->samples()) {
      INFO(json);
      const auto experiment = parse_experiment(json, {}, "");
      REQUIRE(experiment);
      const auto trace = trace_of(*experiment);
      REQUIRE(trace);
      variants.insert((*trace)->variant);
      check_stories(**trace, counted, 24);
    }
  for (const auto& file : std::filesystem::directory_iterator(HEADLIGHT_SOURCE_DIR "/assets/examples")) {
    if (file.path().extension() != ".headlight") continue;
    INFO(file.path());
    const auto experiment = read_experiment(file.path());
    REQUIRE(experiment);
    const auto trace = trace_of(*experiment);
    REQUIRE(trace);
    check_stories(**trace, counted, 12);
  }
  CHECK(variants.size() == all_variants().size());
  CHECK(counted.cells > 1000);
}

namespace {

// One step that a rule makes of recorded numbers, alone, of products, scaled, and with zeros and equal ones among them.
Trace trace_by(const Rule& rule, double scale, bool products, Index terms = 6) {
  Trace trace;
  const auto record = [](std::string id, std::string title, Tensor values) {
    Step step;
    step.info = {.id = std::move(id), .title = std::move(title), .note = {}, .axes = {}};
    step.info.axes = {{.symbol = "d_q", .name = "channel", .size = values.size()}};
    step.extents = {extent_of(values.values())};
    step.values = std::make_shared<const Tensor>(std::move(values));
    return step;
  };
  const std::vector<float> x{0.75F, -1.5F, 0, 2.25F, 2.25F, -0.125F}, y{1.5F, 0.5F, 2, -0.25F, 3, 1},
      given{1.25F, 0.5F, 0.25F, 1.5F};
  trace.sources = {record("x", "First numbers", Tensor::from({6}, x)),
                   record("y", "Second numbers", Tensor::from({6}, y)),
                   record("given", "Parameters", Tensor::from({4}, given))};
  const auto explain = [=](Index cell) {
    Explanation e;
    e.combine = rule.combine;
    e.scale = scale;
    e.self = cell;
    e.epsilon = 0.001;
    for (Index i = 0; i < terms; ++i) {
      e.terms.push_back({{Operand::of("x", i)}});
      if (products) e.terms.back().factors.push_back(Operand::of("y", rule.has_own_term() ? i : (i + cell) % terms));
    }
    const bool divides = rule.form == Rule::Form::quotient;
    for (Index i = 0; (rule.is_normalised() || rule.has_sink || divides) && i < 4; ++i)
      e.parameters.push_back(Operand::of("given", i));
    return e;
  };
  Tensor made({terms});
  for (Index cell = 0; cell < terms; ++cell) made[cell] = static_cast<float>(evaluate(explain(cell), trace));
  trace.steps = {record("made", "What it makes", std::move(made))};
  trace.steps.front().explain = explain;
  return trace;
}

// Products of trace_by(), and its first terms, add up to less than 0, where a logarithm has no number.
bool is_of_positive_sums(const Rule& rule) {
  return rule.combine == Combine::logarithm;
}

// Of what no variant has, and networks that learn have: how surprised one is by an answer.
Trace trace_of_surprise() {
  const auto logits = std::make_shared<const Tensor>(test::drawn({1, 2, 3}, 1));
  const auto answers = std::make_shared<const Tensor>(Shape{1, 2});
  const Variant& piece = learn::cross_entropy_piece();
  const auto problem = prepare_arrays(piece, {}, {{"logits", logits}, {"answers", answers}});
  REQUIRE(problem);
  const auto trace = test::run(*problem);
  REQUIRE(trace);
  return *trace;
}

}  // namespace

TEST_CASE("every rule of the table tells a story that multiplies out, of whatever terms") {
  for (const Rule& rule : rules())
    for (const double scale : {1.0, 0.5, 3.0})
      for (const bool products : {false, true}) {
        INFO(rule.name << ", scale " << scale << (products ? ", products" : ""));
        if (rule.has_own_term() && scale != 1) continue;  // these have none
        if (is_of_positive_sums(rule) && products) continue;
        const Trace trace = trace_by(rule, scale, products);
        Counted counted;
        check_stories(trace, counted);
        CHECK(counted.cells == 6);
        CHECK(counted.in_numbers + counted.in_words >= 6);
        if (!rule.sums_to_one()) continue;
        double sum = 0;
        for (const float value : trace.steps.front().tensor().values()) sum += value;
        CHECK(sum == Approx(1));
      }
}

// What a worksheet's key writes, in the reader's signs.
std::string as_read(std::string text) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("(−", "(-");
  replace(", −", ", -");
  replace("·", " × ");
  replace("the largest", "largest");
  return text.starts_with("−") ? "-" + text.substr(std::string("−").size()) : text;
}

TEST_CASE("numbers are printed with minus signs, and read again") {
  CHECK(number_text(-0.1012) == "−0.101");
  CHECK(number_text(-1.2e-5) == "−1.20e−05");
  CHECK(number_text(-0.0) == "0.000");
  CHECK(parsed_number("−1.20e−05") == -1.2e-5);
  CHECK(parsed_number("−∞") < -1e300);
  CHECK(last_digit("−1.20e−05") == Approx(1e-7));
  const auto printed = [](double value) { return printed_rule(value, ""); };
  CHECK(sum_text({printed(-0.5), printed(-0.25), printed(2)}) == "−0.500 − 0.250 + 2.000");
  CHECK(fill_in_numbers("{} − {}", {printed(-0.5), printed(-0.25)}) == "−0.500 − (−0.250)");
}

TEST_CASE("a worksheet's key says of every rule what the numbers of the sheet give") {
  for (const Rule& rule : rules())
    for (const double scale : {1.0, 0.5})
      for (const bool products : {false, true}) {
        if (rule.has_own_term() && scale != 1) continue;
        if (is_of_positive_sums(rule)) continue;
        INFO(rule.name << ", scale " << scale << (products ? ", products" : ""));
        WorksheetRequest request;
        request.steps = {"x", "y", "given", "made"};
        const auto made = make_worksheet(trace_by(rule, scale, products, 3), request);
        REQUIRE(made);
        CHECK(made->sheet.answers.size() >= 2);
        for (const std::string& answer : made->sheet.answers) {
          INFO(answer);
          const auto colon = answer.find(": "), equals = answer.rfind(" = ");
          const std::string expression = answer.substr(colon + 2, equals - colon - 2);
          CHECK(expression.find("…") == std::string::npos);               // three terms are told whole
          if (expression.find(", over ") != std::string::npos) continue;  // in words
          const auto said = Reckoner(as_read(expression)).result();
          REQUIRE(said);
          const double printed = parsed_number(as_read(answer.substr(equals + 3)));
          CHECK(std::abs(*said - printed) <= 0.006 + 0.01 * std::abs(printed));
        }
      }
}

TEST_CASE("each rule of the table is in some sketch, and the check sees a number that its rule did not make") {
  std::set<Combine> met;
  for (const auto& sketch : test::all_sketches()) {
    const auto trace = test::run(sketch);
    REQUIRE(trace);
    for (const auto* list : {&trace->sources, &trace->steps})
      for (const Step& step : *list)
        if (step.explain) met.insert(step.explain(0).combine);
  }
  for (const Step& step : trace_of_surprise().steps) met.insert(step.explain(0).combine);
  for (const Rule& rule : rules()) {
    INFO(rule.name);
    CHECK(met.contains(rule.combine));
    Trace trace = trace_by(rule, 1, false);
    Tensor off = trace.steps.front().tensor();
    off[3] += 0.01F;
    trace.steps.front().values = std::make_shared<const Tensor>(std::move(off));
    CHECK_FALSE(trace_cell(trace, trace.steps.front(), 3).check_ok);
    CHECK_FALSE(complaint(trace_cell(trace, trace.steps.front(), 3), trace).empty());
  }
}

TEST_CASE("the check under a weight sees a weight exchanged with its neighbour, and one that is off") {
  const auto whole = trace_of(example_experiment());
  REQUIRE(whole);
  const auto planted = [&](Index from, Index to, float more) {
    Trace trace = **whole;
    for (Step& step : trace.steps) {
      if (step.info.id != "weights") continue;
      Tensor values = step.tensor();
      std::swap(values[from], values[to]);
      values[from] += more;
      step.values = std::make_shared<const Tensor>(std::move(values));
    }
    return trace;
  };
  const Index row = ((0 * 8 + 2) * 12 + 9) * 12, cell = row + 3;  // head 2, query 9
  CHECK(trace_cell(**whole, *(*whole)->find("weights"), cell).check_ok);
  const Trace exchanged = planted(cell, row + 4, 0);
  for (const Index of : {cell, row + 4}) {
    const CellTrace story = trace_cell(exchanged, *exchanged.find("weights"), of);
    INFO(story.check);
    CHECK_FALSE(story.check_ok);
    CHECK(story.check.starts_with("Recomputed: off by"));
    CHECK(story.check.ends_with("sums to 1.0000"));
  }
  const Trace other = planted(cell, cell, 0.25F);  // its neighbours are right, the row is not
  CHECK_FALSE(trace_cell(other, *other.find("weights"), row + 4).check_ok);
}

TEST_CASE("the digits that are said to agree do, and the next does not") {
  const auto whole = trace_of(example_experiment());
  REQUIRE(whole);
  int said = 0;
  for (const Step& step : (*whole)->steps) {
    for (Index cell = 0; cell < step.tensor().size(); cell += 1 + step.tensor().size() / 37) {
      const CellTrace story = trace_cell(**whole, step, cell);
      constexpr std::string_view words = "Recomputed: agrees to ";
      if (!story.check.starts_with(words)) continue;
      ++said;
      const int digits = std::stoi(story.check.substr(words.size()));
      const double relative = story.difference / std::abs(story.value);
      INFO(step.info.id << " " << cell << ": " << story.check);
      CHECK(relative <= std::pow(10.0, -digits));
      CHECK(relative > std::pow(10.0, -digits - 1));
    }
  }
  CHECK(said > 50);
}

TEST_CASE("a masked weight is told as masked with its reason, in its story and in the sums it takes no part in") {
  const auto trace = trace_of(example_experiment());
  REQUIRE(trace);
  const Step& weights = *(*trace)->find("weights");
  const CellTrace hidden = trace_cell(**trace, weights, (2 * 12 + 2) * 12 + 5);  // head 2, query 2, key 5
  CHECK(hidden.result == "masked");
  CHECK(hidden.lines.back().value == "masked");
  CHECK(hidden.lines.back().expression.find("causal") != std::string::npos);
  const Step& sums = *(*trace)->find("head_outputs");
  const CellTrace summed =
      trace_cell(**trace, sums, flat_at_index(sums.tensor().shape(), std::vector<Index>{0, 2, 2, 0}));
  REQUIRE(summed.table);
  REQUIRE(summed.table->rows.size() == 12);
  for (std::size_t key = 0; key < 12; ++key) CHECK(summed.table->rows[key].masked.empty() == (key <= 2));
  CHECK(to_text(summed, **trace).find("masked by causal: key 5 comes after query 2") != std::string::npos);
}

TEST_CASE("a long table shows what matters first and counts what is nothing") {
  OperandTable table;
  for (int i = 0; i < 40; ++i)
    table.rows.push_back({fmt::format("{}", i), {1, i % 4 ? 0.0 : i - 20.0}, i % 4 ? 0.0 : i - 20.0});
  table.rows[7].masked = "causal";
  const ShownRows shown = shown_rows(table);
  CHECK(shown.zero + shown.masked + shown.order.size() == 40);
  CHECK(shown.masked == 1);
  CHECK(shown.order.front() == 0);  // -20, the furthest from 0
  CHECK(shown.order[1] == 4);
  CHECK(shown.order[2] == 36);
  table.rows.resize(8);
  CHECK(shown_rows(table).order.size() == 8);  // a short one stands as it is
  CHECK(shown_rows(table).order[5] == 5);
}

TEST_CASE("each column of a story is headed by what stands in it, in few letters") {
  std::set<std::string> headings;
  for (const auto& sketch : test::all_sketches()) {
    INFO(sketch.name);
    const auto trace = test::run(sketch);
    REQUIRE(trace);
    for (const Step& step : trace->steps)
      for (const Index cell : {Index{0}, step.tensor().size() - 1})
        if (const CellTrace story = trace_cell(*trace, step, cell); story.table)
          for (std::size_t i = 0; i + 1 < story.table->headings.size(); ++i) headings.insert(story.table->headings[i]);
  }
  for (const std::string& heading : headings) {
    INFO(heading);
    CHECK_FALSE(heading.empty());
    CHECK(heading.size() <= 16);  // bytes; "[θ; φ pooled]" is the longest
  }
  CHECK(headings.contains("φ pooled"));

  const auto sample = parse_experiment(
      R"({"variant": "non_local", "params": {"mode": "concatenation", "inter_channels": 2, "sub_sample": false},
          "inputs": {"x": [[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]]}})",
      {}, "");
  REQUIRE(sample);
  const auto trace = trace_of(*sample);
  REQUIRE(trace);
  const CellTrace story = trace_cell(**trace, *(*trace)->find("scores"), 0);
  REQUIRE(story.table);
  CHECK(story.table->headings[1] == "[θ; φ]");
  std::vector<std::string> rows;
  for (const OperandRow& row : story.table->rows) rows.push_back(row.index);
  CHECK(rows == std::vector<std::string>{"θ 0", "θ 1", "φ 0", "φ 1"});
}

TEST_CASE("a number that is copied from a window names its key by the offset") {
  const auto experiment = parse_experiment(
      R"({"variant": "stand_alone_2d", "params": {"extent": 3, "heads": 1, "mid_channels": 2},
          "inputs": {"x": [[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]}})",
      {}, "");
  REQUIRE(experiment);
  const auto trace = trace_of(*experiment);
  REQUIRE(trace);
  const Step& masked = *(*trace)->find("masked_scores");
  const CellTrace story = trace_cell(**trace, masked, 4 * 9 + 1);  // the middle asks the pixel above it
  const auto copied = std::ranges::find(story.lines, std::string("copied from"), &TraceLine::label);
  REQUIRE(copied != story.lines.end());
  CHECK(copied->expression.ends_with("query 1, 1, key −1, 0"));
}

TEST_CASE("a product of a sum is headed as one") {
  const RanExperiment run = ran(example_experiment());
  const CellTrace story = trace_cell(*run.trace, *run.trace->find("q"), 0);
  REQUIRE(story.table);
  CHECK(story.table->headings == std::vector<std::string>{"x + p", "w_q", "(x + p)·w_q"});
}

TEST_CASE("a row of numbers is told by the rule that made it, with its sink, and hidden keys in words") {
  for (const char* by : {"softmax", "softmax_sink", "sigmoid", "sparsemax", "entmax15"}) {
    INFO(by);
    const auto experiment =
        parse_experiment(fmt::format(R"({{"variant": "multi_head", "params": {{"normalize": "{}", "mask": "causal"}},
                        "inputs": {{"x_q": {{"text": "a few words more"}}}}, "weights": {{"init": "normal"}}}})",
                                     by),
                         {}, "");
    REQUIRE(experiment);
    const auto trace = trace_of(*experiment);
    REQUIRE(trace);
    const Step& weights = *(*trace)->find("weights");
    const RowNumbers told = row_numbers(**trace, weights, Focus{.head = 1, .flat = true}, 2);
    REQUIRE(std::ssize(told.rows) == weights.tensor().dim(-1));
    for (const NumberRow& row : told.rows) CHECK(row.values.size() == told.columns.size());
    CHECK(told.rows.back().masked.find("causal") != std::string::npos);
    const bool share = std::string_view(by).starts_with("softmax");
    REQUIRE(told.columns.size() == (share ? 3 : 2));
    if (!share) continue;
    double sum = 0;
    for (const NumberRow& row : told.rows) sum += row.values[2];
    const double sink = std::string_view(by) == "softmax_sink"
                            ? (*trace)->find("sink_weights")->tensor()[weights.tensor().dim(2) + 2]
                            : 0;
    CHECK(sum + sink == Approx(1).margin(1e-5));
    CHECK((told.columns[1].note.find("sink") != std::string::npos) == (sink > 0));
  }
}
