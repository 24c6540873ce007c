// Coarser versions of a matrix, so that a picture costs pixels and not cells. Pooled by maximum: a mean would hide the
// one bright cell in a block of dark ones, and the picture says what it did.
#pragma once

#include <string>

#include "engine/picture/matrix.h"

namespace headlight {

// What stands for a block: its greatest value, or for signed ranges the value of greatest magnitude (of a and −a, a).
// Either way a NaN in it wins, and masked cells count only where all of them are masked.
enum class Pooling { maximum, magnitude };

// How many cells of the matrix one cell of the picture stands for.
struct Block {
  Index rows = 1;
  Index columns = 1;
  bool single() const { return rows == 1 && columns == 1; }
};

// (⌈rows / block.rows⌉, ⌈columns / block.columns⌉); blocks at the far edges may be cut.
Tensor pooled(const MatrixView& matrix, Block block, Pooling pooling);

// The smallest block, each side a power of two, with which the matrix has no more cells than pixels either way.
Block block_for_pixels(Index rows, Index columns, Index width, Index height);

// "1 px = 16×16, max", and "max |x|" by magnitude; rows first. "" for a single cell: the picture shows every one.
std::string pooling_text(Block block, Pooling pooling);

}  // namespace headlight
