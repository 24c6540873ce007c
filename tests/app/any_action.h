// Values for the members of actions, so that a test can make every action there is without naming one. An action with a
// member of another kind does not compile here until values of that kind are given.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "app/actions/action.h"
#include "app/actions/action_members.h"

namespace headlight::app {

// All values of an enum that has names in text forms; other kinds are given below.
template <class T>
std::vector<T> values() {
  static_assert(action_members::Named<T>, "values of this kind must be given below");
  std::vector<T> all;
  for (std::size_t i = 0; i < action_members::names<T>.size(); ++i) all.push_back(static_cast<T>(i));
  return all;
}

template <>
inline std::vector<bool> values() {
  return {true, false};
}
template <>
inline std::vector<int> values() {
  return {1, -1, 0, 2};
}
template <>
inline std::vector<Index> values() {
  return {3, 0, 1, 64};
}
template <>
inline std::vector<std::uint64_t> values() {
  return {0, 7, UINT64_MAX};
}
template <>
inline std::vector<float> values() {
  return {1.25F, 1, 0.75F};
}
template <>
inline std::vector<double> values() {
  return {0.125, 0, 1};
}
template <>
inline std::vector<std::string> values() {  // those of one word first
  return {"x_q", "weights", "csv", "a file.pdf", ""};
}
template <>
inline std::vector<std::filesystem::path> values() {
  return {"a b.headlight", "", "a folder/b"};
}
template <>
inline std::vector<HeadOrder> values() {
  return {std::nullopt, Measure::induction, Measure::ablation};
}
template <>
inline std::vector<TokenAt> values() {
  return {{"x_q", 3}, {"x_k", 0}, {"x_q", -1}, {"x_q", 64}};
}
template <>
inline std::vector<Language> values() {
  return {Language::numpy, Language::pytorch};
}
template <>
inline std::vector<FigureFormat> values() {
  return {all_figure_formats.begin(), all_figure_formats.end()};
}
template <>
inline std::vector<GridSize> values() {
  return {{3, 4}, {1, 1}, {0, -1}};
}
template <>
inline std::vector<ParamValue> values() {
  return {Index{4}, 0.5, std::string("causal"), true, false, std::monostate{}};
}
template <>
inline std::vector<Scaling> values() {
  std::vector<Scaling> all;
  for (const auto& choice : scaling_choices()) all.push_back(choice.scaling);
  return all;
}
template <>
inline std::vector<Selection> values() {
  return {{9, 3},
          {},
          {std::nullopt, 3},
          {9, std::nullopt, 4},
          {9, std::nullopt, std::nullopt, 1, std::nullopt},
          {std::nullopt, std::nullopt, std::nullopt, std::nullopt, 2},
          {9, 3, 4, 1, 2}};
}
template <>
inline std::vector<std::optional<Hover>> values() {
  return {std::nullopt, Hover{"weights", 2, {9, 3}}, Hover{"", 0, {std::nullopt, 3}}};
}
template <>
inline std::vector<std::optional<Arrangement>> values() {
  return {std::nullopt, Shuffle{7}, Shift{-1, 2}};
}
template <>
inline std::vector<std::vector<std::string>> values() {
  return {{}, {"step", "head"}, {"batch"}};
}
template <>
inline std::vector<InputSpec> values() {
  return {ImageInput{"a b.png", {}},
          ImageInput{"a.png", GridSize{3, 4}, "rgb"},
          FramesInput{{"a.gif"}, {}},
          FramesInput{{"a.png", "b.png"}, {}},
          SignalInput{"s.csv"},
          SignalInput{"s.csv", "time", 12},
          FileInput{"a.npy"},
          FileInput{"a.npz", "member", "hwc"},
          TextInput{.text = "ein \"Wort\"", .tokenizer = "bytes"},
          LiteralInput{{2, 2}, {1, 2, 3, 4}},
          FileInput{"a.npy", "", "lhqk", {TokenList{"t.json", {}}, TokenList{"", {{"a"}, {"b"}}}, {}, {}}},
          LiteralInput{{1, 2}, {0.5F, 0.5F}, "qk", {TokenList{"", {{"a \"b\""}}}, {}, {}, {}}},
          LabelsInput{{{}, {}, PictureLabel{"p.png", GridSize{2, 3}, 1}, PictureLabel{"", GridSize{1, 4}, {}}}}};
}
template <>
inline std::vector<Edit> values() {
  return {Edit{"weights", {std::nullopt, Span{2, 2}, std::nullopt, std::nullopt}, Edit::Make::uniform},
          Edit{"scores", {Span{0, 0}, Span{1, 2}, Span{3, 3}, Span{0, 1}}, Edit::Make::set, {0.5, -1, 2, 0.125}},
          Edit{"x_q", {}, Edit::Make::zero, {}, 0, 1, false},
          Edit{"weights", {}, Edit::Make::one_hot, {}, 2},
          Edit{"weights", {}, Edit::Make::permuted, {}, 0, 7},
          Edit{"masked_scores", {Span{0, 0}, Span{0, 0}, Span{1, 1}, Span{0, 0}}, Edit::Make::set, {-INFINITY}}};
}

// So many samples of a kind have every value that is given here at every member.
inline constexpr std::size_t samples_each = 15;

// Hands each member that the text form has to `visit`, as a pointer to it, and whether it is the last.
template <class T, class Visit>
void visit_members(Visit visit) {
  std::size_t left = std::tuple_size_v<decltype(form_of<T>.members)>;
  std::apply([&](auto... members) { (visit(members, --left == 0), ...); }, form_of<T>.members);
}

template <class T, class Member>
void set_member(T& action, Member T::*member, bool last, std::size_t i) {
  auto all = values<Member>();
  assert(all.size() <= samples_each);
  if constexpr (std::is_same_v<Member, std::string>)
    if (!last) all.resize(3);  // one word
  action.*member = all[i % all.size()];
}
template <class T>
void set_member(T& action, Exact<T> exact, bool, std::size_t i) {
  const std::string texts[] = {"  a cat  sat ", "", "two\nlines", "the cat sat"};
  action.*exact.member = texts[i % std::size(texts)];
}
template <class T>
void set_member(T& action, Word<T> word, bool, std::size_t i) {
  action.*word.member = i % 2 == 1;
}

// The i-th of its kind: enough of them have every value that is given here at every member.
template <class T>
T sample_of(std::size_t i) {
  T action;
  visit_members<T>([&](auto member, bool last) { set_member(action, member, last, i); });
  return action;
}

// As many functions as there are kinds of actions, in the order of AllActions.
template <class... T>
std::vector<Action (*)(std::size_t)> samplers_of(ListOf<T...>) {
  return {[](std::size_t i) { return Action(sample_of<T>(i)); }...};
}
inline std::vector<Action (*)(std::size_t)> samplers() {
  return samplers_of(AllActions());
}

}  // namespace headlight::app
