// What runs read from files and draw from seeds, kept: another value of a slider reads no file, decodes no picture and
// draws no random number again. The runs of a session share one.
//
// Not for what a run computes: that is its trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/core/tensor.h"
#include "engine/io/experiment.h"
#include "engine/run/inputs.h"

namespace headlight {

// An array of a file; those of one file are kept together.
struct ReadArray {
  std::shared_ptr<const Tensor> values;
  bool boolean = false;  // each value is 0 or 1
};
using ReadArrays = std::map<std::string, ReadArray, std::less<>>;

// All that an array made by drawing or by a rule depends on.
struct Drawing {
  std::string init;  // as fill_init() has them, or the name of another rule
  std::uint64_t seed = 0;
  std::string id;  // of the array
  Shape shape;
  Index fan_in = 0, fan_out = 0;
  bool operator==(const Drawing&) const = default;
};

// From any thread.
class RunCache {
 public:
  static constexpr double usual_bytes = 1024.0 * 1024 * 1024;
  static constexpr std::uint64_t kept_for = 16;  // runs

  // Holds at most `most_bytes`: what was asked for longest ago goes first, and what is larger by itself is given out
  // but not kept. What the last `kept_for` runs did not ask for goes too.
  explicit RunCache(double most_bytes = usual_bytes) : most_bytes_(most_bytes) {}

  // A run begins.
  void next_run();
  // Of any file that open_arrays() opens. A file that changed since is read again.
  Result<std::shared_ptr<const ReadArrays>> arrays(const std::filesystem::path& path);
  // As make_input(). Files that changed since are read again.
  Result<std::shared_ptr<const MadeInput>> input(const InputSpec& input, const std::filesystem::path& folder,
                                                 bool word_before);
  // As numbers_of_step(). Files that changed since are read again.
  Result<std::shared_ptr<const StepNumbers>> step(const StepInput& input, const std::filesystem::path& folder);
  // An array of that shape; `fill` is called for one of zeros where there is none yet.
  std::shared_ptr<const Tensor> drawn(const Drawing& drawing, const std::function<void(Tensor&)>& fill);

  // How often something had to be made since the start.
  struct Counts {
    int files_read = 0;
    int inputs_made = 0;
    int arrays_drawn = 0;
    bool operator==(const Counts&) const = default;
  };
  Counts counts() const;
  double bytes() const;

 private:
  struct Input {
    InputSpec input;
    std::filesystem::path folder;
    bool word_before = false;
    bool operator==(const Input&) const = default;
  };
  using Key = std::variant<std::filesystem::path, Input, Drawing>;
  struct Entry {
    Key key;
    std::string stamp;  // of the files that were read for it
    std::shared_ptr<const void> value;
    double bytes = 0;
    std::uint64_t run = 0;  // that asked for it last
  };

  // Null where none is cached, or its files have changed.
  template <class Value>
  std::shared_ptr<const Value> find(const Key& key, const std::string& stamp);
  void keep(Entry entry, int Counts::*counted);
  void drop(std::list<Entry>::iterator entry);

  mutable std::mutex mutex_;
  std::list<Entry> entries_;  // what was asked for last comes first
  double most_bytes_;
  double bytes_ = 0;
  std::uint64_t run_ = 0;
  Counts counts_;
};

}  // namespace headlight
