// The text form of an action, said once beside its members: which word it begins with, and which members follow, in
// which order. Writing and reading both go by it.
//
// Not for how a member is written: action_members.h.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace headlight::app {

// A text that a type can be made with.
template <std::size_t size>
struct FixedText {
  std::array<char, size> characters{};
  consteval FixedText(const char (&text)[size]) { std::copy_n(text, size, characters.begin()); }
  constexpr std::string_view view() const { return {characters.data(), size - 1}; }
};

template <class... Members>
struct TextForm {
  std::string_view id;         // the first word
  std::string_view otherwise;  // in its place where the first member, a bool, is false; empty: there is one word
  std::tuple<Members...> members;
};

// What an action's form() is given to say its form with. Only who reads forms makes them: those who make actions, which
// are most files of the window, do not compile them.
struct AsForm {
  // "head 3": as("head", &SetHead::head).
  template <class... Members>
  constexpr TextForm<Members...> operator()(std::string_view id, Members... members) const {
    return {id, {}, {members...}};
  }
  // "pin 9 3" and "select 9 3": as.two_words("pin", "select", &Select::pin, &Select::selection).
  template <class Action, class... Members>
  constexpr TextForm<bool Action::*, Members...> two_words(std::string_view yes, std::string_view no,
                                                           bool Action::*which, Members... members) const {
    return {yes, no, {which, members...}};
  }
};
template <class Action>
inline constexpr auto form_of = Action::form(AsForm());

// The word that the action's text form begins with.
template <class Action>
constexpr std::string_view first_word(const Action& action) {
  constexpr auto form = form_of<Action>;
  if constexpr (!form.otherwise.empty())
    if (!(action.*std::get<0>(form.members))) return form.otherwise;
  return form.id;
}

// What an action without members is made of: struct Undo : Plain<"undo"> {};
template <FixedText id>
struct Plain {
  static constexpr auto form(auto as) { return as(id.view()); }
};

// One with a single value: using SetHead = OneValue<"head", Index>;
template <FixedText id, class T>
struct OneValue {
  T value{};
  static constexpr auto form(auto as) { return as(id.view(), &OneValue::value); }
};

// One that is a word or another: using Play = OnOff<"play", "pause">;
template <FixedText yes, FixedText no>
struct OnOff {
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words(yes.view(), no.view(), &OnOff::on); }
};

// A text at the end of the line whose spaces all count.
template <class Action>
struct Exact {
  std::string Action::*member;
};
template <class Action>
Exact(std::string Action::*) -> Exact<Action>;

// A word that stands there or does not.
template <class Action>
struct Word {
  std::string_view word;
  bool Action::*member;
};
template <class Action>
Word(std::string_view, bool Action::*) -> Word<Action>;

}  // namespace headlight::app
