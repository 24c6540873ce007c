"""pdftoppm, pdftocairo and rsvg-convert: the inside of every cell of a map of many colours has one colour, the cell's."""
import pathlib
import re
import xml.etree.ElementTree as tree

import numpy

from judge import main, renderings

MOST = 2
SVG = "{http://www.w3.org/2000/svg}"


def cells_of(file):
    """The first map's cells, column, row and colour, and its corner and a cell's sides in points."""
    group = next(g for g in tree.parse(file).getroot().iter(SVG + "g") if "scale" in g.get("transform", ""))
    place = tuple(float(n) for n in group.get("transform").replace("translate(", "").replace(") scale(", " ").replace(
        ")", "").split())
    cells = []
    for path in group.iter(SVG + "path"):
        color = tuple(int(path.get("fill")[i:i + 2], 16) for i in (1, 3, 5))
        for column, row, length in re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d")):
            cells += [(int(column) + i, int(row), color) for i in range(int(length))]
    return cells, place


def judge(folder):
    folder = pathlib.Path(folder)
    cells, (left, top, width, height) = cells_of(folder / "varied.svg")
    complaints = [] if len(cells) == 144 else [f"varied.svg: {len(cells)} cells"]

    def inside(name, pixels, dpi):
        scale = dpi / 72
        worst = 0
        for column, row, color in cells:
            x, y = left + column * width, top + row * height
            part = pixels[int(y * scale) + 2:int((y + height) * scale) - 1, int(x * scale) + 2:int((x + width) * scale) - 1]
            worst = max(worst, int(numpy.abs(part.astype(int) - numpy.array(color)).max()))
        if worst > MOST:
            complaints.append(f"{name}: a pixel inside a cell is off by {worst}")

    for name, pixels, dpi in renderings(folder, "varied"):
        inside(name, pixels, dpi)
    return complaints


if __name__ == "__main__":
    main(judge)
