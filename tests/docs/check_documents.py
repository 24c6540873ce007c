"""Follows the links of the documents: check_documents.py PROGRAM SOURCE

Every link leads to a file, every anchor to a heading of it, every path of the source that is named is there, every page is
reached from README.md, and README.md has every mechanism of `headlight list`. Then the documents are spoiled, and each mistake
must be found.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchors(text):
    """As GitHub makes them of headings."""
    found = []
    for heading in re.findall(r"^#+ (.*)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
        found.append(f"{name}-{found.count(name)}" if name in found else name)
    return found


def named_paths(text):
    """Of the source, as `engine/run/edits.h` or `app/panels/masks/`, but no examples as my_variant.cpp or ID.md."""
    found = re.findall(r"`((?:engine|app|tests|cmake|shaders|docs)/[\w/.-]*)`", text)
    return [path for path in found if "my_variant" not in path and "ID" not in path]


def mistakes(root, source, mechanisms):
    pages = [root / "README.md", root / "NOTICE.md", *sorted((root / "docs").rglob("*.md"))]
    reached = {root / "README.md"}
    wrong = []
    leads_to = {}
    for page in pages:
        leads_to[page] = set()
        wrong += [f"{page.relative_to(root)}: {path} is not there" for path in named_paths(page.read_text())
                  if not (source / path).exists()]
        for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
            path, _, anchor = link.partition("#")
            if "://" in link:
                continue
            target = (page.parent / path).resolve() if path else page
            leads_to[page].add(target)
            if not target.exists():
                wrong.append(f"{page.relative_to(root)}: {link} is not there")
            elif anchor and anchor not in anchors(target.read_text()):
                wrong.append(f"{page.relative_to(root)}: {link} has no such heading")
    while True:
        further = {target for page in reached for target in leads_to.get(page, ())} - reached
        if not further:
            break
        reached |= further
    wrong += [f"{page.relative_to(root)} is reached by no link" for page in pages if page not in reached]
    first_page = (root / "README.md").read_text()
    wrong += [f"README.md leaves {name} out" for name in mechanisms if f"[{name}](" not in first_page]
    return wrong


def spoiled(source, work, page, old, new):
    """The documents with one page changed, or one more."""
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source / "docs", work / "docs")
    for name in ("README.md", "NOTICE.md", "LICENSE"):
        shutil.copy(source / name, work)
    (work / "assets").symlink_to(source / "assets")
    text = (work / page).read_text() if (work / page).exists() else ""
    assert old in text, f"{page} has no {old}"
    (work / page).write_text(text.replace(old, new))
    return work


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    listed = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout
    mechanisms = [name for name in re.findall(r"^([a-z]\w*):", listed, re.M) if name != "model"]
    wrong = mistakes(source, source, mechanisms)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve() / "documents"
        for page, old, new, found in (
                ("docs/guide/masks.md", "](../../assets/", "](../assets/", "causal.headlight is not there"),
                ("docs/guide/masks.md", "](arrays.md#arrays-by-name)", "](arrays.md#arrays-by-nam)", "no such heading"),
                ("docs/guide/README.md", "](masks.md)", "](mask.md)", "docs/guide/README.md: mask.md is not there"),
                ("docs/style.md", "`app/platform/theme.h`", "`app/platform/themes.h`", "app/platform/themes.h is not there"),
                ("docs/guide/stray.md", "", "# Nobody leads here", "docs/guide/stray.md is reached by no link"),
                ("README.md", "[swin](", "[shifted windows](", "README.md leaves swin out")):
            if not any(found in line for line in mistakes(spoiled(source, work, page, old, new), source, mechanisms)):
                wrong.append(f"control: {new} in {page} is not found")
    print("\n".join(wrong))
    return 1 if wrong or len(mechanisms) < 5 else 0


sys.exit(main())
