// The glossary and the guide as the window has them, and how words and pages are found.
#include <algorithm>
#include <filesystem>
#include <set>

#include "app/panels/dialogs/parts.h"
#include "app/reading/glossary.h"
#include "app/reading/guide.h"
#include "engine/io/file.h"
#include "tests/catch.h"
#include "tests/gui/driver.h"
#include "tests/runs.h"

using namespace headlight;
using namespace headlight::app;

namespace {

// "{query:queries} ask" → "queries"
std::set<std::string> marked_words(const std::string& note) {
  std::set<std::string> words;
  for (const char* role : {"{query:", "{key:", "{value:", "{score:", "{weight:", "{output:", "{mask:"})
    for (auto at = note.find(role); at != std::string::npos; at = note.find(role, at + 1)) {
      const auto begin = note.find(':', at) + 1;
      words.insert(note.substr(begin, note.find('}', begin) - begin));
    }
  return words;
}

std::string first_of(const Model& model, const std::string& typed, bool help = false) {
  const auto found = find_in_palette(palette_entries(model), typed, {}, help);
  return found.entries.empty() ? "nothing" : found.entries.front().label;
}

std::size_t sentences_in(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] == '.' || text[i] == '?') && (i + 1 == text.size() || text[i + 1] == ' ')) ++count;
  return count;
}

}  // namespace

TEST_CASE("every word of the glossary has two sentences, forms of its own, and numbers that show it") {
  std::set<std::string> forms;
  CHECK(glossary().size() > 40);
  for (const GlossaryEntry& entry : glossary()) {
    INFO(entry.term);
    CHECK(sentences_in(entry.text) == 2);
    CHECK(entry.text.find('\n') == std::string::npos);
    CHECK(entry.picture <= TermPicture::map);
    CHECK((entry.picture == TermPicture::none) == entry.arrays.empty());
    for (const std::string& form : entry.forms) CHECK(forms.insert(form).second);
    CHECK(term_named(entry.term) == &entry);
  }
  CHECK(term_named("⟨s⟩") == term_named("Start tokens"));
  CHECK(term_named("walrus") == nullptr);
}

TEST_CASE("what a beginner meets is in the glossary: every word that an explanation marks, and those listed here") {
  for (const char* word :
       {"query",      "key",    "value",   "head",        "softmax",  "score",    "weight", "token",     "start token",
        "⟨s⟩",        "vector", "channel", "d′",          "d_model",  "scale",    "causal", "mask",      "residual",
        "layer norm", "concat", "logit",   "entropy",     "position", "sinusoid", "rotary", "embedding", "temperature",
        "induction",  "sink",   "rollout", "dot product", "matrix",   "gradient", "padding"}) {
    INFO(word);
    CHECK(term_named(word));
  }
  std::size_t marked = 0;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->samples()) {
      const RanExperiment of = ran(parse_experiment(json, {}, variant->info().id));
      for (const Step& step : of.trace->steps)
        for (const std::string& words : marked_words(step.info.note)) {
          INFO(variant->info().id << ", " << step.info.id << ": " << words);
          CHECK(term_named(words));
          ++marked;
        }
    }
  CHECK(marked > 200);
}

TEST_CASE("a word opens its card below the paragraph, with the screen's own numbers; Esc closes it first") {
  Driver driver;
  driver.click("terms/weight");
  CHECK(driver.model().term == "weight");
  CHECK(driver.widget("term/words").value == term_named("weight")->text);
  CHECK(driver.widget("term/picture").value == "Attention weights, head 2: the row of 9 cat");
  CHECK(driver.widget("terms/weight").state == "open");
  CHECK(driver.widget("term/words").rect.y > driver.widget("terms/weight").rect.y);
  driver.click("terms/score");
  CHECK(driver.widget("term/words").value == term_named("score")->text);  // one at a time
  driver.press(Key::escape);
  CHECK_FALSE(driver.shows("term/words"));
  CHECK(driver.model().document.look.pinned);
  driver.press(Key::escape);
  CHECK_FALSE(driver.model().document.look.pinned);
  act(driver, ShowTerm{"softmax"});
  driver.press(Key::right);
  CHECK_FALSE(driver.shows("term/words"));  // it stood in the words of the step before
  CHECK(why_not(ShowTerm{"walrus"}, driver.model()) == "“walrus” is not in the glossary");
}

TEST_CASE("every card stands whole in the inspector at every step") {
  Driver driver(1600, 1600);
  for (const GlossaryEntry& entry : glossary())
    for (const char* step : {"x_q", "weights"}) {
      driver.session().act(ShowStep{step});
      act(driver, ShowTerm{entry.term});
      INFO(entry.term << " at " << step);
      CHECK(driver.widget("term/words").rect.right() < 1600);
      if (entry.picture == TermPicture::none || entry.arrays.front() == "residual") continue;
      const bool there =
          std::ranges::any_of(entry.arrays, [&](const auto& id) { return driver.model().trace()->find(id); });
      CHECK(driver.shows("term/picture") == there);
    }
}

TEST_CASE("the guide has all chapters of its folder, in the order of its first page, without marks") {
  const std::string folder = HEADLIGHT_SOURCE_DIR "/docs/guide/";
  const std::string front = *read_file(folder + "README.md", 1 << 20);
  std::size_t files = 0, before = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files += file.path().extension() == ".md";
  CHECK(guide().size() + 1 == files);
  for (const GuideChapter& chapter : guide()) {
    INFO(chapter.id);
    const auto at = front.find("(" + chapter.id + ".md)");
    CHECK(at != std::string::npos);
    CHECK(at > before);
    before = at;
    CHECK(chapter.blocks.size() > 3);
    CHECK_FALSE(chapter.title.empty());
    for (const GuideBlock& block : chapter.blocks)
      if (block.kind != GuideBlock::Kind::code) CHECK(block.text.find("](") == std::string::npos);
  }
}

TEST_CASE("Markdown becomes blocks") {
  using Kind = GuideBlock::Kind;
  const auto blocks = blocks_of(
      "# One\n\nA [link over\nlines](a.md#b) and **bold** `code`.\n\n![A picture](a.png)\n\n## Two\n\n- first\n  goes "
      "on\n"
      "- second\n\n| a | b |\n|---|---|\n| `c` | [d](e.md) |\n\n```sh\nrun  it | now\n```\nafter\n");
  CHECK(blocks == std::vector<GuideBlock>{{Kind::title, "One"},
                                          {Kind::text, "A link over lines and bold code."},
                                          {Kind::heading, "Two"},
                                          {Kind::item, "first goes on"},
                                          {Kind::item, "second"},
                                          {Kind::row, "a · b"},
                                          {Kind::row, "c · d"},
                                          {Kind::code, "run  it | now"},
                                          {Kind::text, "after"}});
}

TEST_CASE("F1 finds words, chapters and actions, and Enter reads or does them") {
  Driver driver;
  driver.press(Key::f1);
  REQUIRE(driver.model().dialog == Dialog::help);
  CHECK(driver.widget("palette/0").value == "First steps");
  driver.type("softmax");
  CHECK(driver.widget("palette/0").value == "Softmax");
  driver.press(Key::enter);
  CHECK(driver.widget("help/page").value == "word/softmax");
  driver.click("help/all");
  CHECK(driver.widget("palette/0").value == "Softmax");  // what was typed is there still
  driver.press(Key::escape);
  CHECK(driver.model().dialog == Dialog::none);
  driver.press(Key::f1);
  CHECK(driver.widget("palette/0").value == "First steps");  // nothing is typed any more
  driver.type("padding");
  driver.press(Key::escape);
  act(driver, ShowHelp{"guide/masks#Masks in layers"});
  CHECK(driver.widget("help/page").value == "guide/masks#Masks in layers");
  CHECK(driver.memory().ui.scroll["help/page"] > 0);  // it begins at the heading
  driver.press(Key::escape);
  CHECK(driver.model().dialog == Dialog::none);
  driver.press(Key::f1);
  driver.type("theme dark");
  driver.press(Key::enter);
  CHECK(driver.model().settings.theme == ThemeName::dark);
  CHECK(driver.model().dialog == Dialog::none);
}

TEST_CASE("the palette finds help, and what is done before what is read") {
  Driver driver;
  const Model& model = driver.model();
  CHECK(first_of(model, "help") == "Help: guide, glossary and all actions");
  CHECK(first_of(model, "tutorial") == "First steps");
  CHECK(first_of(model, "train").starts_with("Train"));
  CHECK(first_of(model, "train", true).starts_with("Train"));
  CHECK(first_of(model, "step softmax") != "Softmax");
  CHECK(first_of(model, "entropy", true) == "Entropy");
  CHECK(why_not(ShowHelp{"guide/walrus"}, model).starts_with("There is no page"));
}

TEST_CASE("a tile whose title says less than its sign is about what is done there") {
  const auto about = [](const char* title, const char* tile) { return term_of({"", title, tile, {}})->term; };
  CHECK(about("Add", "+ x") == "Residual");
  CHECK(about("Add", "q kᵀ + q rᵀ") == "Score");
  CHECK(about("Embed", "x + p") == "Position");
  CHECK(about("Divide", "÷ N") == "Division by N");
  CHECK(about("Scale", "÷ √d") == "Scale");
  CHECK(about("Candidate", "tanh") == "Candidate");
  CHECK(about("Gates", "z r") == "Gate");
}

TEST_CASE("every tile of the strip is about a word of the glossary") {
  std::set<std::string> unknown;
  std::size_t known = 0;
  for (const Variant* variant : all_variants())
    for (const std::string& json : variant->samples()) {
      const auto run = ran(parse_experiment(json, HEADLIGHT_SOURCE_DIR "/assets/examples", ""));
      for (const Stage& stage : run.trace->stages) {
        known += term_of(stage) ? 1 : 0;
        if (!term_of(stage)) unknown.insert(stage.title);
      }
    }
  CHECK(known > 200);
  INFO("titles of stages that no entry of assets/glossary.md is about: write one, or give an entry that title");
  CHECK(unknown == std::set<std::string>{});
}

namespace {

// Where that text stands on the screen.
app::Point place_of(const Driver& driver, const std::string& text) {
  const auto& texts = driver.log().texts;
  const auto found = std::ranges::find_if(texts, [&](const LoggedText& one) { return one.text == text; });
  INFO(text);
  REQUIRE(found != texts.end());
  return found->rect.middle();
}

// What a text on the screen says when it is pointed at; empty: nothing.
std::string told_of(Driver& driver, const std::string& text) {
  driver.move_to({1, 1});
  driver.settle();
  driver.move_to(place_of(driver, text));
  for (int i = 0; i < 30; ++i) driver.frame();  // half a second
  return driver.shows("term/tip") ? driver.widget("term/tip").value : "";
}

}  // namespace

TEST_CASE("words on labels are explained where they stand") {
  Driver driver;
  act(driver, GoStage{0});
  CHECK(told_of(driver, "q kᵀ") == "Score");
  CHECK(driver.widget("term/words").value == term_named("score")->text);
  CHECK(driver.widget("term/picture").value == "Scores, head 2: the row of 9 cat");
  CHECK(told_of(driver, "q k v") == "Projection");
  CHECK(told_of(driver, "weights · v") == "Weighted sum");
  CHECK(told_of(driver, "channel →") == "Channel");
  CHECK(told_of(driver, "⟨s⟩") == "Start token");
  CHECK(told_of(driver, "Width per head") == "d′");
  CHECK(told_of(driver, "Induction") == "Induction");
  CHECK(driver.widget("term/words").value == driver.model().trace()->heads[2].sentence);
  CHECK(told_of(driver, "Causal") == "Causal");
  CHECK(driver.widget("term/note").value == "A query sees itself and what comes before it.");
  CHECK_FALSE(driver.shows("message"));        // the card says it
  CHECK(told_of(driver, "all keys").empty());  // of a keyboard
}

TEST_CASE("what is pressed is not explained, and neither are the words of the input") {
  Driver driver;
  CHECK(told_of(driver, "softmax") == "Softmax");
  driver.click_at(place_of(driver, "softmax"));
  driver.settle();
  CHECK_FALSE(driver.shows("term/tip"));
  act(driver, SetText{"x_q", "the key has a value", false});
  driver.settle();
  CHECK(told_of(driver, "key").empty());
  CHECK(told_of(driver, "value").empty());
  act(driver, SetText{"x_q", "Broad hats", false});  // as a head is called
  driver.settle();
  driver.move_to(driver.widget("tokens/x_q/1").rect.middle());
  for (int i = 0; i < 30; ++i) driver.frame();
  CHECK_FALSE(driver.shows("term/tip"));
  act(driver, SetVariant{"aft"});
  CHECK(told_of(driver, "Width").starts_with("Width"));
  act(driver, ShowScreen{Screen::train});  // another width: that of a network
  CHECK(told_of(driver, "Width").empty());
  act(driver, ShowScreen{Screen::explore});
  act(driver, SetExpert{true});
  CHECK(told_of(driver, "softmax").empty());
}
