"""A window that is killed, and one that is told to end, leave their unsaved work to be recovered; one that is closed with
nothing unsaved leaves nothing. Ctrl-C stops figures that are drawn one after another between two of them.
usage: kill.py HEADLIGHT PICTURE EXAMPLE, with a display."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

program, picture, example = sys.argv[1:4]
patience = 60  # seconds, for machines under load; nothing is measured


def wait_for(what, condition):
    for _ in range(patience * 20):
        if condition():
            return
        time.sleep(0.05)
    sys.exit(f"it took too long: {what}")


def start(home, *arguments):
    places = {"HEADLIGHT_STATE": f"{home}/state", "HEADLIGHT_CONFIG": f"{home}/config"}
    return subprocess.Popen([program, *arguments], env={**os.environ, **places})


def kept(home):
    return sorted(pathlib.Path(home, "state").glob("*.work"))


with tempfile.TemporaryDirectory() as home:
    # A picture that was opened into the example is unsaved work.
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        before = len(kept(home))
        window = start(home, picture)
        wait_for("the work is kept", lambda: len(kept(home)) == before + 1)
        window.send_signal(how)
        status = window.wait(patience)
        assert status == (-signal.SIGKILL if how == signal.SIGKILL else 0), (how, status)
        assert len(kept(home)) == before + 1, how
    assert all(picture in file.read_text() for file in kept(home))
    # Work is kept of what is unsaved alone, and a lock of nobody's work goes with its window.
    count = len(kept(home))
    pathlib.Path(home, "config", "settings.json").unlink()  # of the windows before: each writes it once it is open
    window = start(home)
    locks = lambda: {path.stem for path in pathlib.Path(home, "state").glob(f"window-{window.pid}-*.lock")}
    wait_for("the window is open", lambda: locks() and pathlib.Path(home, "config", "settings.json").exists())
    window.send_signal(signal.SIGTERM)
    assert window.wait(patience) == 0
    assert not locks() and len(kept(home)) == count
    # Of thousands of figures those that are drawn are whole, and no other file is left.
    figures = pathlib.Path(home, "figures")
    figures.mkdir()
    drawing = subprocess.Popen([program, "render", example, "--each", "query", "-o", f"{figures}/{{query}}.svg"],
                               stderr=subprocess.PIPE, text=True)
    wait_for("some figures are drawn", lambda: len(list(figures.iterdir())) > 3)
    drawing.send_signal(signal.SIGINT)
    said = drawing.communicate(timeout=patience)[1]
    files = list(figures.iterdir())
    assert drawing.returncode == 1 and f"cancelled: {len(files)} of " in said, (drawing.returncode, said)
    assert all(file.suffix == ".svg" and file.read_text().rstrip().endswith("</svg>") for file in files)
