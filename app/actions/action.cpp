#include "app/actions/action.h"

#include <algorithm>
#include <array>

#include "app/actions/action_words.h"
#include "engine/params/params.h"

namespace headlight::app {

namespace {

using action_members::Words;

// ---- Writing

template <class T, class Member>
std::string written(const T& action, Member T::*member) {
  return action_members::write(action.*member);
}
template <class T>
std::string written(const T& action, Exact<T> exact) {
  return action.*exact.member;
}
template <class T>
std::string written(const T& action, Word<T> word) {
  return std::string(action.*word.member ? word.word : "");
}

// A text at the end is parted from what comes before though it is empty; other members leave nothing behind.
template <class T>
void append(std::string& line, const T& action, Exact<T> member) {
  line += " " + written(action, member);
}
template <class T, class Member>
void append(std::string& line, const T& action, Member member) {
  const std::string word = written(action, member);
  line += word.empty() && std::is_same_v<Member, Word<T>> ? "" : " " + word;
}

template <class T>
std::string text_of(const T& action) {
  std::string line(first_word(action));
  const auto add = [&](auto... members) { (append(line, action, members), ...); };
  if constexpr (form_of<T>.otherwise.empty())
    std::apply(add, form_of<T>.members);
  else  // the first word says the first member
    std::apply([&](auto, auto... rest) { add(rest...); }, form_of<T>.members);
  return line;
}

// ---- Reading

// A text that others follow is one word.
template <class T>
Status read_member(Words& words, T& action, std::string T::*member, bool last) {
  if (last) return action_members::read(words, action.*member);
  action.*member = words.next();
  return {};
}
template <class T, class Member>
Status read_member(Words& words, T& action, Member T::*member, bool) {
  return action_members::read(words, action.*member);
}
template <class T>
Status read_member(Words& words, T& action, Exact<T> exact, bool) {
  action.*exact.member = words.exactly();
  return {};
}
template <class T>
Status read_member(Words& words, T& action, Word<T> word, bool) {
  action.*word.member = words.peek() == word.word;
  if (action.*word.member) words.next();
  return {};
}

template <class T>
Result<Action> read_action(Words words) {
  constexpr std::size_t count = std::tuple_size_v<decltype(form_of<T>.members)>;
  T action;
  Status status;
  std::size_t at = 0;
  const auto read = [&](auto member) {
    ++at;
    if constexpr (!form_of<T>.otherwise.empty() && std::is_same_v<decltype(member), bool T::*>)
      if (at == 1) {
        action.*member = words.verb == form_of<T>.id;
        return;
      }
    if (status) status = read_member(words, action, member, at == count);
  };
  std::apply([&](auto... members) { (read(members), ...); }, form_of<T>.members);
  if (!status) return tl::unexpected<Error>(status.error());
  if (!words.at_end()) return fail("{}: \"{}\" is more than it takes", words.verb, words.remaining());
  return Action(std::move(action));
}

// ---- All of them

struct Reader {
  std::string_view id, otherwise;
  Result<Action> (*read)(Words);
};

template <class... T>
constexpr std::array<Reader, sizeof...(T)> make_readers(ListOf<T...>) {
  return {Reader{form_of<T>.id, form_of<T>.otherwise, read_action<T>}...};
}
constexpr auto readers = make_readers(AllActions());

}  // namespace

std::string to_text(const Action& action) {
  return action.visit([](const auto& a) { return text_of(a); });
}

Result<Action> parse_action(std::string_view line) {
  Words words{line};
  words.verb = words.next();
  for (const Reader& reader : readers)
    if (!words.verb.empty() && (words.verb == reader.id || words.verb == reader.otherwise)) return reader.read(words);
  std::vector<std::string> known;
  for (const Reader& reader : readers) known.emplace_back(reader.id);
  const std::string near = nearest_word(words.verb, known);
  return fail("\"{}\" is not an action: {}", words.verb,
              near.empty() ? "the user guide lists them all" : fmt::format("did you mean {}?", near));
}

}  // namespace headlight::app
