// The kernels for one instruction set; engine/CMakeLists.txt sets its compiler flags.
#define KERNEL_SET avx512
#define KERNEL_NAME "avx512"
#define UNFUSED_SET avx512_unfused
#include "engine/math/kernels_eigen.h"
