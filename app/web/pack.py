#!/usr/bin/env python3
"""pack.py PAGE.html PROGRAM.js PROGRAM.wasm.lzma UNPACK.wasm FOLDER SCRIPTS.js…: the page for a server (FOLDER/index.html and headlight.wasm,
packed), and as one file (FOLDER/headlight.html) with the program in it. Both unpack the program as it comes: no server need compress it."""
import base64
import pathlib
import sys

page, script, packed, unpack, folder, *own = (pathlib.Path(argument) for argument in sys.argv[1:])
html, code, program = page.read_text(), script.read_text(), packed.read_bytes()
own_code = "(() => {\n" + "\n".join(path.read_text() for path in own) + "\n})();\n"
if "</script" in code + own_code:
    sys.exit(f"{script}: it ends a script of the page")


def written(path, data):
    beside = path.with_suffix(".tmp")
    beside.write_bytes(data)
    beside.replace(path)


def in_letters(data):
    return base64.b64encode(data).decode()


# Only what draws can be asked before megabytes are fetched.
begin = """
var Module = { print: (text) => console.log(text), printErr: (text) => console.warn(text) };
const cannot = (words) => {
  document.getElementById('words').textContent = words;
  document.getElementById('bar').hidden = document.getElementById('lesson').hidden = true;
  document.getElementById('again').hidden = false;
};
const able = typeof WebAssembly === 'object' && document.createElement('canvas').getContext('webgl2');
if (!able) cannot('This browser offers no WebGL 2: update it, or switch hardware acceleration on in its settings.');
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
"""
# program() gives a stream of packed bytes, and how many there are, 0 where nobody says.
end = """
async function instantiated(imports) {
  const { instance: { exports } } = await WebAssembly.instantiate(bytesOf('UNPACK'), {});
  const { bytes, total } = await program();
  const reader = bytes.getReader(), bar = document.getElementById('bar'), room = 1 << 16, full = 1 << 18;
  const memory = (at, size) => new Uint8Array(exports.memory.buffer, at, size);
  exports._initialize?.();
  exports.begin();
  let came = 0;
  const unpacked = new ReadableStream({
    async pull(out) {
      const { done, value } = await reader.read();
      if (done) return out.close();
      came += value.length;
      if (total) bar.value = Math.min(1, came / total);
      for (let at = 0; at < value.length; at += room) {
        const part = value.subarray(at, at + room);
        memory(exports.input(), room).set(part);
        for (let size = exports.unpack(part.length); ; size = exports.unpack(0)) {
          if (size < 0) throw new Error('it is damaged');
          out.enqueue(memory(exports.output(), size).slice());
          if (size < full) break;
        }
      }
    },
  });
  return WebAssembly.instantiateStreaming(new Response(unpacked, { headers: { 'Content-Type': 'application/wasm' } }), imports);
}
Module.instantiateWasm = (imports, take) => {
  instantiated(imports).then(({ instance, module }) => { Module.page.exports = instance.exports; take(instance, module); }, (error) => cannot(`The program could not be loaded (${error.message ?? error}). ${advice}`));
  return {};
};
if (able) {
  const run = document.createElement('script');
  run.textContent = document.getElementById('code').textContent;
  document.body.append(run);
}
""".replace("UNPACK", in_letters(unpack.read_bytes()))
of_server = """
const advice = location.protocol === 'file:' ? 'This page is for a server: open headlight.html.' : 'headlight.wasm must lie beside this page; then load it again.';
async function program() {
  const answer = await fetch('headlight.wasm');
  if (!answer.ok) throw new Error(`headlight.wasm: ${answer.status}`);
  const packedAgain = answer.headers.get('Content-Encoding');
  return { bytes: answer.body, total: packedAgain ? 0 : Number(answer.headers.get('Content-Length')) };
}
"""
of_file = """
const advice = 'Update the browser, or copy the file again.';
async function program() {
  const text = document.getElementById('packed'), bytes = bytesOf(text.textContent);
  text.remove();
  return { bytes: new Blob([bytes]).stream(), total: bytes.length };
}
"""


def page_with(data, loader):
    return html.replace("<!--program-->", f'<script id="code" type="text/plain">{code}</script>\n{data}<script>{begin}{own_code}{loader}{end}</script>').encode()


written(folder / "headlight.wasm", program)
written(folder / "index.html", page_with("", of_server))
written(folder / "headlight.html", page_with(f'<script id="packed" type="text/plain">{in_letters(program)}</script>\n', of_file))
