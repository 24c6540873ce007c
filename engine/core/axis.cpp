#include "engine/core/axis.h"

#include <algorithm>
#include <iterator>

namespace headlight {

namespace {

struct Shared {
  std::string_view symbol;
  AxisRole role;
};

constexpr Shared shared[] = {{"B", AxisRole::batch}, {"M", AxisRole::head},      {"n_q", AxisRole::query},
                             {"n_k", AxisRole::key}, {"N", AxisRole::place},     {"T", AxisRole::frame},
                             {"H", AxisRole::row},   {"W", AxisRole::column},    {"L", AxisRole::sample},
                             {"1", AxisRole::one},   {"2P-1", AxisRole::offset}, {"G", AxisRole::head},
                             {"2M", AxisRole::head}, {"2G", AxisRole::head}};

}  // namespace

AxisRole role_of_symbol(std::string_view symbol) {
  const auto* found = std::ranges::find(shared, symbol, &Shared::symbol);
  return found == std::end(shared) ? AxisRole::channel : found->role;
}

std::string_view symbol_of(AxisRole role) {
  const auto* found = std::ranges::find(shared, role, &Shared::role);
  return found == std::end(shared) ? std::string_view() : found->symbol;
}

bool counts_positions(AxisRole role) {
  switch (role) {
    case AxisRole::query:
    case AxisRole::key:
    case AxisRole::place:
    case AxisRole::frame:
    case AxisRole::row:
    case AxisRole::column:
    case AxisRole::sample:
    case AxisRole::offset:
      return true;
    case AxisRole::unset:
    case AxisRole::channel:
    case AxisRole::batch:
    case AxisRole::head:
    case AxisRole::one:
      return false;
  }
  return false;
}

Index place_of_head(const Axis& axis, Index head) {
  return std::clamp<Index>(head / axis.shared_by, 0, std::max<Index>(1, axis.size) - 1);
}

AxisRole role_along(const Axis& axis) {
  if (axis.along != AxisRole::unset) return axis.along;
  const AxisRole shared_by_all = role_of_symbol(axis.symbol);
  if (shared_by_all != AxisRole::channel) return shared_by_all;
  if (axis.role == Role::query) return AxisRole::query;
  return axis.role == Role::key ? AxisRole::key : AxisRole::channel;
}

}  // namespace headlight
