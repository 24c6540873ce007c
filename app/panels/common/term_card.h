// A word of the glossary where it stands: two sentences, and the screen's own numbers that show it.
#pragma once

#include "app/panels/common/form.h"
#include "app/panels/common/shown.h"

namespace headlight::app {

// The words of the glossary in texts whose widgets begin with that path.
Terms glossary_terms(const char* path, const Model& model);

// A lesson may hide what a picture would show.
enum class TermCard { words, with_picture };
// The word that is explained, as a card; nothing where none is.
void draw_term_card(Form& form, const Model& model, PanelMemory& memory, TermCard card_of, Actions& actions);

// The word that the pointer rests on, as a card at its place: one of the glossary, or a head of the run that is shown
// (null: none), of which pictures tell. To be called after all that can be pointed at.
void draw_pointed_card(Ui& ui, const Model& model, const Trace* trace, PanelMemory& memory, TermCard card_of);

}  // namespace headlight::app
