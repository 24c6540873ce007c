#!/usr/bin/env python3
"""Makes the pictures and the signal in assets/examples, with the standard library alone: the same bytes every time.

    tools/make_examples/make_examples.py [FOLDER]

Flat colours, few of them, so that attention between pixels of one colour is easy to see.
"""
import math
import pathlib
import struct
import sys
import zlib

SKY, CLOUD, SUN = (190, 224, 242), (255, 255, 255), (246, 180, 62)
FAR_HILL, HILL = (160, 202, 146), (140, 190, 116)
LEAVES, TRUNK = (62, 142, 88), (126, 82, 50)
WALL, ROOF, DOOR, PANE, FRAME = (240, 232, 212), (200, 62, 44), (124, 76, 50), (82, 136, 200), (250, 248, 240)
ROAD, KERB, STRIPE = (86, 92, 108), (206, 204, 196), (246, 246, 240)
CAR, GLASS, TYRE, HUB, LAMP = (204, 66, 44), (176, 220, 236), (44, 46, 54), (190, 192, 196), (246, 214, 120)
SIDE, FINER = 512, 4  # pixels; rows that each of them is looked at in


def png(path, rows):
    """Writes rows of (r, g, b) as a PNG."""
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    header = struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    data = b''.join(b'\0' + bytes(value for pixel in row for value in pixel) for row in rows)
    path.write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'sRGB', b'\0')
                     + chunk(b'IDAT', zlib.compress(data, 9)) + chunk(b'IEND', b''))


class Canvas:
    """Shapes with smooth edges: a shape gives the intervals that it covers at a height y."""

    def __init__(self, color):
        self.rows = [[color] * SIDE for _ in range(SIDE)]

    def shape(self, top, bottom, intervals, color):
        for y in range(max(0, math.floor(top)), min(SIDE, math.ceil(bottom))):
            cover = {}
            for part in range(FINER):
                for left, right in intervals(y + (part + 0.5) / FINER):
                    left, right = max(0, left), min(SIDE, right)
                    for x in range(math.floor(left), math.ceil(right)):
                        cover[x] = cover.get(x, 0) + (min(right, x + 1) - max(left, x)) / FINER
            row = self.rows[y]
            for x, share in cover.items():
                share = min(1, share)
                row[x] = tuple(round(a + (b - a) * share) for a, b in zip(row[x], color))

    def box(self, x, y, width, height, color):
        self.shape(y, y + height, lambda at: [(x, x + width)] if y <= at < y + height else [], color)

    def oval(self, x, y, across, down, color):
        def at(height):
            part = 1 - ((height - y) / down) ** 2
            return [(x - across * math.sqrt(part), x + across * math.sqrt(part))] if part > 0 else []
        self.shape(y - down, y + down, at, color)

    def corners(self, points, color):
        """A polygon, filled even-odd."""
        def at(height):
            crossed = []
            for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]):
                if (y0 <= height) != (y1 <= height):
                    crossed.append(x0 + (height - y0) / (y1 - y0) * (x1 - x0))
            crossed.sort()
            return list(zip(crossed[::2], crossed[1::2]))
        self.shape(min(y for _, y in points), max(y for _, y in points), at, color)


def street(car):
    """A street under a sky: hills, a tree, a house with a red roof, and a red car at `car` from the left."""
    c = Canvas(SKY)
    c.oval(392, 92, 46, 46, SUN)
    for x, y in ((120, 84), (228, 132)):
        c.oval(x, y, 38, 15, CLOUD)
        c.oval(x - 14, y - 10, 20, 16, CLOUD)
        c.oval(x + 16, y - 6, 18, 14, CLOUD)
    c.oval(150, 420, 260, 190, FAR_HILL)
    c.oval(470, 440, 250, 190, HILL)
    c.box(66, 262, 14, 90, TRUNK)
    c.oval(73, 222, 52, 62, LEAVES)
    c.box(328, 196, 128, 156, WALL)
    c.corners([(312, 202), (392, 112), (472, 202)], ROOF)
    for x in (348, 404):
        c.box(x - 4, 226, 40, 40, FRAME)
        c.box(x, 230, 32, 32, PANE)
    c.box(376, 286, 34, 66, DOOR)
    c.box(0, 348, 512, 164, ROAD)
    c.box(0, 344, 512, 8, KERB)
    for x in range(-20, 512, 92):
        c.box(x, 446, 52, 9, STRIPE)
    c.corners([(car + 26, 338), (car + 52, 294), (car + 108, 294), (car + 134, 338)], CAR)
    c.corners([(car + 38, 334), (car + 57, 302), (car + 77, 302), (car + 77, 334)], GLASS)
    c.corners([(car + 84, 334), (car + 84, 302), (car + 104, 302), (car + 121, 334)], GLASS)
    c.box(car, 334, 160, 46, CAR)
    c.oval(car + 156, 350, 8, 7, LAMP)
    for x in (car + 36, car + 124):
        c.oval(x, 382, 21, 21, TYRE)
        c.oval(x, 382, 9, 9, HUB)
    return c.rows


def signal():
    """64 samples: one motif at 6, 26 and 46, on noise."""
    motif = [0.6, 1.5, 2.0, 1.2, -0.4, -1.4, -0.9, 0.8, 1.1, 0.3]
    state = 20240229  # a linear congruential generator (Numerical Recipes, section 7.1)
    values = []
    for i in range(64):
        state = (1664525 * state + 1013904223) % 2 ** 32
        values.append(0.15 * (2 * state / 2 ** 32 - 1) + 0.1 * math.sin(2 * math.pi * i / 64))
    for start in (6, 26, 46):
        for i, value in enumerate(motif):
            values[start + i] += value
    return values


def main():
    here = pathlib.Path(__file__).resolve().parents[2] / 'assets' / 'examples'
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    png(folder / 'scene.png', street(176))
    for t in range(8):
        png(folder / f'scene_{t}.png', street(-20 + 52 * t))
    lines = ['time,value'] + [f'{i},{value:.4f}' for i, value in enumerate(signal())]
    (folder / 'signal.csv').write_text('\n'.join(lines) + '\n')


main()
