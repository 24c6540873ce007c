"""The libraries that written code runs with, for the tests that run it."""

import importlib.util
import os
import sys

LIBRARIES = {"numpy": ["numpy"], "pytorch": ["numpy", "torch"]}


def need(language):
    """Ends the test with 77 where a library of the language is missing, or with 1 where every test must run."""
    missing = [name for name in LIBRARIES[language] if importlib.util.find_spec(name) is None]
    if missing:
        packages = " ".join(f"python3-{name}" for name in missing)
        print(f"SKIPPED: {sys.executable} has no {' and no '.join(missing)} (Debian: apt-get install {packages})")
        sys.exit(1 if os.environ.get("HEADLIGHT_EVERY_TEST") else 77)
