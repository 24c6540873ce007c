// node run.mjs FOLDER [NAME…]: the page in FOLDER (build/web), tried as its users would: from a file and from a server, its numbers
// and pictures beside those of the program for a desktop.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.mjs';

const source = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const built = resolve(process.argv[2]);
const chosen = process.argv.slice(3);
const program = ['build/test/headlight', 'build/release/headlight'].map((path) => join(source, path)).find(existsSync);
const work = mkdtempSync(join(tmpdir(), 'headlight-web-'));
const file = `file://${built}/headlight.html`;

function check(holds, words) {
  if (!holds) throw new Error(words);
}
const native = (...words) => execFileSync(program, words, { cwd: work, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1', GALLIUM_DRIVER: 'llvmpipe' } });
const nativeWindow = (...words) => execFileSync('xvfb-run', ['-a', program, ...words], { cwd: work, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1', GALLIUM_DRIVER: 'llvmpipe' } });

// A page with the program in it, ready.
async function opened(query = '?fresh&as-picture', options = {}, url = file) {
  const browser = await Chromium.open(options);
  const since = Date.now();
  await browser.go(url + query);
  await browser.until('document.getElementById("loading").hidden || document.getElementById("bar").hidden', 60000);
  browser.ready = Date.now() - since;
  return browser;
}
// Until nothing is under way, and what came of it is drawn.
const atRest = (browser, ms = 60000) => browser.until('Module.page.rests > 4', ms);
async function act(browser, line) {
  const answer = await browser.evaluate(`Module.page.act(${JSON.stringify(line)})`);
  await atRest(browser);
  return answer;
}
async function written(browser, path, to) {
  const bytes = await browser.evaluate(`btoa(Array.from(FS.readFile(${JSON.stringify(path)}), (byte) => String.fromCharCode(byte)).join(''))`);
  writeFileSync(to, Buffer.from(bytes, 'base64'));
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
    const browser = await opened();
    try {
      for (const name of readdirSync(join(source, 'assets/examples')).filter((one) => one.endsWith('.headlight'))) {
        const answer = await act(browser, `open /headlight/assets/examples/${name}`);
        check(answer === '', `${name}: ${answer}`);
        await act(browser, 'save-arrays');
        const files = await browser.evaluate('FS.readdir("/home/me").filter((name) => name.endsWith(".npz"))');
        check(files.length === 1, `${name}: the page wrote ${files}`);
        await written(browser, `/home/me/${files[0]}`, join(work, 'page.npz'));
        await browser.evaluate(`FS.unlink('/home/me/${files[0]}')`);
        native('code', join(source, 'assets/examples', name), '-o', 'native.py', '-q');
        console.log('  ' + name + ' ' + execFileSync('python3', [join(source, 'tests/web/compare.py'), 'page.npz', 'native.npz'], { cwd: work }).toString().trim());
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
    };
    for (const [width, height] of [[1280, 720], [1600, 1000]])
      for (const [name, lines] of Object.entries(screens)) {
        const browser = await opened('?fresh&as-picture', { width, height });
        try {
          await atRest(browser);
          for (const line of lines) {
            const answer = await act(browser, line);
            check(answer === '', `${name}: ${line}: ${answer}`);
          }
          await new Promise((go) => setTimeout(go, 300));
          await browser.screenshot(join(work, 'page.png'));
          clean(browser);
        } finally { await browser.close(); }
        nativeWindow('screenshot', '--size', `${width}x${height}`, '-o', 'native.png', ...lines.flatMap((line) => ['--do', line]));
        const part = difference(join(work, 'page.png'), join(work, 'native.png'));
        console.log(`  ${name} at ${width}x${height}: ${(100 * part).toFixed(3)} % of the pixels differ`);
        check(part < 0.004, `${name} at ${width}×${height}: ${(100 * part).toFixed(2)} % of the pixels differ`);
      }
  },
};

let passed = 0, failed = 0;
for (const [name, test] of Object.entries(tests)) {
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
