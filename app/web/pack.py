#!/usr/bin/env python3
"""pack.py PAGE.html PAGE.js PROGRAM.js PROGRAM.wasm FOLDER: the page for a server (FOLDER/index.html and headlight.wasm), and as one file
(FOLDER/headlight.html), with the program in it, compressed."""
import base64
import gzip
import pathlib
import sys

page, own, script, program, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
html, code, wasm = page.read_text(), script.read_text(), program.read_bytes()
own_code = own.read_text()
if "</script" in code + own_code:
    sys.exit(f"{script}: it ends a script of the page")


def written(path, text):
    beside = path.with_suffix(".tmp")
    beside.write_bytes(text)
    beside.replace(path)


def page_with(loader):
    return html.replace("<!--program-->", "<script>\n" + loader + "\n</script>").encode()


# Only what draws can be asked before megabytes are fetched.
check = """
var Module = { print: (text) => console.log(text), printErr: (text) => console.warn(text) };
const cannot = (words) => { document.getElementById('words').textContent = words; document.getElementById('bar').hidden = true; };
const able = typeof WebAssembly === 'object' && document.createElement('canvas').getContext('webgl2');
if (!able) cannot('This browser offers no WebGL 2: update it, or switch hardware acceleration on in its settings.');
"""
check += own_code
start = "const start = () => { const script = document.createElement('script'); script.textContent = document.getElementById('code').textContent; document.body.append(script); };"
code_in_page = f'<script id="code" type="text/plain">{code}</script>'


def with_code(text):
    return text.replace(b"<!--code-->", code_in_page.encode())


html = html.replace("<!--program-->", "<!--code-->\n<!--program-->")
written(folder / "headlight.wasm", wasm)
written(folder / "index.html", with_code(page_with(check + """
if (able) {
  Module.locateFile = (name) => name;
  """ + start + """
  start();
}
""")))
packed = base64.b64encode(gzip.compress(wasm, 9)).decode()
one = html.replace("<!--program-->", f'<script id="packed" type="text/plain">{packed}</script>\n<!--program-->')
html = one
written(folder / "headlight.html", with_code(page_with(check + """
const unpacked = async () => {
  const text = atob(document.getElementById('packed').textContent);
  document.getElementById('packed').remove();
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
};
if (able) {
  """ + start + """
  unpacked().then((bytes) => { Module.wasmBinary = bytes; start(); }, (error) => cannot(`The program in this file cannot be unpacked (${error}): update the browser.`));
}
""")))
