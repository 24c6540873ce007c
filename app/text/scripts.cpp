#include "app/text/scripts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace headlight {

namespace {

constexpr Script tag(const char (&name)[5]) {
  const auto byte = [&](int i) { return static_cast<Script>(static_cast<unsigned char>(name[i])); };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

constexpr std::string_view cjk = "fonts-noto-cjk", core = "fonts-noto-core", unifont = "fonts-unifont";

constexpr std::array known{
    std::pair{ideographs_script, ScriptNote{"Chinese", "zh-cn", cjk}},
    std::pair{tag("Hira"), ScriptNote{"Japanese", "ja", cjk}},
    std::pair{tag("Kana"), ScriptNote{"Japanese", "ja", cjk}},
    std::pair{tag("Hang"), ScriptNote{"Korean", "ko", cjk}},
    std::pair{tag("Bopo"), ScriptNote{"Bopomofo", "zh-tw", cjk}},
    std::pair{tag("Deva"), ScriptNote{"Devanagari (Hindi)", "hi", core}},
    std::pair{tag("Thai"), ScriptNote{"Thai", "th", core}},
    std::pair{tag("Arab"), ScriptNote{"Arabic", "ar", core}},
    std::pair{tag("Hebr"), ScriptNote{"Hebrew", "he", core}},
    std::pair{tag("Beng"), ScriptNote{"Bengali", "bn", core}},
    std::pair{tag("Guru"), ScriptNote{"Gurmukhi", "pa", core}},
    std::pair{tag("Gujr"), ScriptNote{"Gujarati", "gu", core}},
    std::pair{tag("Orya"), ScriptNote{"Odia", "or", core}},
    std::pair{tag("Taml"), ScriptNote{"Tamil", "ta", core}},
    std::pair{tag("Telu"), ScriptNote{"Telugu", "te", core}},
    std::pair{tag("Knda"), ScriptNote{"Kannada", "kn", core}},
    std::pair{tag("Mlym"), ScriptNote{"Malayalam", "ml", core}},
    std::pair{tag("Sinh"), ScriptNote{"Sinhala", "si", core}},
    std::pair{tag("Khmr"), ScriptNote{"Khmer", "km", core}},
    std::pair{tag("Laoo"), ScriptNote{"Lao", "lo", core}},
    std::pair{tag("Mymr"), ScriptNote{"Burmese", "my", core}},
    std::pair{tag("Tibt"), ScriptNote{"Tibetan", "bo", core}},
    std::pair{tag("Ethi"), ScriptNote{"Ethiopic", "am", core}},
    std::pair{tag("Geor"), ScriptNote{"Georgian", "ka", core}},
    std::pair{tag("Armn"), ScriptNote{"Armenian", "hy", core}},
    std::pair{emoji_script, ScriptNote{"emoji", "und-zsye", "fonts-noto-color-emoji"}},
    std::pair{Script{0}, ScriptNote{"signs and symbols", "", unifont}},
};

bool has_script(std::u32string_view line, Script script) {
  return std::ranges::any_of(line, [&](char32_t character) { return shaped_script(character) == script; });
}

// "a", "a and b", "a, b and c"; each once.
std::string list_of(const std::vector<std::string_view>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + std::string(words[i]);
  return list;
}

void add_once(std::vector<std::string_view>& words, std::string_view word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

}  // namespace

ScriptNote note_of(Script script) {
  for (const auto& [of, note] : known)
    if (of == script) return note;
  return {"a rare script", "", core};
}

std::string_view language_of_ideographs(std::u32string_view line) {
  if (has_script(line, tag("Hira")) || has_script(line, tag("Kana"))) return "ja";
  return has_script(line, tag("Hang")) ? "ko" : note_of(ideographs_script).language;
}

std::string missing_fonts_note(const std::vector<Script>& missing) {
  if (missing.empty()) return {};
  std::vector<std::string_view> names, packages;
  for (const auto& [script, note] : known)  // in one order, whatever came first
    if (std::ranges::find(missing, script) != missing.end()) {
      add_once(names, note.name);
      add_once(packages, note.package);
    }
  if (names.empty()) {
    names.push_back(note_of(missing.front()).name);
    packages.push_back(note_of(missing.front()).package);
  }
  return fmt::format(
      "Some characters of {} are in no font here: they are shown by their codes, U+XXXX. With Debian, install {}, and "
      "start again.",
      list_of(names), list_of(packages));
}

}  // namespace headlight
