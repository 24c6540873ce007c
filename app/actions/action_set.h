// Actions that set one field, which is all that they do: said in one line, with the word of their text form and the
// field. How a field is set follows from whose it is: Updating::set() in updating.h.
#pragma once

#include <algorithm>
#include <optional>

#include "app/actions/action_form.h"
#include "app/actions/effects.h"

namespace headlight::app {

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
