#!/usr/bin/env python3
"""compare.py A.npz B.npz: both hold the same arrays, each number within a millionth of the largest of its array."""
import sys

import numpy

a, b = (numpy.load(path) for path in sys.argv[1:])
if sorted(a.files) != sorted(b.files):
    sys.exit(f"one has {sorted(a.files)}, the other {sorted(b.files)}")
worst, same = 0.0, 0
for name in a.files:
    x, y = a[name].astype(float), b[name].astype(float)
    if x.shape != y.shape or (numpy.isnan(x) != numpy.isnan(y)).any() or (numpy.isinf(x) != numpy.isinf(y)).any():
        sys.exit(f"{name} is of another shape, or not a number elsewhere")
    there = numpy.isfinite(y)
    far = abs(x[there] - y[there]).max(initial=0) / max(1.0, abs(y[there]).max(initial=0))
    worst, same = max(worst, far), same + bool(far == 0)
    if far > 1e-6:
        sys.exit(f"{name} is off by {far:.2g}")
print(f"{len(a.files)} arrays, {same} of them to the bit, the others within {worst:.1g}")
