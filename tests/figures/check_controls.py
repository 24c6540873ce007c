"""Every judge beside this file, given figures that are spoiled in the way that it looks for: all must complain."""
import base64
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import check_edges
import check_fonts
import check_labels
import check_latex
import check_seams
import check_text
from judge import run

# One page with a word in a font of Type 3; poppler finds the objects without a table of them.
TYPE_3 = b"""%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources <</Font <</F 5 0 R>>>>>> endobj
4 0 obj <</Length 26>> stream
BT /F 9 Tf 9 9 Td (a) Tj ET
endstream endobj
5 0 obj <</Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs <</a 6 0 R>>
/Encoding <</Type /Encoding /Differences [97 /a]>> /FirstChar 97 /LastChar 97 /Widths [1]>> endobj
6 0 obj <</Length 22>> stream
1 0 d0 0 0 1 1 re f
endstream endobj
trailer <</Root 1 0 R>>
"""


PICTURE = ('<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{0}pt" height="{1}pt" '
           'viewBox="0 0 {0} {1}"><image width="{0}" height="{1}" xlink:href="data:image/png;base64,{2}"/></svg>')


def write_pdf(file, svg):
    file.write_bytes(subprocess.run(["rsvg-convert", "-f", "pdf"], input=svg.encode(), stdout=subprocess.PIPE,
                                    cwd=file.parent, check=True).stdout)


def font_of_type_3(folder):
    (folder / "heads.pdf").write_bytes(TYPE_3)


def no_text(folder):
    svg = re.sub("<text.*?</text>", "", (folder / "heads.svg").read_text())
    write_pdf(folder / "heads.pdf", svg)


def token_lost_in_svg(folder):
    file = folder / "tokens.svg"
    file.write_text(file.read_text().replace("кошка", "кот"))


def token_lost_in_pdf(folder):
    shutil.copy(folder / "heads.pdf", folder / "tokens.pdf")


def words_as_they_stand(folder):
    """As a program would write them that knows nothing of directions."""
    svg = (folder / "scripts.svg").read_text().replace("שלום", "םולש")
    write_pdf(folder / "scripts.pdf", svg)


def row_lost(folder):
    file = folder / "uniform.svg"
    file.write_text(file.read_text().replace("M0 30h64v1H0z", ""))


def other_color(folder):
    shutil.copy(folder / "heads.png", folder / "uniform.png")


def seams_in_pdf(folder):
    """The map again with each of its rows a path of its own, smoothed at the edges."""
    svg = (folder / "uniform.svg").read_text().replace("crispEdges", "geometricPrecision")
    color, path = re.search('<path fill="(#[0-9a-f]+)" d="(M0 0h64[^"]*)"', svg).groups()
    rows = "".join(f'<path fill="{color}" d="{row}z"/>' for row in path.split("z") if row)
    svg = svg.replace(f'<path fill="{color}" d="{path}"/>', rows)
    write_pdf(folder / "uniform.pdf", svg)


def smoothed_cells(folder):
    """The page as a small picture that is enlarged again."""
    png = folder / "varied.png"
    subprocess.run(["pdftoppm", "-r", "40", "-png", "-singlefile", folder / "varied.pdf", png.with_suffix("")], check=True)
    write_pdf(folder / "varied.pdf", PICTURE.format(*box_of(folder / "varied.svg"), data(png)))


def box_of(svg):
    return re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg.read_text()).groups()


def data(png):
    return base64.b64encode(png.read_bytes()).decode()


def large_labels(folder):
    svg = re.sub('font-size="[^"]*"', 'font-size="14"', (folder / "narrow.svg").read_text())
    write_pdf(folder / "narrow.pdf", svg)


class check_latex_of_tokens:
    """The others would only take time."""

    @staticmethod
    def judge(folder):
        return check_latex.judge(folder, ["tokens"])


def change_latex(folder, old, new):
    file = folder / "tokens.tex"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def letter_for_latex_alone(folder):
    change_latex(folder, "a\\&b", "a&b")


def token_lost_in_latex(folder):
    change_latex(folder, "\\textquotesingle{}", "")


def other_page_in_latex(folder):
    change_latex(folder, "papersize={", "papersize={1")


LATEX_CONTROLS = [(check_latex_of_tokens, letter_for_latex_alone, "tokens.tex: pdflatex: !"),
                  (check_latex_of_tokens, token_lost_in_latex, "tokens.tex: it's"),
                  (check_latex_of_tokens, other_page_in_latex, "pages and points")]
CONTROLS = [(check_fonts, font_of_type_3, "Type 3"), (check_fonts, no_text, "no fonts"),
            (check_text, token_lost_in_svg, "tokens.svg: кошка"), (check_text, token_lost_in_pdf, "tokens.pdf: a_b"),
            (check_text, words_as_they_stand, "scripts.pdf: שלום"),
            (check_seams, row_lost, "rsvg-convert"), (check_seams, seams_in_pdf, "pdftocairo"), (check_seams, other_color, "uniform.png"),
            (check_edges, smoothed_cells, "pdftoppm"), (check_labels, large_labels, "overlap")]


def main(figures):
    silent = 0
    for judge, spoil, expected in CONTROLS + (LATEX_CONTROLS if shutil.which("pdflatex") else []):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(figures, folder, dirs_exist_ok=True)
            spoil(pathlib.Path(folder))
            if not any(expected in complaint for complaint in judge.judge(folder)):
                print(f"{judge.__name__} does not see {spoil.__name__}")
                silent += 1
    with tempfile.TemporaryDirectory() as folder:
        clock = pathlib.Path(folder) / "clock"
        clock.write_text('#!/bin/sh\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12; do date +%s >"$1/$i"; done\n')
        clock.chmod(0o755)
        checker = pathlib.Path(__file__).with_name("check_bytes.py")
        if subprocess.run([sys.executable, checker, clock], stdout=subprocess.DEVNULL, check=False).returncode == 0:
            print("check_bytes does not see a clock")
            silent += 1
    sys.exit(1 if silent else 0)


if __name__ == "__main__":
    main(sys.argv[1])
