// Figures' files by strangers: what they carry is read, or refused in one line, with work bounded by the file's size.
#include <zlib.h>

#include <random>

#include "app/figures/figure_recipe.h"
#include "tests/catch.h"
#include "tests/fuzz/damage.h"

using namespace headlight;
using namespace headlight::app;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, 0);
  REQUIRE(compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                   static_cast<uLong>(bytes.size())) == Z_OK);
  out.resize(size);
  return out;
}

const std::string sound = R"({"headlight_figure": 1, "experiment": {"variant": "multi_head",
  "inputs": {"x_q": {"text": "the cat"}}}, "figure": {"step": "scores,weights", "head": "0,2", "layers": "l.headlight"},
  "companions": {"l.headlight": {"variant": "multi_head"}}})";

// Refused, in one line of a length that can be read.
void check_refused(const std::string& recipe) {
  const auto read = parse_recipe(recipe, {}, "f.pdf");
  REQUIRE_FALSE(read);
  CHECK(is_one_line(read.error().message));
  CHECK(read.error().message.size() < 1200);
}

}  // namespace

TEST_CASE("the undamaged recipe is sound") {
  REQUIRE(parse_recipe(sound, {}, "f.pdf"));
}

TEST_CASE("recipes that ask for absurd work are refused before any of it is done") {
  const auto with = [](const std::string& figure) {
    return R"({"experiment": {"variant": "multi_head"}, "figure": {)" + figure + "}}";
  };
  check_refused(R"({"experiment": )" + repeated("{\"a\":", 100000));
  check_refused(R"({"experiment": {"variant": "multi_head"}, "companions": )" + repeated("[", 100000));
  check_refused(R"({"experiment": {"variant": "multi_head"}, "headlight_figure": )" + repeated("[", 60) +
                repeated("]", 60) + "}");
  check_refused(with(R"("step": ")" + repeated("weights,", 1000) + "q\""));
  check_refused(with(R"("layers": ")" + repeated("a,", 1000) + "b\""));
  check_refused(with(R"("head": ")" + repeated("0-4096,", 1000) + "0\""));
  check_refused(with(R"("title": ")" + std::string(4 << 20, 'T') + "\""));
  check_refused(with(R"("caption": ")" + std::string(4 << 20, 'c') + "\""));
  check_refused(with("\"" + std::string(1 << 20, 'k') + R"(": "1")"));
  // Companions that the figure does not read are not looked at.
  REQUIRE(
      parse_recipe(R"({"experiment": {"variant": "multi_head"}, "companions": {"x": {"variant": "none"}}})", {}, "f"));
}

TEST_CASE("streams of a PDF are unpacked once each, and not without end") {
  const std::string stream = packed(std::string(1 << 24, ' '));
  std::string pdf = "%PDF-1.5\n" + repeated("/ObjStm ", 1000) + "stream\n" + stream;
  CHECK_FALSE(recipe_of(pdf));  // one stream, named a thousand times
  pdf = "%PDF-1.5\n";
  for (int i = 0; i < 200; ++i) pdf += "/ObjStm stream\n" + stream;
  CHECK_FALSE(recipe_of(pdf));  // 3 GB in 3 MB
  // A recipe after a few streams of others is still found.
  pdf = "%PDF-1.5\n";
  for (int i = 0; i < 100; ++i) pdf += "/ObjStm stream\n" + packed("1 0 << /Title (" + std::to_string(i) + ") >>");
  pdf += "/ObjStm stream\n" + packed("<< /Keywords (Headlight: {}) >>");
  CHECK(recipe_of(pdf).value_or("") == "{}");
}

TEST_CASE("damaged recipes are read or refused in one line") {
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = damaged_text(sound, random);
    const auto read = parse_recipe(text, {}, "f.pdf");
    if (read) continue;
    ++refused;
    if (!is_one_line(read.error().message)) FAIL_CHECK(text << " → " << read.error().message);
  }
  CHECK(refused > 500);
}
