// A browser's OpenGL is WebGL 2, as OpenGL ES 3.
#pragma once

#include <GLES3/gl3.h>
