// Measures of heads in words: their numbers, why there are none, the words by which heads of one behaviour are found,
// and all of it as a table to copy.
//
// Not for the numbers themselves, nor for what measures are called: engine/measures.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/measures/head_measures.h"

namespace headlight::app {

// Stands beside every measure.
extern const char* const measures_caution;

// Why no head has a number, as a sentence without a full stop; empty where they have.
std::string missing_in_words(Missing missing);
// "0.7131", "12.40"; "–" for none.
std::string measure_text(double value);
// What a bar of that measure reaches: the most there can be, or where nothing bounds it the greatest there is.
double most_of(const HeadMeasures& measures, Measure measure);
// "0.71 of at most 3.14 nats, ln of 23 keys", "0.66", with the unit.
std::string value_in_words(const HeadMeasures& measures, Measure measure, Index head);
// What was left out or is no share, as sentences; empty where there is nothing to say.
std::string remarks_on(const HeadMeasures& measures);

// Heads in the order of a measure, those without a number last; by their numbers where there is none, and among equals.
std::vector<Index> sorted_heads(const HeadMeasures& measures, std::optional<Measure> measure, bool ascending);

// A behaviour that heads are found by: one measure, and from where on it counts.
struct Behaviour {
  const char* name;  // "Previous token"
  std::vector<const char*> words;
  Measure measure;
  const char* of;        // "weight on the previous token"
  double bound;          // in the measure's unit
  bool of_most = false;  // the bound is a part of most_of()
  bool low = false;      // at most so much
};
const std::vector<Behaviour>& behaviours();

struct Found {
  std::string behaviour;           // "Previous token"; empty where heads were found by their names, or none were
  std::optional<Measure> measure;  // that was asked for
  std::vector<Index> heads;        // best first
  std::string words;               // "2 of 8 heads: weight on the previous token at least 0.3", or why there are none
};
// Heads that the words ask for: by a behaviour's name ("previous", "induction"), else by a part of their own names.
// Nothing where nothing is asked.
std::optional<Found> find_heads(const HeadMeasures& measures, const Trace& trace, std::string_view words);

// A row a head, heads from 0, columns named by the measures' ids; a number that is not there is left empty.
// Commas part its fields for a file, tabs for a spreadsheet's clipboard.
enum class Separator { comma, tab };
std::string heads_as_fields(const HeadMeasures& measures, const Trace& trace, const std::vector<Index>& order,
                            Separator separator);
// The same of each item of a batch, for a file: where there are several, the first column says which.
std::string items_as_fields(const std::vector<std::shared_ptr<const HeadMeasures>>& items, const Trace& trace,
                            std::optional<Measure> by, bool ascending);
// As a plain table for a terminal, followed by why columns are missing.
std::string heads_as_text(const HeadMeasures& measures, const Trace& trace, const std::vector<Index>& order);

// The heads of one layer of several.
struct MeasuredLayer {
  std::string part;  // of a model with a decoder: "encoder", "decoder", "cross"; else empty
  Index layer = 0;
  HeadMeasures measures;
};
// A row a head of every layer: by its layer and number, or by a measure, the greatest first unless `ascending`.
std::string layers_as_fields(const std::vector<MeasuredLayer>& layers, std::optional<Measure> by, bool ascending);
std::string layers_as_text(const std::vector<MeasuredLayer>& layers, std::optional<Measure> by, bool ascending);

}  // namespace headlight::app
