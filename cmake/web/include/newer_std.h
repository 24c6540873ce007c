// What this project takes of C++20's library and Emscripten's may lack: algorithms on ranges, stop_token, bit_cast,
// texts of fractions, comparing strings. A browser's build includes this before anything else.
//
// As the standard has it, for the ranges of this project: beginning and end are of one type, and none is a temporary
// whose elements are asked for. A test holds each to a library that has it, under another name than std.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <compare>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <version>

#ifdef HEADLIGHT_NEWER_STD  // for the test: everything, under this name
#define HEADLIGHT_LACKS_ALL 1
#else
#define HEADLIGHT_NEWER_STD std
#define HEADLIGHT_LACKS_ALL 0
#endif

#if HEADLIGHT_LACKS_ALL || !defined(__cpp_lib_ranges)

namespace HEADLIGHT_NEWER_STD::ranges {

using std::identity;
using std::invoke;
using std::ranges::begin;
using std::ranges::end;
using std::ranges::less;
using std::ranges::range;

// Those of one range and what may follow, by the same of its beginning and end.
#define HEADLIGHT_OF_A_RANGE                                         \
  template <class R, class... More>                                  \
  requires range<R&>                                                 \
  constexpr auto operator()(R&& of, More&&... more) const {          \
    return (*this)(begin(of), end(of), std::forward<More>(more)...); \
  }

struct FindIf {
  HEADLIGHT_OF_A_RANGE
  template <class I, class Is, class P = identity>
  requires(!range<I&>) constexpr I operator()(I first, I last, Is is, P project = {}) const {
    for (; first != last; ++first)
      if (invoke(is, invoke(project, *first))) break;
    return first;
  }
};
inline constexpr FindIf find_if;

struct FindIfNot {
  HEADLIGHT_OF_A_RANGE
  template <class I, class Is, class P = identity>
  requires(!range<I&>) constexpr I operator()(I first, I last, Is is, P project = {}) const {
    for (; first != last; ++first)
      if (!invoke(is, invoke(project, *first))) break;
    return first;
  }
};
inline constexpr FindIfNot find_if_not;

struct Find {
  HEADLIGHT_OF_A_RANGE
  template <class I, class T, class P = identity>
  requires(!range<I&>) constexpr I operator()(I first, I last, const T& value, P project = {}) const {
    for (; first != last; ++first)
      if (invoke(project, *first) == value) break;
    return first;
  }
};
inline constexpr Find find;

struct AnyOf {
  HEADLIGHT_OF_A_RANGE
  template <class I, class Is, class P = identity>
  requires(!range<I&>) constexpr bool operator()(I first, I last, Is is, P project = {}) const {
    return find_if(first, last, std::ref(is), std::ref(project)) != last;
  }
};
inline constexpr AnyOf any_of;

struct AllOf {
  HEADLIGHT_OF_A_RANGE
  template <class I, class Is, class P = identity>
  requires(!range<I&>) constexpr bool operator()(I first, I last, Is is, P project = {}) const {
    return find_if_not(first, last, std::ref(is), std::ref(project)) == last;
  }
};
inline constexpr AllOf all_of;

struct NoneOf {
  HEADLIGHT_OF_A_RANGE
  template <class I, class Is, class P = identity>
  requires(!range<I&>) constexpr bool operator()(I first, I last, Is is, P project = {}) const {
    return find_if(first, last, std::ref(is), std::ref(project)) == last;
  }
};
inline constexpr NoneOf none_of;

struct CountIf {
  HEADLIGHT_OF_A_RANGE
  template <class I, class Is, class P = identity>
  requires(!range<I&>) constexpr std::iter_difference_t<I> operator()(I first, I last, Is is, P project = {}) const {
    std::iter_difference_t<I> many = 0;
    for (; first != last; ++first)
      if (invoke(is, invoke(project, *first))) ++many;
    return many;
  }
};
inline constexpr CountIf count_if;

struct Count {
  HEADLIGHT_OF_A_RANGE
  template <class I, class T, class P = identity>
  requires(!range<I&>) constexpr std::iter_difference_t<I> operator()(I first, I last, const T& value,
                                                                      P project = {}) const {
    std::iter_difference_t<I> many = 0;
    for (; first != last; ++first)
      if (invoke(project, *first) == value) ++many;
    return many;
  }
};
inline constexpr Count count;

// ---- Those that compare: less, or what is given, of the elements or of what is made of each

// Compares what is made of two elements.
template <class C, class P>
struct Projected {
  C& compare;
  P& project;
  template <class A, class B>
  constexpr bool operator()(A&& a, B&& b) const {
    return static_cast<bool>(invoke(compare, invoke(project, std::forward<A>(a)), invoke(project, std::forward<B>(b))));
  }
};

struct Sort {
  template <std::random_access_iterator I, class C = less, class P = identity>
  constexpr I operator()(I first, I last, C compare = {}, P project = {}) const {
    std::sort(first, last, Projected<C, P>{compare, project});
    return last;
  }
  template <range R, class C = less, class P = identity>
  constexpr auto operator()(R&& of, C compare = {}, P project = {}) const {
    return (*this)(begin(of), end(of), std::move(compare), std::move(project));
  }
};
inline constexpr Sort sort;

struct StableSort {
  template <std::random_access_iterator I, class C = less, class P = identity>
  I operator()(I first, I last, C compare = {}, P project = {}) const {
    std::stable_sort(first, last, Projected<C, P>{compare, project});
    return last;
  }
  template <range R, class C = less, class P = identity>
  auto operator()(R&& of, C compare = {}, P project = {}) const {
    return (*this)(begin(of), end(of), std::move(compare), std::move(project));
  }
};
inline constexpr StableSort stable_sort;

// Up to the middle: all of them in order, or the one that stands there.
template <bool all>
struct SortUpTo {
  template <std::random_access_iterator I, class C = less, class P = identity>
  constexpr I operator()(I first, I middle, I last, C compare = {}, P project = {}) const {
    const Projected<C, P> before{compare, project};
    if constexpr (all)
      std::partial_sort(first, middle, last, before);
    else
      std::nth_element(first, middle, last, before);
    return last;
  }
  template <range R, class I, class C = less, class P = identity>
  constexpr auto operator()(R&& of, I middle, C compare = {}, P project = {}) const {
    return (*this)(begin(of), middle, end(of), std::move(compare), std::move(project));
  }
};
inline constexpr SortUpTo<true> partial_sort;
inline constexpr SortUpTo<false> nth_element;

struct IsSorted {
  template <range R, class C = less, class P = identity>
  constexpr bool operator()(R&& of, C compare = {}, P project = {}) const {
    return std::is_sorted(begin(of), end(of), Projected<C, P>{compare, project});
  }
  template <std::forward_iterator I, class C = less, class P = identity>
  constexpr bool operator()(I first, I last, C compare = {}, P project = {}) const {
    return std::is_sorted(first, last, Projected<C, P>{compare, project});
  }
};
inline constexpr IsSorted is_sorted;

// The first of the elements that none is before.
template <bool most>
struct ExtremeElement {
  template <std::forward_iterator I, class C = less, class P = identity>
  constexpr I operator()(I first, I last, C compare = {}, P project = {}) const {
    const Projected<C, P> before{compare, project};
    return most ? std::max_element(first, last, before) : std::min_element(first, last, before);
  }
  template <range R, class C = less, class P = identity>
  constexpr auto operator()(R&& of, C compare = {}, P project = {}) const {
    return (*this)(begin(of), end(of), std::move(compare), std::move(project));
  }
};
inline constexpr ExtremeElement<true> max_element;
inline constexpr ExtremeElement<false> min_element;

template <class T>
struct MinAndMax {
  T min, max;
};

struct MinMaxElement {
  template <std::forward_iterator I, class C = less, class P = identity>
  constexpr MinAndMax<I> operator()(I first, I last, C compare = {}, P project = {}) const {
    const auto [least, most] = std::minmax_element(first, last, Projected<C, P>{compare, project});
    return {least, most};
  }
  template <range R, class C = less, class P = identity>
  constexpr auto operator()(R&& of, C compare = {}, P project = {}) const {
    return (*this)(begin(of), end(of), std::move(compare), std::move(project));
  }
};
inline constexpr MinMaxElement minmax_element;

struct MinMax {
  template <range R, class C = less, class P = identity>
  constexpr auto operator()(R&& of, C compare = {}, P project = {}) const {
    const auto at = minmax_element(of, std::move(compare), std::move(project));
    return MinAndMax<std::ranges::range_value_t<R>>{*at.min, *at.max};
  }
};
inline constexpr MinMax minmax;

template <bool most>
struct Extreme {
  template <range R, class C = less, class P = identity>
  constexpr auto operator()(R&& of, C compare = {}, P project = {}) const -> std::ranges::range_value_t<R> {
    return *ExtremeElement<most>{}(of, std::move(compare), std::move(project));
  }
  template <class T, class C = less, class P = identity>
  constexpr T operator()(std::initializer_list<T> of, C compare = {}, P project = {}) const {
    return *ExtremeElement<most>{}(of.begin(), of.end(), std::move(compare), std::move(project));
  }
};
inline constexpr Extreme<true> max;
inline constexpr Extreme<false> min;

// The first element that the value is not before (lower), or that it is before (upper).
template <bool upper>
struct Bound {
  template <std::forward_iterator I, class T, class C = less, class P = identity>
  constexpr I operator()(I first, I last, const T& value, C compare = {}, P project = {}) const {
    return std::partition_point(first, last, [&](auto&& element) {
      auto&& made = invoke(project, std::forward<decltype(element)>(element));
      return upper ? !static_cast<bool>(invoke(compare, value, made)) : static_cast<bool>(invoke(compare, made, value));
    });
  }
  template <range R, class T, class C = less, class P = identity>
  constexpr auto operator()(R&& of, const T& value, C compare = {}, P project = {}) const {
    return (*this)(begin(of), end(of), value, std::move(compare), std::move(project));
  }
};
inline constexpr Bound<false> lower_bound;
inline constexpr Bound<true> upper_bound;

// ---- Those of two ranges

struct Equal {
  template <range A, range B, class Is = std::ranges::equal_to, class P = identity, class Q = identity>
  constexpr bool operator()(A&& a, B&& b, Is is = {}, P first = {}, Q second = {}) const {
    auto at = begin(a);
    auto with = begin(b);
    for (; at != end(a) && with != end(b); ++at, ++with)
      if (!invoke(is, invoke(first, *at), invoke(second, *with))) return false;
    return at == end(a) && with == end(b);
  }
};
inline constexpr Equal equal;

template <class I, class J>
struct InAndIn {
  I in1;
  J in2;
};

struct Mismatch {
  template <range A, range B, class Is = std::ranges::equal_to>
  constexpr auto operator()(A&& a, B&& b, Is is = {}) const {
    auto at = begin(a);
    auto with = begin(b);
    while (at != end(a) && with != end(b) && invoke(is, *at, *with)) ++at, ++with;
    return InAndIn<decltype(at), decltype(with)>{at, with};
  }
};
inline constexpr Mismatch mismatch;

struct AdjacentFind {
  template <range R, class Is = std::ranges::equal_to, class P = identity>
  constexpr auto operator()(R&& of, Is is = {}, P project = {}) const {
    return std::adjacent_find(begin(of), end(of), Projected<Is, P>{is, project});
  }
};
inline constexpr AdjacentFind adjacent_find;

// ---- Those that write

template <class I, class O>
struct InAndOut {
  I in;
  O out;
};

struct Fill {
  template <range R, class T>
  constexpr auto operator()(R&& of, const T& value) const {
    auto at = begin(of);
    for (; at != end(of); ++at) *at = value;
    return at;
  }
  template <std::input_or_output_iterator I, class T>
  constexpr I operator()(I first, I last, const T& value) const {
    for (; first != last; ++first) *first = value;
    return first;
  }
};
inline constexpr Fill fill;

struct Generate {
  template <range R, class F>
  constexpr auto operator()(R&& of, F make) const {
    auto at = begin(of);
    for (; at != end(of); ++at) *at = invoke(make);
    return at;
  }
};
inline constexpr Generate generate;

struct Reverse {
  template <range R>
  constexpr auto operator()(R&& of) const {
    std::reverse(begin(of), end(of));
    return end(of);
  }
  template <std::bidirectional_iterator I>
  constexpr I operator()(I first, I last) const {
    std::reverse(first, last);
    return last;
  }
};
inline constexpr Reverse reverse;

struct Replace {
  template <range R, class A, class B, class P = identity>
  constexpr auto operator()(R&& of, const A& from, const B& to, P project = {}) const {
    auto at = begin(of);
    for (; at != end(of); ++at)
      if (invoke(project, *at) == from) *at = to;
    return at;
  }
};
inline constexpr Replace replace;

struct ReplaceIf {
  template <range R, class Is, class T, class P = identity>
  constexpr auto operator()(R&& of, Is is, const T& to, P project = {}) const {
    auto at = begin(of);
    for (; at != end(of); ++at)
      if (invoke(is, invoke(project, *at))) *at = to;
    return at;
  }
};
inline constexpr ReplaceIf replace_if;

struct Copy {
  template <range R, class O>
  constexpr auto operator()(R&& of, O out) const {
    return (*this)(begin(of), end(of), std::move(out));
  }
  template <std::input_or_output_iterator I, class O>
  constexpr InAndOut<I, O> operator()(I first, I last, O out) const {
    for (; first != last; ++first, ++out) *out = *first;
    return {std::move(first), std::move(out)};
  }
};
inline constexpr Copy copy;

struct Move {
  template <range R, class O>
  constexpr auto operator()(R&& of, O out) const {
    auto at = begin(of);
    for (; at != end(of); ++at, ++out) *out = std::move(*at);
    return InAndOut<decltype(at), O>{std::move(at), std::move(out)};
  }
};
inline constexpr Move move;

struct CopyIf {
  template <range R, class O, class Is, class P = identity>
  constexpr auto operator()(R&& of, O out, Is is, P project = {}) const {
    auto at = begin(of);
    for (; at != end(of); ++at)
      if (invoke(is, invoke(project, *at))) *out++ = *at;
    return InAndOut<decltype(at), O>{std::move(at), std::move(out)};
  }
};
inline constexpr CopyIf copy_if;

struct Transform {
  template <range R, class O, class F, class P = identity>
  requires(!range<O>) constexpr auto operator()(R&& of, O out, F make, P project = {}) const {
    auto at = begin(of);
    for (; at != end(of); ++at, ++out) *out = invoke(make, invoke(project, *at));
    return InAndOut<decltype(at), O>{std::move(at), std::move(out)};
  }
  template <range A, range B, class O, class F>
  constexpr auto operator()(A&& a, B&& b, O out, F make) const {
    auto at = begin(a);
    for (auto with = begin(b); at != end(a) && with != end(b); ++at, ++with, ++out) *out = invoke(make, *at, *with);
    return out;
  }
};
inline constexpr Transform transform;

template <class I>
struct InFound {
  bool found;
  I in;
};

struct NextPermutation {
  template <range R>
  constexpr auto operator()(R&& of) const {
    const bool found = std::next_permutation(begin(of), end(of));
    return InFound<decltype(begin(of))>{found, end(of)};
  }
};
inline constexpr NextPermutation next_permutation;

#undef HEADLIGHT_OF_A_RANGE

}  // namespace HEADLIGHT_NEWER_STD::ranges

#endif

// ---- Asking to stop

#if HEADLIGHT_LACKS_ALL || !defined(__cpp_lib_jthread)

namespace HEADLIGHT_NEWER_STD {

// Where there is one thread: whoever asks and whoever looks are the same.
class stop_token {
 public:
  stop_token() = default;
  bool stop_requested() const noexcept { return asked_ && *asked_; }
  bool stop_possible() const noexcept { return asked_ != nullptr; }
  bool operator==(const stop_token&) const = default;

 private:
  friend class stop_source;
  explicit stop_token(std::shared_ptr<const bool> asked) : asked_(std::move(asked)) {}
  std::shared_ptr<const bool> asked_;
};

class stop_source {
 public:
  stop_source() : asked_(std::make_shared<bool>(false)) {}
  stop_token get_token() const noexcept { return stop_token(asked_); }
  bool stop_requested() const noexcept { return *asked_; }
  bool request_stop() noexcept { return !std::exchange(*asked_, true); }

 private:
  std::shared_ptr<bool> asked_;
};

}  // namespace HEADLIGHT_NEWER_STD

#endif

// ---- The bits of one type as another

#if HEADLIGHT_LACKS_ALL || !defined(__cpp_lib_bit_cast)

namespace HEADLIGHT_NEWER_STD {

template <class To, class From>
requires(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
         std::is_trivially_copyable_v<From>) constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

}  // namespace HEADLIGHT_NEWER_STD

#endif

// ---- Fractions and their texts

#if HEADLIGHT_LACKS_ALL || !defined(__cpp_lib_to_chars)

namespace HEADLIGHT_NEWER_STD {

namespace newer {

// Where the number that begins here ends; `first` where none does. In lower or upper case, as the standard reads them.
inline const char* end_of_fraction(const char* first, const char* last) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const char* at = first;
  if (at != last && *at == '-') ++at;
  for (const std::string_view word : {std::string_view("infinity"), std::string_view("inf"), std::string_view("nan")}) {
    if (static_cast<std::size_t>(last - at) < word.size()) continue;
    if (std::equal(word.begin(), word.end(), at, [&](char a, char b) { return a == lower(b); }))
      return at + word.size();
  }
  const auto digits = [&] {
    const char* from = at;
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at - from;
  };
  auto many = digits();
  if (at != last && *at == '.') {
    ++at;
    const auto more = digits();
    many += more;
    if (many == 0) return first;
  }
  if (many == 0) return first;
  const char* whole = at;
  if (at != last && lower(*at) == 'e') {
    ++at;
    if (at != last && (*at == '-' || *at == '+')) ++at;
    if (digits() == 0) at = whole;
  }
  return at;
}

template <class T>
std::from_chars_result fraction(const char* first, const char* last, T& value) {
  const char* end = end_of_fraction(first, last);
  if (end == first) return {first, std::errc::invalid_argument};
  const std::string text(first, end);
  T read = 0;
  if constexpr (std::is_same_v<T, float>)
    read = std::strtof(text.c_str(), nullptr);
  else
    read = std::strtod(text.c_str(), nullptr);
  const bool has_digits = text.find_first_of("0123456789") != std::string::npos;
  const bool zero = text.substr(0, text.find_first_of("eE")).find_first_of("123456789") == std::string::npos;
  const bool beyond = has_digits && (read > std::numeric_limits<T>::max() || read < std::numeric_limits<T>::lowest());
  if (beyond || (has_digits && !zero && read == 0)) return {end, std::errc::result_out_of_range};
  value = read;
  return {end, std::errc()};
}

// The shortest digits that read back as the value, as "%.*e" writes them.
template <class T>
std::string shortest_digits(T value) {
  char text[40];
  for (int digits = 0;; ++digits) {
    std::snprintf(text, sizeof text, "%.*e", digits, static_cast<double>(value));
    T read = 0;
    if (fraction(text, text + std::strlen(text), read).ec == std::errc() && read == value) return text;
    if (digits >= std::numeric_limits<T>::max_digits10) return text;
  }
}

// With an exponent or without, whichever is shorter.
template <class T>
std::to_chars_result text_of_fraction(char* first, char* last, T value) {
  std::string text;
  if (std::isnan(value) || std::isinf(value)) {
    text = std::isnan(value) ? "nan" : "inf";
    if (std::signbit(value)) text.insert(0, "-");
  } else {
    text = shortest_digits(value);
    const auto e = text.find('e');
    const int exponent = std::atoi(text.c_str() + e + 1);
    const bool sign = text[0] == '-';
    const auto digits = static_cast<int>(e) - (sign ? 1 : 0) - (text.find('.') == std::string::npos ? 0 : 1);
    char plain[400];
    std::snprintf(plain, sizeof plain, "%.*f", std::max(0, digits - 1 - exponent), static_cast<double>(value));
    if (std::strlen(plain) <= text.size()) text = plain;
  }
  if (text.size() > static_cast<std::size_t>(last - first)) return {last, std::errc::value_too_large};
  return {std::copy(text.begin(), text.end(), first), std::errc()};
}

}  // namespace newer
#if HEADLIGHT_LACKS_ALL || !defined(_LIBCPP_VERSION) || _LIBCPP_VERSION < 14000  // later ones have these
inline std::to_chars_result to_chars(char* first, char* last, double value) {
  return newer::text_of_fraction(first, last, value);
}
inline std::to_chars_result to_chars(char* first, char* last, float value) {
  return newer::text_of_fraction(first, last, value);
}
#endif
inline std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  return newer::fraction(first, last, value);
}
inline std::from_chars_result from_chars(const char* first, const char* last, float& value) {
  return newer::fraction(first, last, value);
}

}  // namespace HEADLIGHT_NEWER_STD

#endif

// ---- Strings compared three ways

#if !HEADLIGHT_LACKS_ALL && defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000

namespace std {

inline strong_ordering operator<=>(const string& a, const string& b) {
  return a.compare(b) <=> 0;
}
inline strong_ordering operator<=>(const string_view& a, const string_view& b) {
  return a.compare(b) <=> 0;
}

}  // namespace std

#endif
