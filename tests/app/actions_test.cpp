// What holds of every action there is, those to come included.
#include <set>

#include "tests/app/any_action.h"
#include "tests/catch.h"

using namespace headlight;
using namespace headlight::app;

namespace {

template <class T, class Member>
const auto& member_of(const T& action, Member T::*member) {
  return action.*member;
}
template <class T>
const std::string& member_of(const T& action, Exact<T> exact) {
  return action.*exact.member;
}
template <class T>
const bool& member_of(const T& action, Word<T> word) {
  return action.*word.member;
}

// Texts of those that came back as another. (An assertion for each kind of action would take long to compile.)
template <class T>
void read_back(std::vector<std::string>& others) {
  for (std::size_t i = 0; i < samples_each; ++i) {
    const T action = sample_of<T>(i);
    std::string text = to_text(action);
    const auto read = parse_action(text);
    const T* same = read ? read->template as<T>() : nullptr;
    bool equal = same && to_text(*read) == text;
    if (equal)
      visit_members<T>(
          [&](auto member, bool) { equal = equal && member_of(*same, member) == member_of(action, member); });
    if (!equal) others.push_back(std::move(text));
  }
}

template <class... T>
std::vector<std::string> read_back_otherwise(ListOf<T...>) {
  std::vector<std::string> others;
  (read_back<T>(others), ...);
  return others;
}

// Something that any member can be made from, to count the members there are.
template <class T, class... Known>
constexpr bool is_one_of = (std::is_same_v<T, Known> || ...);
struct Anything {
  template <class T, class = std::enable_if_t<is_one_of<
                         T, bool, int, Index, std::uint64_t, float, double, std::string, std::filesystem::path,
                         InputKind, ViewMode, HeadOrder, Decision, Dialog, MenuTarget, TokenAt, Screen, Side,
                         ContrastView, MaskForm, Covered, ThemeName, StartWith, Language, FigureFormat, GridSize,
                         ParamValue, Scaling, Selection, ModelReads, ModelPart, HeadMarks, LayersView, ParamQuestion,
                         std::optional<Hover>, std::optional<Arrangement>, std::vector<std::string>, InputSpec, Edit>>>
  operator T() const;
};
template <class T, class... Given>
constexpr std::size_t count_members(Given... given) {
  if constexpr (requires { T{given..., Anything{}}; })
    return count_members<T>(given..., Anything{});
  else
    return sizeof...(given);
}

// "arrays 1", of each action that has any, in the order of their words.
template <class... T>
std::set<std::string> members_left_out(ListOf<T...>) {
  std::set<std::string> left;
  const auto add = [&](std::string_view id, std::size_t all, std::size_t written) {
    if (all != written) left.insert(fmt::format("{} {}", id, all - written));
  };
  (add(form_of<T>.id, count_members<T>(), std::tuple_size_v<decltype(form_of<T>.members)>), ...);
  return left;
}

}  // namespace

TEST_CASE("every action reads back as it was written, with every value of its members") {
  CHECK(read_back_otherwise(AllActions()) == std::vector<std::string>{});
}

TEST_CASE("every value of an enum is among the samples") {
  const auto sampled = [](auto get) {
    std::set<int> values;
    for (std::size_t i = 0; i < samples_each; ++i) values.insert(static_cast<int>(get(i)));
    return values.size();
  };
  CHECK(sampled([](std::size_t i) { return sample_of<ShowDialog>(i).value; }) ==
        static_cast<std::size_t>(Dialog::help) + 1);
  CHECK(sampled([](std::size_t i) { return sample_of<SetMode>(i).value; }) ==
        static_cast<std::size_t>(ViewMode::arrows) + 1);
}

TEST_CASE("no member of an action is left out of its text form, but what goes on and what a file was seen to hold") {
  const std::set<std::string> expected{"arrays 1", "edit 1",         "figure 1",     "hide-cells 1",
                                       "means 1",  "model-reads 1",  "notes 1",      "param 1",
                                       "text 1",   "train-option 1", "train-text 1", "weights-from 6"};
  CHECK(members_left_out(AllActions()) == expected);
}

TEST_CASE("what is no action is refused by name, with what is allowed") {
  const auto error = [](const char* line) {
    const auto read = parse_action(line);
    return read ? "read: " + to_text(*read) : read.error().message;
  };
  CHECK(error("") == "\"\" is not an action: the user guide lists them all");
  CHECK(error("fly") == "\"fly\" is not an action: the user guide lists them all");
  CHECK(error("stagee 3") == "\"stagee\" is not an action: did you mean stage?");
  CHECK(error("head three") == "head: \"three\" is not a number");
  CHECK(error("head") == "head: \"\" is not a number");
  CHECK(error("head 3 4") == "head: \"4\" is more than it takes");
  CHECK(error("undo twice") == "undo: \"twice\" is more than it takes");
  CHECK(error("select nine 3") == "select: \"nine\" is not a number");
  CHECK(error("mode sideways") ==
        "mode: \"sideways\" must be one of map, matrix, lines, numbers, heads, mechanism, layers, arrows");
  CHECK(error("cross maybe") == "cross: \"maybe\" must be on or off");
  CHECK(error("figure-each page") ==
        "figure-each: \"page\" must be one, or of step, layer, head, batch, query, frame with commas");
  CHECK(error("input x {\"image\"").starts_with("input: "));
  CHECK(error("pause") == "read: pause");
  CHECK(error("unfold inspector") == "read: unfold inspector");
}
