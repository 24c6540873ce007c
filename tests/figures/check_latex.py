"""pdflatex: .tex files compile beside their data, to one page of the size that the PDF has, and their text is there.

They are compiled in a copy of the folder that they were written to. Where TeX has no Cyrillic fonts (Debian's
texlive-lang-cyrillic), those letters are drawn, as those of other scripts always are.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unicodedata

from judge import main, run

# Each has something of its own: data, pictures, all kinds of panels, scales and grids, letters.
FIGURES = ["choices", "heads", "kinds", "many_cells", "tokens"]
TOKENS = ["a_b", "a&b", "100%", "a#b", "$5", "a~b", "x^2", "a\\b", "{a", "b}", "<s>", '"q', "it's", "`tick", "Ġthe",
          "naïve"]


def compiled(file):
    """A complaint, or None where there is a PDF beside the file now."""
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", file.name],
                          cwd=file.parent, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          timeout=300, check=False)
    if done.returncode == 0:
        return None
    errors = re.findall(r"^!.*", done.stdout.decode(errors="replace"), re.MULTILINE)
    return f"{file.name}: pdflatex: {errors[0] if errors else 'it fails'}"


def page_of(file):
    """(pages, width, height) of a PDF, in points."""
    info = run("pdfinfo", file).decode()
    width, height = re.search(r"Page size: +([\d.]+) x ([\d.]+)", info).groups()
    return int(re.search(r"Pages: +(\d+)", info).group(1)), float(width), float(height)


def ends_of(file, first, last):
    """Where the turned words from `first` to `last` begin and end, in points from the top."""
    boxes = run("pdftotext", "-bbox", file, "-").decode()
    words = re.findall(r'yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)">(\w+)', boxes)
    begins = [float(bottom) for _, bottom, word in words if word == first]
    return begins + [float(top) for top, _, word in words if word == last]


def lengths_of(file):
    """How long words are along their lines, in points, where they come first."""
    lengths = {}
    for *box, word in re.findall(r'<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(\w{4,})<',
                                 run("pdftotext", "-bbox", file, "-").decode()):
        left, top, right, bottom = map(float, box)
        lengths.setdefault(word, max(right - left, bottom - top))
    return lengths


PAPER = r"""\documentclass{article}
\usepackage{pgfplots}
\begin{document}
\begin{figure}\centering\input{figures/%s}\caption{One.}\end{figure}
\sbox0{\input{figures/%s}}\typeout{WIDE \the\wd0}
\end{document}
"""


def judge_paper(folder, name, wide):
    """The figure in a paper, from a folder below it: as wide as it is alone, its letters as far apart."""
    paper = folder / "paper"
    shutil.copytree(folder, paper / "figures", ignore=shutil.ignore_patterns("paper", "*.pdf", "*.png", "*.svg"))
    (paper / "paper.tex").write_text(PAPER % (name, name))
    complaint = compiled(paper / "paper.tex")
    if complaint:
        return [complaint]
    made = re.search(r"WIDE ([\d.]+)pt", (paper / "paper.log").read_text(errors="replace"))
    if not made or abs(float(made.group(1)) * 72 / 72.27 - wide) > 0.1:
        return [f"{name}.tex in a paper: {made and made.group(1)} pt wide, as PDF {wide} bp"]
    alone, there = lengths_of(folder / f"{name}.pdf"), lengths_of(paper / "paper.pdf")
    other = [word for word, long in alone.items() if abs(there.get(word, 0) - long) > 0.1]
    return [f"{name}.tex in a paper: {other} are of another length than alone"] if other or not alone else []


def judge(folder, figures=FIGURES):
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        shutil.copytree(folder, scratch, dirs_exist_ok=True)
        files = [scratch / f"{name}.tex" for name in figures]
        sizes = {file: page_of(file.with_suffix(".pdf")) for file in files}
        words = ends_of(scratch / "heads.pdf", "attention", "heads")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            complaints = [complaint for complaint in pool.map(compiled, files) if complaint]
        if complaints:
            return complaints
        for file in files:
            made = page_of(file.with_suffix(".pdf"))
            if any(abs(a - b) > 0.1 for a, b in zip(made, sizes[file])):
                complaints.append(f"{file.name}: {made} pages and points, as PDF {sizes[file]}")
        # LaTeX's small letters are wider than those of the PDF, which the words along the bar were laid out in.
        if "heads" in figures:
            made = ends_of(scratch / "heads.pdf", "attention", "heads")
            if len(made) != 2 or len(words) != 2 or max(abs(a - b) for a, b in zip(made, words)) > 2:
                complaints.append(f"heads.tex: the words along the bar go from and to {made} points, as PDF {words}")
            complaints += judge_paper(scratch, "heads", page_of(scratch / "heads.pdf")[1])
        # TeX makes letters of a letter and an accent.
        text = unicodedata.normalize("NFC", run("pdftotext", "-raw", scratch / "tokens.pdf", "-").decode())
        text = "".join(text.split())
        has_cyrillic = subprocess.run(["kpsewhich", "t2aenc.def"], stdout=subprocess.DEVNULL, check=False).returncode == 0
        for token in [*TOKENS, *(["кошка"] if has_cyrillic else [])]:
            if text.count(token) < 2:  # for a row and for a column
                complaints.append(f"tokens.tex: {token} is not twice in its text")
    return complaints


if __name__ == "__main__":
    main(judge)
