// What pictures of mechanisms are drawn from, and the figures beside them, each held to its definition.
#include <numbers>
#include <numeric>

#include "engine/measures/mechanism_figures.h"
#include "engine/params/plain.h"
#include "engine/run/moved_places.h"
#include "engine/variants/mechanism/mechanism.h"
#include "tests/runs.h"

using namespace headlight;
using Catch::Matchers::WithinAbs;

namespace {

// Seven tokens of eight channels, of which the first `hidden` are hidden keys of zeros.
std::string tokens(Index hidden) {
  std::string values, mask;
  for (Index i = 0; i < hidden + 7; ++i) {
    mask += fmt::format("{}{}", i ? ", " : "", i < hidden ? 1 : 0);
    values += i ? ", [" : "[";
    for (Index c = 0; c < 8; ++c)
      values += fmt::format("{}{:.3f}", c ? ", " : "",
                            i < hidden ? 0 : std::sin(static_cast<double>((i - hidden) * 8 + c) * 1.7));
    values += "]";
  }
  return fmt::format(R"("x_q": [[{}]]{})", values,
                     hidden > 0 ? fmt::format(R"(, "key_padding_mask": [[{}]])", mask) : "");
}

RanExperiment ran_with(const std::string& params, Index hidden = 0) {
  return ran(parse_experiment(fmt::format(R"({{"variant": "multi_head", "params": {{"heads": 4, "d_head": 6{}}},
      "inputs": {{{}}}, "weights": {{"init": "normal", "seed": 3}}}})",
                                          params.empty() ? "" : ", " + params, tokens(hidden)),
                              {}, ""));
}

Index cell_of(const Tensor& x, const mechanism::PairIndex& of) {
  return ((of.batch * x.dim(1) + of.head) * x.dim(2) + of.query) * x.dim(3) + of.key;
}

double at(const RanExperiment& run, const char* step, const mechanism::PairIndex& of) {
  const Tensor& x = run.trace->find(step)->tensor();
  return static_cast<double>(x[cell_of(x, of)]);
}

MechanismFigures figures_of(const RanExperiment& run, const Trace* moved = nullptr) {
  ThreadPool pool(1);
  Compute compute(pool);
  return *mechanism_figures(*run.problem, *run.trace, moved, compute);
}

Index rank(const std::vector<float>& matrix, Index rows, Index columns) {
  ThreadPool pool(1);
  Compute compute(pool);
  return matrix_rank(matrix.data(), rows, columns, compute);
}

}  // namespace

TEST_CASE("dials of a rotary run: what the pairs add is the score, at its own offset and at others") {
  for (const char* params :
       {R"("rotary": "half")", R"("rotary": "interleaved", "kv_heads": 2)",
        R"("rotary": "half", "rotary_fraction": 0.7, "qk_norm": "rms_norm", "rotary_offset": -3)"}) {
    INFO(params);
    const RanExperiment run = ran_with(params);
    const RanExperiment later = ran_with(std::string(params) + R"(, "query_offset": 4)");
    const auto turning = mechanism::rotation(*run.problem, *run.trace);
    REQUIRE(turning);
    for (const mechanism::PairIndex of : {mechanism::PairIndex{0, 0, 6, 1}, {0, 3, 2, 5}}) {
      double products = mechanism::unrotated_product(*turning, of);
      for (Index pair = 0; pair < turning->pairs(); ++pair) {
        const mechanism::Dial dial = mechanism::dial(*turning, of, pair);
        products += dial.product;
        CHECK_THAT(dial.q.length(), WithinAbs(dial.q_rotated.length(), 1e-5));
        // The hand has gone as far as its place says.
        const double went = dial.q_rotated.angle() - dial.q.angle(),
                     place = static_cast<double>(turning->first_query + of.query);
        CHECK_THAT(
            std::remainder(went - place * turning->frequencies[static_cast<std::size_t>(pair)], 2 * std::numbers::pi),
            WithinAbs(0, 1e-5));
      }
      CHECK_THAT(products, WithinAbs(at(run, "scores", of), 1e-4));
      CHECK_THAT(products * mechanism::score_scale(*run.trace, of), WithinAbs(at(run, "scaled_scores", of), 1e-4));
      const auto score_at = [&](double offset) {
        return mechanism::product_at(*turning, of, offset, 0, turning->pairs()) +
               mechanism::unrotated_product(*turning, of);
      };
      const auto offset = static_cast<double>(of.key - of.query);
      CHECK_THAT(score_at(offset), WithinAbs(at(run, "scores", of), 1e-4));
      CHECK_THAT(score_at(offset - 4), WithinAbs(at(later, "scores", of), 1e-4));
    }
  }
  const RanExperiment plain = ran_with("");
  CHECK_FALSE(mechanism::rotation(*plain.problem, *plain.trace));
}

TEST_CASE("a term by distance gives one number at each offset, and those of one row of a table share it") {
  for (const char* params : {R"("relative": "alibi")", R"("relative": "t5", "buckets": 6, "max_distance": 5)",
                             R"("relative": "shaw", "clip": 2)", R"("relative": "alibi", "query_offset": 2)"}) {
    INFO(params);
    const RanExperiment run = ran_with(params);
    const auto term = mechanism::offset_term(*run.problem, *run.trace);
    REQUIRE(term);
    const char* step = term->of_query ? "position_scores" : "position_bias";
    for (Index head = 0; head < 4; ++head)
      for (Index query = 0; query < 7; ++query) {
        const auto list = mechanism::offset_entries(*term, 0, head, query);
        CHECK(list.size() == (term->of_query ? 7U : 13U));
        for (Index key = 0; key < 7; ++key) {
          const auto found = std::ranges::find(list, key - query - term->first_query, &mechanism::OffsetEntry::offset);
          REQUIRE(found != list.end());
          CHECK(found->added == at(run, step, {0, head, query, key}));
        }
        for (const auto& one : list)
          for (const auto& other : list)
            if (one.row >= 0 && one.row == other.row) CHECK(one.added == other.added);
      }
  }
}

TEST_CASE("a row is held against the softmax of the same scores") {
  const RanExperiment plain = ran_with(R"("mask": "causal")");
  for (const char* params : {R"("normalize": "sparsemax")", R"("normalize": "softmax_sink")", R"("softcap": 0.4)",
                             R"("softcap": 0.4, "normalize": "sigmoid")"}) {
    INFO(params);
    const RanExperiment run = ran_with(std::string(params) + R"(, "mask": "causal")");
    for (const Index head : {0, 3}) {
      const auto row = mechanism::row_rule(*run.problem, *run.trace, 0, head, 4);
      REQUIRE(row);
      for (Index key = 0; key < 7; ++key) {
        const auto j = static_cast<std::size_t>(key);
        CHECK_THAT(row->plain[j], WithinAbs(at(plain, "weights", {0, head, 4, key}), 1e-5));
        CHECK(row->weights[j] == at(run, "weights", {0, head, 4, key}));
        CHECK(std::isfinite(row->scores[j]) == (key <= 4));
      }
      if (run.trace->find("sink_weights"))
        CHECK_THAT(std::accumulate(row->weights.begin(), row->weights.end(), row->unclaimed), WithinAbs(1, 1e-6));
    }
  }
  CHECK_FALSE(mechanism::row_rule(*plain.problem, *plain.trace, 0, 0, 4));
}

TEST_CASE("every key of a row lies on the row's curve") {
  for (const char* params :
       {R"("normalize": "sparsemax")", R"("normalize": "entmax15", "mask": "causal")",
        R"("normalize": "softmax_sink", "relative": "alibi")", R"("normalize": "sigmoid", "sigmoid_bias": 0.75)",
        R"("normalize": "sigmoid", "softcap": 0.4, "mask": "causal")", R"("softcap": 0.4)",
        R"("softcap": 0.4, "mask": "causal", "relative": "t5")", R"("normalize": "sparsemax", "talking_heads": "both")",
        R"("normalize": "softmax_sink", "mask": "causal", "mistake": "mask_after_softmax")"}) {
    INFO(params);
    const RanExperiment run = ran_with(params);
    for (const Index head : {0, 3}) {
      const auto curve = mechanism::row_curve(*run.problem, *run.trace, 0, head, 4);
      REQUIRE(curve);
      const bool causal = std::string(params).find("causal") != std::string::npos &&
                          std::string(params).find("mistake") == std::string::npos;
      CHECK(curve->of_cap == !std::string(params).starts_with("\"normalize"));
      Index on_it = 0;
      for (std::size_t j = 0; j < curve->in.size(); ++j) {
        if (!std::isfinite(curve->in[j])) continue;
        const double place = (curve->in[j] - curve->first) / curve->step;
        const auto i = static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(curve->here.size() - 2)));
        const double part = place - static_cast<double>(i);
        const auto between = [&](const std::vector<double>& values) {
          return values[i] + part * (values[i + 1] - values[i]);
        };
        CHECK_THAT(between(curve->here), WithinAbs(curve->out[j], 2e-3));
        if (curve->of_cap) CHECK_THAT(between(curve->plain), WithinAbs(curve->in[j], 1e-6));
        const auto row = mechanism::row_rule(*run.problem, *run.trace, 0, head, 4);
        if (!curve->of_cap && !curve->plain.empty()) CHECK_THAT(between(curve->plain), WithinAbs(row->plain[j], 2e-3));
        ++on_it;
      }
      CHECK(on_it == (causal ? 5 : 7));
      CHECK_THAT(curve->here.front(), WithinAbs(curve->out[static_cast<std::size_t>(std::distance(
                                                    curve->in.begin(), std::ranges::find(curve->in, curve->first)))],
                                                1e-6));
    }
  }
}

TEST_CASE("rows that need not add up to 1 are added up") {
  for (const char* params : {R"("normalize": "sigmoid")", R"("normalize": "softmax_sink", "mask": "causal")"}) {
    INFO(params);
    const RanExperiment run = ran_with(params);
    const auto sums = mechanism::row_sums(*run.problem, *run.trace, 0, 2);
    REQUIRE(sums.size() == 7);
    for (Index query = 0; query < 7; ++query) {
      double sum = 0;
      for (Index key = 0; key < 7; ++key) sum += at(run, "weights", {0, 2, query, key});
      CHECK_THAT(sums[static_cast<std::size_t>(query)], WithinAbs(sum, 1e-6));
    }
  }
  const RanExperiment run = ran_with(R"("normalize": "sparsemax")");
  CHECK(mechanism::row_sums(*run.problem, *run.trace, 0, 2).empty());
}

TEST_CASE("two maps of a head and mixed maps are what the run made of them") {
  const RanExperiment two = ran_with(R"("differential": true)");
  const auto maps = mechanism::two_maps(*two.problem, *two.trace, 2);
  REQUIRE(maps);
  const auto value = [&](const Step& step, Index head) {
    return static_cast<double>(step.tensor()[cell_of(step.tensor(), {0, head, 5, 2})]);
  };
  CHECK_THAT(value(*maps->maps, maps->first) - maps->by * value(*maps->maps, maps->second),
             WithinAbs(value(*maps->result, 2), 1e-6));
  const RanExperiment talking = ran_with(R"("talking_heads": "both")");
  const auto mixed = mechanism::mixing(*talking.trace, 1);
  REQUIRE(mixed.size() == 2);
  for (const auto& mixing : mixed) {
    double sum = 0;
    for (Index m = 0; m < 4; ++m) sum += mixing.shares[static_cast<std::size_t>(m)] * value(*mixing.of, m);
    CHECK_THAT(sum, WithinAbs(value(*mixing.made, 1), 1e-5));
  }
}

TEST_CASE("what is kept for a token is as many numbers as its keys and values have") {
  for (const auto& [params, kept, each] : {std::tuple(R"("kv_heads": 2)", 24, 48), std::tuple("", 48, 48),
                                           std::tuple(R"("kv_heads": 1, "d_value": 3)", 9, 36),
                                           std::tuple(R"("kv_heads": 2, "differential": true)", 48, 96)}) {
    INFO(params);
    const RanExperiment run = ran_with(params);
    const MechanismFigures figures = figures_of(run);
    CHECK((figures.kept == Index{kept} && figures.kept_each == Index{each}));
    CHECK(kept * 7 == run.trace->find("k")->tensor().size() + run.trace->find("v")->tensor().size());
  }
  const RanExperiment linear = ran(parse_experiment(
      R"({"variant": "linear_attention", "params": {"heads": 2, "d_head": 3},
          "inputs": {"x_q": {"text": "a b c d e f g h"}}, "weights": {"init": "normal"}})",
      {}, ""));
  CHECK(figures_of(linear).state == 2 * (3 * 3 + 3));
  const RanExperiment latent = ran(parse_experiment(
      R"({"variant": "mla", "params": {"heads": 3, "d_head": 5, "kv_rank": 7, "d_rotary": 2, "d_value": 4},
          "inputs": {"x_q": {"text": "a b c d"}}, "weights": {"init": "normal"}})",
      {}, ""));
  CHECK(figures_of(latent).kept == 7 + 2);
  CHECK(figures_of(latent).kept_each == 3 * (5 + 2 + 4));
  // Places have channels of their own, which turn: moving all tokens changes no weight.
  const auto moved = with_positions_shifted(*latent.experiment, *latent.problem, 5);
  REQUIRE(moved);
  for (const HeadFigures& head : figures_of(latent, ran(*moved).trace.get()).heads) CHECK(*head.shift < 1e-5);
  const auto turning = mechanism::rotation(*latent.problem, *latent.trace);
  REQUIRE((turning && turning->pairs() == 1));
  const double product = mechanism::dial(*turning, {0, 1, 3, 2}, 0).product;
  const Tensor& by_place = latent.trace->find("position_scores")->tensor();
  CHECK_THAT(product, WithinAbs(static_cast<double>(by_place.at({0, 1, 3, 2})), 1e-5));
  // Nine rows, and no more than three features that they can differ by.
  for (const HeadFigures& head : figures_of(linear).heads) CHECK(head.rank == 3);
}

TEST_CASE("queries and keys that are normed keep their angle and lose their lengths") {
  for (const char* params : {R"("qk_norm": "l2")", R"("qk_norm": "rms_norm", "kv_heads": 2, "rotary": "half")"}) {
    INFO(params);
    const RanExperiment run = ran_with(params);
    const auto norming = mechanism::qk_norm(*run.problem, *run.trace);
    REQUIRE(norming);
    CHECK_FALSE(norming->title.empty());
    const double size = std::string_view(params).find("l2") != std::string_view::npos ? 1 : std::sqrt(6.0);
    for (const mechanism::PairIndex of : {mechanism::PairIndex{0, 0, 6, 1}, {0, 3, 2, 5}}) {
      const auto before = mechanism::qk_angle(*norming->q, *norming->k, of),
                 after = mechanism::qk_angle(*norming->q_normed, *norming->k_normed, of);
      const Tensor &q = norming->q->tensor(), &k = norming->k->tensor();
      const Index key_head = of.head * k.dim(1) / q.dim(1);
      double product = 0, square = 0;
      for (Index c = 0; c < 6; ++c) {
        product += static_cast<double>(q.at({0, of.head, of.query, c})) * k.at({0, key_head, of.key, c});
        square += static_cast<double>(k.at({0, key_head, of.key, c})) * k.at({0, key_head, of.key, c});
      }
      CHECK_THAT(before.q * before.k * std::cos(before.between), WithinAbs(product, 1e-4));
      CHECK_THAT(before.k, WithinAbs(std::sqrt(square), 1e-5));
      CHECK_THAT(mechanism::row_lengths(*norming->k, 0, of.head)[static_cast<std::size_t>(of.key)],
                 WithinAbs(before.k, 1e-9));
      CHECK_THAT(after.q, WithinAbs(size, 1e-3));
      CHECK_THAT(after.k, WithinAbs(size, 1e-3));
      CHECK_THAT(after.between, WithinAbs(before.between, 1e-3));
    }
  }
  const RanExperiment plain = ran_with("");
  CHECK_FALSE(mechanism::qk_norm(*plain.problem, *plain.trace));
  CHECK_FALSE(mechanism::gating(*plain.trace));
  CHECK_FALSE(mechanism::place_codes(*plain.problem, *plain.trace));
}

TEST_CASE("codes of rows and columns are alike by half along either") {
  std::string values;
  for (Index i = 0; i < 12; ++i) values += i ? ", [1, 0, 2, 0, 1, 0, 0, 1]" : "[1, 0, 2, 0, 1, 0, 0, 1]";
  const auto run = ran(parse_experiment(
      fmt::format(R"({{"variant": "multi_head", "params": {{"heads": 2, "d_head": 4, "positions": "sinusoidal_2d",
                      "grid_columns": 4}}, "inputs": {{"x_q": [[{}]]}}, "weights": {{"init": "normal"}}}})",
                  values),
      {}, ""));
  const auto codes = mechanism::place_codes(*run.problem, *run.trace);
  REQUIRE(codes);
  CHECK((codes->rows == 3 && codes->columns == 4));
  const Tensor likeness = mechanism::code_similarity(*codes, 6);  // row 1, column 2
  // Of eight channels four say the row and four the column, each pair a wave: cos 1 and cos 0.01 a step.
  const auto along = [](double steps) { return std::cos(steps) + std::cos(steps / 100); };
  for (Index place = 0; place < 12; ++place)
    CHECK_THAT(
        likeness[place],
        WithinAbs((along(static_cast<double>(place / 4 - 1)) + along(static_cast<double>(place % 4 - 2))) / 4, 1e-5));
}

TEST_CASE("pairs scored are those that the rules let through, of all that there are") {
  const auto pairs = [](const RanExperiment& run) {
    const MechanismFigures figures = figures_of(run);
    return std::pair(figures.heads.front().pairs, *figures.all_pairs);
  };
  CHECK(pairs(ran_with("")) == std::pair<Index, Index>(49, 49));
  CHECK(pairs(ran_with(R"("mask": "causal")")) == std::pair<Index, Index>(28, 49));
  Index seen = 0;  // a key up to two before the query, or the first
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j <= i; ++j) seen += i - j <= 2 || j == 0;
  CHECK(pairs(ran_with(R"("mask": "causal", "window_left": 2, "sink_tokens": 1)")) ==
        std::pair<Index, Index>(seen, 49));
  CHECK(pairs(ran_with("", 2)).first == 9 * 7);
  // Windows of 2 × 2 on 4 × 6 pixels; shifted by one, what a window holds of both sides of a cut does not meet.
  std::string picture;
  for (Index row = 0; row < 4; ++row) picture += row ? ", [1, 2, 3, 4, 5, 6]" : "[1, 2, 3, 4, 5, 6]";
  for (const Index shift : {0, 1}) {
    const auto run = ran(parse_experiment(
        fmt::format(R"({{"variant": "swin", "params": {{"heads": 1, "d_head": 1, "window": 2, "shift": {}}},
                        "inputs": {{"x": [[[{}]]]}}, "weights": {{"init": "normal"}}}})",
                    shift, picture),
        {}, ""));
    Index meet = 0;
    const auto window = [&](Index at, Index extent) { return (at - shift + extent) % extent / 2; };
    const auto side = [&](Index at, Index extent) {
      const Index rolled = (at - shift + extent) % extent;
      return rolled < extent - 2 ? 0 : rolled < extent - shift ? 1 : 2;
    };
    for (Index a = 0; a < 24; ++a)
      for (Index b = 0; b < 24; ++b)
        meet += window(a / 6, 4) == window(b / 6, 4) && window(a % 6, 6) == window(b % 6, 6) &&
                (shift == 0 || (side(a / 6, 4) == side(b / 6, 4) && side(a % 6, 6) == side(b % 6, 6)));
    CHECK(pairs(run).first == meet);
    CHECK(pairs(run).second == 24 * 24);
  }
  const auto linear =
      ran(parse_experiment(R"({"variant": "linear_attention", "inputs": {"x_q": {"text": "one two"}}})", {}, ""));
  CHECK_FALSE(figures_of(linear).all_pairs);  // no pair is scored
}

TEST_CASE("the rank of a map is how many of its rows are not sums of others") {
  CHECK(rank({1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, 3) == 3);
  CHECK(rank({0.25F, 0.25F, 0.5F, 0.25F, 0.25F, 0.5F}, 2, 3) == 1);
  CHECK(rank({0, 0, 0, 0}, 2, 2) == 0);
  CHECK(rank({1, 0, 0.5F, 0.5F}, 2, 2) == 2);
  // Sums of outer products, as float32 has them.
  for (const Index wanted : {1, 3, 5}) {
    std::vector<float> matrix(9 * 12);
    for (Index i = 0; i < 9; ++i)
      for (Index j = 0; j < 12; ++j)
        for (Index r = 0; r < wanted; ++r)
          matrix[static_cast<std::size_t>(i * 12 + j)] +=
              static_cast<float>(std::sin(static_cast<double>((3 * i + 1) * (r + 1))) *
                                 std::cos(static_cast<double>((5 * j + 2) * (r + 1))));
    CHECK(rank(matrix, 9, 12) == wanted);
  }
}

TEST_CASE("a shift by five is the same tokens behind five that nobody sees") {
  for (const auto& [params, changes] :
       {std::pair(R"("rotary": "half")", false), std::pair(R"("rotary": "interleaved", "kv_heads": 2)", false),
        std::pair(R"("relative": "alibi", "mask": "causal")", false), std::pair(R"("relative": "t5")", false),
        std::pair(R"("relative": "shaw", "clip": 3)", false), std::pair(R"("positions": "sinusoidal")", true),
        std::pair(R"("positions": "sinusoidal", "positions_to": "inputs", "rotary": "half")", true)}) {
    INFO(params);
    const RanExperiment run = ran_with(params), padded = ran_with(params, 5);
    const auto experiment = with_positions_shifted(*run.experiment, *run.problem, 5);
    REQUIRE(experiment);
    const RanExperiment moved = ran(*experiment);
    double largest = 0;
    for (Index head = 0; head < 4; ++head)
      for (Index query = 0; query < 7; ++query)
        for (Index key = 0; key < 7; ++key) {
          const mechanism::PairIndex here{0, head, query, key}, there{0, head, query + 5, key + 5};
          CHECK_THAT(at(moved, "weights", here), WithinAbs(at(padded, "weights", there), 2e-5));
          largest = std::max(largest, std::abs(at(padded, "weights", there) - at(run, "weights", here)));
        }
    double figure = 0;
    for (const HeadFigures& head : figures_of(run, moved.trace.get()).heads) figure = std::max(figure, *head.shift);
    CHECK_THAT(figure, WithinAbs(largest, 2e-5));
    CHECK((figure > 1e-3) == changes);
    // By nothing, nothing is another.
    const RanExperiment still = ran(*with_positions_shifted(*run.experiment, *run.problem, 0));
    for (const HeadFigures& head : figures_of(run, still.trace.get()).heads) CHECK(*head.shift == 0);
  }
  const RanExperiment none = ran_with("");
  CHECK_FALSE(with_positions_shifted(*none.experiment, *none.problem, 5));
}

TEST_CASE("places of a table that ends are taken in a circle") {
  const RanExperiment run = ran_with(R"("positions": "learned")");
  const RanExperiment moved = ran(*with_positions_shifted(*run.experiment, *run.problem, 5));
  const Tensor &before = *run.problem->find("p_q"), &after = *moved.problem->find("p_q");
  REQUIRE(before.shape() == after.shape());
  for (Index place = 0; place < 7; ++place)
    for (Index c = 0; c < 8; ++c) CHECK(after[place * 8 + c] == before[(place + 5) % 7 * 8 + c]);
}

TEST_CASE("heads that were made by hand are the same where all tokens move") {
  const RanExperiment run = ran(example_experiment());  // sinusoids are added
  const RanExperiment moved = ran(*with_positions_shifted(*run.experiment, *run.problem, 5));
  for (const char* weight : {"w_q", "w_k", "w_v", "w_o"})
    CHECK(std::ranges::equal(moved.problem->find(weight)->values(), run.problem->find(weight)->values()));
}

TEST_CASE("plain is every choice at its default, and a causal mask and added positions are as plain as none") {
  const auto& specs = find_variant("multi_head")->params();
  ParamValues values = ParamValues::defaults(specs);
  CHECK(non_plain_choices(specs, values).empty());
  REQUIRE(values.set("mask", std::string("causal")));
  REQUIRE(values.set("positions", std::string("sinusoidal")));
  REQUIRE(values.set("query_offset", Index{2}));
  REQUIRE(values.set("block", std::string("pre_norm")));
  REQUIRE(values.set("heads", Index{6}));
  REQUIRE(values.set("clip", Index{3}));  // takes no part
  CHECK(non_plain_choices(specs, values).empty());
  const ParamValues plain = values;
  REQUIRE(values.set("rotary", std::string("half")));
  REQUIRE(values.set("rotary_base", 500.0));  // says more of the same choice
  REQUIRE(values.set("kv_heads", Index{2}));
  REQUIRE(values.set("normalize", std::string("sparsemax")));
  CHECK(non_plain_choices(specs, values) == std::vector<std::string>{"kv_heads", "normalize", "rotary"});
  ParamValues back = with_plain_choices(specs, values, false);
  for (const char* id : {"mask", "heads", "positions", "query_offset"}) CHECK(back.get(id) == plain.get(id));
  CHECK(non_plain_choices(specs, back).empty());
  // With the same weights, what they are shaped by stays.
  back = with_plain_choices(specs, values, true);
  CHECK(non_plain_choices(specs, back) == std::vector<std::string>{"kv_heads"});
  REQUIRE(values.set("mask", std::string("prefix")));
  CHECK(with_plain_choices(specs, values, false).choice("mask") == "causal");
}

TEST_CASE("the pixel of a window's key is the one that its score was made of, and a weight of 0 is of another group") {
  const RanExperiment swin =
      ran(parse_experiment(R"({"variant": "swin", "params": {"heads": 1, "d_head": 3, "window": 2, "shift": 1},
      "inputs": {"x": [[[[0.5, 1, -2, 3], [4, -0.5, 1, 0], [2, 1, -1, 0.25], [1, 3, 0, -3]]]]},
      "weights": {"init": "normal", "seed": 4}})",
                           {}, ""));
  const auto groups = mechanism::window_groups(*swin.problem, *swin.trace);
  REQUIRE(groups);
  CHECK(mechanism::shifts_windows(*swin.problem));
  const auto of = [](const std::vector<Index>& list, Index pixel) { return list[static_cast<std::size_t>(pixel)]; };
  for (Index query = 0; query < 16; ++query)
    for (Index key = 0; key < 4; ++key) {
      const Index pixel = groups->pixel(query, key);
      CHECK(of(groups->window, pixel) == of(groups->window, query));
      double product = 0;
      for (Index c = 0; c < 3; ++c) product += at(swin, "q", {0, 0, query, c}) * at(swin, "k", {0, 0, pixel, c});
      CHECK_THAT(at(swin, "scores", {0, 0, query, key}), WithinAbs(product, 1e-5));
      CHECK((at(swin, "weights", {0, 0, query, key}) > 0) == (of(groups->group, pixel) == of(groups->group, query)));
    }
}
