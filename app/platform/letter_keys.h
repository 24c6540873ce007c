// Keys by what they are on the keyboard's layout, so that Ctrl Z is where it shows a Z. For what tells of keys, on each
// system.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "app/platform/input.h"

namespace headlight::app {

inline constexpr std::pair<char, Key> letter_keys[] = {
    {'a', Key::a}, {'b', Key::b}, {'c', Key::c},     {'d', Key::d},     {'e', Key::e}, {'f', Key::f}, {'g', Key::g},
    {'h', Key::h}, {'i', Key::i}, {'k', Key::k},     {'l', Key::l},     {'m', Key::m}, {'n', Key::n}, {'o', Key::o},
    {'p', Key::p}, {'q', Key::q}, {'r', Key::r},     {'s', Key::s},     {'t', Key::t}, {'v', Key::v}, {'x', Key::x},
    {'y', Key::y}, {'z', Key::z}, {'+', Key::equal}, {'-', Key::minus},
};

inline std::optional<Key> key_of_letter(char letter) {
  const auto* found = std::ranges::find(letter_keys, letter, &std::pair<char, Key>::first);
  return found == std::end(letter_keys) ? std::nullopt : std::optional(found->second);
}

// Whether each key has a letter or one of these places. One that the actions' table names and that no keyboard gives
// would be dead in the window alone, unseen by any test that pushes keys.
constexpr bool all_can_be_pressed(const auto& places) {
  for (int key = 0; key < key_count; ++key) {
    const auto is_it = [key](const auto& entry) { return entry.second == static_cast<Key>(key); };
    if (!std::ranges::any_of(places, is_it) && !std::ranges::any_of(letter_keys, is_it)) return false;
  }
  return true;
}

}  // namespace headlight::app
