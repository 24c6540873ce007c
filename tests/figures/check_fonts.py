"""pdffonts: every font of every PDF is embedded, a subset, with a way back to text, and none is of Type 3."""
import pathlib

from judge import main, run


def judge(folder):
    complaints = []
    files = sorted(pathlib.Path(folder).glob("*.pdf"))
    if not files:
        complaints.append("there are no PDFs")
    for file in files:
        rows = run("pdffonts", file).decode().splitlines()[2:]
        if not rows:
            complaints.append(f"{file.name}: no fonts, so no text")
        for row in rows:
            embedded, subset, unicode_map = row.split()[-5:-2]
            if "Type 3" in row or (embedded, subset, unicode_map) != ("yes", "yes", "yes"):
                complaints.append(f"{file.name}: {row}")
    return complaints


if __name__ == "__main__":
    main(judge)
