// A value that never changes, which copies share: for what is large inside of something that is often copied.
#pragma once

#include <initializer_list>
#include <memory>
#include <utility>

namespace headlight {

template <class T>
class Shared {
 public:
  Shared() : Shared(T()) {}
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}
  Shared(std::initializer_list<typename T::value_type> values) : Shared(T(values)) {}
  // A moved one would be without a value: it is copied.
  Shared(const Shared&) = default;
  Shared& operator=(const Shared&) = default;

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  friend bool operator==(const Shared& a, const Shared& b) { return a.value_ == b.value_ || *a == *b; }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace headlight
