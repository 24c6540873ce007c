// The page round the program, its other end being app/platform/web/browser.cpp and app/web/main.cpp: it asks for frames and work, tells
// of sizes, and does what only a page can. pack.py puts it into the page with what stands beside it: keys and pointers (input.js), files
// (files.js), what screen readers and paper get (reading.js).
//
// Everything stays on the machine: nothing here asks any server for anything.

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
    const shown = byId('trouble');
    shown.textContent = shown.hidden ? text : `${shown.textContent}\n${text}`;
    shown.hidden = false;
  },
};

// ---- The address, and what the program begins with

const asked = new URLSearchParams(location.search);
let link = new URLSearchParams(); // of the address, once the program begins
Module.arguments = [];
if (asked.has('as-picture')) Module.arguments.push('--as-picture');
if (asked.has('do') || asked.has('hide')) Module.arguments.push('--no-lesson');

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
  link = new URLSearchParams(location.hash.slice(1));
  FS.mkdirTree(home);
  FS.chdir(home);
  FS.mkdirTree('/dropped');
  Object.assign(ENV, { HOME: home, HEADLIGHT_FONTS: fonts, HEADLIGHT_ASSETS: '/headlight/assets', LANG: (navigator.language || 'en') + '.UTF-8' });
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

let drawing = 0, waiting = 0, drawn = 0;
function frame() {
  drawing = 0;
  drawn = performance.now();
  clearTimeout(waiting);
  waiting = 0;
  if (!page.running) return;
  let next = -1;
  try { next = Module._headlight_frame(); } catch (error) { stopped(error); }
  if (next === 0) page.rests === 0 ? askBetweenWork() : ask();
  else if (next > 0) waiting = setTimeout(ask, next);
}
function ask() { if (!drawing && page.running) drawing = requestAnimationFrame(frame); }

// While work goes on it has the most of the time: what no hand asked for is drawn 30 times a second.
const betweenFrames = 1000 / 30;
function askBetweenWork() {
  const rest = betweenFrames - (performance.now() - drawn);
  if (rest < 5) ask();
  else if (!drawing && !waiting) waiting = setTimeout(ask, rest);
}

// What the address asks for, each once what came of the one before is there.
let toDo = [];
function doNext() {
  if (page.rests <= 2 || toDo.length === 0) return;
  const line = toDo.shift(), answer = page.act(line);
  if (answer) page.trouble(`The address of this page asks for “${line}”: ${answer}.`);
}

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
  doNext();
  if (did) {
    askBetweenWork();
    keepSoonAfter();
    handOver();
  }
  else handOver();
  did ? nextTurn().then(work) : setTimeout(work, restBetween);
}

// Dear ImGui asks in each frame how the canvas stands, which the browser answers once all that was drawn before is there: what was set
// last is known here.
function knowDrawingState(gl) {
  const known = new Map(), plain = gl.getParameter.bind(gl);
  const note = (setter, keep) => {
    const set = gl[setter].bind(gl);
    gl[setter] = (...values) => { set(...values); keep(...values); };
  };
  const keepAll = (...pairs) => { for (const [name, value] of pairs) known.set(name, value); };
  note('viewport', (...box) => known.set(gl.VIEWPORT, Int32Array.from(box)));
  note('scissor', (...box) => known.set(gl.SCISSOR_BOX, Int32Array.from(box)));
  note('blendFunc', (from, to) => keepAll([gl.BLEND_SRC_RGB, from], [gl.BLEND_DST_RGB, to], [gl.BLEND_SRC_ALPHA, from], [gl.BLEND_DST_ALPHA, to]));
  note('blendFuncSeparate', (from, to, fromAlpha, toAlpha) =>
    keepAll([gl.BLEND_SRC_RGB, from], [gl.BLEND_DST_RGB, to], [gl.BLEND_SRC_ALPHA, fromAlpha], [gl.BLEND_DST_ALPHA, toAlpha]));
  note('blendEquation', (mode) => keepAll([gl.BLEND_EQUATION_RGB, mode], [gl.BLEND_EQUATION_ALPHA, mode]));
  note('blendEquationSeparate', (mode, alpha) => keepAll([gl.BLEND_EQUATION_RGB, mode], [gl.BLEND_EQUATION_ALPHA, alpha]));
  gl.getParameter = (name) => known.get(name) ?? plain(name);
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
  page.work = canPause ? WebAssembly.promising(page.exports.headlight_work) : Module._headlight_work;
  knowDrawingState(GLctx);
  connectKeys();
  connectMouse(byId('canvas'));
  connectFingers(byId('canvas'));
  connectFiles();
  connectPrinting();
  written();
  window.addEventListener('resize', () => { fit(); frame(); });
  window.addEventListener('hashchange', () => location.reload()); // another link; what is not saved is asked about
  document.addEventListener('visibilitychange', keep);
  window.addEventListener('beforeunload', (event) => {
    keep();
    if (Module._headlight_unsaved()) event.preventDefault();
  });
  page.act = (line) => { const answer = withText(line, (at) => UTF8ToString(Module._headlight_do(at))); page.rests = 0; ask(); return answer; };
  if (page.damaged) page.trouble('This link is cut or damaged: ask for it again.');
  const hidden = asked.getAll('hide').flatMap((parts) => parts.split(',')).map((part) => `hide-part ${part.trim()}`);
  toDo = [...hidden, ...asked.getAll('do')];
  byId('loading').hidden = true;
  byId('typing').focus({ preventScroll: true });
  frame();
  work();
}];
