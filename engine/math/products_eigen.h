// Products of matrices on registers of 8 numbers and more: a part of kernels_eigen.h, which includes it inside its
// namespace.
//
// A tile of the result stays in registers while its terms are added, one after the other in their order, so that a
// number has the same bits whatever it is made together with. Both matrices are brought into the order in which tiles
// read them: a many rows at a time, b a panel of few columns at a time, while the panel after it is fetched from
// memory. A matrix of weights that meets 128 rows costs little more than its products then.

constexpr Index tile_rows = lanes == 16 ? 8 : 4, tile_packets = 3;  // 24 or 12 registers of sums, 4 for what is read
constexpr Index block_rows = 256, block_inner = 256;                // of a that is in order at a time: 256 KiB
constexpr Index line = 16;                                          // numbers that memory gives at a time

constexpr Index lesser(Index a, Index b) {
  return a < b ? a : b;
}
constexpr Index parts_of(Index extent, Index most) {
  return (extent + most - 1) / most;
}

// Numbers that are wanted soon, in rows, asked for a line at a time.
struct Wanted {
  const float* row = nullptr;
  Index stride = 0;
  Index width = 0;
  Index rows = 0;
  Index column = 0;

  Index lines() const { return rows * (parts_of(width, line) + 1); }
  void fetch() {
    if (rows == 0) return;
    __builtin_prefetch(row + lesser(column, width - 1), 0, 2);
    column += line;
    if (column < width + line) return;  // a row that begins within a line ends within one
    column = 0;
    row += stride;
    --rows;
  }
};

// out (rows, packets · lanes), or what it holds and, a · b of a (inner, tile_rows) and b (inner, packets · lanes).
struct Tile {
  const float* a;
  const float* b;
  Index inner;
  bool adds;
  float* out;
  Index out_stride;
};

// Fetches `lines` of what is wanted for every four terms.
template <int rows, int packets>
[[gnu::noinline]] void add_tile(const Tile& t, Wanted& wanted, Index lines) {  // its registers are its own
  using namespace Eigen::internal;
  Packet sums[rows][packets];
  for (int r = 0; r < rows; ++r) {
    float* out = t.out + r * t.out_stride;
    for (int v = 0; v < packets; ++v) {
      sums[r][v] = t.adds ? ploadu<Packet>(out + v * lanes) : pset1<Packet>(0);
      __builtin_prefetch(out + v * lanes, 1);
    }
    __builtin_prefetch(out + packets * lanes - 1, 1);
  }
  const float *a = t.a, *b = t.b;
  const auto add_term = [&] {
    Packet right[packets];
    for (int v = 0; v < packets; ++v) right[v] = ploadu<Packet>(b + v * lanes);
    for (int r = 0; r < rows; ++r) {
      const Packet left = pset1<Packet>(a[r]);
      for (int v = 0; v < packets; ++v) sums[r][v] = pmadd(left, right[v], sums[r][v]);
    }
    a += tile_rows;
    b += packets * lanes;
  };
  Index k = 0;
  for (; k + 4 <= t.inner; k += 4) {
    for (Index i = 0; i < lines; ++i) wanted.fetch();
    add_term(), add_term(), add_term(), add_term();
  }
  for (; k < t.inner; ++k) add_term();
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < packets; ++v) pstoreu(t.out + r * t.out_stride + v * lanes, sums[r][v]);
}

template <int rows>
void add_tile(const Tile& tile, Index packets, Wanted& wanted, Index lines) {
  if (packets == 1) add_tile<rows, 1>(tile, wanted, lines);
  if (packets == 2) add_tile<rows, 2>(tile, wanted, lines);
  if (packets == 3) add_tile<rows, 3>(tile, wanted, lines);
}

// The first `rows` of a tile: all of it, or in halves what is left at the end of a matrix.
template <int most = tile_rows>
void add_rows(Tile tile, Index rows, Index packets, Wanted& wanted, Index lines) {
  if (rows >= most) {
    add_tile<most>(tile, packets, wanted, lines);
    tile.a += most;
    tile.out += most * tile.out_stride;
    rows -= most;
  }
  if constexpr (most > 1)
    if (rows > 0) add_rows<most / 2>(tile, rows, packets, wanted, lines);
}

// from (rows, inner), as many rows as P has numbers or fewer → to (inner, numbers of P), 0 where there is no row.
template <class P>
void turn_rows(const Block& from, Index rows, Index inner, float* to, Index to_stride) {
  using namespace Eigen::internal;
  constexpr Index size = unpacket_traits<P>::size;
  Index k = 0;
  if (rows == size)
    for (; k + size <= inner; k += size) {
      PacketBlock<P, size> block;
      for (Index r = 0; r < size; ++r) block.packet[r] = ploadu<P>(from.data + r * from.stride + k);
      ptranspose(block);
      for (Index i = 0; i < size; ++i) pstoreu(to + (k + i) * to_stride, block.packet[i]);
    }
  for (; k < inner; ++k)
    for (Index r = 0; r < size; ++r) to[k * to_stride + r] = r < rows ? from.data[r * from.stride + k] : 0;
}

// a (rows, inner) → to, `tile_rows` after each other as a tile reads them.
void order_left(const Block& a, Index rows, Index inner, float* to) {
  using Rows = Eigen::internal::unpacket_traits<Packet>::half;
  static_assert(Eigen::internal::unpacket_traits<Rows>::size == tile_rows);
  for (Index row = 0; row < rows; row += tile_rows, to += tile_rows * inner)
    turn_rows<Rows>({a.data + row * a.stride, a.stride}, lesser(tile_rows, rows - row), inner, to, tile_rows);
}

// Part of b: some columns' terms.
struct Panel {
  Block b;  // at its first number
  bool transposed;
  Index inner;
  Index columns;

  Index packets() const { return parts_of(columns, lanes); }
  Wanted wanted() const { return {b.data, b.stride, transposed ? inner : columns, transposed ? columns : inner, 0}; }
  // → to (inner, packets · lanes), 0 past the columns.
  void order(float* to) const {
    using namespace Eigen::internal;
    const Index width = packets() * lanes;
    for (Index c = 0; transposed && c < columns; c += lanes)
      turn_rows<Packet>({b.data + c * b.stride, b.stride}, lesser(lanes, columns - c), inner, to + c, width);
    for (Index k = 0; !transposed && k < inner; ++k, to += width) {
      const float* from = b.data + k * b.stride;
      Index c = 0;
      for (; c + lanes <= columns; c += lanes) pstoreu(to + c, ploadu<Packet>(from + c));
      for (; c < width; ++c) to[c] = c < columns ? from[c] : 0;
    }
  }
};

// How the terms are cut into parts and the columns, group by group, into panels, each as long as the others.
class Panels {
 public:
  explicit Panels(const Product& p)
      : p_(p),
        group_(p.group > 0 ? p.group : p.columns),
        part_(parts_of(p.inner, parts_of(p.inner, block_inner))),
        width_(parts_of(parts_of(group_, lanes), parts_of(group_, tile_packets * lanes)) * lanes),
        of_group_(parts_of(group_, width_)),
        across_(p.columns / group_ * of_group_) {}

  Index count() const { return across_ * parts_of(p_.inner, part_); }
  bool begins_part(Index i) const { return i % across_ == 0; }
  Index term(Index i) const { return i / across_ * part_; }
  Panel panel(Index i) const {
    const Index k = term(i), c = column(i);
    return {
        {p_.b.data + group(i) * p_.b_step + (p_.transposed ? c * p_.b.stride + k : k * p_.b.stride + c), p_.b.stride},
        p_.transposed,
        lesser(part_, p_.inner - k),
        lesser(width_, group_ - c)};
  }
  float* out(Index i) const { return p_.out + group(i) * p_.out_step + column(i); }

 private:
  Index group(Index i) const { return i % across_ / of_group_; }
  Index column(Index i) const { return i % of_group_ * width_; }

  const Product& p_;
  Index group_, part_, width_, of_group_, across_;
};

void copy_rows(const float* from, Index from_stride, Index rows, Index columns, float* to, Index to_stride) {
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) to[r * to_stride + c] = from[r * from_stride + c];
}

void multiply_in_tiles(const Product& p) {
  alignas(64) float left[block_rows * block_inner], right[block_inner * tile_packets * lanes];
  alignas(64) float apart[tile_rows * tile_packets * lanes];  // a tile that reaches past its columns
  const Panels panels(p);
  for (Index top = 0; top < p.rows; top += block_rows) {
    const Index rows = lesser(block_rows, p.rows - top);
    for (Index i = 0; i < panels.count(); ++i) {
      const Panel panel = panels.panel(i);
      const Index k = panels.term(i), width = panel.packets() * lanes;
      if (panels.begins_part(i)) order_left({p.a.data + top * p.a.stride + k, p.a.stride}, rows, panel.inner, left);
      panel.order(right);
      Wanted wanted = i + 1 < panels.count() ? panels.panel(i + 1).wanted() : Wanted{};
      const Index lines = lesser(4, parts_of(wanted.lines(), parts_of(rows, tile_rows) * (panel.inner / 4 + 1)));
      for (Index row = 0; row < rows; row += tile_rows) {
        const Index count = lesser(tile_rows, rows - row);
        float* out = panels.out(i) + (top + row) * p.out_stride;
        Tile tile{left + row * panel.inner, right, panel.inner, k > 0 || p.adds, out, p.out_stride};
        const bool reaches_past = panel.columns < width;
        if (reaches_past) tile.out = apart, tile.out_stride = width;
        if (reaches_past && tile.adds) copy_rows(out, p.out_stride, count, panel.columns, apart, width);
        add_rows(tile, count, panel.packets(), wanted, lines);
        if (reaches_past) copy_rows(apart, width, count, panel.columns, out, p.out_stride);
      }
    }
  }
}
