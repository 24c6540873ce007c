#include "app/widgets/accessible_tree.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <tuple>

namespace headlight::app {

namespace {

bool has_letters(const std::string& text) {
  return std::ranges::any_of(text, [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
  });
}

// "width per head" of "setup/param/width_per-head".
std::string words_of_path(const std::string& path) {
  std::string words = path.substr(path.rfind('/') + 1);
  if (!has_letters(words)) words = path.substr(path.rfind('/', path.rfind('/') - 1) + 1);
  std::ranges::replace(words, '_', ' ');
  std::ranges::replace(words, '-', ' ');
  std::ranges::replace(words, '/', ' ');
  return words;
}

// A label says what the control is; "on", a number or nothing says only how it stands.
std::string name_of(const std::string& path, const LoggedWidget& widget) {
  const bool stands = widget.value == "on" || widget.value == "off" || !has_letters(widget.value);
  if (!stands) return widget.value;
  return widget.value.empty() ? words_of_path(path) : words_of_path(path) + ": " + widget.value;
}

std::string role_of(const std::string& path, const LoggedWidget& widget, const UiMemory& memory) {
  if (memory.editing && memory.focus == path) return "textbox";
  if (widget.value == "on" || widget.value == "off") return "switch";
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

std::string accessible_json(const std::vector<AccessiblePart>& parts, const std::string& description) {
  nlohmann::json all = {{"view", description}, {"parts", nlohmann::json::array()}};
  for (const AccessiblePart& part : parts)
    all["parts"].push_back({part.path, part.role, part.name, part.state, part.focused, part.rect.x, part.rect.y,
                            part.rect.w, part.rect.h});
  return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace headlight::app
