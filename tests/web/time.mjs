// node time.mjs FOLDER: how long what people wait for takes in the page in FOLDER, beside the program for a desktop in the same run, and the
// longest time for which the page could neither draw nor take a key meanwhile.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.mjs';

const source = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = resolve(process.argv[2]);
const chosen = process.argv.slice(3);
const program = ['build/test/headlight', 'build/release/headlight'].map((path) => join(source, path)).find(existsSync);
const work = mkdtempSync(join(tmpdir(), 'headlight-time-'));
const lessons = join(source, 'assets/lessons');

const seconds = (since) => (Date.now() - since) / 1000;
const watch = `(() => {
  window.longest = 0;
  let last = performance.now();
  const line = new MessageChannel();
  line.port1.onmessage = () => { const now = performance.now(); if (now - last > longest) longest = now - last; last = now; setTimeout(() => line.port2.postMessage(0), 0); };
  line.port2.postMessage(0);
})()`;

async function open(options = {}) {
  const browser = await Chromium.open(options);
  await browser.go(`file://${folder}/headlight.html?fresh&do=example%20text`);
  await browser.until('document.getElementById("loading").hidden', 60000);
  await browser.until('Module.page.rests > 4', 60000);
  await browser.evaluate(watch);
  return browser;
}
// Carries out actions one after the other, each until nothing is under way.
async function act(browser, lines) {
  const since = Date.now();
  await browser.evaluate('longest = 0, 0');
  for (const line of lines) {
    const answer = await browser.evaluate(`Module.page.act(${JSON.stringify(line)})`);
    if (answer) throw new Error(`${line}: ${answer}`);
    await browser.until('Module.page.rests > 4', 600000);
  }
  return { took: seconds(since), longest: await browser.evaluate('longest') };
}
function native(lines) {
  const since = Date.now();
  execFileSync('xvfb-run', ['-a', program, 'screenshot', '-o', 'native.png', ...lines.flatMap((line) => ['--do', line])],
    { cwd: work, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1', GALLIUM_DRIVER: 'llvmpipe' } });
  return seconds(since);
}
const ready = (() => native([]))(); // what the program takes to open and to draw once
const at = (path) => ({ page: path.replace(source, '').replace(/^\/assets/, '/headlight/assets'), native: path });
const say = (what, page, other) => console.log(`${what}: the page ${page.took.toFixed(1)} s, the program ${(other - ready).toFixed(1)} s; the page's longest stop ${page.longest.toFixed(0)} ms`);

const measures = {
  async lessons() {
    for (const name of readdirSync(lessons).filter((one) => one.endsWith('.lesson.md'))) {
      const path = at(join(lessons, name)), browser = await open();
      try {
        const first = await act(browser, [`lesson ${path.page}`]);
        const told = await browser.evaluate('Module.page.act("lesson-step 9999")'), last = Number(/to (\d+)/.exec(told)[1]);
        const lines = [];
        const since = Date.now();
        let longest = first.longest;
        for (let step = 0; step <= last; ++step) {
          const asked = (await browser.evaluate('Module.page.act("lesson-solution")')) === '';
          await browser.until('Module.page.rests > 4', 60000);
          const go = step < last ? [`lesson-step ${step + 1}`] : [];
          const did = await act(browser, go);
          longest = Math.max(longest, did.longest);
          lines.push(...(asked ? ['lesson-solution'] : []), ...go);
        }
        say(`${name}, ${last + 1} steps`, { took: first.took + seconds(since), longest }, native([`lesson ${path.native}`, ...lines]));
      } finally { await browser.close(); }
    }
  },
  async runs() {
    for (const lines of [['example image'], ['example frames'], ['example image', 'param heads 16'], ['mode heads'], ['screen figure'], ['save-figure f.pdf']]) {
      const browser = await open();
      try { say(lines.join(', '), await act(browser, lines), native(lines)); } finally { await browser.close(); }
    }
  },
  async training() {
    for (const task of ['dates', 'order', 'positions']) {
      const browser = await open();
      try {
        const lines = ['screen train', `task ${task}`, 'train-pace 0', 'train-until-learned'];
        say(`${task} until it clicks`, await act(browser, lines), native(lines));
      } finally { await browser.close(); }
    }
  },
  async gpt2() {
    const model = join(work, 'gpt2');
    execFileSync('/usr/bin/python3', [join(source, 'tests/web/gpt2.py'), model]);
    const browser = await open();
    try {
      const since = Date.now();
      await browser.choose([model], true);
      await browser.until('FS.analyzePath("/dropped/gpt2/model.safetensors").exists', 120000);
      console.log(`  the folder is with the page after ${seconds(since).toFixed(1)} s`);
      await browser.until('/layer/i.test(document.getElementById("view").textContent) && Module.page.rests > 4', 300000);
      const page = { took: seconds(since), longest: await browser.evaluate('longest') };
      console.log('  ' + (await browser.evaluate('document.getElementById("view").textContent')).slice(0, 200), await browser.evaluate('HEAPU8.length / 2 ** 20'));
      await browser.screenshot('/tmp/gpt2_page.png');
      say('a model of GPT-2’s size', page, native([`open ${model}`]));
    } finally { await browser.close(); }
  },
};
for (const [name, measure] of Object.entries(measures)) if (chosen.length === 0 || chosen.includes(name)) await measure();
rmSync(work, { recursive: true, force: true });
