// node wander.mjs FOLDER ACTIONS [SEED]: so many random presses, clicks, drags, turns of the wheel, taps, texts, files and sizes of the
// window on the page in FOLDER. It goes wrong where the page stops, throws or writes on its console; says what memory it took.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Chromium } from './chromium.mjs';

// Numbers in [0, 1), the same for the same seed (mulberry32).
function numbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const keys = [...'abcdefghijklmnopqrstuvwxyz0123456789'].map((one) => [one, /[0-9]/.test(one) ? `Digit${one}` : `Key${one.toUpperCase()}`]);
for (const one of ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Enter', 'Escape', 'Tab', 'Backspace', 'F1', 'F5', 'F10', 'Home', 'End', 'PageUp', 'PageDown', 'Delete']) keys.push([one, one]);
keys.push([' ', 'Space'], ['-', 'Minus'], ['+', 'Equal'], ['[', 'BracketLeft'], [']', 'BracketRight']);
const texts = ['the cat sat', 'א ב ג', '猫 sat', '\u{1F600}', 'a', ' '];
const sizes = [[1280, 720, 1], [1600, 1000, 1], [1180, 820, 2], [640, 400, 1], [320, 560, 3], [2000, 1200, 1]];
const dropped = ['"words of a file"', 'new Uint8Array([1, 2, 3])', '"1,2\\n3,4\\n"', '"{\\"variant\\": \\"multi_head\\"}"', '""'];
const kinds = ['txt', 'npy', 'csv', 'headlight', 'png', 'safetensors', 'lesson.md'];

export async function wander(url, actions, seed, say = () => {}) {
  const next = numbers(seed), below = (n) => Math.floor(next() * n), one = (list) => list[below(list.length)];
  const browser = await Chromium.open();
  const memory = async () => {
    await browser.ask('HeapProfiler.collectGarbage');
    const { usedSize } = await browser.ask('Runtime.getHeapUsage');
    return { script: usedSize / 2 ** 20, program: (await browser.evaluate('HEAPU8.length')) / 2 ** 20 };
  };
  let width = 1280, height = 720, last = '';
  const deeds = {
    part: [40, async () => {
      const at = await browser.evaluate(`(() => { const all = [...document.querySelectorAll('#tree > div')]; const part = all[Math.floor(${next()} * all.length)]; if (!part) return null;
        const box = part.getBoundingClientRect(); return [part.id, box.x + box.width / 2, box.y + box.height / 2]; })()`);
      if (at) { last = at[0]; await browser.click(at[1], at[2], next() < 0.9 ? 'left' : 'right', next() < 0.9 ? 1 : 2); }
    }],
    key: [25, async () => { const [key, code] = one(keys); last = key; await browser.press(key, code, next() < 0.7 ? 0 : one([2, 8, 10])); }],
    point: [10, async () => { await browser.click(below(width), below(height), next() < 0.8 ? 'left' : 'right'); }],
    drag: [8, async () => {
      await browser.move(below(width), below(height));
      const from = { x: below(width), y: below(height) }, to = { x: below(width), y: below(height) };
      await browser.ask('Input.dispatchMouseEvent', { type: 'mousePressed', ...from, button: 'left', clickCount: 1 });
      await browser.ask('Input.dispatchMouseEvent', { type: 'mouseMoved', ...to, button: 'left', buttons: 1 });
      await browser.ask('Input.dispatchMouseEvent', { type: 'mouseReleased', ...to, button: 'left', clickCount: 1 });
    }],
    wheel: [8, async () => { await browser.wheel(below(width), below(height), (next() - 0.5) * 600); }],
    tap: [4, async () => { await browser.tap(below(width), below(height)); }],
    text: [3, async () => { last = one(texts); await browser.type(last); }],
    file: [1, async () => {
      const name = `f${below(5)}.${one(kinds)}`;
      last = name;
      await browser.evaluate(`(() => { const data = new DataTransfer(); data.items.add(new File([${one(dropped)}], '${name}')); window.dispatchEvent(new DragEvent('drop', { dataTransfer: data })); })()`);
    }],
    size: [1, async () => {
      let ratio;
      [width, height, ratio] = one(sizes);
      await browser.ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: ratio, mobile: false });
    }],
  };
  const bag = Object.entries(deeds).flatMap(([name, [weight]]) => Array(weight).fill(name));
  try {
    await browser.ask('Browser.setDownloadBehavior', { behavior: 'deny' }, false);
    await browser.ask('Page.setInterceptFileChooserDialog', { enabled: true });
    await browser.ask('Emulation.setTouchEmulationEnabled', { enabled: true });
    await browser.go(`${url}?fresh&do=example%20text`);
    await browser.until('document.getElementById("loading").hidden', 60000);
    const begun = await memory();
    for (let i = 0; i < actions; ++i) {
      const deed = one(bag);
      await deeds[deed][1]();
      const stands = await browser.evaluate('Module.page.running');
      if (!stands || browser.errors.length > 0)
        throw new Error(`action ${i} of seed ${seed} (${deed} ${last}): ${browser.errors.join('; ') || (await browser.evaluate('document.getElementById("words").textContent'))}`);
      if (i % 500 === 499) { const now = await memory(); say(`${i + 1} actions: ${now.script.toFixed(1)} MB of the page's, ${now.program.toFixed(0)} MB of the program's`); }
    }
    return { begun, now: await memory() };
  } finally { await browser.close(); }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, actions, seed = '1'] = process.argv.slice(2), since = Date.now();
  const { begun, now } = await wander(`file://${resolve(folder)}/headlight.html`, Number(actions), Number(seed), console.log);
  console.log(`${actions} actions in ${((Date.now() - since) / 1000).toFixed(0)} s; the page's memory ${begun.script.toFixed(1)} to ${now.script.toFixed(1)} MB, the program's ${begun.program} to ${now.program} MB`);
  process.exit(0);
}
