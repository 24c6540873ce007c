// What panels show of a result and what takes a while to make: made when it first is asked for, not once a frame.
#pragma once

#include <algorithm>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "app/model/model.h"
#include "app/reading/cell_trace.h"
#include "app/reading/made_of.h"
#include "app/reading/word_arrows.h"
#include "app/render/map_painter.h"

namespace headlight::app {

// The last things that were made, each beside all that it depends on.
template <class Key, class Made>
class LastMade {
 public:
  explicit LastMade(std::size_t most) : most_(most) {}

  // What stands beside that key, else what `make` returns now. Good until `most` others were asked for.
  template <class Make>
  const Made& get(const Key& key, const Make& make) {
    const auto found = std::ranges::find(list_, key, &std::pair<Key, Made>::first);
    if (found != list_.end()) {
      list_.splice(list_.begin(), list_, found);
      return list_.front().second;
    }
    ++count_;
    list_.emplace_front(key, make());
    if (list_.size() > most_) list_.pop_back();
    return list_.front().second;
  }
  // How many were made so far.
  std::size_t count() const { return count_; }

 private:
  std::size_t most_, count_ = 0;
  std::list<std::pair<Key, Made>> list_;  // the one that was asked for last is first
};

// Lasts between frames.
class Prepared {
 public:
  // What the numbers of a map span.
  const Extent& extent(const NumbersOf& numbers, const MatrixView& cells);
  const Extent& extent(const MapData& map) { return extent(map.numbers, map.cells); }
  // The tokens of an axis in an item of the batch, as they are shown.
  const std::vector<std::string>& labels(const Axis* axis, Index item);
  // Where the number of a cell of the shown trace comes from.
  const CellTrace& cell_trace(const Model& model, const Step& step, Index cell);

  // What the rows that are looked at are made of: of the query that is chosen, else of the first ones.
  const std::vector<MadeOf>& made_of(const Model& model, const Step& step);
  // The arrows of a step; nothing where it has none.
  const std::optional<WordArrows>& arrows(const Model& model, const Step& step);

  // How many of each were made so far.
  struct Counts {
    std::size_t extents = 0, labels = 0, stories = 0;
    bool operator==(const Counts&) const = default;
  };
  Counts counts() const;

 private:
  struct CellOf {
    std::uint64_t run = 0;
    std::string step;
    Index cell = 0;
    bool operator==(const CellOf&) const = default;
  };
  struct RowsOf {
    std::uint64_t run = 0;
    std::string step;
    Index batch = 0, head = 0;
    std::optional<Index> query;
    bool operator==(const RowsOf&) const = default;
  };
  struct ArrowsOf {
    std::uint64_t run = 0;
    std::string step;
    Index batch = 0, head = 0;
    std::optional<Index> query, key;
    bool operator==(const ArrowsOf&) const = default;
  };
  LastMade<NumbersOf, Extent> extents_{64};
  LastMade<std::vector<std::string>, std::vector<std::string>> labels_{8};
  LastMade<CellOf, CellTrace> stories_{4};
  LastMade<RowsOf, std::vector<MadeOf>> rows_{4};
  LastMade<ArrowsOf, std::optional<WordArrows>> arrows_{4};
};

}  // namespace headlight::app
