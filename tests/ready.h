// What nearly every test includes, compiled once for all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/io/experiment.h"
#include "engine/run/prepare.h"
#include "engine/run/run.h"
#include "engine/trace/trace.h"
#include "engine/variants/variant.h"
