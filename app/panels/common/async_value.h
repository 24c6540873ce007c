// A value that a background thread computes for a key. The last one stays until the next is ready.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "app/session/background.h"

namespace headlight::app {

// Stays where it is while something is being made.
template <class T>
class AsyncValue {
 public:
  using Work = std::function<T()>;  // on the background's thread

  // Asks for what belongs to the key, unless it was asked for last. `work` fixes what it is made from.
  void request(Background& background, const std::string& name, std::string key, const std::function<Work()>& work) {
    if (key == requested_) return;
    requested_ = std::move(key);
    background.run(name, [this, make = work()]() -> Background::Taken {
      auto made = std::make_shared<T>(make());
      return [this, made] {
        value_ = std::move(*made);
        ++revision_;
      };
    });
  }
  const T& value() const { return value_; }
  // Another for each that was made; 0 before the first.
  std::uint64_t revision() const { return revision_; }

 private:
  std::string requested_;
  T value_;
  std::uint64_t revision_ = 0;
};

}  // namespace headlight::app
