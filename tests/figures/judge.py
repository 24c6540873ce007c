"""What the scripts beside this file share: running programs, reading pixels, and complaining.

A judge is a function that takes a folder of figures and gives a list of complaints; an empty list is a pass.
"""
import os
import subprocess
import sys
import tempfile

import numpy


def run(*command):
    """The standard output of a program that must succeed, as bytes."""
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def pixels_of_ppm(data):
    """(height, width, 3) bytes of a binary PPM."""
    fields, at = [], 0
    while len(fields) < 4:
        end = at
        while not data[end:end + 1].isspace():
            end += 1
        fields.append(data[at:end])
        at = end + 1
    width, height = int(fields[1]), int(fields[2])
    assert fields[0] == b"P6" and fields[3] == b"255"
    return numpy.frombuffer(data, numpy.uint8, width * height * 3, at).reshape(height, width, 3)


def pixels_of_pdf(file, dpi):
    return pixels_of_ppm(run("pdftoppm", "-r", dpi, "-singlefile", file))


def pixels_by_cairo(file, dpi):
    """A PDF drawn by another library, which smooths edges where poppler's own hides seams."""
    with tempfile.TemporaryDirectory() as folder:
        run("pdftocairo", "-png", "-r", dpi, "-singlefile", file, folder + "/page")
        return pixels_of_png(folder + "/page.png")


def pixels_of_svg(file, dpi):
    with tempfile.NamedTemporaryFile(suffix=".png") as png:
        run("rsvg-convert", "-d", dpi, "-p", dpi, "--background-color=white", "-o", png.name, file)
        return pixels_of_png(png.name)


def pixels_of_png(file):
    """Any PNG, laid on white; read by the program that draws the figures, since Python alone is slow at it."""
    return pixels_of_ppm(run(os.environ["HEADLIGHT_MAKE_FIGURES"], "--pixels", file))


def renderings(folder, name):
    """What each program makes of a figure's PDF and SVG: who and how, the pixels, and how many there are to an inch."""
    for dpi in (96, 150, 300):
        yield f"pdftoppm, {dpi} dpi", pixels_of_pdf(folder / f"{name}.pdf", dpi), dpi
        yield f"pdftocairo, {dpi} dpi", pixels_by_cairo(folder / f"{name}.pdf", dpi), dpi
        yield f"rsvg-convert, {dpi} dpi", pixels_of_svg(folder / f"{name}.svg", dpi), dpi


def main(judge):
    complaints = judge(sys.argv[1])
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)
