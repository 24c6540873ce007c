// The kernels for one instruction set; engine/CMakeLists.txt sets its compiler flags.
#define KERNEL_SET baseline
#define KERNEL_NAME "baseline"
#define UNFUSED_SET baseline
#include "engine/math/kernels_eigen.h"
#include "engine/math/unfused_eigen.h"
