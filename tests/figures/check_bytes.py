"""Two runs at different times, in different zones and languages: the same bytes of every file."""
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def main(program):
    drawn = []
    for zone in ("UTC", "Asia/Tokyo"):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([program, folder], check=True, env={**os.environ, "TZ": zone})
            drawn.append({file.name: file.read_bytes() for file in pathlib.Path(folder).iterdir()})
        time.sleep(1.1)  # dates in files go by seconds
    complaints = [name for name in drawn[0] if drawn[0][name] != drawn[1].get(name)]
    for name in complaints:
        print(f"{name}: differs from run to run")
    if len(drawn[0]) < 12:
        complaints.append("too few files")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main(sys.argv[1])
