// Steps of learning: bench_training FILE THREADS STEPS takes so many steps of a training, after some that are not
// counted, and prints how long one took, in seconds.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "engine/learn/training_file.h"

using namespace headlight;

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("usage: bench_training FILE THREADS STEPS\n", stderr);
    return 2;
  }
  std::vector<std::string> notices;
  auto plan = learn::read_training(words[1], notices);
  ThreadPool pool(std::atoi(words[2]));
  Compute compute(pool);
  auto training = plan ? learn::Training::make(std::move(*plan), compute) : tl::unexpected<Error>(plan.error());
  if (!training) {
    std::fprintf(stderr, "%s\n", training.error().message.c_str());
    return 1;
  }
  for (int step = 0; step < 10; ++step) (*training)->take_step(compute);
  const int steps = std::atoi(words[3]);
  const auto begun = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) (*training)->take_step(compute);
  std::printf("%.9f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() / steps);
  return 0;
}
