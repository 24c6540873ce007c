// The whole engine in one include: read an experiment, prepare it, run it, ask any number where it came from.
#pragma once

#include "engine/base/result.h"
#include "engine/core/parallel.h"
#include "engine/core/tensor.h"
#include "engine/io/array_source.h"
#include "engine/io/experiment.h"
#include "engine/io/npz.h"
#include "engine/run/prepare.h"
#include "engine/run/queue/runner.h"
#include "engine/run/run.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"
