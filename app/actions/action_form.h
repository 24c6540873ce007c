// The text form of an action, said once beside its members: which word it begins with, and which members follow, in
// which order. Writing and reading both go by it.
//
// Not for how a member is written: action_words.h.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "app/model/model.h"

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

// Names of arrays, to be kept beside the weights that they are of.
struct NamesToKeep {
  std::filesystem::path path;
  std::string text;
};

// What remains to be done outside the model once an action has changed it. The session carries it out.
struct Effects {
  bool rerun = false;
  bool cancel = false;
  bool quit = false;
  bool fresh = false;  // the built-in example
  bool copy_link = false;
  std::optional<std::filesystem::path> open;
  std::string member;  // which lists of attention in the file that is opened
  std::optional<std::filesystem::path> save;
  bool save_inputs = false;     // into the same file
  bool measure_inputs = false;  // what would go into it is to be looked at
  bool new_lesson = false;      // is to be written and opened
  bool print_lesson = false;    // the one that is open, as PDF
  bool save_answers = false;    // to the lesson that is open, as CSV
  bool thumbnails = false;      // those of the recent files are to be read
  std::optional<bool> ablate;   // runs without each head: begin, or stop
  bool cancel_export = false;
  std::optional<std::string> clipboard;
  bool paste = false;                            // what the clipboard holds is to be laid over the map
  std::optional<std::string> beside;             // a choice whose other values are to be run
  std::optional<Departure> leave;                // to be done though work is lost
  std::optional<Replacing> replace;              // to be written; where it has a question, though a file is lost
  std::optional<std::size_t> recover;            // of the model's recoverable
  std::optional<std::size_t> discard_recovered;  // of the model's recoverable
  std::optional<std::filesystem::path> browse;   // a folder to be listed
  std::optional<std::filesystem::path> peek;     // a file to be looked into
  std::optional<std::filesystem::path> slides;   // a file whose folder's experiments are to be presented
  std::optional<NamesToKeep> keep_names;
  std::optional<TrainingCommand> training;
  std::optional<Index> train_to;     // a step
  std::optional<Index> remake_step;  // of the training, to be looked at
  std::optional<HeadChangeRequest> train_head;
  bool measure_train_heads = false;                      // what it comes to without each
  bool explore_training = false;                         // the pinned cell's part, after the step that is looked at
  bool compare_training = false;                         // after two steps
  std::optional<std::filesystem::path> save_training;    // the folder
  std::optional<std::filesystem::path> training_figure;  // its file; empty: a free name beside the experiment
  std::optional<std::filesystem::path> train_on;         // the folder of a training
  std::optional<std::filesystem::path> lesson;           // to be opened
};

// Actions that set one field, which is all that they do: said in one line, with the word of their text form and the
// field. How a field is set follows from whose it is: Updating::set() in updating.h.

template <class Field>
struct FieldType;
template <class Owner, class T>
struct FieldType<T Owner::*> {
  using Value = T;
};
template <class T>
struct FieldType<std::optional<T> Effects::*> {  // nothing unless it is asked for
  using Value = T;
};

// Bounds of a number. Those of other values are never read.
struct Between {
  double least = 0, most = 0;
};

template <FixedText id, auto field, Between bounds = Between{}>
struct Set {
  using Value = typename FieldType<decltype(field)>::Value;
  Value value{};

  static constexpr auto form(auto as) { return as(id.view(), &Set::value); }
  // The value within the bounds, where there are any.
  Value within() const {
    if constexpr (bounds.least < bounds.most)
      return std::clamp(value, static_cast<Value>(bounds.least), static_cast<Value>(bounds.most));
    else
      return value;
  }
};

// The same of a bool, with a word for each of its values.
template <FixedText yes, FixedText no, auto field>
struct Switch {
  bool on = true;
  static constexpr auto form(auto as) { return as.two_words(yes.view(), no.view(), &Switch::on); }
};

}  // namespace headlight::app
