// Work off the window's thread, one piece after another: reading folders and files, keeping unsaved work.
//
// Not for runs, which can be cancelled (engine/run/queue/runner.h), nor for exports (exporter.h).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "engine/core/served_by.h"

namespace headlight::app {

class Background {
 public:
  using Taken = std::function<void()>;  // what is done with the result, on the caller's thread
  using Work = std::function<Taken()>;  // on the worker's

  using Failed = std::function<void(const std::string& name, const Error& error)>;

  // `on_done` is called from the worker when a result waits to be polled; `on_failed` on the caller's thread in place
  // of a result, of work that threw.
  // Served by its caller it starts no thread, and work is done by pump() and flush().
  explicit Background(std::function<void()> on_done = {}, Failed on_failed = {},
                      ServedBy served_by = ServedBy::own_thread);
  // Waits for the piece that is under way; those that wait are dropped.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Takes the place of what waits under the same name; what is under way or done under it is not delivered any more.
  // It begins `delay` after the first that waits under that name. Never waits.
  void run(const std::string& name, Work work, std::chrono::milliseconds delay = std::chrono::milliseconds(0));
  // Drops what waits under the name, and what of it was not delivered.
  void drop(const std::string& name);
  // Carries out all that waits, without its delay, and waits for it.
  void flush();
  // Where the caller serves: does what is due until that time, and says whether anything was. A piece that has begun is
  // done to its end.
  bool pump(std::chrono::steady_clock::time_point until);
  // Delivers what is done.
  void poll();
  // Until all results have been polled.
  bool busy() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight::app
