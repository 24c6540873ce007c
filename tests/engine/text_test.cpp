#include "engine/inputs/text.h"

#include <cmath>

#include "engine/core/random.h"
#include "engine/weights/textbook.h"
#include "tests/catch.h"

using namespace headlight;

namespace {

std::vector<std::string> split(std::string_view text, TextSplit tokenizer, bool start = false) {
  std::vector<std::string> words;
  for (const auto& token : tokenize(text, tokenizer, start).tokens) words.push_back(token.text);
  return words;
}

using Words = std::vector<std::string>;

std::vector<float> row_of(const Tensor& x, Index row) {
  const auto width = static_cast<std::size_t>(x.dim(-1));
  const auto values = x.values().subspan(static_cast<std::size_t>(row) * width, width);
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("words know Unicode, keep their apostrophes and hyphens, and leave signs apart") {
  CHECK(split("Don't stop, well-known cat!", TextSplit::words) ==
        Words{"Don't", "stop", ",", "well-known", "cat", "!"});
  CHECK(split("Съешь ещё 3 булки…", TextSplit::words) == Words{"Съешь", "ещё", "3", "булки", "…"});
  CHECK(split("η γάτα; ναι", TextSplit::words) == Words{"η", "γάτα", ";", "ναι"});
  CHECK(split("cafe\u0301 na\u00efve", TextSplit::words) == Words{"cafe\u0301", "na\u00efve"});
  CHECK(split("我爱猫 cat", TextSplit::words) == Words{"我", "爱", "猫", "cat"});
  CHECK(split(" \t\n\u00a0 ", TextSplit::words).empty());
  CHECK(split("- a -b-", TextSplit::words) == Words{"-", "a", "-", "b", "-"});
}

TEST_CASE("what a reader calls a character stays whole") {
  const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467", flag = "\U0001F1EC\U0001F1F7";
  CHECK(split("e\u0301x" + family + flag, TextSplit::characters) == Words{"e\u0301", "x", family, flag});
  CHECK(split("a b", TextSplit::characters) == Words{"a", " ", "b"});
}

TEST_CASE("emoji are one token each, however many characters they are made of") {
  const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467", flag = "\U0001F1EB\U0001F1F7",
                    thumb = "\U0001F44D\U0001F3FD", heart = "\u2764\uFE0F", keycap = "1\uFE0F\u20E3";
  const std::string text = family + flag + thumb + heart + keycap;
  for (const TextSplit tokenizer : {TextSplit::characters, TextSplit::words})
    CHECK(split(text, tokenizer) == Words{family, flag, thumb, heart, keycap});
  CHECK(split("love" + heart + "you", TextSplit::words) == Words{"love", heart, "you"});
  CHECK(split("a1" + keycap + "2", TextSplit::words) == Words{"a1", keycap, "2"});
  // As one token each they have a row each.
  const Tensor x = embed(tokenize(family + flag + thumb + heart, TextSplit::characters, false).tokens, 32, 0);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < i; ++j) CHECK(row_of(x, i) != row_of(x, j));
}

TEST_CASE("letters of all scripts keep their marks, and words that no space parts are one") {
  CHECK(split("नमस्ते", TextSplit::characters).front() == "न");
  CHECK(split("हिंदी", TextSplit::characters) == Words{"हिं", "दी"});
  CHECK(split("ที่นี่", TextSplit::characters) == Words{"ที่", "นี่"});
  CHECK(split("ध्यान तंत्र", TextSplit::words) == Words{"ध्यान", "तंत्र"});
  CHECK(split("주의 메커니즘", TextSplit::words) == Words{"주의", "메커니즘"});
  CHECK(split("ความสนใจ", TextSplit::words) == Words{"ความสนใจ"});
  CHECK(split("ความ\u200Bสนใจ", TextSplit::words) == Words{"ความ", "สนใจ"});
  CHECK(split("注意ひらガナ", TextSplit::words) == Words{"注", "意", "ひ", "ら", "ガ", "ナ"});
  CHECK(split("שלום עולם, مرحبا", TextSplit::words) == Words{"שלום", "עולם", ",", "مرحبا"});
}

TEST_CASE("bytes and white space") {
  CHECK(split("aé", TextSplit::bytes) == Words{"a", "c3", "a9"});
  CHECK(split("a,b  c\td", TextSplit::whitespace) == Words{"a,b", "c", "d"});
  CHECK(split("a", TextSplit::words, true) == Words{"⟨s⟩", "a"});
}

TEST_CASE("bytes that are not UTF-8 are shown and reported, never fatal") {
  const SplitText tokens = tokenize("a\xFF\xC3 b", TextSplit::whitespace, false);
  REQUIRE(tokens.tokens.size() == 2);
  CHECK(tokens.tokens[0].text == "a\uFFFD\uFFFD");
  REQUIRE(tokens.warnings.size() == 1);
  CHECK(tokens.warnings[0].find("2 bytes of the text are not UTF-8, the first at byte 1") == 0);
  CHECK(tokenize("ab\xFF", TextSplit::words, false).warnings.at(0).find("byte 2 of the text is") == 0);
  CHECK(tokenize("\xFF", TextSplit::bytes, false).warnings.empty());  // bytes are what was asked for
}

TEST_CASE("signs that nobody sees make no token and split no word") {
  CHECK(split("\uFEFFthe cat", TextSplit::words) == Words{"the", "cat"});
  CHECK(split("\uFEFFthe cat", TextSplit::whitespace) == Words{"the", "cat"});
  CHECK(split("co\u00ADoperate", TextSplit::words) == Words{"co\u00ADoperate"});
  CHECK(split("שלום\u200F עולם", TextSplit::words) == Words{"שלום", "עולם"});
  CHECK(split("a\u200Bb", TextSplit::words) == Words{"a", "b"});
  CHECK(split("می\u200Cخواهم", TextSplit::words) == Words{"می\u200Cخواهم"});
}

TEST_CASE("tokens know where they stand in the text") {
  const std::string text = "ещё, cat";
  for (const auto& token : tokenize(text, TextSplit::words, false).tokens)
    CHECK(text.substr(token.begin, token.end - token.begin) == token.text);
}

TEST_CASE("a megabyte of text is no trouble") {
  std::string text;
  while (text.size() < (1U << 20)) text += "слово word ";
  CHECK(tokenize(text, TextSplit::words, false).tokens.size() > 100000);
}

TEST_CASE("equal words get equal rows in any sentence, however they are spelt") {
  const auto a = tokenize("the cafe\u0301 was the one", TextSplit::words, true).tokens;
  const auto b = tokenize("one caf\u00e9", TextSplit::words, false).tokens;
  const Tensor x = embed(a, 32, 1), y = embed(b, 32, 1), z = embed(b, 32, 2);
  CHECK(row_of(x, 1) == row_of(x, 4));
  CHECK(row_of(x, 2) == row_of(y, 1));
  CHECK(row_of(y, 0) != row_of(y, 1));
  CHECK(row_of(y, 0) != row_of(z, 0));
}

TEST_CASE("every width holds an embedding, and the layout keeps inside it") {
  const auto tokens = tokenize("the cat , sat", TextSplit::words, true).tokens;
  for (Index d = 1; d <= 64; ++d) {
    const TextChannels channels = text_channels(d);
    CHECK(channels.identity + channels.width <= d);
    if (channels.has_previous) CHECK(channels.previous + channels.width <= d);
    Tensor x = embed(tokens, d, 1);
    double square = 0;
    for (Index c = 0; c < channels.width; ++c) square += std::pow(x.at({0, 2, channels.identity + c}), 2);
    CHECK(std::sqrt(square) == Approx(identity_size).epsilon(1e-5));
    write_previous_token(x, tokens, 1);
    if (!channels.has_previous) continue;
    for (Index c = 0; c < channels.width; ++c)
      CHECK(x.at({0, 3, channels.previous + c}) == x.at({0, 2, channels.identity + c}));
  }
}

TEST_CASE("channels are said in groups, side by side, each where the embedding writes it") {
  for (Index d = 1; d <= 64; ++d)
    for (const bool textbook : {false, true}) {
      const auto groups = text_channel_groups(d, textbook);
      const TextChannels at = text_channels(d);
      Index next = 0;
      for (const ChannelGroup& group : groups) {
        INFO(d << " " << group.name);
        CHECK(group.first == next);
        CHECK(group.count > 0);
        next = group.first + group.count;
        if (group.name == "which word") CHECK(group.first == at.identity);
        if (group.name == "marks") CHECK(group.first == at.flags);
        if (group.name == "the word before") CHECK((textbook && group.first == at.previous));
      }
      CHECK(next <= d);
      if (textbook && at.has_previous) CHECK(next == at.first + 1);
    }
}

TEST_CASE("random numbers are these, on every machine") {
  Random random(7, "w_q");
  CHECK(random.next() == 879040147343981255ULL);
  CHECK(random.next() == 17363302293084982319ULL);
  CHECK(random.uniform() == 0x1.7f1f18ec57574p-3);
  CHECK(random.normal() == -0x1.8744feff1eeeep-3);
  CHECK(random.normal() == -0x1.be6fe6cead222p-2);
  CHECK(Random(7, "w_k").next() != Random(7, "w_q").next());
  CHECK(Random(8, "w_q").next() != Random(7, "w_q").next());
}

TEST_CASE("normal numbers are normal") {
  Random random(1, "normal");
  double sum = 0, square = 0;
  int beyond = 0;
  constexpr int count = 200000;
  for (int i = 0; i < count; ++i) {
    const double x = random.normal();
    sum += x;
    square += x * x;
    beyond += std::abs(x) > 1.959964;
  }
  CHECK(sum / count == Approx(0).margin(0.01));
  CHECK(square / count == Approx(1).margin(0.02));
  CHECK(static_cast<double>(beyond) / count == Approx(0.05).margin(0.003));
}

TEST_CASE("weights are drawn as they are named") {
  Tensor w({4, 8, 2});
  fill_init(w, "xavier_uniform", 1, "w", 8, 2);
  const float bound = std::sqrt(6.0F / 10);
  for (const float x : w.values()) CHECK(std::abs(x) <= bound);
  fill_init(w, "identity", 1, "w", 8, 2);  // head m passes on channels 2m and 2m + 1
  for (Index m = 0; m < 4; ++m)
    for (Index row = 0; row < 8; ++row)
      for (Index c = 0; c < 2; ++c) CHECK(w.at({m, row, c}) == (row == 2 * m + c ? 1.0F : 0.0F));
  fill_init(w, "zeros", 1, "w", 8, 2);
  for (const float x : w.values()) CHECK(x == 0.0F);
}

TEST_CASE("a text whose tokens are moved, doubled, taken out or put in splits into the tokens that were asked for") {
  const auto said = [](Result<std::string> text) { return text ? *text : "refused: " + text.error().message; };
  const auto words = TextSplit::words;
  const std::string text = "the cat sat, warm.";
  CHECK(said(with_token_moved(text, words, 1, 3)) == "the sat, cat warm.");
  CHECK(said(with_token_moved(text, words, 5, 0)) == ". the cat sat, warm");
  CHECK(said(with_token_moved(text, words, 0, 5)) == "cat sat, warm. the");
  CHECK(said(with_token_doubled(text, words, 0)) == "the the cat sat, warm.");
  CHECK(said(with_token_doubled(text, words, 5)) == "the cat sat, warm..");
  CHECK(said(without_token(text, words, 0)) == "cat sat, warm.");
  CHECK(said(without_token(text, words, 3)) == "the cat sat warm.");
  CHECK(said(with_tokens_inserted(text, words, 2, "big, old")) == "the cat big, old sat, warm.");
  CHECK(said(with_tokens_inserted(text, words, 6, "indeed")) == "the cat sat, warm. indeed");
  CHECK(said(with_tokens_inserted("", words, 0, "one")) == "one");
  CHECK(said(with_token_moved("a,b", words, 2, 0)) == "b a,");
  CHECK(said(with_token_moved("ab", TextSplit::characters, 1, 0)) == "ba");
  CHECK(said(with_token_moved("é!", TextSplit::bytes, 0, 2)).starts_with("refused: "));
  CHECK(said(with_token_moved(text, words, 0, 6)) == "refused: there is no token 6: the text has 6");
  CHECK(said(without_token("", words, 0)) == "refused: the text has no tokens");
  CHECK(said(with_tokens_inserted(text, words, 1, "  ")) == "refused: \"  \" holds no token");
  // Whatever the text: as asked, or refused.
  const std::string pieces[] = {"a", "cat", " ", "  ", ",", "'", "-", "\u00e9", "\n", "\u4e2d", "x1", "\xff"};
  std::uint32_t state = 1;
  const auto next = [&](std::size_t below) { return (state = state * 1664525U + 1013904223U) / 65536U % below; };
  int done = 0;
  for (int round = 0; round < 400; ++round) {
    std::string any;
    for (std::size_t i = 0; i < 3 + next(8); ++i) any += pieces[next(std::size(pieces))];
    const TextSplit split = static_cast<TextSplit>(round % 4);
    std::vector<std::string> tokens;
    for (const Token& token : tokenize(any, split, false).tokens) tokens.push_back(token.text);
    if (tokens.size() < 2) continue;
    const std::size_t from = next(tokens.size()), to = next(tokens.size());
    const auto moved = with_token_moved(any, split, static_cast<Index>(from), static_cast<Index>(to));
    if (!moved) continue;
    std::string taken = tokens[from];
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(from));
    tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(to), taken);
    std::vector<std::string> now;
    for (const Token& token : tokenize(*moved, split, false).tokens) now.push_back(token.text);
    CHECK(now == tokens);
    ++done;
  }
  CHECK(done > 200);
}
