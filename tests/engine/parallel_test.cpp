#include "engine/core/parallel.h"

#include <numeric>
#include <vector>

#include "tests/catch.h"

using namespace headlight;

TEST_CASE("every position is visited once, whatever the threads and the grain") {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const Index grain : {1, 7, 1000}) {
      for (int round = 0; round < 50; ++round) {
        std::vector<int> visits(501, 0);
        pool.for_each(501, grain, [&](Index begin, Index end) {
          for (Index i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        CHECK(std::accumulate(visits.begin(), visits.end(), 0) == 501);
        CHECK(*std::min_element(visits.begin(), visits.end()) == 1);
      }
    }
  }
}

TEST_CASE("a cancelled computation starts no further piece") {
  ThreadPool pool(2);
  std::stop_source stop;
  Compute compute(pool, stop.get_token());
  std::atomic<int> pieces = 0;
  compute.parallel(1000, 1, [&](Index, Index) {
    ++pieces;
    stop.request_stop();
  });
  CHECK(pieces.load() >= 1);
  CHECK(pieces.load() <= 2);
}
