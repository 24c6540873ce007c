// The kernels for one instruction set; engine/CMakeLists.txt sets its compiler flags.
#define KERNEL_SET avx2
#define KERNEL_NAME "avx2"
#define KERNEL_LANES 8
#define KERNEL_ROWS 6
#include "engine/math/kernels_impl.h"
