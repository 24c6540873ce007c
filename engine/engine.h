// The whole engine in one include: read an experiment, prepare it, run it, ask any number where it came from.
#pragma once

