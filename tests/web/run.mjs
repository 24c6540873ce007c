// node run.mjs FOLDER [--firefox] [NAME…]: the page in FOLDER (build/web), tried as its users would: from a file and from a server, its
// numbers and pictures beside those of the program for a desktop. In Chromium, or what both can do in Firefox.
import { execFile, execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Chromium } from './chromium.mjs';
import { Firefox } from './firefox.mjs';
import { wander } from './wander.mjs';

const source = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const built = resolve(process.argv[2]);
const inFirefox = process.argv[3] === '--firefox';
const Browser = inFirefox ? Firefox : Chromium;
const chosen = process.argv.slice(inFirefox ? 4 : 3);
const program = ['build/test/headlight', 'build/release/headlight'].map((path) => join(source, path)).find(existsSync);
const work = mkdtempSync(join(tmpdir(), 'headlight-web-'));
const file = `file://${built}/headlight.html`;

function check(holds, words) {
  if (!holds) throw new Error(words);
}
// With the kernels of every processor: newer ones' are further from these than a millionth where sums are long.
const native = (...words) => execFileSync(program, words, { cwd: work, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HEADLIGHT_KERNELS: 'baseline' } });
const nativeWindow = (...words) => promisify(execFile)('xvfb-run', ['-a', program, ...words], { cwd: work, env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1', GALLIUM_DRIVER: 'llvmpipe', HEADLIGHT_KERNELS: 'baseline' } });

// A page with the program in it, ready: in a browser of its own, or anew in one that is there.
async function opened(query = '?fresh&as-picture', options = {}, url = file) {
  const browser = await Browser.open(options);
  if (options.first) await browser.ask('Page.addScriptToEvaluateOnNewDocument', { source: options.first });
  await openIn(browser, query, url);
  return browser;
}
async function openIn(browser, query = '?fresh&as-picture', url = file) {
  const since = Date.now();
  await browser.go(url + query);
  await browser.until('document.getElementById("loading").hidden || document.getElementById("bar").hidden', 60000);
  browser.ready = Date.now() - since;
}
// Until nothing is under way, and what came of it is drawn.
const atRest = (browser, ms = 60000) => browser.until('Module.page.rests > 4', ms);
async function act(browser, line) {
  const answer = await browser.evaluate(`Module.page.act(${JSON.stringify(line)})`);
  await atRest(browser);
  return answer;
}
// The file that the page handed over last, once the browser has all of it.
async function downloaded(folder, name, ms = 60000) {
  const path = join(folder, name), end = Date.now() + ms;
  for (let size = -1; ; ) {
    await new Promise((go) => setTimeout(go, 100));
    const now = existsSync(path) && readdirSync(folder).every((one) => !/\.(crdownload|part)$/.test(one)) ? statSync(path).size : -1;
    if (now > 0 && now === size) return path;
    size = now;
    if (Date.now() > end) throw new Error(`${name} was not handed over: ${readdirSync(folder)}`);
  }
}
function clean(browser) {
  check(browser.errors.length === 0, `errors in the page: ${browser.errors.join('; ')}`);
  check(browser.said.length === 0, `the page said: ${browser.said.join('; ')}`);
}

// The part of the pixels that differ by more than a twentieth.
function difference(a, b) {
  const run = (() => {
    try {
      return execFileSync('compare', ['-metric', 'AE', '-fuzz', '5%', a, b, 'null:'], { stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (error) {
      if (error.status !== 1) throw new Error(String(error.stderr));
      return error.stderr;
    }
  })();
  const size = execFileSync('identify', ['-format', '%w %h', a]).toString().split(' ').map(Number);
  return Number(String(run).split(' ')[0] || 0) / (size[0] * size[1]);
}

const tests = {
  async 'it opens from a file, and asks nobody for anything'() {
    const browser = await opened('?fresh');
    try {
      check(await browser.evaluate('Module.page.running === true'), await browser.evaluate('document.getElementById("words").textContent'));
      await atRest(browser);
      if (inFirefox) return; // it tells of none
      check(browser.requests.every((url) => url.startsWith('file:') || url.startsWith('blob:') || url.startsWith('data:')), `it asked ${browser.requests.join(', ')}`);
      check(browser.requests.filter((url) => url.startsWith('file:')).length === 1, `it read ${browser.requests.join(', ')}`);
      clean(browser);
      console.log(`  ready after ${browser.ready} ms`);
    } finally { await browser.close(); }
  },

  async 'it opens from a plain server'() {
    const asked = [];
    const server = createServer((request, response) => {
      const name = request.url.split('?')[0].slice(1);
      asked.push(name);
      if (!['index.html', 'headlight.wasm'].includes(name)) return response.writeHead(404).end();
      response.writeHead(200, { 'Content-Type': name.endsWith('.html') ? 'text/html' : 'application/wasm' }).end(readFileSync(join(built, name)));
    });
    await new Promise((go) => server.listen(0, '127.0.0.1', go));
    const browser = await opened('?fresh', {}, `http://127.0.0.1:${server.address().port}/index.html`);
    try {
      await atRest(browser);
      clean({ errors: browser.errors.filter((text) => !text.includes('404')), said: browser.said });
      check(asked.filter((name) => name !== 'favicon.ico').join() === 'index.html,headlight.wasm', `it asked for ${asked}`);
    } finally { await browser.close(); server.close(); }
  },

  async 'every step of every example is the desktop’s, to a millionth'() {
    const downloads = mkdtempSync(join(work, 'arrays-'));
    const browser = await opened(undefined, { downloads });
    try {
      for (const name of readdirSync(join(source, 'assets/examples')).filter((one) => one.endsWith('.headlight'))) {
        const answer = await act(browser, `open /headlight/assets/examples/${name}`);
        check(answer === '', `${name}: ${answer}`);
        await act(browser, 'save-arrays');
        const written = await browser.evaluate('Module.page.saved.pop() ?? ""');
        check(written.endsWith('.npz'), `${name}: the page wrote ${written}`);
        const page = await downloaded(downloads, written);
        native('code', join(source, 'assets/examples', name), '-o', 'native.py', '-q');
        console.log('  ' + name + ' ' + execFileSync('/usr/bin/python3', [join(source, 'tests/web/compare.py'), page, 'native.npz'], { cwd: work }).toString().trim());
        rmSync(page);
      }
      clean(browser);
    } finally { await browser.close(); }
  },

  async 'its screens are the desktop’s, but for the edges of letters'() {
    const screens = {
      explore: [],
      heads: ['mode heads'],
      lines: ['mode lines'],
      lessons: ['screen lessons'],
      train: ['screen train'],
      pinned: ['pin 3 2'],
      dark: ['theme dark'],
      compare: ['hold-a', 'param heads 4', 'screen compare'],
      masks: ['screen masks'],
      mechanism: ['mode mechanism'],
      worksheet: ['screen worksheet'],
      figure: ['screen figure'],
      present: ['present'],
      lesson: ['lesson ASSETS/lessons/heads.lesson.md'],
    };
    const withAssets = (lines, folder) => lines.map((line) => line.replace('ASSETS', folder));
    const drawPage = async (browser, name, lines, picture) => {
      await openIn(browser);
      await atRest(browser);
      for (const line of withAssets(lines, '/headlight/assets')) {
        const answer = await act(browser, line);
        check(answer === '', `${name}: ${line}: ${answer}`);
      }
      await new Promise((go) => setTimeout(go, 300));
      await browser.screenshot(picture);
      clean(browser);
    };
    const compareAt = async ([width, height, ratio]) => {
      const size = `${width * ratio}x${height * ratio}`, page = join(work, `page-${size}.png`), desktop = join(work, `native-${size}.png`);
      const browser = await Browser.open({ width, height, ratio, touch: ratio > 1 });
      try {
        for (const [name, lines] of Object.entries(screens)) {
          await Promise.all([drawPage(browser, name, lines, page), nativeWindow('screenshot', '--size', size, '--scale', `${ratio}`, '-o', desktop, ...withAssets(lines, join(source, 'assets')).flatMap((line) => ['--do', line]))]);
          const part = difference(page, desktop);
          console.log(`  ${name} at ${width}x${height}: ${(100 * part).toFixed(3)} % of the pixels differ`);
          check(part < 0.002, `${name} at ${width}×${height}: ${(100 * part).toFixed(2)} % of the pixels differ`);
        }
      } finally { await browser.close(); }
    };
    const sizes = [[1280, 720, 1], [1180, 820, 2], [1600, 1000, 1]];
    // Side by side: a page waits half of its time.
    const ended = await Promise.allSettled(sizes.slice(0, inFirefox ? 1 : 3).map(compareAt));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed) throw failed.reason;
  },
  async 'long work lets the page go on, and Esc ends it'() {
    const browser = await opened();
    try {
      await atRest(browser);
      check(await browser.evaluate('Module.page.canPause'), 'this Chromium holds no stacks');
      await act(browser, 'open /headlight/assets/examples/image.headlight');
      await browser.evaluate(`(() => {
        window.turns = 0;
        const line = new MessageChannel();
        line.port1.onmessage = () => { ++turns; setTimeout(() => line.port2.postMessage(0), 0); };
        line.port2.postMessage(0);
      })()`);
      await browser.evaluate('turns = 0, Module.page.act("param heads 16"), 0');
      await browser.until('Module.page.rests === 0 && turns > 5', 20000);
      await atRest(browser);
      const turns = await browser.evaluate('turns');
      console.log(`  ${turns} turns of the page while it ran`);
      check(turns > 10, `the page had ${turns} turns while it ran`);
      // Begun again, and ended by a key: nothing came of it.
      const view = await browser.evaluate('document.getElementById("view").textContent');
      await browser.evaluate('Module.page.act("param heads 32"), turns = 0, 0');
      await browser.until('turns > 3');
      check(await browser.evaluate('Module.page.rests === 0'), 'it was done before a key could end it');
      await browser.press('Escape', 'Escape');
      await atRest(browser);
      const now = await browser.evaluate('document.getElementById("view").textContent');
      check(now === view, `Esc did not end it: ${now}`);
      clean(browser);
    } finally { await browser.close(); }
  },

  async 'what is written is handed over, and what is dropped is opened'() {
    const downloads = mkdtempSync(join(work, 'handed-'));
    const browser = await opened(undefined, { downloads });
    try {
      await atRest(browser);
      await act(browser, 'save mine.headlight');
      check((await browser.evaluate('Module.page.saved.join()')) === 'mine.headlight', 'what was saved was not handed over');
      const saved = await downloaded(downloads, 'mine.headlight');
      check(JSON.parse(readFileSync(saved, 'utf8')).variant === 'multi_head', 'it is no experiment');
      await act(browser, 'open /headlight/assets/examples/causal.headlight');
      for (const format of ['svg', 'png', 'pdf']) {
        await act(browser, `save-figure fig.${format}`);
        const figure = readFileSync(await downloaded(downloads, `fig.${format}`));
        await nativeWindow('screenshot', '-o', 'window.png', '--do', `open ${join(source, 'assets/examples/causal.headlight')}`, '--do', `save-figure fig.${format}`);
        const desktop = readFileSync(join(work, `fig.${format}`));
        check(figure.equals(desktop), `fig.${format} is another than the desktop's: ${figure.length} and ${desktop.length} bytes`);
      }
      await browser.evaluate(`(async () => {
        const data = new DataTransfer();
        data.items.add(new File(['one two three'], 'words.txt', { type: 'text/plain' }));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
      })()`);
      await browser.until('FS.analyzePath("/dropped/words.txt").exists');
      await browser.until('document.getElementById("view").textContent.includes("three")');
      clean(browser);
    } finally { await browser.close(); }
  },

  async 'a link opens what was shown, on another machine'() {
    const browser = await opened();
    let copied;
    try {
      await atRest(browser);
      await act(browser, 'text x_q a linked sentence');
      await browser.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })`);
      const answer = await act(browser, 'copy-link');
      check(answer === '', answer);
      copied = await browser.evaluate('window.copied');
      check(copied.includes('#experiment='), `the link is ${copied}`);
      clean(browser);
    } finally { await browser.close(); }
    for (const [hash, words] of [[copied.slice(copied.indexOf('#')), 'sentence'], ['#lesson=heads&step=2', ''], ['#experiment=damaged', '']]) {
      const other = await opened(`?fresh${hash}`);
      try {
        await atRest(other);
        await other.until(`document.getElementById('view').textContent.includes('${words}')`);
        const trouble = await other.evaluate('document.getElementById("trouble").hidden ? "" : document.getElementById("trouble").textContent');
        check((trouble !== '') === hash.includes('damaged'), `${hash.slice(0, 30)} says: ${trouble}`);
        check(await other.evaluate('Module.page.running === true'), `${hash.slice(0, 30)} does not open`);
        clean(other);
      } finally { await other.close(); }
    }
  },

  async 'what was changed is there again after the tab was closed'() {
    const browser = await opened('');
    try {
      await atRest(browser);
      await browser.press('Escape', 'Escape');
      await atRest(browser);
      await act(browser, 'theme dark');
      await act(browser, 'text x_q kept over night');
      await new Promise((go) => setTimeout(go, 3000));
      await browser.go('about:blank');
      await browser.until('location.href === "about:blank"');
      await new Promise((go) => setTimeout(go, 1000)); // what the old page had to keep
      await browser.go(file);
      await browser.until('document.getElementById("loading").hidden');
      await atRest(browser);
      const kept = await browser.evaluate('FS.readdir("/home/me/.config/headlight").join()');
      check(kept.includes('settings.json'), `the home has ${kept}`);
      check((await browser.evaluate('FS.readFile("/home/me/.config/headlight/settings.json", { encoding: "utf8" })')).includes('dark'), 'the theme is forgotten');
      const parts = await browser.evaluate('[...document.querySelectorAll("#tree > div")].map((part) => part.getAttribute("aria-label")).join("\\n")');
      check(/recover/i.test(parts), `nothing offers to recover: ${parts}`);
    } finally { await browser.close(); }
  },

  async 'every control has a name, a kind and a state'() {
    const browser = await opened();
    try {
      for (const line of ['screen explore', 'screen lessons', 'screen train', 'screen figure', 'dialog open', 'dialog palette']) {
        await act(browser, line);
        await new Promise((go) => setTimeout(go, 300));
        const parts = await browser.evaluate(`[...document.querySelectorAll('#tree > div')].map((part) =>
          ({ id: part.id, role: part.getAttribute('role'), name: part.getAttribute('aria-label'), disabled: part.getAttribute('aria-disabled') }))`);
        check(parts.length > 5, `${line}: ${parts.length} parts`);
        for (const part of parts) check(part.role && part.name && part.name.trim() && part.disabled, `${line}: ${JSON.stringify(part)}`);
        console.log(`  ${line}: ${parts.length} parts`);
      }
      clean(browser);
    } finally { await browser.close(); }
  },

  async 'it begins in the colours of the system'() {
    for (const dark of [false, true]) {
      const browser = await opened('?fresh', { dark });
      try {
        await atRest(browser);
        await browser.screenshot(join(work, 'colours.png'));
        const light = Number(execFileSync('convert', [join(work, 'colours.png'), '-colorspace', 'gray', '-format', '%[fx:mean]', 'info:']));
        check(light > 0.5 !== dark, `${dark ? 'dark' : 'light'}: the mean is ${light}`);
      } finally { await browser.close(); }
    }
  },

};

// What takes Chromium's own ways to press, print and fail.
const ofChromium = {
  async 'what goes wrong is said in one line'() {
    const without = await opened('?fresh', { first: 'HTMLCanvasElement.prototype.getContext = () => null' });
    try {
      const words = await without.evaluate('document.getElementById("words").textContent');
      check(words.includes('WebGL 2'), `without WebGL it says: ${words}`);
    } finally { await without.close(); }
    const browser = await opened();
    try {
      await atRest(browser);
      await browser.evaluate('Module._headlight_frame = () => { throw new Error("memory is at its end"); }, 0');
      await browser.press('Escape', 'Escape');
      await browser.until('!document.getElementById("loading").hidden');
      const words = await browser.evaluate('document.getElementById("words").textContent');
      check(words.includes('memory is at its end') && (await browser.evaluate('!document.getElementById("again").hidden')), `it says: ${words}`);
    } finally { await browser.close(); }
  },

  async 'a frame of a course page shows what its address asks for'() {
    const names = (browser) => browser.evaluate('[...document.querySelectorAll("#tree > div")].map((part) => part.id).join()');
    const whole = await opened('?fresh&do=example%20text'), part = await opened('?fresh&do=example%20text&do=step%20weights&hide=setup,stepper,strip'), wrong = await opened('?fresh&do=fly&hide=roof');
    try {
      for (const browser of [whole, part, wrong]) await atRest(browser);
      check(/params\//.test(await names(whole)) && /stepper/.test(await names(whole)), 'the whole page shows no parameters');
      check(!/params\//.test(await names(part)) && !/stepper/.test(await names(part)), `what is hidden is shown: ${await names(part)}`);
      check((await part.evaluate('document.getElementById("view").textContent')).includes('weights'), `it shows ${await part.evaluate('document.getElementById("view").textContent')}`);
      check(await part.evaluate('document.getElementById("trouble").hidden'), `it says ${await part.evaluate('document.getElementById("trouble").textContent')}`);
      clean(part);
      const said = await wrong.evaluate('document.getElementById("trouble").textContent');
      check(said.includes('roof') && said.includes('fly'), `it says: ${said}`);
    } finally { for (const browser of [whole, part, wrong]) await browser.close(); }
  },

  async 'a page is printed as it stands'() {
    const browser = await opened();
    try {
      await atRest(browser);
      const { data } = await browser.ask('Page.printToPDF', { landscape: true });
      writeFileSync(join(work, 'paper.pdf'), Buffer.from(data, 'base64'));
      execFileSync('pdftoppm', ['-png', '-r', '40', join(work, 'paper.pdf'), join(work, 'paper')]);
      const sheets = readdirSync(work).filter((name) => /^paper.*png$/.test(name));
      check(sheets.length === 1, `${sheets.length} sheets`);
      const ink = Number(execFileSync('convert', [join(work, sheets[0]), '-colorspace', 'gray', '-format', '%[fx:standard_deviation]', 'info:']));
      check(ink > 0.03, `the sheet is empty: ${ink}`);
      clean(browser);
    } finally { await browser.close(); }
  },

  async 'what an input method composes stands where it goes'() {
    const browser = await opened('?fresh&do=example%20text');
    try {
      await atRest(browser);
      const field = await browser.evaluate(`(() => { const box = [...document.querySelectorAll('#tree > div')].find((part) => part.id === 'part_input/x_q')?.getBoundingClientRect(); return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`);
      check(field, `there is no field for the text: ${await browser.evaluate('[...document.querySelectorAll("#tree > div")].map((part) => part.id).join()')}`);
      await browser.click(field.x, field.y);
      await atRest(browser);
      await browser.until('parseFloat(document.getElementById("typing").style.top) > 0');
      await browser.ask('Input.imeSetComposition', { text: 'ねこ', selectionStart: 2, selectionEnd: 2 });
      const shown = await browser.evaluate(`(() => { const box = document.getElementById('typing'), place = box.getBoundingClientRect(); return { composes: box.classList.contains('composes'), x: place.x, y: place.y, text: box.value }; })()`);
      check(shown.composes && shown.text === 'ねこ', `it shows ${JSON.stringify(shown)}`);
      check(Math.abs(shown.y - field.y) < 60 && shown.x > 0, `it stands at ${shown.x}, ${shown.y}, and the field at ${field.x}, ${field.y}`);
      await browser.type('猫');
      await browser.until('document.getElementById("view").textContent.includes("猫")');
      clean(browser);
    } finally { await browser.close(); }
  },

  async 'a font that is dropped draws what no other has'() {
    const browser = await opened('?fresh&do=text%20x_q%20%E0%A4%A8%E0%A4%AE%E0%A4%B8%E0%A5%8D%E0%A4%A4%E0%A5%87');
    const missing = () => browser.evaluate('[...document.querySelectorAll("#tree > div")].some((part) => part.getAttribute("aria-label").includes("in no font here"))');
    try {
      await atRest(browser);
      check(await missing(), 'nothing says that letters are missing');
      const bytes = readFileSync('/usr/share/fonts/truetype/lohit-devanagari/Lohit-Devanagari.ttf').toString('base64');
      await browser.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob('${bytes}'), (letter) => letter.charCodeAt(0))], 'Lohit.ttf'));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer: data }));
      })()`);
      await browser.until('FS.analyzePath("/home/me/.fonts/Lohit.ttf").exists');
      for (const end = Date.now() + 20000; await missing();) check(Date.now() < end, 'letters are missing still');
      clean(browser);
    } finally { await browser.close(); }
  },

  async 'random presses, clicks, files and sizes do no harm'() {
    const { begun, now } = await wander(file, 250, 7);
    console.log(`  the page's memory ${begun.script.toFixed(1)} to ${now.script.toFixed(1)} MB, the program's ${begun.program} to ${now.program} MB`);
  },

  async 'fingers tap, and press long for the menu; what is pasted is typed'() {
    const browser = await opened(undefined, { width: 1180, height: 820, ratio: 2, touch: true });
    const middle = (name) => browser.evaluate(`(() => {
      const box = [...document.querySelectorAll('#tree > div')].find((part) => part.getAttribute('aria-label') === ${JSON.stringify(name)})?.getBoundingClientRect();
      return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    })()`);
    try {
      await atRest(browser);
      const numbers = await middle('Numbers');
      check(numbers, 'there is no control Numbers');
      await browser.tap(numbers.x, numbers.y + 21); // a finger has 44 px
      await browser.until(`[...document.querySelectorAll('#tree > div')].some((part) => part.getAttribute('aria-label') === 'Numbers' && part.getAttribute('aria-pressed') === 'true')`);
      const heatmap = await middle('Heatmap');
      await browser.tap(heatmap.x, heatmap.y);
      await atRest(browser);
      // A finger draws a list up, wherever it takes it, and presses nothing there.
      const heads = () => browser.evaluate(`(() => { const part = document.getElementById('part_params/heads'); return part && { at: parseFloat(part.style.top), name: part.getAttribute('aria-label') }; })()`);
      const was = await heads();
      await browser.ask('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 150, y: was.at + 10 }] });
      for (let y = was.at; y > was.at - 80; y -= 10) await browser.ask('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x: 150, y }] });
      await browser.ask('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await browser.until(`parseFloat(document.getElementById('part_params/heads').style.top) < ${was.at - 40}`);
      check((await heads()).name === was.name, `a finger that draws a list pressed something: ${JSON.stringify(await heads())}`);
      const before = await browser.evaluate('document.querySelectorAll("#tree > div").length');
      await browser.ask('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: 560, y: 430 }] });
      await new Promise((go) => setTimeout(go, 900));
      await browser.ask('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
      await browser.until(`[...document.querySelectorAll('#tree > div')].some((part) => /^Copy/.test(part.getAttribute('aria-label')))`);
      check((await browser.evaluate('document.querySelectorAll("#tree > div").length')) !== before, 'a long press changed nothing');
      await browser.press('Escape', 'Escape');
      await browser.press('k', 'KeyK', 2);
      await atRest(browser);
      await browser.evaluate(`(() => {
        const data = new DataTransfer();
        data.setData('text/plain', 'worksheet');
        document.getElementById('typing').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
      })()`);
      await browser.until(`[...document.querySelectorAll('#tree > div')].some((part) => part.getAttribute('aria-label').includes('orksheet'))`);
      clean(browser);
    } finally { await browser.close(); }
  },
};

let passed = 0, failed = 0;
for (const [name, test] of Object.entries(inFirefox ? tests : { ...tests, ...ofChromium })) {
  if (chosen.length > 0 && !chosen.some((word) => name.includes(word))) continue;
  const since = Date.now();
  try {
    await test();
    ++passed;
    console.log(`passed: ${name} (${((Date.now() - since) / 1000).toFixed(1)} s)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED: ${name}: ${error.stack}`);
  }
}
rmSync(work, { recursive: true, force: true });
console.log(`web: ${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
