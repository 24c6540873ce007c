// The page round the program, its other end being app/platform/web/browser.cpp and app/web/main.cpp: it tells of keys, pointers,
// sizes and files, asks for frames, and does what only a page can.
//
// Everything stays on the machine: nothing here asks any server for anything.

(() => {

// ---- Waiting within long work

// Where the browser can hold a WebAssembly stack (JavaScript Promise Integration), long work waits for the page between its pieces.
// `headlight_js_pause` is the program's import that waits; the function which may wait is called by the promise that it becomes.
const canPause = typeof WebAssembly.Suspending === 'function' && typeof WebAssembly.promising === 'function';
const nextTurn = () => new Promise((go) => { const line = new MessageChannel(); line.port1.onmessage = () => { line.port1.close(); go(); }; line.port2.postMessage(0); });

function withPause(imports) {
  if (!canPause) return imports;
  for (const names of Object.values(imports))
    if (names.headlight_js_pause)
      names.headlight_js_pause = new WebAssembly.Suspending(nextTurn);
  return imports;
}
for (const name of ['instantiate', 'instantiateStreaming']) {
  const plain = WebAssembly[name];
  WebAssembly[name] = (source, imports) => plain.call(WebAssembly, source, withPause(imports));
}

// ---- What the program asks of the page

const byId = (id) => document.getElementById(id);

const page = Module.page = {
  canPause,
  rests: 0, // how often in a row no work waited
  saved: [], // names of files that were handed over
  title(text) { document.title = text; },
  cursor(overText) { byId('canvas').style.cursor = overText ? 'text' : 'default'; },
  types(types) { if (page.touched) types ? byId('typing').focus() : byId('typing').blur(); },
  write(text) {
    const bySelection = () => {
      const field = byId('copying');
      field.value = text;
      field.select();
      document.execCommand('copy');
      byId('typing').focus();
    };
    if (navigator.clipboard && navigator.clipboard.writeText) navigator.clipboard.writeText(text).catch(bySelection);
    else bySelection();
  },
  fill(fills) {
    const done = fills ? document.documentElement.requestFullscreen?.() : document.fullscreenElement && document.exitFullscreen();
    done?.catch?.(() => {});
  },
  choose(folder) {
    const field = document.createElement('input');
    field.type = 'file';
    field.multiple = true;
    field.webkitdirectory = folder;
    field.onchange = () => takeFiles(async () => [...field.files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
    field.click();
  },
  parts(json) { showParts(JSON.parse(json)); },
  // The program is gone: one line says why, and what to do.
  failed(text) {
    page.running = false;
    byId('words').textContent = text;
    byId('loading').hidden = false;
    byId('bar').hidden = true;
    byId('again').hidden = false;
  },
  // Something that was asked for could not be done; the program goes on.
  trouble(text) {
    byId('trouble').textContent = text;
    byId('trouble').hidden = false;
  },
};

// ---- What is on the screen, for screen readers: the same elements from frame to frame, where their pictures stand

const shown = new Map(); // by path
function showParts({ view, parts }) {
  const tree = byId('tree'), by = ratio();
  byId('view').textContent = view;
  const gone = new Set(shown.keys());
  let focused = '';
  parts.forEach(([path, role, name, state, hasFocus, x, y, w, h], at) => {
    gone.delete(path);
    let part = shown.get(path);
    if (!part) {
      shown.set(path, part = document.createElement('div'));
      part.id = 'part ' + path;
      part.id = part.id.replace(/\s/g, '_');
      // A screen reader presses what it reads.
      part.addEventListener('click', () => {
        const { left, top, width, height } = part.getBoundingClientRect();
        Module._headlight_pointer((left + width / 2) * ratio(), (top + height / 2) * ratio());
        Module._headlight_button(0, 1, 0);
        Module._headlight_button(0, 0, 0);
        ask();
      });
    }
    const words = { role: role === 'text' ? 'note' : role, 'aria-label': name, 'aria-disabled': String(state === 'disabled') };
    if (role === 'switch') words['aria-checked'] = String(name.endsWith(': on'));
    if (role === 'button' && state === 'selected') words['aria-pressed'] = 'true';
    else part.removeAttribute('aria-pressed');
    for (const [key, value] of Object.entries(words)) if (part.getAttribute(key) !== value) part.setAttribute(key, value);
    Object.assign(part.style, { left: `${x / by}px`, top: `${y / by}px`, width: `${w / by}px`, height: `${h / by}px` });
    if (tree.children[at] !== part) tree.insertBefore(part, tree.children[at] ?? null);
    if (hasFocus) focused = part.id;
  });
  for (const path of gone) { shown.get(path).remove(); shown.delete(path); }
  if (focused) byId('typing').setAttribute('aria-activedescendant', focused);
  else byId('typing').removeAttribute('aria-activedescendant');
}

// ---- What is kept in the browser

const home = '/home/me';
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

const asked = new URLSearchParams(location.search);
const link = new URLSearchParams(location.hash.slice(1));
Module.arguments = [];
if (asked.has('as-picture')) Module.arguments.push('--as-picture');
if (asked.has('do')) Module.arguments.push('--no-lesson');

// The experiment of a link, unpacked: a zlib stream (RFC 1950) in the letters of an address.
async function unpacked(text) {
  const letters = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  const stream = new Blob([Uint8Array.from(letters, (letter) => letter.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream('deflate'));
  const parts = [], most = 8 << 20;
  let size = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > most) throw new Error('more than any link holds');
    parts.push(value);
  }
}

const nothingKept = 'This browser lets the page keep nothing: what is not saved is gone when it closes.';
Module.preRun = [() => {
  FS.mkdirTree(home);
  FS.chdir(home);
  FS.mkdirTree('/dropped');
  Object.assign(ENV, { HOME: home, HEADLIGHT_ASSETS: '/headlight/assets', LANG: (navigator.language || 'en') + '.UTF-8' });
  if (link.has('lesson')) Module.arguments.push(`/headlight/assets/lessons/${link.get('lesson').replace(/\//g, '')}.lesson.md`);
  if (link.has('experiment')) {
    FS.mkdirTree('/linked');
    addRunDependency('link');
    unpacked(link.get('experiment')).then((bytes) => {
      FS.writeFile('/linked/linked.headlight', bytes);
      Module.arguments.push('/linked/linked.headlight');
    }, () => { page.damaged = true; }).finally(() => removeRunDependency('link'));
  }
  const begin = () => { // in the system's colours, until others are chosen
    const chosen = FS.analyzePath(`${home}/.config/headlight/settings.json`).exists;
    if (!chosen && !asked.has('as-picture') && matchMedia('(prefers-color-scheme: dark)').matches) Module.arguments.unshift('--dark');
    removeRunDependency('kept');
  };
  addRunDependency('kept');
  if (asked.has('fresh')) return begin(); // a test begins with nothing kept
  try {
    FS.mount(IDBFS, {}, home);
    FS.syncfs(true, (error) => { page.keeps = !error; if (error) page.trouble(nothingKept); begin(); });
  } catch (error) {
    page.trouble(nothingKept);
    begin();
  }
}];

// ---- Frames and work

// What no code of the program's own took: memory is at its end, or a mistake.
function stopped(error) {
  console.error(error);
  page.failed(`Headlight stopped (${error.message ?? error}). What was not saved is kept, but for its last second.`);
}

let drawing = 0, waiting = 0;
function frame() {
  drawing = 0;
  clearTimeout(waiting);
  waiting = 0;
  if (!page.running) return;
  let next = -1;
  try { next = Module._headlight_frame(); } catch (error) { stopped(error); }
  if (next === 0) ask();
  else if (next > 0) waiting = setTimeout(ask, next);
}
function ask() { if (!drawing && page.running) drawing = requestAnimationFrame(frame); }

let working = false;
const restBetween = 40; // ms, where no work waits
async function work() {
  if (working || !page.running) return;
  working = true;
  let did = 0;
  try {
    did = await page.work();
  } catch (error) {
    return stopped(error);
  } finally {
    working = false;
  }
  page.rests = did ? 0 : page.rests + 1;
  if (page.rests > 2 && link.has('lesson') && link.has('step')) { // once the lesson is open
    page.act(`lesson-step ${Number(link.get('step')) - 1}`);
    link.delete('step');
  }
  if (did) {
    ask();
    keepSoonAfter();
    handOver();
  }
  else handOver();
  did ? nextTurn().then(work) : setTimeout(work, restBetween);
}

// ---- Keys, text, clipboard

const modifiers = (event) => (event.ctrlKey || event.metaKey ? 1 : 0) | (event.shiftKey ? 2 : 0) | (event.altKey ? 4 : 0);
const isModifier = (event) => ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph'].includes(event.key);

// A text of the page in the program's memory, for as long as the call takes.
function withText(text, call) {
  const size = lengthBytesUTF8(text) + 1, at = Module._malloc(size);
  stringToUTF8(text, at, size);
  try { return call(at); } finally { Module._free(at); }
}

function pressed(event, down) {
  const shown = event.key.length === 1 ? event.key.toLowerCase() : '';
  return withText(shown, (key) => withText(event.code, (code) => Module._headlight_key(key, code, down, event.repeat ? 1 : 0, modifiers(event))));
}

function typed(text) {
  for (const letter of text) Module._headlight_character(letter.codePointAt(0));
  ask();
}

function connectKeys() {
  const field = byId('typing');
  const own = (event) => event.target === field || event.target === document.body || event.target === byId('canvas');
  window.addEventListener('keydown', (event) => {
    if (!own(event) || event.isComposing || event.keyCode === 229) return;
    if (document.activeElement !== field) field.focus({ preventScroll: true });
    if (isModifier(event)) return Module._headlight_modifiers(modifiers(event)), ask();
    const command = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (command && event.key.toLowerCase() === 'v') return; // pasted below
    if (event.key === 'F12' || (command && event.shiftKey && ['i', 'j', 'c'].includes(event.key.toLowerCase()))) return; // the browser's tools
    const taken = pressed(event, 1);
    const types = event.key.length === 1 && !command;
    if (taken && !types) event.preventDefault();
    ask();
  });
  window.addEventListener('keyup', (event) => {
    if (isModifier(event)) Module._headlight_modifiers(modifiers(event));
    else pressed(event, 0);
    ask();
  });
  const take = () => { const text = field.value; field.value = ''; if (text) typed(text.replace(/[\n\t]/g, '')); };
  field.addEventListener('input', (event) => { if (!event.isComposing) take(); });
  field.addEventListener('compositionend', take);
  field.addEventListener('paste', (event) => {
    event.preventDefault();
    withText(event.clipboardData.getData('text/plain'), (text) => Module._headlight_clipboard(text));
    withText('v', (key) => withText('KeyV', (code) => {
      Module._headlight_key(key, code, 1, 0, 1);
      Module._headlight_key(key, code, 0, 0, 1);
    }));
    ask();
  });
  window.addEventListener('blur', () => { Module._headlight_modifiers(0); ask(); });
}

// ---- Pointers

const ratio = () => window.devicePixelRatio || 1;
const buttonOf = { 0: 0, 1: 2, 2: 1 }; // the page's middle one is the second, the program's the third

function connectPointers() {
  const canvas = byId('canvas');
  const touches = new Map();
  let held = 0, apart = 0, moved = false, pressed = false;
  const place = (event) => Module._headlight_pointer(event.offsetX * ratio(), event.offsetY * ratio());
  const button = (which, down, event) => Module._headlight_button(which, down ? 1 : 0, modifiers(event));
  const far = () => { const [a, b] = [...touches.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
  canvas.addEventListener('pointerdown', (event) => {
    page.touched = event.pointerType === 'touch';
    if (!page.touched) byId('typing').focus({ preventScroll: true });
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    place(event);
    if (event.pointerType !== 'touch') button(buttonOf[event.button] ?? 0, true, event);
    else {
      touches.set(event.pointerId, { x: event.clientX, y: event.clientY });
      clearTimeout(held);
      if (touches.size === 2) {
        if (pressed) { pressed = false; button(0, false, event); }
        apart = far();
      } else if (touches.size === 1) {
        moved = false;
        pressed = true;
        button(0, true, event);
        held = setTimeout(() => { // a long press asks for the menu
          if (moved || !pressed) return;
          pressed = false;
          button(0, false, event);
          button(1, true, event);
          button(1, false, event);
          ask();
        }, 550);
      }
    }
    ask();
  });
  canvas.addEventListener('pointermove', (event) => {
    const touch = touches.get(event.pointerId);
    if (touch) {
      if (Math.hypot(event.clientX - touch.x, event.clientY - touch.y) > 8) moved = true;
      touch.x = event.clientX;
      touch.y = event.clientY;
      if (touches.size === 2) {
        const now = far();
        if (Math.abs(now - apart) > 12) {
          Module._headlight_modifiers(1);
          Module._headlight_wheel(Math.sign(now - apart));
          Module._headlight_modifiers(0);
          apart = now;
          ask();
        }
        return;
      }
    }
    place(event);
    ask();
  });
  const release = (event) => {
    clearTimeout(held);
    if (event.pointerType === 'touch') {
      touches.delete(event.pointerId);
      if (pressed && touches.size === 0) { pressed = false; place(event); button(0, false, event); }
      if (touches.size === 0) Module._headlight_leave();
    } else {
      place(event);
      button(buttonOf[event.button] ?? 0, false, event);
    }
    ask();
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', (event) => { if (event.buttons === 0) { Module._headlight_leave(); ask(); } });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const lines = -event.deltaY / (event.deltaMode === 1 ? 3 : event.deltaMode === 2 ? 1 : 100);
    Module._headlight_modifiers(modifiers(event));
    Module._headlight_wheel(lines);
    Module._headlight_modifiers(0);
    ask();
  }, { passive: false });
}

// ---- Files that are dropped or chosen

async function takeFiles(listed) {
  try {
    await putFiles(await listed());
  } catch (error) {
    page.trouble(`What was dropped or chosen could not be read (${error.message ?? error}): a page has room for some 1.5 GB.`);
  }
}

async function putFiles(list) {
  for (const { path, file } of list) {
    const at = '/dropped/' + path;
    FS.mkdirTree(at.slice(0, at.lastIndexOf('/')));
    FS.writeFile(at, new Uint8Array(await file.arrayBuffer()));
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

// ---- Size, and the beginning

function fit() {
  const canvas = byId('canvas'), by = ratio();
  const width = Math.max(1, Math.round(window.innerWidth * by)), height = Math.max(1, Math.round(window.innerHeight * by));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  Module._headlight_canvas(width, height, by);
}

Module.onRuntimeInitialized = () => fit();
Module.postRun = [() => {
  if (!byId('bar').hidden) page.running = true;
  if (!page.running) return;
  page.work = canPause ? WebAssembly.promising(Module.asm.headlight_work) : Module._headlight_work;
  connectKeys();
  connectPointers();
  connectFiles();
  written();
  window.addEventListener('resize', () => { fit(); frame(); });
  document.addEventListener('visibilitychange', keep);
  window.addEventListener('beforeunload', (event) => {
    keep();
    if (Module._headlight_unsaved()) event.preventDefault();
  });
  page.act = (line) => { const answer = withText(line, (at) => UTF8ToString(Module._headlight_do(at))); page.rests = 0; ask(); return answer; };
  if (page.damaged) page.trouble('This link is cut or damaged: ask for it again.');
  for (const line of asked.getAll('do')) {
    const answer = page.act(line);
    if (answer) console.warn(`do=${line}: ${answer}`);
  }
  byId('loading').hidden = true;
  byId('typing').focus({ preventScroll: true });
  frame();
  work();
}];

})();
