// Someone who tries everything in no order: actions, clicks, keys and the wheel at random, from one seed.
//
// Not for what must come of it: that is the test's that sends them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/gui/driver.h"

namespace headlight::app {

// Looking about changes nothing of what is asked. Who is reckless also types any character, holds any chord, drags,
// opens files that are none, and presses what writes: in a folder where that may be.
enum class Mood { looking, changing, reckless };

class Wanderer {
 public:
  explicit Wanderer(std::uint64_t seed) : random_(seed) {}

  // One thing more, followed by a frame. What it was is kept: log().
  void act(Driver& driver, Mood mood = Mood::changing);
  // Another size of the window, of a few that people have.
  void resize(Driver& driver);
  const std::vector<std::string>& log() const { return log_; }
  void note(std::string what) { log_.push_back(std::move(what)); }
  void forget() { log_.clear(); }

  // From 0, below `count`, which is at least 1.
  Index below(Index count) { return static_cast<Index>(random_() % static_cast<std::uint64_t>(count)); }

 private:
  Action any_look(const Model& model);
  Action any_change(const Model& model);
  Action any_setting();
  Action any_file();
  Point any_place(Driver& driver, bool everywhere);
  void click(Driver& driver, bool everywhere);
  void key(Driver& driver);
  void chord(Driver& driver);
  void drag(Driver& driver);
  void type(Driver& driver);

  std::mt19937_64 random_;
  std::vector<std::string> log_;
};

// Starts for every variant and every kind of input that it takes, arrays included, each small. The name says which.
struct Start {
  std::string name;
  Experiment experiment;
};
std::vector<Start> starts();

}  // namespace headlight::app
