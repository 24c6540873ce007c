#!/usr/bin/python3
"""Runs the scripts that `headlight code` writes, for every experiment that write_experiments makes.

usage: run_scripts.py numpy|pytorch PATH/TO/headlight PATH/TO/write_experiments [EXPERIMENT...]

Each script must recompute every step. Then, for each step, one number of the saved one is altered, and the script must
stop there and name it. Experiments that are named are tried too. Exit status 1 if anything fell short, 77 if the
library is not installed.
"""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LIBRARIES = {"numpy": ["numpy"], "pytorch": ["numpy", "torch"]}


def altered(array):
    """The same with another number at its end."""
    array = array.copy()
    last = array.reshape(-1)[-1:]
    last[0] = last[0] + 0.01 + abs(last[0]) if np.isfinite(last[0]) else 0
    return array


def run(code):
    """What the script prints, or the words of its assertion."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, {"__name__": "__main__"})
    except AssertionError as error:
        return f"assertion: {error}"
    except Exception as error:  # whatever else a script may stumble over
        return f"{type(error).__name__}: {error}"
    return printed.getvalue().strip()


def complaints(program, language, experiment):
    """Writes the script of an experiment beside it and yields what is wrong with it, one line each."""
    written = subprocess.run([program, "code", "-q", experiment, "--as", language, "-o", "script.py"], text=True, capture_output=True)
    if written.returncode != 0:
        yield f"headlight code: {written.stderr.strip()}"
        return
    text = pathlib.Path("script.py").read_text()
    code = compile(text, "script.py", "exec")
    steps = re.findall(r'^\w+ = checked\(\w+, "(\w+)"\)$', text, re.MULTILINE)
    counted = [step for step in steps if step != "mask"]  # put together from the masks given, and not a step
    said = run(code)
    if said != f"{len(counted)} steps recomputed: equal to the saved numbers":
        yield f"said {said!r}"
        return
    with np.load("script.npz") as file:
        saved = dict(file.items())
    yield from (f"{name} is saved and never read" for name in saved if not re.search(rf"\b{name}\b", text))
    for step in steps:
        np.savez("script.npz", **{**saved, step: altered(saved[step])})
        said = run(code)
        if said != f"assertion: {step} differs from the saved step":
            yield f"with a wrong number in {step} it said {said!r}"


def main():
    language, program, writer, *named = sys.argv[1:]
    program, writer = pathlib.Path(program).resolve(), pathlib.Path(writer).resolve()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([writer, folder], check=True)
        experiments = sorted(pathlib.Path(folder).glob("*/experiment.json")) + [pathlib.Path(n).resolve() for n in named]
        failed = 0
        os.chdir(folder)
        for experiment in experiments:
            for complaint in complaints(program, language, experiment):
                failed += 1
                print(f"{experiment.parent.name}/{experiment.name}: {complaint}")
    print(f"{len(experiments)} experiments in {language}, {failed} complaints")
    return 1 if failed or not experiments else 0


if __name__ == "__main__":
    missing = [name for name in LIBRARIES[sys.argv[1]] if importlib.util.find_spec(name) is None]
    if missing:
        packages = " ".join(f"python3-{name}" for name in missing)
        print(f"SKIPPED: {sys.executable} has no {' and no '.join(missing)} (Debian: apt-get install {packages})")
        sys.exit(77)
    import numpy as np

    sys.exit(main())
