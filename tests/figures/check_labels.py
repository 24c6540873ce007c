"""pdftotext -bbox: in the figure "narrow", 128 tokens at 3.25 inches, no two labels overlap, and none leaves the page."""
import pathlib
import xml.etree.ElementTree as tree

from judge import main, run

XHTML = "{http://www.w3.org/1999/xhtml}"


def judge(folder):
    page = next(tree.fromstring(run("pdftotext", "-bbox", pathlib.Path(folder) / "narrow.pdf", "-")).iter(XHTML + "page"))
    boxes = [(word.text, *(float(word.get(side)) for side in ("xMin", "yMin", "xMax", "yMax")))
             for word in page.iter(XHTML + "word")]
    complaints = []
    if float(page.get("width")) > 3.25 * 72 + 0.01:
        complaints.append(f"the page is {page.get('width')} points wide")
    tokens = [box for box in boxes if box[0].startswith("token")]
    if len(tokens) < 20:
        complaints.append(f"only {len(tokens)} labels")
    for i, (text, left, top, right, bottom) in enumerate(boxes):
        if left < 0 or top < 0 or right > float(page.get("width")) or bottom > float(page.get("height")):
            complaints.append(f"{text} leaves the page")
        for other, left_2, top_2, right_2, bottom_2 in boxes[:i]:
            # Boxes are as high as the font's highest letter; lines may stand closer by an eighth.
            across = min(right, right_2) - max(left, left_2)
            down = min(bottom, bottom_2) - max(top, top_2)
            if across > 0.125 * min(right - left, right_2 - left_2) and down > 0.125 * min(bottom - top, bottom_2 - top_2):
                complaints.append(f"{text} and {other} overlap")
    return complaints


if __name__ == "__main__":
    main(judge)
