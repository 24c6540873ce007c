// Sheets of exercises: what is left out, what the key says, and that all of it stays on the paper.
#include "app/page/worksheet.h"
#include "app/page/raised_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "app/worksheets/worksheet_of.h"
#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "tests/catch.h"
#include "tests/runs.h"
#include "tests/scratch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Trace> trace_of(const std::string& name, double dropout = 0) {
  auto experiment = example(name);
  if (experiment && dropout > 0) {
    experiment->params.set("dropout", dropout);
  }
  return ran(std::move(experiment)).trace;
}

MadeWorksheet made_of(const Trace& trace, const WorksheetRequest& request) {
  auto made = make_worksheet(trace, request);
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}

std::string refusal(const Trace& trace, const WorksheetRequest& request) {
  const auto made = make_worksheet(trace, request);
  return made ? "" : made.error().message;
}

std::vector<Page> pages_of(const Worksheet& sheet, SheetSide side, PaperSize paper = a4_paper) {
  const auto fonts = FontSet::load(font_files_in(HEADLIGHT_FONT_FOLDER));
  REQUIRE(fonts);
  auto pages = lay_out(sheet, paper, side, *fonts);
  if (!pages) FAIL(pages.error().message);
  return std::move(*pages);
}

// What stands in the box of that number, without the number.
std::vector<std::string> in_box(const std::vector<Page>& pages, int number) {
  for (const Page& page : pages)
    for (const TextItem& label : page.texts) {
      if (label.line.text != fmt::format("{}:", number)) continue;
      const auto top = std::ranges::find_if(page.lines, [&](const LineItem& line) {
        return line.from.y == line.to.y && line.from.x <= label.origin.x && label.origin.x <= line.to.x &&
               line.from.y <= label.origin.y && label.origin.y <= line.from.y + 6.5;
      });
      REQUIRE(top != page.lines.end());
      const double bottom = (top + 1)->to.y;
      std::vector<std::string> found;
      for (const TextItem& text : page.texts)
        if (&text != &label && text.origin.y > top->from.y && text.origin.y <= bottom &&
            text.origin.x + text.line.width > top->from.x && text.origin.x < top->to.x)
          found.push_back(text.line.text);
      return found;
    }
  FAIL("there is no box " << number);
  return {};
}

// The text as ASCII, as far as numbers go: "4.65·10⁻⁷" is "4.65e-7".
std::string ascii(std::string text) {
  const std::vector<std::pair<std::string, std::string>> signs{
      {"·10", "e"}, {"−", "-"}, {"⁻", "-"}, {"∞", "inf"}, {"⁰", "0"}, {"¹", "1"}, {"²", "2"},
      {"³", "3"},   {"⁴", "4"}, {"⁵", "5"}, {"⁶", "6"},   {"⁷", "7"}, {"⁸", "8"}, {"⁹", "9"}};
  for (const auto& [sign, letters] : signs)
    for (auto at = text.find(sign); at != std::string::npos; at = text.find(sign))
      text.replace(at, sign.size(), letters);
  return text;
}

double number_of(const std::string& text) {
  if (text == "masked") return 0;  // it takes no part
  return std::stod(ascii(text));
}

using At = std::pair<std::string, Index>;  // step and flat cell

// The sheet's numbers as the key has them, by their places in the trace.
std::map<At, std::string> printed_numbers(const MadeWorksheet& made) {
  std::map<At, std::string> printed;
  auto place = made.numbers.begin();
  for (const SheetTable& table : made.sheet.tables)
    for (const SheetRow& row : table.rows)
      for (const SheetCell& cell : row.cells) {
        REQUIRE(place != made.numbers.end());
        printed[{place->step, place->cell}] = cell.text;
        ++place;
      }
  CHECK(place == made.numbers.end());
  return printed;
}

// What a page has for each number: "0.350", and among the questions "(4)" and, for a box, "4:".
std::map<At, std::string> on_pages(const MadeWorksheet& made, SheetSide side) {
  std::vector<std::string> texts;
  for (const Page& page : pages_of(made.sheet, side))
    for (const TextItem& text : page.texts) texts.push_back(text.line.text);
  std::map<At, std::string> found;
  auto text = texts.begin();
  auto place = made.numbers.begin();
  for (const SheetTable& table : made.sheet.tables) {
    const auto labels = std::search(text, texts.end(), table.column_labels.begin(), table.column_labels.end());
    REQUIRE(labels != texts.end());
    text = labels + static_cast<std::ptrdiff_t>(table.column_labels.size());
    for (const SheetRow& row : table.rows) {
      REQUIRE(*text++ == row.label);
      for (const SheetCell& cell : row.cells) {
        if (cell.blank > 0 && side == SheetSide::key) ++text;  // the box's number, before what is in it
        found[{place->step, place->cell}] = *text++;
        ++place;
      }
      if (table.cut) ++text;
    }
  }
  return found;
}

// The numbers that one follows from by being the same, whatever they are.
std::set<At> same_as(const At& place, const Trace& trace) {
  const Step* step = trace.find(place.first);
  if (!step || !step->explain) return {};
  const Explanation e = step->explain(place.second);
  const double own = step->tensor()[place.second];
  std::set<At> operands;
  for (const Term& term : e.terms)
    for (const Operand& factor : term.factors)
      if (!factor.array.empty() && value_of(factor, trace) == own) operands.emplace(factor.array, factor.cell);
  std::set<At> same;
  for (const At& operand : operands) {
    Explanation changed = e;
    std::vector<Operand*> changing;
    for (Term& term : changed.terms)
      for (Operand& factor : term.factors)
        if (factor.cell == operand.second && factor.array == operand.first) changing.push_back(&factor);
    const bool follows = std::ranges::all_of(std::array{1.0, -1000.0}, [&](double more) {
      for (Operand* factor : changing) *factor = Operand::constant(own + more, "");
      return evaluate(changed, trace) == own + more;
    });
    if (!follows) continue;
    same.insert(operand);
    same.merge(same_as(operand, trace));
  }
  return same;
}

std::set<At> places_of(const MadeWorksheet& made) {
  std::set<At> places;
  for (const auto& [step, cell] : made.blanks) places.emplace(step, cell);
  return places;
}

// What stands after a word of a table's note or formula.
std::optional<double> told_after(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  if (at == std::string::npos) return std::nullopt;
  return number_of(text.substr(at + word.size()));
}

struct Said {
  int status = -1;
  std::string text;
};

// Both outputs together.
Said shell(const std::string& command) {
  const Scratch scratch;
  const fs::path out = scratch / "said.txt";
  const int status = std::system(fmt::format("({}) >{} 2>&1", command, out.string()).c_str());
  std::ostringstream text;
  text << std::ifstream(out, std::ios::binary).rdbuf();
  return {status, text.str()};
}

int count_of(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  int count = 0;
  for (std::string next; words >> next;) count += next == word;
  return count;
}

}  // namespace

TEST_CASE("a sheet's number has three significant digits") {
  CHECK(sheet_number(0.35) == "0.350");
  CHECK(sheet_number(-12) == "−12.0");
  CHECK(sheet_number(113.2) == "113");
  CHECK(sheet_number(0.000012345) == "1.23·10⁻⁵");
  CHECK(sheet_number(-446000) == "−4.46·10⁵");
  CHECK(sheet_number(113.25, 5) == "113.25");
  CHECK(sheet_number(1, 5) == "1.0000");
  CHECK(sheet_number(-0.0) == "0");
  CHECK(sheet_number(-INFINITY) == "−∞");
}

TEST_CASE("the key says the trace's numbers, and the sheet leaves them out") {
  for (const char* name : {"random-weights", "causal", "cross-attention", "relative", "signal"}) {
    INFO(name);
    const auto trace = trace_of(name);
    const MadeWorksheet made = made_of(*trace, {});
    REQUIRE(made.blanks.size() == 12);
    REQUIRE(made.sheet.answers.size() == 12);
    const auto sheet = pages_of(made.sheet, SheetSide::questions), key = pages_of(made.sheet, SheetSide::key);
    for (std::size_t i = 0; i < made.blanks.size(); ++i) {
      const Step* step = trace->find(made.blanks[i].step);
      const double value = step->tensor()[made.blanks[i].cell];
      const int number = static_cast<int>(i) + 1;
      INFO(made.sheet.answers[i]);
      CHECK(in_box(sheet, number).empty());
      const auto told = in_box(key, number);
      REQUIRE(told.size() == 1);
      CHECK(number_of(told[0]) == Approx(value).epsilon(0.006).margin(1e-30));
      CHECK(evaluate(step->explain(made.blanks[i].cell), *trace) == Approx(value).epsilon(1e-3).margin(1e-5));
      CHECK(made.sheet.answers[i].starts_with(fmt::format("{}: ", number)));
      CHECK(made.sheet.answers[i].find(" = " + told[0]) != std::string::npos);
    }
  }
}

TEST_CASE("each answer follows from the numbers as they are printed, and none is printed again") {
  int copies = 0;
  for (const auto& file : fs::directory_iterator(fs::path(HEADLIGHT_SOURCE_DIR) / "assets" / "examples")) {
    if (file.path().extension() != ".headlight") continue;
    const auto trace = trace_of(file.path().stem().string());
    std::map<At, std::set<At>> same;  // for all seeds
    const auto same_at = [&](const At& place) -> const std::set<At>& {
      const auto [found, fresh] = same.try_emplace(place);
      if (fresh) found->second = same_as(place, *trace);
      return found->second;
    };
    for (std::uint64_t seed = 1; seed < 4; ++seed) {
      const MadeWorksheet made = made_of(*trace, {.seed = seed});
      const auto key = on_pages(made, SheetSide::key);
      const auto blanks = places_of(made);
      CHECK(key == printed_numbers(made));
      // A box and what stands for one are what its solver finds.
      std::map<At, std::string> printed;
      for (const auto& [place, text] : on_pages(made, SheetSide::questions)) {
        const bool copy = text.starts_with("(");
        if (copy || text.ends_with(":")) {
          const SheetNumber& box = made.blanks.at(std::stoul(text.substr(copy ? 1 : 0)) - 1);
          printed[place] = key.at({box.step, box.cell});
          if (copy) CHECK(same_at(place).contains({box.step, box.cell}));
          copies += copy;
          continue;
        }
        printed[place] = text;
        for (const auto& [id, cell] : same_at(place)) {
          if (!blanks.contains({id, cell})) continue;
          INFO(file.path() << " " << place.first << " " << place.second << " tells " << id << " " << cell);
          CHECK_FALSE(blanks.contains({id, cell}));
        }
      }
      for (std::size_t i = 0; i < made.blanks.size(); ++i) {
        const auto& [id, cell] = made.blanks[i];
        INFO(file.path() << " " << made.sheet.answers[i]);
        const auto table = std::ranges::find(made.sheet.tables, trace->find(id)->info.title, &SheetTable::title);
        REQUIRE(table != made.sheet.tables.end());
        Explanation e = trace->find(id)->explain(cell);
        const auto sum = told_after(table->note, "row is ");
        if (sum) e.terms = {e.terms[static_cast<std::size_t>(e.self)]};
        for (Term& term : e.terms)
          for (Operand& factor : term.factors)
            if (const auto number = printed.find({factor.array, factor.cell}); number != printed.end())
              factor = Operand::constant(number_of(number->second), "");
        if (!e.scale_label.empty()) e.scale = told_after(table->formula, e.scale_label + " = ").value();
        const double found = sum ? std::exp(value_of(e.terms[0], *trace)) / *sum : evaluate(e, *trace);
        const std::string& text = printed.at({id, cell});
        const double answer = number_of(text);
        const auto digits =
            std::ranges::count_if(text.substr(0, text.find("·")), [](char c) { return c >= '0' && c <= '9'; });
        CHECK(digits <= 8);
        const double last = answer == 0 ? 0 : std::pow(10, std::floor(std::log10(std::abs(answer))) - 2);
        CHECK(std::abs(found - answer) <= std::max(last, 0.005 * std::abs(answer)) + 1e-12);
        CHECK_FALSE(made.sheet.answers[i].ends_with(": " + text + " = " + text));
      }
    }
  }
  CHECK(copies > 0);
}

TEST_CASE("answers differ where they can") {
  for (const char* name : {"image", "video", "random-weights", "relative", "causal"}) {
    const auto trace = trace_of(name);
    const MadeWorksheet made = made_of(*trace, {});
    const auto printed = printed_numbers(made);
    std::set<std::string> answers;
    for (const auto& [id, cell] : made.blanks) answers.insert(printed.at({id, cell}));
    INFO(name << ": " << fmt::format("{}", fmt::join(answers, " ")));
    CHECK(answers.size() == 12);
  }
}

TEST_CASE("an answer of 0 says of which numbers") {
  const auto trace = trace_of("random-weights", 0.3);
  int most = 60;
  while (!make_worksheet(*trace, {.blanks = most})) --most;
  const MadeWorksheet made = made_of(*trace, {.blanks = most});
  int zeros = 0;
  for (const std::string& answer : made.sheet.answers) {
    INFO(answer);
    CHECK_FALSE(answer.ends_with(": 0 = 0"));
    zeros += answer.find(": 0·0.") != std::string::npos && answer.ends_with(" = 0");
  }
  CHECK(zeros > 0);
}

TEST_CASE("with dropout on, what it leaves of the weights stands on the sheet") {
  const auto trace = trace_of("random-weights", 0.3);
  const MadeWorksheet made = made_of(*trace, {});
  std::vector<std::string> titles;
  for (const SheetTable& table : made.sheet.tables) titles.push_back(table.title);
  INFO(fmt::format("{}", fmt::join(titles, ", ")));
  const auto after = std::ranges::find(titles, "Weights after dropout");
  REQUIRE(after != titles.end());
  CHECK(std::ranges::find(after, titles.end(), trace->find("head_outputs")->info.title) != titles.end());
  CHECK(std::ranges::count(made.blanks, "head_outputs", &SheetNumber::step) > 0);
}

TEST_CASE("a query's token is counted from 0, as everywhere") {
  const auto trace = trace_of("random-weights");
  CHECK(made_of(*trace, {.query = 3}).sheet.subject.ends_with("token 3"));
}

TEST_CASE("the keys of a window are named by where they lie from the query, those of a picture by their places") {
  const auto table_of = [](const char* name) {
    const MadeWorksheet made = made_of(*trace_of(name), {});
    const auto weights = std::ranges::find(made.sheet.tables, "Attention weights", &SheetTable::title);
    REQUIRE(weights != made.sheet.tables.end());
    return *weights;
  };
  const SheetTable window = table_of("window");
  CHECK(window.corner == "key, from query");
  CHECK(fmt::format("{}", fmt::join(window.column_labels, "; ")) ==
        "−1, −1; −1, 0; −1, +1; 0, −1; 0, 0; 0, +1; +1, −1; +1, 0; +1, +1");
  for (const char* name : {"image", "relative", "video", "causal"}) {
    INFO(name);
    const SheetTable table = table_of(name);
    CHECK(table.corner == "key");
    for (const std::string& label : table.column_labels) CHECK(label.find("−") == std::string::npos);
  }
}

TEST_CASE("indices and exponents are smaller and shifted") {
  const auto fonts = FontSet::load(font_files_in(HEADLIGHT_FONT_FOLDER));
  REQUIRE(fonts);
  const auto parts_of = [&](const std::string& formula) {
    std::vector<std::string> parts;
    for (const RaisedPart& part : set_raised(*fonts, 500, Face::regular, 10, 5, formula).parts)
      parts.push_back(fmt::format("{}{}", part.y < 0 ? "^" : part.y > 0 ? "_" : "", part.line.text));
    return fmt::format("{}", fmt::join(parts, "|"));
  };
  CHECK(parts_of("Σ_c q_ic k_jc") == "Σ|_c| q|_ic| k|_jc");
  CHECK(parts_of("c_(ij, ab) = σ²ᵢ") == "c|_ij, ab| = σ|^2|_i");
  CHECK(parts_of("a _ b") == "a _ b");
  CHECK(parts_of("x^row_(a − (i))/√d′") == "x|^row|_a − (i)|/√d′");
  const RaisedLine both = set_raised(*fonts, 500, Face::regular, 10, 5, "x^q_i");
  CHECK(both.parts[1].x == both.parts[2].x);
  CHECK(both.parts[1].line.size < 8);
  const RaisedLine cut = set_raised(*fonts, 60, Face::regular, 10, 5, "a_b" + std::string(100, 'c') + " d_e");
  CHECK(cut.width <= 60);
  CHECK(cut.parts.back().line.shown.ends_with("…"));
}

TEST_CASE("numbers of a table are whole and of one size, and a key writes out the terms that tell most") {
  WorksheetRequest request;
  request.head = 2;
  request.query = 11;
  const MadeWorksheet made = made_of(*trace_of("causal"), request);
  for (const Page& page : pages_of(made.sheet, SheetSide::questions))
    for (const TextItem& text : page.texts)
      if (text.line.text.ends_with("…")) CHECK(text.line.text == "…");  // behind a row that is cut, never in a number
  const auto pages = pages_of(made.sheet, SheetSide::questions);
  for (const SheetTable& table : made.sheet.tables) {
    std::set<std::string> numbers;
    std::set<double> sizes;
    for (const SheetRow& row : table.rows)
      for (const SheetCell& cell : row.cells)
        if (cell.blank == 0 && cell.copied == 0 && cell.text.find('.') != std::string::npos) numbers.insert(cell.text);
    for (const SheetTable& other : made.sheet.tables)  // a number that stands elsewhere too may be larger there
      for (const SheetRow& row : other.rows)
        for (const SheetCell& cell : row.cells)
          if (&other != &table) numbers.erase(cell.text);
    INFO(table.title);
    for (const Page& page : pages)
      for (const TextItem& text : page.texts)
        if (numbers.contains(text.line.text) && table.title == "Keys") sizes.insert(text.line.size);
    CHECK(sizes.size() <= 1);
    for (const std::string& number : numbers)  // a small one beside large ones has four digits, and a ten
      if (number.find("·10") != std::string::npos && table.title == "Keys")
        CHECK(std::ranges::count_if(number, [](char c) { return c >= '0' && c <= '9'; }) <= 6);
  }
  // So are the answers in the boxes, on the key.
  const auto table = std::ranges::find(made.sheet.tables, "Scaled scores", &SheetTable::title);
  REQUIRE(table != made.sheet.tables.end());
  std::set<std::string> in_boxes, printed;
  std::set<double> sizes, sizes_of_printed;
  for (const SheetCell& cell : table->rows[0].cells) (cell.blank > 0 ? in_boxes : printed).insert(cell.text);
  REQUIRE(in_boxes.size() > 1);
  const auto key_pages = pages_of(made.sheet, SheetSide::key);
  for (const TextItem& text : key_pages.front().texts) {
    if (in_boxes.contains(text.line.text) && text.line.face == Face::semibold) sizes.insert(text.line.size);
    if (printed.contains(text.line.text)) sizes_of_printed.insert(text.line.size);
  }
  CHECK(sizes.size() == 1);
  CHECK(sizes_of_printed.contains(*sizes.begin()));
  // The largest score of the row, which takes most of it, is in every sum that it makes.
  const std::shared_ptr<const Trace> trace = trace_of("causal");
  const Tensor& scores = trace->find("masked_scores")->tensor();
  const Index width = scores.dim(3), row = (2 * scores.dim(2) + 11) * width;
  const float largest = *std::max_element(scores.data() + row, scores.data() + row + width);
  Index sums = 0;
  for (const std::string& answer : made.sheet.answers)
    if (answer.find("exp(") != std::string::npos) {
      sums += 1;
      CHECK(answer.find(fmt::format("exp({:.3f})", largest)) != std::string::npos);
    }
  CHECK(sums > 0);
}

TEST_CASE("the key's answers stay together") {
  for (const char* name : {"causal", "image", "random-weights", "relative"}) {
    const MadeWorksheet made = made_of(*trace_of(name), {});
    const auto pages = pages_of(made.sheet, SheetSide::key);
    const auto on = [&](const std::string& answer) {
      return std::ranges::find_if(pages, [&](const Page& page) {
        return std::ranges::any_of(page.texts, [&](const TextItem& text) { return text.line.text == answer; });
      });
    };
    INFO(name);
    REQUIRE(on(made.sheet.answers.front()) != pages.end());
    CHECK(on(made.sheet.answers.front()) == on(made.sheet.answers.back()));
    if (std::string(name) == "image" || std::string(name) == "relative") CHECK(pages.size() == 1);  // in two columns
  }
}

TEST_CASE("no box has only boxes to be computed from, and another seed makes other boxes") {
  const auto trace = trace_of("random-weights");
  WorksheetRequest request;
  request.blanks = 18;
  const auto first = places_of(made_of(*trace, request));
  CHECK(first == places_of(made_of(*trace, request)));
  for (request.seed = 2; request.seed < 12; ++request.seed) {
    const MadeWorksheet made = made_of(*trace, request);
    const auto places = places_of(made);
    CHECK(places != first);
    for (const auto& [id, cell] : made.blanks) {
      int on_sheet = 0;
      for (const Term& term : trace->find(id)->explain(cell).terms)
        for (const Operand& factor : term.factors)
          on_sheet += !factor.array.empty() && !places.contains({factor.array, factor.cell});
      INFO(id << " " << cell);
      CHECK(on_sheet > 0);
    }
  }
}

TEST_CASE("of a row that is cut, the sum of exp is told, so that weights can be left out") {
  const auto trace = trace_of("relative");
  WorksheetRequest request;
  request.head = 3;
  request.query = 21 * 32 + 13;
  const MadeWorksheet made = made_of(*trace, request);
  const auto table = std::ranges::find(made.sheet.tables, "Attention weights", &SheetTable::title);
  REQUIRE(table != made.sheet.tables.end());
  const auto at = table->note.find("row is ");
  REQUIRE(at != std::string::npos);
  const double sum = number_of(table->note.substr(at + 7));
  int weights = 0;
  for (const auto& [id, cell] : made.blanks) {
    if (id != "weights") continue;
    ++weights;
    const double score = trace->find("scaled_scores")->tensor()[cell];
    CHECK(std::exp(score) / sum == Approx(trace->find(id)->tensor()[cell]).epsilon(0.01));
  }
  CHECK(weights > 1);
}

TEST_CASE("what cannot be asked is refused in one line") {
  const auto trace = trace_of("random-weights");
  const auto refused = [&](const WorksheetRequest& request, const char* word) {
    const std::string said = refusal(*trace, request);
    INFO(said);
    CHECK(said.find(word) != std::string::npos);
    CHECK(said.find('\n') == std::string::npos);
  };
  refused({.blanks = 1000}, "--blanks is 1000");
  refused({.steps = {"nothing"}}, "--step nothing");
  refused({.steps = {"weights"}}, "--step");
  refused({.head = 4}, "from 0 to 3");
  refused({.query = 99}, "--query is 99");
}

TEST_CASE("nothing leaves the paper, and what is too much goes to another page") {
  for (const char* name : {"causal", "image", "video", "window", "random-weights"}) {
    const auto trace = trace_of(name);
    WorksheetRequest request;
    request.title = std::string(300, 'W');
    if (std::string(name) == "random-weights")
      for (const Step& step : trace->steps) request.steps.push_back(step.info.id);
    const MadeWorksheet made = made_of(*trace, request);
    for (const PaperSize paper : {a4_paper, letter_paper}) {
      const auto pages = pages_of(made.sheet, SheetSide::key, paper);
      if (!request.steps.empty()) CHECK(pages.size() > 1);
      for (const Page& page : pages)
        for (const TextItem& text : page.texts) {
          INFO(name << ": " << text.line.text);
          const std::string_view first = std::string_view(text.line.text).substr(0, 1);
          if (text.line.face == Face::regular && first.find_first_of("0123456789") == 0) CHECK(text.line.cut.empty());
          CHECK(text.origin.x >= 40);
          CHECK(text.origin.x + text.line.width <= paper.width - 40);
          CHECK(text.origin.y <= paper.height - 20);
        }
    }
    for (const SheetTable& table : made.sheet.tables) {
      CHECK(table.column_labels.size() <= most_sheet_columns);
      CHECK(table.cut == (table.note.find("columns") != std::string::npos));
    }
  }
}

TEST_CASE("neither sheet nor key is written over what the run has read, or over the other") {
  const Scratch folder;
  const fs::path examples = fs::path(HEADLIGHT_SOURCE_DIR) / "assets" / "examples";
  const auto copy = [&](const std::string& from, const std::string& to) {
    fs::copy_file(examples / from, folder / to, fs::copy_options::overwrite_existing);
  };
  copy("causal.headlight", "x.pdf");
  copy("causal.headlight", "y-key.pdf");
  copy("signal.csv", "sg.pdf");
  std::ofstream(folder / "signal.headlight") << R"({"variant":"non_local","inputs":{"x":{"signal":"sg.pdf"}}})";
  fs::create_symlink("x.pdf", folder / "link.pdf");
  fs::create_symlink("s.pdf", folder / "dangling.pdf");
  fs::create_directory_symlink(".", folder / "here");
  const std::string go = fmt::format("cd {} && {} worksheet -q ", (folder / "").string(), HEADLIGHT_PROGRAM);
  const auto before = folder.contents();
  for (const auto& [arguments, word] : std::vector<std::pair<const char*, const char*>>{
           {"x.pdf -o x.pdf", "the experiment reads this file"},
           {"x.pdf -o link.pdf", "the experiment reads this file"},
           {"x.pdf -o here/x.pdf --no-key", "the experiment reads this file"},
           {"link.pdf -o x.pdf", "the experiment reads this file"},
           {"y-key.pdf -o y.pdf", "the experiment reads this file"},
           {"x.pdf -o s.pdf --key x.pdf", "the experiment reads this file"},
           {"x.pdf -o s.pdf --key link.pdf", "the experiment reads this file"},
           {"signal.headlight -o sg.pdf", "the experiment reads this file"},
           {"signal.headlight -o s.pdf --key sg.pdf", "the experiment reads this file"},
           {"x.pdf -o s.pdf --key s.pdf", "write over the sheet"},
           {"x.pdf -o s.pdf --key here/s.pdf", "write over the sheet"},
           {"x.pdf -o s.pdf --key dangling.pdf", "write over the sheet"}}) {
    const Said said = shell(go + arguments);
    INFO(arguments << ": " << said.text);
    CHECK(said.status != 0);
    CHECK(said.text.find(word) != std::string::npos);
    CHECK(std::ranges::count(said.text, '\n') == 1);
    CHECK((folder.contents() == before));
  }
  // Without a key nothing is written there.
  CHECK(shell(go + "y-key.pdf -o y.pdf --no-key").status == 0);
  CHECK(shell(go + "x.pdf -o s.pdf --key here/k.pdf").status == 0);
}

TEST_CASE("the command writes a sheet and its key, twice the same, as other programs read them") {
  const Scratch folder;
  const std::string command = fmt::format("cd {} && {} worksheet {} -q ", folder.path().string(), HEADLIGHT_PROGRAM,
                                          HEADLIGHT_SOURCE_DIR "/assets/examples/random-weights.headlight");
  CHECK(shell(command + "-o a.pdf --blanks 9 --paper letter").text.empty());
  REQUIRE(fs::exists(folder / "a-key.pdf"));
  CHECK(shell(command + "-o b.pdf --blanks 9 --paper letter --key c.pdf").status == 0);
  CHECK(shell(fmt::format("cd {} && cmp a.pdf b.pdf && cmp a-key.pdf c.pdf", folder.path().string())).status == 0);
  CHECK(shell(command + "-o d.pdf --no-key").status == 0);
  CHECK_FALSE(fs::exists(folder / "d-key.pdf"));
  const Said refused = shell(command + "-o e.pdf --key e.pdf");
  CHECK(refused.status != 0);
  CHECK(std::ranges::count(refused.text, '\n') == 1);
  CHECK_FALSE(fs::exists(folder / "e.pdf"));
  const Said read = shell(fmt::format("pdftotext -raw {} -", (folder / "a.pdf").string()));
  if (read.status == 0) {
    for (const char* token : {"every", "row", "still", "sums"}) CHECK(count_of(read.text, token) > 1);
    for (int number = 1; number <= 9; ++number) CHECK(count_of(read.text, fmt::format("{}:", number)) == 1);
    CHECK(count_of(read.text, "10:") == 0);
  } else {
    WARN("pdftotext is missing (poppler-utils): the PDF's text is not checked");
  }
}

TEST_CASE("columns that are left out say why they weigh nothing") {
  const auto note_of = [](Index query) {
    WorksheetRequest request;
    request.query = query;
    const MadeWorksheet made = made_of(*trace_of("causal"), request);  // 15 tokens, head 0: the token before
    const auto table = std::ranges::find(made.sheet.tables, "Scores", &SheetTable::title);
    REQUIRE(table != made.sheet.tables.end());
    return table->note;
  };
  CHECK(note_of(11) == "12 of 15 columns, those of the largest weights; the others are masked");
  const std::string last = note_of(14);
  CHECK(last.find("masked") == std::string::npos);
}

TEST_CASE("a sheet calls a masked weight masked, and no number of its key is printed 0 for it") {
  const auto trace = trace_of("causal");
  WorksheetRequest request;
  request.query = 2;
  const MadeWorksheet made = made_of(*trace, request);
  int masked = 0;
  for (const auto& [place, text] : printed_numbers(made)) {
    const Step& step = *trace->find(place.first);
    if (step.info.kind != Kind::probability) continue;
    const bool hidden = step.tensor()[place.second] == 0;
    CHECK((text == "masked") == hidden);
    masked += hidden;
  }
  CHECK(masked > 3);
}
