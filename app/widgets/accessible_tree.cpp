#include "app/widgets/accessible_tree.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

namespace headlight::app {

namespace {

// A sign of multiplication is none.
bool has_letters(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (std::isalpha(byte) != 0) return true;
    if (byte < 0x80) continue;
    if (!text.substr(at).starts_with("×")) return true;
    ++at;
  }
  return false;
}

// "width per head" of "setup/param/width_per-head", "heads, more" of "params/heads/+".
std::string words_of_path(const std::string& path) {
  const auto last = path.rfind('/');
  std::string words = path.substr(last + 1);
  if (words == "+" || words == "-") return words_of_path(path.substr(0, last)) + (words == "+" ? ", more" : ", less");
  if (!has_letters(words)) words = path.substr(path.rfind('/', last - 1) + 1);
  std::ranges::replace(words, '_', ' ');
  std::ranges::replace(words, '-', ' ');
  std::ranges::replace(words, '/', ' ');
  return words;
}

// A label says what the control is; "on", a number or nothing says only how it stands.
std::string name_of(const std::string& path, const LoggedWidget& widget) {
  if (!widget.toggles && has_letters(widget.value)) return widget.value;
  return widget.value.empty() ? words_of_path(path) : words_of_path(path) + ": " + widget.value;
}

std::string role_of(const std::string& path, const LoggedWidget& widget, const UiMemory& memory) {
  if (memory.editing && memory.focus == path) return "textbox";
  if (widget.toggles) return "switch";
  if (path.ends_with("/scrollbar")) return "scrollbar";
  if (widget.pressable) return "button";
  return "text";
}

}  // namespace

std::vector<AccessiblePart> accessible_parts(const WidgetLog& log, const UiMemory& memory) {
  const bool dialog =
      std::ranges::any_of(log, [](const auto& entry) { return entry.second.layer == 1 && entry.second.pressable; });
  std::vector<AccessiblePart> parts;
  for (const auto& [path, widget] : log) {
    if (widget.seen.w <= 0 || widget.seen.h <= 0 || (dialog && widget.layer == 0)) continue;
    if (!widget.pressable && !has_letters(widget.value)) continue;
    parts.push_back(
        {path, role_of(path, widget, memory), name_of(path, widget), widget.state, memory.focus == path, widget.seen});
  }
  std::ranges::stable_sort(parts, {}, [](const AccessiblePart& part) { return std::tuple(part.rect.y, part.rect.x); });
  return parts;
}

Rect caret_of(const WidgetLog& log, const UiMemory& memory) {
  const auto caret = log.find(memory.focus + "/cursor");
  return memory.editing && caret != log.end() ? caret->second.rect : Rect{};
}

std::string accessible_json(const std::vector<AccessiblePart>& parts, Rect caret, const std::string& description) {
  nlohmann::json all = {
      {"view", description}, {"caret", {caret.x, caret.y, caret.w, caret.h}}, {"parts", nlohmann::json::array()}};
  for (const AccessiblePart& part : parts)
    all["parts"].push_back({part.path, part.role, part.name, part.state, part.focused, part.rect.x, part.rect.y,
                            part.rect.w, part.rect.h});
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace headlight::app
