#include "engine/expressions/value.h"

#include <fmt/format.h>

#include "engine/expressions/arrays.h"

namespace headlight {

std::optional<double> as_number(const Value& value) {
  if (const auto* written = std::get_if<WrittenNumber>(&value)) return written->number;
  const auto* array = std::get_if<NumberArray>(&value);
  if (array && array->numbers.size() == 1) return array->numbers[0];
  return {};
}

std::string kind_of(const Value& value) {
  if (as_number(value)) return "a number";
  if (std::holds_alternative<bool>(value)) return "true or false";
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("the words “{}”", *text);
  if (const auto* array = std::get_if<NumberArray>(&value))
    return fmt::format("{} numbers ({})", array->numbers.size(), extents_in_words(array->axes));
  return std::get<AxisPlaces>(value).size() == 1 ? "a place" : "a cell";
}

std::string label_of_place(const AxisPlace& place) {
  const auto at = static_cast<std::size_t>(place.positions.front());
  const auto& labels = place.axis.given_labels.empty() ? place.axis.labels : place.axis.given_labels.front();
  if (at < labels.size()) return labels[at];
  if (place.axis.grid) return place_of(*place.axis.grid, place.positions.front());
  return std::to_string(at);
}

std::string_view letter_of(AxisRole along) {
  switch (along) {
    case AxisRole::batch:
      return "b";
    case AxisRole::head:
      return "h";
    case AxisRole::query:
      return "q";
    case AxisRole::key:
      return "k";
    case AxisRole::channel:
      return "c";
    default:
      return "";
  }
}

}  // namespace headlight
