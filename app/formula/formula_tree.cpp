#include "app/formula/formula_tree.h"

#include <optional>

namespace headlight {

namespace {

using enum MathClass;

// Thirds of nothing: thin, medium and thick spaces by number; those above 10 are none in scripts. Rows and columns in
// the order of MathClass. Binary signs beside a class marked 0 there have become ordinary.
constexpr int spaces[8][8] = {
    // ord op bin rel open close punct inner
    {0, 1, 12, 13, 0, 0, 0, 11},      // ord
    {1, 1, 0, 13, 0, 0, 0, 11},       // op
    {12, 12, 0, 0, 12, 0, 0, 12},     // bin
    {13, 13, 0, 0, 13, 0, 0, 13},     // rel
    {0, 0, 0, 0, 0, 0, 0, 0},         // open
    {0, 1, 12, 13, 0, 0, 0, 11},      // close
    {11, 11, 0, 11, 11, 11, 11, 11},  // punct
    {11, 1, 12, 13, 11, 0, 11, 11},   // inner
};

bool opens(std::optional<MathClass> before) {
  return !before || *before == bin || *before == op || *before == rel || *before == open || *before == punct;
}

}  // namespace

void demote_binaries(std::span<MathClass> classes) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::optional<MathClass> before = i == 0 ? std::nullopt : std::optional(classes[i - 1]);
    if (classes[i] == bin && opens(before)) classes[i] = ord;
    const bool closes = classes[i] == rel || classes[i] == close || classes[i] == punct;
    if (closes && before == bin) classes[i - 1] = ord;
  }
  if (!classes.empty() && classes.back() == bin) classes.back() = ord;
}

double space_between(MathClass left, MathClass right, bool in_scripts) {
  constexpr double mu[] = {0, 3.0 / 18, 4.0 / 18, 5.0 / 18};
  const int space = spaces[static_cast<int>(left)][static_cast<int>(right)];
  return in_scripts && space > 10 ? 0 : mu[space % 10];
}

}  // namespace headlight
