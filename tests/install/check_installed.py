"""Looks at an installed program, as a desktop and its user meet it: check_installed.py PREFIX SOURCE BUILD

What belongs to it is there and is well formed, leads nowhere outside, and the program draws from it.
"""
import configparser
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree

prefix, source, build = (pathlib.Path(argument) for argument in sys.argv[1:])
share = prefix / "share"
program = prefix / "bin/headlight"
application = "org.headlight.Headlight"
mime_type = "application/x-headlight+json"
wrong = []


def named_in(held, folder):
    """Whether these bytes name the folder; one of a single name, /headlight, only with something that lies in it."""
    name = re.escape(str(folder).encode())
    if len(folder.parts) < 3:
        name += b"/(" + b"|".join(re.escape(path.name.encode()) for path in folder.iterdir()) + b")"
    return re.search(rb"(?<![\w.+/-])" + name + rb"(?![\w.+-])", held)


def run(*command, **more):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEADLIGHT_")}
    environment["XDG_DATA_DIRS"] = str(share)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, **more)
    return done.returncode, done.stdout + done.stderr


def judge(*command):
    """A program that is silent about what is right."""
    if not shutil.which(command[0]):
        wrong.append(f"{command[0]} is missing: ./dev test installs it")
        return
    status, said = run(*command)
    if status != 0 or said:
        wrong.append(f"{' '.join(map(str, command))}: {said or status}")


def look_at_files():
    for name in ("Inter-Regular.otf", "JetBrainsMono-SemiBold.ttf", "DejaVuSans.ttf", "latinmodern-math.otf"):
        if not (share / "headlight/fonts" / name).is_file():
            wrong.append(f"fonts/{name} is not installed")
    for package in ("fonts-inter", "fonts-jetbrains-mono", "fonts-dejavu-core", "fonts-lmodern"):
        stated = pathlib.Path("/usr/share/doc", package, "copyright").is_file()
        if stated and not (share / f"doc/headlight/fonts/{package}.txt").is_file():
            wrong.append(f"the terms of {package} are not installed with its fonts")
    ours = {path.name for path in (source / "assets/examples").iterdir()}
    if {path.name for path in (share / "headlight/examples").iterdir()} != ours:
        wrong.append("the examples are not those of assets/examples")
    for path in prefix.rglob("*"):
        if path.is_symlink():
            wrong.append(f"{path} is a link: an installed tree holds what it needs")
        elif path.is_file():
            held = path.read_bytes()
            for folder in (source, build):
                if named_in(held, folder):
                    wrong.append(f"{path.relative_to(prefix)} names {folder}")


def look_at_icons():
    for context, name in (("apps", "headlight"), ("mimetypes", mime_type.replace("/", "-"))):
        icons = share / "icons/hicolor"
        drawing = xml.etree.ElementTree.parse(icons / f"scalable/{context}/{name}.svg").getroot()
        if not drawing.tag.endswith("}svg"):
            wrong.append(f"{name}.svg is none")
        for size in (16, 24, 32, 48, 64, 128, 256):
            path = icons / f"{size}x{size}/{context}/{name}.png"
            found = struct.unpack(">II", path.read_bytes()[16:24]) if path.is_file() else None
            if found != (size, size):
                wrong.append(f"{path} is {found or 'missing'}")


def look_at_desktop():
    entry_file = share / f"applications/{application}.desktop"
    judge("desktop-file-validate", entry_file)
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(entry_file)
    entry = parser["Desktop Entry"]
    for key, value in {"Exec": "headlight %f", "Icon": "headlight", "MimeType": mime_type + ";"}.items():
        if entry[key] != value:
            wrong.append(f"{entry_file}: {key} is {entry[key]}")
    about = xml.etree.ElementTree.parse(share / f"metainfo/{application}.metainfo.xml").getroot()
    version = run(program, "--version")[1].split()[-1]
    stated = (about.findtext("id"), about.findtext("launchable"), about.find("releases/release").get("version"))
    if stated != (application, application + ".desktop", version):
        wrong.append(f"the metainfo is about {stated}")


def look_at_mime_type():
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kind = xml.etree.ElementTree.parse(share / "mime/packages/headlight.xml").getroot().find(space + "mime-type")
    if kind.get("type") != mime_type or kind.find(space + "glob").get("pattern") != "*.headlight":
        wrong.append("the MIME type is not that of *.headlight")
    judge("update-mime-database", share / "mime")
    if f"{mime_type}:*.headlight\n" not in (share / "mime/globs").read_text():
        wrong.append("update-mime-database did not take the MIME type up")


def look_at_pages():
    status, said = run(sys.executable, "-B", source / "tests/install/check_manual.py", program, share / "man/man1/headlight.1",
                       source)
    if status != 0:
        wrong.append(said)
    pages = share / "doc/headlight"
    for page in pages.rglob("*.md"):
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if "://" not in link and not (page.parent / link).exists():
                wrong.append(f"{page.relative_to(pages)} leads to {link}, which is not installed")


def look_at_program():
    work = prefix.parent / "elsewhere"
    work.mkdir()
    (prefix / "bin/assets").mkdir()  # some other program's
    status, said = run(program, "--version", cwd=work)
    if status != 0 or not re.fullmatch(r"headlight \d+\.\d+\.\d+\n", said):
        wrong.append(f"--version: {said}")
    for example in ("causal", "relative"):
        status, said = run(program, "render", share / f"headlight/examples/{example}.headlight", "-o", f"{example}.pdf", "-q",
                           cwd=work)
        if status != 0 or not (work / f"{example}.pdf").read_bytes().startswith(b"%PDF-"):
            wrong.append(f"render {example}: {said}")


look_at_files()
look_at_icons()
look_at_desktop()
look_at_mime_type()
look_at_pages()
look_at_program()
if wrong:
    print("What is installed:", *wrong, sep="\n  ")
    sys.exit(1)
