// What a browser's build has in place of a newer standard library, beside the library of this build.
#define HEADLIGHT_NEWER_STD newer_std
#include "cmake/web/include/newer_std.h"

#include <array>
#include <deque>
#include <list>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace {

namespace ours = newer_std::ranges;
namespace theirs = std::ranges;

struct Word {
  int number = 0;
  std::string text;
  bool operator==(const Word&) const = default;
};

std::vector<std::vector<Word>> samples() {
  std::mt19937 random(7);
  std::vector<std::vector<Word>> all{{}, {{1, "a"}}};
  for (int size = 2; size < 40; ++size) {
    std::vector<Word> words;
    for (int i = 0; i < size; ++i) {
      const auto number = static_cast<int>(random() % 9U);
      words.push_back({number, std::string(1, static_cast<char>('a' + random() % 5U))});
    }
    all.push_back(std::move(words));
  }
  return all;
}

}  // namespace

TEST_CASE("what looks through a range finds what the library finds") {
  for (const auto& words : samples())
    for (int number = -1; number < 10; ++number) {
      const auto is = [&](int n) { return n >= number; };
      const auto is_word = [&](const Word& word) { return word.number > number; };
      CHECK(ours::find(words, number, &Word::number) == theirs::find(words, number, &Word::number));
      CHECK(ours::find_if(words, is, &Word::number) == theirs::find_if(words, is, &Word::number));
      CHECK(ours::find_if(words.begin(), words.end(), is_word) == theirs::find_if(words, is_word));
      CHECK(ours::find_if_not(words, is_word) == theirs::find_if_not(words, is_word));
      CHECK(ours::any_of(words, is, &Word::number) == theirs::any_of(words, is, &Word::number));
      CHECK(ours::all_of(words, is, &Word::number) == theirs::all_of(words, is, &Word::number));
      CHECK(ours::none_of(words, is_word) == theirs::none_of(words, is_word));
      CHECK(ours::count(words, number, &Word::number) == theirs::count(words, number, &Word::number));
      CHECK(ours::count_if(words, is, &Word::number) == theirs::count_if(words, is, &Word::number));
    }
}

TEST_CASE("what orders a range orders it as the library does") {
  for (const auto& words : samples()) {
    const auto both = [&](const auto& one, const auto& other) {
      auto a = words, b = words;
      one(a);
      other(b);
      CHECK(a == b);
    };
    both([](auto& of) { ours::stable_sort(of, {}, &Word::number); },
         [](auto& of) { theirs::stable_sort(of, {}, &Word::number); });
    both([](auto& of) { ours::stable_sort(of, theirs::greater{}, &Word::text); },
         [](auto& of) { theirs::stable_sort(of, theirs::greater{}, &Word::text); });
    both([](auto& of) { ours::reverse(of); }, [](auto& of) { theirs::reverse(of); });
    std::vector<int> numbers, same;
    for (const Word& word : words) numbers.push_back(word.number);
    same = numbers;
    ours::sort(numbers);
    theirs::sort(same);
    CHECK(numbers == same);
    CHECK(ours::is_sorted(numbers));
    CHECK(ours::is_sorted(words, {}, &Word::number) == theirs::is_sorted(words, {}, &Word::number));
    for (int number = -1; number < 10; ++number) {
      CHECK(ours::lower_bound(numbers, number) - numbers.begin() == theirs::lower_bound(same, number) - same.begin());
      CHECK(ours::upper_bound(numbers, number) - numbers.begin() == theirs::upper_bound(same, number) - same.begin());
    }
    if (words.empty()) continue;
    CHECK(ours::max_element(words, {}, &Word::number) == theirs::max_element(words, {}, &Word::number));
    CHECK(ours::min_element(words, {}, &Word::number) == theirs::min_element(words, {}, &Word::number));
    const auto extremes = ours::minmax_element(words, {}, &Word::number);
    const auto wanted = theirs::minmax_element(words, {}, &Word::number);
    CHECK((extremes.min == wanted.min && extremes.max == wanted.max));
    CHECK(ours::max(numbers) == theirs::max(same));
    CHECK(ours::min(numbers) == theirs::min(same));
    CHECK(ours::minmax(numbers).max == theirs::minmax(same).max);
    const auto middle = static_cast<std::ptrdiff_t>(words.size() / 2);
    const std::greater<> most_first;
    std::vector<int> a = same, b = same;
    ours::nth_element(a, a.begin() + middle, most_first);
    theirs::nth_element(b, b.begin() + middle, most_first);
    CHECK(a[static_cast<std::size_t>(middle)] == b[static_cast<std::size_t>(middle)]);
    ours::partial_sort(a, a.begin() + middle, most_first);
    theirs::partial_sort(b, b.begin() + middle, most_first);
    CHECK(std::equal(a.begin(), a.begin() + middle, b.begin()));
    auto next = words;
    auto next_of_library = words;
    std::vector<int> p = numbers, q = numbers;
    CHECK(ours::next_permutation(p).found == theirs::next_permutation(q).found);
    CHECK(p == q);
  }
  CHECK(ours::max({3, 9, 4}) == 9);
}

TEST_CASE("what compares two ranges and what writes into one does what the library does") {
  const auto all = samples();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto &a = all[i], &b = all[i - 1];
    CHECK(ours::equal(a, a));
    CHECK(ours::equal(a, b, {}, &Word::number, &Word::number) == theirs::equal(a, b, {}, &Word::number, &Word::number));
    CHECK(ours::mismatch(a, b).in1 == theirs::mismatch(a, b).in1);
    CHECK(ours::adjacent_find(a, {}, &Word::number) == theirs::adjacent_find(a, {}, &Word::number));
    std::vector<Word> x(a.size()), y(a.size());
    ours::copy(a, x.begin());
    CHECK(x == a);
    CHECK(ours::copy(a, x.begin()).out == x.end());
    ours::transform(a, x.begin(), [](Word word) { return Word{word.number + 1, word.text}; });
    theirs::transform(a, y.begin(), [](Word word) { return Word{word.number + 1, word.text}; });
    CHECK(x == y);
    std::vector<int> sums, sums_of_library;
    const auto add = [](const Word& one, const Word& other) { return one.number + other.number; };
    ours::transform(a, b, std::back_inserter(sums), add);
    theirs::transform(a, b, std::back_inserter(sums_of_library), add);
    CHECK(sums == sums_of_library);
    std::vector<Word> some, some_of_library;
    const auto small = [](int number) { return number < 5; };
    ours::copy_if(a, std::back_inserter(some), small, &Word::number);
    theirs::copy_if(a, std::back_inserter(some_of_library), small, &Word::number);
    CHECK(some == some_of_library);
    ours::replace_if(x, small, Word{7, "z"}, &Word::number);
    theirs::replace_if(y, small, Word{7, "z"}, &Word::number);
    CHECK(x == y);
    ours::replace(x, Word{7, "z"}, Word{8, "y"});
    theirs::replace(y, Word{7, "z"}, Word{8, "y"});
    CHECK(x == y);
    int made = 0;
    ours::generate(x, [&] { return Word{made++, "m"}; });
    CHECK(x.back().number == static_cast<int>(x.size()) - 1);
    std::vector<Word> moved(x.size());
    ours::move(x, moved.begin());
    CHECK(moved.back().text == "m");
    ours::fill(x, Word{1, "f"});
    CHECK(ours::count(x, Word{1, "f"}) == static_cast<std::ptrdiff_t>(x.size()));
  }
}

TEST_CASE("whoever holds a token sees that its source was asked to stop") {
  newer_std::stop_source source, other;
  const newer_std::stop_token none, token = source.get_token();
  const newer_std::stop_source same = source;
  CHECK_FALSE(none.stop_possible());
  CHECK_FALSE(token.stop_requested());
  CHECK(source.request_stop());
  CHECK_FALSE(source.request_stop());
  CHECK(token.stop_requested());
  CHECK(same.stop_requested());
  CHECK_FALSE(other.get_token().stop_requested());
  CHECK_FALSE(none.stop_requested());
  CHECK(newer_std::bit_cast<std::uint32_t>(1.0F) == std::bit_cast<std::uint32_t>(1.0F));
}

TEST_CASE("fractions are read and written as the library does") {
  std::mt19937 random(3);
  std::vector<std::string> texts{"1",  "-2.5",   "+1",    "1e5", "1e400", "1e-400", ".5",    "5.",   ".",
                                 "-",  "1e",     "1e+",   "inf", "-INF",  "nan",    "Infin", "0x10", "",
                                 " 1", "1.5e3x", "1e-45", "-0",  "1e39",  "0e9",    "00.1",  "1,5",  "infinity"};
  for (int i = 0; i < 2000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, std::bit_cast<float>(bits)).ptr;
    texts.emplace_back(text, end);
  }
  const auto same = [&](auto start, const std::string& text) {
    auto a = start, b = start;
    const auto ours_read = newer_std::from_chars(text.data(), text.data() + text.size(), a);
    const auto theirs_read = std::from_chars(text.data(), text.data() + text.size(), b);
    INFO(text);
    CHECK(ours_read.ptr == theirs_read.ptr);
    CHECK(ours_read.ec == theirs_read.ec);
    CHECK((a == b || (a != a && b != b)));
  };
  const auto same_text = [](auto value) {
    char a[64], b[64];
    const std::string ours_text(a, newer_std::to_chars(a, a + sizeof a, value).ptr);
    const std::string theirs_text(b, std::to_chars(b, b + sizeof b, value).ptr);
    CHECK(ours_text == theirs_text);
  };
  for (const auto& text : texts) {
    same(-3.0, text);
    same(-3.0F, text);
  }
  for (int i = 0; i < 2000; ++i) {
    same_text(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    same_text(static_cast<float>(static_cast<int>(random() % 100000U) - 50000) / 64);
    same_text(static_cast<double>(random() % 1000U) / 7);
  }
  for (const float value : {0.0F, -0.0F, 1e5F, 100000.0F, 123456.0F, 1e-5F, 16777216.0F, 0.1F, INFINITY, -INFINITY})
    same_text(value);
}
