// A browser tells no page of the machine's own fonts: there are those of the program, and those that are dropped on it.
#include "app/text/font_set_state.h"

namespace headlight {

SystemFonts::SystemFonts() = default;

std::optional<SystemFont> SystemFonts::find(char32_t /*character*/, const FontWish& /*wish*/,
                                            const std::function<bool(const SystemFont&)>& /*fits*/) {
  return std::nullopt;
}

}  // namespace headlight
