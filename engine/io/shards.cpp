#include "engine/io/shards.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/core/system/paths.h"
#include "engine/io/file.h"

namespace headlight {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t largest_index = 32'000'000;  // bytes: hundreds of thousands of arrays
constexpr std::size_t most_shards = 10'000;

// {"metadata": …, "weight_map": {name: file}}; what is nested deeper is not kept.
Result<Json> read_weight_map(const std::filesystem::path& path) {
  HL_TRY(const std::string text, read_file(path, largest_index));
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= 2; };
  const Json index = Json::parse(text, shallow, false);
  const std::string where = one_line(utf8(path));
  if (!index.is_object() || !index.contains("weight_map") || !index.at("weight_map").is_object())
    return fail("{}: is no index of arrays: it has no \"weight_map\"", where);
  for (const auto& item : index.at("weight_map").items())
    if (!item.value().is_string()) return fail("{}: {}: its file is not a text", where, one_line(item.key()));
  return index.at("weight_map");
}

bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

class Shards final : public ArraySource {
 public:
  explicit Shards(OpenShard open_one) : open_one_(std::move(open_one)) {}

  Status open(const std::filesystem::path& path) {
    files_ = {path};
    const std::string where = one_line(utf8(path));
    HL_TRY(const Json map, read_weight_map(path));
    std::map<std::string, std::size_t, std::less<>> shard_of;
    for (const auto& item : map.items()) {
      const auto file = item.value().get<std::string>();
      if (!is_plain(file))
        return fail("{}: {}: a file beside the index is needed, not {}", where, one_line(item.key()), one_line(file));
      auto found = shard_of.find(file);
      if (found == shard_of.end()) {
        if (shards_.size() == most_shards) return fail("{}: at most {} files are read", where, most_shards);
        HL_CHECK(open_shard(path.parent_path() / file));
        found = shard_of.emplace(file, shards_.size() - 1).first;
      }
      const ArraySource& shard = *shards_[found->second];
      const auto at = places_[found->second].find(item.key());
      if (at == places_[found->second].end())
        return fail("{}: {} is not in {}", where, one_line(item.key()), one_line(file));
      entries_.push_back(shard.entries()[at->second]);
      held_.emplace_back(found->second, at->second);
    }
    return check_once(where);
  }

  Result<NamedArray> read(std::size_t entry) const override {
    const auto [shard, at] = held_[entry];
    return shards_[shard]->read(at);
  }

 private:
  Status open_shard(const std::filesystem::path& path) {
    if (utf8(path).ends_with(".json")) return fail("{}: is an index, not a file of arrays", one_line(utf8(path)));
    HL_TRY(auto shard, open_one_(path));
    std::map<std::string, std::size_t, std::less<>> places;
    for (std::size_t i = 0; i < shard->entries().size(); ++i) places.emplace(shard->entries()[i].name, i);
    if (note_.empty()) note_ = shard->note();
    files_.push_back(path);
    shards_.push_back(std::move(shard));
    places_.push_back(std::move(places));
    return {};
  }

  Status check_once(const std::string& where) const {
    std::map<std::string_view, std::size_t> holders;
    for (std::size_t i = 0; i < places_.size(); ++i)
      for (const auto& [name, at] : places_[i])
        if (const auto [first, fresh] = holders.emplace(name, i); !fresh)
          return fail("{}: {} is in {} and in {}", where, one_line(name),
                      one_line(utf8(files_[first->second + 1].filename())), one_line(utf8(files_[i + 1].filename())));
    return {};
  }

  OpenShard open_one_;
  std::vector<std::unique_ptr<ArraySource>> shards_;
  std::vector<std::map<std::string, std::size_t, std::less<>>> places_;  // of each shard's arrays
  std::vector<std::pair<std::size_t, std::size_t>> held_;                // by which shard, and where in it
};

}  // namespace

Result<std::unique_ptr<ArraySource>> open_shards(const std::filesystem::path& path, OpenShard open) {
  auto shards = std::make_unique<Shards>(std::move(open));
  HL_CHECK(shards->open(path));
  return shards;
}

}  // namespace headlight
