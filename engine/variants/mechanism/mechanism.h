// What the choices of a run did, put together for a picture: which steps show it, and the numbers between them. Each
// function answers for one kind of choice, from the recorded steps, and has nothing to say where it was not made.
//
// The ids of steps stay here: whoever draws asks for the kind.
#pragma once

#include "engine/variants/mechanism/heads.h"
#include "engine/variants/mechanism/norms.h"
#include "engine/variants/mechanism/offsets.h"
#include "engine/variants/mechanism/rotary.h"
#include "engine/variants/mechanism/rows.h"
#include "engine/variants/mechanism/windows.h"
