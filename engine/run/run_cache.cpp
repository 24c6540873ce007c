#include "engine/run/run_cache.h"

#include <algorithm>
#include <utility>

#include "engine/core/system/files.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment_files.h"
#include "engine/run/step_input.h"

namespace headlight {

namespace {

namespace fs = std::filesystem;

double bytes_of(const Tensor& tensor) {
  return sizeof(float) * static_cast<double>(tensor.size());
}

double bytes_of(const MadeInput& made) {
  double bytes = bytes_of(made.values);
  for (const auto& label : made.labels) bytes += static_cast<double>(sizeof label + label.size());
  if (!made.pictures) return bytes;
  for (const auto* images : {&made.pictures->cells, &made.pictures->fine})
    for (const Image& image : *images) bytes += static_cast<double>(image.rgba.size());
  return bytes;
}

}  // namespace

void RunCache::drop(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes;
  entries_.erase(entry);
}

void RunCache::next_run() {
  const std::scoped_lock lock(mutex_);
  ++run_;
  while (!entries_.empty() && entries_.back().run + kept_for < run_) drop(std::prev(entries_.end()));
}

template <class Value>
std::shared_ptr<const Value> RunCache::find(const Key& key, const std::string& stamp) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found == entries_.end()) return nullptr;
  if (found->stamp != stamp) {
    drop(found);
    return nullptr;
  }
  found->run = run_;
  entries_.splice(entries_.begin(), entries_, found);
  return std::static_pointer_cast<const Value>(found->value);
}

void RunCache::keep(Entry entry, int Counts::*counted) {
  const std::scoped_lock lock(mutex_);
  ++(counts_.*counted);
  if (entry.bytes > most_bytes_) return;
  entry.run = run_;
  bytes_ += entry.bytes;
  entries_.push_front(std::move(entry));
  while (bytes_ > most_bytes_) drop(std::prev(entries_.end()));
}

Result<std::shared_ptr<const ReadArrays>> RunCache::arrays(const fs::path& path) {
  const std::string stamp = file_identity(path);  // before it is read: what is written meanwhile is a change
  if (auto kept = find<ReadArrays>(path, stamp)) return kept;
  HL_TRY(auto read, read_arrays(path));
  auto arrays = std::make_shared<ReadArrays>();
  double bytes = 0;
  for (auto& array : read) {
    bytes += bytes_of(array.values);
    arrays->insert_or_assign(std::move(array.name),
                             ReadArray{std::make_shared<const Tensor>(std::move(array.values)), array.boolean});
  }
  keep({path, stamp, arrays, bytes}, &Counts::files_read);
  return arrays;
}

Result<std::shared_ptr<const MadeInput>> RunCache::input(const InputSpec& input, const fs::path& folder,
                                                         bool word_before) {
  const Input key{input, folder, word_before};
  std::string stamp;
  for (const auto& path : files_of(input, folder)) stamp += file_identity(path);
  if (auto kept = find<MadeInput>(key, stamp)) return kept;
  HL_TRY(auto made, make_input(input, folder, word_before));
  const auto shared = std::make_shared<const MadeInput>(std::move(made));
  keep({key, stamp, shared, bytes_of(*shared)}, &Counts::inputs_made);
  return shared;
}

Result<std::shared_ptr<const StepNumbers>> RunCache::step(const StepInput& input, const fs::path& folder) {
  if (input.known) return input.known;
  const Input key{input, folder, false};
  std::string stamp;
  for (const auto& path : files_of_step(input, folder)) stamp += file_identity(path);
  if (auto kept = find<StepNumbers>(key, stamp)) return kept;
  HL_TRY(auto made, numbers_of_step(input, folder));
  const auto shared = std::make_shared<const StepNumbers>(std::move(made));
  keep({key, stamp, shared, bytes_of(*shared->values)}, &Counts::inputs_made);
  return shared;
}

std::shared_ptr<const Tensor> RunCache::drawn(const Drawing& drawing, const std::function<void(Tensor&)>& fill) {
  if (auto kept = find<Tensor>(drawing, {})) return kept;
  Tensor tensor(drawing.shape);
  fill(tensor);
  auto shared = std::make_shared<const Tensor>(std::move(tensor));
  keep({drawing, {}, shared, bytes_of(*shared)}, &Counts::arrays_drawn);
  return shared;
}

RunCache::Counts RunCache::counts() const {
  const std::scoped_lock lock(mutex_);
  return counts_;
}

double RunCache::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace headlight
