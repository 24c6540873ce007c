// The lines of a cell's history: how each rule is explained. Between cell_trace.cpp and itself; others ask
// cell_trace.h.
#pragma once

#include "app/reading/cell_trace.h"
#include "engine/trace/rule.h"

namespace headlight::app {

// One stop on the way back: a step's cell and what made it.
struct Link {
  const Step* step = nullptr;
  Index cell = -1;
  Explanation why;
  double value() const { return step->tensor()[cell]; }
  Operand operand() const { return Operand::of(step->info.id, cell); }
};

// The one recorded number of a term, or null where it has none or several.
const Operand* only_recorded(const Term& term);
// Whether a cell is a sum that ends the story in a table: of products that no single step went into.
bool is_sum_of_products(const Explanation& e, const Trace& trace);
// The operand that the story goes on with, or null where it ends.
const Operand* main_operand(const Explanation& e, const Trace& trace);

// Adds the lines of one link, after those of what it was made from.
void add_story(const Link& link, const Trace& trace, std::vector<TraceLine>& lines);

}  // namespace headlight::app
