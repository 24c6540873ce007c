// Unfused products for AVX2, used by the sets that otherwise fuse; engine/CMakeLists.txt sets its compiler flags.
#define KERNEL_SET avx
#include "engine/math/unfused_eigen.h"
