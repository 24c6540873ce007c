"""pdftotext and an XML parser: every token of the figure "tokens" is found as text in the PDF and in the SVG."""
import pathlib
import xml.etree.ElementTree as tree

from judge import main, run

TOKENS = ["a_b", "a&b", "100%", "a#b", "$5", "a~b", "x^2", "a\\b", "{a", "b}", "<s>", '"q', "it's", "`tick", "кошка", "猫",
          "Ġthe", "naïve", "w" * 200]
SVG = "{http://www.w3.org/2000/svg}"


def judge(folder):
    folder = pathlib.Path(folder)
    complaints = []
    in_pdf = "".join(run("pdftotext", "-raw", folder / "tokens.pdf", "-").decode().split())
    svg = tree.parse(folder / "tokens.svg").getroot()
    texts = [text.text for text in svg.iter(SVG + "text")] + [title.text for title in svg.iter(SVG + "title")]
    for token in TOKENS:
        if in_pdf.count(token) < 2:  # for a row and for a column
            complaints.append(f"tokens.pdf: {token} is not twice in its text")
        if texts.count(token) < 2:
            complaints.append(f"tokens.svg: {token} is not twice in its text")
    for file in sorted(folder.glob("*.svg")):
        root = tree.parse(file).getroot()
        if root.find(SVG + "title") is None or root.find(SVG + "desc") is None or root.find(SVG + "metadata") is None:
            complaints.append(f"{file.name}: it lacks a title, a description or its recipe")
    return complaints


if __name__ == "__main__":
    main(judge)
