// The kernels for one instruction set; engine/CMakeLists.txt sets its compiler flags.
#define KERNEL_SET avx2
#define KERNEL_NAME "avx2"
#define UNFUSED_SET avx
#include "engine/math/kernels_eigen.h"
