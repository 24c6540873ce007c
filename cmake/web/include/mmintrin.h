// Emscripten's headers for SSE want one, of instructions that nobody here calls.
#pragma once
