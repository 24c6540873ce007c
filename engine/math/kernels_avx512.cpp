// The kernels for one instruction set; engine/CMakeLists.txt sets its compiler flags.
#define KERNEL_SET avx512
#define KERNEL_NAME "avx512"
#define KERNEL_LANES 16
#define KERNEL_ROWS 14
#include "engine/math/kernels_impl.h"
