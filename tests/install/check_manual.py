"""Holds the manual page to the program: check_manual.py PROGRAM PAGE SOURCE

Every command, argument and option of `headlight --help` stands in the page with the same words and the same choices, and the
page has none besides; so do the variables of the environment that the source reads; and groff has nothing to say about it.
"""
import pathlib
import re
import subprocess
import sys


def plain(text):
    """Roff as its reader sees it, on one line."""
    text = re.sub(r"^\.(?:[BIR]{1,2}|TP|PP)\b ?", "", text, flags=re.M)
    text = re.sub(r"\\f[BIRP]|\\&|\\~|\\\|", "", text)
    for escape, character in {r"\-": "-", r"\(ti": "~", r"\(aq": "'", r"\(dq": '"', r"\e": "\\"}.items():
        text = text.replace(escape, character)
    return re.sub(r"\s+", " ", text).strip()


def listed(text, heading):
    """(name, what it takes, what is said of it) of a list in what --help prints: CLI11 2.6 writes headings in capitals,
    short names in a column of their own, and long words on several lines."""
    found = []
    block = re.search(rf"^{heading}:\s*\n((?:  .*\n)+)", text, re.M | re.I)
    for line in block[1].splitlines() if block else []:
        if line.startswith(" " * 20):
            found[-1][2] = f"{found[-1][2]} {line.strip()}".strip()
            continue
        line = re.sub(r"^(-\w,) +", r"\1", line.strip())
        left, words = re.fullmatch(r"(\S.*?)(?:\s{2,}(\S.*))?", line).groups()
        name, _, takes = left.partition(" ")
        found.append([name, takes, words or ""])
    return found


def choices(takes):
    """The words and numbers that an option is held to, from "TEXT:{light,dark}" or "INT in [0 - 9]"."""
    braces = re.search(r"\{(.*?)\}", takes)
    if braces:
        return braces[1].split(",")
    bounds = re.search(r"in \[(\S+) - (\S+)\]", takes)
    return list(bounds.groups()) if bounds else []


def entries(section):
    """{name: text} of the tagged paragraphs of a part of the page; of "-o, --output FILE" the name is "-o,--output"."""
    found = {}
    for paragraph in section.split("\n.TP\n")[1:]:
        tag, _, rest = paragraph.partition("\n")
        words = plain(tag).split(" ")
        name = words[0] if not words[0].endswith(",") else words[0] + words[1]
        found[name] = plain(rest)
    return found


def section(page, heading):
    return "\n" + re.search(rf"^\.SH {heading}\n(.*?)(?=^\.SH |\Z)", page, re.M | re.S)[1]


def parts(page, heading):
    """{title: text} of what stands under the headings within a section."""
    pieces = re.split(r"^\.SS (.*)\n", section(page, heading), flags=re.M)
    return dict(zip(pieces[1::2], ("\n" + piece for piece in pieces[2::2])))


def compare(helps, page, variables):
    """What the page and the program do not agree on, a line each."""
    wrong = []
    options = parts(page, "OPTIONS")
    commands = section(page, "COMMANDS")
    named = {plain(tag) for tag in re.findall(r"^\.TP\n\.B (headlight \w+)$", commands, re.M)}
    for title in sorted(set(options) ^ set(helps)):
        wrong.append(f"{title}: stands only in {'the page' if title in options else 'the program'}")
    if named != set(helps) - {"headlight"}:
        wrong.append(f"COMMANDS has {sorted(named)}")
    for name, _, words in listed(helps["headlight"], "Subcommands"):
        if words not in plain(commands):
            wrong.append(f"COMMANDS: of {name} the program says: {words}")
    for title in sorted(set(options) & set(helps)):
        said = entries(options[title])
        known = listed(helps[title], "Positionals") + listed(helps[title], "Options")
        if title != "headlight":
            known = [entry for entry in known if entry[0] != "-h,--help"]
        for name in sorted(set(said) - {name for name, _, _ in known}):
            wrong.append(f"{title} {name}: the program has none")
        for name, takes, words in known:
            text = said.get(name)
            if text is None:
                wrong.append(f"{title} {name}: the page lacks it")
                continue
            for part in [words, *choices(takes)]:
                if part.rstrip(".").replace("…", "...") not in text:
                    wrong.append(f"{title} {name}: the page does not say: {part}")
    environment = {name for name in entries(section(page, "ENVIRONMENT")) if name.startswith("HEADLIGHT_")}
    for name in sorted(environment ^ variables):
        wrong.append(f"{name}: stands only in {'the page' if name in environment else 'the source'}")
    return wrong


def main():
    program, page_file, source = sys.argv[1:]

    def help_of(*command):
        return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout

    helps = {"headlight": help_of()}
    for name, _, _ in listed(helps["headlight"], "Subcommands"):
        helps[f"headlight {name}"] = help_of(name)
    variables = set()
    for room in ("app", "engine"):
        for file in pathlib.Path(source, room).rglob("*.cpp"):
            if file.parent.name == "web":
                continue  # a page sets its own
            variables |= set(re.findall(r'"(HEADLIGHT_[A-Z]+)"', file.read_text()))
    page = pathlib.Path(page_file).read_text()
    wrong = compare(helps, page, variables)

    # Controls: it notices what is gone, what is new and what is said otherwise.
    spoiled = {
        "an option that the page lacks": page.replace(r"\fB\-\-dpi\fR", r"\fB\-\-dots\fR"),
        "a command that the page lacks": page.replace(".SS headlight trace", ".SS headlight traces"),
        "another default": page.replace("Dots per inch of a PNG (300)", "Dots per inch of a PNG (200)"),
        "a choice that is gone": page.replace(r"high\-contrast", "tide"),
        "a variable that is gone": page.replace(".B HEADLIGHT_KERNELS\n", ".B HEADLIGHT_KERNEL\n"),
    }
    for what, other in spoiled.items():
        if other == page or len(compare(helps, other, variables)) <= len(wrong):
            wrong.append(f"this test would not notice {what}")

    for device in ("utf8", "ascii"):  # a console may have no more than that
        groff = subprocess.run(["groff", "-k", "-man", f"-T{device}", "-ww", "-z", page_file], capture_output=True, text=True)
        wrong += (groff.stderr + groff.stdout).splitlines()
    if wrong:
        print("docs/headlight.1.in and the program do not agree:", *wrong, sep="\n  ")
        sys.exit(1)


main()
