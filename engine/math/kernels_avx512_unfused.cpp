// Unfused products for AVX-512; engine/CMakeLists.txt sets its compiler flags.
#define KERNEL_SET avx512_unfused
#include "engine/math/unfused_eigen.h"
