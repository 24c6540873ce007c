// One query's row must be that row of the whole run, but for the last bits of long sums, and every number of it
// explained.
#include "engine/run/only_query.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "tests/catch.h"
#include "tests/engine/problems.h"

using namespace headlight;

namespace {

struct RunResult {
  Problem problem;
  std::shared_ptr<const Trace> trace;
};

Result<RunResult> run_with(const std::string& json, std::optional<Index> only) {
  auto experiment = parse_experiment(json, std::string(HEADLIGHT_SOURCE_DIR) + "/assets/examples", "");
  if (!experiment) FAIL(experiment.error().message);
  if (only) experiment->params.set("only_query", *only);
  HL_TRY(auto problem, prepare(*experiment));
  RunResult ran{std::move(problem), nullptr};
  ThreadPool pool(2);
  Compute compute(pool);
  HL_TRY(ran.trace, run(ran.problem, compute));
  return ran;
}

// A long sum may be made in another order where it stands among other rows.
bool same(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-6F * std::max(1.0F, std::abs(b));
}

// The first cell of the row that differs from the whole run's, by its step; empty when there is none. Positions of an
// output that is a picture are its last axes together.
std::string first_difference(const Step& row, const Step& whole, Index query) {
  const auto& axes = row.info.axes;
  Index outer = 1, inner = 1, n = 0, first = query;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool offsets = axes[i].symbol == "n_q+n_k-1";  // from every query to every key: those of the one are some
    if (offsets) first = whole.info.axes[i].size - axes[i].size - query;
    if (axes[i].symbol == "n_q" || offsets)
      n = axes[i].size;
    else
      (n == 0 ? outer : inner) *= axes[i].size;
  }
  const bool narrowed = n > 0;
  const Index all = whole.tensor().size() / (outer * inner);
  inner *= std::max<Index>(1, n);
  if (!narrowed && row.tensor().shape() != whole.tensor().shape()) return row.info.id + ": another shape";
  for (Index o = 0; o < outer; ++o)
    for (Index i = 0; i < inner; ++i) {
      const float got = row.tensor()[o * inner + i];
      const Index each = inner / std::max<Index>(1, n);
      const float expected = whole.tensor()[narrowed ? (o * all + first) * each + i : o * inner + i];
      if (!same(got, expected)) return fmt::format("{}[{}]: {} and not {}", row.info.id, o * inner + i, got, expected);
    }
  return {};
}

void check_row(const std::string& json, Index query) {
  INFO(json << " query " << query);
  const auto whole = run_with(json, std::nullopt), row = run_with(json, query);
  REQUIRE(whole);
  if (!row) FAIL(row.error().message);
  REQUIRE(row->trace->steps.size() == whole->trace->steps.size());
  for (const Step& step : row->trace->steps) {
    const Step* other = whole->trace->find(step.info.id);
    REQUIRE(other);
    CHECK(first_difference(step, *other, query) == "");
    if (const Axis* axis = step.axis(AxisRole::query)) {
      CHECK(axis->size == 1);
      CHECK(axis->only == query);
    }
  }
  CHECK(test::first_disagreement(*row->trace) == "");
  double bytes = 0;
  for (const Step& step : row->trace->steps) bytes += static_cast<double>(step.tensor().size()) * sizeof(float);
  for (const Step& source : row->trace->sources)  // what the run makes for itself counts, too
    if (source.explain) bytes += static_cast<double>(source.tensor().size()) * sizeof(float);
  CHECK(cost_of(row->problem).bytes == bytes);
}

std::string with(const std::string& variant, const std::string& params, const std::string& input) {
  return fmt::format(R"({{"variant":"{}","params":{{{}}},{}}})", variant, params, input);
}

const std::string sentence = R"("inputs":{"x_q":{"text":"the cat sat on the mat because the cat was warm"}})";
const std::string pixels =
    R"("inputs":{"x":[[[[0,0,1,1,2],[0,2,1,0,3],[1,1,0,0,1]],[[1,1,1,0,0],[1,0,0,1,2],[0,0,1,1,1]]],
                      [[[1,0,2,1,0],[2,1,0,0,1],[0,0,1,3,1]],[[0,1,0,1,1],[0,2,1,1,0],[1,0,0,2,1]]]]})";

// A query of an experiment: each variant that can do with one has such rows.
struct Row {
  std::string variant, params, input;
  Index query = 0;
};

std::vector<Row> all_rows() {
  std::vector<Row> rows{
      {"multi_head", "", sentence, 5},
      {"multi_head", R"("mask":"causal","positions":"sinusoidal","block":"post_norm","ffn":true)", sentence, 4},
      {"multi_head", R"("heads":2)", R"("inputs":{"x_q":{"text":"one two three","d_model":8},
      "valid_lens":[[1,2,3,4]],"attn_mask":[[0,1,2,3],[1,0,1,2],[2,1,0,1],[3,2,1,0]]},"weights":{"init":"normal"})",
       2},
      {"multi_head", "", R"("inputs":{"x_q":{"image":"scene.png","size":[6,8]}})", 47},
      {"multi_head", R"("positions":"sinusoidal","normalize":"softmax_sink")", sentence, 6},
      {"multi_head", R"("relative":"t5","buckets":8,"max_distance":6,"normalize":"entmax15")", sentence, 5},
      {"multi_head", R"("relative":"shaw","clip":2,"normalize":"sigmoid","ffn":true,"ffn_gated":true)", sentence, 7},
      {"multi_head", R"("heads":4,"kv_heads":2,"rotary":"half","mask":"causal","d_value":3)", sentence, 8},
      {"multi_head", R"("heads":3,"talking_heads":"both","positions":"sinusoidal")", sentence, 3},
      {"multi_head", R"("heads":4,"differential":true,"kv_heads":1,"rotary":"half")", sentence, 9},
      {"multi_head", R"("relative":"transformer_xl","mask":"causal","query_offset":2)", sentence, 4},
      {"mla", R"("heads":3,"q_rank":5,"mask":"causal","latent_norm":"rms_norm")", sentence, 6},
      {"additive", "", sentence, 0},
      {"linear_attention", "", sentence, 4},
      {"linear_attention", R"("mask":"causal","heads":2)", sentence, 7},
      {"linear_attention", R"("feature_map":"favor","features":5,"mask":"causal")", sentence, 3},
      {"luong", "", sentence, 2},
      {"luong", R"("score":"concat","hidden":3)", sentence, 11},
      {"swin", R"("heads":2,"d_head":3,"window":4,"shift":2)", R"("inputs":{"x":{"image":"scene.png","size":[8,8]}})",
       63},
      {"swin", R"("window":2)", R"("inputs":{"x":{"image":"scene.png","size":[6,8]}})", 20},
      {"stand_alone_2d", R"("heads":2,"mid_channels":4,"bias":true,"content":0.5)", pixels, 14},
      {"stand_alone_2d", "", R"("inputs":{"x":{"image":"scene.png","size":[6,8]}})", 20},
      {"non_local", R"("dimension":1)", R"("inputs":{"x":{"signal":"signal.csv","samples":12}})", 11},
  };
  for (const char* mode : {"embedded_gaussian", "gaussian", "dot_product", "concatenation"})
    for (const char* pooled : {"true", "false"})
      rows.push_back({"non_local", fmt::format(R"("mode":"{}","sub_sample":{})", mode, pooled), pixels, 7});
  return rows;
}

}  // namespace

TEST_CASE("the row of one query is that of the whole run") {
  for (const Row& row : all_rows()) check_row(with(row.variant, row.params, row.input), row.query);
}

TEST_CASE("every variant that can do with one query is held to it") {
  const auto rows = all_rows();
  for (const Variant* variant : all_variants()) {
    INFO(variant->info().id << ": what declares only_query has a row in all_rows(), and nothing else");
    const bool has_row = std::ranges::count(rows, variant->info().id, &Row::variant) > 0;
    CHECK(can_keep_one_query(*variant) == has_row);
  }
}

TEST_CASE("a query is named by its place") {
  const auto row = run_with(with("stand_alone_2d", "", R"("inputs":{"x":{"image":"scene.png","size":[6,8]}})"), 20);
  REQUIRE(row);
  const Axis* axis = row->trace->find("weights")->axis(AxisRole::query);
  REQUIRE(axis);
  CHECK(axis->labels == std::vector<std::string>{"2, 4"});
  REQUIRE(axis->grid);
  CHECK(axis->grid->rows == 6);
  const auto word = run_with(with("multi_head", "", sentence), 2);
  REQUIRE(word);
  CHECK(word->trace->find("weights")->axis(AxisRole::query)->labels == std::vector<std::string>{"cat"});
}

TEST_CASE("a query that cannot stand alone is refused in words") {
  const auto error_of = [](const std::string& json, Index query) {
    const auto ran = run_with(json, query);
    return ran ? std::string() : ran.error().message;
  };
  CHECK(error_of(with("multi_head", "", sentence), 12) == "params.only_query is 12: there are 12 queries, 0 to 11");
  CHECK(error_of(with("multi_head", R"("block":"pre_norm")", sentence), 1) ==
        "only_query leaves the other rows out, and a pre_norm block makes its keys of them: set block to bare");
  CHECK(error_of(with("multi_head", R"("mistake":"merge_without_transpose")", sentence), 1) ==
        "only_query leaves the other rows out, and the mistake mixes them: set mistake to none");
  CHECK(error_of(with("multi_head", R"("dropout":0.5)", sentence), 1) ==
        "only_query draws no numbers for one row of many: set dropout to 0");
  CHECK(error_of(with("stand_alone_2d", R"("extent":3)", pixels), 1) ==
        "only_query is for keys of the whole picture, and a window has few: set only_query or extent to null");
}

TEST_CASE("a picture too large for all its pairs runs with one query, and the refusal says so") {
  auto experiment =
      parse_experiment(with("stand_alone_2d", "", R"("inputs":{"x":{"image":"scene.png","size":[96,96]}})"),
                       std::string(HEADLIGHT_SOURCE_DIR) + "/assets/examples", "");
  REQUIRE(experiment);
  const Budget little{64.0 * 1024 * 1024};
  const auto refused = prepare(*experiment, little);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.find("this run needs about 5.1 GiB and 64.0 MiB is free for it") == 0);
  CHECK(refused.error().message.find("or set only_query to see one query's row") != std::string::npos);
  experiment->params.set("only_query", Index{96 * 48 + 48});
  CHECK(prepare(*experiment, little));
}

TEST_CASE("where positions belong to the tokens, the keys of one query have theirs, too") {
  const std::string json = with("multi_head", R"("positions":"sinusoidal","positions_to":"inputs")", sentence);
  const auto whole = run_with(json, std::nullopt), row = run_with(json, 4);
  REQUIRE((whole && row));
  CHECK(row->trace->find("x_k_embedded"));  // of all tokens, as x_embedded is of one
  CHECK(first_difference(*row->trace->find("output"), *whole->trace->find("output"), 4) == "");
}
