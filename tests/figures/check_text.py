"""pdftotext and an XML parser: every token of the figures "tokens", "scripts" and "system" is text in the PDF and in the SVG."""
import pathlib
import xml.etree.ElementTree as tree

from judge import main, run

TOKENS = ["a_b", "a&b", "100%", "a#b", "$5", "a~b", "x^2", "a\\b", "{a", "b}", "<s>", '"q', "it's", "`tick", "кошка", "猫",
          "Ġthe", "naïve", "w" * 200]
# Read from right to left, joined or unseen: pdftotext without -raw, which takes lines apart at overlapping glyphs.
SCRIPTS = ["שלום", "مرحبا", "سلام", "می\u200cخواهم", "שָׁלוֹם", "a\u202eb", "x\u200dy"]
# Drawn by the system's fonts, emoji as pictures; or as codes, where it has none.
SYSTEM = ["注意力", "かな", "주의", "ความสนใจ", "😀", "👨\u200d👩\u200d👧", "❤\ufe0f", "🇫🇷"]
DIRECTIONS = dict.fromkeys(map(ord, "\u202a\u202b\u202c"))  # that pdftotext puts round a line
SVG = "{http://www.w3.org/2000/svg}"


def complaints_of(file, tokens, *options):
    in_pdf = "".join(run("pdftotext", *options, file.with_suffix(".pdf"), "-").decode().translate(DIRECTIONS).split())
    svg = tree.parse(file.with_suffix(".svg")).getroot()
    texts = [text.text for text in svg.iter(SVG + "text")] + [title.text for title in svg.iter(SVG + "title")]
    for token in tokens:
        if in_pdf.count(token) < 2:  # for a row and for a column
            yield f"{file.name}.pdf: {token} is not twice in its text"
        if texts.count(token) < 2:
            yield f"{file.name}.svg: {token} is not twice in its text"


def judge(folder):
    folder = pathlib.Path(folder)
    complaints = [*complaints_of(folder / "tokens", TOKENS, "-raw"), *complaints_of(folder / "scripts", SCRIPTS),
                  *complaints_of(folder / "system", SYSTEM, "-raw")]
    for file in sorted(folder.glob("*.svg")):
        root = tree.parse(file).getroot()
        if root.find(SVG + "title") is None or root.find(SVG + "desc") is None or root.find(SVG + "metadata") is None:
            complaints.append(f"{file.name}: it lacks a title, a description or its recipe")
    return complaints


if __name__ == "__main__":
    main(judge)
