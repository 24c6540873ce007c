// Files: what the browser keeps, what the program wrote and the browser hands over, what is dropped or chosen.

// ---- What is kept in the browser

const home = '/home/me', fonts = `${home}/.fonts`;
let keepSoon = 0;
// Soon after something was written, and when the page goes out of sight.
function keep() {
  clearTimeout(keepSoon);
  keepSoon = 0;
  if (page.keeps) FS.syncfs(false, (error) => { if (error) page.trouble(`This browser keeps nothing more (${error.name ?? error}): save what matters.`); });
}
function keepSoonAfter() { if (!keepSoon) keepSoon = setTimeout(keep, 800); }

// ---- What the program wrote for whoever looks: handed over as the browser hands over what it fetches

const known = new Map(); // by path: when it was written, and how long it is
// What stands in the home but in folders of the program's own, whose names begin with a dot.
function* filesIn(folder) {
  for (const name of FS.readdir(folder)) {
    if (name.startsWith('.')) continue;
    const path = `${folder}/${name}`, about = FS.stat(path);
    if (FS.isDir(about.mode)) yield* filesIn(path);
    else yield { path, stamp: `${+about.mtime} ${about.size}` };
  }
}
function written() {
  const fresh = [];
  for (const { path, stamp } of [home, '/linked'].flatMap((folder) => (FS.analyzePath(folder).exists ? [...filesIn(folder)] : []))) {
    if (known.get(path) !== stamp) fresh.push(path);
    known.set(path, stamp);
  }
  return fresh;
}
let handed = 0;
function handOver() {
  const now = performance.now();
  if (now - handed < 100) return;
  handed = now;
  const fresh = written();
  if (fresh.length === 1) save(fresh[0].slice(fresh[0].lastIndexOf('/') + 1), FS.readFile(fresh[0]));
  if (fresh.length > 1) save('headlight.zip', zipped(fresh));
}
function save(name, bytes) {
  page.saved.push(name);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// As they are, by the names that they have beside each other (APPNOTE.TXT, 4.3).
function zipped(paths) {
  const table = Uint32Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n; });
  const crc = (bytes) => { let c = ~0; for (const byte of bytes) c = table[(c ^ byte) & 255] ^ (c >>> 8); return ~c >>> 0; };
  const fields = (...pairs) => {
    const view = new DataView(new ArrayBuffer(pairs.reduce((sum, [size]) => sum + size, 0)));
    let at = 0;
    for (const [size, value] of pairs) { size === 4 ? view.setUint32(at, value, true) : view.setUint16(at, value, true); at += size; }
    return new Uint8Array(view.buffer);
  };
  const parts = [], directory = [];
  let at = 0, listed = 0;
  for (const path of paths) {
    const name = new TextEncoder().encode(path.slice(path.indexOf('/', 1) + 1)), bytes = FS.readFile(path);
    const common = [[2, 20], [2, 0x800], [2, 0], [2, 0], [2, 33], [4, crc(bytes)], [4, bytes.length], [4, bytes.length], [2, name.length], [2, 0]];
    const header = fields([4, 0x04034b50], ...common);
    parts.push(header, name, bytes);
    const entry = fields([4, 0x02014b50], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]);
    directory.push(entry, name);
    listed += entry.length + name.length;
    at += header.length + name.length + bytes.length;
  }
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, paths.length], [2, paths.length], [4, listed], [4, at], [2, 0]);
  return new Uint8Array([...parts, ...directory, end].reduce((whole, part) => { whole.set(part, whole.at); whole.at += part.length; return whole; },
    Object.assign(new Uint8Array(at + listed + end.length), { at: 0 })));
}

// ---- Files that are dropped or chosen

async function takeFiles(listed) {
  try {
    await putFiles(await listed());
  } catch (error) {
    page.trouble(`What was dropped or chosen could not be read (${error.message ?? error}): a page has room for some 1.5 GB.`);
  }
}

const isFont = ({ path }) => /\.(ttf|otf|ttc)$/i.test(path);

async function putFiles(all) {
  const list = all.filter((one) => !isFont(one)), letters = all.filter(isFont);
  for (const { path, file } of letters) {
    FS.mkdirTree(fonts);
    FS.writeFile(`${fonts}/${path.slice(path.lastIndexOf('/') + 1)}`, new Uint8Array(await file.arrayBuffer()), { canOwn: true });
  }
  if (letters.length > 0) {
    Module._headlight_fonts_changed();
    keepSoonAfter();
  }
  for (const { path, file } of list) {
    const at = '/dropped/' + path;
    FS.mkdirTree(at.slice(0, at.lastIndexOf('/')));
    FS.writeFile(at, new Uint8Array(await file.arrayBuffer()), { canOwn: true });
  }
  for (const top of new Set(list.map(({ path }) => path.split('/')[0]))) withText('/dropped/' + top, (at) => Module._headlight_dropped(at));
  ask();
}

async function filesOf(entry, path, list) {
  if (entry.isFile) {
    list.push({ path: path + entry.name, file: await new Promise((take, fail) => entry.file(take, fail)) });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((take, fail) => reader.readEntries(take, fail));
    if (some.length === 0) return;
    for (const one of some) await filesOf(one, path + entry.name + '/', list);
  }
}

function connectFiles() {
  window.addEventListener('dragover', (event) => event.preventDefault());
  window.addEventListener('drop', async (event) => {
    event.preventDefault();
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const files = [...event.dataTransfer.files]; // what is asked for later than now is no longer there
    await takeFiles(async () => {
      const list = [];
      for (const entry of entries) await filesOf(entry, '', list);
      return entries.length > 0 ? list : files.map((file) => ({ path: file.name, file }));
    });
  });
}
