#include <algorithm>
#include <sstream>
#include <thread>

#include "app/actions/what_if.h"
#include "app/reading/cell_trace.h"
#include "app/reading/row_numbers.h"
#include "app/session/session.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

const TextInput& text_of(const Session& session) {
  return std::get<TextInput>(session.model().document.experiment->inputs.at("x_q"));
}

}  // namespace

TEST_CASE("the built-in example runs and is looked at as its view says") {
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  const Model& model = session.model();
  REQUIRE(model.trace());
  CHECK(model.error.empty());
  CHECK(model.step()->info.id == "weights");
  CHECK(model.document.look.head == 2);
  CHECK_FALSE(model.changed());
}

TEST_CASE("typing is one entry of undo, and undo names it") {
  Session session(example_experiment(), {}, {});
  const std::string before = text_of(session).text;
  for (const char* text : {"a", "a c", "a cat"}) session.act(SetText{"x_q", text, true});
  session.act(EndEdit{});
  CHECK(undo_name(session.model().history) == "text");
  session.act(SetParam{"heads", Index{4}, false});
  CHECK(undo_name(session.model().history) == "heads");
  session.act(Undo{});
  CHECK(session.model().document.experiment->params.integer("heads") == 8);
  session.act(Undo{});
  CHECK(text_of(session).text == before);
  session.act(Redo{});
  CHECK(text_of(session).text == "a cat");
  REQUIRE(session.settle());
  CHECK(session.model().trace()->find("weights")->tensor().dim(-1) == 3);
}

TEST_CASE("a failed run keeps the last good picture and says why") {
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  const Trace* good = session.model().trace();
  session.act(SetStartToken{"x_q", false});
  session.act(SetText{"x_q", "", false});
  REQUIRE(session.settle());
  CHECK(session.model().trace() == good);
  CHECK(session.model().error.find("no tokens") != std::string::npos);
  session.act(SetText{"x_q", "back again", false});
  REQUIRE(session.settle());
  CHECK(session.model().error.empty());
}

TEST_CASE("what is looked at stays inside what there is") {
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  session.act(Select{{11, 11, std::nullopt}, true});
  session.act(SetHead{7});
  session.act(SetText{"x_q", "one two", false});
  session.act(SetParam{"heads", Index{2}, false});
  REQUIRE(session.settle());
  CHECK(session.model().document.look.head == 1);
  CHECK_FALSE(session.model().document.look.selection.query);
}

TEST_CASE("another kind of input drops the order of words, and keeps what else was set") {
  Surroundings surroundings;
  surroundings.examples = HEADLIGHT_SOURCE_DIR "/assets/examples";
  Session session(example_experiment(), {}, surroundings);
  const auto params = [&] { return session.model().document.experiment->params; };
  REQUIRE(params().choice("mask") == "causal");
  session.act(SetParam{"heads", Index{5}});
  session.act(SetParam{"temperature", 2.0});
  session.act(UseExample{InputKind::image});
  CHECK(params().integer("heads") == 5);
  CHECK(params().real("temperature") == 2.0);
  CHECK(params().choice("mask") == "none");
  CHECK(params().choice("positions") == "none");
  session.act(SetVariant{"stand_alone_2d"});
  session.act(SetParam{"extent", Index{5}});
  session.act(SetInput{"x", LiteralInput{{1, 2, 4, 4}, std::vector<float>(32, 1)}});
  CHECK(params().integer("extent") == 5);
  CHECK(session.model().document.experiment->params.is_given("extent"));
}

TEST_CASE("playing moves on with time and stops at the end") {
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  session.act(GoStage{0});
  session.act(Play{true});
  double now = 0;
  for (int i = 0; i < 400; ++i) session.poll(now += 0.5);  // its words are read
  CHECK_FALSE(session.model().playing);
  CHECK(session.model().stage() + 1 == static_cast<int>(session.model().trace()->stages.size()));
}

TEST_CASE("the trace of a weight tells the whole story with the trace's own numbers") {
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  const Trace& trace = *session.model().trace();
  const Step& weights = *trace.find("weights");
  const Slice slice = slice_of(weights, Focus{.head = 2});
  const CellTrace story = trace_cell(trace, weights, slice.cell_at(9, 3));
  REQUIRE(story.table);
  CHECK(story.table->step == "scores");
  CHECK(story.table->rows.size() == 8);
  const Slice scores = slice_of(*trace.find("scores"), Focus{.head = 2});
  CHECK(story.table->sum == Approx(trace.find("scores")->tensor()[scores.cell_at(9, 3)]).epsilon(1e-4));
  std::vector<std::string> labels;
  for (const auto& line : story.lines) labels.push_back(line.label);
  CHECK(labels == std::vector<std::string>{"dot product", "÷ √8", "mask", "row's largest", "exp", "row sum", "share"});
  CHECK(story.result_label == "weight");
  CHECK(story.check.starts_with("Recomputed; row 9 sums to 1.0000"));
  CHECK(story.check_ok);
  const CellTrace hidden = trace_cell(trace, *trace.find("masked_scores"), slice.cell_at(2, 5));
  CHECK(hidden.result == "masked");
  CHECK(to_text(story, trace).find("row sum") != std::string::npos);
}

TEST_CASE("the story of a cell says each of its numbers once") {
  auto experiment = parse_experiment(
      R"({"variant": "aft", "inputs": {"x": {"text": "one two three"}}, "weights": {"init": "normal"}})", {}, "");
  REQUIRE(experiment);
  Session session(std::move(*experiment), {}, {});
  REQUIRE(session.settle());
  const Trace& trace = *session.model().trace();
  std::vector<std::string> labels;
  for (const auto& line : trace_cell(trace, *trace.find("weights"), 5).lines) labels.push_back(line.label);
  CHECK(labels == std::vector<std::string>{"sum", "sum", "row's largest", "exp", "row sum", "share"});
}

TEST_CASE("the run is copied as a script that says how to make the arrays that it reads") {
  std::string copied;
  Surroundings surroundings;
  surroundings.set_clipboard = [&](const std::string& text) { copied = text; };
  Session session(example_experiment(), "some/folder/mine.headlight", surroundings);
  REQUIRE(session.settle());
  session.act(CopyCode{Language::pytorch});
  CHECK(copied.starts_with("# "));
  const auto command = copied.find("mine.npz come from: headlight code mine.headlight --as pytorch -o mine.py\n");
  CHECK(command < copied.find("import"));
  CHECK(copied.find("weights = torch.softmax(masked_scores, dim=-1)") != std::string::npos);
  REQUIRE_FALSE(session.model().notices.empty());
  CHECK(session.model().notices.back().text.starts_with("The script is on the clipboard."));
}

TEST_CASE("a row is copied for a spreadsheet with every digit of its numbers, and masked keys as such") {
  std::string copied;
  Surroundings surroundings;
  surroundings.set_clipboard = [&](const std::string& text) { copied = text; };
  Session session(example_experiment(), {}, surroundings);
  REQUIRE(session.settle());
  session.act(ShowStep{"weights"});
  session.act(SetHead{2});
  session.act(Select{{9, 3}, true});
  session.act(CopyRow{});
  std::vector<std::string> lines;
  std::istringstream text(copied);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  REQUIRE(lines.size() == 13);
  CHECK(lines[0].starts_with("key\tlabel\t"));
  CHECK(std::ranges::count(lines[0], '\t') == 4);
  const Tensor& weights = session.model().trace()->find("weights")->tensor();
  for (Index key = 0; key < 12; ++key) {
    const std::string& line = lines[static_cast<std::size_t>(key + 1)];
    INFO(line);
    const std::string last = line.substr(line.rfind('\t') + 1);
    if (key > 9)
      CHECK(last == "masked");
    else
      CHECK(std::stof(last) == weights[(2 * 12 + 9) * 12 + key]);
  }
}

TEST_CASE("a row of weights is told as score, exp and weight, and its totals agree with the trace") {
  Session session(example_experiment(), {}, {});
  REQUIRE(session.settle());
  const Trace* trace = session.model().trace();
  const Step& weights = *trace->find("weights");
  const RowNumbers told = row_numbers(*trace, weights, Focus{.head = 2, .flat = true}, 9);
  REQUIRE(told.columns.size() == 3);
  REQUIRE(told.rows.size() == 12);
  CHECK(told.index_role == Role::key);
  double sum = 0;
  for (const auto& row : told.rows)
    if (row.masked.empty()) sum += row.values[1];
  for (Index j = 0; j < 12; ++j) {
    const auto& row = told.rows[static_cast<std::size_t>(j)];
    const double weight = weights.tensor().at({0, 2, 9, j});
    CHECK(row.values[2] == weight);
    CHECK(row.masked.empty() == (j <= 9));
    if (j <= 9) CHECK(row.values[1] / sum == Approx(weight).margin(1e-6));
  }
  CHECK(told.rows[10].masked == "causal: key 10 comes after query 9");
  CHECK(told.columns[2].total == "1.0000");
  CHECK(told.columns[0].least == Approx(told.rows[8].values[0]));  // the only score below 0
  // Scores of the same pairs are told alike; other steps as their values.
  CHECK(row_numbers(*trace, *trace->find("scores"), Focus{.head = 2, .flat = true}, 9).columns.size() == 3);
  const RowNumbers plain = row_numbers(*trace, *trace->find("q"), Focus{.head = 2, .flat = true}, 9);
  REQUIRE(plain.columns.size() == 1);
  CHECK(plain.rows[3].values[0] == trace->find("q")->tensor().at({0, 2, 9, 3}));
}

TEST_CASE("what-ifs offer what would change something, and change it back") {
  Model model;
  load_first(model, example_experiment(), {});
  const auto labels = [&] {
    std::string all;
    for (const auto& what : what_ifs(model)) all += what.label + "; ";
    return all;
  };
  CHECK(labels() == "Scale off; Temperature 2; No mask; Hide start token; Positions off; ");
  const auto before = model.document.experiment->params;
  for (const auto& what : what_ifs(model))
    if (what.id != "positions-off") CHECK(update(model, TryWhatIf{what.id}).rerun);
  CHECK(labels() == "Scale on; Temperature 1; Causal mask; Show start token; Positions off; ");
  for (const auto& what : what_ifs(model))
    if (what.id != "positions-off") CHECK(update(model, TryWhatIf{what.id}).rerun);
  CHECK(labels() == "Scale off; Temperature 2; No mask; Hide start token; Positions off; ");
}
