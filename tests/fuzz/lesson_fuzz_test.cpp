// Lessons that somebody damaged: they are read and played, or told in lines of a length that can be read.
#include <fstream>
#include <random>
#include <sstream>

#include "app/session/lesson_play.h"
#include "tests/catch.h"
#include "tests/fuzz/damage.h"

using namespace headlight;
using namespace headlight::app;

namespace {

std::string shipped(const char* name) {
  std::ifstream file(std::filesystem::path(HEADLIGHT_SOURCE_DIR) / "assets/lessons" / name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void check_told(const std::string& text) {
  const PlayedLesson played = check_lesson(read_lesson_text(text, "damaged", {}));
  for (const auto& mistake : played.mistakes) {
    const std::string line = line_of("f", mistake);
    INFO(line);
    CHECK(line.find('\n') == std::string::npos);
    CHECK(line.size() < 1500);
    CHECK(mistake.at.line >= 1);
  }
}

}  // namespace

TEST_CASE("damaged lessons are told, whatever happened to them") {
  std::mt19937 random(1);
  const auto signs = [&](std::string& text, std::size_t at) {
    const char* pieces[] = {"{", "}",  "[",  "]",  "(",   "```",  "---",  "$",
                            "`", ": ", "\"", "#9", "1e9", "over", "ask ", "\n"};
    text.insert(at, pieces[random() % std::size(pieces)]);
  };
  for (const char* name : {"one-row-by-hand.lesson.md", "masks.lesson.md"}) {
    const std::string whole = shipped(name);
    REQUIRE(whole.size() > 1000);
    for (int i = 0; i < 150; ++i) check_told(damaged(whole, random, signs));
  }
}

TEST_CASE("absurd lessons are told without absurd work") {
  const auto many = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  check_told("");
  check_told("---\n");
  check_told(many("# A\n", 500));
  check_told("# A\n" + many("> ", 5000) + "x\n");
  check_told("# A\n" + many("*", 20000) + "\n");
  check_told("# A\n{" + many("(", 1900) + "}\n");
  check_told("# A\n{1 " + many("+ 1 ", 400) + "}\n");
  check_told("# A\n``` experiment\n{\"variant\": \"multi_head\", \"params\": {\"heads\": 1000000000}}\n```\n");
  check_told("# A\n``` ask order\nOrder.\nanswer: weights[h0, q9, :]\n```\n");
}
