// The kernels for one instruction set; engine/CMakeLists.txt sets its compiler flags.
#define KERNEL_SET baseline
#define KERNEL_NAME "baseline"
#define KERNEL_LANES 4
#define KERNEL_ROWS 6
#include "engine/math/kernels_impl.h"
