#!/usr/bin/env python3
"""Measures formulas as LuaLaTeX sets them in Latin Modern Math: tests/reference/formulas/sizes.txt.

Reads every other line of formulas/plain.txt, from the first on, and writes a line for each: width, height above and depth
below the baseline in thousandths of an em, and the formula. Needs Debian's texlive-luatex, texlive-latex-recommended
and fonts-lmodern. Two things are TeX's own there and not unicode-math's, as they are in Headlight: ellipses are three dots a
thin space apart, and a colon has no more room than other punctuation.

    python3 tests/reference/make_formulas.py
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "formulas"
FONTS = "/usr/share/texmf/fonts/opentype/public"

PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage{amsmath}
\usepackage{unicode-math}
\setmainfont{lmroman10-regular.otf}[Path=FONTS/lm/]
\setmathfont{latinmodern-math.otf}[Path=FONTS/lm-math/]
\newcommand\hl[2]{#2}
\begin{document}
\renewcommand\dots{\mathinner{\mathpunct{.}\mathpunct{.}\mathpunct{.}}}
\renewcommand\cdots{\mathinner{\mathpunct{\cdot}\mathpunct{\cdot}\mathpunct{\cdot}}}
\renewcommand\colon{\mathpunct{:}}
"""


def sizes(formulas):
    tex = PREAMBLE.replace("FONTS", FONTS)
    for formula in formulas:
        tex += r"\setbox0\hbox{$\displaystyle " + formula + r"$}"
        tex += "\\typeout{SIZE \\the\\wd0 \\space\\the\\ht0 \\space\\the\\dp0}\n"
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "formulas.tex").write_text(tex + r"\end{document}", encoding="utf-8")
        run = subprocess.run(["lualatex", "-interaction=nonstopmode", "formulas.tex"], cwd=folder, capture_output=True,
                             text=True, errors="replace")
    wrong = [line for line in run.stdout.splitlines() if line.startswith(("!", "Missing character"))]
    found = re.findall(r"SIZE ([\d.-]+)pt ([\d.-]+)pt ([\d.-]+)pt", run.stdout)
    if wrong or len(found) != len(formulas):
        sys.exit("lualatex: " + (wrong[0] if wrong else f"{len(found)} of {len(formulas)} formulas were measured"))
    return [[round(float(points) * 100) for points in size] for size in found]  # an em is 10pt


def main():
    lines = (FOLDER / "plain.txt").read_text(encoding="utf-8").splitlines()
    formulas = lines[0::2]
    with open(FOLDER / "sizes.txt", "w", encoding="utf-8") as out:
        for (width, height, depth), formula in zip(sizes(formulas), formulas):
            out.write(f"{width} {height} {depth} {formula}\n")


main()
