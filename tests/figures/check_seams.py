"""pdftoppm, pdftocairo, rsvg-convert and the PNG itself: no pixel inside a uniform map is off by more than 2 of 255."""
import pathlib
import xml.etree.ElementTree as tree

import numpy

from judge import main, pixels_of_png, renderings

MOST = 2
SVG = "{http://www.w3.org/2000/svg}"


def map_of(file):
    """The first map's colour, and its box in points: x, y, width, height."""
    group = next(g for g in tree.parse(file).getroot().iter(SVG + "g") if "scale" in g.get("transform", ""))
    x, y, scale_x, scale_y = (float(n) for n in group.get("transform").replace("translate(", "").replace(
        ") scale(", " ").replace(")", "").split())
    color = group.find(SVG + "path").get("fill")
    return tuple(int(color[i:i + 2], 16) for i in (1, 3, 5)), (x, y, 64 * scale_x, 64 * scale_y)


def judge(folder):
    folder = pathlib.Path(folder)
    color, (x, y, width, height) = map_of(folder / "uniform.svg")
    complaints = []

    def inside(name, pixels, dpi):
        scale = dpi / 72
        # One pixel less at each side, where the frame may share a pixel with the map.
        part = pixels[int(y * scale) + 2:int((y + height) * scale) - 1, int(x * scale) + 2:int((x + width) * scale) - 1]
        if part.shape[0] < 50 or part.shape[1] < 50:
            complaints.append(f"{name}: the map is only {part.shape[1]} × {part.shape[0]} pixels")
            return
        off = int(numpy.abs(part.astype(int) - numpy.array(color)).max())
        if off > MOST:
            complaints.append(f"{name}: a pixel inside the map is off by {off}")

    for name, pixels, dpi in renderings(folder, "uniform"):
        inside(name, pixels, dpi)
    # A PNG's layout goes by its own pixels: its map is where its colour is in most rows and columns.
    pixels = pixels_of_png(folder / "uniform.png")
    colored = (pixels == numpy.array(color)).all(axis=2)
    rows, columns = colored.sum(axis=1), colored.sum(axis=0)
    down = numpy.flatnonzero(rows > 0.9 * rows.max())
    across = numpy.flatnonzero(columns > 0.9 * columns.max())
    if rows.max() < 1000:
        complaints.append(f"uniform.png: only {rows.max()} pixels of a row have the map's colour")
    elif not colored[down[0]:down[-1] + 1, across[0]:across[-1] + 1].all():
        complaints.append("uniform.png: a pixel inside the map is off")
    return complaints


if __name__ == "__main__":
    main(judge)
