#include "app/cli/alike.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/reading/head_measures.h"

namespace headlight::app {

namespace {

constexpr const char* what_distance_is =
    "distance: Jensen-Shannon divergence of their rows, the mean in nats: 0 the same, at most ln 2 = 0.6931\n"
    "(Clark et al. 2019, section 6)\n";

// Empty where no query counts in both.
std::string field(double distance) {
  return std::isnan(distance) ? std::string() : fmt::format("{:.9g}", distance);
}

}  // namespace

Result<AlikeHeads> alike_heads(std::string part, const std::vector<const Step*>& maps, Compute& compute) {
  AlikeHeads alike{std::move(part), {}, {}};
  auto found = head_distances(maps, compute);
  if (!found) return fail("--alike: its layers are not of the same queries and keys, so no distances between them");
  alike.distances = *std::move(found);
  for (const Step* map : maps)
    for (Index m = 0; m < alike.distances.heads / static_cast<Index>(maps.size()); ++m)
      alike.names.push_back(map->info.layer ? fmt::format("{}.{}", *map->info.layer, m) : fmt::format("{}", m));
  return alike;
}

std::string alike_as_text(const std::vector<AlikeHeads>& parts) {
  std::string text;
  for (const AlikeHeads& alike : parts) {
    const HeadDistances& distances = alike.distances;
    std::vector<Index> order(alike.names.size());
    std::iota(order.begin(), order.end(), 0);
    const auto least = [&](Index head) {
      const auto nearest = distances.nearest(head);
      return nearest ? distances.between(head, *nearest) : std::numeric_limits<double>::infinity();
    };
    std::ranges::stable_sort(order, {}, least);
    if (!alike.part.empty()) text += alike.part + "\n";
    text += "  head  most like  distance\n";
    for (const Index head : order) {
      const auto nearest = distances.nearest(head);
      text += fmt::format("{:>6}  {:>9}  {:>8}\n", alike.names[static_cast<std::size_t>(head)],
                          nearest ? alike.names[static_cast<std::size_t>(*nearest)] : "-",
                          nearest ? fmt::format("{:.4g}", least(head)) : "-");
    }
  }
  return text + what_distance_is + measures_caution + "\n";
}

std::string alike_as_fields(const std::vector<AlikeHeads>& parts) {
  std::string text = "part,head,other,distance\n";
  for (const AlikeHeads& alike : parts)
    for (std::size_t a = 0; a < alike.names.size(); ++a)
      for (std::size_t b = a + 1; b < alike.names.size(); ++b)
        text += fmt::format("{},{},{},{}\n", alike.part, alike.names[a], alike.names[b],
                            field(alike.distances.between(static_cast<Index>(a), static_cast<Index>(b))));
  return text;
}

}  // namespace headlight::app
