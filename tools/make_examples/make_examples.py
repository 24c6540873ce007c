#!/usr/bin/env python3
"""Makes the pictures and the signal in assets/examples, with the standard library alone: the same bytes every time.

    tools/make_examples/make_examples.py [FOLDER]

Few flat colours, so that attention between pixels of one colour is easy to see.
"""
import math
import pathlib
import struct
import sys
import zlib

SKY, SUN = (122, 184, 232), (250, 214, 80)
GRASS, PATH = (92, 158, 72), (196, 170, 120)
RED, ROOF, DOOR = (204, 44, 44), (92, 64, 58), (246, 240, 224)
TRUNK, LEAVES = (110, 78, 48), (36, 110, 56)


def png(path, rows):
    """Writes rows of (r, g, b) as a PNG."""
    def chunk(name, data):
        return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
    header = struct.pack('>IIBBBBB', len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    data = b''.join(b'\0' + bytes(value for pixel in row for value in pixel) for row in rows)
    path.write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'sRGB', b'\0')
                     + chunk(b'IDAT', zlib.compress(data, 9)) + chunk(b'IEND', b''))


class Canvas:
    def __init__(self, size, color):
        self.size = size
        self.rows = [[color] * size for _ in range(size)]

    def put(self, x, y, color):
        if 0 <= x < self.size and 0 <= y < self.size:
            self.rows[y][x] = color

    def box(self, x, y, width, height, color):
        for row in range(y, y + height):
            for column in range(x, x + width):
                self.put(column, row, color)

    def disc(self, x, y, radius, color):
        for row in range(self.size):
            for column in range(self.size):
                if (column - x) ** 2 + (row - y) ** 2 <= radius ** 2:
                    self.put(column, row, color)

    def gable(self, x, y, height, color):
        """A triangle with its tip at (x, y) and x + 1."""
        for row in range(height):
            self.box(x - row, y + row, 2 * row + 2, 1, color)


def scene():
    """32×32: a red house and a red ball, a tree, sun, sky, grass and a path."""
    canvas = Canvas(32, SKY)
    canvas.box(0, 20, 32, 12, GRASS)
    canvas.disc(26.5, 4.5, 2.6, SUN)
    canvas.box(3, 12, 10, 10, RED)
    canvas.gable(7, 6, 6, ROOF)
    canvas.box(7, 17, 2, 5, DOOR)
    canvas.box(7, 22, 2, 10, PATH)
    canvas.box(20, 16, 2, 7, TRUNK)
    canvas.disc(20.5, 12.5, 4.2, LEAVES)
    canvas.disc(26.5, 26.5, 3, RED)
    return canvas.rows


def frame(t):
    """16×16, frame t of eight: the ball bounces from left to right."""
    canvas = Canvas(16, SKY)
    canvas.box(0, 11, 16, 5, GRASS)
    canvas.box(10, 8, 1, 4, TRUNK)
    canvas.disc(10, 6, 2.2, LEAVES)
    height = (0, 3, 5, 3, 0, 2, 2, 0)[t]
    canvas.disc(2 + 5 * t // 3, 12 - height, 2.3, RED)
    return canvas.rows


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
    png(folder / 'scene.png', scene())
    for t in range(8):
        png(folder / f'scene_{t}.png', frame(t))
    lines = ['time,value'] + [f'{i},{value:.4f}' for i, value in enumerate(signal())]
    (folder / 'signal.csv').write_text('\n'.join(lines) + '\n')


main()
