#include "engine/learn/heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/base/words.h"

namespace headlight::learn {

std::string name_of(TrainedHead head) {
  return fmt::format("{}.{}", head.map, head.head);
}

std::string names_of(const TrainedHeads& heads) {
  std::string names;
  for (const TrainedHead head : heads) names += (names.empty() ? "" : ", ") + name_of(head);
  return names;
}

Result<TrainedHead> head_named(std::string_view name) {
  TrainedHead head;
  const char* const end = name.data() + name.size();
  const auto map = std::from_chars(name.data(), end, head.map);
  const bool point = map.ec == std::errc() && map.ptr != end && *map.ptr == '.';
  const auto number = point ? std::from_chars(map.ptr + 1, end, head.head) : map;
  if (!point || number.ec != std::errc() || number.ptr != end || head.map < 0 || head.head < 0)
    return fail("\"{}\" is no head: it must be a map and a head, as in 1.0", brief(name));
  return head;
}

Result<TrainedHeads> heads_named(std::string_view names) {
  TrainedHeads heads;
  if (names == "none") return heads;
  for (const std::string_view name : split(names, ",")) {
    HL_TRY(const TrainedHead head, head_named(name));
    heads.insert(head);
  }
  return heads;
}

const std::vector<std::string>& names_of_changes() {
  static const std::vector<std::string> names{"off", "on", "redrawn"};
  return names;
}

TrainedHeads heads_off_at(const std::vector<HeadChange>& changes, Index step) {
  TrainedHeads off;
  for (const HeadChange& change : changes) {
    if (change.step > step) break;
    if (change.to == HeadChange::To::off)
      off.insert(change.head);
    else
      off.erase(change.head);
  }
  return off;
}

namespace {

// Whether an axis holds something for each head. Heads of keys are a head's own where no others share them.
bool is_along_heads(const std::string& symbol, Index extent, Index heads) {
  if (symbol == "G") return extent == heads;
  if (symbol == "2G") return extent == 2 * heads;
  return symbol == "M" || symbol == "2M" || symbol == "Md_v'";
}

std::vector<Cells> cells_along(const Shape& shape, std::size_t axis, Index heads, Index head) {
  Index before = 1, after = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) (i < axis ? before : after) *= shape[i];
  const Index each = after / heads;
  std::vector<Cells> cells;
  for (Index i = 0; i < before; ++i) cells.push_back({i * after + head * each, each});
  return cells;
}

}  // namespace

std::vector<OwnCells> cells_of_head(const Part& part, const Problem& problem, Index head) {
  const Index heads = part.params.integer("heads");
  std::vector<OwnCells> own;
  for (const ArraySpec& spec : problem.specs.weights) {
    const Tensor* weight = problem.find(spec.id);
    if (!weight) continue;
    const auto read = part.reads.find(spec.id);
    const std::string name = read == part.reads.end() ? part.prefix + spec.id : read->second;
    const Shape& shape = weight->shape();
    const auto symbols = std::ranges::find(spec.shapes, shape.size(), &std::vector<std::string>::size);
    if (symbols == spec.shapes.end()) continue;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (is_along_heads((*symbols)[axis], shape[axis], heads)) {
        own.push_back({name, &spec, cells_along(shape, axis, heads, head)});
        break;
      }
  }
  return own;
}

Index switchable_heads(const Part& part, const Problem& problem) {
  return part.variant == find_variant("multi_head") && problem.find("w_o") ? part.params.integer("heads") : 0;
}

}  // namespace headlight::learn
