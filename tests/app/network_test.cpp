// A model of many layers in a session: opened by its folder, given another text, its layers opened, its heads switched
// off, all of it undone.
#include <algorithm>
#include <cmath>
#include <fstream>

#include "app/actions/action_table.h"
#include "app/actions/palette.h"
#include "app/actions/tokens.h"
#include "app/model/network_run.h"
#include "app/reading/costs.h"
#include "app/session/opening.h"
#include "app/session/session.h"
#include "engine/io/file.h"
#include "engine/run/model_run.h"
#include "tests/app/model_folder.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;
namespace fs = std::filesystem;

namespace {

void act(Session& session, const Action& action) {
  session.act(action);
  session.finish_files();
  REQUIRE(session.settle());
}

std::string text_read(const Session& session) {
  return *session.model().document.network->asked.tokens->text;
}

const NetworkRun& run_of(const Session& session) {
  REQUIRE(session.model().net.run);
  return *session.model().net.run;
}

}  // namespace

TEST_CASE("a model's folder opens with all of its heads, and another text runs it again") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  CHECK(session.model().shows_network());
  CHECK(run_of(session).parts[0].query_words == std::vector<std::string>{"a", "b", "c", "·", "a"});
  REQUIRE(run_of(session).parts[0].maps.size() == 2);
  for (const auto& map : run_of(session).parts[0].maps) {
    CHECK(map->shape() == Shape{1, 2, 5, 5});
    CHECK((std::isinf((*map)[1]) && (*map)[0] == 1.0F));  // the first query sees the first key alone
  }
  CHECK(run_of(session).likely(4).size() == 5);
  CHECK(run_of(session).report.used + 0 == run_of(session).report.arrays);
  CHECK(session.model().document.network->look.query == 4);
  act(session, SetModelInput{ModelReads::text, "jj", false});
  CHECK(run_of(session).parts[0].query_words == std::vector<std::string>{"j", "j"});
  CHECK(session.model().changed());
  act(session, Undo{});
  CHECK(run_of(session).parts[0].query_words.size() == 5);
  CHECK_FALSE(session.model().changed());
  // What is refused leaves the last good result, in one line.
  act(session, SetModelInput{ModelReads::text, "abcabcabcabc", false});
  CHECK(session.model().error == "12 tokens, but gpt2 has 9 positions (n_positions): shorten the text");
  CHECK(run_of(session).parts[0].query_words.size() == 5);
  act(session, SetModelInput{ModelReads::ids, "3, 1", false});
  CHECK(session.model().error.empty());
  CHECK(run_of(session).parts[0].queries() == 2);
}

TEST_CASE("the last token asks as the text gets longer, unless somebody chose another") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  const auto asks = [&] { return session.model().document.network->look.query; };
  CHECK(asks() == 4);
  for (const auto& [text, last] : {std::pair("j", 0), std::pair("jj", 1), std::pair("jjabc", 4)}) {
    act(session, SetModelInput{ModelReads::text, text, true});
    CHECK(asks() == last);
  }
  act(session, ChoosePair{{2, std::nullopt, {}}});
  act(session, SetModelInput{ModelReads::text, "jjabcde", true});
  CHECK(asks() == 2);
}

TEST_CASE("a layer of a model opens as an experiment with the same map, and leads back") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  act(session, ChooseHead{1, 1});
  act(session, ChoosePair{{3, 2}});
  const float weight = (*run_of(session).parts[0].maps[1])[1 * 25 + 3 * 5 + 2];
  act(session, OpenLayer{1});
  const auto& model = session.model();
  REQUIRE(model.trace());
  CHECK_FALSE(model.shows_network());
  CHECK_FALSE(model.changed());
  CHECK(model.trace()->map()->tensor()[1 * 25 + 3 * 5 + 2] == weight);  // the same bits
  CHECK(label_of(model.trace()->map()->axis(AxisRole::query), 3, 0) == "·");
  CHECK((model.document.look.head == 1 && model.document.look.pinned));
  // It is saved as what it is, and opens the same from its file.
  act(session, Save{folder / "layer.headlight"});
  act(session, CloseLayer{});
  CHECK(model.shows_network());
  CHECK(model.document.network->look.layer == 1);
  act(session, Undo{});
  CHECK(model.document.layer_open);
  act(session, Undo{});
  CHECK(model.shows_network());
  act(session, Open{folder / "layer.headlight"});
  REQUIRE(model.trace());
  CHECK(model.trace()->map()->tensor()[1 * 25 + 3 * 5 + 2] == weight);
}

TEST_CASE("a head that is off changes what the model says, and only from its layer on") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  const auto whole = session.model().net.run;
  act(session, SwitchHead{1, 0, false});
  REQUIRE(run_of(session).whole);
  CHECK(run_of(session).parts[0].maps[0] == whole->parts[0].maps[0]);  // not run again
  CHECK(*run_of(session).divergence > 0);
  // As the engine runs it from the first layer on.
  const auto model = StoredModel::open(folder.model);
  REQUIRE(model);
  ModelExperiment asked = folder.reads("abc a");
  asked.ablate = {{1, 0}};
  const auto input = model_input(**model, asked);
  REQUIRE(input);
  ThreadPool pool;
  const auto other = ModelRunner(**model, *input, pool).run(asked, {});
  REQUIRE(other);
  CHECK(std::ranges::equal(run_of(session).trace.find("hidden")->tensor().values(),
                           other->find("hidden")->tensor().values()));
  act(session, SwitchHead{1, 0, true});
  CHECK_FALSE(run_of(session).whole);
  act(session, SwitchHead{1, 7, false});  // there is no such head
  CHECK(session.model().document.network->asked.ablate.empty());
}

TEST_CASE("a layer opens with the heads that are off in its model, from its file too, and says those before it") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  act(session, SwitchHead{0, 0, false});
  act(session, SwitchHead{1, 1, false});
  const auto after = run_of(session).trace.find("hidden")->values;
  const auto check_layer = [&](const app::Model& model) {
    INFO(model.error);
    REQUIRE(model.trace());
    CHECK(std::ranges::equal(model.trace()->find("output")->tensor().values(), after->values()));
    CHECK(model.shown.problem->model.heads_off == std::vector<std::string>{"layer 0 head 0"});
    REQUIRE(model.document.experiment->edits.size() == 1);
  };
  act(session, OpenLayer{1});
  check_layer(session.model());
  act(session, Save{folder / "layer.headlight"});
  const auto read = read_experiment(folder / "layer.headlight");
  REQUIRE(read);
  Session again(*read, {}, {});
  REQUIRE(again.settle());
  check_layer(again.model());
}

TEST_CASE("a model is saved as its experiment, and folders and files of it open alike") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  act(session, ChooseHead{1, 0});
  act(session, Save{folder / "own.headlight"});
  CHECK_FALSE(session.model().changed());
  const auto saved = read_file(folder / "own.headlight", 1 << 20);
  REQUIRE(saved);
  CHECK(saved->find(R"("model": "gpt2")") != std::string::npos);  // beside the file
  Session other(example_experiment(), {}, {});
  act(other, Open{folder / "own.headlight"});
  CHECK((text_read(other) == "abc a" && other.model().document.network->look.layer == 1));
  for (const fs::path& path : {folder.model, folder.model / "config.json"}) {
    act(other, Open{path});
    CHECK(other.model().shows_network());
    CHECK(run_of(other).parts[0].queries() <= 9);  // the first text is cut to what the model has room for
  }
  act(other, Undo{});
  act(other, Undo{});
  act(other, Undo{});
  CHECK_FALSE(other.model().document.network);
}

TEST_CASE("what is about one layer is refused in a sentence while all are shown, and folders that do not run too") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  const auto before = to_json(*session.model().document.experiment, {});
  for (const Action& action : std::vector<Action>{SetParam{"heads", Index{2}, false}, ShowScreen{Screen::compare},
                                                  HoldA{}, SetText{"x_q", "x", false}, Present{true}}) {
    act(session, action);
    CHECK_FALSE(why_not(action, session.model()).empty());
    REQUIRE(session.model().notices.size() == 1);
    CHECK(session.model().notices.front().text ==
          "This is about one layer, and all of a model are shown: open a layer first.");
    CHECK(session.model().shows_network());
  }
  CHECK(to_json(*session.model().document.experiment, {}) == before);
  for (const PaletteEntry& entry : palette_entries(session.model())) {
    INFO(entry.label);
    if (entry.action && entry.why_not.empty()) CHECK(why_not(*entry.action, session.model()).empty());
    CHECK_FALSE((entry.with_number && entry.section == "Parameters"));
  }
  Session plain(example_experiment(), {}, {});
  CHECK(why_not(OpenLayer{0}, plain.model()) == "There is one layer");
  std::ofstream(folder.model / "config.json") << R"({"model_type": "mamba"})";
  act(plain, Open{folder.model});
  CHECK(plain.model().error.find("model_type mamba is not one that Headlight runs") != std::string::npos);
  CHECK(plain.model().error.find('\n') == std::string::npos);
}

TEST_CASE("a token is appended by its id, as text where that is read as the same tokens, and undone by its name") {
  const ModelFolder folder;
  Session session(folder.reads("abc"), {}, {});
  REQUIRE(session.settle());
  const auto ids_read = [&] { return run_of(session).input.tokens->ids; };
  const Likely likeliest = run_of(session).likely(2).front();
  act(session, AppendToken{});
  CHECK(ids_read() == std::vector<Index>{0, 1, 2, likeliest.number});
  CHECK(undo_name(session.model().history) == "token " + likeliest.name);
  CHECK(session.model().document.network->look.query == 3);
  act(session, Undo{});
  CHECK((text_read(session) == "abc" && ids_read().size() == 3));
  act(session, AppendToken{10});  // a space
  act(session, AppendToken{4});
  CHECK((text_read(session) == "abc e" && session.model().notices.empty()));
  CHECK(run_of(session).output_part().query_words == std::vector<std::string>{"a", "b", "c", "·", "e"});
  // Each row is that of the text by itself: what came before does not change.
  const auto before = run_of(session).output_part().maps;
  act(session, AppendToken{0});
  for (std::size_t l = 0; l < before.size(); ++l)
    CHECK(std::abs((*run_of(session).output_part().maps[l])[4 * 6 + 3] - (*before[l])[4 * 5 + 3]) < 1e-6F);
  CHECK_FALSE(why_not_appended(AppendToken{11}, session.model()).empty());
  for (int i = 0; i < 5; ++i) act(session, AppendToken{});
  CHECK(ids_read().size() == 9);  // all that it has places for
  CHECK(why_not_appended({}, session.model()) == "The model has 9 positions, all taken");
  CHECK(session.model().error.empty());
  act(session, Undo{});
  CHECK(ids_read().size() == 8);
}

TEST_CASE("a token that the text would be read without is kept as ids, which is said") {
  const ModelFolder folder;
  // "ab" is one token, so that b behind a is none.
  std::ofstream(folder.model / "tokenizer.json")
      << R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
             "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
             "decoder": {"type": "ByteLevel"}})";
  Session session(folder.reads("ba"), {}, {});
  REQUIRE(session.settle());
  act(session, AppendToken{1});
  const TokensInput& read = *session.model().document.network->asked.tokens;
  CHECK_FALSE(read.text);
  CHECK(read.ids == std::vector<std::vector<Index>>{{1, 0, 1}});
  CHECK(run_of(session).output_part().query_words == std::vector<std::string>{"b", "a", "b"});
  REQUIRE(session.model().notices.size() == 1);
  CHECK(session.model().notices.front().text ==
        "The text with b would be read as other tokens: what is read are token ids from here on.");
  act(session, AppendToken{7});  // the tokenizer does not know it, the model does
  CHECK(session.model().document.network->asked.tokens->ids.front().back() == 7);
  act(session, Save{folder / "own.headlight"});
  Session other(example_experiment(), {}, {});
  act(other, Open{folder / "own.headlight"});
  CHECK(run_of(other).input.tokens->ids == std::vector<Index>{1, 0, 1, 7});
}

TEST_CASE("what a key/value cache holds is what the layers make of keys and values") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  const KeyValueCache cache = key_value_cache(run_of(session).plan(), 5);
  Index made = 0;
  for (Index layer = 0; layer < 2; ++layer) {
    act(session, OpenLayer{layer});
    for (const char* id : {"k", "v"}) made += session.model().trace()->find(id)->tensor().size();
    act(session, CloseLayer{});
  }
  CHECK(cache.numbers() == made);
  CHECK(cache.of_a_token() * 5 == made);
  // Heads that share keys share what is kept of them.
  ModelPlan shared = run_of(session).plan();
  shared.key_heads = 1;
  CHECK(key_value_cache(shared, 5).numbers() == made / 2);
}

TEST_CASE("what is lost without each head is what a run without it loses, and stops and goes on where it was asked") {
  const ModelFolder folder;
  Session session(folder.reads("abc a"), {}, {});
  REQUIRE(session.settle());
  const auto whole = session.model().net.run;
  session.act(AblateHeads{true});
  CHECK(session.model().net.without.running);
  CHECK(why_not(AblateHeads{true}, session.model()) == "Heads are being switched off");
  session.act(AblateHeads{false});
  CHECK_FALSE(session.model().net.without.running);
  act(session, AblateHeads{true});
  const AblationLosses lost = session.model().net.without;
  CHECK((!lost.running && lost.done == 4 && lost.of_stamp == whole->stamp));
  for (const ModelHead head : {ModelHead{0, 1}, ModelHead{1, 0}}) {
    act(session, SwitchHead{head.layer, head.head, false});
    CHECK(lost.of(head, 2) == Approx(*run_of(session).divergence).epsilon(1e-6));
    CHECK(lost.of(head, 2) > 0);
    act(session, SwitchHead{head.layer, head.head, true});
  }
  CHECK(lost.of({0, 0}, 2) != lost.of({0, 1}, 2));
  // Of another text nothing is known; of heads that are off already the others are lost besides.
  act(session, SwitchHead{1, 0, false});
  CHECK(session.model().net.without.of_stamp != run_of(session).stamp);
  act(session, AblateHeads{true});
  CHECK(session.model().net.without.of({1, 0}, 2) == Approx(0).margin(1e-12));
  CHECK(session.model().net.without.of({0, 1}, 2) > 0);
}
