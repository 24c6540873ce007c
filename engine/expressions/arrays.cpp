#include "engine/expressions/arrays.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "engine/base/words.h"

namespace headlight {

namespace {

constexpr Index most_numbers = Index{1} << 26;

// Positions of queries go by q wherever they are: those that are asked of a signal or a sequence, too.
bool has_letter(const Axis& axis, char letter) {
  const AxisRole along = role_along(axis);
  switch (letter) {
    case 'b':
      return along == AxisRole::batch;
    case 'h':
      return along == AxisRole::head;
    case 'q':
      return along == AxisRole::query || along == AxisRole::place || along == AxisRole::sample;
    case 'k':
      return along == AxisRole::key;
    default:
      return along == AxisRole::channel || along == AxisRole::offset;
  }
}

// One position that nobody needs to name.
bool is_implicit(const TakenAxis& taken) {
  const AxisRole along = role_along(taken.axis);
  return taken.positions.size() == 1 && (along == AxisRole::batch || along == AxisRole::head || along == AxisRole::one);
}

const std::vector<std::string>& labels_along(const Axis& axis) {
  return axis.given_labels.empty() ? axis.labels : axis.given_labels.front();
}

std::string axis_in_words(const TakenAxis& taken) {
  const auto count = taken.positions.size();
  const std::string name = taken.axis.name.empty() ? "place" : taken.axis.name;
  if (count == 1) return "1 " + name;
  const bool y = name.ends_with("y") && !name.ends_with("ey");
  return fmt::format("{} {}", count, y ? name.substr(0, name.size() - 1) + "ies" : name + "s");
}

struct Chosen {
  std::vector<Index> places;  // within the axis as it was
  bool one = false;           // the axis goes
};

class Selection {
 public:
  Selection(const NumberSource& source, const std::string& name,
            const std::function<ExpressionResult<Value>(const ExpressionNode&)>& computed)
      : source_(source), name_(name), computed_(computed), chosen_(source.axes.size()) {}

  ExpressionResult<NumberArray> operator()(const std::vector<IndexRange>& ranges, std::size_t at) {
    std::vector<const IndexRange*> in_order;
    for (const auto& range : ranges) {
      const char letter = letter_of_range(range);
      if (!letter) {
        in_order.push_back(&range);
        continue;
      }
      std::size_t axis = 0;
      while (axis < chosen_.size() && (chosen_[axis] || !has_letter(source_.axes[axis].axis, letter))) ++axis;
      if (axis == chosen_.size())
        return wrong_at(range.first.at, "{} has no {} to take here: it has {}", name_, words_of(letter),
                        extents_in_words(source_.axes));
      EXPR_TRY(chosen_[axis], along(axis, range));
    }
    std::vector<std::size_t> free, unnamed;
    for (std::size_t axis = 0; axis < chosen_.size(); ++axis)
      if (!chosen_[axis]) (is_implicit(source_.axes[axis]) ? unnamed : free).push_back(axis);
    // Where more places stand there, the head is named as well, and then the item of the batch.
    for (; in_order.size() > free.size() && !unnamed.empty(); unnamed.pop_back()) free.push_back(unnamed.back());
    std::ranges::sort(free);
    if (in_order.size() > free.size())
      return wrong_at(in_order[free.size()]->first.at, "that is one place too many: {} has {}", name_,
                      extents_in_words(source_.axes));
    for (std::size_t i = 0; i < in_order.size(); ++i) {
      EXPR_TRY(chosen_[free[i]], along(free[i], *in_order[i]));
    }
    return gather(at);
  }

 private:
  static char letter_of_range(const IndexRange& range) {
    for (const auto* item : {&range.first, &range.last})
      if (item->kind == IndexItem::Kind::lettered) return item->letter;
    return 0;
  }
  static std::string_view words_of(char letter) {
    switch (letter) {
      case 'b':
        return "batch";
      case 'h':
        return "head";
      case 'q':
        return "query";
      case 'k':
        return "key";
      default:
        return "channel";
    }
  }

  ExpressionResult<Chosen> along(std::size_t number, const IndexRange& range) {
    const TakenAxis& axis = source_.axes[number];
    const auto count = static_cast<Index>(axis.positions.size());
    Chosen chosen;
    if (!range.range) {
      EXPR_TRY(const Index place, place_of(axis, range.first));
      chosen = {{place}, true};
      return chosen;
    }
    Index first = 0, end = count;
    if (!range.open_first) {
      EXPR_TRY(first, range_end(axis, range.first, count));
    }
    if (!range.open_last) {
      EXPR_TRY(end, range_end(axis, range.last, count));
      if (range.last.kind != IndexItem::Kind::numbered) ++end;  // of names both ends are meant
    }
    if (first >= end)
      return wrong_at(range.first.at, "nothing lies between these two: the first stands at {}, the last before {}",
                      first, end);
    chosen.places.resize(static_cast<std::size_t>(end - first));
    std::iota(chosen.places.begin(), chosen.places.end(), first);
    return chosen;
  }

  // An end of a range: a plain number may lie just behind the last.
  ExpressionResult<Index> range_end(const TakenAxis& axis, const IndexItem& item, Index count) {
    if (item.kind == IndexItem::Kind::numbered && item.position == count) return count;
    return place_of(axis, item);
  }

  ExpressionResult<Index> place_of(const TakenAxis& axis, const IndexItem& item) {
    const auto count = static_cast<Index>(axis.positions.size());
    switch (item.kind) {
      case IndexItem::Kind::lettered:
      case IndexItem::Kind::numbered: {
        const Index place = item.position < 0 ? item.position + count : item.position;
        if (place < 0 || place >= count)
          return wrong_at(item.at, "{} is not there: {} has {}, counted from 0", item.position, name_,
                          axis_in_words(axis));
        return place;
      }
      case IndexItem::Kind::token: {
        const auto found = position_of_label(axis.axis, item.token, item.nth);
        if (!found) return wrong_at(item.at, "{}", found.error().message);
        return taken_position(axis, *found, item.at);
      }
      case IndexItem::Kind::computed: {
        EXPR_TRY(const Value value, computed_(*item.computed));
        if (const auto* places = std::get_if<AxisPlaces>(&value); places && places->size() == 1)
          return taken_position(axis, places->front().positions.front(), item.at);
        const auto number = as_number(value);
        if (!number || *number != std::floor(*number) || *number < 0 || *number >= static_cast<double>(count))
          return wrong_at(item.at, "what stands in parentheses is {}, and {} has {} here", kind_of(value), name_,
                          axis_in_words(axis));
        return static_cast<Index>(*number);
      }
      case IndexItem::Kind::all:
        break;
    }
    return wrong_at(item.at, "a place is missing here");
  }

  static ExpressionResult<Index> taken_position(const TakenAxis& axis, Index position, std::size_t at) {
    const auto found = std::ranges::find(axis.positions, position);
    if (found == axis.positions.end()) return wrong_at(at, "place {} was not taken before", position);
    return static_cast<Index>(found - axis.positions.begin());
  }

  ExpressionResult<NumberArray> gather(std::size_t at) const {
    NumberArray made;
    std::vector<Index> strides(chosen_.size(), 1);
    for (std::size_t axis = chosen_.size(); axis-- > 1;)
      strides[axis - 1] = strides[axis] * static_cast<Index>(source_.axes[axis].positions.size());
    std::vector<std::vector<Index>> offsets;
    Index origin = 0, total = 1;
    for (std::size_t axis = 0; axis < chosen_.size(); ++axis) {
      const TakenAxis& taken = source_.axes[axis];
      if (!chosen_[axis] && is_implicit(taken)) continue;
      if (chosen_[axis] && chosen_[axis]->one) {
        origin += chosen_[axis]->places[0] * strides[axis];
        continue;
      }
      TakenAxis kept{taken.axis, {}};
      std::vector<Index> of_axis;
      const auto keep = [&](Index place) {
        kept.positions.push_back(taken.positions[static_cast<std::size_t>(place)]);
        of_axis.push_back(place * strides[axis]);
      };
      if (chosen_[axis]) {
        for (const Index place : chosen_[axis]->places) keep(place);
      } else {
        for (Index place = 0; place < static_cast<Index>(taken.positions.size()); ++place) keep(place);
      }
      total *= static_cast<Index>(of_axis.size());
      if (total > most_numbers)
        return wrong_at(at, "that is more than {} million numbers of {}: take fewer", most_numbers >> 20, name_);
      made.axes.push_back(std::move(kept));
      offsets.push_back(std::move(of_axis));
    }
    made.numbers.reserve(static_cast<std::size_t>(total));
    std::vector<std::size_t> index(offsets.size(), 0);
    for (Index i = 0; i < total; ++i) {
      Index flat = origin;
      for (std::size_t axis = 0; axis < offsets.size(); ++axis) flat += offsets[axis][index[axis]];
      made.numbers.push_back(source_.at(flat));
      for (std::size_t axis = offsets.size(); axis-- > 0;) {
        if (++index[axis] < offsets[axis].size()) break;
        index[axis] = 0;
      }
    }
    return made;
  }

  const NumberSource& source_;
  const std::string& name_;
  const std::function<ExpressionResult<Value>(const ExpressionNode&)>& computed_;
  std::vector<std::optional<Chosen>> chosen_;
};

bool same_kind(const Axis& a, const Axis& b) {
  return role_along(a) == role_along(b) && (role_along(a) != AxisRole::channel || a.symbol == b.symbol);
}

// Which axis of `of` lies on each of `axes`: its own number, or none.
std::vector<std::optional<std::size_t>> match_axes(const std::vector<TakenAxis>& axes,
                                                   const std::vector<TakenAxis>& of) {
  std::vector<std::optional<std::size_t>> found(axes.size());
  std::vector<bool> used(of.size(), false);
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (std::size_t j = 0; j < of.size() && !found[i]; ++j)
      if (!used[j] && same_kind(axes[i].axis, of[j].axis)) {
        found[i] = j;
        used[j] = true;
      }
  return found;
}

std::vector<std::size_t> sizes_of(const std::vector<TakenAxis>& axes) {
  std::vector<std::size_t> sizes;
  for (const auto& axis : axes) sizes.push_back(axis.positions.size());
  return sizes;
}

double reduced_to_one(const std::vector<double>& numbers, std::string_view function) {
  const auto sum = [&](auto of) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0, [&](double s, double x) { return s + of(x); });
  };
  if (function == "max") return *std::ranges::max_element(numbers);
  if (function == "min") return *std::ranges::min_element(numbers);
  if (function == "norm") return std::sqrt(sum([](double x) { return x * x; }));
  if (function == "entropy") return -sum([](double p) { return p > 0 ? p * std::log(p) : 0.0; }) + 0.0;
  const double all = sum([](double x) { return x; });
  return function == "mean" ? all / static_cast<double>(numbers.size()) : all;
}

}  // namespace

NumberSource source_of(const Step& step) {
  NumberSource source;
  for (const auto& axis : step.info.axes) {
    TakenAxis taken{axis, std::vector<Index>(static_cast<std::size_t>(axis.size))};
    std::iota(taken.positions.begin(), taken.positions.end(), 0);
    source.axes.push_back(std::move(taken));
  }
  source.at = [numbers = step.values](Index flat) { return static_cast<double>((*numbers)[flat]); };
  return source;
}

NumberSource source_of(NumberArray array) {
  NumberSource source;
  source.axes = array.axes;
  source.at = [numbers = std::make_shared<std::vector<double>>(std::move(array.numbers))](Index flat) {
    return (*numbers)[static_cast<std::size_t>(flat)];
  };
  return source;
}

Result<Index> position_of_label(const Axis& axis, const std::string& label, int nth) {
  const auto& labels = labels_along(axis);
  std::vector<Index> found;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] == label) found.push_back(static_cast<Index>(i));
  const auto count = static_cast<int>(found.size());
  if (nth > 0 && nth <= count) return found[static_cast<std::size_t>(nth) - 1];
  if (nth == 0 && count == 1) return found[0];
  if (labels.empty())
    return fail("“{}” is no place: {} {} have no words here, so write their numbers, from 0 to {}", brief(label),
                axis.size, axis.name, axis.size - 1);
  if (count == 0) return fail("no {} is called “{}”: there are {}", axis.name, brief(label), brief_list(labels));
  if (nth == 0) {
    std::vector<std::string> places;
    for (const Index at : found) places.push_back(std::to_string(at));
    return fail("“{}” stands at {}: write \"{}\"#1 for the first of them", brief(label), fmt::join(places, ", "),
                brief(label));
  }
  return fail("there are {} “{}”, so #{} is none of them", count, brief(label), nth);
}

ExpressionResult<NumberArray> select(const NumberSource& source, const std::vector<IndexRange>& ranges, std::size_t at,
                                     const std::string& name,
                                     const std::function<ExpressionResult<Value>(const ExpressionNode&)>& computed) {
  return Selection(source, name, computed)(ranges, at);
}

Result<NumberArray> combined(const NumberArray& a, const NumberArray& b, BinaryFunction function) {
  NumberArray both;
  const auto sizes = sizes_of(a.axes);
  if (b.axes.empty() || sizes == sizes_of(b.axes)) {
    both.axes = a.axes;
    both.numbers.resize(a.numbers.size());
    for (std::size_t i = 0; i < a.numbers.size(); ++i)
      both.numbers[i] = function(a.numbers[i], b.numbers[b.axes.empty() ? 0 : i]);
    return both;
  }
  // All axes of a, then those that b alone has.
  both.axes = a.axes;
  const auto b_in_a = match_axes(b.axes, a.axes);
  for (std::size_t j = 0; j < b.axes.size(); ++j)
    if (!b_in_a[j]) both.axes.push_back(b.axes[j]);
  const auto fits = [&](const NumberArray& of) -> Result<std::vector<std::size_t>> {
    const auto found = match_axes(both.axes, of.axes);
    std::vector<std::size_t> own(of.axes.size(), 1), strides(both.axes.size(), 0);
    for (std::size_t i = of.axes.size(); i-- > 1;) own[i - 1] = own[i] * of.axes[i].positions.size();
    for (std::size_t i = 0; i < both.axes.size(); ++i) {
      if (!found[i]) continue;
      if (of.axes[*found[i]].positions.size() != both.axes[i].positions.size())
        return fail("{} do not fit {}", extents_in_words(a.axes), extents_in_words(b.axes));
      strides[i] = own[*found[i]];
    }
    return strides;
  };
  HL_TRY(const auto of_a, fits(a));
  HL_TRY(const auto of_b, fits(b));
  Index total = 1;
  for (const auto& axis : both.axes) {
    total *= static_cast<Index>(axis.positions.size());
    if (total > most_numbers) return fail("that is more than {} million numbers: take fewer", most_numbers >> 20);
  }
  std::vector<std::size_t> index(both.axes.size(), 0);
  both.numbers.reserve(static_cast<std::size_t>(total));
  for (Index i = 0; i < total; ++i) {
    std::size_t in_a = 0, in_b = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
      in_a += index[axis] * of_a[axis];
      in_b += index[axis] * of_b[axis];
    }
    both.numbers.push_back(function(a.numbers[in_a], b.numbers[in_b]));
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < both.axes[axis].positions.size()) break;
      index[axis] = 0;
    }
  }
  return both;
}

Result<NumberArray> reduced(const NumberArray& array, std::string_view function, std::optional<std::size_t> along) {
  // The length of vectors is along their channels, the entropy of shares along their keys, unless it is said otherwise.
  if (!along && array.axes.size() > 1 && (function == "norm" || function == "entropy")) along = array.axes.size() - 1;
  if (!along || array.axes.size() <= 1) return NumberArray{{}, {reduced_to_one(array.numbers, function)}};
  NumberArray made;
  std::size_t outer = 1, inner = 1;
  const std::size_t count = array.axes[*along].positions.size();
  for (std::size_t axis = 0; axis < array.axes.size(); ++axis) {
    if (axis == *along) continue;
    made.axes.push_back(array.axes[axis]);
    (axis < *along ? outer : inner) *= array.axes[axis].positions.size();
  }
  std::vector<double> line(count);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      for (std::size_t n = 0; n < count; ++n) line[n] = array.numbers[(o * count + n) * inner + i];
      made.numbers.push_back(reduced_to_one(line, function));
    }
  return made;
}

Result<AxisPlaces> place_of_extreme(const NumberArray& array, bool largest) {
  if (array.axes.empty())
    return fail("there is one number, so none is the largest of several: take a row, as in weights[q9, :]");
  const auto better = [&](double a, double b) { return largest ? a > b : a < b; };
  std::size_t best = 0;
  for (std::size_t i = 1; i < array.numbers.size(); ++i)
    if (better(array.numbers[i], array.numbers[best])) best = i;
  AxisPlaces places;
  std::size_t rest = best;
  for (std::size_t axis = array.axes.size(); axis-- > 0;) {
    const TakenAxis& taken = array.axes[axis];
    places.insert(places.begin(), AxisPlace{taken.axis, {taken.positions[rest % taken.positions.size()]}});
    rest /= taken.positions.size();
  }
  if (array.axes.size() > 1) return places;
  // Rounding parts what is equal by a millionth.
  const double margin = 1e-6 * std::abs(array.numbers[best]) + 1e-12;
  for (std::size_t i = 0; i < array.numbers.size(); ++i)
    if (i != best && std::abs(array.numbers[i] - array.numbers[best]) <= margin)
      places[0].positions.push_back(array.axes[0].positions[i]);
  std::ranges::sort(places[0].positions);
  return places;
}

Result<std::size_t> axis_named(const NumberArray& array, const std::string& name) {
  for (std::size_t axis = 0; axis < array.axes.size(); ++axis) {
    const Axis& of = array.axes[axis].axis;
    if (of.name == name || of.name + "s" == name || (name == "queries" && of.name == "query") || of.symbol == name ||
        (name.size() == 1 && has_letter(of, name[0])))
      return axis;
  }
  return fail("“over {}” names no axis of {}", brief(name), extents_in_words(array.axes));
}

std::string extents_in_words(const std::vector<TakenAxis>& axes) {
  if (axes.empty()) return "one number";
  std::vector<std::string> words;
  for (const auto& axis : axes) words.push_back(axis_in_words(axis));
  return fmt::format("{}", fmt::join(words, " × "));
}

}  // namespace headlight
