// The tokens of a text as chips, which can be chosen, moved, masked, doubled, taken out and put in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/actions/tokens.h"
#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// A token that is being put in: it is typed where it will stand.
struct TokenTyping {
  TokenAt token;
  std::string typed;
};

struct TokenListMemory {
  std::optional<TokenTyping> typing;
  std::map<std::string, Index> scrolled_to;  // the token that each list was last scrolled to
};

// The sign that puts one in behind the last, where they can be changed.
void draw_add_token(Ui& ui, Rect place, const Model& model, PanelMemory& memory, const std::string& input);
// Those of the input of that name, which lie along that axis. Moves the form on.
void draw_tokens(Form& form, const Model& model, PanelMemory& memory, const std::string& input, AxisRole along,
                 Actions& actions);

}  // namespace headlight::app
